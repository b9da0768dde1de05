"""Which classes of several releases hold, or may hold, the same people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.data.hierarchies import Hierarchy
from tclose.data.values import as_text
from tclose.data.values.published_cells import ANYTHING, LEFT_OUT, LINES, Reading, excludes_nobody, parts_of
from tclose.engines.base import Engine, Progress, Table
from tclose.engines.distinct import DistinctRows
from tclose.errors import Ask, HierarchyError, Hint, InputError
from tclose.models.counts import Block, Integers, sparse_block
from tclose.models.domains import Domain

# Which published cells can be the same person's, and which values a cell covers.


Texts = Sequence[str | None]
_ENTRIES_AT_ONCE = 20_000_000


def meeting(name: str, one: Texts, other: Texts, hierarchy: Hierarchy | str | None) -> NDArray[np.bool_]:
    """Return which cells of a column in one release can be the same person's as which cells in another.

    Parameters
    ----------
    name
        The column, for messages.
    one, other
        The distinct cells of each release; a missing one, which may have been left out, excludes nobody.
    hierarchy
        The tree that cells are labels of; ``"flat"`` where texts are only themselves, None where nothing is said.
    """
    sets = [[[None] if text is None else parts_of(text) for text in texts] for texts in (one, other)]
    if any(len(parts) > 1 for cells in sets for parts in cells):
        parts = [list(dict.fromkeys(part for cell in cells for part in cell)) for cells in sets]
        inside = [
            np.array([[part in cell for part in every] for cell in cells], dtype=np.int32)
            for cells, every in zip(sets, parts, strict=True)
        ]
        met = meeting(name, parts[0], parts[1], hierarchy).astype(np.int32)
        return np.asarray(inside[0] @ met @ inside[1].T > 0)
    if isinstance(hierarchy, Hierarchy):
        mine, theirs = (_by_leaves(name, hierarchy, cells).astype(np.int32) for cells in (one, other))
        return np.asarray(mine @ theirs.T > 0)
    reading = Reading(text for text in (*one, *other) if text is not None)
    if hierarchy is None:
        _check_readable(name, one, other, reading)
    found = _equal(one, other) | _overlapping(one, other, reading) | _alike(one, other)
    found[[excludes_nobody(text) for text in one], :] = True
    found[:, [excludes_nobody(text) for text in other]] = True
    return found


def _by_leaves(name: str, hierarchy: Hierarchy, cells: Texts) -> NDArray[np.bool_]:
    """Return which leaves of a hierarchy each cell covers; refuse cells that cover none."""
    labels: dict[str, list[int]] = {}
    for at, row in enumerate(hierarchy.rows):
        for label in dict.fromkeys(row):
            labels.setdefault(label, []).append(at)
    covered, _ = covering(cells, hierarchy.leaves, labels)
    strange = int((~covered.any(axis=1)).sum())
    if strange:
        raise HierarchyError(
            f"{strange:,} of the published cells of {name!r} are no labels of its hierarchy and no intervals "
            "or masks of its leaves; give the hierarchy that the releases were made with."
        )
    return covered


def covering(
    cells: Texts, values: Texts, labels: Mapping[str, Sequence[int]]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which values each cell covers, and which cells mean nothing.

    Parameters
    ----------
    cells
        Distinct cells of a release.
    values
        The values that people have, None where one is missing, which only cells that exclude nobody cover.
    labels
        For each text that stands for some of the values which they are: their own texts, labels of a hierarchy.
    """
    parts = [[None] if text is None else [text] if text in labels else parts_of(text) for text in cells]
    every = list(dict.fromkeys(part for cell in parts for part in cell))
    place = {part: at for at, part in enumerate(every)}
    reading = Reading(text for text in (*every, *values) if text is not None)
    read = [part for part in every if part is not None and part not in labels and not excludes_nobody(part)]
    covers = np.zeros((len(every), len(values)), dtype=bool)
    covers[[place[part] for part in read]] = _overlapping(read, values, reading) | _alike(read, values)
    unread = np.zeros(len(every), dtype=bool)
    for part in every:
        if part is None or excludes_nobody(part):
            covers[place[part]] = True
        elif part in labels:
            covers[place[part], labels[part]] = True
        elif part in LEFT_OUT:
            covers[place[part]] = True
        else:  # a stretch of a line may hold nobody, letters must be somebody's
            unread[place[part]] = not reading.spans(part) and not covers[place[part]].any()
    inside = [[place[part] for part in cell] for cell in parts]
    found = np.array([covers[some].any(axis=0) for some in inside], dtype=bool).reshape(len(cells), len(values))
    return found, np.array([unread[some].any() for some in inside], dtype=bool)


