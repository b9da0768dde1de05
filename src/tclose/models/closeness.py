"""Models of closeness: how far a class's distribution is from the table's, by several distances."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tclose.errors import InternalError
from tclose.models.base import (
    AttributeModel,
    ClassFigures,
    Exact,
    Held,
    MostClasses,
    Whole,
    blanked,
    prevalence_pairs,
    value_pairs,
)
from tclose.models.class_limits import by_distance
from tclose.models.counts import Block, Distribution, Integers, sparse_block
from tclose.models.distances.divergences import (
    bernoulli_jensen_shannon,
    bernoulli_kullback_leibler,
    certain_bernoulli_jensen_shannon,
    certain_bernoulli_kullback_leibler,
    certain_jensen_shannon,
    certain_kullback_leibler,
    certain_of_shares,
    certain_smoothed,
    jensen_shannon,
    kullback_leibler,
    smoothed_jensen_shannon,
)
from tclose.models.distances.earth_movers import LineGround, TreeGround, exact_distance, float_distances
from tclose.models.distances.people import apart, exact_apart, float_apart, of_shares, people_of
from tclose.models.domains import Domain


@dataclass(frozen=True)
class TCloseness(AttributeModel):
    """The earth mover's distance between the distribution of a class and the reference, at most t."""

    key = "t"
    title = "t-closeness"
    meaning = "Knowing a person's class moves what one believes of the sensitive value by at most t."
    limit = "a rare value that becomes many times as likely: 1 % to 11 % counts as 40 % to 50 %"
    formula = "t = max over classes of EMD(P, Q)"
    remarks = (
        "EMD is the earth mover's distance: the least work that turns the class into the reference.\n"
        "Moving a share from one value to another costs the share times the distance of the two values.\n"
        "[roles.md](roles.md#distances) has the four distances and their formulas.\n"
        "Where people are counted who have several values, t is the larger of that distance and of the largest\n"
        "difference, over all values v, between the mean distance from v to a person's nearest value in the class and\n"
        "in the table ([people.md](people.md#shares-of-people))."
    )
    source = "Li, Li, Venkatasubramanian 2007"
    paper = "N. Li, T. Li, S. Venkatasubramanian: t-Closeness, ICDE 2007"
    good = "low"
    bounds = (0, 1)
    usual = True
    example = "0.2"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the distance of each class."""
        x, y = domain.ground.parts(block)
        values = float_distances(domain.ground, x, y, block.sizes)
        if domain.people is None or domain.prevalence is None:
            return ClassFigures(blanked(values, block), (x, y, block.sizes))
        sizes = people_of(block).sets.sizes
        inside, outside = apart(block, domain.ground, domain.people)
        values = np.maximum(values, float_apart(domain.ground, domain.prevalence.total, inside, outside, sizes))
        parts = (x, y, block.sizes, inside, outside, sizes)
        return ClassFigures(np.where(np.maximum(sizes, block.sizes) == 0, np.nan, values), parts)

    def most_classes(self, domain: Domain | None, threshold: Fraction, held: Held) -> MostClasses | None:
        """Return the bound by how near small classes can be, and by the values that every class needs."""
        return None if domain is None else by_distance(domain.ground, held, threshold)

    def exact(self, domain: Domain | None, *parts: int) -> Fraction:
        """Return the distance as a fraction."""
        if domain is None:
            raise InternalError("A distance was asked for without its domain.")
        distance = exact_distance(domain.ground, *parts[:3])
        if domain.prevalence is None:
            return distance
        return max(distance, exact_apart(domain.ground, domain.prevalence.total, *parts[3:]))

    def vacuous(self, domain: Domain | None, threshold: Fraction) -> bool:
        """Return whether the threshold is at least the largest distance any class can have."""
        return domain is not None and threshold >= domain.largest_t


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


@dataclass(frozen=True)
class KLCloseness(AttributeModel):
    """KL(class ‖ reference) in nats, at most the threshold; blind to how far apart values are."""

    key = "kl"
    title = "closeness by Kullback–Leibler"
    meaning = "The information, in nats, that a person's class gives about the sensitive value."
    limit = "values that are near each other count as if they were far apart"
    formula = "KL = max over classes of Σ p ln(p/q), in nats"
    remarks = (
        "It does not know how far apart values are.\n"
        "Where people are counted who have several values, it is the larger of that and of the largest divergence,\n"
        "over all values, between the shares of people who have the value and who don't."
    )
    infinite = (
        "a class holds a value that the reference lacks; this cannot happen if the reference is the audited table"
    )
    source = "Sha, Li, Zhou 2010"
    paper = "C. Sha, Y. Li, A. Zhou: On t-closeness with KL-divergence and semantic privacy, DASFAA 2010"
    good = "low"
    bounds = (0, math.inf)
    example = "0.5"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the divergence of each class."""
        values = kullback_leibler(block, domain.reference)
        if domain.prevalence is not None:
            values = np.maximum(values, of_shares(block, domain.prevalence, bernoulli_kullback_leibler))
        information = float(np.where(block.sizes == 0, 0.0, values) @ block.sizes)
        totals = {"information": information, "rows": int(block.sizes.sum())}
        return ClassFigures(blanked(values, block), totals=totals)

    def details(self, whole: Whole) -> dict[str, Exact]:
        """Return the mean over rows: the information that classes give on average (Rebollo-Monedero et al. 2010)."""
        totals = whole.totals  # some rows may carry no value
        return {"mean": round(totals["information"] / totals["rows"], 12)} if totals.get("rows") else {}

    def certain(self, domain: Domain | None, block: Block, position: int) -> Decimal:
        """Return the divergence of one class to 60 digits."""
        pairs, total = value_pairs(domain, block, position)
        return max(
            certain_kullback_leibler(pairs, total),
            certain_of_shares(prevalence_pairs(domain, block, position), certain_bernoulli_kullback_leibler),
        )


