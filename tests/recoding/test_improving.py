"""Improvement by moves and gathering: nothing gets worse, every law of releases holds, and threads decide nothing."""

from __future__ import annotations

import threading
from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from recoding.aggregation_problems import (
    assert_covered,
    compartments_hold,
    line_quasi,
    problem_of,
    problems,
    tree_quasi,
)
from tclose.anonymization.algorithms import gather as method
from tclose.anonymization.algorithms import merge
from tclose.anonymization.algorithms.checking import failing_classes
from tclose.anonymization.algorithms.closeness import closeness
from tclose.anonymization.algorithms.gather import find, first_size
from tclose.anonymization.algorithms.hyperrectangles import Boxes
from tclose.anonymization.algorithms.local_search import annealing as step
from tclose.anonymization.algorithms.local_search import costs as shapes
from tclose.anonymization.algorithms.local_search import regions
from tclose.anonymization.algorithms.local_search.annealing import improved
from tclose.anonymization.algorithms.local_search.costs import Limits, columns_of, shapes_of
from tclose.anonymization.algorithms.losses.catalogue import LOSSES
from tclose.anonymization.algorithms.mondrian import mondrian
from tclose.anonymization.algorithms.partition import Partition, check_whole, hulls, kept_detail
from tclose.anonymization.algorithms.search import Search
from tclose.models import kernels
from tclose.policy.roles import Nominal, Ordered

REQUIRED = st.sampled_from([{}, {"l": 2}, {"t": "0.2", "js": "0.1"}, {"beta": "1"}, {"entropy_l": "1.5"}])
some = settings(max_examples=25, deadline=None)
BRIEF = 0.1


@st.composite
def posed(draw):
    """Problems with a quasi-identifier, of every kind of requirement, with and without rows that may be left out."""
    require = draw(REQUIRED)
    problem = draw(problems(require=require or None).filter(lambda made: made.quasi))
    return replace(problem, suppress=draw(st.sampled_from([Fraction(0), Fraction(1, 4)])), seed=draw(st.integers(0, 2)))


def assert_release(problem, release, *, whole):
    """Every law of releases: each row once, cells that cover, requirements met, look-alikes together."""
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
@given(problem=posed(), loss=st.sampled_from(["lm", "gcp", "arx", "precision", "nue", "dm"]))
def test_gathering_finds_a_release_of_whole_classes_wherever_there_is_one(problem, loss):
    release = find(problem, Search(loss=LOSSES[loss], effort=BRIEF))
    if release is None:
        assert problem.suppress or not compartments_hold(problem)
        return
    assert_release(problem, release, whole=True)


@some
@given(problem=posed(), whole=st.booleans(), loss=st.sampled_from(["lm", "gcp", "arx", "precision", "nue"]))
def test_an_improvement_is_a_release_and_never_worse_than_its_start(problem, whole, loss):
    search = Search(loss=LOSSES[loss], whole_classes=whole, effort=BRIEF)
    start = merge.find(problem, search)
    if start is None or failing_classes(problem, start).any():
        return
    release = improved(problem, start, search)
    assert_release(problem, release, whole=whole)
    assert not search.loss(problem, release) > search.loss(problem, start)


