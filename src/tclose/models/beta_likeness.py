"""Basic β-likeness: the largest relative gain of a sensitive value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Block, Distribution
from tclose.distances.people import prevalences
from tclose.distances.ratios import gains
from tclose.domains import Domain
from tclose.errors import InternalError
from tclose.models.base import AttributeModel, ClassFigures, Exact, Held, MostClasses, blanked
from tclose.models.most_classes import by_largest_gain


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
