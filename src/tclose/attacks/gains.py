"""How often an attacker is right: claims about members beside the same claims about people who are not in it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.problem import Floats
from tclose.attacks.answers import Answers
from tclose.attacks.attack_input import AttackInput, People
from tclose.attacks.catalogue import Attacker
from tclose.attacks.findings import NORMAL_95, Exposure, Interval, Outcome
from tclose.models.counts import Integers

# Who pulls a gain up or down, and how much the gain of a division varies by how the table was divided.


_LEAST = 0.25
"""At least so much of the variance of people drawn anew is left to chance where they stay the same."""


@dataclass(frozen=True)
class Pulls:
    """By how much the people of each combination of a divided table pull a gain up or down, inside or outside."""

    division: int
    """Which division it was; two tallies of one have changed sides."""
    combinations: Integers
    """Those that the released half has."""
    classes: Integers
    """The class of each."""
    by: Floats


def variances(divisions: Sequence[tuple[Pulls, Pulls]]) -> list[float]:
    """Return, for each division, the variance of the sum of the gains of its two halves.

    Who pulled the one up from inside pulls the other down from outside. People of a class are claimed about
    together, in either release: the variance is that of two ways to draw by classes (Cameron, Gelbach, Miller
    2011), and at least that of combinations drawn one by one.

    The people of all divisions are the same. Where others have seen them too, what those say of the people of a class
    on average is no chance: only what is beside it counts, and never less than :data:`_LEAST` of all.
    """
    if not divisions:
        return []
    every = np.unique(np.concatenate([half.combinations for each in divisions for half in each]))
    sums = np.zeros((len(divisions), len(every)))
    for at, each in enumerate(divisions):
        for half in each:
            sums[at, np.searchsorted(every, half.combinations)] += half.by
    found = []
    for at, each in enumerate(divisions):
        drawn = _Drawn(every, each, sums[at])
        whole = drawn.with_(sums[at])
        usual = 0.0 if len(divisions) == 1 else (sums.sum(axis=0) - sums[at]) / (len(divisions) - 1)
        found.append(max(drawn.with_(sums[at] - usual), _LEAST * whole))
    return found


@dataclass(frozen=True)
class _Drawn:
    """The people of a division, drawn by the classes of either release."""

    every: Integers
    halves: tuple[Pulls, Pulls]
    pulled: Floats

    def with_(self, other: Floats) -> float:
        """Return the covariance with what others pulled of the same people."""
        alone, drawn = float((self.pulled * other).sum()), 0.0
        for half in self.halves:
            number = int(half.classes.max(initial=-1)) + 1
            classes = number + np.arange(len(self.every))  # who is in no class is drawn alone
            classes[np.searchsorted(self.every, half.combinations)] = half.classes
            drawn += float((np.bincount(classes, self.pulled) * np.bincount(classes, other)).sum())
        return max(drawn - alone, alone)


SIZE_BANDS = (1, 10, 20, 50, 100)
"""Where bands of class sizes begin."""
_MUCH = 4
"""So much more than classes explain must divisions differ before their own variance, of few numbers, is believed."""


@dataclass(frozen=True)
class Tally:
    """What one attacker got on one release."""

    people: int
    beyond: int
    said: float
    hits: int
    """How many members' most likely value is their value."""
    control_hits: int
    by_value: Mapping[str, Sequence[int]]
    """For each answer people, those claimed right about, control, and those of it claimed right about."""
    by_size: Integers
    """Bands × (people, claimed about, right, control, control claimed about, control right)."""
    variance: float
    """The variance of the gain over classes, whose people are claimed about together or not at all."""
    unit: float
    """About how many people are claimed about together."""
    pulls: Pulls | None = None
    """Who pulls the gain up or down, where the table was divided."""

    @property
    def claims(self) -> tuple[int, int, int, int]:
        """Members claimed about, of them right; control people claimed about, of them right."""
        sums = self.by_size.sum(axis=0)
        return int(sums[1]), int(sums[2]), int(sums[4]), int(sums[5])

    @property
    def control(self) -> int:
        """How many control people there are."""
        return int(self.by_size[:, 3].sum())

    @property
    def gain(self) -> float:
        """The share of all people about whom the attacker is right because they are in the release."""
        return gain_of(self.people, self.claims)


def gain_of(people: int, claims: Sequence[int]) -> float:
    """Return claims × (right − right of control); of a control group of nobody nothing is right."""
    claimed, right, control, control_right = claims
    if not claimed or not people:
        return 0.0
    return claimed / people * (right / claimed - (control_right / control if control else 0.0))


