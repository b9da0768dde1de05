"""What was asked on the command line, as a policy: its options first, then the policy file, then an example's roles."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import click

from tclose.cli.column_names import Columns, assigned, column_list, declared_order, sensitive_list, thresholds
from tclose.cli.errors import say
from tclose.cli.options import options_of, table_names, within_time
from tclose.data.sources import read_once
from tclose.data.sources.database import is_database_address
from tclose.data.sources.examples import example_named
from tclose.data.sources.source import ReadOptions
from tclose.errors import InputError
from tclose.policy.columns import declared_distance
from tclose.policy.files import read_policies, read_policy
from tclose.policy.options import ByColumn, Option, OptionError, UnfitError, declared
from tclose.policy.parts import FORMS, Resources
from tclose.policy.policy import Policy
from tclose.policy.roles import Distance, Roles, Together

POLICY_FILE = "tclose.toml"
COMMAND_LINE = "command line"


def policies_of(given: Mapping[str, Any], verb: str) -> list[tuple[str, Callable[[], Policy]]]:
    """Return every table that a policy lists, with what makes its policy: what is wrong with one stays its own."""
    file = given["policy"] or (POLICY_FILE if Path(POLICY_FILE).is_file() else None)
    if file is None:
        raise click.UsageError(f"--all audits the tables that a policy lists: --policy FILE, or ./{POLICY_FILE}.")
    policies = read_policies(file)
    if any(policy.table is None for policy in policies):
        raise click.UsageError("--all audits the tables that a policy lists; each [[table]] names its source.")
    return [(str(policy.table), functools.partial(policy_of_command, (), given, verb, policy)) for policy in policies]


def database_policies(given: Mapping[str, Any], verb: str = "audit") -> list[Policy]:
    """Return the policies of tables about the same people, where a policy file lists several and facts are asked of."""
    file = given["policy"] or usual_policy((), given)
    if file is None:
        return []
    listed = read_policies(file)
    if len(listed) < 2 or (given.get("facts") is None and all(each.required.facts is None for each in listed)):
        return []
    return [policy_of_command((), given, verb, policy) for policy in listed]


def policy_of_command(
    tables: tuple[str, ...], given: Mapping[str, Any], verb: str, listed: Policy | None = None, *, opens: bool = True
) -> Policy:
    """Return the policy that a command line stands for.

    Parameters
    ----------
    tables
        The tables that are named.
    given
        The options.
    verb
        The verb whose options they are.
    listed
        One of several policies of a file, to start from.
    opens
        Whether the table is one that this process can open.
    """
    policy = listed or _usual(tables, given, given["policy"] or usual_policy(tables, given))
    replaced = bool(tables and policy.file)
    named = {"table": COMMAND_LINE} if tables else {}
    tables = tables or ((str(policy.table),) if policy.table is not None else ())
    if not tables:
        raise click.UsageError("Name a TABLE, or a policy that names one ([table] source = …).")
    read = read_options(given, policy.read) if opens else policy.read
    columns = functools.cache(lambda: _columns(tables, given, read) if opens else ())
    recodes = "levels" in options_of(verb)
    if replaced and opens and not recodes:
        policy = _with_present_identifiers(policy, columns)
    policy = policy if recodes or not opens else _with_numbers(policy, columns)
    options = options_of(verb)
    roles, trees = _roles(policy, given, columns, recodes=recodes or bool(given.get("after")))
    policy = replace(policy, roles=roles, read=read, table=table_names(tables, given, read) if opens else tables[0])
    said = {**dict(_said(options, given, policy, roles.quasi, trees)), **resources_of(given)}
    policy = policy.with_options({**_of_present(policy, roles), "require": _thresholds(policy, roles, given)})
    return replace(
        policy.with_options(said, COMMAND_LINE), origins={**policy.origins, **named, **_origins(given, said)}
    )


def _origins(given: Mapping[str, Any], said: Iterable[str]) -> dict[str, str]:
    """Return which values come from the command line, by name: options, thresholds, roles."""
    thresholds = [name for name, texts in given.items() if name.startswith("require_") and texts]
    roles = ["roles"] if any(given.get(name) for name in declared(Roles)) else []
    reading = [name for name, _ in _plain(declared(ReadOptions), given)]
    return dict.fromkeys([*said, *thresholds, *roles, *reading], COMMAND_LINE)


def read_options(given: Mapping[str, Any], usual: ReadOptions | None = None) -> ReadOptions:
    """Return how files are to be read: as the command line says, else as usual."""
    said = dict(_plain(declared(ReadOptions), given))
    return replace(usual or ReadOptions(), **said)


def resources_of(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an engine may use, as a verb is told."""
    return dict(_plain(declared(Resources), given))