@dataclass(frozen=True)
class JSCloseness(AttributeModel):
    """The Jensen–Shannon divergence of class and reference in bits, at most the threshold."""

    key = "js"
    title = "closeness by Jensen–Shannon"
    meaning = "How well one row tells, in bits, whether it was drawn from the class or from the table."
    limit = "values that are near each other count as if they were far apart"
    formula = "JS = max over classes of ½ KL(P‖M) + ½ KL(Q‖M) with M = (P + Q)/2, in bits"
    remarks = (
        "It does not know how far apart values are, and it is always finite.\n"
        "Where people are counted who have several values, it is the larger of that and of the largest divergence,\n"
        "over all values, between the shares of people who have the value and who don't."
    )
    source = "Li, Li, Venkatasubramanian 2010"
    paper = "N. Li, T. Li, S. Venkatasubramanian: Closeness, TKDE 22(7), 2010"
    good = "low"
    bounds = (0, 1)
    example = "0.1"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the divergence of each class."""
        values = jensen_shannon(block, domain.reference)
        if domain.prevalence is not None:
            values = np.maximum(values, of_shares(block, domain.prevalence, bernoulli_jensen_shannon))
        return ClassFigures(blanked(values, block))

    def certain(self, domain: Domain | None, block: Block, position: int) -> Decimal:
        """Return the divergence of one class to 60 digits."""
        pairs, total = value_pairs(domain, block, position)
        return max(
            certain_jensen_shannon(pairs, total),
            certain_of_shares(prevalence_pairs(domain, block, position), certain_bernoulli_jensen_shannon),
        )


@dataclass(frozen=True)
class SmoothedJS(AttributeModel):
    """The Jensen–Shannon divergence, in bits, of class and reference after smoothing, at most the threshold.

    Parameters
    ----------
    bandwidth
        How far, in the attribute's distance from 0 to 1, a value is spread.
    """

    bandwidth: Fraction = Fraction(1, 4)

    key = "smoothed_js"
    title = "closeness by smoothed Jensen–Shannon"
    meaning = "As Jensen–Shannon, with near values counting as near."
    limit = "it depends on a bandwidth that nobody knows how to choose"
    formula = (
        "JS of P̂ and Q̂, where p̂ᵢ = Σⱼ Kᵢⱼ pⱼ / Σⱼ Kᵢⱼ, scaled to sum 1, with the Epanechnikov kernel Kᵢⱼ = 1 − "
        "(dᵢⱼ/B)² for dᵢⱼ < B, else 0"
    )
    remarks = (
        "dᵢⱼ is the distance of the attribute, from 0 to 1.\n"
        "A bandwidth at or below the smallest distance smooths nothing."
    )
    source = "Li, Li, Venkatasubramanian 2010"
    paper = "N. Li, T. Li, S. Venkatasubramanian: Closeness, TKDE 22(7), 2010"
    good = "low"
    bounds = (0, 1)
    form = ("threshold", "bandwidth")
    example = "0.1,0.25"
    in_all = False
    parameter_bounds: ClassVar = {"bandwidth": ("1e-9", "1e6")}

    @property
    def margin(self) -> float:
        """Wider for a small bandwidth, under which running sums cancel."""
        return max(1e-11, 1e-14 / float(self.bandwidth) ** 2)

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the divergence of each class."""
        return ClassFigures(blanked(smoothed_jensen_shannon(block, domain.ground, self.bandwidth), block))

    def certain(self, domain: Domain | None, block: Block, position: int) -> Decimal:
        """Return the divergence of one class to 60 digits."""
        if domain is None:
            raise InternalError("A divergence was asked for without its domain.")
        return certain_smoothed(block, position, domain.ground, self.bandwidth)
