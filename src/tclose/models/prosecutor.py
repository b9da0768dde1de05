"""Prosecutor risk: the chance to find someone who is known to be in the table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tclose.counts import Integers
from tclose.models.base import ClassFigures, TableModel


@dataclass(frozen=True)
class ProsecutorRisk(TableModel):
    """One over the size of a class: the largest over all classes, at most the threshold."""

    key = "prosecutor"
    title = "prosecutor risk"
    meaning = "The chance to pick the right row of a person who is known to be in the table."
    source = "El Emam, Dankar 2008"
    good = "low"
    bounds = (0, 1)
    usual = True
    example = "0.2"

    def measure(self, sizes: Integers, population: Integers | None) -> ClassFigures:
        """Return 1/f of each class of f rows."""
        del population
        return ClassFigures(1.0 / sizes, (sizes,))

    def exact(self, domain: object, *parts: int) -> Fraction:
        """Return the chance as a fraction."""
        del domain
        return Fraction(1, parts[0])
