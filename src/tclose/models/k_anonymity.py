"""k-anonymity: the size of the smallest class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tclose.counts import Integers
from tclose.models.base import ClassFigures, TableModel


@dataclass(frozen=True)
class KAnonymity(TableModel):
    """The number of rows that share a combination of quasi-identifiers, at least k."""

    key = "k"
    title = "k-anonymity"
    meaning = "Every person is one of at least k who look alike."
    source = "Sweeney 2002"
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
