"""The most likely parameters of the partition of Ewens and Pitman for the classes of a sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

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
