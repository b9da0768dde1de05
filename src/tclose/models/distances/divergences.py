"""Entropy and the Kullback–Leibler and Jensen–Shannon divergences of every class, sparse and in floats.

A verdict near a threshold is not left to floats: :func:`certain_entropy` and its kin give 60 digits.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tclose.errors import InternalError
from tclose.models import kernels
from tclose.models.counts import Block, Distribution, Integers
from tclose.models.distances.earth_movers import Ground, LineGround, TreeGround

# Kernels for the extremes of a class: its commonest value, its largest and smallest gain over the reference.


def commonest(block: Block) -> Integers:
    """Return the count of each class's commonest value."""
    found = np.zeros(block.classes, dtype=np.int64)
    kernels.distances.commonest(block.offsets, block.counts, found)
    return found


def gains(block: Block, reference: Distribution) -> tuple[Integers, Integers, Integers, Integers]:
    """Return, for each class, c and g of the value with the largest c/g and of that with the smallest."""
    kind = reference.counts.dtype
    most_count, least_count = np.zeros(block.classes, dtype=np.int64), np.zeros(block.classes, dtype=np.int64)
    most_share, least_share = np.zeros(block.classes, dtype=kind), np.zeros(block.classes, dtype=kind)
    wide = int(block.sizes.max(initial=0)) * reference.total >= 2**62
    found = partial(kernels.in_python, "distances", "gains") if wide or kind.hasobject else kernels.distances.gains
    found(block.offsets, block.ranks, block.counts, reference.counts, most_count, most_share, least_count, least_share)
    return most_count, most_share, least_count, least_share


def over_cap(block: Block, reference: Distribution, caps: NDArray[np.float64]) -> tuple[Integers, Integers, Integers]:
    """Return, for each class, c and g of the value whose gain is most over its cap, and how many are over."""
    count, share = np.zeros(block.classes, dtype=np.int64), np.ones(block.classes, dtype=reference.counts.dtype)
    number = np.zeros(block.classes, dtype=np.int64)
    wide = reference.counts.dtype == object
    found = partial(kernels.in_python, "distances", "over_cap") if wide else kernels.distances.over_cap
    found(
        block.offsets, block.ranks, block.counts, block.sizes, reference.counts, caps, float(reference.total),
        count, share, number,
    )  # fmt: skip
    return count, share, number


def tails(block: Block, level: int) -> tuple[Integers, Integers]:
    """Return r₁ and r_ℓ + … + r_m of each class, its counts sorted in descending order."""
    first, tail = np.zeros(block.classes, dtype=np.int64), np.zeros(block.classes, dtype=np.int64)
    level = min(level, int(block.distinct.max(initial=0)) + 2)
    top = np.zeros(level, dtype=np.int64)
    kernels.distances.tails(block.offsets, block.counts, level, top, first, tail)
    return first, tail


Floats = NDArray[np.float64]
DIGITS = 60
_SMALL_LOGS = np.log(np.maximum(np.arange(1024), 1)).astype(np.float64)


def entropies(block: Block) -> Floats:
    """Return the entropy of each class in nats."""
    found = np.zeros(block.classes)
    kernels.distances.entropies(block.offsets, block.counts, block.sizes, _SMALL_LOGS, found)
    return found


def kullback_leibler(block: Block, reference: Distribution) -> Floats:
    """Return KL(class ‖ reference) of each class in nats; infinite where the reference lacks a value."""
    found = np.zeros(block.classes)
    kernels.distances.kullback_leibler(
        block.offsets, block.ranks, block.counts, block.sizes, _SMALL_LOGS, _logs(reference.counts),
        math.log(reference.total), found,
    )  # fmt: skip
    return found


def jensen_shannon(block: Block, reference: Distribution) -> Floats:
    """Return the Jensen–Shannon divergence of each class in bits, between 0 and 1."""
    found = np.zeros(block.classes)
    shares = (reference.counts / reference.total).astype(np.float64)
    kernels.distances.jensen_shannon(
        block.offsets, block.ranks, block.counts, block.sizes, _SMALL_LOGS, shares, _logs(shares), found
    )
    return found


def bernoulli_kullback_leibler(p: Floats, q: Floats) -> Floats:
    """Return KL(p ‖ q) in nats of two shares each, and of those without; infinite where q is 0 or 1 and p is not."""
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = np.where(p > 0, p * np.log(p / q), 0.0)
        return np.asarray(np.maximum(inside + np.where(p < 1, (1 - p) * np.log((1 - p) / (1 - q)), 0.0), 0.0))


