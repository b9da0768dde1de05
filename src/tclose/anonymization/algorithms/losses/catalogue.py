"""The catalogue of losses: what a release costs its readers; of each, less is better."""

from __future__ import annotations

import math

from tclose.anonymization.algorithms.losses.base import Loss
from tclose.anonymization.algorithms.losses.cells import (
    ARX,
    CERTAINTY_PENALTY,
    ENTROPY,
    ENTROPY_SHARE,
    LOSS_METRIC,
    PRECISION,
    losses_by_column,
)
from tclose.anonymization.algorithms.losses.classes import (
    CLASS_SIZE,
    CLASS_SIZE_BY_K,
    DISCERNIBILITY,
    DISCERNIBILITY_BEFORE,
    VARIANCE,
)
from tclose.anonymization.algorithms.partition import Partition
from tclose.anonymization.algorithms.problem import Problem
from tclose.data.progress import Report, silent, told_each

__all__ = ["LOSSES", "Loss", "all_losses", "losses_by_column"]

LOSSES: dict[str, Loss] = {
    loss.key: loss
    for loss in (
        LOSS_METRIC, CERTAINTY_PENALTY, ARX, PRECISION, ENTROPY, ENTROPY_SHARE, DISCERNIBILITY,
        DISCERNIBILITY_BEFORE, CLASS_SIZE, CLASS_SIZE_BY_K, VARIANCE,
    )
}  # fmt: skip


def all_losses(problem: Problem, partition: Partition, tell: Report = silent) -> dict[str, float | None]:
    """Return every loss of a release by its key; None where there is nothing to measure."""
    every = told_each(LOSSES.values(), tell, "Measuring what is lost")
    found = {loss.key: loss.of(problem, partition) for loss in every}
    return {key: None if math.isnan(value) else value for key, value in found.items()}
