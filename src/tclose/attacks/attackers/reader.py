"""The reader, who knows one person's quasi-identifiers and reads every class that covers them."""

from __future__ import annotations

import numpy as np

from tclose.anonymization.algorithms.problem import Floats
from tclose.attacks.fitting import Weights
from tclose.attacks.release_view import ReleaseView


def posteriors(seen: ReleaseView) -> Floats:
    """Return the mixture of the classes that cover each person, by their sizes and how much of the cell a person is."""
    weights = np.exp(seen.volumes.min(initial=0.0) - seen.volumes)
    mixed = Weights().over(seen).mixed(seen.table * weights[:, np.newaxis])
    return np.asarray(mixed / mixed.sum(axis=1, keepdims=True))