def bernoulli_jensen_shannon(p: Floats, q: Floats) -> Floats:
    """Return the Jensen–Shannon divergence in bits of two shares each, and of those without."""
    both = (p + q) / 2
    halves = bernoulli_kullback_leibler(p, both) + bernoulli_kullback_leibler(q, both)
    return np.asarray(halves / (2 * math.log(2)))


def _logs(numbers: NDArray[np.float64] | NDArray[np.int64]) -> Floats:
    with np.errstate(divide="ignore"):
        return np.log(numbers.astype(np.float64))


def certain_entropy(counts: Sequence[int]) -> Decimal:
    """Return the entropy of counts in nats, to 60 digits."""
    with localcontext() as context:
        context.prec = DIGITS
        n = sum(counts)
        return _ln(n) - sum((c * _ln(c) for c in counts if c), Decimal(0)) / n


def certain_kullback_leibler(pairs: Iterable[tuple[int, int]], total: int) -> Decimal:
    """Return KL in nats to 60 digits from the class's count and the reference's count of each value it holds."""
    with localcontext() as context:
        context.prec = DIGITS
        held = [(c, g) for c, g in pairs if c]
        if any(g == 0 for _, g in held):
            return Decimal("Infinity")
        n = sum(c for c, _ in held)
        return sum((c * (_ln(c) - _ln(g)) for c, g in held), Decimal(0)) / n + _ln(total) - _ln(n)


def certain_jensen_shannon(pairs: Iterable[tuple[int, int]], total: int) -> Decimal:
    """Return the Jensen–Shannon divergence in bits to 60 digits; see :func:`certain_kullback_leibler`."""
    with localcontext() as context:
        context.prec = DIGITS
        held = [(c, g) for c, g in pairs if c]
        n = sum(c for c, _ in held)
        return jensen_shannon_of([(Decimal(c) / n, Decimal(g) / total) for c, g in held])


def jensen_shannon_of(pairs: Iterable[tuple[Decimal, Decimal]]) -> Decimal:
    """Return the Jensen–Shannon divergence in bits of (p, q) pairs; q's rest lies on values without p."""
    inside, covered = Decimal(0), Decimal(0)
    for p, q in pairs:
        both = ((p + q) / 2).ln()
        inside += p * (p.ln() - both) if p else 0
        inside += q * (q.ln() - both) if q else 0
        covered += q
    return inside / Decimal(2).ln() / 2 + (1 - covered) / 2


Share = tuple[Decimal, Decimal]
"""A share in a class, and in the reference."""


def certain_of_shares(
    pairs: Iterable[tuple[int, int, int, int]], divergence: Callable[[Sequence[Share]], Decimal]
) -> Decimal:
    """Return the largest divergence to 60 digits, over values, of the shares of people who have one and who don't.

    Parameters
    ----------
    pairs
        For each value the people of the class and of the reference who have it, and who have any.
    divergence
        What to make of the two shares with a value and of the two without.
    """
    with localcontext() as context:
        context.prec = DIGITS
        shares = [(Decimal(c) / n, Decimal(g) / total) for c, g, n, total in pairs if n and total]
        return max((divergence([(p, q), (1 - p, 1 - q)]) for p, q in shares), default=Decimal(0))


def certain_bernoulli_kullback_leibler(shares: Sequence[Share]) -> Decimal:
    """Return KL in nats of shares that add up to 1; infinite where the reference has a share of 0."""
    if any(p and not q for p, q in shares):
        return Decimal("Infinity")
    return sum((p * (p / q).ln() for p, q in shares if p), Decimal(0))


def certain_bernoulli_jensen_shannon(shares: Sequence[Share]) -> Decimal:
    """Return the Jensen–Shannon divergence in bits of shares that add up to 1."""
    return jensen_shannon_of([(p, q) for p, q in shares if p or q])


def _ln(number: int) -> Decimal:
    return Decimal(number).ln()


# The Jensen–Shannon divergence after kernel smoothing, which lets near values count as near. Each distribution is
# spread by the Epanechnikov kernel ``K(d) = ¾/B·(1 − (d/B)²)`` for d < B over the ground distance d, divided by the
# kernel's sum at each value and brought to sum 1; then compared as usual.


