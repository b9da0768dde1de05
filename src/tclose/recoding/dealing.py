"""Rows dealt to their classes: each to the next free place of its class, in the order in which they come."""

from __future__ import annotations

import numpy as np

from tclose.compiled import kernel
from tclose.counts import Integers


@kernel
def dealt(keys, next_place, rows, placed):  # type: ignore[no-untyped-def]
    """Write each row to the next free place of its key; a key below 0 drops it."""
    for i in range(len(keys)):
        key = keys[i]
        if key >= 0:
            placed[next_place[key]] = rows[i]
            next_place[key] += 1


def in_classes(classes: Integers, number: int) -> tuple[Integers, Integers]:
    """Return the places of pieces class by class, those of none (−1) left out, and where each class begins and ends."""
    sizes = np.bincount(classes[classes >= 0], minlength=number)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    placed = np.empty(starts[-1], dtype=np.int64)
    dealt(classes, starts[:-1].copy(), np.arange(len(classes)), placed, work=len(classes))
    return placed, starts
