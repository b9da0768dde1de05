"""Which classes of several releases hold, or may hold, the same people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.composing.cells import meeting
from tclose.counts import Block, Integers, sparse_block
from tclose.domains import Domain
from tclose.engines.base import Engine, Progress, Table
from tclose.engines.distinct import DistinctRows
from tclose.errors import Ask, Hint, InputError
from tclose.hierarchies import Hierarchy
from tclose.values import as_text

_MOST_PAIRS = 4_000_000_000
"""So many pairs of classes are compared at the most."""
_MOST_JOINT = 5_000_000
_ENTRIES_AT_ONCE = 50_000_000
Trees = Mapping[str, "Hierarchy | str"]
Entries = tuple[Integers, Integers, Integers]
"""Unit, rank and count of all that is held."""


@dataclass(frozen=True)
class Held:
    """What the classes of a release hold of an attribute, whatever domain it is of."""

    block: Block
    values: tuple[object, ...]
    """The values as another release would name them."""

    def entries(self, units: Integers, rank_of: Mapping[object, int]) -> Entries:
        """Return unit, rank and count of all that is held by classes that belong to a unit; −1 is none."""
        unit = np.repeat(units, np.diff(self.block.offsets))
        ranks = np.array([rank_of[value] for value in self.values], dtype=np.int64)[self.block.ranks]
        return unit[unit >= 0], ranks[unit >= 0], self.block.counts[unit >= 0].astype(np.int64)


@dataclass(frozen=True)
class Classes:
    """The classes of one release: their cells, their counts of each attribute, and who is in them."""

    label: str
    names: tuple[str, ...]
    cells: tuple[tuple[list[object], Integers], ...]
    """For each quasi-identifier its distinct cells, and which of them each class has."""
    sizes: Integers
    blocks: tuple[Block, ...]
    """Of each attribute, the counts of the values that the audited release's domain has."""
    held: tuple[Held, ...]
    signatures: tuple[Integers, ...]
    """Of each attribute a number for each class, equal for the same set of values, whatever domain they are of."""
    unique: bool
    """Whether no class has a value twice, in any attribute."""
    people: dict[str, int] | None = None
    """The class of each person, where a column tells people apart."""

    @property
    def texts(self) -> Iterator[tuple[str | None, ...]]:
        """Give the published cells of each class as texts."""
        columns = [[_cell(value) for value in cells] for cells, _ in self.cells]
        for number in range(len(self.sizes)):
            yield tuple(texts[at[number]] for texts, (_, at) in zip(columns, self.cells, strict=True))

    def key(self, number: int) -> dict[str, object]:
        """Return the key of a class."""
        return {name: cells[at[number]] for name, (cells, at) in zip(self.names, self.cells, strict=True)}


@dataclass(frozen=True)
class Joint:
    """Joint classes: the class of each release, the audited one's last, and how many people are in all of them."""

    classes: Integers
    people: Integers | None


def read_classes(
    session: Engine,
    table: Table[Any],
    quasi: Sequence[str],
    person: str | None,
    attributes: Sequence[tuple[str, ...]],
    domains: Sequence[Domain],
    signs: list[dict[frozenset[object], int]],
    progress: Progress,
) -> Classes:
    """Return the classes of a release.

    Parameters
    ----------
    session, table
        The engine, and the release as it opened it.
    quasi, person, attributes
        The columns: of a class key, of who people are, of each sensitive attribute.
    domains
        The domain of each attribute in the audited release.
    signs
        For each attribute the numbers of sets of values so far, of all releases; new sets are added.
    progress
        Told how far the work is.
    """
    known = [*quasi, *([] if person is None else [person])]
    names = [name for several in attributes for name in several]
    rows = session.distinct(table.keep([*known, *names]), known, attributes, progress)
    codes = rows.codes[:, : len(quasi)]
    keys, of_row = np.unique(codes, axis=0, return_inverse=True)
    of_row = of_row.ravel()
    sizes = np.bincount(of_row, rows.counts, len(keys)).astype(np.int64)
    blocks, held, signatures, unique = [], [], [], True
    for at, (domain, seen) in enumerate(zip(domains, signs, strict=True)):
        values = [_named(value) for value in rows.sensitive[at].listed]
        place = {_named(value): rank for rank, value in enumerate(_listed(domain))}
        ranks = np.array([place.get(value, -1) for value in values], dtype=np.int32)
        value_of_row = rows.sensitive_codes[:, at]
        blocks.append(sparse_block(of_row, ranks[value_of_row], rows.counts, len(keys)))
        whole = sparse_block(of_row, value_of_row, rows.counts, len(keys))
        held.append(Held(whole, tuple(values)))
        signatures.append(_signatures(whole, values, seen))
        unique &= bool((whole.counts == 1).all())
    cells = tuple((rows.quasi[at].listed, keys[:, at].astype(np.int64)) for at in range(len(quasi)))
    people = None if person is None else _people(rows, of_row, table.label, person)
    return Classes(
        table.label, tuple(quasi), cells, sizes, tuple(blocks), tuple(held), tuple(signatures), unique, people
    )


