"""The most likely parameters of the partition of Ewens and Pitman for the classes of a sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

_STEPS = 200
_LEAST_ALPHA = 1e-7


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
        gained = (number - 1 - at * _sum_of_shares(at, alpha, number)) / alpha
        lost = math.fsum(
            count * (_digamma(size - alpha) - _digamma(1 - alpha)) for size, count in classes.items() if size > 1
        )
        return gained - lost

    alpha = _root(slope, _LEAST_ALPHA, 1 - _LEAST_ALPHA)
    return theta(alpha), alpha


def _sum_of_shares(theta: float, alpha: float, number: int) -> float:
    """Return Σ_{i=1}^{u−1} 1/(θ + iα)."""
    return (_digamma(theta / alpha + number) - _digamma(theta / alpha + 1)) / alpha


def _between(theta: float, rows: int) -> float:
    """Return ψ(θ+n) − ψ(θ+1)."""
    return _digamma(theta + rows) - _digamma(theta + 1)


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
    while x < 10:
        found -= 1 / x
        x += 1
    square = 1 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square * (1 / 240 - square / 132))))
    return found + math.log(x) - 1 / (2 * x) - series
