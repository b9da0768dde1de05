"""Journalist risk: the chance to find someone of the population who may be in the table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tclose.counts import Integers
from tclose.errors import InternalError
from tclose.models.base import ClassFigures, Exact, TableModel, Whole


@dataclass(frozen=True)
class JournalistRisk(TableModel):
    """One over the size of a class in the population: the largest over all classes, at most the threshold."""

    key = "journalist"
    title = "journalist risk"
    meaning = "The chance to name the right person of the population for a row of the table."
    limit = "learning a sensitive value without finding the row"
    formula = "max over classes of 1/F"
    remarks = (
        "Beside it stand `average`, the larger of J/ΣF (J classes) and (1/n) Σ f/F, and `at_risk`, the share of rows "
        "with 1/F > 1/5."
    )
    source = "El Emam, Dankar 2008"
    paper = "K. El Emam, F. Dankar: Protecting privacy using k-anonymity, JAMIA 15(5), 2008"
    good = "low"
    bounds = (0, 1)
    needs_population = True
    example = "0.2"
    at_risk = Fraction(1, 5)
    beside = ("marketer",)

    def measure(self, sizes: Integers, population: Integers | None) -> ClassFigures:
        """Return 1/F of each class with F rows in the population."""
        del sizes
        if population is None:
            raise InternalError("Journalist risk was asked for without a population.")
        return ClassFigures(1.0 / population, (population,))

    def details(self, whole: Whole) -> dict[str, Exact]:
        """Return the mean risk, and the share of rows at risk."""
        expected = Fraction(whole.classes, whole.people)
        average = max(expected, whole.mean_risk or expected)
        return {"average": average, "at_risk": Fraction(whole.at_risk, whole.rows)}

    def exact(self, domain: object, *parts: int) -> Fraction:
        """Return the chance as a fraction."""
        del domain
        return Fraction(1, parts[0])