_CELLS = 2_000_000
_NARROW = 64
"""Up to so many neighbours are added up one by one."""
Spread = Callable[[Floats], Floats]
"""From rows of shares to rows of Σ_j K(d_ij)·p_j, the factor ¾/B left out."""


def smoothed_jensen_shannon(block: Block, ground: Ground, bandwidth: Fraction) -> Floats:
    """Return the divergence of each class in bits; O(m) per class."""
    m = len(ground.reference.counts)
    spread = _spread(ground, float(bandwidth))
    evenly = spread(np.ones((1, m)))
    table = _normal(spread((ground.reference.counts / ground.reference.total)[np.newaxis, :]) / evenly)
    found = np.zeros(block.classes)
    step = max(1, _CELLS // m)
    for low in range(0, block.classes, step):
        high = min(low + step, block.classes)
        shares = _dense(block, low, high, m)
        found[low:high] = _divergence(_normal(spread(shares) / evenly), table)
    return np.where(block.sizes == 0, 0.0, np.clip(found, 0.0, 1.0))


def _dense(block: Block, low: int, high: int, m: int) -> Floats:
    span = slice(int(block.offsets[low]), int(block.offsets[high]))
    rows = np.repeat(np.arange(high - low), block.distinct[low:high])
    shares = np.zeros((high - low, m))
    shares[rows, block.ranks[span]] = block.counts[span] / np.repeat(block.sizes[low:high], block.distinct[low:high])
    return shares


def _normal(rows: Floats) -> Floats:
    rows = np.maximum(rows, 0.0)
    sums = rows.sum(axis=1, keepdims=True)
    return np.asarray(rows / np.where(sums == 0, 1.0, sums))


def _divergence(p: Floats, q: Floats) -> Floats:
    half = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * np.log2(p / half), 0.0) + np.where(q > 0, q * np.log2(q / half), 0.0)
    return np.asarray(terms.sum(axis=1) / 2)


def _spread(ground: Ground, bandwidth: float) -> Spread:
    if isinstance(ground, LineGround):
        return _spread_on_line(ground, bandwidth)
    if isinstance(ground, TreeGround):
        return _spread_on_tree(ground, bandwidth)
    raise InternalError("Smoothing does not know this ground distance.")


def _places(ground: LineGround) -> list[Fraction]:
    gaps = ground.gaps if ground.gaps is not None else (1,) * (ground.values - 1)
    running, places = 0, [Fraction(0)]
    for gap in gaps:
        running += gap
        places.append(Fraction(running, ground.scale or 1))
    return places


def _spread_on_line(ground: LineGround, bandwidth: float) -> Spread:
    x = np.array([float(place) for place in _places(ground)])
    low = np.searchsorted(x, x - bandwidth, side="right")
    high = np.searchsorted(x, x + bandwidth, side="left")
    if int((high - low).max()) <= _NARROW:
        return _spread_by_neighbours(x, low, high, bandwidth)
    narrow = bandwidth**-2

    def sums(rows: Floats) -> Floats:
        running = np.zeros((rows.shape[0], rows.shape[1] + 1))
        np.cumsum(rows, axis=1, out=running[:, 1:])
        return np.asarray(running[:, high] - running[:, low])

    def spread(rows: Floats) -> Floats:
        weighted = (1 - x**2 * narrow) * sums(rows) + 2 * x * narrow * sums(rows * x) - narrow * sums(rows * x**2)
        return np.asarray(weighted)

    return spread


def _spread_by_neighbours(x: Floats, low: NDArray[np.int64], high: NDArray[np.int64], bandwidth: float) -> Spread:
    """Add up neighbour by neighbour, where they are few: nothing cancels, however small the bandwidth."""
    last = len(x) - 1
    places = np.arange(len(x))
    steps = range(int((low - places).min()), int((high - 1 - places).max()) + 1)
    weights = []
    for step in steps:
        at = np.clip(places + step, 0, last)
        inside = (places + step >= low) & (places + step < high)
        weights.append((at, np.where(inside, np.maximum(1 - ((x[at] - x) / bandwidth) ** 2, 0.0), 0.0)))

    def spread(rows: Floats) -> Floats:
        return np.asarray(sum(rows[:, at] * weight for at, weight in weights))

    return spread