def _listed(domain: Domain) -> list[object]:
    return domain.values.tolist() if isinstance(domain.values, np.ndarray) else list(domain.values)


def _named(value: object) -> object:
    """Return a value as another release would name it."""
    if isinstance(value, tuple):
        return tuple(_named(part) for part in value)
    return None if value is None else as_text(value)


def _signatures(block: Block, values: Sequence[object], seen: dict[frozenset[object], int]) -> Integers:
    sets = [frozenset(values[rank] for rank in block.histogram(at)[0]) for at in range(block.classes)]
    return np.array([seen.setdefault(each, len(seen)) for each in sets], dtype=np.int64)


def _people(rows: DistinctRows, of_row: Integers, label: str, person: str) -> dict[str, int]:
    """Return the class of each person; refuse people with several rows, who have no one value."""
    who = rows.codes[:, -1]
    several = int((np.bincount(who, rows.counts) > 1).sum())
    if several:
        told = f"1 person ({person!r}) has" if several == 1 else f"{several:,} people ({person!r}) have"
        raise InputError(
            f"{label}: {told} several rows, so it is not known which of their values stays the same from release to "
            "release.",
            field="person",
            column=person,
            hint=Hint("Compose releases with one row for each person."),
        )
    names = rows.quasi[-1].listed
    return {as_text(names[at]): int(number) for at, number in zip(who.tolist(), of_row.tolist(), strict=True)}


def joined(releases: Sequence[Classes], trees: Trees) -> Joint:
    """Return the joint classes of some releases, by people where all of them tell people apart, else by cells."""
    if all(each.people is not None for each in releases):
        return _by_people([each.people or {} for each in releases])
    classes = np.arange(len(releases[0].sizes))[:, np.newaxis]
    for at in range(1, len(releases)):
        classes = _extended(classes, releases[: at + 1], trees)
    return Joint(classes, None)


def _by_people(people: Sequence[Mapping[str, int]]) -> Joint:
    shared = [who for who in people[-1] if all(who in each for each in people[:-1])]
    rows = np.array([[each[who] for each in people] for who in shared], dtype=np.int64).reshape(-1, len(people))
    classes, counts = np.unique(rows, axis=0, return_counts=True)
    return Joint(classes, counts.astype(np.int64))


def _extended(classes: Integers, releases: Sequence[Classes], trees: Trees) -> Integers:
    """Return joint classes with every class of one more release that their cells meet, in every column and release."""
    *before, last = releases
    if len(classes) * len(last.sizes) * len(before) > _MOST_PAIRS:
        raise InputError(
            f"{len(classes):,} and {len(last.sizes):,} classes are too many to compare each with each.",
            field="person",
            hint=Hint("Name the column that tells people apart in all releases: {}.", Ask("person")),
        )
    tables = [_meeting(each, last, trees) for each in before]
    step, found, number = max(1, _ENTRIES_AT_ONCE // max(len(last.sizes), 1)), [], 0
    for begin in range(0, max(len(classes), 1), step):
        some = classes[begin : begin + step]
        fits = np.ones((len(some), len(last.sizes)), dtype=bool)
        for at, (release, columns) in enumerate(zip(before, tables, strict=True)):
            for (_, mine), (_, theirs), met in zip(release.cells, last.cells, columns, strict=True):
                fits &= met[mine[some[:, at]]][:, theirs]
        one, other = np.nonzero(fits)
        number += len(one)
        if number > _MOST_JOINT:
            raise InputError(
                f"More than {_MOST_JOINT:,} combinations of classes may hold the same person: cells say too little of "
                "who is in several releases.",
                field="person",
                hint=Hint("Name the column that tells people apart in all releases: {}.", Ask("person")),
            )
        found.append(np.column_stack([some[one], other]))
    return np.concatenate(found)


def _meeting(one: Classes, other: Classes, trees: Trees) -> list[NDArray[np.bool_]]:
    """Return, for each column, which cells of two releases can be the same person's."""
    return [
        meeting(name, [_cell(value) for value in mine], [_cell(value) for value in theirs], trees.get(name))
        for name, (mine, _), (theirs, _) in zip(one.names, one.cells, other.cells, strict=True)
    ]


def _cell(value: object) -> str | None:
    return None if value is None else as_text(value)
