"""What was asked of a table on the command line, on top of a policy file or an example's own roles."""

from __future__ import annotations

import functools
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from tclose.cli.failures import say
from tclose.cli.names import Columns, assigned, column_list, declared_order, sensitive_list, thresholds
from tclose.cli.options import read_options, shown_names, table_names
from tclose.cli.release_options import is_recoding, recoded
from tclose.policy import Policy, declared_distance, read_policy
from tclose.roles import Distance, Hierarchical, Ordered, Roles
from tclose.sources.database import is_database_address
from tclose.sources.examples import example_named
from tclose.sources.source import ReadOptions

POLICY_FILE = "tclose.toml"


@dataclass(frozen=True)
class Asked:
    """The table and everything asked of it."""

    table: Any
    tables: tuple[str, ...]
    """The table and its companions by name."""
    policy: Policy

    @property
    def files(self) -> tuple[str, ...]:
        """The tables that are read, and the hierarchies in files."""
        trees = [getattr(distance, "tree", None) for distance in self.policy.roles.sensitive.values()]
        named = [tree for tree in (*trees, *self.policy.hierarchies.values()) if isinstance(tree, str)]
        return (*self.tables, *named)


def asked(tables: tuple[str, ...], given: Mapping[str, Any]) -> Asked:
    """Return what was asked: the command line first, then the policy file, then the example's own roles."""
    policy = _policy(tables, given)
    replaced = bool(tables and policy.source)
    tables = tables or ((policy.source,) if policy.source else ())
    if not tables:
        raise click.UsageError("Name a TABLE, or a policy that names one ([table] source = …).")
    read = read_options(given, policy.read)
    columns = functools.cache(lambda: _columns(tables, given, read))
    if replaced and not is_recoding(given):
        policy = _with_present_identifiers(policy, columns)
    roles, hierarchies = _roles(policy, given, columns)
    policy = replace(
        recoded(policy, roles, hierarchies, given),
        roles=roles,
        thresholds=_thresholds(policy, roles, given),
        read=read,
        reference=given.get("reference") or policy.reference,
        population=given.get("population") or policy.population,
    )
    companions = tuple(path for path in (policy.reference, policy.population) if path)
    return Asked(table_names(tables, given), shown_names((*tables, *companions)), policy)


def _policy(tables: tuple[str, ...], given: Mapping[str, Any]) -> Policy:
    """Return the policy to start from."""
    if given["policy"]:
        return read_policy(given["policy"])
    if len(tables) == 1 and tables[0].startswith("example:"):
        return Policy(roles=example_named(tables[0].removeprefix("example:")).roles)
    if given["quasi"] or given["sensitive"]:
        return Policy()
    if Path(POLICY_FILE).is_file():
        say(f"Taking roles and requirements from ./{POLICY_FILE}.", quiet=given["quiet"])
        return read_policy(POLICY_FILE)
    wanted = tables[0] if len(tables) == 1 and not is_database_address(tables[0]) else "TABLE"
    raise click.UsageError(
        "Name the columns: -q what others know, -s what is to be protected. "
        f"'tclose profile {wanted}' suggests them, and with '-o {POLICY_FILE}' writes a policy to edit."
    )


def _columns(tables: tuple[str, ...], given: Mapping[str, Any], read: ReadOptions) -> Collection[str]:
    """Return the columns of the table; none for standard input, which can be read only once."""
    from tclose.engines.choosing import column_names

    return () if tables == ("-",) else column_names(table_names(tables, given), read=read)


def _roles(policy: Policy, given: Mapping[str, Any], columns: Columns) -> tuple[Roles, dict[str, str]]:
    """Return the roles, and the hierarchies that are named here for quasi-identifiers."""
    usual = policy.roles
    quasi = column_list(given["quasi"], columns)
    sensitive = sensitive_list(given["sensitive"], columns)
    identifiers = column_list(given["identifier"], columns)
    named = {*quasi, *sensitive, *identifiers}
    kept = [name for name in usual.sensitive if name not in named]
    declared = {name: usual.sensitive.get(name) for name in sensitive or kept}
    quasi = quasi or [name for name in usual.quasi if name not in named]
    hierarchies = _hierarchies(given, quasi, declared)
    roles = Roles(
        quasi=quasi,
        sensitive=_distances(declared, sensitive, hierarchies, given),
        identifiers=identifiers or [name for name in usual.identifiers if name not in named],
        together=given["together"] or usual.together,
    )
    return roles, {name: tree for name, tree in hierarchies.items() if name not in declared}


def _with_present_identifiers(policy: Policy, columns: Columns) -> Policy:
    """Return a policy for another table than its own, such as its release, which has no identifiers any more."""
    found = policy.roles.identifiers
    if not found or not columns():
        return policy
    roles = policy.roles
    present = [name for name in found if name in columns()]
    return replace(policy, roles=Roles(roles.quasi, roles.sensitive, present, roles.together))


def _hierarchies(given: Mapping[str, Any], quasi: Collection[str], sensitive: Collection[str]) -> dict[str, str]:
    """Return the hierarchies that are named here; those of quasi-identifiers only where a table is recoded."""
    if not is_recoding(given):
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
    found: dict[str, Distance | None] = {}
    for name, before in declared.items():
        here: dict[str, Any] = {"nulls": nulls[name]} if name in nulls else {}
        word = words.get(name) or (before and before.word)
        if name in orders:
            here, word = {**here, "order": declared_order(orders[name])}, words.get(name) or "ordered"
        if name in hierarchies:
            here, word = {**here, "hierarchy": hierarchies[name]}, words.get(name) or "hierarchical"
        kept = _options(before) if before is not None and before.word == word else {}
        found[name] = declared_distance(name, distance=word, **{**kept, **here})
    return found


def _options(distance: Distance) -> dict[str, Any]:
    """Return what was declared beside the word of a distance."""
    if isinstance(distance, Ordered):
        return {"order": distance.order, "nulls": distance.nulls}
    if isinstance(distance, Hierarchical):
        return {"hierarchy": distance.tree, "nulls": distance.nulls}
    return {"nulls": distance.nulls}


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