def _pulled(members: Integers, control: Integers, people: int) -> tuple[Floats, Floats]:
    """Return by how much each group of people pulls the gain up or down: inside, and outside.

    Parameters
    ----------
    members, control
        Groups × (claimed about, right).
    people
        How many members there are.
    """
    claimed, claimed_control = members[:, 0].sum(), control[:, 0].sum()
    rate = control[:, 1].sum() / claimed_control if claimed_control else 0.0
    weight = claimed / claimed_control if claimed_control else 0.0
    inside = members[:, 1] - rate * members[:, 0]
    outside = weight * (control[:, 1] - rate * control[:, 0])
    return inside / max(people, 1), outside / max(people, 1)


def _variance(members: Integers, control: Integers, people: int) -> float:
    """Return the variance of the gain, groups drawn by chance; the arguments are as for :func:`_pulled`."""
    inside, outside = _pulled(members, control, people)
    return float((inside**2).sum() + (outside**2).sum())


def _unit(people: Floats, claimed: Floats, beyond: float) -> float:
    """Return about how many people are claimed about together: those of a class that was, or of the smallest one.

    Of classes larger than 1/t² hardly any is by chance farther than t from the table (Hoeffding 1963).
    """
    smallest = float(people[people > 0].min(initial=np.inf))
    found = float(claimed @ claimed / claimed.sum()) if claimed.any() else 0.0
    return max(found, min(smallest, 1 / max(beyond, 0.1) ** 2, float(people.sum())))


@dataclass(frozen=True)
class _Said:
    """What an attacker says of each combination."""

    value: Integers
    """The answer that exceeds its share in the table most."""
    excess: Floats
    sure: Floats
    """How likely the attacker takes it to be."""
    likely: Integers
    """The likeliest answer."""
    top: Floats
    """How likely that is."""
    far: NDArray[np.bool_]
    """Whether the posterior is beyond t."""

    @staticmethod
    def of(posteriors: Floats, answers: Answers, beyond: float) -> _Said:
        excess = posteriors - answers.prior
        value, rows = excess.argmax(axis=1), np.arange(len(posteriors))
        return _Said(
            value,
            excess[rows, value],
            posteriors[rows, value],
            posteriors.argmax(axis=1),
            posteriors.max(axis=1, initial=0.0),
            answers.distances(posteriors) > beyond + 1e-9,
        )