def crowd(rows=400, seed=1, *, distance=None, t="0.3"):
    """Many rows of three columns, with sensitive values that follow one of them."""
    draw = np.random.default_rng(seed)
    towns = draw.choice(["a1", "a2", "a3", "b1", "b2", "c1"], rows)
    ages, years = draw.integers(0, 30, rows), draw.integers(0, 5, rows)
    illness = np.where(draw.random(rows) < 0.5, ages // 8, draw.integers(0, 5, rows))
    quasi = [tree_quasi("town", towns.tolist()), line_quasi("age", ages.tolist()), line_quasi("year", years.tolist())]
    sensitive = [("illness", illness.tolist(), distance or Nominal())]
    return problem_of(quasi, sensitive, {"k": 3, "t": t})


@pytest.mark.parametrize("distance", [Nominal(), Ordered()])
def test_the_same_release_on_any_number_of_threads(distance, monkeypatch):
    monkeypatch.setattr(regions, "MOST_CLASSES", 5)
    problem = crowd(distance=distance)
    made = [find(problem, Search(effort=BRIEF, threads=threads)) for threads in (1, 2, 5)]
    for other in made[1:]:
        np.testing.assert_array_equal(made[0].rows, other.rows)
        np.testing.assert_array_equal(made[0].classes, other.classes)


@pytest.mark.parametrize("t", ["1", "0.3"])
def test_the_same_release_however_many_positions_make_a_stretch(t, monkeypatch):
    draw = np.random.default_rng(5)
    wealth = draw.exponential(1e6, 600)
    columns = [(wealth * draw.uniform(0.5, 1.5, 600)).astype(int).tolist() for _ in range(4)]
    columns[1] = [None if value % 9 == 0 else value for value in columns[1]]
    quasi = [line_quasi(f"income {at}", column) for at, column in enumerate(columns)]
    problem = problem_of(quasi, [("job", draw.integers(0, 4, 600).tolist(), Nominal())], {"k": 4, "t": t})
    monkeypatch.setattr(shapes, "FEW_POSITIONS", 1)
    made = []
    for number in (1, 3, 50, 600):
        monkeypatch.setattr(shapes, "MOST_STRETCHES", number)
        made.append(find(problem, Search(effort=BRIEF)).classes)
    for other in made[1:]:
        np.testing.assert_array_equal(made[0], other)


@some
@given(problem=posed(), few=st.integers(1, 3), many=st.integers(1, 3))
def test_no_bound_on_the_cost_of_a_stretch_is_too_high(problem, few, many):
    """What any position of a stretch costs is what the nearest one to the class costs, or more."""
    loops = kernels.plain("annealing")
    boxes = Boxes.of(problem)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shapes, "FEW_POSITIONS", few)
        patch.setattr(shapes, "MOST_STRETCHES", many)
        described = shapes_of(columns_of(problem, boxes, "lm"))
    own = boxes.positions[boxes.compartments == 0]
    box = np.stack([own.min(axis=0), own.max(axis=0)])
    width = box.shape[1]
    classes = SimpleNamespace(
        low=np.full((1, width), -1), high=np.full((1, width), -1), box=box, parts=np.zeros((1, width)),
        joins=np.full((len(described.stretches), 1), np.nan),
    )  # fmt: skip
    loops._fill_pairs(described)
    loops._set_cells(described, classes, 0, 0)
    for q in range(width):
        costs = {}
        for position in np.unique(boxes.positions[:, q]).tolist():
            low, high = min(position, box[0, q]), max(position, box[1, q])
            at = described.stretch_of[described.columns[q, loops.END] + position]
            costs.setdefault(int(at), []).append(loops._cell_cost(described, q, low, high))
        for at, found in costs.items():
            assert classes.joins[at, 0] == min(found)


@some
@given(seed=st.integers(0, 10_000), on_line=st.booleans(), bound=st.sampled_from([0.05, 0.2, 0.5, 1.0]))
@example(seed=2150, on_line=False, bound=0.05)
def test_no_class_is_beyond_its_limits_by_less_than_is_foreseen(seed, on_line, bound):
    """Distances are convex, so that their slopes at a class bound what it is beyond its limits by with a unit more."""
    loops = kernels.plain("annealing")
    draw = np.random.default_rng(seed)
    classes, units, cells = 6, 5, 4
    expected = draw.dirichlet(np.ones(cells))
    shares = np.stack([np.cumsum(expected) if on_line else expected, np.full(cells, 1.0 / (cells - 1))], axis=1)
    limits = Limits(np.array([[0, cells, int(on_line)]]), shares, np.array([bound]), 5)
    held, added = (draw.integers(0, 4, (number, cells)).astype(float) for number in (classes, units))
    mass, unit = (np.column_stack([np.cumsum(n, axis=1) if on_line else n, n.sum(axis=1)]) for n in (held, added))
    crowd_of = loops.Units(None, None, unit, None)
    begins = np.zeros(units + 1, np.int64)
    number = loops._write_entries(limits, crowd_of, loops.Entries(begins, np.zeros(0, int), np.zeros(0)))
    entries = loops.Entries(begins, np.zeros(number, np.int32), np.zeros(number, np.float32))
    loops._write_entries(limits, crowd_of, entries)
    rows = mass[:, -1].astype(np.float32)
    standing = SimpleNamespace(
        rows=rows, mass=mass, pulls=np.zeros((cells + 1, classes), np.float32),
        beyond=np.zeros((1, classes), np.float32),
    )  # fmt: skip
    for c in range(classes):
        loops._set_pulls(limits, standing, c)
    for u in range(units):
        weight, scan = unit[u, -1], loops.Scan(classes)
        loops._add_foreseen_excess(limits, entries, standing, scan, u, np.float32(weight), np.float32(1.0))
        for c in range(classes):
            exact = loops._excess(limits, int(rows[c] + weight), mass, c, unit, u, 1.0)
            assert float(scan.foreseen[c]) * loops.SURELY <= exact


@pytest.mark.parametrize("threads", [1, 3])
def test_whoever_is_told_may_stop_between_regions(threads, monkeypatch):
    monkeypatch.setattr(regions, "MOST_CLASSES", 5)
    told = []

    def tell(stage, share):
        if stage.startswith("Gathering"):
            told.append(share)
            if share > told[0]:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        find(crowd(), Search(effort=BRIEF, threads=threads, tell=tell))
    assert told[-1] - told[0] < 0.1
    left = [thread for thread in threading.enumerate() if thread.name.startswith("ThreadPoolExecutor")]
    for thread in left:
        thread.join(60)
    assert not [thread for thread in left if thread.is_alive()]


