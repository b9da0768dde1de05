"""How well a release answers counting queries: a seeded workload, the true answers and the estimates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tclose.counts import Integers
from tclose.recoding.losses.base import Loss
from tclose.recoding.losses.query_loops import BITS, count_meeting, estimate_classes, write_bits
from tclose.recoding.losses.reader import covered, positions
from tclose.recoding.partition import Partition
from tclose.recoding.problem import Codes, Floats, Problem

_AT_ONCE = 1 << 18
"""So many numbers are held to answer queries at once."""
_WORDS = 1 << 17
"""So many words hold which rows lie below which bounds: few enough for the cache."""


@dataclass(frozen=True)
class Workload:
    """Counting queries: how many rows have, in some columns, a value within a range.

    ``columns``, ``first`` and ``last`` are arrays of queries × conditions on quasi-identifiers; ranges are
    of :func:`~tclose.recoding.losses.reader.positions`. Each query also has a range of ranks of one sensitive
    attribute (−1: none).
    """

    columns: Integers
    first: Integers
    last: Integers
    attribute: Integers
    first_rank: Integers
    last_rank: Integers


def workload(problem: Problem, queries: int = 1000, *, conditions: int = 3, selectivity: float = 0.1) -> Workload:
    """Return random queries that depend on the problem and its seed alone.

    Parameters
    ----------
    problem
        The table.
    queries
        How many.
    conditions
        On how many quasi-identifiers each query sets a condition (fewer if there are not so many); a
        further condition is on a sensitive attribute, if there is one.
    selectivity
        The share of the combinations of values that meet all conditions: each range holds the share
        ``selectivity ** (1 / conditions)`` of its column's values, at least one value.
    """
    draw = np.random.default_rng(problem.seed)
    conditions = min(conditions, len(problem.quasi))
    width = selectivity ** (1 / (conditions + bool(problem.domains)))
    columns = np.argsort(draw.random((queries, len(problem.quasi))), axis=1)[:, :conditions]
    lengths = np.array([len(quasi.values) for quasi in problem.quasi])[columns]
    first, last = _ranges(draw, lengths, width)
    if not problem.domains:
        none = np.full(queries, -1)
        return Workload(columns, first, last, none, none, none)
    attribute = draw.integers(len(problem.domains), size=queries)
    lengths = np.array([len(domain.counts) for domain in problem.domains])[attribute]
    return Workload(columns, first, last, attribute, *_ranges(draw, lengths, width))


def _ranges(draw: np.random.Generator, lengths: Integers, width: float) -> tuple[Integers, Integers]:
    """Return the ends of random ranges that hold a given share of so many values."""
    held = np.maximum(1, np.rint(lengths * width).astype(np.int64))
    first = (draw.random(lengths.shape) * (lengths - held + 1)).astype(np.int64)
    return first, first + held - 1


def true_answers(problem: Problem, asked: Workload) -> Floats:
    """Return the answer of the original table to each query."""
    columns, first, last = _all_conditions(problem, asked)
    low, high = np.empty_like(columns), np.empty_like(columns)
    slots, bits = [], [0]
    for column, places in enumerate(_places(problem)):
        here = columns == column
        bounds = np.unique(np.concatenate([first[here], last[here] + 1]))
        slots.append(bits[-1] + np.searchsorted(bounds, places, side="right"))
        low[here] = bits[-1] + np.searchsorted(bounds, first[here])
        high[here] = bits[-1] + np.searchsorted(bounds, last[here] + 1)
        bits.append(bits[-1] + len(bounds))
    keys = np.concatenate([problem.codes, problem.ranks + 1], axis=1, dtype=np.int32).ravel()
    begins = np.cumsum([0, *(len(each) for each in slots)])
    rows, planes = len(problem.counts), int(problem.counts.max(initial=0)).bit_length()
    words = max(1, min(_WORDS // max(bits[-1], 1), -(-rows // BITS)))
    below, held, meeting = (np.empty(each * words, dtype=np.int64) for each in (bits[-1], planes, 1))
    found = np.zeros(len(columns), dtype=np.int64)
    where = (np.concatenate(slots), begins, np.array(bits))
    for start in range(0, rows, words * BITS):
        stop = min(start + words * BITS, rows)
        write_bits(
            keys, *where, problem.counts, start, stop, words, below, held, work=len(below) + (stop - start) * len(bits)
        )
        count_meeting(
            below, held, words, low.ravel(), high.ravel(), columns.shape[1], meeting, found, work=columns.size * words
        )
    return found.astype(np.float64)


def _all_conditions(problem: Problem, asked: Workload) -> tuple[Integers, Integers, Integers]:
    """Return the conditions of each query, that on a sensitive attribute as one on a column after all others."""
    if not problem.domains:
        return asked.columns, asked.first, asked.last
    columns = np.column_stack([asked.columns, len(problem.quasi) + asked.attribute])
    return columns, np.column_stack([asked.first, asked.first_rank]), np.column_stack([asked.last, asked.last_rank])


def _places(problem: Problem) -> Iterator[Integers | Codes]:
    """Give where the values of each column lie, as queries mean them; of a sensitive one, none comes first."""
    for quasi in problem.quasi:
        yield positions(quasi)
    for domain in problem.domains:
        yield np.arange(-1, len(domain.counts))


def estimates(problem: Problem, partition: Partition, asked: Workload) -> Floats:
    """Return what a reader of the release would answer: each cell counts evenly for the values in it."""
    found = np.zeros(len(asked.columns))
    cells, number = _DistinctCells.of(*covered(problem, partition.cells)), partition.number
    kept = np.flatnonzero(partition.classes >= 0)
    within = np.empty(max(_AT_ONCE, number))
    shares = np.empty(asked.columns.shape[1] * cells.most)
    for attribute in np.unique(asked.attribute).tolist():
        order, queries, starts, stops = _by_rank(problem.ranks[partition.rows[kept]], attribute, asked)
        classes, counts = partition.classes[kept][order], partition.counts[kept][order]
        window, sizes = np.zeros(2, dtype=np.int64), np.zeros(number, dtype=np.int64)
        for some in _batches(len(queries), number):
            chosen = queries[some]
            estimate_classes(
                classes, counts, starts[some], stops[some], window, sizes, cells.of_class.ravel(), cells.begins,
                cells.first, cells.last, asked.columns[chosen].ravel(), asked.first[chosen].ravel(),
                asked.last[chosen].ravel(), asked.columns.shape[1], shares, within, work=len(chosen) * number,
            )  # fmt: skip
            found[chosen] = within[: len(chosen) * number].reshape(len(chosen), number).sum(axis=1)
    return found


def query_error(problem: Problem, partition: Partition) -> float:
    """Return the median relative error of the estimates, over the queries whose answer is not 0; NaN without any."""
    asked = workload(problem)
    truth = true_answers(problem, asked)
    answered = truth > 0
    if not answered.any():
        return float("nan")
    off = np.abs(estimates(problem, partition, asked) - truth)[answered]
    return float(np.median(off / truth[answered]))


@dataclass(frozen=True)
class _DistinctCells:
    """The different cells of all columns, column by column, and which of its column's each class has."""

    begins: Integers
    """Where the cells of each column begin, and the end of the last."""
    first: Codes
    last: Codes
    of_class: Integers
    """Columns × classes."""

    @staticmethod
    def of(first: Codes, last: Codes) -> _DistinctCells:
        """Return the different cells of classes × columns with these ends."""
        found = [
            np.unique(low.astype(np.int64) << 32 | high, return_index=True, return_inverse=True)
            for low, high in zip(first.T, last.T, strict=True)
        ]
        return _DistinctCells(
            np.cumsum([0, *(len(at) for _, at, _ in found)]),
            np.concatenate([first[at, column] for column, (_, at, _) in enumerate(found)]),
            np.concatenate([last[at, column] for column, (_, at, _) in enumerate(found)]),
            np.stack([of_class for _, _, of_class in found]).astype(np.int32),
        )

    @property
    def most(self) -> int:
        """How many different cells a column has at the most."""
        return int(np.diff(self.begins).max())


