"""The parameters of the slide negative binomial distribution of class sizes in a population, from a sample."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

_GRID = 400
_STEPS = 200


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
    for _ in range(_STEPS):
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
    for _ in range(_STEPS):
        middle = (low + high) / 2
        alpha = _alpha(middle, fraction, ones, rising=rising)
        if alpha is None:
            return None
        if (_twos(alpha, middle, fraction) > twos) == above:
            low = middle
        else:
            high = middle
    return alpha, (low + high) / 2