@dataclass(frozen=True)
class _Group:
    """Some people and what an attacker says of them.

    Where it speaks of combinations, whoever has several is claimed about by the one that stands out most; where it
    speaks of people, they are found by the combination whose class is the smallest.
    """

    people: People
    number: Integers
    """How many people each stands for, of whom something is concluded."""
    combination: Integers
    """The combination that the claim about them comes from."""
    value: Integers
    sure: Floats
    """How likely the attacker takes it to be."""
    claimed: NDArray[np.bool_]
    right: NDArray[np.bool_]
    hits: NDArray[np.bool_]
    """Whether the likeliest answer is theirs."""
    far: NDArray[np.bool_]
    """Whether a posterior is beyond t."""

    @staticmethod
    def of(said: _Said, people: People, number: Integers, beyond: float) -> _Group:
        """Return what is said of people by their combinations."""
        where = np.maximum(people.combinations, 0)
        seen = people.combinations >= 0

        def best(lead: Floats) -> Integers:
            return where[people.foremost(np.where(seen, lead[where], -np.inf))]

        chosen, likeliest = best(said.excess), best(said.top)
        far = people.any_pair(seen & said.far[where])
        return _Group._told(said, people, number, beyond, (chosen, chosen, likeliest), far)

    @staticmethod
    def of_each(said: _Said, people: People, number: Integers, beyond: float, sizes: Integers) -> _Group:
        """Return what is said of each of some people, given how many people the class of each combination holds."""
        where = np.maximum(people.combinations, 0)
        lead = np.where(people.combinations >= 0, -sizes[where].astype(np.float64), -np.inf)
        every = np.arange(len(people.number))
        return _Group._told(said, people, number, beyond, (where[people.foremost(lead)], every, every), said.far)

    @staticmethod
    def _told(
        said: _Said,
        people: People,
        number: Integers,
        beyond: float,
        places: tuple[Integers, Integers, Integers],
        far: NDArray[np.bool_],
    ) -> _Group:
        """Return what is said: the combination of each person, and where the claim and the likeliest answer stand."""
        combination, chosen, top = places
        value, likeliest = said.value[chosen], said.likely[top]
        claimed = said.excess[chosen] > beyond + 1e-9
        right = claimed & people.any_pair(people.answers == value[people.of_pair])
        hits = people.any_pair(people.answers == likeliest[people.of_pair])
        return _Group(people, number, combination, value, said.sure[chosen], claimed, right, hits, far)

    def tallies(self, of_combination: Integers, number: int) -> Integers:
        """Return groups of combinations × (people, claimed about, right)."""
        groups = of_combination[self.combination]
        return _by(groups, number, (self.number, self.number * self.claimed, self.number * self.right))

    def by_value(self, number: int) -> Integers:
        """Return answers × (people who have them, of them rightly claimed about)."""
        pairs = np.unique(self.people.of_pair * number + self.people.answers)
        having = np.bincount(pairs % number, self.number[pairs // number], number)
        right = np.bincount(self.value, self.number * self.right, number)
        return np.stack([having, right], axis=1).astype(np.int64)


def tallied_attack(attacker: Attacker, scene: AttackInput, beyond: float) -> Tally:
    """Return what an attacker gets.

    Parameters
    ----------
    attacker
        The attacker.
    scene
        The release and its people.
    beyond
        By how much the posterior of a value must exceed its share in the table to be a claim.
    """
    found = attacker.conclude(scene)
    said = _Said.of(found.posteriors, scene.seen.answers, beyond)
    left = scene.members.number if found.known is None else scene.members.number - found.known
    if found.of_control is None:
        members = _Group.of(said, scene.members, left, beyond)
        control = _Group.of(said, *_alike(scene, left), beyond)
    else:
        about_others = _Said.of(found.of_control, scene.seen.answers, beyond)
        members = _Group.of_each(said, scene.members, left, beyond, scene.sizes)
        control = _Group.of_each(about_others, *_alike(scene, left), beyond, scene.sizes)
    bands = np.searchsorted(SIZE_BANDS, scene.sizes, side="right") - 1
    by_size = np.concatenate([each.tallies(bands, len(SIZE_BANDS)) for each in (members, control)], axis=1)
    number = int(scene.classes.max(initial=0)) + 1
    inside, outside = (each.tallies(scene.classes, number) for each in (members, control))
    by_value = np.concatenate([each.by_value(len(scene.labels)) for each in (members, control)], axis=1)
    people = int(left.sum())
    return Tally(
        people=people,
        beyond=int(left[members.far].sum()),
        said=float((left * np.where(members.claimed, members.sure, 0.0)).sum()),
        hits=int(left[members.hits].sum()),
        control_hits=int(control.number[control.hits].sum()),
        by_value=dict(zip(scene.labels, by_value.tolist(), strict=True)),
        by_size=by_size,
        variance=_variance(inside[:, 1:], outside[:, 1:], people),
        unit=_unit(inside[:, 0].astype(np.float64), inside[:, 1].astype(np.float64), beyond),
        pulls=_pulls(scene, members, control, people),
    )


def _pulls(scene: AttackInput, members: _Group, control: _Group, people: int) -> Pulls | None:
    """Return who pulls the gain up or down, where the table was divided."""
    if scene.origins is None:
        return None
    every = np.arange(len(scene.origins))
    members_by, control_by = (each.tallies(every, len(every))[:, 1:] for each in (members, control))
    inside, outside = _pulled(members_by, control_by, people)
    return Pulls(scene.seed, scene.origins, scene.classes, inside - outside)


def _alike(scene: AttackInput, left: Integers) -> tuple[People, Integers]:
    """Return the people outside who look like somebody inside about whom something is concluded, and how many."""
    inside, outside = scene.members, scene.control
    if outside is None:
        nobody = np.zeros(0, dtype=np.int64)
        return People(np.zeros(1, dtype=np.int64), nobody, nobody, nobody, nobody), nobody
    there = np.zeros(len(scene.seen.people) + 1, dtype=bool)  # the last: no combination
    there[inside.combinations[left[inside.of_pair] > 0]] = True
    alike = there[outside.combinations]
    return replace(outside, combinations=np.where(alike, outside.combinations, -1)), np.where(
        outside.any_pair(alike), outside.number, 0
    )


def _by(groups: NDArray[np.integer], number: int, columns: Sequence[Integers]) -> Integers:
    return np.stack([np.bincount(groups, column, number) for column in columns], axis=1).astype(np.int64)


def interval_of(tallies: Sequence[Tally]) -> Interval:
    """Return the gain over all divisions with its interval of 95 %, over divisions of this table.

    Every division draws members and control anew from the same people, and its two halves are released one after the
    other. Whoever is easily guessed is so on either side, and cancels out where both halves are seen. What is left to
    chance is the division, and several of them average it. People of a class are claimed about together, so that
    classes are what chance draws; what was seen in few classes, or in none, may be a few classes more (the score
    interval of a Poisson number). ``bench/gains.py`` counts how often it misses.
    """
    divisions = _by_division(tallies)
    gains = np.array([np.mean([tally.gain for tally in each]) for each in divisions])
    within = _variance_of_sums(divisions) / len(tallies) ** 2
    between = float(gains.var(ddof=1)) / len(gains) if len(gains) > 1 else 0.0
    variance = between if between > _MUCH * within else within
    people = sum(tally.people for tally in tallies)
    middle = gain_of(people, np.sum([tally.claims for tally in tallies], axis=0).tolist())
    one = float(np.mean([tally.unit for tally in tallies])) / max(people, 1)
    half = NORMAL_95 * math.sqrt(variance + (NORMAL_95 * one / 2) ** 2)
    return Interval(middle, max(middle - half, -1.0), min(middle + NORMAL_95**2 / 2 * one + half, 1.0))


def _by_division(tallies: Sequence[Tally]) -> list[list[Tally]]:
    """Return tallies with those of one division together."""
    found: dict[object, list[Tally]] = {}
    for at, tally in enumerate(tallies):
        found.setdefault((at,) if tally.pulls is None else tally.pulls.division, []).append(tally)
    return list(found.values())


def _variance_of_sums(divisions: Sequence[Sequence[Tally]]) -> float:
    """Return the variance of the sum of all gains, division by division: of a half, or of both."""
    pulls = [[tally.pulls for tally in each if tally.pulls is not None] for each in divisions]
    alone = sum(tally.variance for each, some in zip(divisions, pulls, strict=True) if len(some) != 2 for tally in each)
    return alone + sum(variances([(some[0], some[1]) for some in pulls if len(some) == 2]))


def outcome(
    attacker: Attacker,
    attribute: str,
    persons: Mapping[str, int],
    prior: float,
    tallies: Sequence[Tally],
    *,
    control: bool,
) -> Outcome:
    """Return what an attacker got over all divisions.

    Parameters
    ----------
    attacker, attribute
        Who concluded about which values.
    persons
        How many people of the table have each answer.
    prior
        How often anybody is right who names the commonest value.
    tallies
        What it got on each division.
    control
        Whether there was anybody to compare with.
    """
    claims = np.sum([tally.claims for tally in tallies], axis=0).tolist()
    people, controls = sum(tally.people for tally in tallies), sum(tally.control for tally in tallies)
    by_size = np.sum([tally.by_size for tally in tallies], axis=0)
    fewest = np.min([tally.by_size[:, 0] for tally in tallies], axis=0).tolist()
    compared = control and controls > 0
    return Outcome(
        attacker=attacker.key,
        attribute=attribute,
        people=people,
        beyond=sum(tally.beyond for tally in tallies) / max(people, 1),
        claims=claims[0] / max(people, 1),
        right=claims[1] / claims[0] if claims[0] else None,
        said=sum(tally.said for tally in tallies) / claims[0] if claims[0] else None,
        control_people=controls,
        control_claims=claims[2] / controls if compared else None,
        control_right=claims[3] / claims[2] if claims[2] else None,
        gain=interval_of(tallies) if compared else None,
        accuracy=(
            sum(tally.hits for tally in tallies) / max(people, 1),
            sum(tally.control_hits for tally in tallies) / controls if compared else None,
            prior,
        ),
        by_value=tuple(_of_value(label, number, tallies) for label, number in persons.items()),
        by_size=tuple(
            Exposure(_band(at), row[0], row[2], row[3], row[5], fewest[at])
            for at, row in enumerate(by_size.tolist())
            if row[0]
        ),
    )


def _of_value(label: str, persons: int, tallies: Sequence[Tally]) -> Exposure:
    """Return what was counted of an answer over all divisions."""
    people, right, control, control_right = np.sum(
        [tally.by_value.get(label, (0, 0, 0, 0)) for tally in tallies], axis=0
    ).tolist()
    return Exposure(label, people, right, control, control_right, persons)


def _band(at: int) -> str:
    begin = SIZE_BANDS[at]
    return f"{begin} or more" if at + 1 == len(SIZE_BANDS) else f"{begin} to {SIZE_BANDS[at + 1] - 1}"
