"""The reader, who knows one person's quasi-identifiers and reads every class that covers them."""

from __future__ import annotations

import numpy as np

from tclose.attacks.seen import Seen
from tclose.compiled import kernel
from tclose.recoding.problem import Floats


@kernel
def _mix(starts, classes, offsets, values, counts, weights, m, posteriors):  # type: ignore[no-untyped-def]
    """Add up, for each combination, the values of the classes that cover it, by the weights of the classes."""
    for x in range(len(starts) - 1):
        for p in range(starts[x], starts[x + 1]):
            c = classes[p]
            for e in range(offsets[c], offsets[c + 1]):
                posteriors[x * m + values[e]] += weights[c] * counts[e]


def posteriors(seen: Seen) -> Floats:
    """Return the mixture of the classes that cover each person, by their sizes and how much of the cell a person is."""
    found = np.zeros(len(seen.people) * seen.answers.number)
    weights = np.exp(seen.volumes.min(initial=0.0) - seen.volumes)
    _mix(
        seen.starts, seen.classes, seen.offsets, seen.values, seen.counts, weights, seen.answers.number, found,
        work=int(seen.entries[-1]),
    )  # fmt: skip
    mixed = found.reshape(len(seen.people), -1)
    return np.asarray(mixed / mixed.sum(axis=1, keepdims=True))
