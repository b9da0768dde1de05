"""Models of class size: k-anonymity, k-map, and the risks of the prosecutor, the journalist and the marketer."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tclose.errors import InternalError
from tclose.models.base import ClassFigures, Exact, TableModel, Whole
from tclose.models.counts import Integers


@dataclass(frozen=True)
class KAnonymity(TableModel):
    """The number of rows that share a combination of quasi-identifiers, at least k."""

    key = "k"
    fewer_rows = "never"
    title = "k-anonymity"
    meaning = "Every person is one of at least k who look alike."
    limit = "a class whose rows all have the same sensitive value"
    formula = "k = min over classes of f"
    source = "Sweeney 2002"
    paper = "L. Sweeney: k-Anonymity, IJUFKS 10(5), 2002"
    good = "high"
    bounds = (1, 2**62)
    whole = True
    usual = True
    example = "5"

    def measure(self, sizes: Integers, population: Integers | None) -> ClassFigures:
        """Return the size of each class."""
        del population
        return ClassFigures(sizes.astype(np.float64), (sizes,))

    def exact(self, domain: object, *parts: int) -> int:
        """Return the size itself."""
        del domain
        return parts[0]

    def least_size(self, threshold: Fraction) -> Fraction | float:
        """Return the threshold itself."""
        return threshold


@dataclass(frozen=True)
class KMap(TableModel):
    """The number of people of the population who look like a row of the table, at least k."""

    key = "k_map"
    title = "k-map"
    meaning = "Every row fits at least k people of the population."
    limit = "learning a sensitive value without finding the row"
    formula = "k = min over classes of F"
    source = "Sweeney 2001"
    paper = "L. Sweeney: Computational disclosure control, PhD thesis, MIT 2001"
    good = "high"
    bounds = (1, 2**62)
    whole = True
    needs_population = True
    example = "5"

    def measure(self, sizes: Integers, population: Integers | None) -> ClassFigures:
        """Return the population's size of each class."""
        del sizes
        if population is None:
            raise InternalError("k-map was asked for without a population.")
        return ClassFigures(population.astype(np.float64), (population,))

    def exact(self, domain: object, *parts: int) -> int:
        """Return the size itself."""
        del domain
        return parts[0]


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


@dataclass(frozen=True)
class MarketerRisk(TableModel):
    """(1/n) Σ f/F over the classes: an average over rows, at most the threshold.

    Without a population F is f, and the risk is the number of classes over the number of rows.
    """

    key = "marketer"
    fewer_rows = "never"
    title = "marketer risk"
    meaning = "The share of all rows that someone who links the whole table would get right on average."
    limit = "learning a sensitive value without finding the row"
    formula = "(1/n) Σ over classes of f/F; without a population the number of classes over the number of rows"
    remarks = "A mean over rows, not the worst class; a requirement that is missed names no class."
    source = "Dankar, El Emam 2010"
    paper = "F. Dankar, K. El Emam: A method for evaluating marketer re-identification risk, EDBT Workshops 2010"
    good = "low"
    bounds = (0, 1)
    usual = True
    example = "0.05"
    averaged = True

    def measure(self, sizes: Integers, population: Integers | None) -> ClassFigures:
        """Return 1/F of each class, the chance of each of its rows."""
        found = sizes if population is None else population
        return ClassFigures(1.0 / found, (np.asarray(found),))

    def exact(self, domain: object, *parts: int) -> Fraction:
        """Return the chance as a fraction."""
        del domain
        return Fraction(1, parts[0])

    def least_size(self, threshold: Fraction) -> Fraction | float:
        """Return one over the risk."""
        return 1 / threshold if threshold else math.inf
