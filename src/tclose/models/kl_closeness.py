"""Closeness by the Kullback–Leibler divergence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from tclose.counts import Block
from tclose.distances.divergences import (
    bernoulli_kullback_leibler,
    certain_bernoulli_kullback_leibler,
    certain_kullback_leibler,
    certain_of_shares,
    kullback_leibler,
)
from tclose.distances.people import of_shares
from tclose.domains import Domain
from tclose.models.base import AttributeModel, ClassFigures, Exact, Whole, blanked
from tclose.models.value_pairs import prevalence_pairs, value_pairs


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
