"""Entropy and the Kullback–Leibler and Jensen–Shannon divergences of every class, sparse and in floats.

A verdict near a threshold is not left to floats: :func:`certain_entropy` and its kin give 60 digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

from tclose import kernels
from tclose.counts import Block, Distribution

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
