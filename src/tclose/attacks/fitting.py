"""Who is in which class with which value: iterative proportional fitting to all that is known to add up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tclose.attacks.incidence import Incidence
from tclose.counts import Integers
from tclose.recoding.problem import Floats

if TYPE_CHECKING:
    from tclose.attacks.seen import Seen

ROUNDS = 40
_SETTLED = 1e-3
"""Fitting ends when nobody's factor changes by more than this share."""


@dataclass(frozen=True)
class Weights:
    """What an attacker believes before anything is fitted."""

    barred: Integers | None = None
    """For each (person, class) pair a bit for every value that is unlikely there."""
    bar: float = 0.1
    """How much less likely it is."""
    likely: Floats | None = None
    """People × values: how likely each value is for each person."""

    def over(self, seen: Seen) -> Incidence:
        """Return which classes cover which combinations, with the values that are unlikely there."""
        cover = Incidence(seen.starts, seen.classes, len(seen.volumes))
        return cover if self.barred is None else replace(cover, barred=self.barred, bar=self.bar)


@dataclass
class Fit:
    """A fit in progress: the factor of each class and value, which can be taken up again."""

    seen: Seen
    scale: Floats

    @staticmethod
    def of(seen: Seen) -> Fit:
        """Return the fit before its first round: every person of a class alike."""
        scale = seen.table * np.exp(-seen.volumes)[:, np.newaxis]
        return Fit(seen, scale / max(scale.max(initial=0.0), 1e-300))

    def run(self, weights: Weights, rounds: int = ROUNDS) -> Floats:
        """Fit for some rounds, and return the posterior of each combination of quasi-identifiers."""
        cover, people, table = weights.over(self.seen), self.seen.people, self.seen.table
        likely = np.ones((1, table.shape[1])) if weights.likely is None else weights.likely
        factors = np.zeros(len(people))
        for _ in range(rounds):
            before = factors
            factors = _ratios(people, (cover.mixed(self.scale) * likely).sum(axis=1))
            got = cover.dealt(factors[:, np.newaxis] * likely)
            self.scale *= _ratios(table, self.scale * got, 1.0)
            self.scale /= max(self.scale.max(initial=0.0), 1e-300)
            if self._settled(before, factors):
                break
        return self._whole(cover.mixed(self.scale) * likely)

    @staticmethod
    def _settled(before: Floats, after: Floats) -> bool:
        """Say whether factors changed by one common factor alone, about."""
        known = (before > 0) & (after > 0)
        if not known.any():
            return False
        ratios = after[known] / before[known]
        return bool(np.ptp(ratios) <= _SETTLED * float(ratios.mean()))

    def _whole(self, posteriors: Floats) -> Floats:
        """Return posteriors that sum to 1; whoever no class can hold keeps the prior, and so does nobody."""
        sums = np.where(self.seen.people > 0, posteriors.sum(axis=1), 0.0)[:, np.newaxis]
        return np.where(sums > 0, posteriors / np.where(sums > 0, sums, 1.0), self.seen.answers.prior)


def _ratios(wanted: Floats, found: Floats, otherwise: float = 0.0) -> Floats:
    """Return what to multiply by, and something else where nothing was found."""
    return np.asarray(np.where(found > 0, wanted / np.where(found > 0, found, 1.0), otherwise))


def summed(groups: NDArray[np.integer], weights: NDArray[Any], number: int) -> Floats:
    """Return the sum of the weights of each group."""
    return np.bincount(groups, weights, number).astype(np.float64)
