"""Models of likeness: how much more likely a value is in a class than in the table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.errors import InternalError
from tclose.models.base import (
    AttributeModel,
    ClassFigures,
    Exact,
    Held,
    MostClasses,
    Whole,
    blanked,
    prevalence_pairs,
    value_pairs,
)
from tclose.models.class_limits import by_every_value, by_largest_gain
from tclose.models.counts import Block, Distribution
from tclose.models.distances.divergences import DIGITS, gains, over_cap
from tclose.models.distances.people import prevalences
from tclose.models.domains import Domain


@dataclass(frozen=True)
class BetaLikeness(AttributeModel):
    """The largest (p − q)/q over the values with p > q, at most β."""

    key = "beta"
    title = "basic β-likeness"
    meaning = "No sensitive value is more than 1 + β times as likely in a class as in the table."
    limit = "a value that becomes much less likely"
    formula = "β = max over classes and values with p > q of (p − q)/q"
    infinite = (
        "a class holds a value that the reference lacks; this cannot happen if the reference is the audited table"
    )
    source = "Cao, Karras 2012"
    paper = "J. Cao, P. Karras: Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012"
    good = "low"
    bounds = (0, math.inf)
    example = "2"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the largest gain of each class; infinite where the reference lacks a value of it."""
        values, *parts = self._gains(block, domain.reference)
        if domain.prevalence is not None:
            of_people, *more = self._gains(prevalences(block, len(domain.values)), domain.prevalence)
            values, parts = np.maximum(values, of_people), [*parts, *more]
        return ClassFigures(blanked(values, block), tuple(parts))

    def _gains(self, block: Block, reference: Distribution) -> tuple[NDArray[Any], ...]:
        """Return the largest gain of each class, and the counts that it is made of."""
        count, share, _, _ = gains(block, reference)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = count / block.sizes.clip(min=1) * (reference.total / share.astype(np.float64)) - 1.0
        return np.maximum(values, 0.0), count, share, block.sizes

    def most_classes(self, domain: Domain | None, threshold: Fraction, held: Held) -> MostClasses | None:
        """Return the bound by the size that a class needs to have a value no more frequent than is allowed."""
        if domain is None:
            return None
        return by_largest_gain(held, domain.reference.counts, domain.reference.total, threshold)

    def exact(self, domain: Domain | None, *parts: int) -> Exact:
        """Return the gain as a fraction."""
        if domain is None:
            raise InternalError("A gain was asked for without its domain.")
        gain = exact_gain(domain.reference, *parts[:3])
        return gain if domain.prevalence is None else max(gain, exact_gain(domain.prevalence, *parts[3:]))


def exact_gain(reference: Distribution, count: int, share: int, size: int) -> Exact:
    """Return (p − q)/q as a fraction, for p = count/size; infinite where the reference lacks the value."""
    return Fraction(count * reference.total, size * share) - 1 if share else math.inf


_NEAR = 1e-9


@dataclass(frozen=True)
class EnhancedBeta(AttributeModel):
    """The largest gain (p − q)/q of a class, at most β, and every gain at most −ln q of its value.

    A class with a gain over that cap meets the model for no β; its figure is infinite.
    """

    key = "enhanced_beta"
    title = "enhanced β-likeness"
    meaning = "As β-likeness, and no sensitive value gains more than its own rarity in the table, −ln q, allows."
    limit = "a value that becomes much less likely"
    formula = "β = max over classes and values with p > q of (p − q)/q, where each (p − q)/q ≤ −ln q"
    infinite = "a class has a gain over −ln q of its value, so that no β will do"
    source = "Cao, Karras 2012"
    paper = "J. Cao, P. Karras: Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012"
    good = "low"
    bounds = (0, math.inf)
    example = "2"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the largest gain of each class; infinite where a gain is over its cap."""
        values, over, pairs, *parts = self._gains(block, domain.reference)
        if domain.prevalence is not None:
            of_people, beyond, more_pairs, *more = self._gains(
                prevalences(block, len(domain.values)), domain.prevalence
            )
            values, over, pairs = np.maximum(values, of_people), over | beyond, np.maximum(pairs, more_pairs)
            parts += more
        totals = {"pairs_over_cap": int(pairs.sum())}
        return ClassFigures(blanked(np.where(over, np.inf, values), block), (over.astype(np.int64), *parts), totals)

    def _gains(self, block: Block, reference: Distribution) -> tuple[NDArray[Any], ...]:
        """Return of each class the largest gain, whether one is over its cap, how many are, and the gain's counts."""
        with np.errstate(divide="ignore"):
            caps = math.log(reference.total) - np.log(reference.counts.astype(np.float64))
        over_count, over_share, pairs = over_cap(block, reference, caps)
        over = _beyond(over_count, over_share, block.sizes, reference.total)
        count, share, _, _ = gains(block, reference)
        with np.errstate(divide="ignore", invalid="ignore"):
            inverse = reference.total / share.astype(np.float64)
            values = np.maximum(count / block.sizes.clip(min=1) * inverse - 1.0, 0.0)
        return values, over, pairs, count, share, block.sizes

    def details(self, whole: Whole) -> dict[str, Exact]:
        """Return how many (class, value) pairs gain more than −ln q."""
        return {"pairs_over_cap": int(whole.totals.get("pairs_over_cap", 0))}

    def exact(self, domain: Domain | None, *parts: int) -> Exact:
        """Return the gain as a fraction, or infinity where it is over its cap."""
        if domain is None:
            raise InternalError("A gain was asked for without its domain.")
        over, *counts = parts
        if over:
            return math.inf
        gain = exact_gain(domain.reference, *counts[:3])
        return gain if domain.prevalence is None else max(gain, exact_gain(domain.prevalence, *counts[3:]))


