"""Enhanced β-likeness: the gain of each value is also capped by its own information, −ln q."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Block, Distribution
from tclose.distances.divergences import DIGITS
from tclose.distances.people import prevalences
from tclose.distances.ratios import gains, over_cap
from tclose.domains import Domain
from tclose.errors import InternalError
from tclose.models.base import AttributeModel, ClassFigures, Exact, Whole, blanked
from tclose.models.beta_likeness import exact_gain

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
