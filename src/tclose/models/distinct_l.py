"""Distinct ℓ-diversity: the number of different sensitive values in a class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tclose.counts import Block
from tclose.distances.ratios import commonest
from tclose.domains import Domain
from tclose.models.base import AttributeModel, ClassFigures, Held, MostClasses, blanked
from tclose.models.most_classes import by_different_values


@dataclass(frozen=True)
class DistinctL(AttributeModel):
    """The number of different sensitive values in a class, at least ℓ."""

    key = "l"
    fewer_rows = "never"
    title = "distinct ℓ-diversity"
    meaning = "Every class holds at least ℓ different sensitive values."
    limit = "ℓ values of which one has nearly all rows, or which mean the same"
    formula = "ℓ = min over classes of the number of values with p > 0"
    remarks = "Where people are counted and all people of a class have the same value, ℓ of the class is 1."
    source = "Machanavajjhala et al. 2007"
    paper = "A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: ℓ-Diversity, TKDD 1(1), 2007"
    good = "high"
    bounds = (1, 2**62)
    whole = True
    usual = True
    example = "3"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the number of distinct values of each class."""
        del domain
        distinct = block.distinct
        if block.people is not None:  # others' further values hide nobody where all have the same one
            distinct = np.where(commonest(block) == block.people.valued, np.minimum(distinct, 1), distinct)
        return ClassFigures(blanked(distinct, block), (distinct,))

    def most_classes(self, domain: Domain | None, threshold: Fraction, held: Held) -> MostClasses | None:
        """Return the bound by how often each value can be in a class."""
        del domain
        return by_different_values(held, int(threshold))

    def exact(self, domain: Domain | None, *parts: int) -> int:
        """Return the number itself."""
        del domain
        return parts[0]
