"""What was asked of a table on the command line, on top of a policy file or an example's own roles."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from tclose.cli.failures import say
from tclose.cli.names import Columns, assigned, column_list, declared_order, sensitive_list, thresholds
from tclose.cli.options import read_options, shown_names, table_names
from tclose.cli.release_choices import is_recoding, recoded
from tclose.errors import InputError
from tclose.policy import SAMPLING_KEYS, Policy, declared_distance
from tclose.policy_files import read_policies, read_policy
from tclose.roles import Distance, Roles
from tclose.sources import files_read, read_once
from tclose.sources.database import is_database_address
from tclose.sources.examples import example_named
from tclose.sources.source import ReadOptions

POLICY_FILE = "tclose.toml"


@dataclass(frozen=True)
class Request:
    """The table and everything asked of it."""

    table: Any
    tables: tuple[str, ...]
    """The table and its companions by name."""
    policy: Policy

    policy_file: str | None = None

    @property
    def inputs(self) -> dict[Path, str]:
        """Every file that is read, with what it is."""
        trees = [getattr(distance, "tree", None) for distance in self.policy.roles.sensitive.values()]
        named = [tree for tree in (*trees, *self.policy.hierarchies.values()) if isinstance(tree, str | Path)]
        found = {path: what for tree in named for path, what in files_read(tree, "a hierarchy").items()}
        for name in self.tables:
            found |= files_read(name)
        found |= files_read(self.policy.release.key_file or (), "the key")
        return found | files_read(self.policy_file or (), "the policy")


def requests_of(given: Mapping[str, Any]) -> list[tuple[str, Callable[[], Request]]]:
    """Return every table that a policy lists, with what makes its request: what is wrong with one stays its own."""
    file = given["policy"] or (POLICY_FILE if Path(POLICY_FILE).is_file() else None)
    if file is None:
        raise click.UsageError(f"--all audits the tables that a policy lists: --policy FILE, or ./{POLICY_FILE}.")
    policies = read_policies(file)
    if any(policy.source is None for policy in policies):
        raise click.UsageError("--all audits the tables that a policy lists; each [[table]] names its source.")
    return [(str(policy.source), functools.partial(request_of, (), given, policy)) for policy in policies]


def request_of(tables: tuple[str, ...], given: Mapping[str, Any], listed: Policy | None = None) -> Request:
    """Return what was asked: the command line first, then the policy, then the example's own roles.

    The policy is the one that is given, of several in a file, or the one that the command line names.
    """
    policy_file = given["policy"] or usual_policy(tables, given)
    policy = listed or _policy(tables, given, policy_file)
    replaced = bool(tables and policy_file)
    tables = tables or ((policy.source,) if policy.source else ())
    if not tables:
        raise click.UsageError("Name a TABLE, or a policy that names one ([table] source = …).")
    read = read_options(given, policy.read)
    columns = functools.cache(lambda: _columns(tables, given, read))
    if replaced and not is_recoding(given):
        policy = _with_present_identifiers(policy, columns, rows=given["rows"])
    policy = policy if is_recoding(given) else _with_numbers(policy, columns)
    roles, hierarchies = _roles(policy, given, columns)
    policy = replace(
        recoded(policy, roles, hierarchies, given),
        roles=roles,
        thresholds=_thresholds(policy, roles, given),
        any=given.get("any") or policy.any,
        preset=given.get("preset") or policy.preset,
        sampling={key: given[key] for key in SAMPLING_KEYS if given.get(key) is not None} or policy.sampling,
        read=read,
        reference=given.get("reference") or policy.reference,
        population=given.get("population") or policy.population,
    )
    companions = tuple(path for path in (policy.reference, policy.population, *given.get("after", ())) if path)
    return Request(table_names(tables, given, read), shown_names((*tables, *companions)), policy, policy_file)


def usual_policy(tables: tuple[str, ...], given: Mapping[str, Any]) -> str | None:
    """Return the policy file of this folder, where nothing else says what the columns are."""
    said = given["quasi"] or given["sensitive"] or (len(tables) == 1 and tables[0].startswith("example:"))
    return POLICY_FILE if not said and Path(POLICY_FILE).is_file() else None


def _policy(tables: tuple[str, ...], given: Mapping[str, Any], file: str | None) -> Policy:
    """Return the policy to start from."""
    if file is not None:
        if not given["policy"]:
            say(f"Taking roles and requirements from ./{POLICY_FILE}.", quiet=given["quiet"])
        return read_policy(file)
    if len(tables) == 1 and tables[0].startswith("example:"):
        return Policy(roles=example_named(tables[0].removeprefix("example:")).roles)
    if given["quasi"] or given["sensitive"]:
        return Policy()
    wanted = tables[0] if len(tables) == 1 and not is_database_address(tables[0]) else "TABLE"
    raise click.UsageError(
        "Name the columns: -q what others know, -s what is to be protected. "
        f"'tclose profile {wanted}' suggests them, and with '-o {POLICY_FILE}' writes a policy to edit."
    )


def _columns(tables: tuple[str, ...], given: Mapping[str, Any], read: ReadOptions) -> Collection[str]:
    """Return the columns of the table; none where it can be read only once."""
    from tclose.engines.choosing import column_names

    if len(tables) == 1 and read_once(tables[0]):
        return ()
    return column_names(table_names(tables, given, read), read=read)


def _roles(policy: Policy, given: Mapping[str, Any], columns: Columns) -> tuple[Roles, dict[str, str]]:
    """Return the roles, and the hierarchies that are named here for quasi-identifiers."""
    usual = policy.roles
    quasi = column_list(given["quasi"], columns)
    sensitive = sensitive_list(given["sensitive"], columns)
    identifiers = column_list(given["identifier"], columns)
    usual = replace(usual.by_rows, identifiers=usual.naming) if given["rows"] else usual
    everything = "all" in given["publish"]
    publish = column_list([name for name in given["publish"] if name != "all"], columns)
    shift = column_list(given.get("shift") or (), columns)
    pseudonym = given.get("pseudonym")
    person = given["person"] or pseudonym
    if person is not None and given["rows"]:
        raise click.UsageError("--person and --pseudonym count people and --rows counts rows; give one of them.")
    named = {*quasi, *sensitive, *identifiers, *publish, *shift, *([] if person is None else [person])}
    person = person or (usual.person if usual.person not in named else None)
    kept = [name for name in usual.sensitive if name not in named]
    declared = {name: usual.sensitive.get(name) for name in sensitive or kept}
    quasi = quasi or [name for name in usual.quasi if name not in named]
    hierarchies = _hierarchies(given, quasi, declared)
    roles = Roles(
        quasi=quasi,
        sensitive=_distances(declared, sensitive, hierarchies, given),
        identifiers=identifiers or [name for name in usual.identifiers if name not in named],
        together=given["together"] or usual.together,
        person=person,
        publish=[*publish, *(name for name in usual.publish if name not in named)],
        others="publish" if everything else usual.others,
        pseudonym=pseudonym or (usual.pseudonym if usual.pseudonym == person else None),
        shift=[*shift, *(name for name in usual.shift if name not in named)],
    )
    return roles, {name: tree for name, tree in hierarchies.items() if name not in declared}


def _with_present_identifiers(policy: Policy, columns: Columns, *, rows: bool) -> Policy:
    """Return a policy for another table than its own, such as its release, which has no identifiers any more.

    Where nobody can be told apart any more, rows are counted only if somebody says so.
    """
    roles = policy.roles
    if not roles.naming or not columns():
        return policy
    if roles.person is not None and roles.person not in columns() and not rows:
        raise InputError(
            f"The policy counts people by the column {roles.person!r}, which the table does not have; its rows may be "
            "of fewer people. A release is judged by people while it is made; --rows counts the rows of this table."
        )
    present = tuple(name for name in roles.identifiers if name in columns())
    roles = roles if roles.person in columns() else roles.by_rows
    return replace(policy, roles=replace(roles, identifiers=present))


def _with_numbers(policy: Policy, columns: Columns) -> Policy:
    """Return a policy for a release that has numbers beside the text of quasi-identifiers, which they repeat."""
    from tclose.recipe_numbers import FORMS

    made = [f"{name}{ending}" for name, form in policy.numbers.items() for ending in FORMS[form]]
    more = [name for name in made if name in columns() and name not in policy.roles.columns]
    return replace(policy, roles=replace(policy.roles, quasi=(*policy.roles.quasi, *more))) if more else policy


def _hierarchies(given: Mapping[str, Any], quasi: Collection[str], sensitive: Collection[str]) -> dict[str, str]:
    """Return the hierarchies that are named here; those of quasi-identifiers where cells are made or read."""
    if not is_recoding(given) and not given.get("after"):
        return assigned("--hierarchy", given["hierarchy"], sensitive)
    return assigned("--hierarchy", given["hierarchy"], (*quasi, *sensitive), "quasi-identifying or sensitive")


def _distances(
    declared: Mapping[str, Distance | None],
    words: Mapping[str, str | None],
    hierarchies: Mapping[str, str],
    given: Mapping[str, Any],
) -> dict[str, Distance | None]:
    """Return the distance of each sensitive attribute: as said here, on top of what was declared before."""
    orders = assigned("--order", given["order"], declared)
    nulls = assigned("--nulls", given["nulls"], declared)
    steps = assigned("--round", given["round"], declared)
    found: dict[str, Distance | None] = {}
    for name, before in declared.items():
        here: dict[str, Any] = {"nulls": nulls[name]} if name in nulls else {}
        word = words.get(name) or (before and before.word)
        step = steps.get(name, None if before is None else before.round)
        if step not in (None, "none"):
            here, word = {**here, "round": step}, word or "ordered"
        if name in orders:
            here, word = {**here, "order": declared_order(orders[name])}, words.get(name) or "ordered"
        if name in hierarchies:
            here, word = {**here, "hierarchy": hierarchies[name]}, words.get(name) or "hierarchical"
        kept = dict(before.declared) if before is not None and before.word == word else {}
        kept.pop("round", None)
        found[name] = declared_distance(name, distance=word, **{**kept, **here})
    return found


def _thresholds(policy: Policy, roles: Roles, given: Mapping[str, Any]) -> dict[str, Mapping[str | None, str]]:
    """Return the thresholds: those of a model named here replace those of the policy."""
    found: dict[str, Mapping[str | None, str]] = {
        key: {name: threshold for name, threshold in by.items() if name is None or name in roles.sensitive}
        for key, by in policy.thresholds.items()
    }
    for parameter, texts in given.items():
        if parameter.startswith("require_") and texts:
            key = parameter.removeprefix("require_")
            found[key] = thresholds(f"--{key.replace('_', '-')}", texts, roles.sensitive)
    return found
