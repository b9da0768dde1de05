"""Which classes cover which people, as a matrix that is never written out: weights mixed, and people dealt out."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from tclose import kernels
from tclose.counts import Integers
from tclose.recoding.problem import Floats
from tclose.recoding.threads import in_threads

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
