"""The refiner (downcoding, Cohen 2022), who knows that cells are no coarser than the people in them ask for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.partition import INTERVAL
from tclose.anonymization.algorithms.problem import Floats
from tclose.attacks.fitting import ROUNDS, summed
from tclose.attacks.release_view import ReleaseView
from tclose.models.counts import Integers

_Array = NDArray[Any]


@dataclass(frozen=True)
class _Needs:
    """Groups of (person, class) pairs, in each of which at least one person must really be."""

    pairs: Integers
    groups: Integers
    number: int

    def meet(self, mass: Floats) -> None:
        """Raise every group to one person at least; no pair is in two of them."""
        here = mass[self.pairs]
        held = np.bincount(self.groups, here, self.number)
        with np.errstate(divide="ignore"):
            factors = np.where((held > 0) & (held < 1), 1.0 / held, 1.0)
        mass[self.pairs] = here * factors[self.groups]


def posteriors(seen: ReleaseView) -> Floats:
    """Return what the numbers of people and the sizes of classes say where every cell is as fine as its people allow.

    A class whose cell is an interval has somebody at either end; one whose cell is a node has people under two of its
    children at least. Where all classes share the levels of their cells, that says nothing.
    """
    people = np.repeat(np.arange(len(seen.people)), np.diff(seen.starts))
    needs = list(_needs(seen, people)) if seen.levels is None else []
    mass = (seen.sizes * np.exp(seen.volumes.min(initial=0.0) - seen.volumes))[seen.classes]
    for _ in range(ROUNDS):
        for each in needs:
            each.meet(mass)
        mass = mass * _ratios(seen.sizes, summed(seen.classes, mass, len(seen.sizes)))[seen.classes]
        mass = mass * _ratios(seen.people, summed(people, mass, len(seen.people)))[people]
    return _mixed(seen, people, mass)


def _ratios(wanted: Floats, found: Floats) -> Floats:
    return np.asarray(np.where(found > 0, wanted / np.where(found > 0, found, 1.0), 1.0))


def _mixed(seen: ReleaseView, people: Integers, mass: Floats) -> Floats:
    """Return each combination's mixture of its classes' values."""
    number = seen.answers.number
    shares = seen.table / np.maximum(seen.sizes, 1e-300)[:, np.newaxis]
    found = np.zeros((len(seen.people), number))
    for answer in range(number):
        found[:, answer] = summed(people, mass * shares[seen.classes, answer], len(seen.people))
    sums = found.sum(axis=1, keepdims=True)
    return np.where(sums > 0, found / np.where(sums > 0, sums, 1.0), seen.answers.prior)


def _needs(seen: ReleaseView, people: Integers) -> Iterator[_Needs]:
    """Give what each column asks for: people at both ends of intervals, and under two children of nodes."""
    published = seen.classes < seen.number
    classes = np.where(published, seen.classes, 0)
    for at, quasi in enumerate(seen.problem.quasi):
        codes = seen.codes[people, at]
        levels, first, last = (part[:, at][classes] for part in (seen.cells.levels, seen.cells.first, seen.cells.last))
        if quasi.places is not None:
            yield from _ends(classes, codes, quasi.interval_ends, published & (levels == INTERVAL), first, last)
        for level in range(quasi.lowest + 1, len(quasi.levels)):
            here = np.flatnonzero(published & (levels == level))
            if len(here):
                yield from _children(classes[here], quasi.levels[level - 1].nodes[codes[here]], here)


def _ends(
    classes: Integers, codes: _Array, steps: tuple[_Array, _Array], here: _Array, first: _Array, last: _Array
) -> Iterator[_Needs]:
    low, high = steps
    for reached in (low[codes] == first, high[codes] == last):
        pairs = np.flatnonzero(here & reached)
        if len(pairs):
            groups = np.unique(classes[pairs], return_inverse=True)[1]
            yield _Needs(pairs, groups, int(groups.max()) + 1)


def _children(classes: Integers, children: _Array, pairs: Integers) -> Iterator[_Needs]:
    """Give, where the candidates of a class are under two children alone, that both have somebody."""
    span = int(children.max()) + 1
    keys, groups = np.unique(classes * span + children, return_inverse=True)
    of_class = keys // span
    several = np.bincount(of_class)[of_class] == 2
    kept = several[groups]
    if kept.any():
        number = np.unique(groups[kept], return_inverse=True)[1]
        yield _Needs(pairs[kept], number, int(number.max()) + 1)
