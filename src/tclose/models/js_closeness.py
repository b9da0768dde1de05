"""Closeness by the Jensen–Shannon divergence."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from tclose.counts import Block
from tclose.distances.divergences import (
    bernoulli_jensen_shannon,
    certain_bernoulli_jensen_shannon,
    certain_jensen_shannon,
    certain_of_shares,
    jensen_shannon,
)
from tclose.distances.people import of_shares
from tclose.domains import Domain
from tclose.models.base import AttributeModel, ClassFigures, blanked
from tclose.models.value_pairs import prevalence_pairs, value_pairs


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
