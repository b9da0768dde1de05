"""A scene: what is seen of a release, who its people really are, who looks like them, and what was found out before."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.problem import Floats
from tclose.attacks.person_rows import Crowd
from tclose.attacks.release_view import ReleaseView
from tclose.models.counts import Integers


@dataclass(frozen=True)
class People:
    """Those about whom attackers conclude; person ``p`` is the pairs ``starts[p]:starts[p + 1]``.

    A pair is a combination of quasi-identifiers and an answer. Who has one row is one pair, and those who share it are
    told of together; who has several rows may be several pairs.
    """

    starts: Integers
    combinations: Integers
    """The combination of each pair; −1 where nobody in the release has it, so that nothing is concluded from it."""
    answers: Integers
    rows: Integers
    """How many rows of one of these people each pair is."""
    number: Integers
    """How many people each one stands for."""

    @staticmethod
    def of_rows(combinations: Integers, answers: Integers, counts: Integers) -> People:
        """Return people of one row each; those without a combination or an answer (−1) are left out."""
        kept = (combinations >= 0) & (answers >= 0) & (counts > 0)
        width = int(answers.max(initial=0)) + 1
        pairs, place = np.unique(combinations[kept] * width + answers[kept], return_inverse=True)
        number = np.bincount(place, counts[kept], len(pairs)).astype(np.int64)
        return People(np.arange(len(pairs) + 1), pairs // width, pairs % width, np.ones_like(pairs), number)

    @staticmethod
    def of_crowd(crowd: Crowd, combinations: Integers, answers: Integers) -> People:
        """Return people of several rows, given the combination and the answer of every distinct row.

        Rows without an answer are left out, and so is who has no combination.
        """
        known = answers[crowd.rows] >= 0
        persons, rows = crowd.persons[known], crowd.rows[known]
        like = np.zeros(crowd.number, dtype=bool)
        like[persons[combinations[rows] >= 0]] = True
        kept = like[persons]
        persons, rows, repeats = persons[kept], rows[kept], crowd.repeats[known][kept]
        widths = np.bincount(persons, minlength=crowd.number)[like]
        starts = np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)
        return People(starts, combinations[rows], answers[rows], repeats, np.ones(len(widths), dtype=np.int64))

    @property
    def of_pair(self) -> Integers:
        """Whose each pair is."""
        return np.repeat(np.arange(len(self.number)), np.diff(self.starts))

    def foremost(self, lead: Floats) -> Integers:
        """Return the pair of each person that leads most, the first of equal ones."""
        if len(lead) == len(self.number):
            return np.arange(len(lead))
        return np.asarray(np.lexsort((-lead, self.of_pair))[self.starts[:-1]])

    def any_pair(self, holds: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return for whom something holds of one of their pairs."""
        return np.asarray(np.bincount(self.of_pair[holds], minlength=len(self.number)) > 0)

    def rows_by(self, some: Integers, shape: tuple[int, int]) -> Integers:
        """Return how many rows some of the people have of each combination and answer; so many of each, all known."""
        found = np.zeros(shape, dtype=np.int64)
        np.add.at(found, (self.combinations, self.answers), some[self.of_pair] * self.rows)
        return found


@dataclass(frozen=True)
class AttackInput:
    """A release under attack."""

    seen: ReleaseView
    members: People
    """The people in the release."""
    control: People | None
    """People who are not in it, but share a combination with one who is; None where nobody is known."""
    classes: Integers
    """The class of each combination's people, or of most of them."""
    sizes: Integers
    """How many people that class holds."""
    labels: tuple[str, ...]
    """What each answer is called: those that attackers choose from, then those that nobody in the release has."""
    origins: Integers | None = None
    """The combination of the divided table that each combination is; None where none was divided."""
    previous: tuple[ReleaseView, ...] = ()
    """Other releases about these people."""
    seed: int = 0


@dataclass(frozen=True)
class Conclusion:
    """What an attacker concludes about each combination, and of how many of each of the people it knew the answer."""

    posteriors: Floats
    known: Integers | None = None
    of_control: Floats | None = None
    """What it would conclude about each person outside; then ``posteriors`` are about each member."""
