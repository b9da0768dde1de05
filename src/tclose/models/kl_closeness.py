"""Closeness by the Kullback–Leibler divergence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal

from tclose.counts import Block
from tclose.distances.divergences import certain_kullback_leibler, kullback_leibler
from tclose.domains import Domain
from tclose.models.base import AttributeModel, ClassFigures, Exact, Whole, blanked
from tclose.models.value_pairs import value_pairs


@dataclass(frozen=True)
class KLCloseness(AttributeModel):
    """KL(class ‖ reference) in nats, at most the threshold; blind to how far apart values are."""

    key = "kl"
    title = "closeness by Kullback–Leibler"
    meaning = "The information, in nats, that a person's class gives about the sensitive value."
    limit = "values that are near each other count as if they were far apart"
    formula = "KL = max over classes of Σ p ln(p/q), in nats"
    remarks = "It does not know how far apart values are."
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
        totals = {"information": float(values @ block.sizes), "rows": int(block.sizes.sum())}
        return ClassFigures(blanked(values, block), totals=totals)

    def details(self, whole: Whole) -> dict[str, Exact]:
        """Return the mean over rows: the information that classes give on average (Rebollo-Monedero et al. 2010)."""
        totals = whole.totals  # some rows may carry no value
        return {"mean": round(totals["information"] / totals["rows"], 12)} if totals.get("rows") else {}

    def certain(self, domain: Domain | None, block: Block, position: int) -> Decimal:
        """Return the divergence of one class to 60 digits."""
        pairs, total = value_pairs(domain, block, position)
        return certain_kullback_leibler(pairs, total)
