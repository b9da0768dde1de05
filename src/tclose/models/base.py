"""What a privacy model is: a figure for every class, the worst of them for the table, and a verdict."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tclose.errors import InternalError
from tclose.models.counts import Block, Integers
from tclose.models.distances.people import held_by
from tclose.models.domains import Domain

# The counts of the values that one class holds, beside the reference's.


def value_pairs(domain: Domain | None, block: Block, position: int) -> tuple[list[tuple[int, int]], int]:
    """Return (class count, reference count) of each value a class holds, and the reference's total."""
    if domain is None:
        raise InternalError("A divergence was asked for without its domain.")
    ranks, counts = block.histogram(position)
    reference = domain.reference
    return [(count, int(reference.counts[rank])) for rank, count in zip(ranks, counts, strict=True)], reference.total


def prevalence_pairs(domain: Domain | None, block: Block, position: int) -> Iterator[tuple[int, int, int, int]]:
    """Give, for each value, the people of a class and of the reference who have it, and who have any value."""
    if domain is None or domain.prevalence is None:
        return
    held, people = held_by(block, position)
    for rank, share in enumerate(domain.prevalence.counts.tolist()):
        yield held.get(rank, 0), share, people, domain.prevalence.total


Exact = Fraction | int | float
"""An exact figure: a fraction or whole number, or an infinite float."""


@dataclass(frozen=True)
class ClassFigures:
    """A model's figure for each class of a part.

    Parameters
    ----------
    values
        One float for each class; NaN where the model has nothing to say of it.
    parts
        Whole numbers for each class from which :meth:`Model.exact` makes the exact figure; None where
        the figure has no exact fraction, and :meth:`Model.certain` decides instead.
    totals
        Further numbers to add up over all classes, for :meth:`Model.details`.
    """

    values: NDArray[np.float64]
    parts: tuple[NDArray[Any], ...] | None = None
    totals: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Whole:
    """What was added up over all classes of a table, for :meth:`Model.details`."""

    rows: int
    classes: int
    people: int
    """Rows of the population that look like someone in the table; 0 without a population."""
    at_risk: int
    """Rows of the classes beyond :attr:`Model.at_risk`."""
    totals: Mapping[str, float]
    """What the model itself wanted added up, :attr:`ClassFigures.totals`."""
    mean_risk: Fraction | None
    """The marketer's risk, where it was measured."""


@dataclass(frozen=True)
class Held:
    """What a table has for its classes to share: rows, or people as often as distinct rows have them."""

    total: int
    values: Integers
    """How many have each value of the attribute; for a model of class sizes, all in one."""
    size: int = 1
    """How many a class has at least."""


@dataclass(frozen=True)
class MostClasses:
    """In how many classes rows may be released at the most, and why no more."""

    number: int
    reason: str


