"""What was found of the population that a table was drawn from, and how far estimates were off on the table itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tclose.models.populations.estimators import ESTIMATORS, Estimate, Frequencies, estimated

_FEWEST_DRAWN = 100
"""With fewer rows drawn an estimate says nothing."""
_MOST_ROWS = 10**9
_DRAWS = 3


@dataclass(frozen=True)
class Weighted:
    """Sizes of classes in the population, as the weights of their rows say."""

    smallest: Fraction
    """The least number of people that a row of the table fits: an estimate of k-map."""
    mean_risk: float
    """The mean over rows of one over that number: an estimate of the average journalist risk."""

    @property
    def largest_risk(self) -> Fraction:
        """One over the smallest: an estimate of the journalist risk."""
        return 1 / self.smallest


@dataclass(frozen=True)
class PopulationFinding:
    """Who is alone in the population, by each estimator."""

    people: int
    """How many people the population has."""
    drawn: int
    """How many people were drawn from it; who is in several classes appears several times in the sample."""
    sample: Frequencies
    estimates: Mapping[str, Estimate]
    errors: Mapping[str, float | None]
    """How far each estimate was off where the table itself was the population, as a share; None if not tried."""
    weighted: Weighted | None = None

    @property
    def fraction(self) -> float:
        """The share of the population that was drawn."""
        return self.drawn / self.people

    @property
    def appearances(self) -> int:
        """How often the people of the population appear in classes, if as often as those who were drawn."""
        return _appearances(self.sample, self.people, self.drawn)

    def alone(self, estimator: str = "dankar") -> float | None:
        """Return the chance that a row that is alone in the table is alone in the population; None if not known."""
        found = self.estimates[estimator].uniques
        if found is None or not self.sample.uniques:
            return None
        return min(1.0, found * self.fraction / self.sample.uniques)

    @property
    def expected_rows(self) -> float:
        """About how many rows of the table fit one person of the population only, by Dankar's rule."""
        return min(float(self.sample.uniques), (self.estimates["dankar"].uniques or 0.0) * self.fraction)

    @property
    def k_map(self) -> int:
        """An estimate of k-map: 1 where some row fits one person only; else at least the smallest class, and 2."""
        return 1 if self.expected_rows >= 0.5 else max(2, min(self.sample.classes))

    @property
    def journalist(self) -> tuple[float, float]:
        """Between what the chance lies to name the right person for a row of the smallest classes.

        A row that is alone in the table is found for certain if it is alone in the population, and with a chance of at
        most one half if it is not.
        """
        if (alone := self.alone()) is not None:
            return alone, (1 + alone) / 2
        return 0.0, 1 / min(self.sample.classes)


def population_finding(
    sample: Frequencies, people: int, drawn: int | None = None, weighted: Weighted | None = None
) -> PopulationFinding:
    """Return what a sample says of a population of so many people, and how far estimates are off.

    ``drawn`` is how many people were drawn, if that is not how often they appear in the sample.
    """
    drawn = sample.rows if drawn is None else drawn
    whole = _appearances(sample, people, drawn)
    return PopulationFinding(people, drawn, sample, estimated(sample, whole), _errors(sample, whole), weighted)


def _appearances(sample: Frequencies, people: int, drawn: int) -> int:
    return round(Fraction(people * sample.rows, drawn))


def _errors(sample: Frequencies, people: int) -> dict[str, float | None]:
    """Draw samples of the table as it was drawn itself, and compare estimates with the rows that are alone in it."""
    drawn = round(sample.rows * sample.rows / people)
    untold: dict[str, float | None] = dict.fromkeys(ESTIMATORS)
    if not _FEWEST_DRAWN <= drawn < sample.rows or sample.rows >= _MOST_ROWS or not sample.uniques:
        return untold
    sizes = np.repeat(np.array(sorted(sample.classes)), [sample.classes[size] for size in sorted(sample.classes)])
    chance = np.random.default_rng(0)
    off: dict[str, list[float]] = {key: [] for key in ESTIMATORS}
    for _ in range(_DRAWS):
        counted = np.bincount(chance.multivariate_hypergeometric(sizes, drawn, method="marginals"))
        classes = {size: int(number) for size, number in enumerate(counted.tolist()) if size and number}
        for key, found in estimated(Frequencies(classes), sample.rows).items():
            if found.uniques is not None:
                off[key].append(found.uniques / sample.uniques - 1)
    return {key: math.fsum(values) / len(values) if values else None for key, values in off.items()}
