"""Counts and thresholds at the edges from which on a figure is computed in another way."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from measuring.test_kernels import block_of
from plain_kernels import MODES
from tclose.models import counts
from tclose.models.catalogue import MODELS, Requirement
from tclose.models.counts import Distribution, Part, merged_block, sparse_block
from tclose.models.distances import divergences
from tclose.models.distances.earth_movers import LineGround, TreeGround, exact_distance, nominal_ground
from tclose.models.diversity import KE
from tclose.models.domains import arranged
from tclose.models.likeness import EnhancedBeta
from tclose.models.measuring import Tally, Task, measured
from tclose.models.value_order import Observed

LN2 = Decimal("0.693147180559945309417232121458176568075500134360255254120680")
"""The natural logarithm of 2: OEIS A002162."""


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_divergences_are_what_their_definitions_say_around_the_last_logarithm_of_the_table(mode):
    """Logarithms of counts below 1,024 are looked up, of others computed."""
    histograms = [[1022, 1023], [1023, 1024], [1024, 1025], [1, 5000]]
    reference = [sum(column) for column in zip(*histograms, strict=True)]
    block, total = block_of(histograms), Distribution.of(reference)
    q = [g / sum(reference) for g in reference]
    expected = []
    for each in histograms:
        p = [c / sum(each) for c in each]
        middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
        expected.append(
            (
                -sum(a * math.log(a) for a in p),
                sum(a * math.log(a / b) for a, b in zip(p, q, strict=True)),
                sum(a * math.log2(a / m) + b * math.log2(b / m) for a, b, m in zip(p, q, middle, strict=True)) / 2,
            )
        )
    with mode():
        found = (
            divergences.entropies(block),
            divergences.kullback_leibler(block, total),
            divergences.jensen_shannon(block, total),
        )
    for values, by_hand in zip(found, zip(*expected, strict=True), strict=True):
        assert values.tolist() == pytest.approx(by_hand, rel=1e-9, abs=1e-14)


def convergents(number: Decimal, most: int) -> list[Fraction]:
    """The continued fraction of a number, broken off; by turns below and above it, each nearer than any simpler one."""
    found, rest = [], Fraction(number)
    whole: list[int] = []
    while True:
        whole.append(rest.numerator // rest.denominator)
        value = Fraction(whole[-1])
        for part in reversed(whole[:-1]):
            value = part + 1 / value
        if value.denominator > most:
            return found
        found.append(value)
        rest = 1 / (rest - whole[-1])


def test_a_gain_next_to_its_cap_is_told_from_one_over_it_by_60_digits():
    """Half of all rows have a value; in a class with the share (1 + ln 2)/2 its gain is its cap, −ln ½."""
    with localcontext() as context:
        context.prec = 60
        limit = (1 + LN2) / 2
    near = [share for share in convergents(limit, 10**12) if share.denominator > 10**7]
    assert len(near) >= 6
    for share in near:
        n, c = share.denominator, share.numerator
        assert abs(Fraction(limit) - share) < Fraction(1, 10**14)
        domain, _ = arranged("s", Observed(["a", "b"], np.array([n, n]), "text"), tclose.Nominal())
        figures = EnhancedBeta().measure(block_of([[c, n - c]]), domain)
        assert math.isinf(figures.values[0]) == (share > Fraction(limit)), share


def test_counts_beyond_64_bits_are_kept_as_they_are():
    for listed in ([2**63 - 1, 1], [2**63, 1], [1, 2**64], []):
        made = Distribution.of(listed)
        assert (made.counts.tolist(), made.total) == (listed, sum(listed))
    assert Distribution.of([2**63 - 1, 1]).counts.dtype == np.int64


@pytest.mark.parametrize("ends", [(-1, 1), (-(2**61), 2**61), (-(2**62), 2**62), (-(2**63), 2**63 - 1)])
def test_the_range_of_a_class_is_exact_however_large_its_numbers_are(ends):
    low, high = ends
    domain, _ = arranged("s", Observed([low, 0, high], np.array([1, 2, 1]), "number"), tclose.Numeric())
    figures = KE(2).measure(block_of([[1, 1, 1], [0, 1, 0], [0, 1, 1]]), domain)
    assert [KE(2).exact(domain, int(part)) for part in figures.parts[0]] == [high - low, -1, high]
    assert figures.values.tolist() == [float(high - low), -1.0, float(high)]


@pytest.mark.parametrize("key", ["k", "prosecutor", "marketer"])
def test_the_least_size_is_the_size_from_which_a_class_meets_the_threshold(key):
    made: Any = MODELS[key]()
    high = made.good == "high"
    for number in range(1, 9):
        for threshold in [Fraction(number)] if high else [Fraction(1, number), Fraction(2, 2 * number + 1)]:
            least = made.least_size(threshold)
            sizes = np.arange(1, 20)
            parts = made.measure(sizes, None).parts[0].tolist()
            for size, part in zip(sizes.tolist(), parts, strict=True):
                met = Requirement(made, threshold).met_by(made.exact(None, part))
                assert met == (size >= least), (made, threshold, size)
    if not high:
        assert made.least_size(Fraction(0)) == math.inf


BLOCKS = st.lists(
    st.dictionaries(st.integers(0, 5), st.integers(1, 4), max_size=4).map(Counter), min_size=1, max_size=6
)


@given(BLOCKS, st.data())
@settings(max_examples=60, deadline=None)
def test_merged_classes_have_the_sums_of_their_counts_in_a_table_and_by_sorting(histograms, data):
    numbers = [data.draw(st.integers(0, 3)) for _ in histograms]
    triples = [(at, value, n) for at, each in enumerate(histograms) for value, n in each.items()]
    columns = np.array(triples, dtype=np.int64).reshape(-1, 3).T
    block = sparse_block(columns[0], columns[1].astype(np.int32), columns[2], len(histograms))
    expected = [
        sum((each for each, at in zip(histograms, numbers, strict=True) if at == c), Counter()) for c in range(4)
    ]
    for few in (counts._FEW_CELLS, -(10**6)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(counts, "_FEW_CELLS", few)
            made = merged_block(block, np.array(numbers), 4)
        assert [dict(zip(*made.histogram(c), strict=True)) for c in range(4)] == expected
        assert [made.histogram(c)[0] for c in range(4)] == [sorted(each) for each in expected]
        assert made.sizes.tolist() == [sum(each.values()) for each in expected]


@pytest.mark.parametrize(("key", "worst"), [("kl", max), ("entropy_l", min)])
def test_of_figures_that_differ_by_rounding_the_worse_is_kept_and_both_classes_are(key, worst):
    values = (1.5, 1.5 + 4e-16, 1.5 - 4e-16)
    model = MODELS[key]()
    for order in ((0, 1, 2), (2, 1, 0), (1, 0, 2), (2, 0, 1)):
        total = Tally()
        for at in order:
            tally = Tally(
                values[at], [np.array([[at]])], [np.array([at + 1])], 1, [at], [10 * at], {at + 1: 2}, {"x": at}
            )
            total.merge(tally, model)
        assert total.value == worst(values)
        assert (total.tied, {int(key) for keys in total.keys for key in keys.ravel()}) == (3, {0, 1, 2})
        assert (total.failing_classes, total.failing_rows, total.totals) == ([3], [30], {"x": 3})
        assert total.shares == {1: 2, 2: 2, 3: 2}
    far = Tally()
    for value in (1.5, 1.5 + 1e-9, 1.5 - 1e-9):
        far.merge(Tally(value, tied=1), model)
    assert (far.value, far.tied) == (worst(1.5 + 1e-9, 1.5 - 1e-9), 1)


NEAR = [
    (500001, 1000001), (500000, 999999), (1000002, 2000002), (500000499999, 10**12), (500000, 999999),
    (500000500000, 10**12), (400000, 1000001), (500000499998, 10**12),
]  # fmt: skip
"""Counts of the commonest value of classes, and their sizes: all shares but one differ by some 1e-12."""


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4, 5, 6, 7), (7, 6, 5, 4, 3, 2, 1, 0), (2, 5, 1, 6, 7, 0, 4, 3)])
def test_shares_that_floats_can_hardly_tell_apart_are_told_apart_exactly(order):
    classes = [NEAR[at] for at in order]
    shares = [Fraction(*each) for each in classes]
    block = block_of([[c, *[(n - c) // 3] * 2, n - c - 2 * ((n - c) // 3)] for c, n in classes])
    domain, _ = arranged("s", Observed(list("abcd"), np.array([4, 3, 2, 1]), "text"), tclose.Nominal())
    model = MODELS["alpha"]()
    between = (Fraction(*NEAR[0]) + Fraction(*NEAR[1])) / 2
    thresholds = sorted({*shares, between, between / 2})
    task = Task(model, 0, tuple(Requirement(model, threshold) for threshold in thresholds))
    part = Part(np.arange(len(classes))[:, np.newaxis], block.sizes, (block,))
    worst = [at for at, share in enumerate(shares) if share == max(shares)]
    for foremost, named in ((None, worst), (lambda keys: np.array([keys.ravel().argmax()]), worst[-1:])):
        found = measured(part, [task], [domain], foremost=foremost)
        (tally,) = found.tallies
        assert (tally.value, tally.tied) == (max(shares), 2)
        assert [int(key) for key in tally.keys[0].ravel()] == named
        assert tally.failing_classes == [sum(share > threshold for share in shares) for threshold in thresholds]
        assert (found.people, found.size) == (0, sum(n for _, n in classes))


@pytest.mark.parametrize(("key", "worst"), [("kl", max), ("js", max), ("entropy_l", min)])
def test_of_floats_that_differ_by_rounding_the_worst_is_told(key, worst):
    """The same shares of classes of other sizes."""
    block = block_of([[c * n for c in (1, 2, 4)] for n in (1, 3, 7, 11, 49, 300)])
    domain, _ = arranged("s", Observed(list("abc"), np.array([1, 1, 3]), "text"), tclose.Nominal())
    part = Part(np.arange(6)[:, np.newaxis], block.sizes, (block,))
    found = measured(part, [Task(MODELS[key](), 0)], [domain])
    assert len({*found.values[0].tolist()}) > 1
    assert (found.tallies[0].value, found.tallies[0].tied) == (worst(found.values[0]), 6)


def test_the_largest_distance_is_that_of_the_worst_class_of_one_value():
    levels = (np.arange(5), np.array([0, 0, 1, 1, 1]))
    for reference in ([3, 0, 1, 5, 2], [1, 1, 1, 1, 1], [0, 0, 7, 0, 0], [9, 0, 0, 0, 1]):
        q = Distribution.of(reference)
        block = block_of(np.eye(5, dtype=int).tolist())
        for ground in (
            LineGround(q, None, 11),
            LineGround(q, (1, 3, 2, 9), 11),
            nominal_ground(q),
            TreeGround(q, levels),
        ):
            x, y = ground.parts(block)
            assert ground.largest() == max(exact_distance(ground, a, b, 1) for a, b in zip(x, y, strict=True))


def test_an_entropy_is_judged_beyond_the_28_digits_that_decimals_have_by_default():
    """One a and two b: exp(H) = 3 / 4^(1/3)."""
    with localcontext() as context:
        context.prec = 60
        known = Fraction(3 / Decimal(4) ** (Decimal(1) / 3))
    for nudge, holds in ((-Fraction(1, 10**40), True), (Fraction(1, 10**40), False)):
        audit = tclose.audit(
            {"q": [1] * 3, "s": list("abb")},
            tclose.Roles("q", "s"),
            require={"entropy_l": known + nudge},
            drivers=False,
        )
        assert audit.holds is holds


def test_what_stands_beside_a_risk_is_what_its_remarks_say():
    sizes, people = [1, 2, 3, 4, 5, 6], [1, 4, 5, 8, 6, 7]
    table = {"q": [q for q, f in enumerate(sizes) for _ in range(f)]}
    n = sum(sizes)
    population = {"q": [q for q, f in enumerate(people) for _ in range(f)]}
    audit = tclose.audit({**table, "s": ["x"] * n}, tclose.Roles("q", "s"), population=population, measure="all")
    alone = audit.figures["prosecutor"].details
    assert alone == {"average": Fraction(6, n), "at_risk": Fraction(1 + 2 + 3 + 4, n)}
    mean = sum(Fraction(f, large) for f, large in zip(sizes, people, strict=True)) / n
    found = audit.figures["journalist"].details
    assert found == {"average": max(Fraction(6, sum(people)), mean), "at_risk": Fraction(1 + 2, n)}
    over = tclose.audit({"q": [1, 1, 2, 2], "s": list("aabb")}, tclose.Roles("q", "s"), measure="all")
    assert over["s"]["enhanced_beta"].details == {"pairs_over_cap": 2}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("model", ["delta", "kl", "beta"])
def test_what_has_no_bound_is_beyond_a_threshold_that_no_float_holds(model):
    """The class b lacks x, so that its log-ratio is infinite; the reference lacks y, so that the gains of b are."""
    reference = None if model == "delta" else {"s": {"x": 1}}
    table = {"q": ["a", "a", "b"], "s": ["x", "y", "y"]}
    audit = tclose.audit(table, tclose.Roles("q", "s:nominal"), require={model: "1e400"}, reference=reference)
    assert audit["s"][model].value == math.inf
    assert not audit.holds


@pytest.mark.filterwarnings("error")
def test_a_threshold_that_no_float_tells_from_nothing_is_searched_for_without_a_warning():
    table = {"q": [1, 2, 3, 4, 5, 6], "s": ["x", "y"] * 3}
    roles = tclose.Roles("q", "s:nominal")
    assert tclose.anonymize(table, roles, require={"k": 2, "t": "1e-400"}, method="mondrian", effort=0).holds