class Model(ABC):
    """A privacy model. Instances are frozen dataclasses whose fields are the model's parameters."""

    key: ClassVar[str]
    """Its name in requirements, JSON and the class table."""
    title: ClassVar[str]
    meaning: ClassVar[str]
    """One sentence that says what the figure means to a person in the table."""
    limit: ClassVar[str]
    """What it does not stop."""
    formula: ClassVar[str]
    source: ClassVar[str]
    """Where it was defined, in short."""
    paper: ClassVar[str]
    """Where it was defined."""
    remarks: ClassVar[str] = ""
    """What else there is to know of it, in Markdown."""
    infinite: ClassVar[str] = ""
    """When its figure is infinite; empty where it never is."""
    scope: ClassVar[Literal["table", "attribute"]] = "attribute"
    good: ClassVar[Literal["high", "low"]]
    """Whether a high or a low figure protects."""
    strict: ClassVar[bool] = False
    """Whether a figure equal to the threshold fails."""
    bounds: ClassVar[tuple[float, float]]
    """The smallest and largest threshold that makes sense."""
    whole: ClassVar[bool] = False
    """Whether the threshold is a whole number."""
    form: ClassVar[tuple[str, ...]] = ("threshold",)
    """What the numbers of a requirement are, in the order a person writes them."""
    of_worst: ClassVar[tuple[str, ...]] = ()
    """The names of what :meth:`details_of_worst` tells, which is withheld with the class itself."""
    averaged: ClassVar[bool] = False
    """Whether the table's figure is the mean over rows rather than the worst class."""
    needs_supersets: ClassVar[bool] = False
    """Whether a class is compared with larger classes instead of the reference."""
    usual: ClassVar[bool] = False
    """Whether an audit measures it without being asked."""
    in_all: ClassVar[bool] = True
    """Whether an audit that measures all models measures it."""
    needs_population: ClassVar[bool] = False
    beside: ClassVar[tuple[str, ...]] = ()
    """The keys of models whose figures its details need."""
    at_risk: ClassVar[Fraction | None] = None
    """A row of a class with a worse figure counts as at risk; None where that makes no sense."""
    kept_by_merging: ClassVar[bool] = True
    """Whether a requirement that classes meet is met by the class they merge to."""
    fewer_rows: ClassVar[Literal["never", "even", "nearer"]] = "nearer"
    """How a class may come to meet a requirement without some rows: never, or with values more even or nearer to the
    reference."""
    parameter_bounds: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """The smallest and largest value of a parameter that need not be whole."""
    example: ClassVar[str]
    """A threshold as a person writes it, for help and docs."""

    @property
    def margin(self) -> float:
        """How far a float may be from the true figure: within it, or this share of it, exact figures decide."""
        return 1e-11

    def refusal(self, domain: Domain | None) -> str | None:
        """Return why the model cannot measure this attribute, or None if it can."""
        del domain
        return None

    def vacuous(self, domain: Domain | None, threshold: Fraction) -> bool:
        """Return whether no class could ever miss the threshold."""
        del domain
        low, high = self.bounds
        return threshold <= low if self.good == "high" else threshold >= high

    def details(self, whole: Whole) -> dict[str, Exact]:
        """Return further figures of the whole table."""
        del whole
        return {}

    def details_of_worst(self, domain: Domain, histogram: Sequence[int]) -> Mapping[str, Exact]:
        """Return further figures of the worst class, from how many of it have each value."""
        del domain, histogram
        return {}

    def least_size(self, threshold: Fraction) -> Fraction | float | None:
        """Return how many rows in every class are enough to meet a threshold; None if it is not about sizes alone."""
        del threshold
        return None

    def most_classes(self, domain: Domain | None, threshold: Fraction, held: Held) -> MostClasses | None:
        """Return in how many classes that meet a threshold any release has its rows at most; None where unknown.

        A proven bound, whatever the quasi-identifiers are and whichever rows are left out. Classes without a value of
        the attribute are not counted.
        """
        del domain
        if (least := self.least_size(threshold)) is None:
            return None
        if least == math.inf:
            return MostClasses(0, "no class is as large")
        return MostClasses(held.total // max(math.ceil(least), 1), "")

    def exact(self, domain: Domain | None, *parts: int) -> Exact:
        """Return the exact figure of a class from its parts."""
        del domain, parts
        raise InternalError(f"{self.key} was asked for an exact figure that it does not have.")

    def certain(self, domain: Domain | None, block: Block, position: int) -> Decimal:
        """Return a figure without exact fraction to 60 digits."""
        del domain, block, position
        raise InternalError(f"{self.key} was asked for digits although its figure is exact.")


class TableModel(Model):
    """A model of class sizes alone."""

    scope = "table"

    @abstractmethod
    def measure(self, sizes: Integers, population: Integers | None) -> ClassFigures:
        """Return the figure of each class from its size and its size in the population."""


class AttributeModel(Model):
    """A model of one sensitive attribute."""

    @abstractmethod
    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the figure of each class from its counts."""

    def measure_beside(
        self, block: Block, domain: Domain, supersets: list[tuple[Integers, Block | None]]
    ) -> ClassFigures:
        """Return the figure of each class where the classes it is part of are known too."""
        del supersets
        return self.measure(block, domain)


def blanked(values: NDArray[Any], block: Block) -> NDArray[np.float64]:
    """Return values as floats, with NaN for classes that hold no value of the attribute."""
    return np.where(block.sizes == 0, np.nan, values.astype(np.float64))