def test_regions_still_improve(monkeypatch):
    monkeypatch.setattr(regions, "MOST_CLASSES", 5)
    problem, search = crowd(), Search(whole_classes=True)
    start = merge.find(problem, search)
    assert kept_detail(problem, improved(problem, start, search)) > kept_detail(problem, start)


def test_another_seed_is_another_search():
    problem = crowd()
    made = {kept_detail(replace(problem, seed=seed), find(replace(problem, seed=seed), Search())) for seed in range(3)}
    assert len(made) > 1


def test_several_starts_and_more_effort_never_keep_less(monkeypatch):
    """Where values go along with a column, classes of a sample's size are too large to begin with."""
    problems = [crowd(160, seed, t=t) for seed in range(3) for t in ("0.1", "0.25")]
    several = [kept_detail(problem, find(problem, Search())) for problem in problems]
    at_once = [kept_detail(problem, find(problem, Search(effort=0))) for problem in problems]
    monkeypatch.setattr(method, "PARTS", (1,))
    one = [kept_detail(problem, find(problem, Search())) for problem in problems]
    assert all(more >= less - 1e-12 for more, less in zip(several, at_once, strict=True))
    assert all(more >= less - 1e-12 for more, less in zip(several, one, strict=True))
    assert sum(several) > sum(one)


def test_no_effort_leaves_a_release_as_it_is():
    problem, search = crowd(), Search(effort=0)
    start = merge.find(problem, search)
    assert improved(problem, start, search) is start


@some
@given(problem=posed(), data=st.data())
@pytest.mark.parametrize("loss", ["lm", "gcp", "precision", "nue"])
def test_what_the_loops_take_a_cell_to_cost_adds_up_to_the_loss(problem, data, loss):
    cell_cost = kernels.plain("annealing")._cell_cost
    steps = [quasi.interval_ends for quasi in problem.quasi if quasi.places is not None]
    assume(loss != "precision" or all(np.array_equal(first, last) for first, last in steps))
    boxes = Boxes.of(problem)
    rows = np.arange(len(problem.counts))
    drawn = data.draw(st.lists(st.integers(0, 2), min_size=len(rows), max_size=len(rows)))
    apart = boxes.compartments * 3 + np.array(drawn)
    classes = np.unique(apart, return_inverse=True)[1]
    release = Partition(rows, classes, problem.counts, hulls(problem, rows, classes, int(classes.max()) + 1))
    described = shapes_of(columns_of(problem, boxes, loss))
    total = 0.0
    for number, size in enumerate(release.sizes().tolist()):
        own = boxes.positions[classes == number]
        for q, (low, high) in enumerate(zip(own.min(axis=0).tolist(), own.max(axis=0).tolist(), strict=True)):
            total += size * cell_cost(described, q, low, high)
    if loss == "nue":
        alone = hulls(problem, rows, rows, len(rows))
        nothing_lost = LOSSES["nue"](problem, replace(release, classes=rows, cells=alone))
        bits = total * max(np.log2(problem.rows), 1.0)
        counts = [np.bincount(problem.codes[:, q], problem.counts) for q in range(len(problem.quasi))]
        own = sum(float((n[n > 0] * np.log2(n[n > 0])).sum()) for n in counts)
        assert nothing_lost == pytest.approx(0, abs=1e-6) or any(quasi.lowest for quasi in problem.quasi)
        assert bits - own == pytest.approx(LOSSES["nue"](problem, release), abs=1e-6)
    else:
        assert total / problem.rows / len(problem.quasi) == pytest.approx(LOSSES[loss](problem, release), abs=1e-9)


def test_the_first_size_is_one_at_which_a_sample_is_just_close():
    problem = crowd(2000, t="0.1")
    size = first_size(problem, closeness(problem))
    shares = problem.domains[0].counts / problem.rows
    drawn = np.random.default_rng(0).multinomial(size, shares, 20_000) / size
    assert np.abs(drawn - shares).sum(axis=1).mean() / 2 == pytest.approx(0.1, rel=0.1)


def test_few_rounds_pay_from_a_good_start(monkeypatch):
    """Where the work allows few rounds, a hot search would end above a start that moves alone still better."""
    monkeypatch.setattr(step, "WORK", 0)
    problems = [crowd(2_000, seed, t="0.3") for seed in range(4)]
    starts = [mondrian.find(problem, Search()) for problem in problems]
    after = [improved(problem, start, Search()) for problem, start in zip(problems, starts, strict=True)]
    for problem, start, end in zip(problems, starts, after, strict=True):
        assert kept_detail(problem, end) > kept_detail(problem, start)
