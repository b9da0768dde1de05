"""Several tables about the same people, read for a release: who they are, and which facts each of them has."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from tclose.anonymization.algorithms.quasi_identifiers import bands_of
from tclose.anonymization.level_columns import with_level_columns
from tclose.anonymization.problem_setup import check_labels
from tclose.auditing.facts import Facts
from tclose.auditing.open_table import opened_with
from tclose.data.hierarchies import (
    Hierarchy,
    built_hierarchy,
    flat_hierarchy,
    hierarchy_of,
    is_builder,
    level_columns,
    named,
)
from tclose.data.labels import public
from tclose.data.progress import silent
from tclose.data.sources import read_once
from tclose.data.values import as_text
from tclose.engines.base import Progress
from tclose.engines.dispatch import working_session
from tclose.engines.distinct import DistinctRows
from tclose.errors import Ask, Hint, InputError, Note, listed
from tclose.models.value_order import Observed
from tclose.policy.policy import Policy
from tclose.policy.roles import Roles

_SHAPE = "database-not-supported"


@dataclass(frozen=True)
class FactRow:
    """Equal rows of one person."""

    value: int
    """The fact, as the place of its value."""
    carried: tuple[object, ...]
    """The cells that are published as they are."""
    times: int


@dataclass(frozen=True)
class FactsTable:
    """A table whose rows are facts about people."""

    policy: Policy
    name: str
    person: str
    fact: str
    carried: tuple[str, ...]
    tree: Hierarchy
    values: tuple[str | None, ...]
    """The different facts as texts; None for a cell without a value."""
    rows: dict[str, list[FactRow]] = field(repr=False)
    """By person, in the order of their facts."""
    notes: tuple[Note, ...] = ()

    @property
    def row_count(self) -> int:
        """How many rows it has."""
        return sum(row.times for rows in self.rows.values() for row in rows)


@dataclass(frozen=True)
class People:
    """The table that has one row for each person."""

    policy: Policy
    name: str
    person: str
    quasi: tuple[str, ...]


@dataclass(frozen=True)
class DatabaseProblem:
    """A database of people to be released."""

    people: People
    tables: tuple[FactsTable, ...]
    order: tuple[str, ...]
    """The names of all tables, as they were listed."""


def names_of(policies: Sequence[Policy]) -> list[str]:
    """Return the name of each table: that of its file; refuse two of one name."""
    names = [Path(public(str(policy.table))).name for policy in policies]
    for policy, name in zip(policies, names, strict=True):
        if not isinstance(policy.table, str | Path) or read_once(policy.table) or not Path(name).suffix:
            raise InputError(
                "The tables of a database are released from files.",
                code=_SHAPE,
                field="table",
                hint=Hint("Save each table as a file, and name that."),
            )
        if names.count(name) > 1:
            raise InputError(f"Two tables are named {name!r}, and would be one file of the release.", field="table")
    return names


def read_database(policies: Sequence[Policy], found: Facts, progress: Progress = silent) -> DatabaseProblem:
    """Return what there is to be released of several tables.

    Parameters
    ----------
    policies
        One for each table.
    found
        What the audit of these tables found: which columns are traits, and which are facts.
    progress
        Told what is being done.
    """
    names = names_of(policies)
    people: People | None = None
    tables: list[FactsTable] = []
    for policy, name, own in zip(policies, names, found.tables, strict=True):
        _check_policy(policy, name)
        if not own.facts and own.rows == own.people:
            if people is not None:
                raise _unsupported(f"{people.name} and {name} both have one row for each person.", "Join them.")
            people = People(policy, name, str(policy.roles.person), own.traits)
        elif len(own.facts) == 1 and not own.traits:
            tables.append(_facts_table(policy, name, own.facts[0], progress))
        elif own.facts and own.traits:
            raise _unsupported(
                f"{name} has traits ({listed(own.traits)}) beside facts ({listed(own.facts)}).",
                "Keep the traits in a table with one row for each person, and remove them here.",
            )
        elif own.facts:
            raise _unsupported(
                f"{name} has facts of several columns: {listed(own.facts)}.",
                "Keep one of them as a quasi-identifier, and remove the others.",
            )
        else:
            raise _unsupported(
                f"{name} has several rows for a person, and no facts that are told apart by quasi-identifiers.",
                "Keep one row for each person.",
            )
    if people is None or not people.quasi:
        raise _unsupported(
            "No table has one row for each person, with the traits of people as quasi-identifiers.", "Add one."
        )
    both = next((table.fact for table in tables if table.fact in people.quasi), None)
    if both is not None:
        raise _unsupported(f"{both!r} is a trait in {people.name} and a fact in another table.", "Rename one of them.")
    if not tables:
        raise _unsupported("No table has facts.", "Release the people alone: leave facts out.")
    return DatabaseProblem(people, tuple(tables), tuple(names))


def _unsupported(text: str, hint: str) -> InputError:
    return InputError(text, code=_SHAPE, field="table", hint=Hint(hint))


def _check_policy(policy: Policy, name: str) -> None:
    """Refuse what a release of several tables cannot do."""
    asked = {
        "withstand": policy.required.withstand is not None,
        "any": policy.required.any is not None,
        "points": policy.release.points not in (None, "none"),
        "numbers": bool(policy.columns.numbers),
        "shifted": bool(policy.roles.shifted),
        "key_file": policy.release.key_file is not None or policy.release.key_variable is not None,
    }
    for option, given in asked.items():
        if given:
            raise InputError(
                f"A release of several tables has no such choice: {option.replace('_', ' ')}, asked for {name}.",
                code=_SHAPE,
                field=option,
                hint=Hint("Leave it out."),
            )


def _facts_table(policy: Policy, name: str, fact: str, progress: Progress) -> FactsTable:
    """Return the rows of a table of facts."""
    if policy.roles.sensitive:
        raise _unsupported(
            f"{name} has sensitive attributes ({listed(policy.roles.sensitive)}) beside facts.",
            "Keep what is sensitive in the table with one row for each person.",
        )
    levels = level_columns(policy.columns.hierarchies.get(fact))
    with working_session(policy.table, read=policy.read, **policy.resources.given) as session:
        opened, roles = opened_with(session, policy.table, policy.roles, progress)
        _check_levels_withheld(name, roles, [column.name for column in opened.columns], levels[1:])
        policy = with_level_columns(session, opened, policy, progress)
        person = str(roles.person)
        carried = tuple(
            each for each in roles.released([column.name for column in opened.columns]) if each not in (person, fact)
        )
        wanted = [person, fact, *carried]
        rows = session.distinct(opened.keep(wanted), wanted, (), progress)
        tree, notes = _tree(fact, rows.quasi[1], policy)
        found = _rows(rows)
    values = tuple(None if value is None else as_text(value) for value in rows.quasi[1].listed)
    uncovered = [text for text in values if text is not None and text not in tree]
    if uncovered:
        tree.codes(uncovered, fact)  # says which values it lacks
    return FactsTable(policy, name, person, fact, carried, tree, values, found, notes)


def _check_levels_withheld(name: str, roles: Roles, available: Sequence[str], levels: Sequence[str]) -> None:
    """Refuse to publish a level of facts as it is, beside the facts that are generalised along it."""
    shown = [each for each in roles.released(available) if each in levels]
    if shown:
        raise InputError(
            f"{name} would publish {listed(shown)} beside the facts that are generalised along it.",
            field="publish",
            column=shown[0],
            hint=Hint("Give it the role {}.", repr("remove")),
        )


def _tree(name: str, observed: Observed, policy: Policy) -> tuple[Hierarchy, tuple[Note, ...]]:
    """Return the hierarchy of facts; without one, a fact is published as it is or left out whole."""
    given = policy.columns.hierarchies.get(name)
    texts = [as_text(value) for value in observed.listed if value is not None]
    if given is None:
        note = Note(
            "facts-without-hierarchy",
            f"{name}: nothing says how to generalise these facts, so each is published as it is or left out.",
            Hint("Give a hierarchy: {}.", Ask("hierarchies", "FILE", name)),
            column=name,
        )
        return flat_hierarchy(observed.listed), (note,)
    if isinstance(given, str) and is_builder(given):
        with named(name):
            bands = partial(bands_of, observed, least_of(policy))
            tree = built_hierarchy(given, observed.listed, observed.counts, observed.kind, observed.categories, bands)
    else:
        tree = hierarchy_of(given, name).naming(texts, observed.kind, observed.spelling)
    check_labels(name, tree)
    return tree, ()


def least_of(policy: Policy) -> int:
    """Return how many candidates are required."""
    sizes = [each.threshold for each in policy.requirements() if each.model.key == "k"]
    if not sizes:
        raise InputError(
            "A release of several tables requires k, the fewest people that anybody is among.",
            code="no-requirements",
            field="require",
            hint=Hint("Require it: {}.", Ask("k", 5)),
        )
    return math.ceil(max(sizes))


def _rows(found: DistinctRows) -> dict[str, list[FactRow]]:
    """Return the rows of each person."""
    listed_values = [each.listed for each in found.quasi]
    rows: dict[str, list[FactRow]] = {}
    for codes, times in zip(found.codes.tolist(), found.counts.tolist(), strict=True):
        person = as_text(listed_values[0][codes[0]])
        cells = tuple(values[code] for values, code in zip(listed_values[2:], codes[2:], strict=True))
        rows.setdefault(person, []).append(FactRow(codes[1], cells, times))
    return rows
