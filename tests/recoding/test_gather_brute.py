"""How far from the best partition gathering stays, on tables so small that every partition can be tried."""

from __future__ import annotations

import numpy as np

from recoding.aggregation_problems import line_quasi, problem_of, tree_quasi
from tclose.anonymization.algorithms.catalogue import found
from tclose.anonymization.algorithms.checking import Checker
from tclose.anonymization.algorithms.partition import cell_costs, hulls, kept_detail
from tclose.anonymization.algorithms.search import Search
from tclose.policy.roles import Nominal, Ordered

UNITS = 8


def tiny(seed):
    """A table of eight combinations of quasi-identifiers, of one to four rows each, with two sensitive values."""
    draw = np.random.default_rng(seed)
    towns, ages, illness = [], [], []
    for at in range(UNITS):
        rows = int(draw.integers(1, 5))
        towns += [str(draw.choice(["a1", "a2", "a3", "b1", "b2", "c1"]))] * rows
        ages += [at * 10 + int(draw.integers(0, 10))] * rows
        illness += draw.integers(0, 3, rows).tolist()
    sensitive = [("illness", illness, Ordered() if seed % 2 else Nominal())]
    return problem_of([tree_quasi("town", towns), line_quasi("age", ages)], sensitive, {"k": 2, "t": "0.35"})


def optimum(problem):
    """The most detail that any partition of the units into classes that hold keeps, by way of all their subsets."""
    units = problem.tuples[0]
    number = int(units.max()) + 1
    masks = np.arange(1, 2**number)
    inside = (masks[:, np.newaxis] >> units) & 1 == 1
    classes, rows = np.nonzero(inside)
    cells = hulls(problem, rows, classes, len(masks))
    failing = Checker.of(problem).failing(rows, classes, problem.counts[rows], len(masks))
    sizes = np.bincount(classes, problem.counts[rows])
    losses = np.where(failing, np.inf, sizes * (cell_costs(problem, cells) * problem.weights).sum(axis=1))
    best = np.full(2**number, np.inf)
    best[0] = 0.0
    for mask in range(1, 2**number):
        part = mask
        while part:
            if part & mask & -mask:
                best[mask] = min(best[mask], losses[part - 1] + best[mask ^ part])
            part = (part - 1) & mask
    return 1.0 - best[-1] / problem.rows


def test_gathering_stays_near_the_best_of_all_partitions():
    gaps = []
    for seed in range(24):
        problem = tiny(seed)
        most = optimum(problem)
        if not np.isfinite(most):
            continue
        release = found("gather", problem, Search(whole_classes=True))
        gaps.append(most - kept_detail(problem, release.partition))
    assert min(gaps) > -1e-9
    assert np.mean(np.array(gaps) < 1e-9) >= 0.75, gaps
    assert np.mean(gaps) < 0.02, gaps
