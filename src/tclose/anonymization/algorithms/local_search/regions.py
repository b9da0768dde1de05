"""Regions: classes near each other that are searched by themselves, so that threads share the work and none decides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tclose.anonymization.algorithms.local_search.costs import Column, Plan, shapes_of
from tclose.anonymization.algorithms.local_search.units import Masses, Units
from tclose.anonymization.algorithms.problem import Codes, Floats
from tclose.anonymization.algorithms.threads import in_threads
from tclose.models import kernels
from tclose.models.counts import Integers

MOST_CLASSES = 500
"""How many classes a region has at the most."""
MOST_UNITS = 6_000
SORTED_FROM = 20
"""Where a column has so many times more positions than a region has units, these are sorted instead of ticked off."""
SPARE = 0.25
"""For so large a share of its classes, and a few more, a region has numbers for new ones."""
_Searched = tuple[Integers, Integers]
"""The classes of a region, and the place of each unit's class among these and new ones."""


@dataclass(frozen=True)
class Field:
    """Units, what their cells cost and what their classes must meet."""

    units: Units
    columns: tuple[Column, ...]
    masses: Masses
    threads: int

    def divided(self, classes: Integers) -> bool:
        """Return whether there are so many classes or units that they are searched region by region."""
        return int(classes.max(initial=-1)) >= MOST_CLASSES or len(classes) > MOST_UNITS

    def searched(
        self,
        classes: Integers,
        plan: Callable[[int], Plan],
        room: int,
        draw: np.random.Generator,
        tell: Callable[[float], None],
    ) -> Integers:
        """Return the class of each unit after every region was searched; new classes have new numbers.

        Parameters
        ----------
        classes
            The class of each unit, from 0; −1 where it is left out.
        plan
            Returns how a region is searched that has this number.
        room
            How many more rows may be left out; each region gets its share.
        draw
            Decides along which columns regions are divided.
        tell
            Told which share of the regions is searched; it may stop the search.
        """
        regions = self._regions(classes, draw)
        share = room / max(int(self.units.weights.sum()), 1)

        def search(at: int) -> _Searched:
            units = regions[at]
            return self._searched_one(
                units, classes[units], plan(at), int(share * int(self.units.weights[units].sum()))
            )

        found, following = classes.copy(), int(classes.max(initial=-1)) + 1
        sizes = [len(units) for units in regions]
        for units, (kept, own) in zip(regions, in_threads(search, sizes, self.threads, tell), strict=True):
            names = np.append(np.concatenate([kept, following + np.arange(len(units))]), -1)
            found[units] = names[own]
            following += len(units)
        return found

    def _searched_one(self, units: Integers, classes: Integers, plan: Plan, room: int) -> _Searched:
        """Search one region; return its classes, and the place of each unit's class among these and new ones."""
        kept = np.unique(classes[classes >= 0])
        own = np.where(classes >= 0, np.searchsorted(kept, classes), -1)
        local = np.empty((len(units), len(self.columns)), dtype=np.int32)
        columns = []
        for at, column in enumerate(self.columns):
            there, local[:, at] = _numbered_along(self.units.positions[units, at], column.nodes.shape[1])
            columns.append(column.at(there))
        number = len(kept) + min(int(SPARE * len(kept)) + 8, len(units))
        kernels.annealing.anneal(
            kernels.annealing.Costs(*shapes_of(columns)), kernels.annealing.Limits(*self.masses.limits),
            kernels.annealing.Units(*self.masses.crowd(self.units, units, local)), plan, own, number, room,
        )  # fmt: skip
        return kept, own

    def _regions(self, classes: Integers, draw: np.random.Generator) -> list[Integers]:
        """Return the units of each region; those of a class, and those left out that lie among them, are together."""
        number = int(classes.max(initial=-1)) + 1
        out = np.flatnonzero(classes < 0)
        seats = classes.copy()
        seats[out] = number + np.arange(len(out))
        sizes = np.bincount(seats, minlength=number + len(out))
        middles = np.stack(
            [np.bincount(seats, self.units.positions[:, at], len(sizes)) / sizes for at in range(len(self.columns))]
        )
        region = _divided(middles, sizes, draw)[seats]
        order = np.argsort(region, kind="stable")
        bounds = np.flatnonzero(np.diff(region[order])) + 1
        return np.split(order, bounds)


def _numbered_along(positions: Codes, span: int) -> tuple[Codes, Codes]:
    """Return the positions that occur of so many, in their order, and the place of each one among them."""
    if span > SORTED_FROM * len(positions):
        there, places = np.unique(positions, return_inverse=True)
        return there, places.astype(np.int32)
    occurs = np.zeros(span, dtype=bool)
    occurs[positions] = True
    return np.flatnonzero(occurs).astype(np.int32), (np.cumsum(occurs, dtype=np.int32) - 1)[positions]


def _divided(middles: Floats, sizes: Integers, draw: np.random.Generator) -> Integers:
    """Return the region of each class: halves of halves along columns that chance chooses, until all are small."""
    region = np.zeros(len(sizes), dtype=np.int64)
    while True:
        region = np.unique(region, return_inverse=True)[1]
        counts = np.bincount(region)
        large = (counts > MOST_CLASSES) | (np.bincount(region, sizes) > MOST_UNITS) & (counts > 1)
        if not large.any():
            return region
        column = middles[int(draw.integers(len(middles)))]
        order = np.lexsort((draw.random(len(region)), column, region))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        half = place - (np.cumsum(counts) - counts)[region] >= counts[region] // 2
        region = region * 2 + (half & large[region])
