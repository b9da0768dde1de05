"""k-anonymity: the size of the smallest class."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tclose.counts import Integers
from tclose.models.base import ClassFigures, TableModel


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
