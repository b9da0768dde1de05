"""Models of nearness between numbers: the narrowest band of a class, and (ε,m)-anonymity."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tclose.errors import InternalError
from tclose.models.base import AttributeModel, ClassFigures, Exact, Held, MostClasses, Whole, blanked
from tclose.models.class_limits import by_different_values
from tclose.models.counts import Block
from tclose.models.distances.neighbours import Numbers, largest_neighbourhoods, narrowest_bands
from tclose.models.domains import Domain
from tclose.policy.exact_numbers import as_float
from tclose.policy.roles import Numeric, Ordered

_HALF, _MOST = Fraction(1, 2), Fraction(4, 5)
"""The share of a class that decides its figure, and the larger one of which the worst class is told too."""


@dataclass(frozen=True)
class NarrowestBand(AttributeModel):
    """The share of the reference in the narrowest band of values that holds half of a class, at least s."""

    key = "band"
    fewer_rows = "even"
    title = "narrowest band"
    meaning = "The narrowest band of values that holds half of a class holds at least this share of the table."
    limit = "two narrow bands far apart, each of which holds less than half of a class"
    formula = (
        "min over classes of the share of the reference in [a, b], the narrowest interval that holds half of the "
        "class; of equally narrow ones, the one that holds least of the reference"
    )
    remarks = (
        "For numbers and dates, ordered or numeric. A missing value is in no band and does not count for the class.\n"
        "Beside it stand the `width` of the band of the worst class, in days for dates and in microseconds for times; "
        "`narrow`, the share of rows in classes whose figure is below 1/20; `band_80` and `width_80`, the same of the "
        "narrowest band that holds 80 % of the worst class. In a table of more than a million rows all but "
        "`narrow` are told only if the figure is below 1/20.\n"
        "t alone does not tell such classes. The numeric distance divides by the range, which one large value "
        "stretches; the ordered distance is small for a class at the median.\n"
        "If the figure is below 1/20 and no proximity is required of the attribute, the first lines of the audit "
        "say so.\n"
        "A person who has several values counts once for each of them."
    )
    source = "Li, Tao, Xiao 2008"
    paper = (
        "after J. Li, Y. Tao, X. Xiao: Preservation of proximity privacy in publishing numerical sensitive data, "
        "SIGMOD 2008, who bound the share of a class in any interval of a given width"
    )
    good = "high"
    bounds = (0, 1)
    example = "0.05"
    usual = True
    of_worst = ("width", "band_80", "width_80")
    at_risk = Fraction(1, 20)
    kept_by_merging = False

    def refusal(self, domain: Domain | None) -> str | None:
        """Return why a band makes no sense for the attribute."""
        if domain is None or domain.numbers is None or not isinstance(domain.distance, Numeric | Ordered):
            return "needs numbers or dates, ordered or numeric"
        return None

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the share of the reference in the narrowest band of each class; NaN for a class without numbers."""
        _, holds = narrowest_bands(block, _numbers(domain), domain.reference.counts, _HALF)
        total = domain.reference.total
        shares = [as_float(Fraction(each, total)) for each in holds] if holds.dtype.hasobject else holds / total
        return ClassFigures(np.where(holds < 0, np.nan, np.asarray(shares, dtype=np.float64)), (holds,))

    def exact(self, domain: Domain | None, *parts: int) -> Exact:
        """Return the share as a fraction."""
        if domain is None:
            raise InternalError("A band was asked for without its domain.")
        return Fraction(parts[0], domain.reference.total)

    def details(self, whole: Whole) -> dict[str, Exact]:
        """Return the share of rows in classes with a narrow band."""
        return {"narrow": Fraction(whole.at_risk, whole.rows)}

    def details_of_worst(self, domain: Domain, histogram: Sequence[int]) -> Mapping[str, Exact]:
        """Return how wide the band of a class is, and the band that holds 80 % of it."""
        numbers, counts = _numbers(domain), np.array(histogram, dtype=np.int64)
        ranks = np.flatnonzero(counts)
        block = Block(np.array([0, len(ranks)]), ranks.astype(np.int32), counts[ranks], counts.sum(keepdims=True))
        (width, _), (width_80, holds_80) = (
            (int(found[0]) for found in narrowest_bands(block, numbers, domain.reference.counts, share))
            for share in (_HALF, _MOST)
        )
        return {
            "width": Fraction(width, numbers.unit),
            "band_80": Fraction(holds_80, domain.reference.total),
            "width_80": Fraction(width_80, numbers.unit),
        }


def _numbers(domain: Domain) -> Numbers:
    if domain.numbers is None:
        raise InternalError("A band was asked for among values that are not numbers.")
    return domain.numbers


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
