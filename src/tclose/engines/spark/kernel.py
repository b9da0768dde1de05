"""What runs in an executor: sorted cells become parts of whole classes, parts become tallies or class rows.

Nothing here knows Spark: cells arrive as Arrow batches, in the order of their classes, and batches leave.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tclose.engines.spark.gathering import UNKNOWN, Pairs, in_cells, pairs_in, summed
from tclose.models.counts import Block, Integers, Part, Ranks
from tclose.models.domains import Domain
from tclose.models.measuring import Measured, Tally, Task, measured, merged

LARGEST = 20
"""So many classes with the largest figures are listed with the tallies, so that nobody measures again to list them."""
PAIRS = 1 << 18
"""A part is made of about so many pairs, or of one class that has more."""


@dataclass(frozen=True)
class Whole:
    """Some whole classes: the part to measure, their keys as values, and their sizes in the population."""

    part: Part
    keys: pa.Table
    population: Integers | None
    unknown: int
    """How many pairs have a value that the first look at the table did not see."""


@dataclass(frozen=True)
class Listed:
    """A class: its key, its size, and every figure."""

    key: tuple[object, ...]
    figures: tuple[float | None, ...]

    def order(self, at: int) -> tuple[bool, float]:
        """Return what sorts classes by a figure, the largest first and none last."""
        figure = self.figures[at]
        return figure is None, -(figure or 0.0)


@dataclass(frozen=True)
class PartitionTally:
    """What one partition found: all that leaves it for the driver."""

    classes: int
    rows: int
    people: int
    short: int
    unknown: int
    tallies: list[Tally]
    keys: dict[int, tuple[object, ...]]
    """The key of each class that a tally names."""
    largest: list[list[Listed]]
    """The classes with the largest sizes, and with the largest figures of each task, the largest first."""


@dataclass(frozen=True)
class Measuring:
    """What an executor needs to measure pairs; it travels there by pickling."""

    quasi: int
    attributes: int
    tasks: tuple[Task, ...]
    domains: tuple[Domain, ...]
    population: bool
    places: tuple[Ranks, ...] | None = None
    """Where sizes come apart from values, as one more attribute of one value: which rank each place of cells has."""
    made: Callable[[Part], Part] | None = None
    """What makes of a part what is measured; None where it is the part itself."""

    def wholes(self, batches: Iterable[pa.RecordBatch]) -> Iterator[Whole]:
        """Cut sorted cells into parts of whole classes."""
        cut = wholes(batches, self.quasi, self.attributes, population=self.population, places=self.places)
        return cut if self.made is None else (replace(each, part=self.made(each.part)) for each in cut)

    def tallies(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give one batch of one cell: the pickled :class:`PartitionTally` of a partition; nothing if it is empty."""
        tallied: PartitionTally | None = None
        for whole in self.wholes(batches):
            found = self._tallied(whole, 0 if tallied is None else tallied.classes)
            tallied = found if tallied is None else self._both(tallied, found)
        if tallied is not None:
            yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(tallied)], pa.binary())], ["tally"])

    def _tallied(self, whole: Whole, before: int) -> PartitionTally:
        """Return the tally of some classes, numbered after those before them; of tied classes it names the first."""
        part = replace(whole.part, keys=whole.part.keys + before)
        found = measured(part, self.tasks, self.domains, whole.population)
        tallies = [
            replace(tally, keys=[keys[:1] for keys in tally.keys], sizes=[sizes[:1] for sizes in tally.sizes])
            for tally in found.tallies
        ]
        named = {int(key) for tally in tallies for keys in tally.keys for key in keys.ravel()}
        return PartitionTally(
            classes=len(part.sizes),
            rows=int(part.sizes.sum()),
            people=found.people,
            short=found.short,
            unknown=whole.unknown,
            tallies=tallies,
            keys={key: _key(whole.keys, key - before) for key in sorted(named)},
            largest=_largest(whole, found),
        )

    def _both(self, first: PartitionTally, second: PartitionTally) -> PartitionTally:
        """Return two tallies as one; of classes that tie, the first is in the first, because classes are sorted."""
        none = np.zeros((0, 1), dtype=np.int64)
        parts = [Measured(none, none[:, 0], (), tuple(each.tallies)) for each in (first, second)]
        tallies = [
            replace(tally, keys=tally.keys[:1], sizes=tally.sizes[:1]) for tally in merged(parts, list(self.tasks))
        ]
        named = {int(key) for tally in tallies for keys in tally.keys for key in keys.ravel()}
        return PartitionTally(
            classes=first.classes + second.classes,
            rows=first.rows + second.rows,
            people=first.people + second.people,
            short=first.short + second.short,
            unknown=first.unknown + second.unknown,
            tallies=tallies,
            keys={key: value for key, value in {**first.keys, **second.keys}.items() if key in named},
            largest=[largest_of(both, at) for at, both in enumerate(zip(first.largest, second.largest, strict=True))],
        )


