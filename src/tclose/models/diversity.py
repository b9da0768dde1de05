"""Models of diversity: ℓ-diversity and its variants, (α,k)-anonymity and (k,e)-anonymity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from tclose.errors import InternalError
from tclose.models.base import AttributeModel, ClassFigures, Exact, Held, MostClasses, blanked
from tclose.models.class_limits import by_different_values, by_largest_share
from tclose.models.counts import Block
from tclose.models.distances.divergences import DIGITS, certain_entropy, commonest, entropies, tails
from tclose.models.domains import Domain
from tclose.policy.exact_numbers import as_float


@dataclass(frozen=True)
class DistinctL(AttributeModel):
    """The number of different sensitive values in a class, at least ℓ."""

    key = "l"
    fewer_rows = "never"
    title = "distinct ℓ-diversity"
    meaning = "Every class holds at least ℓ different sensitive values."
    limit = "ℓ values of which one has nearly all rows, or which mean the same"
    formula = "ℓ = min over classes of the number of values with p > 0"
    remarks = "Where people are counted and all people of a class have the same value, ℓ of the class is 1."
    source = "Machanavajjhala et al. 2007"
    paper = "A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: ℓ-Diversity, TKDD 1(1), 2007"
    good = "high"
    bounds = (1, 2**62)
    whole = True
    usual = True
    example = "3"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the number of distinct values of each class."""
        del domain
        distinct = block.distinct
        if block.people is not None:  # others' further values hide nobody where all have the same one
            distinct = np.where(commonest(block) == block.people.valued, np.minimum(distinct, 1), distinct)
        return ClassFigures(blanked(distinct, block), (distinct,))

    def most_classes(self, domain: Domain | None, threshold: Fraction, held: Held) -> MostClasses | None:
        """Return the bound by how often each value can be in a class."""
        del domain
        return by_different_values(held, int(threshold))

    def exact(self, domain: Domain | None, *parts: int) -> int:
        """Return the number itself."""
        del domain
        return parts[0]


_ROUNDING = 1e-13


@dataclass(frozen=True)
class EntropyL(AttributeModel):
    """The exponential of the entropy of a class, at least ℓ: a real number, 3 for three equally common values."""

    key = "entropy_l"
    fewer_rows = "even"
    title = "entropy ℓ-diversity"
    meaning = "Every class is as uncertain as one with ℓ equally common sensitive values."
    limit = "values that mean the same"
    formula = "ℓ = min over classes of exp(− Σ p ln p)"
    remarks = "A real number: 3 for three equally common values, less for uneven ones. It is not cut to a whole number."
    source = "Machanavajjhala et al. 2007"
    paper = "A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: ℓ-Diversity, TKDD 1(1), 2007"
    good = "high"
    bounds = (1, 2**62)
    usual = True
    example = "2.5"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return exp(entropy) of each class; within rounding of a whole number, that number."""
        del domain
        values = np.exp(entropies(block))
        nearest = np.rint(values)
        return ClassFigures(blanked(np.where(np.abs(values - nearest) < _ROUNDING * nearest, nearest, values), block))

    def most_classes(self, domain: Domain | None, threshold: Fraction, held: Held) -> MostClasses | None:
        """Return the bound of as many different values: fewer have a lower entropy."""
        del domain
        return by_different_values(held, math.ceil(threshold))

    def certain(self, domain: Domain | None, block: Block, position: int) -> Decimal:
        """Return exp(entropy) of one class to 60 digits."""
        del domain
        with localcontext() as context:
            context.prec = DIGITS
            return certain_entropy(block.histogram(position)[1]).exp()


@dataclass(frozen=True)
class RecursiveL(AttributeModel):
    """r₁ / (r_ℓ + … + r_m) with the counts of a class sorted in descending order, less than c.

    Parameters
    ----------
    level
        ℓ: the rank from which on values count as rare.
    """

    level: int = 2

    key = "recursive"
    fewer_rows = "even"
    title = "recursive (c,ℓ)-diversity"
    meaning = "The commonest value of a class is less than c times as frequent as the ℓ-th and all rarer ones together."
    limit = "values that mean the same"
    formula = "c = max over classes of r₁ / (r_ℓ + r_ℓ₊₁ + … ), with the counts of the class sorted in descending order"
    remarks = "The figure is the number that c must exceed."
    infinite = "a class has fewer than ℓ different values, so that no c will do"
    source = "Machanavajjhala et al. 2007"
    paper = "A. Machanavajjhala, D. Kifer, J. Gehrke, M. Venkitasubramaniam: ℓ-Diversity, TKDD 1(1), 2007"
    good = "low"
    strict = True
    bounds = (0, math.inf)
    form = ("threshold", "level")
    example = "3,2"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the infimum of the c that each class meets; infinite where it has fewer than ℓ values."""
        del domain
        first, tail = tails(block, self.level)
        values = np.where(tail == 0, np.inf, first / tail.clip(min=1))
        return ClassFigures(blanked(values, block), (first, tail))

    def most_classes(self, domain: Domain | None, threshold: Fraction, held: Held) -> MostClasses | None:
        """Return the bound of ℓ different values: with fewer, no c will do."""
        del domain
        del threshold
        return by_different_values(held, self.level)

    def exact(self, domain: Domain | None, *parts: int) -> Exact:
        """Return the infimum as a fraction."""
        del domain
        return Fraction(parts[0], parts[1]) if parts[1] else math.inf


