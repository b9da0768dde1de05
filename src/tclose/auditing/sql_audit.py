"""The statement that audits a table where it is: roles and requirements become one SELECT in whole numbers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any, cast

from tclose.data.sources.database import table_parts
from tclose.errors import Hint, InputError, listed, meant
from tclose.models.catalogue import Requirement
from tclose.policy.policy import Policy
from tclose.policy.roles import Distance, Nominal, Ordered, Roles
from tclose.policy.verbs import SqlKeywords, verb

# How names and texts are written in the SQL of each warehouse; its types stand in the template.


@dataclass(frozen=True)
class SqlDialect:
    """What one warehouse has of its own in names and texts.

    Parameters
    ----------
    key
        Its name, here and in the template.
    quote
        What stands around a name.
    backslashes
        Whether a backslash in a text takes away the meaning of what follows.
    """

    key: str
    quote: str = '"'
    backslashes: bool = False

    def identifier(self, name: str) -> str:
        r"""Return a name as an identifier; no name ends what it stands in.

        Examples
        --------
        >>> print(DIALECTS["postgres"].identifier('a "zip" code'), DIALECTS["bigquery"].identifier("a`b"))
        "a ""zip"" code" `a\`b`
        """
        if not name or "\0" in name:
            raise InputError("A name in SQL cannot be empty or hold the character NUL.")
        if self.key == "bigquery":
            return f"`{self._behind_backslashes(name, '`')}`"
        return f"{self.quote}{name.replace(self.quote, self.quote * 2)}{self.quote}"

    def text(self, text: str) -> str:
        r"""Return a text as a literal; no text ends what it stands in.

        Examples
        --------
        >>> print(DIALECTS["sqlite"].text("it's"), DIALECTS["spark"].text("it's"))
        'it''s' 'it\'s'
        """
        if "\0" in text:
            raise InputError("A text in SQL cannot hold the character NUL.")
        if not self.backslashes:
            return "'" + text.replace("'", "''") + "'"
        return "'" + self._behind_backslashes(text, "'").replace("\n", "\\n").replace("\r", "\\r") + "'"

    @staticmethod
    def _behind_backslashes(text: str, sign: str) -> str:
        return text.replace("\\", "\\\\").replace(sign, f"\\{sign}")


DIALECTS: Mapping[str, SqlDialect] = {
    each.key: each
    for each in (
        SqlDialect("bigquery", "`", backslashes=True),
        SqlDialect("duckdb"),
        SqlDialect("postgres"),
        SqlDialect("snowflake", backslashes=True),
        SqlDialect("spark", "`", backslashes=True),
        SqlDialect("sqlite"),
    )
}
"""The dialects, by their names."""


def dialect_named(name: str) -> SqlDialect:
    """Return a dialect by its name, or say which there are."""
    if name in DIALECTS:
        return DIALECTS[name]
    hint = meant(name, DIALECTS) or Hint("There are {}.", listed(DIALECTS))
    raise InputError(f"{name!r} is no dialect.", field="dialect", hint=hint)


MODELS = ("k", "l", "t")
"""The models that a statement can judge."""


@verb(SqlKeywords)
def audit_sql(policy: Policy, *, dialect: str) -> str:
    """Return one SQL statement that measures k, l and t of a table and says what fails, in whole numbers.

    Each row of its result is a figure: ``model``, ``attribute``, ``counts`` (rows or people), ``numerator`` and
    ``denominator``, what is ``required``, whether it ``holds`` (1 or 0; null where nothing is required, or where
    ``problem`` says why nothing was judged), ``failing_classes``, ``failing_rows`` and ``classes``.

    Parameters
    ----------
    table
        The table as it is named there: ``visits``, or ``clinic.visits``; names with a dot stand in double quotes.
    roles
        Which column is what. Sensitive attributes are ordered or nominal, and say so.
    {options}
    dialect
        ``"bigquery"``, ``"duckdb"``, ``"postgres"``, ``"snowflake"``, ``"spark"`` or ``"sqlite"``.

    Examples
    --------
    >>> statement = audit_sql("visits", Roles(["zip"], {"pay": Ordered()}), require={"k": 5, "t": "0.2"})
    >>> statement.splitlines()[0]
    'WITH tclose_source AS ('
    """
    chosen = dialect_named(dialect)
    roles, wanted = policy.roles, policy.requirements()
    check_judgeable(policy)
    attributes = [
        _attribute(name, distance, wanted, chosen)
        for name, distance in cast("Mapping[str, Distance]", roles.sensitive).items()
    ]
    sizes = [each.threshold for each in wanted if each.model.key == "k"]
    return str(
        _macros().tclose_audit(
            ".".join(chosen.identifier(part) for part in table_parts(str(policy.table))),
            [chosen.identifier(name) for name in roles.quasi],
            attributes,
            math.ceil(max(sizes)) if sizes else None,
            None if roles.person is None else chosen.identifier(roles.person),
            chosen.key,
        )
    )


def check_judgeable(policy: Policy) -> None:
    """Refuse a policy that no statement can judge."""
    policy.check_without_facts("A statement")
    _check_policy(policy)
    _check(policy.roles, policy.requirements())


def _check_policy(policy: Policy) -> None:
    """Refuse a policy that compares the table with others, of which a statement knows nothing."""
    baseline = policy.baseline
    others = {
        "reference": baseline.reference, "population": baseline.population, "after": baseline.after,
        "population_size": baseline.population_size, "sampling_fraction": baseline.sampling_fraction,
        "weight_column": baseline.weight_column,
    }  # fmt: skip
    asked = [name for name, value in others.items() if value is not None]
    if asked:
        raise InputError(
            f"A statement compares classes with the table itself, not with {listed(asked)}; use 'tclose audit'."
        )


def _check(roles: Roles, wanted: Iterable[Requirement]) -> None:
    """Refuse what a statement cannot judge."""
    others = sorted({each.model.key for each in wanted if each.model.key not in MODELS})
    if others:
        raise InputError(
            f"A statement judges {listed(MODELS)}, not {listed(others)}; 'tclose audit' judges every model."
        )
    if any(each.any is not None for each in wanted):
        raise InputError("A statement judges all quasi-identifiers together, not any so many of them.")
    if roles.together != "each":
        raise InputError("A statement judges each sensitive attribute alone (together='each').")
    if roles.steps:
        raise InputError(
            f"A statement rounds no numbers, and {listed(roles.steps)} is to be rounded; name a view that has rounded "
            "ones, or take 'tclose audit'."
        )
    for name, distance in roles.sensitive.items():
        if not isinstance(distance, Ordered | Nominal):
            said = "says no distance" if distance is None else f"is {distance.word}"
            raise InputError(
                f"The sensitive column {name!r} {said}; in a statement it is ordered or nominal: "
                f"'{name}:ordered' or '{name}:nominal'."
            )
    unknown = sorted({each.attribute for each in wanted if each.attribute} - {*roles.sensitive})
    if unknown:
        raise InputError(f"{listed(unknown)}: required of a column that is not sensitive.")


def _attribute(name: str, distance: Distance, wanted: Iterable[Requirement], chosen: SqlDialect) -> dict[str, Any]:
    """Return what the template is told of a sensitive attribute."""
    asked = [each for each in wanted if each.attribute in (None, name)]
    counts = [each.threshold for each in asked if each.model.key == "l"]
    shares = [each.threshold for each in asked if each.model.key == "t"]
    least = min(shares, default=None)
    return {
        "column": chosen.identifier(name),
        "label": chosen.text(name),
        "distance": distance.word,
        "order": _order(distance, chosen),
        "nulls": distance.nulls,
        "l": math.ceil(max(counts)) if counts else None,
        "t": None if least is None else (least.numerator, least.denominator),
    }


def _order(distance: Distance, chosen: SqlDialect) -> str | list[str]:
    """Return the order of values: a word, or the texts themselves as literals."""
    order = getattr(distance, "order", "value")
    return order if isinstance(order, str) else [chosen.text(str(value)) for value in order]


@cache
def _macros() -> Any:
    """Return the macros of the template, which know each other as those of a package that is called tclose."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    package = SimpleNamespace()
    environment = Environment(loader=PackageLoader("tclose.auditing"), undefined=StrictUndefined, autoescape=False)  # noqa: S701 - SQL
    environment.globals["tclose"] = package
    package.__dict__.update(vars(environment.get_template("tclose_audit.sql").module))
    return package
