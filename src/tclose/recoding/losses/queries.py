"""How well a release answers counting queries: a seeded workload, the true answers and the estimates."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tclose.counts import Integers
from tclose.recoding.losses.spread import covered, positions
from tclose.recoding.partition import Partition
from tclose.recoding.problem import Codes, Floats, Problem


@dataclass(frozen=True)
class Workload:
    """Counting queries: how many rows have, in some columns, a value within a range.

    ``columns``, ``first`` and ``last`` are arrays of queries × conditions on quasi-identifiers; ranges are
    of :func:`~tclose.recoding.losses.spread.positions`. Each query also has a range of ranks of one sensitive
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
    found = np.zeros(len(asked.columns))
    places = [positions(quasi)[problem.codes[:, at]] for at, quasi in enumerate(problem.quasi)]
    for attribute in np.unique(asked.attribute).tolist():
        order, slices = _by_rank(problem.ranks, attribute, asked)
        ordered, counts = [column[order] for column in places], problem.counts[order]
        for query, inside in slices:
            meets = np.ones(inside.stop - inside.start, dtype=bool)
            for column, first, last in _conditions(asked, query):
                place = ordered[column][inside]
                meets &= (place >= first) & (place <= last)
            found[query] = counts[inside].sum(where=meets)
    return found


def estimates(problem: Problem, partition: Partition, asked: Workload) -> Floats:
    """Return what a reader of the release would answer: each cell counts evenly for the values in it."""
    found = np.zeros(len(asked.columns))
    first_places, last_places = covered(problem, partition.cells)
    cells = [_DistinctCells.of(first_places[:, at], last_places[:, at]) for at in range(len(problem.quasi))]
    kept = np.flatnonzero(partition.classes >= 0)
    for attribute in np.unique(asked.attribute).tolist():
        order, slices = _by_rank(problem.ranks[partition.rows[kept]], attribute, asked)
        classes, counts = partition.classes[kept][order], partition.counts[kept][order]
        before, sizes = slice(0, 0), np.zeros(partition.number)
        for query, inside in slices:
            if inside != before:
                before = inside
                sizes = np.bincount(classes[inside], counts[inside], partition.number).astype(np.float64)
            within = sizes
            for column, first, last in _conditions(asked, query):
                within = within * cells[column].shares(first, last)
            found[query] = within.sum()
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
    """The different cells of one column, and which of them each class has."""

    first: Codes
    last: Codes
    of_class: Integers

    @staticmethod
    def of(first: Codes, last: Codes) -> _DistinctCells:
        _, at, of_class = np.unique(first.astype(np.int64) << 32 | last, return_index=True, return_inverse=True)
        return _DistinctCells(first[at], last[at], of_class)

    def shares(self, first: int, last: int) -> Floats:
        """Return the share of the values of each class's cell that a range holds."""
        held = np.minimum(self.last, last) - np.maximum(self.first, first) + 1
        return np.asarray((np.maximum(held, 0) / (self.last - self.first + 1))[self.of_class])


def _conditions(asked: Workload, query: int) -> Iterator[tuple[int, int, int]]:
    yield from zip(asked.columns[query].tolist(), asked.first[query].tolist(), asked.last[query].tolist(), strict=True)


def _by_rank(ranks: Codes, attribute: int, asked: Workload) -> tuple[Integers, list[tuple[int, slice]]]:
    """Return pieces in the order of an attribute's ranks, and for each query on it which of them it wants.

    Queries that want the same pieces follow each other.
    """
    queries = np.flatnonzero(asked.attribute == attribute)
    if attribute < 0:
        return np.arange(len(ranks)), [(query, slice(0, len(ranks))) for query in queries.tolist()]
    order = np.argsort(ranks[:, attribute], kind="stable")
    ascending = ranks[order, attribute]
    queries = queries[np.lexsort((asked.last_rank[queries], asked.first_rank[queries]))]
    starts = np.searchsorted(ascending, asked.first_rank[queries], side="left").tolist()
    stops = np.searchsorted(ascending, asked.last_rank[queries], side="right").tolist()
    return order, list(zip(queries.tolist(), map(slice, starts, stops), strict=True))
