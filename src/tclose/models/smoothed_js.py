"""Closeness by the kernel-smoothed Jensen–Shannon divergence."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

from tclose.counts import Block
from tclose.distances.smoothed import certain_smoothed, smoothed_jensen_shannon
from tclose.domains import Domain
from tclose.errors import InternalError
from tclose.models.base import AttributeModel, ClassFigures, blanked


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
