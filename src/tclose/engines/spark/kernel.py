"""What runs in an executor: sorted pairs become parts of whole classes, parts become tallies or class rows.

Nothing here knows Spark: pairs arrive as Arrow batches, in the order of their classes, and batches leave.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from tclose.counts import Integers, Part, sparse_block
from tclose.domains import Domain
from tclose.measuring import Measured, Tally, Task, measured, merged

PAIRS = 1 << 18
"""A part is made of about so many pairs, or of one class that has more."""
POPULATION = -1
"""Stands where the number of the attribute stands, in the rows that count the population."""
UNKNOWN = -2
"""The rank of a value that the first look at the table did not see."""


@dataclass(frozen=True)
class Whole:
    """Some whole classes: the part to measure, their keys as values, and their sizes in the population."""

    part: Part
    keys: pa.Table
    population: Integers | None
    unknown: int
    """How many pairs have a value that the first look at the table did not see."""


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


@dataclass(frozen=True)
class Measuring:
    """What an executor needs to measure pairs; it travels there by pickling."""

    quasi: int
    attributes: int
    tasks: tuple[Task, ...]
    domains: tuple[Domain, ...]
    population: bool

    def tallies(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Give one batch of one cell: the pickled :class:`PartitionTally` of a partition; nothing if it is empty."""
        tallied: PartitionTally | None = None
        for whole in wholes(batches, self.quasi, self.attributes, population=self.population):
            found = self._tallied(whole, 0 if tallied is None else tallied.classes)
            tallied = found if tallied is None else self._both(tallied, found)
        if tallied is not None:
            yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(tallied)], pa.binary())], ["tally"])

    def _tallied(self, whole: Whole, before: int) -> PartitionTally:
        """Return the tally of some classes, numbered after those before them; of tied classes it names the first."""
        part = replace(whole.part, keys=whole.part.keys + before)
        population = whole.population
        found = measured(part, self.tasks, self.domains, population)
        tallies = [
            replace(tally, keys=[keys[:1] for keys in tally.keys], sizes=[sizes[:1] for sizes in tally.sizes])
            for tally in found.tallies
        ]
        named = {int(key) for tally in tallies for keys in tally.keys for key in keys.ravel()}
        return PartitionTally(
            classes=len(part.sizes),
            rows=int(part.sizes.sum()),
            people=0 if population is None else int(population.sum()),
            short=0 if population is None else int(np.count_nonzero(population < part.sizes)),
            unknown=whole.unknown,
            tallies=tallies,
            keys={key: _key(whole.keys, key - before) for key in sorted(named)},
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
        )


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
        for whole in wholes(batches, how.quasi, how.attributes, population=how.population):
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


def wholes(batches: Iterable[pa.RecordBatch], quasi: int, attributes: int, *, population: bool) -> Iterator[Whole]:
    """Cut sorted pairs into parts of whole classes.

    Parameters
    ----------
    batches
        In the order of their classes either pairs, of ``which`` attribute a ``rank`` and ``n`` rows, or rows, with
        the rank of each attribute in ``r0``, ``r1`` …; and with both the classes of the population, with ``n`` rows.
        The key of a class is in ``q0``, ``q1`` …
    quasi, attributes
        How many quasi-identifiers and attributes there are.
    population
        Whether there are rows that count the population.
    """
    for gathered in _whole_classes(batches, quasi):
        starts = class_starts(gathered, quasi)
        table, starts = _in_table(gathered, starts) if population else (gathered, starts)
        if len(starts):
            yield _whole(table, starts, quasi, attributes, population=population)


def _whole_classes(batches: Iterable[pa.RecordBatch], quasi: int) -> Iterator[pa.Table]:
    """Gather batches until they hold enough pairs, and give all but the class that may go on."""
    waiting: list[pa.Table] = []
    held, wanted = 0, PAIRS
    for batch in batches:
        waiting.append(pa.Table.from_batches([batch]))
        held += batch.num_rows
        if held < wanted:
            continue
        table = _together(waiting)
        last = int(class_starts(table, quasi)[-1])
        if last:
            yield table.slice(0, last)
        rest = table.slice(last) if last else _compacted(table)
        waiting, held, wanted = [rest], rest.num_rows, max(PAIRS, 2 * rest.num_rows)
    if held:
        yield _together(waiting)


def _together(tables: Sequence[pa.Table]) -> pa.Table:
    return pa.concat_tables(tables, promote_options="permissive")


def _compacted(table: pa.Table) -> pa.Table:
    """Return the pairs of one class that goes on, each once, so that it takes no more room than its values."""
    if "n" not in table.column_names:
        table = table.append_column("n", pa.array(np.ones(table.num_rows, dtype=np.int64)))
    counts = pc.fill_null(table.column("n"), 1)
    table = table.set_column(table.column_names.index("n"), "n", counts)
    same = [name for name in table.column_names if name != "n"]
    return table.group_by(same).aggregate([("n", "sum")]).rename_columns([*same, "n"])


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


def _in_table(table: pa.Table, starts: Integers) -> tuple[pa.Table, Integers]:
    """Leave out classes that only the population has."""
    lengths = np.diff(np.append(starts, table.num_rows))
    mine = _numbers(table, "which", 0) == 0
    kept = np.add.reduceat(mine.astype(np.int64), starts) > 0
    rows = np.repeat(kept, lengths)
    remaining = lengths[kept]
    return table.filter(pa.array(rows)), (np.cumsum(remaining) - remaining).astype(np.int64)


def _whole(table: pa.Table, starts: Integers, quasi: int, attributes: int, *, population: bool) -> Whole:
    which, counts = _numbers(table, "which", 0), _numbers(table, "n", 1)
    lengths = np.diff(np.append(starts, table.num_rows))
    classes = np.repeat(np.arange(len(starts)), lengths)
    blocks, unknown = [], 0
    for at in range(attributes):
        wide = f"r{at}" in table.column_names
        mine = np.flatnonzero(which == (0 if wide else at))
        ranks = _numbers(table, f"r{at}" if wide else "rank", UNKNOWN)[mine].astype(np.int32)
        unknown += int(np.count_nonzero(ranks == UNKNOWN))
        blocks.append(sparse_block(classes[mine], ranks, counts[mine], len(starts)))
    sizes = np.add.reduceat(np.where(which == 0, counts, 0), starts)
    people = np.add.reduceat(np.where(which == POPULATION, counts, 0), starts) if population else None
    keys = table.select([f"q{at}" for at in range(quasi)]).take(pa.array(starts)) if quasi else pa.table({})
    part = Part(np.arange(len(starts), dtype=np.int64)[:, np.newaxis], sizes, tuple(blocks))
    return Whole(part, keys, people, unknown)


def _numbers(table: pa.Table, name: str, missing: int) -> Integers:
    """Return a column of whole numbers, with a number where it has none, or has no such column at all."""
    if name not in table.column_names:
        return np.full(table.num_rows, missing, dtype=np.int64)
    column = pc.fill_null(table.column(name), missing)
    return np.asarray(column.to_numpy(), dtype=np.int64)


def _key(keys: pa.Table, at: int) -> tuple[object, ...]:
    return tuple(column[at].as_py() for column in keys.columns)
