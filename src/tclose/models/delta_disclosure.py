"""δ-disclosure privacy: the largest change of any value's likelihood, either way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext

import numpy as np

from tclose.counts import Block
from tclose.distances.divergences import DIGITS
from tclose.distances.ratios import gains
from tclose.domains import Domain
from tclose.models.base import AttributeModel, ClassFigures, blanked
from tclose.models.held import held_pairs


@dataclass(frozen=True)
class DeltaDisclosure(AttributeModel):
    """The largest |ln(p/q)| over all values of the table, less than δ; infinite where a class lacks a value.

    Parameters
    ----------
    present_only
        Leave out the values that a class lacks, as some tools do. The literature does not.
    """

    present_only: bool = False

    key = "delta"
    title = "δ-disclosure privacy"
    meaning = "No sensitive value is more or less likely in a class than in the table by a factor of e^δ."
    source = "Brickell, Shmatikov 2008"
    good = "low"
    strict = True
    bounds = (0, math.inf)
    example = "1.5"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the largest absolute log ratio of each class."""
        count, share, low_count, low_share = gains(block, domain.reference)
        scale = domain.reference.total / block.sizes.clip(min=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            high, low = np.log(count / share * scale), np.log(low_count / low_share * scale)
        values = np.maximum(np.abs(high), np.abs(low))
        if not self.present_only:
            values = np.where(block.distinct < np.count_nonzero(domain.reference.counts), np.inf, values)
        return ClassFigures(blanked(values, block))

    def certain(self, domain: Domain | None, block: Block, position: int) -> Decimal:
        """Return the largest absolute log ratio of one class to 60 digits."""
        pairs, total = held_pairs(domain, block, position)
        with localcontext() as context:
            context.prec = DIGITS
            n = sum(count for count, _ in pairs)
            return max(abs(Decimal(c * total).ln() - Decimal(g * n).ln()) for c, g in pairs)
