"""(α,k)-anonymity: the share of the commonest sensitive value."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tclose.counts import Block
from tclose.distances.ratios import commonest
from tclose.domains import Domain
from tclose.models.base import AttributeModel, ClassFigures, Held, MostClasses, blanked
from tclose.models.most_classes import by_largest_share


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
