"""Recursive (c,ℓ)-diversity: the commonest value against the rarer ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tclose.counts import Block
from tclose.distances.ratios import tails
from tclose.domains import Domain
from tclose.models.base import AttributeModel, ClassFigures, Exact, Held, MostClasses, blanked
from tclose.models.most_classes import by_different_values


@dataclass(frozen=True)
class RecursiveL(AttributeModel):
    """r₁ / (r_ℓ + … + r_m) with the counts of a class sorted in descending order, less than c.

    Parameters
    ----------
    level
        ℓ: the rank from which on values count as rare.
    """

    level: int = 2

    key = "recursive"
    fewer_rows = "even"
    title = "recursive (c,ℓ)-diversity"
    meaning = "The commonest value of a class is less than c times as frequent as the ℓ-th and all rarer ones together."
    limit = "values that mean the same"
    formula = "c = max over classes of r₁ / (r_ℓ + r_ℓ₊₁ + … ), with the counts of the class sorted in descending order"
    remarks = "The figure is the number that c must exceed."
    infinite = "a class has fewer than ℓ different values, so that no c will do"
    source = "Machanavajjhala et al. 2007"
    paper = "A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: ℓ-Diversity, TKDD 1(1), 2007"
    good = "low"
    strict = True
    bounds = (0, math.inf)
    form = ("threshold", "level")
    example = "3,2"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the infimum of the c that each class meets; infinite where it has fewer than ℓ values."""
        del domain
        first, tail = tails(block, self.level)
        values = np.where(tail == 0, np.inf, first / tail.clip(min=1))
        return ClassFigures(blanked(values, block), (first, tail))

    def most_classes(self, domain: Domain | None, threshold: Fraction, held: Held) -> MostClasses | None:
        """Return the bound of ℓ different values: with fewer, no c will do."""
        del domain
        del threshold
        return by_different_values(held, self.level)

    def exact(self, domain: Domain | None, *parts: int) -> Exact:
        """Return the infimum as a fraction."""
        del domain
        return Fraction(parts[0], parts[1]) if parts[1] else math.inf