def _largest(whole: Whole, found: Measured) -> list[list[Listed]]:
    """Return the classes with the largest sizes and figures; of equal ones, the first in the order of their keys."""
    columns: list[NDArray[Any]] = [found.sizes, *found.values]
    chosen = [_first_of_the_largest(np.where(np.isnan(column), -np.inf, column)) for column in columns]
    listed = {
        at: Listed(_key(whole.keys, at), tuple(None if np.isnan(some[at]) else some[at].item() for some in columns))
        for at in {place for places in chosen for place in places.tolist()}
    }
    return [[listed[at] for at in places.tolist()] for places in chosen]


def largest_of(several: Iterable[Sequence[Listed]], at: int) -> list[Listed]:
    """Return the classes with the largest figures of several lists; of equal ones, the first in their order."""
    every = [listed for some in several for listed in some]
    return sorted(every, key=lambda listed: (listed.order(at), in_order(listed.key)))[:LARGEST]


def _first_of_the_largest(values: NDArray[np.float64]) -> Integers:
    """Return the places of the largest values, the largest first, and of equal ones the first."""
    places = np.arange(len(values))
    if len(values) > LARGEST:
        least = np.partition(values, len(values) - LARGEST)[len(values) - LARGEST]
        above = np.flatnonzero(values > least)
        places = np.sort(np.concatenate([above, np.flatnonzero(values == least)[: LARGEST - len(above)]]))
    return places[np.argsort(-values[places], kind="stable")]


