"""t-closeness: the earth mover's distance between a class and the table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tclose.counts import Block
from tclose.distances.ground import exact_distance, float_distances
from tclose.distances.people import apart, exact_apart, float_apart, people_of
from tclose.domains import Domain
from tclose.errors import InternalError
from tclose.models.base import AttributeModel, ClassFigures, Held, MostClasses, blanked
from tclose.models.most_classes import by_distance


@dataclass(frozen=True)
class TCloseness(AttributeModel):
    """The earth mover's distance between the distribution of a class and the reference, at most t."""

    key = "t"
    title = "t-closeness"
    meaning = "Knowing a person's class moves what one believes of the sensitive value by at most t."
    limit = "a rare value that becomes many times as likely: 1 % to 11 % counts as 40 % to 50 %"
    formula = "t = max over classes of EMD(P, Q)"
    remarks = (
        "EMD is the earth mover's distance: the least work that turns the class into the reference.\n"
        "Moving a share from one value to another costs the share times the distance of the two values.\n"
        "[roles.md](roles.md#distances) has the four distances and their formulas.\n"
        "Where people are counted who have several values, t is the larger of that distance and of the largest\n"
        "difference, over all values v, between the mean distance from v to a person's nearest value in the class and\n"
        "in the table ([people.md](people.md#shares-of-people))."
    )
    source = "Li, Li, Venkatasubramanian 2007"
    paper = "N. Li, T. Li, S. Venkatasubramanian: t-Closeness, ICDE 2007"
    good = "low"
    bounds = (0, 1)
    usual = True
    example = "0.2"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the distance of each class."""
        x, y = domain.ground.parts(block)
        values = float_distances(domain.ground, x, y, block.sizes)
        if domain.people is None or domain.prevalence is None:
            return ClassFigures(blanked(values, block), (x, y, block.sizes))
        sizes = people_of(block).sets.sizes
        inside, outside = apart(block, domain.ground, domain.people)
        values = np.maximum(values, float_apart(domain.ground, domain.prevalence.total, inside, outside, sizes))
        parts = (x, y, block.sizes, inside, outside, sizes)
        return ClassFigures(np.where(np.maximum(sizes, block.sizes) == 0, np.nan, values), parts)

    def most_classes(self, domain: Domain | None, threshold: Fraction, held: Held) -> MostClasses | None:
        """Return the bound by how near small classes can be, and by the values that every class needs."""
        return None if domain is None else by_distance(domain.ground, held, threshold)

    def exact(self, domain: Domain | None, *parts: int) -> Fraction:
        """Return the distance as a fraction."""
        if domain is None:
            raise InternalError("A distance was asked for without its domain.")
        distance = exact_distance(domain.ground, *parts[:3])
        if domain.prevalence is None:
            return distance
        return max(distance, exact_apart(domain.ground, domain.prevalence.total, *parts[3:]))

    def vacuous(self, domain: Domain | None, threshold: Fraction) -> bool:
        """Return whether the threshold is at least the largest distance any class can have."""
        return domain is not None and threshold >= domain.largest_t
