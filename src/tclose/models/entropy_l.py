"""Entropy ℓ-diversity: the effective number of sensitive values in a class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from tclose.counts import Block
from tclose.distances.divergences import DIGITS, certain_entropy, entropies
from tclose.domains import Domain
from tclose.models.base import AttributeModel, ClassFigures, Held, MostClasses, blanked
from tclose.models.most_classes import by_different_values

_ROUNDING = 1e-13


@dataclass(frozen=True)
class EntropyL(AttributeModel):
    """The exponential of the entropy of a class, at least ℓ: a real number, 3 for three equally common values."""

    key = "entropy_l"
    fewer_rows = "even"
    title = "entropy ℓ-diversity"
    meaning = "Every class is as uncertain as one with ℓ equally common sensitive values."
    limit = "values that mean the same"
    formula = "ℓ = min over classes of exp(− Σ p ln p)"
    remarks = "A real number: 3 for three equally common values, less for uneven ones. It is not cut to a whole number."
    source = "Machanavajjhala et al. 2007"
    paper = "A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: ℓ-Diversity, TKDD 1(1), 2007"
    good = "high"
    bounds = (1, 2**62)
    usual = True
    example = "2.5"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return exp(entropy) of each class; within rounding of a whole number, that number."""
        del domain
        values = np.exp(entropies(block))
        nearest = np.rint(values)
        return ClassFigures(blanked(np.where(np.abs(values - nearest) < _ROUNDING * nearest, nearest, values), block))

    def most_classes(self, domain: Domain | None, threshold: Fraction, held: Held) -> MostClasses | None:
        """Return the bound of as many different values: fewer have a lower entropy."""
        del domain
        return by_different_values(held, math.ceil(threshold))

    def certain(self, domain: Domain | None, block: Block, position: int) -> Decimal:
        """Return exp(entropy) of one class to 60 digits."""
        del domain
        with localcontext() as context:
            context.prec = DIGITS
            return certain_entropy(block.histogram(position)[1]).exp()
