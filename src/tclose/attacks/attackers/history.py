"""The follower of one person, who multiplies the distributions of all classes that hold that person's rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tclose.anonymization.algorithms.problem import Floats
from tclose.attacks.answers import MISSING
from tclose.attacks.attack_input import AttackInput, Conclusion, People
from tclose.attacks.fitting import Fit, Weights, summed
from tclose.attacks.release_view import ReleaseView
from tclose.models.counts import Integers
from tclose.models.traits import rho

# The classes of each person's rows, a history, and what they say of a value that is the same in all of them.


@dataclass(frozen=True)
class Histories:
    """Who has how many rows in which class: pairs of a person and a class, in the order of people."""

    persons: Integers
    classes: Integers
    rows: Floats
    """How many rows with a value the person has in the class, as far as anybody knows."""
    unsure: Floats
    """The variance of that number: other classes may hold the rows, and somebody's value may be missing in them."""
    number: int
    """How many people there are."""

    @staticmethod
    def of(scene: AttackInput, people: People) -> Histories:
        """Return the histories of people of a scene; rows that were left out are in none."""
        seen = scene.seen
        starts, classes, shares = _memberships(scene)
        kept = people.combinations >= 0
        combinations, persons, rows = people.combinations[kept], people.of_pair[kept], people.rows[kept]
        widths = np.diff(starts)[combinations]
        ends = np.cumsum(widths)
        place = np.arange(int(widths.sum())) + np.repeat(starts[combinations] - (ends - widths), widths)
        published = classes[place] < seen.number
        place, pair = place[published], np.repeat(np.arange(len(persons)), widths)[published]
        found, at = np.unique(persons[pair] * max(seen.number, 1) + classes[place], return_inverse=True)
        known, share = _known(scene)[classes[place]], shares[place]
        variance = rows[pair] ** 2 * share * (1 - share) * known**2 + rows[pair] * share * known * (1 - known)
        return Histories(
            found // max(seen.number, 1),
            found % max(seen.number, 1),
            summed(at, rows[pair] * share * known, len(found)),
            summed(at, variance, len(found)),
            len(people.number),
        )

    def by_person(self, weights: Floats) -> Floats:
        """Return people × values: the sums of what their pairs say, given values × pairs."""
        return np.stack([summed(self.persons, each, self.number) for each in weights], axis=1)

    @cached_property
    def sure(self) -> Floats:
        """For each pair how sure it is that the class counts the person's value, 1 at the most."""
        return np.minimum(self.rows, 1.0)


@dataclass(frozen=True)
class Trait:
    """What a release says of a value that is the same in all rows of a person."""

    answers: Integers
    """The answers that are values."""
    number: int
    """How many answers there are."""
    table: Floats
    """Values × classes: how many rows each class holds."""
    prior: Floats

    @staticmethod
    def of(seen: ReleaseView, labels: tuple[str, ...]) -> Trait:
        """Return what is seen of a release, without the missing value."""
        answers = np.flatnonzero([label != MISSING for label in labels[: seen.answers.number]])
        prior = seen.answers.prior[answers]
        return Trait(answers, seen.answers.number, seen.table[: seen.number, answers].T.copy(), prior / prior.sum())

    def posteriors(self, logarithms: Floats) -> Floats:
        """Return people × answers: shares in proportion to people × values, whose logarithms are given."""
        found = np.zeros((len(logarithms), self.number))
        found[:, self.answers] = proportional(logarithms)
        return found


def rho_of(scene: AttackInput) -> float:
    """Return how much the classes of a release publish together of a value that is the same in all rows of a person."""
    members, number = scene.members, len(scene.labels)
    having = np.unique(members.of_pair * number + members.answers) % number
    values = np.bincount(having, minlength=number)
    values[[label == MISSING for label in scene.labels]] = 0
    histories = Histories.of(scene, members)
    sizes = summed(histories.classes, histories.sure, scene.seen.number)
    return rho(np.round(sizes).astype(np.int64), values)


def proportional(logarithms: Floats) -> Floats:
    """Return shares that sum to 1 in every row."""
    found = np.exp(logarithms - logarithms.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _known(scene: AttackInput) -> Floats:
    """Return the share of each class's rows that have a value."""
    missing = [label == MISSING for label in scene.labels[: scene.seen.answers.number]]
    return np.asarray(1 - scene.seen.table[:, missing].sum(axis=1) / np.maximum(scene.seen.sizes, 1e-300))


def _memberships(scene: AttackInput) -> tuple[Integers, Integers, Floats]:
    """Return the classes of each combination, ``starts[x]:starts[x + 1]``, with the share of its rows in each.

    Rows that look alike share a class in a release of people, and whoever knows the method knows which; of a release
    that exists, the register tells which classes are likely.
    """
    seen = scene.seen
    if scene.origins is not None:
        number = len(scene.classes)
        return np.arange(number + 1), scene.classes, np.ones(number)
    fit = Fit.of(seen)
    fit.run(Weights())
    weights = fit.scale.sum(axis=1)[seen.classes]
    whose = np.repeat(np.arange(len(seen.people)), np.diff(seen.starts))
    sums = summed(whose, weights, len(seen.people))
    even = 1 / np.maximum(np.diff(seen.starts), 1)
    shares = np.where(sums[whose] > 0, weights / np.where(sums > 0, sums, 1.0)[whose], even[whose])
    return seen.starts, seen.classes, shares


_IMPOSSIBLE = -700.0
"""The logarithm of how likely a value is of which a class has fewer rows than the person."""


def conclude(scene: AttackInput) -> Conclusion:
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
