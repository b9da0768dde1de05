"""The models for an attacker who knows the sensitive values of some others of a class and takes them away.

Sizes shrink by as many. Of the rows of the rarest values no other choice leaves fewer values, or more of one value: the
j commonest values then have as many rows as any j values can have, min(C_j, n − c), so that what is left majorises
whatever else could be, and every measure of evenness is at its worst. For distances see
:mod:`tclose.distances.farthest`. Somebody whose class has no more people than are known is the last one of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tclose.counts import Block, Integers
from tclose.distances.farthest import farthest
from tclose.distances.ground import float_distances
from tclose.domains import Domain
from tclose.models.alpha_k import AlphaK
from tclose.models.base import AttributeModel, ClassFigures, blanked
from tclose.models.distinct_l import DistinctL
from tclose.models.entropy_l import EntropyL
from tclose.models.k_anonymity import KAnonymity
from tclose.models.t_closeness import TCloseness

PAIRS = "pairs"
"""How many values the classes hold, added up: as many as people where nobody has several in a class."""
_REMARKS = (
    "The figure is that of the worst choice of c rows; the reference keeps them, for it is what was believed before.\n"
    "Of a class of c rows or fewer, all but one are known. `--corrupted C` requires it of whatever else is required.\n"
    "Where people are counted, everyone needs one value in a class: counts do not say whose several values are."
)
_PAPER = "Y. Tao, X. Xiao, J. Li, D. Zhang: On anti-corruption privacy preserving publication, ICDE 2008"


@dataclass(frozen=True)
class _OthersKnown:
    """What all of them share.

    Parameters
    ----------
    known
        c: how many others of the class someone knows.
    """

    known: int = 1

    remarks: ClassVar[str] = _REMARKS
    source: ClassVar[str] = "Tao et al. 2008"
    paper: ClassVar[str] = _PAPER
    usual: ClassVar[bool] = False
    in_all: ClassVar[bool] = False
    form: ClassVar[tuple[str, ...]] = ("known", "threshold")


@dataclass(frozen=True)
class KCorrupted(_OthersKnown, KAnonymity):
    """The number of rows of a class that are left when some are known, at least k."""

    key = "k_corrupted"
    title = "k-anonymity with others known"
    meaning = "Every person is one of at least k who look alike, to whoever knows c others of the class."
    limit = "more others known than c; a class whose rows all have the same sensitive value"
    formula = "k = min over classes of max(1, f − c)"
    remarks = "Of a class of c rows or fewer, all but one are known."
    example = "2,5"

    def measure(self, sizes: Integers, population: Integers | None) -> ClassFigures:
        """Return how many rows of each class are not known."""
        return super().measure(np.maximum(sizes - self.known, np.minimum(sizes, 1)), population)

    def least_size(self, threshold: Fraction) -> Fraction | float:
        """Return the threshold and those who are known; a class of one is enough for a threshold of 1."""
        return threshold + self.known if threshold > 1 else threshold


@dataclass(frozen=True)
class TCorrupted(_OthersKnown, TCloseness):
    """The earth mover's distance between a class, when some of its rows are known, and the reference, at most t."""

    key = "t_corrupted"
    title = "t-closeness with others known"
    meaning = (
        "Knowing a person's class, and c others of it, moves what one believes of the sensitive value by at most t."
    )
    limit = "more others known than c; a rare value that becomes many times as likely"
    formula = "t = max over classes, and over c rows to take from each, of EMD(P without them, Q)"
    one_value_each = True
    example = "1,0.3"

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the distance of each class without the rows whose loss takes it farthest."""
        x, y, left = farthest(domain.ground, block, self.known)
        return _counting(block, ClassFigures(blanked(float_distances(domain.ground, x, y, left), block), (x, y, left)))


@dataclass(frozen=True)
class _RarestKnown(_OthersKnown, AttributeModel):
    """A measure of evenness, at its worst where the rows of the rarest values are known."""

    one_value_each: ClassVar[bool] = True

    def measure(self, block: Block, domain: Domain) -> ClassFigures:
        """Return the figure of what is left of each class."""
        measured = super().measure(without_rarest(block, self.known), domain)  # type: ignore[safe-super]
        return _counting(block, measured)


@dataclass(frozen=True)
class LCorrupted(_RarestKnown, DistinctL):
    """The number of different values of a class when some of its rows are known, at least ℓ."""

    key = "l_corrupted"
    title = "distinct ℓ-diversity with others known"
    meaning = "Every class holds at least ℓ different sensitive values, to whoever knows c others of the class."
    limit = "more others known than c; ℓ values of which one has nearly all rows, or which mean the same"
    formula = "ℓ = min over classes of the number of values that are left without the c rows of the rarest values"
    example = "1,2"


@dataclass(frozen=True)
class AlphaCorrupted(_RarestKnown, AlphaK):
    """The largest share of one value in a class when some of its rows are known, at most α."""

    key = "alpha_corrupted"
    title = "(α,k)-anonymity with others known"
    meaning = (
        "Whoever knows a person's class, and c others of it, can guess the sensitive value with at most this chance."
    )
    limit = "more others known than c; values that mean the same"
    formula = "α = max over classes and values of p without the c rows of the rarest values"
    example = "1,0.6"


@dataclass(frozen=True)
class EntropyCorrupted(_RarestKnown, EntropyL):
    """The exponential of the entropy of a class when some of its rows are known, at least ℓ."""

    key = "entropy_l_corrupted"
    title = "entropy ℓ-diversity with others known"
    meaning = "Every class is as uncertain as one with ℓ equally common values, to whoever knows c others of the class."
    limit = "more others known than c; values that mean the same"
    formula = "ℓ = min over classes of exp(− Σ p ln p), p without the c rows of the rarest values"
    example = "1,2"

    def certain(self, domain: Domain | None, block: Block, position: int) -> Decimal:
        """Return exp(entropy) of what is left of one class to 60 digits."""
        ranks, counts = block.histogram(position)
        offsets, sizes = np.array([0, len(ranks)]), np.array([sum(counts)])
        alone = Block(offsets, np.array(ranks, dtype=np.int32), np.array(counts, dtype=np.int64), sizes)
        return super().certain(domain, without_rarest(alone, self.known), 0)


def without_rarest(block: Block, known: int) -> Block:
    """Return classes without so many of their rows, those of their rarest values; one row of each class stays.

    Examples
    --------
    >>> block = Block(np.array([0, 3]), np.array([4, 5, 6], dtype=np.int32), np.array([2, 1, 5]), np.array([8]))
    >>> without_rarest(block, 2).histogram(0)
    ([4, 6], [1, 5])
    """
    taken = np.minimum(known, np.maximum(block.sizes - 1, 0))
    classes = np.repeat(np.arange(block.classes), block.distinct)
    order = np.lexsort((block.counts, classes))
    running = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(block.counts[order])])
    rarer = running[:-1] - running[block.offsets[:-1]][classes]
    left = np.empty_like(block.counts)
    left[order] = block.counts[order] - np.clip(taken[classes] - rarer, 0, block.counts[order])
    kept = left > 0
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(kept)])[block.offsets]
    return Block(offsets, block.ranks[kept], left[kept], block.sizes - taken)


def _counting(block: Block, figures: ClassFigures) -> ClassFigures:
    """Return figures with how many values all classes hold together."""
    return replace(figures, totals={**figures.totals, PAIRS: int(block.sizes.sum())})
