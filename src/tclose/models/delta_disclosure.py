"""δ-disclosure privacy: the largest change of any value's likelihood, either way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Block, Distribution
from tclose.distances.divergences import DIGITS
from tclose.distances.people import prevalences
from tclose.distances.ratios import gains
from tclose.domains import Domain
from tclose.models.base import AttributeModel, ClassFigures, Held, MostClasses, blanked
from tclose.models.most_classes import by_every_value
from tclose.models.value_pairs import prevalence_pairs, value_pairs


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
