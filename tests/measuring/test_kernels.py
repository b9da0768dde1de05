"""The sparse kernels against the papers' dense calculations, and compiled against the same loops in Python."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laws import oracle
from plain_kernels import MODES, plainly
from strategies import hierarchies
from tclose.data.values import whole_positions
from tclose.models.counts import Block, Distribution, sparse_block
from tclose.models.distances import divergences
from tclose.models.distances import divergences as ratios
from tclose.models.distances import divergences as smoothed
from tclose.models.distances.earth_movers import LineGround, TreeGround, exact_distance, float_distances, nominal_ground
from tclose.models.paper import hierarchical_distance, numeric_distance, one_pass_ordered_distance, variational_distance


def block_of(histograms: list[list[int]]) -> Block:
    triples = [(c, v, n) for c, counts in enumerate(histograms) for v, n in enumerate(counts) if n]
    classes, ranks, counts = (np.array(part) for part in zip(*triples, strict=True))
    return sparse_block(classes.astype(np.int64), ranks.astype(np.int32), counts.astype(np.int64), len(histograms))


def random_block(seed: int, classes: int, m: int, largest: int = 50) -> Block:
    """Classes of very different sizes, some of them empty, drawn from m values."""
    rng = np.random.default_rng(seed)
    lengths = np.minimum(rng.geometric(0.15, classes) - 1, m)
    ranks = np.concatenate([np.sort(rng.choice(m, size, replace=False)) for size in lengths])
    counts = rng.integers(1, largest, len(ranks))
    return sparse_block(np.repeat(np.arange(classes), lengths), ranks.astype(np.int32), counts, classes)


@st.composite
def tables(draw, most: int = 7, largest: int = 6):
    m = draw(st.integers(1, most))
    row = st.lists(st.integers(0, largest), min_size=m, max_size=m).filter(any)
    histograms = draw(st.lists(row, min_size=1, max_size=5))
    reference = [sum(column) for column in zip(*histograms, strict=True)]
    if draw(st.booleans()):
        reference = draw(st.lists(st.integers(0, largest), min_size=m, max_size=m).filter(any))
    return histograms, reference


def shares(counts):
    return [Fraction(count, sum(counts)) for count in counts]


def distances(ground, block):
    x, y = ground.parts(block)
    exact = [
        exact_distance(ground, a, b, n) for a, b, n in zip(x.tolist(), y.tolist(), block.sizes.tolist(), strict=True)
    ]
    floats = float_distances(ground, x, y, block.sizes)
    assert floats == pytest.approx([float(value) for value in exact], abs=1e-14, rel=0)
    return exact


several = settings(max_examples=60, deadline=None)


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@given(table=tables())
@several
def test_ordered_and_nominal_distances_are_those_of_the_papers(mode, table):
    histograms, reference = table
    block, total = block_of(histograms), Distribution.of(reference)
    with mode():
        ordered = distances(LineGround(total, None, int(block.sizes.max())), block)
        nominal = distances(nominal_ground(total), block)
    q = shares(reference)
    assert ordered == [one_pass_ordered_distance(shares(counts), q) for counts in histograms]
    assert nominal == [variational_distance(shares(counts), q) for counts in histograms]


@st.composite
def positions(draw, m):
    """Numbers of very different size: gaps from 1e-17 to 1e18."""
    digits = st.integers(-(10**18), 10**18)
    power = st.integers(-17, 0)
    number = st.builds(lambda d, e: Fraction(Decimal(d).scaleb(e)), digits, power)
    return sorted(draw(st.lists(number, min_size=m, max_size=m, unique=True)))


def gaps_of(places):
    whole, _ = whole_positions(places)
    return tuple(after - before for before, after in itertools.pairwise(whole))


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@given(table=tables(), data=st.data())
@several
def test_numeric_distances_are_exact_however_many_digits_the_numbers_have(mode, table, data):
    histograms, reference = table
    places = data.draw(positions(len(reference)))
    block = block_of(histograms)
    ground = LineGround(Distribution.of(reference), gaps_of(places), int(block.sizes.max()))
    with mode():
        found = distances(ground, block)
    q = shares(reference)
    assert found == [numeric_distance(shares(counts), q, places) for counts in histograms]


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@given(tree=hierarchies(), data=st.data())
@several
def test_hierarchical_distances_are_those_of_li_and_others(mode, tree, data):
    m = len(tree.leaves)
    row = st.lists(st.integers(0, 5), min_size=m, max_size=m).filter(any)
    histograms, reference = data.draw(st.lists(row, min_size=1, max_size=4)), data.draw(row)
    levels = tuple(level.astype(np.int64) for level in tree.codes(tree.leaves))
    ground = TreeGround(Distribution.of(reference), levels)
    with mode():
        found = distances(ground, block_of(histograms))
    q = shares(reference)
    assert found == [hierarchical_distance(shares(c), q, tree, tree.leaves) for c in histograms]
    if m > 1:
        points = [[int(at == v) for at in range(m)] for v in range(m)]
        assert ground.largest() == max(hierarchical_distance(p, q, tree, tree.leaves) for p in points)


# ---- counts far beyond 32 bits ----------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("m", [3, 20, 100, 1200])
@pytest.mark.parametrize("power", [12, 15, 16, 17, 18])
def test_references_of_any_total_are_exact(power, m, mode):
    with mode():
        rng = np.random.default_rng(m)
        reference = (rng.integers(1, 9, m).astype(object) * 10**power).tolist()
        histograms = [rng.integers(0, 3, m).tolist() for _ in range(2)]
        histograms += [[int(v == at) for v in range(m)] for at in (0, m // 2, m - 1)]
        block, total = block_of(histograms), Distribution.of(reference)
        assert total.total == sum(reference)
        q = shares(reference)
        rows = int(block.sizes.max())
        assert distances(LineGround(total, None, rows), block) == [
            one_pass_ordered_distance(shares(counts), q) for counts in histograms
        ]
        places = [Fraction(number * number, 3) for number in range(m)]
        assert distances(LineGround(total, gaps_of(places), rows), block) == [
            numeric_distance(shares(counts), q, places) for counts in histograms
        ]
        assert distances(nominal_ground(total), block) == [
            variational_distance(shares(counts), q) for counts in histograms
        ]


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("size", [10**5, 10**9, 3 * 10**9])
def test_classes_of_any_size_are_exact(size, mode):
    with mode():
        histograms = [[size, 0, 1, size - 1], [1, 2, 3, 4], [0, size // 3, 0, 7]]
        reference = [sum(column) for column in zip(*histograms, strict=True)]
        block, total, q = block_of(histograms), Distribution.of(reference), shares(reference)
        for gaps, places in ((None, [0, 1, 2, 3]), ((1, 10**17, 3), [0, 1, 10**17 + 1, 10**17 + 4])):
            assert distances(LineGround(total, gaps, sum(reference)), block) == [
                numeric_distance(shares(counts), q, places) for counts in histograms
            ]
        assert distances(nominal_ground(total), block) == [
            variational_distance(shares(counts), q) for counts in histograms
        ]


def test_gains_over_their_cap_are_seen_in_compiled_loops_with_huge_references():
    """n·g leaves 64 bits: a class of 3,000 rows on one value that has 31 % of 10^16."""
    reference = Distribution.of([31 * 10**14, 69 * 10**14])
    block = block_of([[3000, 0], [1, 2]])
    caps = np.log(reference.total) - np.log(reference.counts.astype(float))
    found = {}
    for name, mode in MODES.items():
        with mode():
            found[name] = [part.tolist() for part in ratios.over_cap(block, reference, caps)]
    assert -math.log(0.31) < 1 / 0.31 - 1
    assert found["in Python"][2] == [1, 0]
    assert found["compiled"] == found["in Python"]


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_the_largest_and_the_smallest_gain_are_found_with_huge_references(mode):
    """c·g leaves 64 bits: gains of 3,000 rows over 10^16."""
    with mode():
        reference = [31 * 10**14, 29 * 10**14, 40 * 10**14]
        histograms = [[3000, 2999, 1], [2999, 3000, 3000], [1, 1, 1], [0, 2500, 3500]]
        found = [part.tolist() for part in ratios.gains(block_of(histograms), Distribution.of(reference))]
        for counts, c, g, low_c, low_g in zip(histograms, *found, strict=True):
            gains = [Fraction(n, total) for n, total in zip(counts, reference, strict=True) if n]
            assert (Fraction(c, g), Fraction(low_c, low_g)) == (max(gains), min(gains))


# ---- compiled and not ---------------------------------------------------------------------------------

BLOCK = random_block(1, 3000, 700)
EMPTY = sparse_block(np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64), 3)
REFERENCE = Distribution.of(np.bincount(BLOCK.ranks, weights=BLOCK.counts, minlength=700).astype(np.int64))
OTHER = Distribution.of(np.random.default_rng(2).integers(0, 9, 700))
LEVELS = (np.arange(700), np.arange(700) // 9, np.arange(700) // 90)
CAPS = np.log(REFERENCE.total) - np.log(np.maximum(REFERENCE.counts, 1).astype(float))

KERNELS = {
    "ordered": lambda block, q: LineGround(q, None, q.total).parts(block),
    "numeric": lambda block, q: LineGround(q, tuple(range(1, 700)), q.total).parts(block),
    "numeric in limbs": lambda block, q: LineGround(q, tuple(10**17 + g for g in range(699)), q.total).parts(block),
    "nominal": lambda block, q: nominal_ground(q).parts(block),
    "hierarchical": lambda block, q: TreeGround(q, LEVELS).parts(block),
    "entropy": lambda block, _: (divergences.entropies(block),),
    "kl": lambda block, q: (divergences.kullback_leibler(block, q),),
    "js": lambda block, q: (divergences.jensen_shannon(block, q),),
    "commonest": lambda block, _: (ratios.commonest(block),),
    "gains": lambda block, q: ratios.gains(block, q),
    "over cap": lambda block, q: ratios.over_cap(block, q, CAPS),
    "tails of level 1": lambda block, _: ratios.tails(block, 1),
    "tails of level 2": lambda block, _: ratios.tails(block, 2),
    "tails of level 5": lambda block, _: ratios.tails(block, 5),
    "tails of level 1000": lambda block, _: ratios.tails(block, 1000),
}  # fmt: skip


@pytest.mark.parametrize("block", [BLOCK, EMPTY], ids=["many classes", "empty classes"])
@pytest.mark.parametrize("reference", [REFERENCE, OTHER], ids=["own reference", "another reference"])
@pytest.mark.parametrize("measure", KERNELS.values(), ids=KERNELS)
def test_compiled_kernels_give_what_the_same_loops_give_in_python(measure, reference, block):
    before = [array.copy() for array in (block.offsets, block.ranks, block.counts, block.sizes)]
    with plainly():
        plain = measure(block, reference)
    for mine, theirs in zip(measure(block, reference), plain, strict=True):
        assert mine.tolist() == theirs.tolist()
    after = (block.offsets, block.ranks, block.counts, block.sizes)
    assert all(np.array_equal(old, new) for old, new in zip(before, after, strict=True))


@given(tables(), st.integers(1, 9))
@several
def test_the_kernels_of_the_other_models_are_what_their_definitions_say(table, level):
    histograms, reference = table
    block, q = block_of(histograms), Distribution.of(reference)
    first, tail = ratios.tails(block, level)
    high, high_q, low, low_q = ratios.gains(block, q)
    for c, counts in enumerate(histograms):
        held = sorted((count for count in counts if count), reverse=True)
        assert (first[c], tail[c]) == (held[0], sum(held[level - 1 :]))
        assert ratios.commonest(block)[c] == held[0]
        pairs = [(count, g) for count, g in zip(counts, reference, strict=True) if count]
        gain = [Fraction(count, g) if g else math.inf for count, g in pairs]
        assert (Fraction(int(high[c]), int(high_q[c])) if high_q[c] else math.inf) == max(gain)
        assert (Fraction(int(low[c]), int(low_q[c])) if low_q[c] else math.inf) == min(gain)


@given(tables())
@several
def test_floats_and_60_digits_agree_on_every_divergence(table):
    histograms, reference = table
    block, q = block_of(histograms), Distribution.of(reference)
    entropy = divergences.entropies(block)
    kl, js = divergences.kullback_leibler(block, q), divergences.jensen_shannon(block, q)
    for c, counts in enumerate(histograms):
        pairs = [(count, g) for count, g in zip(counts, reference, strict=True) if count]
        certain = [
            divergences.certain_entropy([count for count, _ in pairs]),
            divergences.certain_kullback_leibler(pairs, q.total),
            divergences.certain_jensen_shannon(pairs, q.total),
        ]
        assert [entropy[c], kl[c], js[c]] == pytest.approx([float(value) for value in certain], abs=1e-13)
        by_hand = oracle.jensen_shannon(
            [count / sum(counts) for count in counts], [g / sum(reference) for g in reference]
        )
        assert js[c] == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.parametrize("kind", ["ordered", "numeric", "nominal", "hierarchical", "ordered, by running sums"])
@given(table=tables(most=6), bandwidth=st.sampled_from([Fraction(1, 20), Fraction(1, 4), Fraction(1, 2), Fraction(2)]))
@settings(max_examples=40, deadline=None)
def test_smoothed_divergences_are_what_the_kernel_says_in_floats_and_in_60_digits(kind, table, bandwidth):
    kind, _, summed = kind.partition(", ")
    histograms, reference = table
    m = len(reference)
    places = [Fraction(number * number) for number in range(m)]
    levels = {v: (v, v // 2) for v in range(m)} if kind == "hierarchical" else {}
    order = tuple(places) if kind == "numeric" else tuple(range(m))
    attribute = oracle.Attribute(kind, order, levels)
    q = Distribution.of(reference)
    ground = {
        "ordered": lambda: LineGround(q, None, q.total),
        "numeric": lambda: LineGround(q, gaps_of(places), q.total),
        "nominal": lambda: nominal_ground(q),
        "hierarchical": lambda: TreeGround(q, (np.arange(m), np.arange(m) // 2)),
    }[kind]()
    block = block_of(histograms)
    with pytest.MonkeyPatch.context() as patch:
        if summed:  # as where there are more than 64 neighbours, and class by class, as where there are many values
            patch.setattr(smoothed, "_NARROW", 0)
            patch.setattr(smoothed, "_CELLS", 1)
        found = smoothed.smoothed_jensen_shannon(block, ground, bandwidth)
    for c, counts in enumerate(histograms):
        expected = oracle.jensen_shannon(
            *(oracle.smooth(shares(each), attribute, bandwidth) for each in (counts, reference))
        )
        assert found[c] == pytest.approx(expected, abs=1e-12)
        assert float(smoothed.certain_smoothed(block, c, ground, bandwidth)) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-1, 5), st.integers(1, 4)), max_size=20))
def test_a_sparse_block_sums_equal_pairs_and_leaves_out_negative_ranks(triples):
    counts: Counter[tuple[int, int]] = Counter()
    for c, rank, count in triples:
        counts[c, rank] += count if rank >= 0 else 0
    columns = [np.array([t[i] for t in triples], dtype=kind) for i, kind in enumerate((np.int64, np.int32, np.int64))]
    block = sparse_block(columns[0], columns[1], columns[2], 5)
    for c in range(5):
        held = {rank: n for (at, rank), n in counts.items() if at == c and rank >= 0}
        assert block.histogram(c) == (sorted(held), [held[rank] for rank in sorted(held)])
        assert block.sizes[c] == sum(held.values())
        assert block.distinct[c] == len(held)
