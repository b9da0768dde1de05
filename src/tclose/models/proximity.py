"""(ε,m)-anonymity: how many of a class are near each of its members."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from tclose.counts import Block
from tclose.distances.neighbours import largest_neighbourhoods
from tclose.domains import Domain
from tclose.errors import InternalError
from tclose.models.base import AttributeModel, ClassFigures, Exact, Held, MostClasses, blanked
from tclose.models.most_classes import by_different_values


@dataclass(frozen=True)
class Proximity(AttributeModel):
    """One over the largest share of a class that lies within ε of one of its members, at least m.

    Parameters
    ----------
    epsilon
        ε: how far apart two values may be and still be near, in the attribute's own units.
    """

    epsilon: Fraction = Fraction(1)

    key = "proximity"
    fewer_rows = "even"
    title = "(ε,m)-anonymity"
    meaning = "For every member of a class, at most 1/m of the class lies within ε of their value."
    limit = "values that are close in ratio and farther apart than ε"
    formula = "m = min over classes and their members x of 1 / (share of the class in [x − ε, x + ε])"
    remarks = (
        "For numbers and dates; ε is in days for dates, in microseconds for times.\n"
        "Two classes can meet it while the class that they merge to misses it: with ε = 1 and m = 2, {0, 2} and "
        "{1, 100} hold and {0, 1, 2, 100} doesn't.\n"
        "A person who has several values counts once for each of them."
    )
    source = "Li, Tao, Xiao 2008"
    paper = (
        "J. Li, Y. Tao, X. Xiao: Preservation of proximity privacy in publishing numerical sensitive data, SIGMOD 2008"
    )
    good = "high"
    bounds = (1, math.inf)
    form = ("epsilon", "threshold")
    example = "500,4"
    in_all = False
    kept_by_merging = False
    parameter_bounds: ClassVar = {"epsilon": ("1e-30", "1e30")}

    def refusal(self, domain: Domain | None) -> str | None:
        """Return why being near makes no sense for the attribute."""
        if domain is None or domain.positions is None:
            return "needs numbers or dates without missing values"
        return None

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return one over the largest share of each class that is near one of its members."""
        if domain.numbers is None:
            raise InternalError("Neighbours were asked for among values that are not numbers.")
        most = largest_neighbourhoods(block, domain.numbers, self.epsilon)
        values = block.sizes / most.clip(min=1)
        return ClassFigures(blanked(values, block), (block.sizes, most))

    def most_classes(self, domain: Domain | None, threshold: Fraction, held: Held) -> MostClasses | None:
        """Return the bound of ⌈m⌉ different values: each value is near itself, and has at most 1/m of a class."""
        del domain
        return by_different_values(held, math.ceil(threshold))

    def exact(self, domain: Domain | None, *parts: int) -> Exact:
        """Return the figure as a fraction."""
        del domain
        return Fraction(parts[0], parts[1])