def _beyond(count: NDArray[np.int64], share: NDArray[Any], sizes: NDArray[np.int64], total: int) -> NDArray[np.bool_]:
    """Return where c·N/(n·g) − 1 > ln(N/g), decided in 60 digits where floats are too near."""
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = share.astype(np.float64)
        excess = count / sizes.clip(min=1) * (total / shares) - 1.0 - (math.log(total) - np.log(shares))
    over = (excess > 0) | (share == 0)
    for i in np.flatnonzero(np.abs(excess) < _NEAR).tolist():
        with localcontext() as context:
            context.prec = DIGITS
            c, g, n = int(count[i]), int(share[i]), int(sizes[i])
            over[i] = n > 0 and Decimal(c * total) / Decimal(n * g) - 1 > Decimal(total).ln() - Decimal(g).ln()
    return np.asarray(over, dtype=np.bool_)


@dataclass(frozen=True)
class DeltaDisclosure(AttributeModel):
    """The largest |ln(p/q)| over all values of the table, less than δ; infinite where a class lacks a value."""

    key = "delta"
    title = "δ-disclosure privacy"
    meaning = "No sensitive value is more or less likely in a class than in the table by a factor of e^δ."
    limit = "little; but nearly no useful table meets it"
    formula = "δ = max over classes and all values of the reference of |ln(p/q)|"
    remarks = (
        "The definition speaks of all values of the table, so a class that lacks one has an infinite figure.\n"
        "Some tools skip the values that a class lacks: that is `delta_present`."
    )
    infinite = "a class lacks a value of the reference, or holds one that the reference lacks"
    source = "Brickell, Shmatikov 2008"
    paper = "J. Brickell, V. Shmatikov: The cost of privacy, KDD 2008"
    good = "low"
    strict = True
    bounds = (0, math.inf)
    example = "1.5"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the largest absolute log ratio of each class."""
        values = self._ratios(block, domain.reference)
        if domain.prevalence is not None:
            values = np.maximum(values, self._ratios(prevalences(block, len(domain.values)), domain.prevalence))
        return ClassFigures(blanked(values, block))

    def _ratios(self, block: Block, reference: Distribution) -> NDArray[np.float64]:
        """Return the largest absolute log ratio of each class; infinite where it lacks a value of the reference."""
        lacking = block.distinct < np.count_nonzero(reference.counts)
        return np.where(lacking, np.inf, self._over_present(block, reference))

    def _over_present(self, block: Block, reference: Distribution) -> NDArray[np.float64]:
        count, share, low_count, low_share = gains(block, reference)
        scale = reference.total / block.sizes.clip(min=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            high = np.log(count / share.astype(np.float64) * scale)
            low = np.log(low_count / low_share.astype(np.float64) * scale)
        return np.asarray(np.maximum(np.abs(high), np.abs(low)))

    def most_classes(self, domain: Domain | None, threshold: Fraction, held: Held) -> MostClasses | None:
        """Return the bound by the rarest value, which every class needs."""
        del threshold
        return None if domain is None else by_every_value(held, domain.reference.counts)

    def certain(self, domain: Domain | None, block: Block, position: int) -> Decimal:
        """Return the largest absolute log ratio of one class to 60 digits."""
        pairs, total = value_pairs(domain, block, position)
        with localcontext() as context:
            context.prec = DIGITS
            n = sum(count for count, _ in pairs)
            ratios = [(c * total, g * n) for c, g in pairs]
            ratios += [(c * whole, g * held) for c, g, held, whole in prevalence_pairs(domain, block, position) if c]
            return max(abs(Decimal(p).ln() - Decimal(q).ln()) for p, q in ratios)


@dataclass(frozen=True)
class DeltaOfPresent(DeltaDisclosure):
    """The same over the values that a class holds, less than δ: what other tools call δ-disclosure."""

    key = "delta_present"
    title = "δ-disclosure of the values present"
    meaning = "As δ-disclosure, blind to values that a class lacks, although their absence is told too."
    limit = "values that a class does not hold are not looked at"
    formula = "δ = max over classes and the values that a class holds of |ln(p/q)|"
    remarks = (
        "As `delta`, without the values that a class lacks: for comparing with tools that skip them. It is weaker."
    )
    infinite = (
        "a class holds a value that the reference lacks; this cannot happen if the reference is the audited table"
    )
    kept_by_merging = False

    def most_classes(self, domain: Domain | None, threshold: Fraction, held: Held) -> MostClasses | None:
        """Return no bound: a class may lack values."""
        del domain, threshold, held
        return None

    def _ratios(self, block: Block, reference: Distribution) -> NDArray[np.float64]:
        """Return the largest absolute log ratio of each class among the values it holds."""
        return self._over_present(block, reference)
