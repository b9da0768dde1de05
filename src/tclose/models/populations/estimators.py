"""How many people are alone with their combination in the population, estimated from the sizes of classes in a sample.

F. Dankar, K. El Emam, A. Neisa, T. Roffey: Estimating the re-identification risk of clinical data sets, BMC Medical
Informatics and Decision Making 12, 2012.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

# The most likely parameters of the partition of Ewens and Pitman for the classes of a sample.


_STEPS = 200
_LEAST_ALPHA = 1e-7
_SERIES_FROM = 10
_FAR = 1e4


def pitman_parameters(classes: Mapping[int, int]) -> tuple[float, float] | None:
    """Return θ and α of the largest likelihood; None where there is none: one class, or all rows alone.

    log L = Σ_{i=1}^{u−1} log(θ + iα) − log Γ(θ+n)/Γ(θ+1) + Σ_i c_i log Γ(i−α)/Γ(1−α). For each α the best θ is
    where the slope along θ is 0; the best α is where the slope along α is 0 there. Both slopes fall.
    """
    rows = sum(size * number for size, number in classes.items())
    number = sum(classes.values())
    if number < 2 or number == rows:
        return None

    def theta(alpha: float) -> float:
        shifted = _root(
            lambda log: _sum_of_shares(math.exp(log) - alpha, alpha, number) - _between(math.exp(log) - alpha, rows),
            math.log(1e-12),
            math.log(1e18),
        )
        return math.exp(shifted) - alpha

    def slope(alpha: float) -> float:
        at = theta(alpha)
        gained = _sum_of_weighted_shares(at, alpha, number)
        lost = math.fsum(
            count * (_digamma(size - alpha) - _digamma(1 - alpha)) for size, count in classes.items() if size > 1
        )
        return gained - lost

    alpha = _root(slope, _LEAST_ALPHA, 1 - _LEAST_ALPHA)
    return theta(alpha), alpha


def _sum_of_shares(theta: float, alpha: float, number: int) -> float:
    """Return Σ_{i=1}^{u−1} 1/(θ + iα)."""
    return _between(theta / alpha, number) / alpha


def _sum_of_weighted_shares(theta: float, alpha: float, number: int) -> float:
    """Return Σ_{i=1}^{u−1} i/(θ + iα); where θ is large beside uα, by powers of iα/θ, since little else is left."""
    ratio = theta / alpha
    if ratio < _FAR * number:
        return (number - 1 - ratio * _between(ratio, number)) / alpha
    squares = (2 * number - 1) / (3 * ratio)
    cubes = number * (number - 1) / (2 * ratio * ratio)
    return number * (number - 1) / (2 * theta) * (1 - squares + cubes)


def _between(x: float, number: int) -> float:
    """Return ψ(x+n) − ψ(x+1) for x > −1, to all digits also where x is large and the two are nearly the same."""
    found, low, apart = 0.0, x + 1, number - 1
    while low < _SERIES_FROM and apart:
        found += 1 / low
        low += 1
        apart -= 1
    high = low + apart
    return found + math.log1p(apart / low) + apart / (2 * low * high) - (_series(high) - _series(low))


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return where a falling function is 0, or the end of the interval where it is not."""
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
        if high - low <= 1e-15 * abs(high):
            break
    return (low + high) / 2


def _digamma(x: float) -> float:
    """Return ψ(x) for x > 0: by its recurrence up to 10, from there by its asymptotic series."""
    found = 0.0
    while x < _SERIES_FROM:
        found -= 1 / x
        x += 1
    return found + math.log(x) - 1 / (2 * x) - _series(x)


def _series(x: float) -> float:
    """Return what log x − 1/(2x) is more than ψ(x), for large x."""
    square = 1 / (x * x)
    return square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))


# The parameters of the slide negative binomial distribution of class sizes in a population, from a sample.


_GRID = 400
_SLIDE_STEPS = 200