def usual_policy(tables: tuple[str, ...], given: Mapping[str, Any]) -> str | None:
    """Return the policy file of this folder, where nothing else says what the columns are."""
    said = given["quasi"] or given["sensitive"] or (len(tables) == 1 and tables[0].startswith("example:"))
    return POLICY_FILE if not said and Path(POLICY_FILE).is_file() else None


def _usual(tables: tuple[str, ...], given: Mapping[str, Any], file: str | None) -> Policy:
    """Return the policy to start from."""
    if file is not None:
        if not given["policy"]:
            say(f"Taking roles and requirements from ./{POLICY_FILE}.", quiet=given.get("quiet", False))
        return read_policy(file)
    if len(tables) == 1 and tables[0].startswith("example:"):
        return Policy(roles=example_named(tables[0].removeprefix("example:")).roles, origins={"roles": tables[0]})
    if given["quasi"] or given["sensitive"]:
        return Policy()
    wanted = tables[0] if len(tables) == 1 and not is_database_address(tables[0]) else "TABLE"
    raise click.UsageError(
        "Name the columns: -q what others know, -s what is to be protected. "
        f"'tclose profile {wanted}' suggests them, and with '-o {POLICY_FILE}' writes a policy to edit."
    )


def _plain(options: Mapping[str, Option], given: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """Give what was said of options that are no matter of single columns, read."""
    for name, each in options.items():
        said = given.get(name)
        if isinstance(each.kind, ByColumn) or name in declared(Roles) or said is None or said == ():
            continue
        if isinstance(said, tuple):
            values = [each.kind.parse(text) for text in said]
            yield (
                name,
                each.read([part for value in values for part in (value if isinstance(value, list) else [value])]),
            )
        else:
            yield name, each.read(each.kind.parse(said) if isinstance(said, str) else said)


def _said(
    options: Mapping[str, Option],
    given: Mapping[str, Any],
    policy: Policy,
    quasi: tuple[str, ...],
    trees: Mapping[str, str],
) -> Iterable[tuple[str, Any]]:
    """Give what the command line says of options of a policy, on top of what it said before."""
    yield from _plain(options, given)
    for name, each in options.items():
        if isinstance(each.kind, ByColumn) and hasattr(policy.columns, name):
            texts = (
                trees if name == "hierarchies" else assigned(each.flags[-1], given[name], quasi, "quasi-identifying")
            )
            if texts:
                yield name, {**_kept(getattr(policy.columns, name), quasi), **_of_columns(each, texts)}


def _of_columns(each: Option, texts: Mapping[str, str]) -> dict[str, Any]:
    kind = each.kind
    found: dict[str, Any] = {}
    for column, text in texts.items():
        try:
            found[column] = kind.each.read(kind.each.parse(text))  # type: ignore[attr-defined]
        except UnfitError as problem:
            raise OptionError(each.name, str(problem), column=column) from None
    return found


def _of_present(policy: Policy, roles: Roles) -> dict[str, Any]:
    """Return what is said of quasi-identifiers that there are."""
    said = {name: getattr(policy.columns, name) for name in declared(type(policy.columns))}
    return {name: _kept(values, roles.quasi) for name, values in said.items() if values}


def _kept(values: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    return {name: values[name] for name in names if name in values}


def _columns(tables: tuple[str, ...], given: Mapping[str, Any], read: ReadOptions) -> Collection[str]:
    """Return the columns of the table; none where it can be read only once."""
    from tclose.engines.dispatch import column_names

    if len(tables) == 1 and read_once(tables[0]):
        return ()
    with within_time(given):
        return column_names(table_names(tables, given, read), read=read)


def _roles(
    policy: Policy, given: Mapping[str, Any], columns: Columns, *, recodes: bool
) -> tuple[Roles, dict[str, str]]:
    """Return the roles, and the hierarchies that are named here for quasi-identifiers."""
    usual = policy.roles
    quasi = column_list(given["quasi"], columns)
    sensitive = sensitive_list(given["sensitive"], columns)
    identifiers = column_list(given.get("identifiers") or (), columns)
    published = given.get("publish") or ()
    together = given["together"] and declared(Roles)["together"].read(given["together"])
    everything = "all" in published
    publish = column_list([name for name in published if name != "all"], columns)
    shifted = column_list(given.get("shifted") or (), columns)
    pseudonym = given.get("pseudonym")
    person = given["person"] or pseudonym
    named = {*quasi, *sensitive, *identifiers, *publish, *shifted, *([] if person is None else [person])}
    person = person or (usual.person if usual.person not in named else None)
    kept = [name for name in usual.sensitive if name not in named]
    attributes = {name: usual.sensitive.get(name) for name in sensitive or kept}
    quasi = quasi or [name for name in usual.quasi if name not in named]
    hierarchies = _hierarchies(given, quasi, attributes, recodes=recodes)
    roles = Roles(
        quasi=quasi,
        sensitive=_distances(attributes, sensitive, hierarchies, given),
        identifiers=identifiers or [name for name in usual.identifiers if name not in named],
        together=cast("Together", together or usual.together),
        person=person,
        publish=[*publish, *(name for name in usual.publish if name not in named)],
        others="publish" if everything else usual.others,
        pseudonym=pseudonym or (usual.pseudonym if usual.pseudonym == person else None),
        shifted=[*shifted, *(name for name in usual.shifted if name not in named)],
        remove=[name for name in usual.remove if name not in named],
        undecided=[name for name in usual.undecided if name not in named],
    )
    return roles, {name: tree for name, tree in hierarchies.items() if name not in attributes}


def _with_present_identifiers(policy: Policy, columns: Columns) -> Policy:
    """Return a policy for another table than its own, such as its release, which has no identifiers any more.

    Where nobody can be told apart any more, nothing is judged: its rows may be of fewer people.
    """
    roles = policy.roles
    if not roles.naming or not columns():
        return policy
    if roles.person is not None and roles.person not in columns():
        raise InputError(
            f"The policy counts people by the column {roles.person!r}, which the table does not have; its rows may be "
            "of fewer people. 'tclose verify' checks a release against its certificate, also by people. To judge rows, "
            "name the columns instead of the policy: -q, -s."
        )
    present = tuple(name for name in roles.identifiers if name in columns())
    return replace(policy, roles=replace(roles, identifiers=present))


def _with_numbers(policy: Policy, columns: Columns) -> Policy:
    """Return a policy for a release that has numbers beside the text of quasi-identifiers, which they repeat."""
    made = [f"{name}{ending}" for name, form in policy.columns.numbers.items() for ending in FORMS[form]]
    roles = policy.roles
    more = [name for name in made if name in columns() and name not in roles.columns]
    return replace(policy, roles=replace(roles, quasi=(*roles.quasi, *more))) if more else policy


def _hierarchies(
    given: Mapping[str, Any], quasi: Collection[str], sensitive: Collection[str], *, recodes: bool
) -> dict[str, str]:
    """Return the hierarchies that are named here; those of quasi-identifiers where cells are made or read."""
    if not recodes:
        return assigned("--hierarchy", given["hierarchies"], sensitive)
    return assigned("--hierarchy", given["hierarchies"], (*quasi, *sensitive), "quasi-identifying or sensitive")


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
