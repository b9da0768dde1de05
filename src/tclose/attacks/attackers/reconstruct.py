"""The solver, who has the register: one value for each person, so that all counts of all classes come out.

The counts are a linear system over people. Belief propagation solves it: class and person tell each other how likely
each value is, until nothing changes. What a class says of a person follows from how many rows of a value it has beside
what the others in it are believed to have; that number is taken for a Poisson number, shifted by what is certain.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tclose.anonymization.algorithms.problem import Floats
from tclose.attacks.attack_input import AttackInput, Conclusion, People
from tclose.attacks.attackers.history import Histories, Trait, proportional
from tclose.attacks.fitting import summed

_STEPS = (0.1, 0.03, 0.01)
"""How far beliefs move in a round: less where more leads nowhere."""
_ROUNDS, _FIRST = 150, 30
"""After so many rounds a step is given up; after the first ones already, where beliefs still swing."""
_SETTLED, _SWINGING = 1e-4, 0.1
"""How much a round changes beliefs, on average, where they have settled, and where they swing."""
_LEAST = 0.1
"""The least variance of what others in a class have, in rows: a few counts may come from somebody of two values."""
_SPARE = 0.02
"""What is taken to be left for a person where others seem to have all rows of a value."""
_SUREST = 12.0
"""The logarithm of how much one class may say for a value, or against it."""
_ALIKE = 20.0
"""Beside the people of a combination so many are taken to have been seen who have the mixture of its class."""


def conclude(scene: AttackInput) -> Conclusion:
    """Return what all counts say together of each member, and what members' values say of people who look like them."""
    trait = Trait.of(scene.seen, scene.labels)
    histories = Histories.of(scene, scene.members)
    inside = solved(histories, trait.table, trait.prior)
    outside = np.zeros((0, trait.number))
    if scene.control is not None:
        outside = trait.posteriors(_learnt(scene, trait, scene.control, inside))
    return Conclusion(trait.posteriors(np.log(np.maximum(inside, 1e-300))), of_control=outside)


def solved(histories: Histories, table: Floats, prior: Floats) -> Floats:
    """Return people × values: how likely each value is.

    Parameters
    ----------
    histories
        Who has how many rows in which class.
    table
        Values × classes: how many rows of each value a class holds.
    prior
        The share of each value.
    """
    least, best = np.inf, np.tile(prior, (histories.number, 1))
    for step in _STEPS if len(prior) > 1 else ():
        found, swinging = _Beliefs.before(histories, table, prior).passed(step)
        dealt = [
            summed(histories.classes, histories.rows * each[histories.persons], table.shape[1]) for each in found.T
        ]
        missed = float(np.abs(table - np.stack(dealt)).sum())
        if missed < least:
            least, best = missed, found
        if not swinging:
            break
    return best


@dataclass
class _Beliefs:
    """What classes have told people so far."""

    histories: Histories
    table: Floats
    prior: Floats
    told: Floats
    """Values × pairs: the logarithm of how much a class says for each value of the person."""

    @staticmethod
    def before(histories: Histories, table: Floats, prior: Floats) -> _Beliefs:
        return _Beliefs(histories, table, prior, np.zeros((len(prior), len(histories.persons))))

    def passed(self, step: float) -> tuple[Floats, bool]:
        """Return what people are believed to have after many rounds, and whether that still swings."""
        found, change = self._found(), np.inf
        for at in range(_ROUNDS):
            news = self._said()
            news -= self.told
            news *= step
            self.told += news
            before, found = found, self._found()
            change = float(np.abs(found - before).sum(axis=1).mean())
            if change < _SETTLED or (at >= _FIRST and change > _SWINGING):
                break
        return found, change > _SWINGING

    def _sums(self) -> Floats:
        return np.log(self.prior) + self.histories.by_person(self.told)

    def _found(self) -> Floats:
        return proportional(self._sums())

    def _others(self) -> Floats:
        """Return values × pairs: how likely each value is by what all other classes of the person say."""
        sums, who = self._sums(), self.histories.persons
        found = np.stack([sums[who, at] for at in range(len(self.told))])
        found -= self.told
        found -= found.max(axis=0)
        np.exp(found, out=found)
        found /= found.sum(axis=0)
        return found

    def _said(self) -> Floats:
        """Return what each class says to each of its people, by what the others in it are believed to have."""
        where, rows, unsure = self.histories.classes, self.histories.rows, self.histories.unsure
        found = self._others()
        believed, variances, spread = np.zeros((3, *self.table.shape))
        for at, others in enumerate(found):
            open_ = rows * others * (1 - others)
            believed[at] = summed(where, rows * others, self.table.shape[1])
            variances[at] = summed(where, rows * open_ + unsure * others, self.table.shape[1])
            spread[at] = summed(where, open_, self.table.shape[1])
        units = np.maximum(variances / np.maximum(spread, 1e-12), 1.0)
        wider = _independent(variances) / np.maximum(variances, 1e-12)
        sure = np.where(unsure > 0, self.histories.sure, 1.0)
        counted = rows / np.maximum(sure, 1e-12)
        least = np.where(unsure > 0, 0.0, rows)
        for at, others in enumerate(found):
            unit, table = units[at, where], self.table[at, where]
            own = rows**2 * others * (1 - others) + unsure * others
            open_ = np.maximum((variances[at, where] - own) * wider[at, where] / unit**2, _LEAST)
            left = (table - believed[at, where] + rows * others - (counted - unit) / 2) / unit
            said = counted / unit * np.log1p(sure * (np.maximum(left + open_, _SPARE) / open_ - 1))
            found[at] = np.where(table < least, -_SUREST, said)
        found -= found.mean(axis=0)
        return np.clip(found, -_SUREST, _SUREST, out=found)


def _independent(variances: Floats) -> Floats:
    """Return numbers of which these are the variances once their sum is fixed: of n people, n q and n q (1 − q)."""
    found = variances * len(variances) / max(len(variances) - 1, 1)
    for _ in range(6):
        shares = found / np.maximum(found.sum(axis=0), 1e-12)
        found = variances / np.maximum(1 - shares, 0.05)
    return found


def _learnt(scene: AttackInput, trait: Trait, control: People, found: Floats) -> Floats:
    """Return people outside × values, as logarithms: a naive Bayes model of members who share their combinations.

    Beside the few members of a combination stands everybody in its class.
    """
    members, number = scene.members, len(scene.seen.people)
    usual = np.tile(found.mean(axis=0), (scene.seen.number + 1, 1))
    sums = trait.table.sum(axis=0)
    usual[:-1][sums > 0] = (trait.table[:, sums > 0] / sums[sums > 0]).T
    usual = usual[np.minimum(scene.classes, scene.seen.number)]
    pairs = np.unique(members.of_pair * number + members.combinations)
    having = np.stack([summed(pairs % number, each[pairs // number], number) for each in found.T], axis=1)
    many = np.bincount(pairs % number, minlength=number)[:, np.newaxis]
    says = np.log((having + _ALIKE * usual) / (many + _ALIKE) / trait.prior)
    seen = control.combinations >= 0
    alike = np.unique(control.of_pair[seen] * number + control.combinations[seen])
    return np.log(trait.prior) + np.stack(
        [summed(alike // number, each, len(control.number)) for each in says[alike % number].T], axis=1
    )
