"""Problems for the tests of microaggregation and SABRE: small random tables heavy with ties, and the Census table."""

from __future__ import annotations

import csv
from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from shared_data import shared_file
from tclose.anonymization.algorithms.checking import failing_classes
from tclose.anonymization.algorithms.partition import INTERVAL, Partition, check_whole, hulls
from tclose.anonymization.algorithms.problem import Problem, numbered
from tclose.anonymization.algorithms.quasi_identifiers import prepared
from tclose.data.hierarchies import Hierarchy
from tclose.models.catalogue import requirements
from tclose.models.domains import arranged
from tclose.models.measuring import Task
from tclose.models.value_order import Observed
from tclose.policy.roles import Hierarchical, Nominal, Numeric, Ordered

TOWNS = Hierarchy(tuple((town, town[0], "*") for town in ("a1", "a2", "a3", "b1", "b2", "c1")))
ILLS = {"*": [{"lungs": ["cough", "flu"]}, {"heart": ["angina", "stroke", "faint"]}]}


def observed(values):
    counts = Counter(values)
    kind = "text" if any(isinstance(value, str) for value in counts) else "number"
    return Observed(list(counts), np.array([*counts.values()], dtype=np.int64), kind)


def line_quasi(name, values):
    """A quasi-identifier of numbers, published as intervals."""
    hierarchy = Hierarchy(tuple((str(value), "*") for value in sorted({*values} - {None})))
    return _coded(values, prepared(name, observed(values), hierarchy, inferred=True))


def tree_quasi(name, values, highest=2):
    """A quasi-identifier of towns, published as towns, letters or nothing; up to a level."""
    return _coded(values, prepared(name, observed(values), TOWNS, inferred=False, levels=(0, highest)))


def _coded(values, made):
    quasi, codes = made
    code_of = dict(zip(observed(values).values, codes.tolist(), strict=True))
    return quasi, [code_of[value] for value in values]


def problem_of(quasi, sensitive, require, **rest):
    """Return a problem of coded quasi-identifiers, and of (name, values, distance) for each sensitive attribute."""
    domains, columns = [], [codes for _, codes in quasi]
    for name, values, distance in sensitive:
        domain, ranks = arranged(name, observed(values), distance)
        domains.append(domain)
        rank_of = dict(zip(observed(values).values, ranks.tolist(), strict=True))
        columns.append([rank_of[value] for value in values])
    rows, counts = np.unique(np.array(columns, dtype=np.int32).T, axis=0, return_counts=True)
    tasks = tuple(
        Task(wanted.model, at, (wanted,))
        for wanted in requirements(require)
        for at in ([None] if wanted.model.scope == "table" else range(len(domains)))
    )
    codes, ranks = np.ascontiguousarray(rows[:, : len(quasi)]), np.ascontiguousarray(rows[:, len(quasi) :])
    return Problem(
        tuple(each for each, _ in quasi), codes, ranks, counts.astype(np.int64), tuple(domains), tasks, **rest
    )


SENSITIVE = {
    "ordered": (st.integers(0, 4), Ordered()),
    "numeric": (st.sampled_from([0, 1, 2, 10]), Numeric()),
    "nominal": (st.sampled_from("xyz"), Nominal()),
    "hierarchical": (st.sampled_from(["cough", "flu", "angina", "stroke", "faint"]), Hierarchical(ILLS)),
    "one value": (st.just(7), Ordered()),
    "some missing": (st.none() | st.integers(0, 3), Ordered(nulls="drop")),
}


@st.composite
def problems(draw, most_rows=24, require=None):
    """Tables of few distinct values, with 0 to 3 quasi-identifiers and 1 or 2 sensitive attributes."""
    size = draw(st.integers(1, most_rows))

    def column(values):
        return draw(st.lists(values, min_size=size, max_size=size))

    quasi = []
    if draw(st.booleans()):
        quasi.append(line_quasi("age", column(st.integers(0, 30))))
    if draw(st.booleans()):
        years = column(st.none() | st.integers(0, 6))
        quasi.append(line_quasi("year", years if any(year is not None for year in years) else [1] * size))
    if draw(st.booleans()):
        quasi.append(tree_quasi("town", column(st.sampled_from(["a1", "a2", "b1", "c1"])), draw(st.integers(1, 2))))
    sensitive = []
    for name in draw(st.lists(st.sampled_from([*SENSITIVE]), min_size=1, max_size=2, unique=True)):
        values, distance = SENSITIVE[name]
        found = column(values)
        sensitive.append((name, found if any(value is not None for value in found) else [0] * size, distance))
    wanted = {"k": draw(st.integers(1, size)), "t": draw(st.sampled_from(["0", "0.05", "0.2", "1/3", "0.5", "1"]))}
    if require is not None:
        wanted = {"k": draw(st.integers(1, 3)), **require}
    return problem_of(quasi, sensitive, wanted)


def census_problem(sensitive, k, t, quasi=("TAXINC", "POTHVAL")):
    """The Census table with intervals of two incomes and one ordered tax."""
    with shared_file("census", "census.csv").open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    columns = [line_quasi(name, [int(record[name]) for record in records]) for name in quasi]
    taxes = [int(record[sensitive]) for record in records]
    return problem_of(columns, [(sensitive, taxes, Ordered())], {"k": k, "t": t})


def compartments_hold(problem):
    """Whether the coarsest release that the levels allow meets the requirements."""
    tops = [quasi.levels[quasi.top].nodes[problem.codes[:, at]] for at, quasi in enumerate(problem.quasi)]
    classes = numbered(np.stack(tops, axis=1)) if tops else np.zeros(len(problem.counts), dtype=np.int64)
    rows = np.arange(len(classes))
    whole = Partition(rows, classes, problem.counts, hulls(problem, rows, classes, int(classes.max()) + 1))
    return not failing_classes(problem, whole).any()


def assert_covered(problem, partition):
    """Every row is in the release once, and the cells of its class hold its values."""
    check_whole(problem, partition)
    assert (partition.counts > 0).all()
    for row, one in zip(partition.rows.tolist(), partition.classes.tolist(), strict=True):
        for at, quasi in enumerate(problem.quasi):
            level, first, last = (int(array[one, at]) for array in vars(partition.cells).values())
            code = int(problem.codes[row, at])
            inside = first <= code <= last if level == INTERVAL else quasi.levels[level].nodes[code] == first
            assert inside
            assert level <= quasi.top


def class_values(problem, partition, attribute=0):
    """The ranks of the sensitive values of each class, row by row."""
    found = {}
    for row, one, count in zip(partition.rows, partition.classes, partition.counts, strict=True):
        found.setdefault(int(one), []).extend([int(problem.ranks[row, attribute])] * int(count))
    return list(found.values())


def information_loss(points, labels):
    """100·SSE/SST of points in z-scores."""
    z = (points - points.mean(axis=0)) / points.std(axis=0)
    within = sum(((z[labels == one] - z[labels == one].mean(axis=0)) ** 2).sum() for one in np.unique(labels))
    return 100 * within / (z**2).sum()


def share(counts):
    return [Fraction(int(count), int(sum(counts))) for count in counts]
