"""What the cells of a release lose against the values they replace: GCP, LM, ARX's loss, entropy, precision."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tclose.anonymization.algorithms.losses.base import Loss
from tclose.anonymization.algorithms.partition import INTERVAL, Cells, Partition, cell_costs
from tclose.anonymization.algorithms.problem import Codes, Floats, Problem, Quasi

OfNodes = Callable[[int, int], Floats]
"""Takes a column and a level; returns a figure for each node on it."""
OfIntervals = Callable[[int, Codes, Codes], Floats]
"""Takes a column and the first and last values of intervals; returns a figure for each."""


def generalized_certainty_penalty(problem: Problem, partition: Partition) -> float:
    """Return the mean over rows and columns of the normalised certainty penalty NCP.

    A cell of a column on a line (numbers, dates, ordered categories) costs the part of the line that it
    covers, like LM; any other the share of the hierarchy's leaves that it covers, and 0 if that is one.
    """

    def of_nodes(column: int, at: int) -> Floats:
        return node_penalties(problem.quasi[column], at)

    def of_intervals(column: int, first: Codes, last: Codes) -> Floats:
        places = problem.quasi[column].places
        return np.zeros(len(first)) if places is None else places[last] - places[first]

    costs = _of_cells(problem, partition.cells, of_nodes, of_intervals)
    return float((_column_means(problem, partition, costs) * problem.weights).sum())


def node_penalties(quasi: Quasi, at: int) -> Floats:
    """Return NCP of each node on a level."""
    level = quasi.levels[at]
    if quasi.line is not None:
        return level.costs
    return np.where(level.leaves > 1, level.leaves / int(quasi.levels[-1].leaves.max()), 0.0)


def loss_metric(problem: Problem, partition: Partition) -> float:
    """Return Iyengar's LM: the mean over rows and columns of (leaves − 1) / (domain − 1), or of the width on a line."""
    return float((_loss_by_column(problem, partition) * problem.weights).sum())


def losses_by_column(problem: Problem, partition: Partition) -> dict[str, float]:
    """Return the LM of each quasi-identifier: 0 if its values are all published, 1 if none is."""
    names = (quasi.name for quasi in problem.quasi)
    return dict(zip(names, _loss_by_column(problem, partition).tolist(), strict=True))


def arx_loss(problem: Problem, partition: Partition) -> float:
    """Return the columns' LM as ARX combines them: the geometric mean of 1 + LM, less 1.

    ARX writes a column's loss as (Σ shares − N/domain) / (N − N/domain) with shares leaves/domain; that
    is the column's LM.
    """
    return float(np.expm1((np.log1p(_loss_by_column(problem, partition)) * problem.weights).sum()))


def lost_entropy(problem: Problem, partition: Partition) -> float:
    """Return the bits lost: −log₂ of each value's share among the rows that its cell covers, summed."""
    counted = [value_counts(problem, column) for column in range(len(problem.quasi))]
    running = [np.concatenate([[0.0], np.cumsum(counts)]) for counts in counted]

    def of_nodes(column: int, at: int) -> Floats:
        return node_bits(problem.quasi[column], at, counted[column])

    def of_intervals(column: int, first: Codes, last: Codes) -> Floats:
        return _log(running[column][last + 1] - running[column][first])

    bits = _of_cells(problem, partition.cells, of_nodes, of_intervals)
    released = (partition.sizes()[:, np.newaxis] * bits).sum(axis=0)
    left_out = partition.suppressed() * np.log2(problem.rows)
    original = np.array([_bits(counts) for counts in counted])
    return float(np.maximum(released + left_out - original, 0.0).sum())


def node_bits(quasi: Quasi, at: int, counts: Floats) -> Floats:
    """Return log₂ of how many rows each node on a level covers, given how many rows have each value."""
    return _log(np.bincount(quasi.levels[at].nodes, weights=counts).astype(np.float64))


def _log(rows: Floats) -> Floats:
    """Return log₂ of numbers of rows; 0 where there is none, as in values of which all rows were left out before."""
    return np.asarray(np.log2(np.maximum(rows, 1.0)))


def lost_entropy_share(problem: Problem, partition: Partition) -> float:
    """Return the bits lost as a share of those that a release without any value loses."""
    whole = problem.rows * float(np.log2(problem.rows))
    most = sum(whole - _bits(value_counts(problem, column)) for column in range(len(problem.quasi)))
    return lost_entropy(problem, partition) / most if most > 0 else 0.0


def value_counts(problem: Problem, column: int) -> Floats:
    """Return how many rows of the table have each value of a quasi-identifier."""
    length = len(problem.quasi[column].values)
    return np.bincount(problem.codes[:, column], problem.counts, length).astype(np.float64)


def _bits(counts: Floats) -> float:
    """Return the sum of n·log₂ n."""
    counts = counts[counts > 0]
    return float((counts * np.log2(counts)).sum())


