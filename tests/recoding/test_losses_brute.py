"""Losses against plain loops over rows and cells, and the laws they keep, on small random tables."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from recoding.losses_problems import at_node, in_classes, problem_of, released, without
from tclose.anonymization.algorithms.associations import marginal_distances, positions
from tclose.anonymization.algorithms.losses.catalogue import LOSSES, all_losses, losses_by_column
from tclose.anonymization.algorithms.partition import INTERVAL, hulls, published
from tclose.data.hierarchies import Hierarchy
from tclose.policy.roles import Nominal, Ordered

PLACES = Hierarchy(
    (
        ("Rome", "Italy", "south", "*"),
        ("Oslo", "Norway", "north", "*"),
        ("Pisa", "Italy", "south", "*"),
        ("Nice", "France", "south", "*"),
        ("Bergen", "Norway", "north", "*"),
        ("Malmö", "Sweden", "north", "*"),
    )
)
"""Countries whose cities do not stand together."""
YEARS = Hierarchy(tuple((str(year), f"{year // 3 * 3}–", "*") for year in range(12)))
INCOMES = (0, 10, 11, 30, 100)
BANDS = Hierarchy(
    (("0", "low", "*"), ("10", "low", "*"), ("11", "low", "*"), ("30", "high", "*"), ("100", "high", "*"))
)

seeds = pytest.mark.parametrize("seed", range(12))


def random_problem(seed, *, missing=False, weights=None, rows=40):
    """A table of some rows: places without an order, years over a given hierarchy, incomes over their own line."""
    draw = np.random.default_rng(seed)
    places = draw.choice(PLACES.leaves, rows).tolist()
    years = draw.choice([0, 1, 2, 5, 7, 11], rows).tolist()
    incomes = draw.choice(INCOMES, rows).tolist()
    if missing:
        places[:3] = [None] * 3
    return problem_of(
        {"place": (places, PLACES), "year": (years, YEARS), "income": (incomes, BANDS)},
        [
            ("illness", draw.choice(list("abcd"), rows).tolist(), Nominal()),
            ("grade", draw.integers(4, size=rows).tolist(), Ordered()),
        ],
        {"k": 2},
        inferred=("income",),
        weights=weights,
        seed=seed,
    )


def random_release(problem, seed):
    """Rows in five classes by chance, some of them divided, some left out."""
    draw = np.random.default_rng(seed + 1000)
    each = np.repeat(np.arange(len(problem.counts)), problem.counts)
    near = problem.codes[each, 0] % 2 * 2 + (problem.codes[each, 2] > 2)
    classes = np.where(draw.random(len(each)) < 0.8, near, draw.integers(-1, 5, size=len(each)))
    pieces, counts = np.unique(np.stack([each, classes], axis=1), axis=0, return_counts=True)
    return released(problem, pieces[:, 0].copy(), pieces[:, 1].copy(), counts)


def listed_rows(problem, partition):
    """Return each row of the table: its codes, its ranks, and its cells as sets of codes (None: left out)."""
    found = []
    for row, number, count in zip(partition.rows, partition.classes, partition.counts, strict=True):
        cells = None if number < 0 else cells_of(problem, partition.cells, number)
        found += [(problem.codes[row].tolist(), problem.ranks[row].tolist(), cells)] * int(count)
    return found


def cells_of(problem, cells, number):
    """Return the cells of a class: level, node (or None), and the codes that it may stand for."""
    found = []
    for column, quasi in enumerate(problem.quasi):
        level, first, last = (int(part[number, column]) for part in (cells.levels, cells.first, cells.last))
        if level == INTERVAL:
            found.append((level, None, frozenset(range(first, last + 1))))
        else:
            nodes = quasi.levels[level].nodes.tolist()
            found.append((level, first, frozenset(code for code, node in enumerate(nodes) if node == first)))
    return tuple(found)


def leaves_in(quasi, tree, codes):
    """Return how many leaves the smallest node over some values covers."""
    texts = [str(quasi.values[code]) for code in codes]
    level = next(at for at in range(tree.height + 1) if len({tree.ancestor(text, at) for text in texts}) == 1)
    return level, sum(tree.ancestor(leaf, level) == tree.ancestor(texts[0], level) for leaf in tree.leaves)


def looped(problem, rows):
    """Return the losses that need only cells, from their definitions."""
    lm, gcp, level_share, bits = [0.0] * 3, [0.0] * 3, 0.0, 0.0
    held = [Counter(codes[column] for codes, _, _ in rows) for column in range(3)]
    for codes, _, cells in rows:
        for column, (quasi, tree) in enumerate(zip(problem.quasi, (PLACES, YEARS, BANDS), strict=True)):
            if cells is None:
                lm[column] += 1
                gcp[column] += 1
                level_share += 1
                bits -= math.log2(held[column][codes[column]] / len(rows))
                continue
            level, _, values = cells[column]
            bits -= math.log2(held[column][codes[column]] / sum(held[column][code] for code in values))
            lowest, leaves = leaves_in(quasi, tree, values)
            level_share += (lowest if level == INTERVAL else level) / tree.height
            numbers = [quasi.values[code] for code in values]
            if column == 0:
                lm[0] += (leaves - 1) / 5
                gcp[0] += leaves / 6 if leaves > 1 else 0
            elif level == len(quasi.levels) - 1:
                lm[column] += 1
                gcp[column] += 1
            else:
                width = (max(numbers) - min(numbers)) / (11 if column == 1 else max(quasi.values) - min(quasi.values))
                lm[column] += width
                gcp[column] += width
    by_column = [total / len(rows) for total in lm]
    return {
        "lm": sum(by_column) / 3,
        "gcp": sum(gcp) / len(rows) / 3,
        "arx": math.prod(1 + each for each in by_column) ** (1 / 3) - 1,
        "precision": level_share / len(rows) / 3,
        "nue": bits,
        "dm": sum(len(rows) if cells is None else sum(cells == other for *_, other in rows) for *_, cells in rows),
        "dm_star": sum(0 if cells is None else sum(cells == other for *_, other in rows) for *_, cells in rows),
        "aecs": len(rows) / len({cells for *_, cells in rows}),
        "c_avg": len(rows) / len({cells for *_, cells in rows}) / 2,
        "sse": looped_variance(problem, rows),
    }, by_column  # fmt: skip


def looped_variance(problem, rows):
    """Return the lost variance of the years and incomes on z-scores."""
    lost, total = 0.0, 0.0
    for column in (1, 2):
        numbers = [problem.quasi[column].values[codes[column]] for codes, _, _ in rows]
        mean, spread = np.mean(numbers), np.std(numbers)
        scores = [(number - mean) / spread for number in numbers]
        for score, (*_, cells) in zip(scores, rows, strict=True):
            mates = [other for other, (*_, same) in zip(scores, rows, strict=True) if same == cells]
            lost += (score - (0 if cells is None else np.mean(mates))) ** 2
            total += score**2
    return 100 * lost / total


@seeds
def test_losses_are_what_loops_over_rows_find(seed):
    problem = random_problem(seed)
    partition = random_release(problem, seed)
    rows = listed_rows(problem, partition)
    assert len(rows) == 40
    expected, by_column = looped(problem, rows)
    assert {key: LOSSES[key].of(problem, partition) for key in expected} == pytest.approx(expected, rel=1e-12)
    assert list(losses_by_column(problem, partition).values()) == pytest.approx(by_column, rel=1e-12)


def test_the_random_releases_have_all_that_can_go_wrong():
    releases = [(problem, random_release(problem, seed)) for seed in range(12) for problem in [random_problem(seed)]]
    assert any(partition.suppressed() for _, partition in releases)
    assert any(len(partition.rows) > len(problem.counts) for problem, partition in releases)
    levels = np.concatenate([partition.cells.levels for _, partition in releases])
    assert {*levels[:, 1].tolist()} >= {INTERVAL}
    assert {*levels[:, 0].tolist()} >= {2, 3}
    assert any(published(partition).number < partition.number for _, partition in releases)


def test_positions_keep_the_values_of_every_node_together():
    for missing in (False, True):
        quasi = random_problem(0, missing=missing).quasi[0]
        order = np.argsort(positions(quasi))
        for level in quasi.levels:
            assert np.count_nonzero(np.diff(level.nodes[order])) == len(level.labels) - 1


def test_positions_on_a_line_follow_the_line_whatever_the_hierarchy():
    parity = Hierarchy((("0", "even", "*"), ("1", "odd", "*"), ("2", "even", "*")))
    assert positions(problem_of({"x": ((0, 1, 2), parity)}).quasi[0]).tolist() == [0, 1, 2]
    assert positions(problem_of({"x": ((0, 1, 2), parity)}, on_line=False).quasi[0]).tolist() == [0, 2, 1]


@seeds
def test_marginals_are_what_loops_over_rows_find(seed):
    problem = random_problem(seed, missing=seed % 2 == 1)
    partition = random_release(problem, seed)
    rows = listed_rows(problem, partition)
    kept = [row for row in rows if row[2] is not None]
    expected = {}
    for column, quasi in enumerate(problem.quasi):
        off = [Fraction(0)] * len(quasi.values)
        for codes, *_ in rows:
            off[codes[column]] -= Fraction(1, len(rows))
        for *_, cells in kept:
            for code in cells[column][2]:
                off[code] += Fraction(1, len(kept) * len(cells[column][2]))
        if column == 0:
            expected["place"] = sum(map(abs, off)) / 2
        else:
            values, span = quasi.values, 11 if column == 1 else max(quasi.values) - min(quasi.values)
            steps = [abs(sum(off[: at + 1])) * (values[at + 1] - values[at]) for at in range(len(values) - 1)]
            expected[quasi.name] = sum(steps) / span
    shares = [
        [Fraction(sum(row[1][at] == v for row in some), len(some)) for v in range(4)]
        for at in (0, 1)
        for some in (kept, rows)
    ]
    expected["illness"] = sum(abs(p - q) for p, q in zip(*shares[:2], strict=True)) / 2
    expected["grade"] = sum(abs(sum(shares[2][:at]) - sum(shares[3][:at])) for at in (1, 2, 3)) / 3
    found = marginal_distances(problem, partition)
    assert found == pytest.approx({name: float(value) for name, value in expected.items()}, abs=1e-12)


def test_marginals_by_hand():
    """1, 2, 3, 3 as one class: 1/12 and 1/6 move half the line. Of a, a, b, b two a are left: half moves."""
    problem = problem_of(
        {"x": ((1, 2, 3, 3), Hierarchy((("1", "*"), ("2", "*"), ("3", "*"))))}, [("y", tuple("aabb"), Nominal())]
    )
    assert marginal_distances(problem, in_classes(problem, lambda _: 0)) == pytest.approx({"x": 1 / 8, "y": 0})
    kept = without(in_classes(problem, lambda x: int(x == 3)), np.array([False, True]))
    assert marginal_distances(problem, kept)["y"] == pytest.approx(1 / 2)


def test_missing_values_on_a_line_are_a_value_of_their_own():
    """1, 3 and two missing as one class: a third each instead of 1/4, 1/4, 1/2."""
    problem = problem_of({"x": ((1, 3, None, None), Hierarchy((("1", "*"), ("3", "*"))))})
    assert marginal_distances(problem, in_classes(problem, lambda _: 0)) == pytest.approx({"x": 1 / 6})


@seeds
@pytest.mark.parametrize("key", LOSSES)
def test_merging_two_published_classes_never_lowers_a_loss(key, seed):
    problem = random_problem(seed)
    partition = published(random_release(problem, seed))
    before = LOSSES[key].of(problem, partition)
    while partition.number > 1:
        classes = np.where(partition.classes == partition.number - 1, seed % (partition.number - 1), partition.classes)
        cells = hulls(problem, partition.rows, classes, partition.number - 1)
        partition = published(replace(partition, classes=classes, cells=cells))
        after = LOSSES[key].of(problem, partition)
        assert after >= before - 1e-9
        before = after
    assert after > LOSSES[key].of(problem, random_release(problem, seed))


@pytest.mark.parametrize("key", LOSSES)
def test_going_up_the_lattice_never_lowers_a_loss(key):
    problem = random_problem(1, missing=True)
    of = {
        levels: LOSSES[key].of(problem, at_node(problem, levels))
        for levels in product(*(range(len(quasi.levels)) for quasi in problem.quasi))
    }
    for levels, loss in of.items():
        for column in range(3):
            above = tuple(level + (at == column) for at, level in enumerate(levels))
            assert of.get(above, math.inf) >= loss - 1e-9
    assert of[3, 2, 2] > of[0, 0, 0]


@seeds
def test_a_bounded_loss_is_between_0_and_1(seed):
    problem = random_problem(seed, missing=True, weights={"year": 5.0})
    found = all_losses(problem, random_release(problem, seed))
    assert all(0 <= found[key] <= 1 for key, loss in LOSSES.items() if loss.bounded)


def test_every_loss_has_its_key_its_meaning_and_its_source():
    for key, loss in LOSSES.items():
        assert loss.key == key
        assert loss.meaning.endswith(".")
        assert loss.source
