"""Small problems for the tests of cutting and merging, and what their classes must be, reckoned without tclose."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import accumulate, pairwise

import numpy as np
from hypothesis import strategies as st

from tclose.anonymization.algorithms.checking import failing_classes
from tclose.anonymization.algorithms.partition import INTERVAL, Partition, check_whole, hulls
from tclose.anonymization.algorithms.problem import Problem
from tclose.anonymization.algorithms.quasi_identifiers import prepared
from tclose.data.hierarchies import Hierarchy
from tclose.models.catalogue import requirements
from tclose.models.domains import arranged
from tclose.models.measuring import Task
from tclose.models.value_order import Observed
from tclose.policy.roles import Hierarchical, Nominal, Numeric, Ordered

TREE = Hierarchy(
    (
        ("a", "ab", "abc", "*"), ("b", "ab", "abc", "*"), ("c", "c", "abc", "*"),
        ("d", "de", "def", "*"), ("e", "de", "def", "*"), ("f", "f", "def", "*"),
    )
)  # fmt: skip
PAIRS = Hierarchy((("0", "01", "*"), ("1", "01", "*"), ("2", "23", "*"), ("3", "23", "*")))
DISTANCES = (Nominal(), Ordered(), Numeric(), Hierarchical(PAIRS), Ordered(nulls="drop"))
TENS = Hierarchy(tuple((str(age), f"{age // 2}", f"{age // 4}", "*") for age in range(10)))


def observed(values):
    counts = Counter(values)
    kind = "text" if any(isinstance(value, str) for value in counts) else "number"
    return Observed(list(counts), np.array([*counts.values()], dtype=np.int64), kind)


def quasi_of(name, values, hierarchy=None, **options):
    """A quasi-identifier and the code of every row; without a hierarchy, numbers on a line."""
    seen = observed(values)
    flat = Hierarchy(tuple((str(value), "*") for value in sorted({*values} - {None})) or (("none", "*"),))
    made, codes = prepared(name, seen, hierarchy or flat, inferred=hierarchy is None, **options)
    code_of = dict(zip(seen.values, codes.tolist(), strict=True))
    return made, [code_of[value] for value in values]


def problem_of(quasi, sensitive, require, *, suppress=0):
    """The problem of a table by columns: quasi-identifiers with codes, and sensitive values with a distance.

    ``require`` has requirements by the number of the sensitive attribute, and those of class sizes under None.
    """
    columns, domains = [codes for _, codes in quasi], []
    for at, (values, distance) in enumerate(sensitive):
        seen = observed(values)
        domain, ranks = arranged(f"s{at}", seen, distance)
        rank_of = dict(zip(seen.values, ranks.tolist(), strict=True))
        domains.append(domain)
        columns.append([rank_of[value] for value in values])
    rows, counts = np.unique(np.array(columns, dtype=np.int32).T, axis=0, return_counts=True)
    tasks = tuple(Task(each.model, at, (each,)) for at, wanted in require.items() for each in requirements(wanted))
    number = len(quasi)
    return Problem(
        tuple(made for made, _ in quasi),
        np.ascontiguousarray(rows[:, :number]),
        np.ascontiguousarray(rows[:, number:]),
        counts.astype(np.int64),
        tuple(domains),
        tasks,
        Fraction(suppress),
    )


KINDS = {
    "line": (st.integers(0, 4) | st.integers(0, 100), None),
    "line with gaps": (st.sampled_from([0, 1, 50, None]), None),
    "line over leaves": (st.integers(0, 9), TENS),
    "tree": (st.sampled_from("abcdef"), TREE),
    "tree with gaps": (st.sampled_from([*"abf", None]), TREE),
    "constant": (st.just(7), None),
}


@st.composite
def problems(draw, most_rows=14, suppress=(0,)):
    """Problems heavy with ties: few values, k up to all rows, t from 0 on, one or two sensitive attributes."""
    rows = draw(st.integers(1, most_rows))
    quasi = []
    for at in range(draw(st.integers(1, 3))):
        values, hierarchy = KINDS[draw(st.sampled_from(sorted(KINDS)))]
        column = draw(st.lists(values, min_size=rows, max_size=rows))
        options = {}
        if hierarchy is not None:
            options = {"intervals": draw(st.booleans()), "levels": draw(st.sampled_from([(0, 3), (1, 3), (0, 2)]))}
        quasi.append(quasi_of(f"q{at}", column, hierarchy, **options))
    sensitive, require = [], {None: {"k": draw(st.integers(1, rows))}}
    for at in range(draw(st.integers(1, 2))):
        values = st.integers(0, draw(st.integers(0, 3)))
        chosen = draw(st.sampled_from(DISTANCES))
        column = draw(st.lists(values, min_size=rows, max_size=rows))
        if chosen.nulls == "drop":
            column = [*column[:-1], None] if rows > 1 else column
        sensitive.append((column, chosen))
        t = draw(st.sampled_from(["0", "0.1", "1/4", "1/3", "0.5", "1"]))
        more = draw(st.sampled_from([{}, {"l": 2}, {"entropy_l": "1.5"}, {"beta": 1}]))
        require[at] = {"t": t, **more}
    return problem_of(quasi, sensitive, require, suppress=draw(st.sampled_from(suppress)))


def distance(counts, domain):
    """The earth mover's distance of counts of values from the domain's, by the definition of each ground distance."""
    total, reference, values = sum(counts), domain.counts.tolist(), list(domain.values)
    gaps = [Fraction(own, total) - Fraction(all_, sum(reference)) for own, all_ in zip(counts, reference, strict=True)]
    if isinstance(domain.distance, Nominal):
        return sum((abs(gap) for gap in gaps), Fraction(0)) / 2
    if isinstance(domain.distance, Hierarchical):
        by_pair = {
            pair: sum(gap for gap, value in zip(gaps, values, strict=True) if value // 2 == pair) for pair in (0, 1)
        }
        return (sum((abs(gap) for gap in gaps), Fraction(0)) + sum(abs(gap) for gap in by_pair.values())) / 4
    steps = [1] * (len(values) - 1)
    if isinstance(domain.distance, Numeric):
        steps = [after - before for before, after in pairwise(values)]
    moved = [abs(running) * step for running, step in zip(accumulate(gaps), steps, strict=False)]
    return sum(moved, Fraction(0)) / max(sum(steps), 1)


def meets_k_and_t(problem, pieces):
    """Whether a class of (row, count) pieces meets the requirements on k and t."""
    size = sum(count for _, count in pieces)
    for task in problem.tasks:
        threshold = task.requirements[0].threshold
        if task.model.key == "k" and size < threshold:
            return False
        if task.model.key == "t":
            domain = problem.domains[task.attribute]
            counts = [0] * len(domain.counts)
            for row, count in pieces:
                if problem.ranks[row, task.attribute] >= 0:
                    counts[problem.ranks[row, task.attribute]] += count
            if any(counts) and distance(counts, domain) > threshold:
                return False
    return True


def classes_of(partition):
    """The (row, count) pieces of every class."""
    found = defaultdict(list)
    for row, number, count in zip(
        partition.rows.tolist(), partition.classes.tolist(), partition.counts.tolist(), strict=True
    ):
        found[number].append((row, count))
    return found


def check_release(problem, partition):
    """A release that is whole, meets the requirements, and whose cells cover their rows."""
    check_whole(problem, partition)
    assert not failing_classes(problem, partition).any()
    cells = partition.cells
    for number, pieces in classes_of(partition).items():
        if number < 0:
            continue
        assert meets_k_and_t(problem, pieces) or partition.suppressed()
        for column, quasi in enumerate(problem.quasi):
            level, first, last = (int(x[number, column]) for x in (cells.levels, cells.first, cells.last))
            codes = problem.codes[[row for row, _ in pieces], column]
            if level == INTERVAL:
                assert first <= codes.min() <= codes.max() <= last < len(quasi.places)
                assert len({*quasi.levels[quasi.top].nodes[codes].tolist()}) == 1
            else:
                assert quasi.lowest <= level <= quasi.top
                assert (quasi.levels[level].nodes[codes] == first).all()


def check_together(problem, partition):
    """Rows with the same quasi-identifiers are in one class."""
    class_of = {}
    for row, number in zip(partition.rows.tolist(), partition.classes.tolist(), strict=True):
        assert class_of.setdefault(tuple(problem.codes[row].tolist()), number) == number


def compartments(problem):
    """The pieces of rows that the limited levels allow in one class."""
    found = defaultdict(list)
    for row, codes in enumerate(problem.codes.tolist()):
        tops = tuple(int(quasi.levels[quasi.top].nodes[code]) for quasi, code in zip(problem.quasi, codes, strict=True))
        found[tops].append((row, int(problem.counts[row])))
    return list(found.values())


@st.composite
def divided_problems(draw):
    """A problem and its rows in some classes of each compartment, some of them left out."""
    problem = draw(problems())
    classes = np.zeros(len(problem.counts), dtype=np.int64)
    for at, pieces in enumerate(compartments(problem)):
        for row, _ in pieces:
            classes[row] = draw(st.integers(-1, 2)) + 3 * at if draw(st.booleans()) else 3 * at
    classes[classes % 3 == 2] = -1
    kept = classes >= 0
    classes[kept] = np.unique(classes[kept], return_inverse=True)[1]
    rows = np.arange(len(classes))
    cells = hulls(problem, rows, classes, int(classes.max(initial=-1)) + 1)
    return problem, Partition(rows, classes, problem.counts, cells)