def _batches(queries: int, each: int) -> Iterator[slice]:
    """Give queries that are answered at once, where each needs so many numbers."""
    step = max(1, _AT_ONCE // max(1, each))
    for start in range(0, queries, step):
        yield slice(start, start + step)


def _by_rank(ranks: Codes, attribute: int, asked: Workload) -> tuple[Integers, Integers, Integers, Integers]:
    """Return pieces in the order of an attribute's ranks, the queries on it, and which of the pieces each one wants.

    Queries are in the order of the first piece that they want.
    """
    queries = np.flatnonzero(asked.attribute == attribute)
    if attribute < 0:
        return np.arange(len(ranks)), queries, np.zeros_like(queries), np.full_like(queries, len(ranks))
    order = np.argsort(ranks[:, attribute], kind="stable")
    ascending = ranks[order, attribute]
    starts = np.searchsorted(ascending, asked.first_rank[queries], side="left")
    stops = np.searchsorted(ascending, asked.last_rank[queries], side="right")
    by_start = np.argsort(starts, kind="stable")
    return order, queries[by_start], starts[by_start], stops[by_start]


QUERY_ERROR = Loss(
    key="query",
    title="query error",
    meaning="How far off the count of a random query is, as a share of the count; the median of 1000 queries.",
    source="J. Cao, P. Karras: Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012",
    formula="median over queries of \\|estimate − answer\\| / answer",
    left_out="counted by no estimate",
    of=query_error,
    monotone=False,
    bounded=False,
    reported=True,
)
