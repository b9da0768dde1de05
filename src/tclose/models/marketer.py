"""Marketer risk: the share of all rows that could be re-identified."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tclose.counts import Integers
from tclose.models.base import ClassFigures, TableModel


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
