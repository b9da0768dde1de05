"""Journalist risk: the chance to find someone of the population who may be in the table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tclose.counts import Integers
from tclose.errors import InternalError
from tclose.models.base import ClassFigures, TableModel


@dataclass(frozen=True)
class JournalistRisk(TableModel):
    """One over the size of a class in the population: the largest over all classes, at most the threshold."""

    key = "journalist"
    title = "journalist risk"
    meaning = "The chance to name the right person of the population for a row of the table."
    source = "El Emam, Dankar 2008"
    good = "low"
    bounds = (0, 1)
    needs_population = True
    example = "0.2"

    def measure(self, sizes: Integers, population: Integers | None) -> ClassFigures:
        """Return 1/F of each class with F rows in the population."""
        del sizes
        if population is None:
            raise InternalError("Journalist risk was asked for without a population.")
        return ClassFigures(1.0 / population, (population,))

    def exact(self, domain: object, *parts: int) -> Fraction:
        """Return the chance as a fraction."""
        del domain
        return Fraction(1, parts[0])
