"""The insider who also learns: what finer classes had room for, and boldly which values go with which people."""

from __future__ import annotations

from tclose.anonymization.algorithms.problem import Floats
from tclose.attacks.attackers.definetti import learnt
from tclose.attacks.attackers.minimality import barred, tilts
from tclose.attacks.fitting import Weights
from tclose.attacks.release_view import ReleaseView

_DOUBT = 2.0
"""Few people are believed: of a small table they are what there is to learn from."""


def posteriors(seen: ReleaseView) -> Floats:
    """Return what a model of the release says that few people convince, beside what the method tells."""
    return learnt(seen, Weights(barred=barred(seen, seen.costs), likely=tilts(seen)), _DOUBT)