def snb_parameters(classes: Mapping[int, int], fraction: float) -> tuple[float, float, float] | None:
    """Return the number K of classes in the population, α and β; None where no parameters fit the sample.

    K is Haas' and Stokes' form of Shlosser's estimator; α and β are where the expected numbers of classes of one and
    of two rows are those of the sample.
    """
    ones, twos = classes.get(1, 0), classes.get(2, 0)
    if not ones or not twos or not 0 < fraction < 1:
        return None
    number = shlosser(classes, fraction)
    if number is None:
        return None

    def surplus(beta: float, alpha: float) -> float:
        return _twos(alpha, beta, fraction) - twos / number

    for rising in (False, True):
        before: tuple[float, float] | None = None
        for beta in _betas():
            alpha = _alpha(beta, fraction, ones / number, rising=rising)
            if alpha is None:
                before = None
                continue
            here = surplus(beta, alpha)
            if before is not None and (before[1] > 0) != (here > 0):
                found = _bisected(before[0], beta, fraction, ones / number, twos / number, rising=rising)
                if found is not None:
                    return number, *found
            before = (beta, here)
    return None


def shlosser(classes: Mapping[int, int], fraction: float) -> float | None:
    """Return how many classes the population has: K = u + c_1 · A / B · (C / D)²; None where it has no value."""
    f, number = fraction, sum(classes.values())
    a = math.fsum(i * f * f * (1 - f * f) ** (i - 1) * c for i, c in classes.items())
    b = math.fsum((1 - f) ** i * ((1 + f) ** i - 1) * c for i, c in _bounded(classes, f))
    c_ = math.fsum((1 - f) ** i * c for i, c in classes.items())
    d = math.fsum(i * f * (1 - f) ** (i - 1) * c for i, c in classes.items())
    if not b > 0 or not d > 0:
        return None
    return number + classes.get(1, 0) * a / b * (c_ / d) ** 2


def _bounded(classes: Mapping[int, int], fraction: float) -> Iterator[tuple[int, int]]:
    """Give sizes whose terms are not too small to matter; beyond, (1+f)^i would overflow."""
    for size, count in classes.items():
        if size * -math.log1p(-fraction * fraction) < 700 and size * math.log1p(fraction) < 700:
            yield size, count


def _betas() -> Iterator[float]:
    """Give values of β from near 0 to near 1, dense at both ends."""
    for at in range(1, _GRID):
        x = at / _GRID
        yield x**4 / (x**4 + (1 - x) ** 4)


def _ones(alpha: float, beta: float, fraction: float) -> float:
    """Return the expected share of classes of one row: f (β/w)^α (α v/w + 1)."""
    v = (1 - fraction) * (1 - beta)
    w = 1 - v
    return fraction * math.pow(beta / w, alpha) * (alpha * v / w + 1)


def _twos(alpha: float, beta: float, fraction: float) -> float:
    """Return the expected share of classes of two rows: α β^α f² (1−β)(2 − (1−α) v) / (2 w^{α+2})."""
    v = (1 - fraction) * (1 - beta)
    w = 1 - v
    return alpha * math.pow(beta / w, alpha) * fraction**2 * (1 - beta) * (2 - (1 - alpha) * v) / (2 * w * w)


def _alpha(beta: float, fraction: float, wanted: float, *, rising: bool) -> float | None:
    """Return α with the wanted share of classes of one row, before or behind the top of that share; None if none."""
    v = (1 - fraction) * (1 - beta)
    w = 1 - v
    decay = math.log(w / beta)
    top = max(0.0, 1 / decay - w / v) if decay > 0 else 0.0
    low, high = (0.0, top) if rising else (top, top + 1000 / decay if decay > 0 else 1e9)
    first, last = _ones(low, beta, fraction) - wanted, _ones(high, beta, fraction) - wanted
    if (first > 0) == (last > 0):
        return None
    for _ in range(_SLIDE_STEPS):
        middle = (low + high) / 2
        if (_ones(middle, beta, fraction) - wanted > 0) == (first > 0):
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _bisected(
    low: float, high: float, fraction: float, ones: float, twos: float, *, rising: bool
) -> tuple[float, float] | None:
    """Return α and β between two values of β where the share of classes of two rows is passed."""
    alpha = _alpha(low, fraction, ones, rising=rising)
    if alpha is None:
        return None
    above = _twos(alpha, low, fraction) > twos
    for _ in range(_SLIDE_STEPS):
        middle = (low + high) / 2
        alpha = _alpha(middle, fraction, ones, rising=rising)
        if alpha is None:
            return None
        if (_twos(alpha, middle, fraction) > twos) == above:
            low = middle
        else:
            high = middle
    return alpha, (low + high) / 2


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
