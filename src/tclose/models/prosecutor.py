"""Prosecutor risk: the chance to find someone who is known to be in the table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from tclose.counts import Integers
from tclose.models.base import ClassFigures, Exact, TableModel, Whole


@dataclass(frozen=True)
class ProsecutorRisk(TableModel):
    """One over the size of a class: the largest over all classes, at most the threshold."""

    key = "prosecutor"
    fewer_rows = "never"
    title = "prosecutor risk"
    meaning = "The chance to pick the right row of a person who is known to be in the table."
    limit = "learning a sensitive value without finding the row"
    formula = "max over classes of 1/f"
    remarks = (
        "Beside it stand `average`, the number of classes over the number of rows, and `at_risk`, the share of rows "
        "with 1/f > 1/5."
    )
    source = "El Emam, Dankar 2008"
    paper = "K. El Emam, F. Dankar: Protecting privacy using k-anonymity, JAMIA 15(5), 2008"
    good = "low"
    bounds = (0, 1)
    usual = True
    example = "0.2"
    at_risk = Fraction(1, 5)

    def measure(self, sizes: Integers, population: Integers | None) -> ClassFigures:
        """Return 1/f of each class of f rows."""
        del population
        return ClassFigures(1.0 / sizes, (sizes,))

    def details(self, whole: Whole) -> dict[str, Exact]:
        """Return the mean risk, and the share of rows at risk."""
        return {"average": Fraction(whole.classes, whole.rows), "at_risk": Fraction(whole.at_risk, whole.rows)}

    def exact(self, domain: object, *parts: int) -> Fraction:
        """Return the chance as a fraction."""
        del domain
        return Fraction(1, parts[0])

    def least_size(self, threshold: Fraction) -> Fraction | float:
        """Return one over the risk."""
        return 1 / threshold if threshold else math.inf