@dataclass(frozen=True)
class Listing:
    """What an executor needs to list classes: their keys, their sizes and every figure."""

    measuring: Measuring
    names: tuple[str, ...]
    """The columns of the class table."""
    whole_numbers: tuple[bool, ...]
    """Which figures are whole numbers."""

    def classes(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give the classes of a partition, in their order."""
        how = self.measuring
        for whole in how.wholes(batches):
            found = measured(whole.part, how.tasks, how.domains, whole.population)
            columns = [*whole.keys.columns, pa.array(found.sizes), *figures(found.values, self.whole_numbers)]
            yield from pa.table(columns, names=list(self.names)).combine_chunks().to_batches()


def figures(values: Sequence[NDArray[np.float64]], whole_numbers: Sequence[bool]) -> list[pa.Array]:
    """Return figures as columns: NaN, which stands for no figure, as null."""
    return [
        pa.array(np.where(np.isnan(some), 0, some).astype(np.int64), mask=np.isnan(some))
        if whole
        else pa.array(some, mask=np.isnan(some))
        for some, whole in zip(values, whole_numbers, strict=True)
    ]


def wholes(
    batches: Iterable[pa.RecordBatch],
    quasi: int,
    attributes: int,
    *,
    population: bool,
    places: Sequence[Ranks] | None = None,
) -> Iterator[Whole]:
    """Cut sorted cells into parts of whole classes.

    Parameters
    ----------
    batches
        In the order of their classes: the key of a class in ``q0``, ``q1`` …, and either cells with the pairs of each
        attribute in ``p0``, ``p1`` …, as :class:`~tclose.engines.spark.gathering.Gathering` makes them, or the size of
        the class in the population in ``people``.
    quasi, attributes
        How many quasi-identifiers and attributes there are.
    population
        Whether there are rows that count the population.
    places
        Where sizes come apart from values, as one more attribute of one value: pairs have the places of values, and
        these are the ranks of each attribute's places.
    """
    for gathered in _whole_classes(batches, quasi, attributes + (places is not None)):
        found = whole(gathered, quasi, attributes, population=population, places=places)
        if len(found.part.sizes):
            yield found


def _whole_classes(batches: Iterable[pa.RecordBatch], quasi: int, attributes: int) -> Iterator[pa.Table]:
    """Gather batches until they hold enough pairs, and give all but the class that may go on."""
    waiting: list[pa.Table] = []
    held, wanted = 0, PAIRS
    for batch in batches:
        waiting.append(pa.Table.from_batches([batch]))
        held += _room(waiting[-1], attributes)
        if held < wanted:
            continue
        table = _together(waiting)
        last = int(class_starts(table, quasi)[-1])
        if last:
            yield table.slice(0, last)
        rest = table.slice(last) if last else _compacted(table, quasi, attributes)
        waiting, held = [rest], _room(rest, attributes)
        wanted = max(PAIRS, 2 * held)
    if waiting:
        yield _together(waiting)


def _room(table: pa.Table, attributes: int) -> int:
    """Return about how many pairs there are."""
    lengths = [pc.sum(pc.binary_length(table.column(f"p{at}"))).as_py() or 0 for at in range(attributes)]
    return int(table.num_rows + sum(lengths) // 8)


def _together(tables: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables)


def _compacted(table: pa.Table, quasi: int, attributes: int) -> pa.Table:
    """Return the pairs of one class that goes on, each once, so that it takes no more room than its values."""
    one = np.zeros(table.num_rows, dtype=np.int64)
    pairs = [summed(*pairs_in(table.column(f"p{at}"), one)) for at in range(attributes)]
    cells = in_cells(table.select([f"q{at}" for at in range(quasi)]), one[:1], pairs)
    if "people" in table.column_names:
        people = np.zeros(cells.num_rows, dtype=np.int64)
        people[0] = _numbers(table, "people").sum()
        cells = cells.append_column("people", pa.array(people))
    return cells.select(table.column_names).cast(table.schema)


def class_starts(table: pa.Table, quasi: int) -> Integers:
    """Return where the classes of sorted pairs begin."""
    rows = table.num_rows
    changed = np.ones(rows, dtype=bool)
    changed[1:] = False
    for at in range(quasi):
        column = table.column(f"q{at}")
        before, after = column.slice(0, max(0, rows - 1)), column.slice(1)
        differs = pc.fill_null(pc.not_equal(before, after), False)
        one_missing = pc.xor(pc.is_null(before), pc.is_null(after))
        changed[1:] |= pc.or_(differs, one_missing).to_numpy(zero_copy_only=False) if rows > 1 else False
    return np.flatnonzero(changed).astype(np.int64)


def whole(
    table: pa.Table, quasi: int, attributes: int, *, population: bool, places: Sequence[Ranks] | None = None
) -> Whole:
    """Return the classes of sorted cells, all cells of each; classes that only the population has are left out."""
    starts = class_starts(table, quasi)
    lengths = np.diff(np.append(starts, table.num_rows))
    class_of = np.repeat(np.arange(len(starts)), lengths)
    pairs = [
        _pairs(table.column(f"p{at}"), class_of, None if places is None else places[at]) for at in range(attributes)
    ]
    sized = pairs[0] if places is None else summed(*pairs_in(table.column(f"p{attributes}"), class_of))
    sizes = _sums(sized.classes, sized.counts, len(starts))
    mine = np.flatnonzero(sizes)
    number = np.cumsum(sizes > 0) - 1
    blocks = [_block(number[each.classes], each.ranks, each.counts, len(mine)) for each in pairs[:attributes]]
    people = _sums(class_of, _numbers(table, "people"), len(starts))[mine] if population else None
    keys = table.select([f"q{at}" for at in range(quasi)]).take(pa.array(starts[mine])) if quasi else pa.table({})
    part = Part(np.arange(len(mine), dtype=np.int64)[:, np.newaxis], sizes[mine], tuple(blocks))
    return Whole(part, keys, people, sum(int(np.count_nonzero(each.ranks == UNKNOWN)) for each in pairs))


def _pairs(column: pa.ChunkedArray, class_of: Integers, ranks: Ranks | None) -> Pairs:
    """Return the pairs of cells; where ranks are given, they belong to the places that cells have."""
    classes, found, counts = pairs_in(column, class_of)
    if ranks is not None:
        found = np.where(found < 0, found, ranks[found].astype(np.int64))
    return summed(classes, found, counts)


def _sums(classes: Integers, counts: Integers, number_of_classes: int) -> Integers:
    """Return the sum of the counts of each class; classes ascend."""
    running = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=running[1:])
    return np.diff(running[np.searchsorted(classes, np.arange(number_of_classes + 1))])


def _block(classes: Integers, ranks: Integers, counts: Integers, number_of_classes: int) -> Block:
    """Return the block of pairs that are in order; those with a negative rank are left out."""
    kept = ranks >= 0
    classes, ranks, counts = classes[kept], ranks[kept], counts[kept]
    return Block(
        offsets=np.searchsorted(classes, np.arange(number_of_classes + 1)).astype(np.int64),
        ranks=ranks.astype(np.int32),
        counts=counts,
        sizes=_sums(classes, counts, number_of_classes),
    )


def _numbers(table: pa.Table, name: str) -> Integers:
    """Return a column of whole numbers, 0 where one is missing."""
    return np.asarray(pc.fill_null(table.column(name), 0).to_numpy(), dtype=np.int64)


def _key(keys: pa.Table, at: int) -> tuple[object, ...]:
    return tuple(column[at].as_py() for column in keys.columns)


def in_order(key: tuple[object, ...]) -> list[tuple[bool, Any]]:
    """Return what sorts keys as Spark does: by their values, a missing one first."""
    return [(value is not None, value) for value in key]
