"""A policy as tests of dbt: which columns a model may have, and its requirements, by the package in ``dbt/``."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tclose.auditing.sql_audit import SqlDialect, check_judgeable
from tclose.errors import Hint, InputError, UndecidedColumnError
from tclose.models.catalogue import Requirement
from tclose.policy.exact_numbers import written
from tclose.policy.parts import FORMS
from tclose.policy.policy import Policy
from tclose.policy.roles import Distance, Roles
from tclose.reports.machine_readable.audits import json_text

PEOPLE_UNTESTED = (
    "The policy counts people by a column that a release does not have, so that no test can count them: the model is "
    "tested for its columns alone. 'tclose anonymize' judges a release by its people."
)
"""What somebody must know whose policy counts people."""
_PLAIN = re.compile("[a-z_][a-z0-9_]*")
_OWN_MEANING = {
    "current_catalog", "current_date", "current_role", "current_schema", "current_time", "current_timestamp",
    "current_user", "localtime", "localtimestamp", "session_user", "sysdate", "system_user", "user",
}  # fmt: skip
"""Names that databases take for something else than a column, without an error."""


def dbt_tests(policy: Policy, model: str, dialect: SqlDialect | None = None) -> str:
    """Return the tests of a model as YAML for dbt.

    Parameters
    ----------
    policy
        What columns there may be, and what must hold.
    model
        The name of the model.
    dialect
        Whose quotes stand around names that need them; None where no name needs any.
    """
    roles = policy.roles
    if roles.undecided and roles.others != "remove":
        raise UndecidedColumnError(roles.undecided)
    wanted = policy.requirements()
    check_judgeable(policy)
    quasi = [*roles.quasi, *_numbers(policy)]
    counts_people = roles.person is not None and roles.pseudonym is None
    tests = list(_of_columns(policy, quasi))
    columns: dict[str, list[dict[str, Any]]] = {}
    if not counts_people:
        shared: dict[str, Any] = {"quasi": [_name(name, dialect) for name in quasi]}
        told = {} if roles.pseudonym is None else {"person": _name(roles.pseudonym, dialect)}
        sizes = [each.threshold for each in wanted if each.model.key == "k"]
        if sizes:
            tests.append(_test("k_anonymous", {**shared, "k": math.ceil(max(sizes)), **told}))
        columns = {name: list(_of_column(name, roles, wanted, {**shared, **told})) for name in roles.sensitive}
    return "\n".join(_lines(model, tests, columns, PEOPLE_UNTESTED if counts_people else "")) + "\n"


def _numbers(policy: Policy) -> list[str]:
    """Return the columns of numbers that a release has beside the text of quasi-identifiers."""
    return [f"{name}{ending}" for name, form in policy.columns.numbers.items() for ending in FORMS[form]]


def _of_columns(policy: Policy, quasi: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Give the test of which columns the model may have; none where a policy publishes whatever it does not name."""
    roles = policy.roles
    if roles.others == "publish":
        return
    columns = [*quasi, *roles.sensitive, *roles.shown_people, *roles.publish, *roles.shifted]
    for name in columns:
        _check(name)
    more = {} if policy.required.unprotected != "tell" else {"config": {"severity": "warn"}}
    yield _test("only_columns", {"columns": columns}, more)


def _of_column(
    name: str, roles: Roles, wanted: Iterable[Requirement], shared: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Give the tests of a sensitive column."""
    distance = roles.sensitive[name]
    asked = [each for each in wanted if each.attribute in (None, name)]
    least = [each.threshold for each in asked if each.model.key == "l"]
    farthest = [each.threshold for each in asked if each.model.key == "t"]
    if distance is not None and least:
        nulls = distance.nulls if distance.nulls in ("drop", "error") else "category"
        yield _test("l_diverse", {**shared, "l": math.ceil(max(least)), "nulls": nulls})
    if distance is not None and farthest:
        yield _test("t_close", {**shared, "t": written(min(farthest)), **_distance(distance)})


def _distance(distance: Distance) -> dict[str, Any]:
    order = getattr(distance, "order", "value")
    said: dict[str, Any] = {"distance": distance.word, "nulls": distance.nulls}
    if not isinstance(order, str):
        said["order"] = [_check(str(value)) for value in order]
    elif order != "value":
        said["order"] = order
    return said


def _test(name: str, arguments: Mapping[str, Any], more: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {f"tclose.{name}": {"arguments": dict(arguments), **(more or {})}}


def _name(name: str, dialect: SqlDialect | None) -> str:
    """Return the name of a column as SQL has it."""
    _check(name)
    if _is_plain(name):
        return name
    if dialect is None:
        raise InputError(
            f"The column {name!r} needs quotes in SQL, and databases quote names differently.",
            field="dialect",
            column=name,
            hint=Hint("Say which database it is, with --dialect."),
        )
    return dialect.identifier(name)


def _is_plain(name: str) -> bool:
    return _PLAIN.fullmatch(name) is not None and name not in _OWN_MEANING


def _check(text: str) -> str:
    """Return a text that dbt leaves as it is; refuse one that it would take for a template."""
    if any(sign in text for sign in ("{{", "{%", "{#")):
        raise InputError(f"dbt would take {text!r} for a template; rename the column or the value.")
    return text


def _lines(
    model: str, tests: Iterable[Mapping[str, Any]], columns: Mapping[str, list[dict[str, Any]]], remark: str
) -> Iterator[str]:
    """Give the lines of YAML; what is inside a line is JSON, which YAML reads too."""
    yield "# Written by 'tclose sql dbt' from a policy. Change the policy, and write this anew."
    if remark:
        yield f"# {remark}"
    yield "version: 2"
    yield "models:"
    yield f"  - name: {_inside(_check(model))}"
    yield from _listed("data_tests", tests, "    ")
    tested = {name: mine for name, mine in columns.items() if mine}
    if tested:
        yield "    columns:"
    for name, mine in tested.items():
        yield f"      - name: {_inside(_check(name))}"
        if not _is_plain(name):
            yield "        quote: true"
        yield from _listed("data_tests", mine, "        ")


def _listed(key: str, tests: Iterable[Mapping[str, Any]], indent: str) -> Iterator[str]:
    told = [f"{indent}  - {name}: {_inside(said)}" for each in tests for name, said in each.items()]
    if told:
        yield f"{indent}{key}:"
        yield from told


def _inside(data: object) -> str:
    return json_text(data, indent=None)
