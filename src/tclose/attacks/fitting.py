"""Who is in which class with which value: iterative proportional fitting to all that is known to add up."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.problem import Floats
from tclose.anonymization.algorithms.threads import in_threads
from tclose.models import kernels
from tclose.models.counts import Integers

if TYPE_CHECKING:
    from tclose.attacks.release_view import ReleaseView


# Which classes cover which people, as a matrix that is never written out: weights mixed, and people dealt out.


_SPAN = 2_000_000
"""So many weights are worked on apart from others at least; fixed, so that threads decide nothing."""
_HELD = 20_000_000
"""So many sums of parts are held beside each other at the most."""


@dataclass(frozen=True)
class Incidence:
    """Rows and the classes that cover them: of row ``x`` the positions ``starts[x]:starts[x + 1]`` of ``classes``."""

    starts: Integers
    classes: Integers
    number: int
    """How many classes there are."""
    barred: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """For each pair of a row and a class a bit for every value that counts less there; may be empty."""
    bar: float = 1.0
    """How much less."""

    def mixed(self, weights: Floats) -> Floats:
        """Return rows × values: the weights of all classes that cover each row."""
        found = np.zeros((len(self.starts) - 1, weights.shape[1]))
        self._by_spans(kernels.covering.mix, weights, lambda: found)
        return found

    def dealt(self, given: Floats) -> Floats:
        """Return classes × values: what all rows give to the classes that cover them."""
        parts = self._by_spans(kernels.covering.deal, given, lambda: np.zeros((self.number, given.shape[1])))
        return np.asarray(np.sum(parts, axis=0))

    def _by_spans(self, kernel: Callable[..., None], given: Floats, into: Callable[[], Floats]) -> list[Floats]:
        """Return what comes of spans of rows of about as many weights each, in their order."""
        width = given.shape[1]
        total, most = int(self.starts[-1]), max(_HELD // max(self.number * width, 1), 1)
        step = max(_SPAN // width, total // most, 1)
        ends = np.searchsorted(self.starts, np.arange(step, total, step)).tolist()
        spans = list(pairwise(sorted({0, *ends, len(self.starts) - 1}))) or [(0, 0)]

        sizes = [int(self.starts[end] - self.starts[begin]) * width for begin, end in spans]

        covers = kernels.covering.Covers(self.starts, self.classes, self.barred, self.bar)
        weights = np.ascontiguousarray(given).ravel()

        def some(at: int) -> Floats:
            made = into()
            kernel(*spans[at], covers, weights, width, made.ravel())
            return made

        return in_threads(some, sizes, os.cpu_count() or 1, lambda _share: None)


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

    def over(self, seen: ReleaseView) -> Incidence:
        """Return which classes cover which combinations, with the values that are unlikely there."""
        cover = Incidence(seen.starts, seen.classes, len(seen.volumes))
        return cover if self.barred is None else replace(cover, barred=self.barred, bar=self.bar)


@dataclass
class Fit:
    """A fit in progress: the factor of each class and value, which can be taken up again."""

    seen: ReleaseView
    scale: Floats

    @staticmethod
    def of(seen: ReleaseView) -> Fit:
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
