"""(n,t)-closeness: a class need only be close to a large enough natural superset of itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tclose.counts import Block, Distribution, Integers, sparse_block
from tclose.distances.ground import exact_distance, float_distances
from tclose.distances.line import LineGround
from tclose.distances.tree import TreeGround
from tclose.domains import Domain
from tclose.errors import InternalError
from tclose.models.base import AttributeModel, ClassFigures, blanked


@dataclass(frozen=True)
class NTCloseness(AttributeModel):
    """The distance of a class to its nearest superset of at least n rows, at most t.

    A superset is the class that results when some quasi-identifiers are dropped; a class of n rows or
    more is its own superset.

    Parameters
    ----------
    rows
        n: how many rows a superset needs.
    """

    rows: int = 1000

    key = "nt"
    title = "(n,t)-closeness"
    meaning = "Every class is within t of a group of at least n people that it naturally belongs to."
    limit = "what the large superset itself gives away"
    formula = "max over classes of the least EMD(P, P of a natural superset of at least n rows)"
    remarks = (
        "A natural superset is the class that results when one or more quasi-identifiers are dropped.\n"
        "A class of at least n rows is its own superset, at distance 0.\n"
        "All ways to drop quasi-identifiers are tried, so at most 12 of them can be named."
    )
    infinite = "the table has fewer than n rows, so that no superset is large enough"
    source = "Li, Li, Venkatasubramanian 2010"
    paper = "N. Li, T. Li, S. Venkatasubramanian: Closeness, TKDE 22(7), 2010"
    good = "low"
    bounds = (0, 1)
    form = ("rows", "threshold")
    example = "1000,0.1"
    needs_supersets = True
    in_all = False
    kept_by_merging = False

    def vacuous(self, domain: Domain | None, threshold: Fraction) -> bool:
        """Return False: a class without a superset of n rows misses every threshold."""
        del domain, threshold
        return False

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Refuse: one part does not hold the supersets of its classes."""
        raise InternalError(f"(n,t)-closeness of {domain.name!r} was measured on {block.classes} classes alone.")

    def measure_beside(
        self, block: Block, domain: Domain, supersets: list[tuple[Integers, Block | None]]
    ) -> ClassFigures:
        """Return the smallest distance of each class to a superset that is large enough.

        Parameters
        ----------
        block
            All classes of the table.
        domain
            The attribute.
        supersets
            For each set of dropped quasi-identifiers, the number of each class's superset, and the counts of the
            supersets where they are not the sums of their classes' counts.
        """
        best = np.where(block.sizes >= self.rows, 0.0, np.inf)
        exact: list[Fraction | None] = [Fraction(0) if size >= self.rows else None for size in block.sizes.tolist()]
        for numbers, counted in supersets:
            for members in _large_groups(numbers, block.sizes, self.rows):
                inside = _selected(block, members)
                union = _union(inside, domain) if counted is None else _held(counted, int(numbers[members[0]]), domain)
                if int(union.sum()) >= self.rows:
                    self._compare(inside, union, domain, members, best, exact)
        values = blanked(best, block)
        numerators = np.array([value.numerator if value is not None else 0 for value in exact], dtype=object)
        denominators = np.array([value.denominator if value is not None else 1 for value in exact], dtype=object)
        return ClassFigures(values, (numerators, denominators))

    def _compare(
        self,
        inside: Block,
        union: Integers,
        domain: Domain,
        members: Integers,
        best: np.ndarray,
        exact: list[Fraction | None],
    ) -> None:
        """Lower the figure of the members that are nearer to their union than to any superset so far."""
        ground = domain.ground
        if not isinstance(ground, LineGround | TreeGround):
            raise InternalError("(n,t)-closeness does not know this ground distance.")
        local = replace(ground, reference=Distribution(union, int(union.sum())))
        x, y = local.parts(inside)
        near = float_distances(local, x, y, inside.sizes)
        for i in np.flatnonzero(near <= best[members] + 1e-12).tolist():
            found = exact_distance(local, x[i], y[i], int(inside.sizes[i]))
            member = int(members[i])
            known = exact[member]
            if known is None or found < known:
                exact[member] = found
                best[member] = float(found)

    def exact(self, domain: Domain | None, *parts: int) -> Fraction:
        """Return the distance as a fraction."""
        del domain
        return Fraction(int(parts[0]), int(parts[1]))


def _large_groups(numbers: Integers, sizes: Integers, least: int) -> list[Integers]:
    """Return, for each superset of at least ``least`` rows, its classes that are too small to stand alone."""
    order = np.argsort(numbers, kind="stable")
    cuts = np.flatnonzero(np.diff(numbers[order])) + 1
    return [
        group
        for group in np.split(order, cuts)
        if int(sizes[group].sum()) >= least and bool((sizes[group] < least).any())
    ]


def _union(inside: Block, domain: Domain) -> Integers:
    """Return the counts of some classes together."""
    union = np.zeros(len(domain.reference.counts), dtype=np.int64)
    np.add.at(union, inside.ranks, inside.counts)
    return union


def _held(counted: Block, number: int, domain: Domain) -> Integers:
    """Return the counts of one class of a block."""
    held = np.zeros(len(domain.reference.counts), dtype=np.int64)
    ranks, counts = counted.histogram(number)
    held[ranks] = counts
    return held


def _selected(block: Block, members: Integers) -> Block:
    """Return the block of some of the classes, in the order given."""
    lengths = block.distinct[members]
    starts = block.offsets[:-1][members]
    inside = np.repeat(starts - np.r_[0, np.cumsum(lengths)[:-1]], lengths) + np.arange(int(lengths.sum()))
    classes = np.repeat(np.arange(len(members)), lengths)
    return sparse_block(classes, block.ranks[inside], block.counts[inside], len(members))
