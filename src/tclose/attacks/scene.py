"""A scene: what is seen of a release, who its people really are, who looks like them, and what was found out before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tclose.attacks.seen import Seen
from tclose.counts import Integers
from tclose.recoding.problem import Floats


@dataclass(frozen=True)
class Scene:
    """A release under attack; arrays are of combinations of quasi-identifiers × answers."""

    seen: Seen
    members: Integers
    """How many of the people in the release have each combination and answer."""
    control: Integers | None
    """How many people who are not in it, but share a combination with one who is; None where there is nobody."""
    classes: Integers
    """The class of each combination's people, or of most of them."""
    sizes: Integers
    """How many people that class holds."""
    previous: tuple[Seen, ...] = ()
    """Other releases about these people."""
    seed: int = 0


@dataclass(frozen=True)
class Conclusion:
    """What an attacker concludes about each combination, and of how many people it knew the answer before."""

    posteriors: Floats
    known: Integers | None = None


def tallied(numbers: Integers, answers: Integers, counts: Integers, shape: tuple[int, int]) -> Integers:
    """Return how many people each combination has of each answer; those without an answer (−1) are left out."""
    kept = (numbers >= 0) & (answers >= 0)
    flat = np.bincount(numbers[kept] * shape[1] + answers[kept], counts[kept], shape[0] * shape[1])
    return flat.reshape(shape).astype(np.int64)
