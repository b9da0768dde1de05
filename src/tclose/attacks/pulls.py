"""Who pulls a gain up or down, and how much the gain of a division varies by how the table was divided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tclose.counts import Integers
from tclose.recoding.problem import Floats

_LEAST = 0.25
"""At least so much of the variance of people drawn anew is left to chance where they stay the same."""


@dataclass(frozen=True)
class Pulls:
    """By how much the people of each combination of a divided table pull a gain up or down, inside or outside."""

    division: int
    """Which division it was; two tallies of one have changed sides."""
    combinations: Integers
    """Those that the released half has."""
    classes: Integers
    """The class of each."""
    by: Floats


def variances(divisions: Sequence[tuple[Pulls, Pulls]]) -> list[float]:
    """Return, for each division, the variance of the sum of the gains of its two halves.

    Who pulled the one up from inside pulls the other down from outside. People of a class are claimed about
    together, in either release: the variance is that of two ways to draw by classes (Cameron, Gelbach, Miller
    2011), and at least that of combinations drawn one by one.

    The people of all divisions are the same. Where others have seen them too, what those say of the people of a class
    on average is no chance: only what is beside it counts, and never less than :data:`_LEAST` of all.
    """
    if not divisions:
        return []
    every = np.unique(np.concatenate([half.combinations for each in divisions for half in each]))
    sums = np.zeros((len(divisions), len(every)))
    for at, each in enumerate(divisions):
        for half in each:
            sums[at, np.searchsorted(every, half.combinations)] += half.by
    found = []
    for at, each in enumerate(divisions):
        drawn = _Drawn(every, each, sums[at])
        whole = drawn.with_(sums[at])
        usual = 0.0 if len(divisions) == 1 else (sums.sum(axis=0) - sums[at]) / (len(divisions) - 1)
        found.append(max(drawn.with_(sums[at] - usual), _LEAST * whole))
    return found


@dataclass(frozen=True)
class _Drawn:
    """The people of a division, drawn by the classes of either release."""

    every: Integers
    halves: tuple[Pulls, Pulls]
    pulled: Floats

    def with_(self, other: Floats) -> float:
        """Return the covariance with what others pulled of the same people."""
        alone, drawn = float((self.pulled * other).sum()), 0.0
        for half in self.halves:
            number = int(half.classes.max(initial=-1)) + 1
            classes = number + np.arange(len(self.every))  # who is in no class is drawn alone
            classes[np.searchsorted(self.every, half.combinations)] = half.classes
            drawn += float((np.bincount(classes, self.pulled) * np.bincount(classes, other)).sum())
        return max(drawn - alone, alone)
