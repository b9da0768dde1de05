"""k-map: the size of a class in the population."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tclose.counts import Integers
from tclose.errors import InternalError
from tclose.models.base import ClassFigures, TableModel


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
