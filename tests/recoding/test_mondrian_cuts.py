"""Cuts: what each piece holds, counted row by row, and how near a threshold it is."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recoding.cutting_problems import problem_of, problems, quasi_of
from tclose.anonymization.algorithms.hyperrectangles import Axis, Boxes
from tclose.anonymization.algorithms.mondrian import cutting, mondrian
from tclose.anonymization.algorithms.mondrian.cuts import Cuts, Parts, Profile, runs_along
from tclose.anonymization.algorithms.mondrian.cutting import RowsHere, cut_here
from tclose.anonymization.algorithms.mondrian.scoring import Judge
from tclose.anonymization.algorithms.partition import cell_costs, hulls
from tclose.anonymization.algorithms.search import Search
from tclose.policy.roles import Nominal


def labelled(problem, boxes):
    """The rows of whole compartments, the runs along each axis, and the rows with their labels."""
    rows = RowsHere.of(problem, boxes, boxes.compartments)
    runs = [
        runs_along(axis, column, rows.parts, profile, problem.k)
        for column, (axis, profile) in enumerate(zip(boxes.axes, rows.profiles(), strict=True))
    ]
    return rows, runs, list(rows.labelled(runs))


@given(problems(most_rows=30))
@settings(deadline=None, max_examples=100)
def test_every_piece_has_k_rows_and_is_counted_and_boxed_right(problem):
    boxes = Boxes.of(problem)
    whole, runs, every = labelled(problem, boxes)
    for some, each in zip(runs, every, strict=True):
        cuts = Cuts.of(some, each)
        sizes, low, high = cuts.boxed()
        pieces = cuts.pieces
        found = np.zeros(len(cuts.part), dtype=np.int64)
        for at, size in enumerate(sizes.tolist()):
            inside = (each.labels >= pieces.begin[at]) & (each.labels < pieces.end[at])
            rows = np.flatnonzero((boxes.compartments == pieces.part[at]) & (inside != pieces.outside[at]))
            assert size == problem.counts[rows].sum() >= problem.k
            assert (low[at] == boxes.positions[rows].min(axis=0)).all()
            assert (high[at] == boxes.positions[rows].max(axis=0)).all()
            found[pieces.cut[at]] += size
        assert (found == whole.parts.sizes[cuts.part]).all()


@given(problems(most_rows=30))
@settings(deadline=None, max_examples=100)
def test_a_label_is_found_by_the_part_and_the_position_of_a_row(problem):
    boxes = Boxes.of(problem)
    _, runs, every = labelled(problem, boxes)
    for axis, (some, each) in enumerate(zip(runs, every, strict=True)):
        assert some.label_at(boxes.compartments, boxes.positions[:, axis]).tolist() == each.labels.tolist()


def test_parts_that_are_alike_are_cut_alike_whatever_their_number():
    """Of tenths, (0.1 + 0.7) / 2 is below 0.4 in floats; 4 + (0.1 + 0.7) / 2 is not below 4 + 0.4."""
    assert (0.1 + 0.7) / 2 < 0.4
    assert not 4 + (0.1 + 0.7) / 2 < 4 + 0.4
    axis = Axis.of(quasi_of("q", list(range(11)))[0])
    assert axis.last.tolist() == [at / 10 for at in range(11)]
    parts, entries = 3, 7
    profile = Profile(
        np.arange(parts + 1) * entries, np.tile(np.arange(1, 8, dtype=np.int32), parts), np.array([1000, *[1] * 6] * 3)
    )
    box = np.ones((parts, 1), dtype=np.int32)
    runs = runs_along(axis, 0, Parts(np.full(parts, 1006), box, 7 * box), profile, 1)
    assert runs.position.reshape(parts, -1).tolist() == [[1, 2, 4]] * parts


@given(problems(most_rows=30))
@settings(deadline=None, max_examples=100)
def test_a_box_costs_what_the_cells_of_its_rows_cost(problem):
    boxes = Boxes.of(problem)
    parts = RowsHere.of(problem, boxes, boxes.compartments).parts
    rows = np.arange(len(problem.counts))
    costs = cell_costs(problem, hulls(problem, rows, boxes.compartments, parts.number)) @ problem.weights
    np.testing.assert_allclose(boxes.losses(parts.low, parts.high), costs, atol=1e-12)


def cut_at(values, sensitive, k, t):
    problem = problem_of([quasi_of("q", values)], [(sensitive, Nominal())], {None: {"k": k}, 0: {"t": t}})
    return sorted(mondrian.find(problem, Search()).sizes().tolist())


def test_a_distance_of_exactly_t_is_allowed_although_its_float_is_above():
    """8/10 − 1/2 is 0.3, but 0.8 − 0.5 > 0.3 in floats."""
    assert 0.8 - 0.5 > 0.3
    sensitive = ["x"] * 8 + ["y"] * 2 + ["x"] * 2 + ["y"] * 8
    assert cut_at([1] * 10 + [2] * 10, sensitive, 1, "0.3") == [10, 10]
    assert cut_at([1] * 10 + [2] * 10, sensitive, 1, "0.2999999999999999999") == [20]


def test_a_line_is_also_cut_in_the_middle_of_its_width():
    """Of 102 rows the last three lie far off, and are distributed as the others: no tenth parts them without loss."""
    values = [*range(99), 1000, 1001, 1002]
    sensitive = ["x"] * 33 + ["y"] * 33 + ["z"] * 33 + ["x", "y", "z"]
    assert cut_at(values, sensitive, 3, "0") == [3, 99]


@given(problems(most_rows=60), st.integers(1, 12), st.integers(1, 3))
@settings(deadline=None, max_examples=100)
def test_parts_that_are_cut_share_by_share_become_the_classes_of_all_cut_together(problem, share, threads):
    boxes, judge = Boxes.of(problem), Judge.of(problem)
    together = cut_here(problem, boxes, boxes.compartments, judge, lambda _done: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "SHARE", share)
        shares = cut_here(problem, boxes, boxes.compartments, judge, lambda _done: None, threads)
    assert shares.tolist() == together.tolist()


@given(problems(most_rows=40))
@settings(deadline=None, max_examples=100)
def test_what_nobody_asks_of_an_attribute_has_no_say_in_the_cuts(problem):
    by_size = replace(problem, tasks=tuple(task for task in problem.tasks if task.attribute is None))
    without = replace(by_size, domains=(), ranks=problem.ranks[:, :0])
    boxes = Boxes.of(problem)
    found = [
        cut_here(each, boxes, boxes.compartments, Judge.of(each), lambda _done: None) for each in (by_size, without)
    ]
    assert found[0].tolist() == found[1].tolist()
