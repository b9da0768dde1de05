"""Rows dealt to their classes: each to the next free place of its class, in the order in which they come."""

from __future__ import annotations

import numpy as np

from tclose import kernels
from tclose.counts import Integers


def in_classes(classes: Integers, number: int) -> tuple[Integers, Integers]:
    """Return the places of pieces class by class, those of none (−1) left out, and where each class begins and ends."""
    sizes = np.bincount(classes[classes >= 0], minlength=number)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    placed = np.empty(starts[-1], dtype=np.int64)
    kernels.counting.deal(np.ascontiguousarray(classes), starts[:-1].copy(), np.arange(len(classes)), placed)
    return placed, starts
