"""Who is in which class with which value: iterative proportional fitting to all that is known to add up."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tclose.compiled import kernel
from tclose.counts import Integers
from tclose.recoding.problem import Floats

if TYPE_CHECKING:
    from tclose.attacks.seen import Seen

ROUNDS = 40
_SETTLED = 1e-3
"""Fitting ends when nobody's factor changes by more than this share."""
_CHUNK = 2_000_000
"""So many entries are added up apart from others; fixed, so that threads decide nothing."""


@kernel
def _pass(  # type: ignore[no-untyped-def]  # noqa: C901 - a kernel calls no other function
    begin, end, starts, classes, offsets, values, scale, people, barred, bar, likely, m, taken, factors, posteriors
):
    """Give each combination's people to classes and values in proportion; add up what each (class, value) got.

    ``barred`` has a bit for each value that a pair is unlikely to hold, ``likely`` a weight for each combination and
    value; both may be empty. Where ``posteriors`` is not empty, each combination's shares of values are added to it.
    """
    for x in range(begin, end):
        total = 0.0
        if people[x] <= 0:
            continue
        for p in range(starts[x], starts[x + 1]):
            mask = barred[p] if len(barred) else 0
            for e in range(offsets[classes[p]], offsets[classes[p] + 1]):
                weight = scale[e]
                if mask and (mask >> values[e]) & 1:
                    weight *= bar
                if len(likely):
                    weight *= likely[x * m + values[e]]
                total += weight
        if total <= 0.0:
            continue
        factor = people[x] / total
        factors[x] = factor
        for p in range(starts[x], starts[x + 1]):
            mask = barred[p] if len(barred) else 0
            for e in range(offsets[classes[p]], offsets[classes[p] + 1]):
                weight = scale[e] * factor
                if mask and (mask >> values[e]) & 1:
                    weight *= bar
                if len(likely):
                    weight *= likely[x * m + values[e]]
                taken[e] += weight
                if len(posteriors):
                    posteriors[x * m + values[e]] += weight / people[x]


@dataclass(frozen=True)
class Weights:
    """What an attacker believes before anything is fitted."""

    barred: Integers | None = None
    """For each (person, class) pair a bit for every value that is unlikely there."""
    bar: float = 0.1
    """How much less likely it is."""
    likely: Floats | None = None
    """People × values: how likely each value is for each person."""


@dataclass
class Fit:
    """A fit in progress: the factor of each (class, value) entry, which can be taken up again."""

    seen: Seen
    people: Floats
    scale: Floats

    @staticmethod
    def of(seen: Seen, people: Floats | None = None) -> Fit:
        """Return the fit before its first round: every person of a class alike."""
        scale = seen.counts * np.repeat(np.exp(-seen.volumes), np.diff(seen.offsets))
        return Fit(seen, seen.people if people is None else people, scale / max(scale.max(initial=0.0), 1e-300))

    def run(self, weights: Weights, rounds: int = ROUNDS) -> Floats:
        """Fit for some rounds, and return the posterior of each combination of quasi-identifiers."""
        factors = np.zeros(len(self.people))
        for _ in range(rounds):
            before = factors.copy()
            taken = self._round(weights, factors, np.zeros(0))
            with np.errstate(divide="ignore", invalid="ignore"):
                self.scale *= np.where(taken > 0, self.seen.counts / taken, 1.0)
            self.scale /= max(self.scale.max(initial=0.0), 1e-300)
            if self._settled(before, factors):
                break
        posteriors = np.zeros(len(self.people) * self.seen.answers.number)
        self._round(weights, factors, posteriors)
        return self._whole(posteriors.reshape(len(self.people), -1))

    @staticmethod
    def _settled(before: Floats, after: Floats) -> bool:
        """Say whether factors changed by one common factor alone, about."""
        known = (before > 0) & (after > 0)
        if not known.any():
            return False
        ratios = after[known] / before[known]
        return bool(np.ptp(ratios) <= _SETTLED * float(ratios.mean()))

    def _whole(self, posteriors: Floats) -> Floats:
        """Return posteriors that sum to 1; whoever no class can hold keeps the prior."""
        sums = posteriors.sum(axis=1, keepdims=True)
        return np.where(sums > 0, posteriors / np.where(sums > 0, sums, 1.0), self.seen.answers.prior)

    def _round(self, weights: Weights, factors: Floats, posteriors: Floats) -> Floats:
        seen = self.seen
        nothing: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        barred = nothing if weights.barred is None else weights.barred
        likely = np.zeros(0) if weights.likely is None else weights.likely.ravel()

        def some(span: tuple[int, int]) -> Floats:
            taken = np.zeros(len(self.scale))
            _pass(
                *span, seen.starts, seen.classes, seen.offsets, seen.values, self.scale, self.people, barred,
                weights.bar, likely, seen.answers.number, taken, factors, posteriors,
                work=int(seen.entries[span[1]] - seen.entries[span[0]]),
            )  # fmt: skip
            return taken

        spans = seen.spans
        if len(spans) == 1:
            return some(spans[0])
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            return np.asarray(np.sum(list(pool.map(some, spans)), axis=0))


def spans_of(entries: Integers) -> list[tuple[int, int]]:
    """Return spans of combinations of about as many entries each."""
    ends = np.searchsorted(entries, np.arange(_CHUNK, int(entries[-1]), _CHUNK)).tolist()
    edges = sorted({0, *ends, len(entries) - 1})
    return list(pairwise(edges)) or [(0, 0)]


def summed(groups: NDArray[np.integer], weights: NDArray[Any], number: int) -> Floats:
    """Return the sum of the weights of each group."""
    return np.bincount(groups, weights, number).astype(np.float64)
