"""The follower of one person, who multiplies the distributions of all classes that hold that person's rows."""

from __future__ import annotations

import numpy as np

from tclose.attacks.histories import Histories, Trait
from tclose.attacks.scene import Conclusion, Scene
from tclose.recoding.problem import Floats

_IMPOSSIBLE = -700.0
"""The logarithm of how likely a value is of which a class has fewer rows than the person."""


def conclude(scene: Scene) -> Conclusion:
    """Return the product of what a person's classes say, by the prior, which each of them repeats."""
    trait = Trait.of(scene.seen, scene.labels)
    inside = _posteriors(trait, Histories.of(scene, scene.members))
    outside = np.zeros((0, trait.number))
    if scene.control is not None:
        outside = _posteriors(trait, Histories.of(scene, scene.control))
    return Conclusion(inside, of_control=outside)


def _posteriors(trait: Trait, histories: Histories) -> Floats:
    """Return π^(1−m) ∏ p over the m classes of each person; a class that may not count them says less."""
    ratios = trait.table / np.maximum(trait.table.sum(axis=0), 1e-300) / trait.prior[:, np.newaxis]
    with np.errstate(divide="ignore"):
        found = np.log1p(histories.sure * (ratios[:, histories.classes] - 1))
    impossible = trait.table[:, histories.classes] < np.where(histories.unsure > 0, 0.0, histories.rows)
    found[impossible | (found < _IMPOSSIBLE)] = _IMPOSSIBLE
    return trait.posteriors(np.log(trait.prior) + histories.by_person(found))
