"""Peeling: whatever it releases on the way is close, nothing is lost, and leftovers find their place."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recoding.aggregation_problems import (
    assert_covered,
    compartments_hold,
    line_quasi,
    problem_of,
    problems,
    tree_quasi,
)
from tclose.recoding import merge
from tclose.recoding.checking import Checker, failing_classes
from tclose.recoding.losses.catalogue import LOSSES
from tclose.recoding.methods import found
from tclose.recoding.partition import INTERVAL, Partition, check_whole, hulls, kept_detail
from tclose.recoding.peel.closeness import closeness
from tclose.recoding.peel.leftovers import gathered, placed, taken_back
from tclose.recoding.peel.method import find
from tclose.recoding.peel.peeling import Peeler, PeelSettings, visits
from tclose.recoding.search import Search
from tclose.roles import Nominal, Ordered

REQUIRED = st.sampled_from([{}, {"l": 2}, {"t": "0.2", "js": "0.1"}, {"beta": "1"}, {"entropy_l": "1.5"}])
some = settings(max_examples=25, deadline=None)


@st.composite
def peelable(draw):
    """Problems with a quasi-identifier, with or without t."""
    require = draw(REQUIRED)
    problem = draw(problems(require=require or None).filter(lambda made: made.quasi))
    return replace(problem, suppress=draw(st.sampled_from([Fraction(0), Fraction(1, 4)])), seed=draw(st.integers(0, 2)))


@some
@given(problem=peelable(), whole=st.booleans())
def test_what_it_finds_meets_the_requirements_and_loses_no_row(problem, whole):
    release = find(problem, Search(whole_classes=whole))
    if release is None:
        assert problem.suppress or not compartments_hold(problem)
        return
    check_whole(problem, release)
    assert release.suppressed() <= problem.most_suppressed
    assert not failing_classes(problem, release).any()
    if not release.suppressed():
        assert_covered(problem, release)
    if whole:
        class_of = {}
        for row, number in zip(release.rows.tolist(), release.classes.tolist(), strict=True):
            assert class_of.setdefault(problem.tuples[0][row], number) == number


@some
@given(problem=peelable(), whole=st.booleans())
def test_on_a_tiny_table_it_loses_no_more_than_merging_does(problem, whole):
    search = Search(whole_classes=whole)
    merged, release = merge.find(problem, search), find(problem, search)
    if merged is not None:
        assert search.loss(problem, release) <= search.loss(problem, merged)


@some
@given(
    problem=peelable(),
    whole=st.booleans(),
    settings=st.builds(
        PeelSettings,
        st.sampled_from([0.0, 0.3]),
        st.sampled_from([0.0, 2.0]),
        carved=st.booleans(),
        nodes=st.just(100),
        shuffled=st.integers(0, 2),
    ),
)  # fmt: skip
def test_every_class_released_on_the_way_is_close(problem, whole, settings):
    done = Peeler(problem, whole=whole).peel(closeness(problem), settings, problem.counts, lambda _share: None)
    rows, classes, counts = done.pieces()
    assert (counts > 0).all()
    assert len(set(zip(rows.tolist(), classes.tolist(), strict=True))) == len(rows)
    assert np.array_equal(np.bincount(rows, counts, len(problem.counts)) + done.left, problem.counts)
    assert (np.bincount(classes, counts, done.number) >= problem.k).all()
    assert not Checker.of(problem).failing(rows, classes, counts, done.number).any()


def town_problem(require, highest=2):
    """Two letters of towns; a1 and a2 have x and y in balance, b1 is all x and c1 all y."""
    towns = ["a1"] * 4 + ["a2"] * 4 + ["b1"] * 2 + ["c1"] * 2
    ills = ["x", "y"] * 4 + ["x"] * 2 + ["y"] * 2
    return problem_of([tree_quasi("town", towns, highest)], [("ill", ills, Nominal())], require)


def test_close_classes_stay_fine_and_only_the_rest_is_generalised():
    """a1 and a2 are exactly like the table; b1 and c1 together are too, on the root. LM of the root is 1."""
    problem = town_problem({"k": 2, "t": "0"})
    release = find(problem, Search())
    assert sorted(release.cells.levels[:, 0].tolist()) == [0, 0, 2]
    assert kept_detail(problem, release) == pytest.approx(8 / 12)


def test_a_part_of_a_class_is_released_where_the_whole_is_not_close():
    """Of 6 x and 2 y in a1 half is y in the table: 2 x and 2 y are exactly like it, and so is the rest with b1."""
    towns, ills = ["a1"] * 8 + ["b1"] * 4, ["x"] * 6 + ["y"] * 2 + ["y"] * 4
    problem = problem_of([tree_quasi("town", towns)], [("ill", ills, Nominal())], {"t": "0"})
    release = find(problem, Search())
    assert kept_detail(problem, release) == pytest.approx(4 / 12)
    assert kept_detail(problem, find(problem, Search(whole_classes=True))) == 0


def everything_waiting(problem):
    rows = np.arange(len(problem.counts))
    return Partition(
        rows, np.full(len(rows), -1), problem.counts, hulls(problem, rows[:0], rows[:0], 0)
    )  # fmt: skip


def test_where_no_class_was_released_nothing_is_taken_back():
    problem = town_problem({"k": 12})
    peeler = Peeler(problem, whole=False)
    waiting = everything_waiting(problem)
    assert taken_back(problem, waiting, closeness(problem), peeler.kinds) is waiting


def one_class_and_leftovers(problem, chosen):
    """A partition with one class of the chosen rows, the others in none."""
    rows = np.arange(len(problem.counts))
    classes = np.where(np.isin(rows, chosen), 0, -1)
    return Partition(rows, classes, problem.counts, hulls(problem, rows, classes, 1))


def test_leftovers_of_several_compartments_make_a_class_each():
    """Towns are published by letter at most, so that leftovers of b and of c never share a class."""
    problem = town_problem({"k": 2, "t": "0.5"}, highest=1)
    release = one_class_and_leftovers(problem, np.flatnonzero(problem.tuples[0] <= 1))
    settled = taken_back(problem, release, closeness(problem), Peeler(problem, whole=False).kinds)
    assert_covered(problem, settled)
    assert settled.number == 3
    assert settled.cells.levels[:, 0].tolist() == [1, 0, 0]


def test_a_leftover_on_a_line_joins_no_class_beyond_its_limit():
    """Ages 1 and 2 are under one node and 9 under another, and nothing coarser may be published."""
    from recoding.aggregation_problems import observed
    from tclose.hierarchies import Hierarchy
    from tclose.recoding.quasi import prepared

    ages = [1, 1, 2, 2, 9]
    tree = Hierarchy((("1", "low", "*"), ("2", "low", "*"), ("9", "high", "*")))
    quasi, codes = prepared("age", observed(ages), tree, inferred=True, levels=(0, 1))
    code_of = dict(zip(observed(ages).values, codes.tolist(), strict=True))
    problem = problem_of([(quasi, [code_of[age] for age in ages])], [("ill", list("xyxyx"), Nominal())], {"t": "0.9"})
    peeler = Peeler(problem, whole=False)
    release = one_class_and_leftovers(problem, np.flatnonzero(problem.codes[:, 0] < 2))
    joined = placed(problem, release, closeness(problem), peeler.kinds, peeler.visits(10).node_of, 4.0)
    check_whole(problem, joined)
    assert joined.suppressed() == 1
    assert joined.cells.levels.tolist() == [[INTERVAL]]


@some
@given(problem=peelable(), most=st.sampled_from([1, 3, 10, 1000]))
def test_the_finest_and_the_coarsest_node_are_visited_and_costs_ascend(problem, most):
    path = visits(problem, most).nodes
    every = int(np.prod([quasi.top - quasi.lowest + 1 for quasi in problem.quasi]))
    assert len({*map(tuple, path.tolist())}) == len(path) <= max(every, 1)
    assert all(
        quasi.lowest <= level <= quasi.top
        for node in path.tolist()
        for quasi, level in zip(problem.quasi, node, strict=True)
    )
    if most >= every:
        assert len(path) == every
    if most > 1:
        assert tuple(path[-1]) == tuple(quasi.top for quasi in problem.quasi)


@some
@given(pieces=st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 3), st.integers(1, 5)), max_size=20))
def test_gathered_pieces_are_the_same_rows_added_up(pieces):
    rows, classes, counts = (np.array([piece[at] for piece in pieces], dtype=np.int64) for at in range(3))
    expected = {}
    for row, number, count in pieces:
        expected[row, number] = expected.get((row, number), 0) + count
    made = gathered(rows, classes, counts)
    assert len(made[0]) == len(expected)
    assert {(r, c): n for r, c, n in zip(*(part.tolist() for part in made), strict=True)} == expected


@settings(max_examples=15, deadline=None)
@given(problem=peelable(), key=st.sampled_from(["lm", "gcp", "dm", "nue", "aecs"]))
def test_auto_is_no_worse_than_peeling(problem, key):
    search = Search(loss=LOSSES[key])
    alone, best = found("peel", problem, search), found("auto", problem, search)
    assert alone is None or best.loss <= alone.loss


def test_a_line_of_many_values_is_close_exactly():
    """300 values on a line: the loop looks at 128 bins, and the classes are within t none the less."""
    chance = np.random.default_rng(4)
    problem = problem_of(
        [line_quasi("age", chance.integers(20, 60, 1500).tolist())],
        [("pay", chance.integers(0, 300, 1500).tolist(), Ordered())],
        {"k": 5, "t": "0.1"},
    )
    release = find(problem, Search())
    check_whole(problem, release)
    assert not failing_classes(problem, release).any()
    assert release.number > 1
