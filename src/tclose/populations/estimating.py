"""How many people are alone with their combination in the population, estimated from the sizes of classes in a sample.

F. Dankar, K. El Emam, A. Neisa, T. Roffey: Estimating the re-identification risk of clinical data sets, BMC Medical
Informatics and Decision Making 12, 2012.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from tclose.populations.pitman import pitman_parameters
from tclose.populations.slide import snb_parameters

SMALL_FRACTION = 0.1
"""Up to this share of the population Dankar's rule takes Pitman's estimate."""


@dataclass(frozen=True)
class Frequencies:
    """How many classes of each size a sample has."""

    classes: Mapping[int, int]

    @cached_property
    def rows(self) -> int:
        """How many rows the sample has."""
        return sum(size * number for size, number in self.classes.items())

    @cached_property
    def number(self) -> int:
        """How many classes it has."""
        return sum(self.classes.values())

    @property
    def uniques(self) -> int:
        """How many rows are alone in their class."""
        return self.classes.get(1, 0)


@dataclass(frozen=True)
class Estimate:
    """How many people of the population are alone with their combination, by one estimator."""

    estimator: str
    uniques: float | None
    """None where the estimator finds no parameters."""
    parameters: Mapping[str, float]


def zayatz(sample: Frequencies, people: int) -> Estimate:
    """Return Zayatz' estimate: sizes in the population are taken to be distributed as those in the sample."""
    rows, drawn = sample.rows, math.log(sample.rows / people)

    def chance(size: int) -> float:
        """Return the chance to draw just one of so many people."""
        left = people - rows - size + 1
        if left < 0:
            return 0.0
        none = math.lgamma(people - rows + 1) - math.lgamma(left + 1)
        none += math.lgamma(people - size + 1) - math.lgamma(people)
        return math.exp(math.log(size) + drawn + none)

    total = math.fsum(number * chance(size) for size, number in sample.classes.items())
    alone = sample.uniques * chance(1) / total if total else 0.0
    return Estimate("zayatz", sample.uniques * alone * people / rows, {"alone": alone})


def pitman(sample: Frequencies, people: int) -> Estimate:
    """Return Pitman's estimate, by the most likely partition of Ewens and Pitman (Hoshino 2001)."""
    found = pitman_parameters(sample.classes)
    if found is None:
        return Estimate("pitman", None, {})
    theta, alpha = found
    parameters = {"theta": theta, "alpha": alpha}
    log = math.lgamma(theta + 1) - math.lgamma(theta + alpha) + alpha * math.log(people)
    return Estimate("pitman", math.exp(min(log, math.log(people))), parameters)


def snb(sample: Frequencies, people: int) -> Estimate:
    """Return the estimate of the slide negative binomial distribution (Chen, Keller-McNulty 1998)."""
    found = snb_parameters(sample.classes, sample.rows / people)
    if found is None:
        return Estimate("snb", None, {})
    classes, alpha, beta = found
    return Estimate("snb", classes * beta**alpha, {"classes": classes, "alpha": alpha, "beta": beta})


def dankar(sample: Frequencies, people: int) -> Estimate:
    """Return the estimate that Dankar's rule takes: which one is best depends on the share that was drawn."""
    if not sample.uniques:
        return Estimate("dankar", 0.0, {})
    other = zayatz(sample, people)
    chosen = (pitman if sample.rows <= SMALL_FRACTION * people else snb)(sample, people)
    if chosen.uniques is None:
        return Estimate("dankar", other.uniques, {})
    if chosen.estimator == "snb":
        return Estimate("dankar", min(chosen.uniques, other.uniques or 0.0), {})
    return Estimate("dankar", chosen.uniques, {})


ESTIMATORS: dict[str, Callable[[Frequencies, int], Estimate]] = {
    "pitman": pitman,
    "zayatz": zayatz,
    "snb": snb,
    "dankar": dankar,
}


def estimated(sample: Frequencies, people: int) -> dict[str, Estimate]:
    """Return every estimate for a sample of a population of so many people; the truth where all of them were drawn."""
    if people <= sample.rows:
        return {key: Estimate(key, float(sample.uniques), {}) for key in ESTIMATORS}
    return {key: estimator(sample, people) for key, estimator in ESTIMATORS.items()}
