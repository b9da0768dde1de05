"""What joint classes say of a value: which are left, how likely each is, and how far that is from the reference.

With shares p₁(v) … p_r(v) in the classes of r releases and q(v) in the reference, somebody in all of them has value v
with a probability proportional to p₁(v)⋯p_r(v) / q(v)^(r − 1). Floats find the joint classes that matter, fractions
decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tclose.errors import DomainError, InternalError
from tclose.models.counts import Block, Integers
from tclose.models.distances.earth_movers import Ground, LineGround, TreeGround
from tclose.models.domains import Domain

Floats = NDArray[np.float64]
_ENTRIES_AT_ONCE = 4_000_000
_NEAR = 1e-9
"""Floats that are nearer to each other are told apart by fractions."""


@dataclass(frozen=True)
class Posteriors:
    """What joint classes say of one attribute."""

    domain: Domain
    blocks: tuple[Block, ...]
    """The counts of each release's classes."""
    classes: Integers
    """Joint classes × releases."""

    @cached_property
    def found(self) -> tuple[Integers, Floats, Floats]:
        """How many values each joint class allows, the surest guess, and its distance; NaN where none is left."""
        parts = [self._measured(some) for some in self._chunks()]
        left, surest, distance = (np.concatenate([each[at] for each in parts]) for at in range(3))
        return left.astype(np.int64), surest, distance

    def _chunks(self) -> Iterator[Integers]:
        step = max(1, _ENTRIES_AT_ONCE // max(len(self.domain.reference.counts), 1))
        for begin in range(0, max(len(self.classes), 1), step):
            yield self.classes[begin : begin + step]

    def _measured(self, some: Integers) -> tuple[NDArray[np.generic], Floats, Floats]:
        counts = [self._dense(some, at) for at in range(len(self.blocks))]
        held = np.all([each > 0 for each in counts], axis=0)
        prior = self.domain.reference.counts.astype(np.float64) / self.domain.reference.total
        if (held & (prior == 0)).any():
            raise DomainError(
                f"The reference of {self.domain.name!r} lacks values that the releases have, so that what is believed "
                "of them cannot be compared with it."
            )
        weights = np.where(held, 1.0, 0.0)
        for each in counts:
            weights *= each / np.maximum(each.sum(axis=1, keepdims=True), 1)
        weights /= np.where(prior > 0, prior, 1.0) ** (len(counts) - 1)
        total = weights.sum(axis=1, keepdims=True)
        shares = weights / np.where(total > 0, total, np.nan)
        return held.sum(axis=1), shares.max(axis=1, initial=0.0), _distances(self.domain.ground, shares, prior)

    def _dense(self, some: Integers, at: int) -> Floats:
        """Return the counts of the classes of one release, a row for each joint class."""
        block, numbers = self.blocks[at], some[:, at]
        found = np.zeros((len(some), len(self.domain.reference.counts)))
        widths = block.distinct[numbers]
        rows = np.repeat(np.arange(len(some)), widths)
        places = np.arange(len(rows)) - np.repeat(np.cumsum(widths) - widths - block.offsets[numbers], widths)
        found[rows, block.ranks[places]] = block.counts[places]
        return found

    def worst(self, key: str) -> tuple[Fraction | int, Integers] | None:
        """Return the worst figure (of l, alpha or t) and which joint classes have it; None where there is none."""
        values = self._values(key)
        known = ~np.isnan(values)
        if not known.any():
            return None
        if key == "l":
            least = int(np.nanmin(values))
            return least, np.flatnonzero(values == least)
        near = np.flatnonzero(values >= np.nanmax(values) - _NEAR)
        exact, of = self._exactly(key, near)
        most = max(exact)
        return most, near[np.array([value == most for value in exact])[of]]

    def failing(self, key: str, met: Callable[[Fraction | int], bool], threshold: Fraction) -> Integers:
        """Return which joint classes miss a threshold of a model."""
        values, limit = self._values(key), float(threshold)
        beyond = values < limit if key == "l" else values > limit
        near = np.flatnonzero(np.abs(values - limit) <= _NEAR)
        if len(near) and key != "l":
            exact, of = self._exactly(key, near)
            beyond[near] = np.array([not met(value) for value in exact])[of]
        return np.flatnonzero(beyond)

    def _values(self, key: str) -> Floats:
        left, surest, distance = self.found
        return {"l": np.where(left > 0, left, np.nan), "alpha": np.where(left > 0, surest, np.nan), "t": distance}[key]

    def _exactly(self, key: str, near: Integers) -> tuple[list[Fraction], Integers]:
        """Return the exact figures of some joint classes: of those with the same counts once, and which each has."""
        _, first, of = np.unique(self._kinds[near], axis=0, return_index=True, return_inverse=True)
        return [self._exact(key, int(near[at])) for at in first], of.ravel()

    @cached_property
    def _kinds(self) -> Integers:
        """Joint classes × releases: a number of the class, equal for the same counts."""
        found = []
        for at, block in enumerate(self.blocks):
            number: dict[str, int] = {}
            kinds = [number.setdefault(str(block.histogram(each)), len(number)) for each in range(block.classes)]
            found.append(np.array(kinds, dtype=np.int64)[self.classes[:, at]])
        return np.stack(found, axis=1)

    def _exact(self, key: str, number: int) -> Fraction:
        """Return the surest guess or the distance of one joint class as a fraction."""
        rows = [self._dense(self.classes[[number]], at)[0] for at in range(len(self.blocks))]
        reference, total = self.domain.reference.counts.tolist(), self.domain.reference.total
        shares = joint_shares([row.astype(np.int64).tolist() for row in rows], reference)
        prior = [Fraction(int(count), total) for count in reference]
        return max(shares) if key == "alpha" else exact_distance(self.domain.ground, shares, prior)


def joint_shares(counts: Sequence[Sequence[int]], reference: Sequence[int]) -> list[Fraction]:
    """Return how likely each value is for somebody in a class of each release; some value must be left.

    Examples
    --------
    >>> joint_shares([[1, 1, 0], [1, 1, 1]], [2, 1, 1])
    [Fraction(1, 3), Fraction(2, 3), Fraction(0, 1)]
    """
    weights = []
    for at, prior in enumerate(reference):
        weight = Fraction(1)
        for each in counts:
            weight *= each[at]
        weights.append(weight / prior ** (len(counts) - 1) if weight else weight)
    total = sum(weights)
    return [weight / total for weight in weights]


def exact_distance(ground: Ground, p: Sequence[Fraction], q: Sequence[Fraction]) -> Fraction:
    """Return the earth mover's distance of two distributions as a fraction."""
    if ground.scale == 0:
        return Fraction(0)
    if isinstance(ground, LineGround):
        gaps = ground.gaps if ground.gaps is not None else (1,) * (ground.values - 1)
        flow = total = Fraction(0)
        for gap, here, there in zip(gaps, p, q, strict=False):
            flow += here - there
            total += gap * abs(flow)
        return total / ground.scale
    if isinstance(ground, TreeGround):
        total = Fraction(0)
        for codes in ground.levels:
            surplus = [Fraction(0)] * (int(codes.max()) + 1)
            for node, here, there in zip(codes.tolist(), p, q, strict=True):
                surplus[node] += here - there
            total += sum((each for each in surplus if each > 0), Fraction(0))
        return total / ground.scale
    raise InternalError("A ground distance of an unknown kind was met.")


def _distances(ground: Ground, shares: Floats, prior: Floats) -> Floats:
    """Return the distance of each row of shares from the prior, in floats; NaN where a row has no shares."""
    if ground.scale == 0:
        return np.where(np.isnan(shares[:, 0]), np.nan, 0.0)
    apart = shares - prior
    if isinstance(ground, LineGround):
        return np.asarray(np.abs(np.cumsum(apart, axis=1)[:, :-1]) @ ground.float_gaps / ground.float_scale)
    if isinstance(ground, TreeGround):
        found = np.zeros(len(shares))
        for codes in ground.levels:
            nodes = np.zeros((int(codes.max()) + 1, len(shares)))
            np.add.at(nodes, codes, apart.T)
            found += np.abs(nodes).sum(axis=0) / 2
        return found / ground.scale
    raise InternalError("A ground distance of an unknown kind was met.")