def _check_readable(name: str, one: Texts, other: Texts, reading: Reading) -> None:
    """Refuse texts that only one release has, where nothing says of what they are labels; beside masks, codes."""
    if any(text is not None and ANYTHING in text and not excludes_nobody(text) for text in (*one, *other)):
        return
    for mine, theirs in ((one, other), (other, one)):
        if all(excludes_nobody(text) for text in theirs):
            continue
        alone = {text for text in mine if text is not None and not excludes_nobody(text)} - {*theirs}
        strange = [text for text in alone if not reading.spans(text)]
        if strange:
            raise HierarchyError(
                f"{len(strange):,} published cells of {name!r} are texts that only one of the releases has. Nothing "
                "says which cells can be the same person's.",
                field="hierarchies",
                column=name,
                hint=Hint(
                    "Give the hierarchy that has these labels, {}, or let each text stand for itself alone, {}.",
                    Ask("hierarchies", "FILE", name),
                    Ask("hierarchies", "flat", name),
                ),
            )


def _equal(one: Texts, other: Texts) -> NDArray[np.bool_]:
    number: dict[str | None, int] = {}
    mine, theirs = ([number.setdefault(text, len(number)) for text in texts] for texts in (one, other))
    return np.asarray(np.array(mine, dtype=np.int64)[:, np.newaxis] == np.array(theirs, dtype=np.int64))


def _overlapping(one: Texts, other: Texts, reading: Reading) -> NDArray[np.bool_]:
    """Return which cells have a place on some line in common."""
    found = np.zeros((len(one), len(other)), dtype=bool)
    read = [[{} if text is None else reading.spans(text) for text in texts] for texts in (one, other)]
    for line in LINES:
        some = [[at for at, spans in enumerate(texts) if line in spans] for texts in read]
        spans = [[texts[at][line] for at in places] for texts, places in zip(read, some, strict=True)]
        ends = sorted({end for each in spans for span in each for end in (span.low, span.high)})
        rank = {end: at for at, end in enumerate(ends)}
        (low, high), (other_low, other_high) = (
            (np.array([rank[span.low] for span in each], int), np.array([rank[span.high] for span in each], int))
            for each in spans
        )
        inside = (low[:, np.newaxis] <= other_high) & (other_low <= high[:, np.newaxis])
        found[np.ix_(*some)] |= inside
    return found


def _alike(one: Texts, other: Texts) -> NDArray[np.bool_]:
    """Return which cells have the same letters but for stars, each of which stands for one letter."""
    found = np.zeros((len(one), len(other)), dtype=bool)
    for length in {len(text) for text in (*one, *other) if text is not None and ANYTHING in text}:
        some = [
            [at for at, text in enumerate(texts) if text is not None and len(text) == length] for texts in (one, other)
        ]
        mine, theirs = (
            np.array([[ord(letter) for letter in texts[at] or ""] for at in places], dtype=np.int32).reshape(-1, length)
            for texts, places in zip((one, other), some, strict=True)
        )
        star, step = ord(ANYTHING), max(1, _ENTRIES_AT_ONCE // max(len(theirs) * length, 1))
        for begin in range(0, len(mine), step):
            few = mine[begin : begin + step, np.newaxis]
            same = ((few == theirs) | (few == star) | (theirs == star)).all(axis=2)
            found[np.ix_(some[0][begin : begin + step], some[1])] |= same
    return found


_MOST_PAIRS = 4_000_000_000
"""So many pairs of classes are compared at the most."""
_MOST_JOINT = 5_000_000
_PAIRS_AT_ONCE = 50_000_000
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
    step, found, number = max(1, _PAIRS_AT_ONCE // max(len(last.sizes), 1)), [], 0
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
