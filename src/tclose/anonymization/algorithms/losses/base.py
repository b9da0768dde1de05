"""What a loss is: a number for a release, and everything that is said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tclose.anonymization.algorithms.partition import Partition
from tclose.anonymization.algorithms.problem import Problem

Beside = Literal["exact", "rounded", "withheld"]


@dataclass(frozen=True)
class Loss:
    """A measure of what a release has lost against the original; less is better.

    It never falls when published classes are merged or generalised, the same rows being left out.
    """

    key: str
    title: str
    meaning: str
    """One sentence that says what the number means."""
    source: str
    """Where it was defined."""
    formula: str
    """In Markdown."""
    left_out: str
    """What a row that is left out of the release counts."""
    of: Callable[[Problem, Partition], float]
    """Returns the loss of a release; NaN where there is nothing to measure."""
    bounded: bool = True
    """Whether it goes from 0, nothing lost, to 1, everything lost."""
    by_class: bool = False
    """Whether it depends on nothing but the cells and sizes of classes."""
    reported: bool = False
    """Whether reports show it; the JSON has all."""
    beside: Beside = "withheld"
    """How it is told beside the release: whoever has that can compute it, it follows from the values that
    quasi-identifiers have and is rounded, or it follows from the rows of the original and is not told."""

    def __call__(self, problem: Problem, partition: Partition) -> float:
        """Return the loss of a release."""
        return self.of(problem, partition)