@dataclass(frozen=True)
class PSensitive(DistinctL):
    """The number of different values of each sensitive attribute in a class, at least p; k is asked beside it."""

    key = "p"
    title = "p-sensitive k-anonymity"
    meaning = "Every class holds at least p different values of every sensitive attribute."
    limit = "p values of which one has nearly all rows, or which mean the same"
    formula = "p = min over classes of the number of values with p > 0, for every sensitive attribute"
    remarks = "The same count as ℓ. The k of the pair is a requirement of its own: add `--k`."
    source = "Truta, Vinay 2006"
    paper = "T. M. Truta, B. Vinay: Privacy protection: p-sensitive k-anonymity property, ICDE Workshops 2006"
    usual = False
    example = "2"


@dataclass(frozen=True)
class AlphaK(AttributeModel):
    """The largest share of one value in a class, at most α; k is asked for beside it."""

    key = "alpha"
    fewer_rows = "even"
    title = "(α,k)-anonymity"
    meaning = "Whoever knows a person's class can guess the sensitive value with at most this chance."
    limit = "values that mean the same; rare values that become common"
    formula = "α = max over classes and values of p"
    remarks = (
        "It takes all values as sensitive. The k of the pair is a requirement of its own: add `--k`.\n"
        "Where people are counted, p is the share of the class's people who have the value."
    )
    source = "Wong et al. 2006"
    paper = "R. Wong, J. Li, A. Fu, K. Wang: (α,k)-Anonymity, KDD 2006"
    good = "low"
    bounds = (0, 1)
    usual = True
    example = "0.5"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the share of the commonest value of each class."""
        del domain
        most = commonest(block)
        sizes = block.sizes if block.people is None else block.people.valued
        return ClassFigures(blanked(most / sizes.clip(min=1), block), (most, sizes))

    def most_classes(self, domain: Domain | None, threshold: Fraction, held: Held) -> MostClasses | None:
        """Return the bound by the rows without the commonest value."""
        del domain
        return by_largest_share(held, threshold)

    def exact(self, domain: Domain | None, *parts: int) -> Fraction:
        """Return the share as a fraction."""
        del domain
        return Fraction(parts[0], parts[1])


@dataclass(frozen=True)
class KE(AttributeModel):
    """The largest minus the smallest value of a class that has at least k different ones, at least e.

    Parameters
    ----------
    distinct
        k: how many different values a class must hold; one with fewer has no range that counts.
    """

    distinct: int = 1

    key = "ke"
    fewer_rows = "never"
    title = "(k,e)-anonymity"
    meaning = "Every class holds at least k different numbers, and they span at least e."
    limit = "a wide range of which nearly all rows sit at one end"
    formula = "e = min over classes of (largest value − smallest value), for classes of at least k different values"
    remarks = (
        "For numbers and dates; days for dates, microseconds for times.\n"
        "A class with fewer than k different values has the figure −1, which meets no threshold."
    )
    source = "Zhang et al. 2007"
    paper = "Q. Zhang, N. Koudas, D. Srivastava, T. Yu: Aggregate query answering on anonymized tables, ICDE 2007"
    good = "high"
    bounds = (0, math.inf)
    form = ("distinct", "threshold")
    example = "3,2000"

    def refusal(self, domain: Domain | None) -> str | None:
        """Return why a range makes no sense for the attribute."""
        if domain is None or domain.positions is None:
            return "needs numbers or dates without missing values"
        return None

    def vacuous(self, domain: Domain | None, threshold: Fraction) -> bool:
        """Return whether every class spans at least this much: only 0, and only with one value."""
        del domain
        return threshold <= 0 and self.distinct <= 1

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the range of each class, −1 where it holds too few different values."""
        if domain.positions is None:
            raise InternalError("A range was asked for values that are not numbers.")
        whole, unit = domain.positions
        # Python integers where 64 bits could be too few for the differences
        kind = np.int64 if all(abs(each) < 2**61 for each in (*whole, unit)) else object
        positions = np.array(whole, dtype=kind)
        held = block.distinct > 0
        at = positions[block.ranks]
        starts = block.offsets[:-1][held]
        ranges = np.full(block.classes, -unit, dtype=kind)
        if len(starts):
            ranges[held] = np.maximum.reduceat(at, starts) - np.minimum.reduceat(at, starts)
        ranges[block.distinct < self.distinct] = -unit
        floats = [as_float(Fraction(int(span), unit)) for span in ranges] if kind is object else ranges / unit
        return ClassFigures(blanked(np.asarray(floats), block), (ranges,))

    def exact(self, domain: Domain | None, *parts: int) -> Exact:
        """Return the range as a fraction."""
        if domain is None or domain.positions is None:
            raise InternalError("A range was asked for values that are not numbers.")
        return Fraction(int(parts[0]), domain.positions[1])