def lost_precision(problem: Problem, partition: Partition) -> float:
    """Return 1 − Sweeney's precision: the mean over rows and columns of level / height.

    An interval counts as the lowest level on which one node holds all of it.
    """

    def of_nodes(column: int, at: int) -> Floats:
        quasi = problem.quasi[column]
        return np.full(len(quasi.levels[at].labels), at / tallest(quasi))

    def of_intervals(column: int, first: Codes, last: Codes) -> Floats:
        quasi = problem.quasi[column]
        return _levels_around(quasi, first, last) / tallest(quasi)

    return float(_column_means(problem, partition, _of_cells(problem, partition.cells, of_nodes, of_intervals)).mean())


def tallest(quasi: Quasi) -> int:
    """Return the height of a hierarchy, at least 1."""
    return max(len(quasi.levels) - 1, 1)


def runs_on(quasi: Quasi, at: int) -> Codes:
    """Return the run of neighbouring values of one node on a level that each value is in."""
    return np.concatenate([[0], np.cumsum(np.diff(quasi.levels[at].nodes) != 0)]).astype(np.int32)


def _levels_around(quasi: Quasi, first: Codes, last: Codes) -> Floats:
    """Return the lowest level on which one node holds all values from ``first`` to ``last``."""
    found = np.full(len(first), len(quasi.levels) - 1, dtype=np.float64)
    for at in reversed(range(len(quasi.levels) - 1)):
        runs = runs_on(quasi, at)
        found[runs[first] == runs[last]] = at
    return found


def _loss_by_column(problem: Problem, partition: Partition) -> Floats:
    return _column_means(problem, partition, cell_costs(problem, partition.cells))


def _column_means(problem: Problem, partition: Partition, costs: Floats) -> Floats:
    """Return the mean cost of each column's cells over all rows; a row left out costs 1."""
    released = (partition.sizes()[:, np.newaxis] * costs).sum(axis=0)
    return np.asarray((released + partition.suppressed()) / problem.rows)


def _of_cells(problem: Problem, cells: Cells, of_nodes: OfNodes, of_intervals: OfIntervals) -> Floats:
    """Return a figure of every cell: classes × quasi-identifiers."""
    figures = np.zeros(cells.levels.shape, order="F")
    for column in range(len(problem.quasi)):
        levels = cells.levels[:, column]
        for at in np.unique(levels).tolist():
            here = levels == at
            first, last = cells.first[here, column], cells.last[here, column]
            figures[here, column] = of_intervals(column, first, last) if at == INTERVAL else of_nodes(column, at)[first]
    return figures


LOSS_METRIC = Loss(
    key="lm",
    title="loss metric",
    meaning="The share of each column's values that a cell cannot be told from, on average.",
    source="V. S. Iyengar: Transforming data to satisfy privacy constraints, KDD 2002",
    formula="mean over cells of (leaves − 1) / (domain − 1)",
    left_out="1 in every column",
    of=loss_metric,
    by_class=True,
    reported=True,
    beside="rounded",
)
CERTAINTY_PENALTY = Loss(
    key="gcp",
    title="generalized certainty penalty",
    meaning="The share of each column's domain that a cell covers, on average; a single value costs nothing.",
    source=(
        "G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis: Fast data anonymization with low information loss, VLDB 2007"
    ),
    formula="mean over cells of leaves / domain, 0 for a single value",
    left_out="1 in every column",
    of=generalized_certainty_penalty,
    by_class=True,
    reported=True,
    beside="rounded",
)
ARX = Loss(
    key="arx",
    title="ARX's loss",
    meaning="The loss metric of each column, the columns combined by a geometric mean.",
    source=(
        "F. Prasser, F. Kohlmayer: Putting statistical disclosure control into practice: the ARX data "
        "anonymization tool, 2015"
    ),
    formula="∏ (1 + LM of the column)^w − 1, w the column's share of all weights",
    left_out="1 in every column",
    of=arx_loss,
    by_class=True,
    beside="rounded",
)
PRECISION = Loss(
    key="precision",
    title="lost precision",
    meaning="How far up its hierarchy a cell is, on average: 1 − Prec.",
    source=(
        "L. Sweeney: Achieving k-anonymity privacy protection using generalization and suppression, IJUFKS 10(5), 2002"
    ),
    formula="mean over cells of level / height",
    left_out="1 in every column",
    of=lost_precision,
    by_class=True,
)
ENTROPY = Loss(
    key="nue",
    title="non-uniform entropy",
    meaning="How many bits it takes to get the original values back from the cells.",
    source="A. Gionis, T. Tassa: k-Anonymization with minimal loss of information, IEEE TKDE 21(2), 2009",
    formula="Σ over cells of −log₂ (rows with the value / rows that the cell covers), in bits",
    left_out="covers all rows",
    of=lost_entropy,
    bounded=False,
)
ENTROPY_SHARE = Loss(
    key="nue_share",
    title="non-uniform entropy, as a share",
    meaning="How many bits the cells have lost, of those that the values had.",
    source="A. Gionis, T. Tassa: k-Anonymization with minimal loss of information, IEEE TKDE 21(2), 2009",
    formula="`nue` / `nue` of a release of nothing",
    left_out="covers all rows",
    of=lost_entropy_share,
    reported=True,
)