def _spread_on_tree(ground: TreeGround, bandwidth: float) -> Spread:
    height = len(ground.levels)
    weights = [max(0.0, 1 - (h / height / bandwidth) ** 2) for h in range(height + 1)]
    groups = [_grouped(codes) for codes in ground.levels]

    def spread(rows: Floats) -> Floats:
        found = np.zeros_like(rows)
        for level, (order, starts, codes) in enumerate(groups):
            mass = np.add.reduceat(rows[:, order], starts, axis=1)[:, codes]
            found += (weights[level] - weights[level + 1]) * mass
        return np.asarray(found + weights[height] * rows.sum(axis=1, keepdims=True))

    return spread


def _grouped(codes: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(codes[order]) > 0])
    dense = np.empty(len(codes), dtype=np.int64)
    dense[order] = np.repeat(np.arange(len(starts)), np.diff(np.r_[starts, len(codes)]))
    return order, starts, dense


def certain_smoothed(block: Block, position: int, ground: Ground, bandwidth: Fraction) -> Decimal:
    """Return the smoothed divergence of one class to 60 digits, from exact kernel weights."""
    m = len(ground.reference.counts)
    ranks, counts = block.histogram(position)
    n = sum(counts)
    inside = {rank: Fraction(count, n) for rank, count in zip(ranks, counts, strict=True)}
    table = {v: Fraction(int(g), ground.reference.total) for v, g in enumerate(ground.reference.counts) if g}
    p, q = (_exactly_spread(shares, ground, bandwidth, m) for shares in (inside, table))
    with localcontext() as context:
        context.prec = DIGITS
        pairs = [(_decimal(a), _decimal(b)) for a, b in zip(p, q, strict=True)]
        return jensen_shannon_of([(a, b) for a, b in pairs if a or b])


def _exactly_spread(shares: dict[int, Fraction], ground: Ground, bandwidth: Fraction, m: int) -> list[Fraction]:
    """Return shares spread by the kernel and brought to sum 1, as fractions."""
    masses = [shares.get(position, Fraction(0)) for position in range(m)]
    spread = _exact_on_line if isinstance(ground, LineGround) else _exact_in_tree
    raw = [
        mass / reach
        for mass, reach in zip(
            spread(masses, ground, bandwidth), spread([Fraction(1)] * m, ground, bandwidth), strict=True
        )
    ]
    total = sum(raw, Fraction(0))
    return [value / total for value in raw]


def _exact_on_line(masses: list[Fraction], ground: Ground, bandwidth: Fraction) -> list[Fraction]:
    """Return Σ_j (1 − ((x_i − x_j)/B)²)·mass_j over the neighbours nearer than B, from running sums."""
    if not isinstance(ground, LineGround):
        raise InternalError("A tree was smoothed as a line.")
    places = _places(ground)
    sums = [[Fraction(0)], [Fraction(0)], [Fraction(0)]]
    for mass, place in zip(masses, places, strict=True):
        for power, running in enumerate(sums):
            running.append(running[-1] + mass * place**power)
    found = []
    for place in places:
        low, high = bisect.bisect_right(places, place - bandwidth), bisect.bisect_left(places, place + bandwidth)
        zeroth, first, second = (running[high] - running[low] for running in sums)
        found.append(zeroth - (place**2 * zeroth - 2 * place * first + second) / bandwidth**2)
    return found


def _exact_in_tree(masses: list[Fraction], ground: Ground, bandwidth: Fraction) -> list[Fraction]:
    """Return the same in a tree, level by level."""
    if not isinstance(ground, TreeGround):
        raise InternalError("A line was smoothed as a tree.")
    height = len(ground.levels)
    weights = [max(Fraction(0), 1 - (Fraction(h, height) / bandwidth) ** 2) for h in range(height + 1)]
    found = [weights[height] * sum(masses, Fraction(0))] * len(masses)
    for level, codes in enumerate(ground.levels):
        groups: dict[int, Fraction] = {}
        for code, mass in zip(codes.tolist(), masses, strict=True):
            groups[code] = groups.get(code, Fraction(0)) + mass
        step = weights[level] - weights[level + 1]
        found = [value + step * groups[code] for value, code in zip(found, codes.tolist(), strict=True)]
    return found


def _decimal(value: Fraction) -> Decimal:
    return Decimal(value.numerator) / Decimal(value.denominator)
