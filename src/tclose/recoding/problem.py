"""What a method searches: the distinct rows of a table as codes, and what the release must meet."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.domains import Domain
from tclose.measuring import Task

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Level:
    """One level of a quasi-identifier's hierarchy: the node of each value, and what each node is."""

    nodes: Codes
    """The node of each value; nodes are numbered from 0 in the order of their first values."""
    labels: tuple[str, ...]
    leaves: Integers
    """How many leaves of the hierarchy each node covers, those that do not occur included."""
    costs: Floats
    """The loss LM of each node: 0 for a single value, 1 for everything."""


@dataclass(frozen=True)
class Quasi:
    """A quasi-identifier: its values in their order, its hierarchy, and whether it has intervals.

    Where ``places`` is given, the first ``len(places)`` values lie on a line (numbers, dates, ordered
    categories), and a class may be published as the interval from its lowest to its highest value; such
    an interval costs the part of the line that it covers. A missing value is last, after them.
    """

    name: str
    values: tuple[object, ...]
    levels: tuple[Level, ...]
    """From the values themselves (level 0) to one node (the last level)."""
    leaves: int
    """How many leaves the hierarchy has."""
    places: Floats | None = None
    """The place of each value on the line, from 0 to 1; None where there are no intervals."""
    lowest: int = 0
    """The finest level that may be published."""
    highest: int = -1
    """The coarsest level that may be published; −1 stands for the last."""
    weight: float = 1.0

    @property
    def top(self) -> int:
        """The coarsest level that may be published."""
        return self.highest if self.highest >= 0 else len(self.levels) - 1


@dataclass(frozen=True)
class Problem:
    """Distinct rows with their counts, and what the classes made of them must meet.

    Row ``i`` stands for ``counts[i]`` rows of the table with the same quasi-identifiers and the same
    sensitive values. Rows are in the order of their codes, so nothing depends on the order of the table.
    """

    quasi: tuple[Quasi, ...]
    codes: Codes
    """The code of each row's value of each quasi-identifier: a position in ``Quasi.values``."""
    ranks: Codes
    """The rank of each row's value of each sensitive attribute; −1 where it is left out."""
    counts: Integers
    domains: tuple[Domain, ...]
    """Each sensitive attribute; its reference is the distribution of the original table."""
    tasks: tuple[Task, ...]
    """The requirements: a model, the attribute it judges (None: class sizes), and its thresholds."""
    suppress: Fraction = Fraction(0)
    """The largest share of rows that may be left out of the release."""
    seed: int = 0

    @cached_property
    def rows(self) -> int:
        """How many rows the table has."""
        return int(self.counts.sum())

    @cached_property
    def most_suppressed(self) -> int:
        """How many rows may be left out."""
        return int(self.suppress * self.rows)

    @cached_property
    def k(self) -> int:
        """The smallest size that the requirements on class sizes allow."""
        least = 1
        for task in self.tasks:
            for requirement in task.requirements:
                if task.model.key == "k":
                    least = max(least, int(requirement.threshold))
                elif task.model.key in ("prosecutor", "marketer"):
                    risk = requirement.threshold
                    least = max(least, -(-risk.denominator // risk.numerator) if risk else self.rows + 1)
        return least

    @cached_property
    def weights(self) -> Floats:
        """The weight of each quasi-identifier, summing to 1."""
        weights = np.array([each.weight for each in self.quasi], dtype=np.float64)
        return np.asarray(weights / weights.sum())

    @cached_property
    def tuples(self) -> tuple[Integers, Codes]:
        """The number of each row's combination of quasi-identifiers, and the codes of each combination."""
        numbers = numbered(self.codes)
        first = np.unique(numbers, return_index=True)[1]
        return numbers, self.codes[first]


def numbered(keys: NDArray[np.integer], spans: Sequence[int] | None = None) -> Integers:
    """Return the number of each row of a matrix of codes among its distinct rows, in their order."""
    numbers = np.zeros(len(keys), dtype=np.int64)
    distinct = 1
    for column in range(keys.shape[1]):
        span = int(spans[column]) if spans is not None else int(keys[:, column].max(initial=0)) + 1
        numbers = numbers * span + keys[:, column]
        distinct *= span
        if distinct >= 2**40:
            numbers = np.unique(numbers, return_inverse=True)[1].astype(np.int64)
            distinct = int(numbers.max(initial=0)) + 1
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)
