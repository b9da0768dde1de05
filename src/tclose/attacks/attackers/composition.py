"""The collector (composition attack, Ganta et al. 2008), who has another release about the same people."""

from __future__ import annotations

import numpy as np

from tclose.anonymization.algorithms.problem import Floats
from tclose.attacks.attack_input import AttackInput, Conclusion
from tclose.attacks.attackers import reader, register
from tclose.attacks.release_view import ReleaseView


def conclude(scene: AttackInput) -> Conclusion:
    """Return the product of what each release says, by the prior: values that one of them excludes are excluded."""
    prior = np.maximum(scene.seen.answers.prior, 1e-300)
    found = alone = register.posteriors(scene.seen)
    for other in scene.previous:
        found = found * (_of_previous(other) / prior)
    sums = found.sum(axis=1, keepdims=True)
    return Conclusion(np.where(sums > 0, found / np.where(sums > 0, sums, 1.0), alone))


def _of_previous(seen: ReleaseView) -> Floats:
    """Return what another release says: of just these people by the register, else as a reader reads it."""
    same = abs(float(seen.counts.sum() - seen.people.sum())) < 0.5
    return register.posteriors(seen) if same else reader.posteriors(seen)
