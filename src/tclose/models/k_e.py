"""(k,e)-anonymity: the range of a numeric sensitive attribute in a class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tclose.counts import Block
from tclose.domains import Domain
from tclose.errors import InternalError
from tclose.exact import as_float
from tclose.models.base import AttributeModel, ClassFigures, Exact, blanked


@dataclass(frozen=True)
class KE(AttributeModel):
    """The largest minus the smallest value of a class that has at least k different ones, at least e.

    Parameters
    ----------
    distinct
        k: how many different values a class must hold; one with fewer has no range that counts.
    """

    distinct: int = 1

    key = "ke"
    fewer_rows = "never"
    title = "(k,e)-anonymity"
    meaning = "Every class holds at least k different numbers, and they span at least e."
    limit = "a wide range of which nearly all rows sit at one end"
    formula = "e = min over classes of (largest value − smallest value), for classes of at least k different values"
    remarks = (
        "For numbers and dates; days for dates, microseconds for times.\n"
        "A class with fewer than k different values has the figure −1, which meets no threshold."
    )
    source = "Zhang et al. 2007"
    paper = "Q. Zhang, N. Koudas, D. Srivastava, T. Yu: Aggregate query answering on anonymized tables, ICDE 2007"
    good = "high"
    bounds = (0, math.inf)
    form = ("distinct", "threshold")
    example = "3,2000"

    def refusal(self, domain: Domain | None) -> str | None:
        """Return why a range makes no sense for the attribute."""
        if domain is None or domain.positions is None:
            return "needs numbers or dates without missing values"
        return None

    def vacuous(self, domain: Domain | None, threshold: Fraction) -> bool:
        """Return whether every class spans at least this much: only 0, and only with one value."""
        del domain
        return threshold <= 0 and self.distinct <= 1

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the range of each class, −1 where it holds too few different values."""
        if domain.positions is None:
            raise InternalError("A range was asked for values that are not numbers.")
        whole, unit = domain.positions
        # Python integers where 64 bits could be too few for the differences
        kind = np.int64 if all(abs(each) < 2**61 for each in (*whole, unit)) else object
        positions = np.array(whole, dtype=kind)
        held = block.distinct > 0
        at = positions[block.ranks]
        starts = block.offsets[:-1][held]
        ranges = np.full(block.classes, -unit, dtype=kind)
        if len(starts):
            ranges[held] = np.maximum.reduceat(at, starts) - np.minimum.reduceat(at, starts)
        ranges[block.distinct < self.distinct] = -unit
        floats = [as_float(Fraction(int(span), unit)) for span in ranges] if kind is object else ranges / unit
        return ClassFigures(blanked(np.asarray(floats), block), (ranges,))

    def exact(self, domain: Domain | None, *parts: int) -> Exact:
        """Return the range as a fraction."""
        if domain is None or domain.positions is None:
            raise InternalError("A range was asked for values that are not numbers.")
        return Fraction(int(parts[0]), domain.positions[1])
