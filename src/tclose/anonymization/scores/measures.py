"""The scores of two tables beside each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.associations import association
from tclose.anonymization.scores.pairing import Codes, Floats, Pair
from tclose.anonymization.scores.scores import Bias, Correlation, Matches

MOST_TABLES = 500
"""Of more combinations of so many columns, the first in their order are looked at."""
MOST_SLOPES = 12
"""Slopes are of the first so many columns of numbers."""
_TIED = 0.1
"""A slope is looked at where the columns have at least this correlation in the original."""
_NORMAL = 1.959963984540054
"""Half of the width of a 95 % confidence interval, in standard errors."""
_MANY = 20
"""Of a column of more values, a model of who is in which table sees the most frequent, and all others as one."""
_RIDGE = 1e-6
_STEPS = 25
_QUARTILES = (("lower quartile", 0.25), ("median", 0.5), ("upper quartile", 0.75))


def marginal_score(pair: Pair, columns: int) -> float:
    """Return how alike the tables of so many columns are, from 0 to 1000, on average over all choices of columns.

    It is the score of NIST's collaborative research cycle: 1000 less half of the sum of the differences between shares.
    """
    chosen = itertools.islice(itertools.combinations(range(len(pair.names)), columns), MOST_TABLES)
    apart = [float(np.abs(np.subtract(*pair.shares(at))).sum()) for at in chosen]
    return 1000.0 * (1.0 - sum(apart) / len(apart) / 2)


def correlations(pair: Pair) -> Iterator[Correlation]:
    """Give how closely each two columns go together, in the original and in the release."""
    for first, second in itertools.combinations(range(len(pair.names)), 2):
        ours, theirs = pair.numbers[first], pair.numbers[second]
        names = pair.names[first], pair.names[second]
        if ours is not None and theirs is not None:
            columns = ours[pair.codes[:, first]], theirs[pair.codes[:, second]]
            found = [_pearson(*columns, counts) for counts in (pair.original, pair.release)]
            yield Correlation(*names, "pearson", *found)
        else:
            one, other = (pair.codes[:, at].astype(np.int32) for at in (first, second))
            both = [_cramer(one, other, counts) for counts in (pair.original, pair.release)]
            yield Correlation(*names, "cramer", *both)


def _cramer(first: NDArray[np.int32], second: NDArray[np.int32], counts: Codes) -> float | None:
    there = counts > 0
    return association(first[there], second[there], counts[there])


def _pearson(first: Floats, second: Floats, counts: Codes) -> float | None:
    fit = _line(first, second, counts)
    return None if fit is None else fit[2]


def _line(x: Floats, y: Floats, counts: Codes) -> tuple[float, float, float, float] | None:
    """Return the slope of y on x, its standard error, their correlation, and the rows; None where it has none."""
    there = np.isfinite(x) & np.isfinite(y) & (counts > 0)
    x, y, weights = x[there], y[there], counts[there].astype(np.float64)
    rows = float(weights.sum())
    if rows < 3:
        return None
    x, y = x - np.average(x, weights=weights), y - np.average(y, weights=weights)
    xx, yy, xy = (float((weights * one * other).sum()) for one, other in ((x, x), (y, y), (x, y)))
    if xx <= 0 or yy <= 0:
        return None
    slope = xy / xx
    error = math.sqrt(max(yy - slope * xy, 0.0) / (rows - 2) / xx)
    return slope, error, xy / math.sqrt(xx * yy), rows


def matches(pair: Pair) -> Matches:
    """Return how many rows that stand once in the original are in the release, and how many would be by chance."""
    alone = pair.original == 1
    found = int((alone & (pair.release > 0)).sum())
    shares = np.ones(int(alone.sum()))
    for at in range(len(pair.names)):
        own = np.bincount(pair.codes[:, at], pair.release) / pair.release.sum()
        shares *= own[pair.codes[alone, at]]
    rows = float(pair.release.sum())
    chance = -np.expm1(rows * np.log1p(-np.minimum(shares, 1.0 - 1e-16)))
    return Matches(int(alone.sum()), found, float(chance.sum()))


def biases(pair: Pair) -> Iterator[Bias]:
    """Give means and quartiles of columns of numbers, and slopes of one on another, in the original and the release."""
    lines = [(at, numbers) for at, numbers in enumerate(pair.numbers) if numbers is not None]
    for at, numbers in lines:
        values = numbers[pair.codes[:, at]]
        ours, theirs = (_sorted(values, counts) for counts in (pair.original, pair.release))
        if len(ours[0]) == 0 or len(theirs[0]) == 0:
            continue
        (one, error), (other, second) = _mean(*ours), _mean(*theirs)
        yield Bias("mean", pair.names[at], None, one, other, overlap(one, error, other, second))
        for what, share in _QUARTILES:
            yield Bias(what, pair.names[at], None, _quantile(*ours, share), _quantile(*theirs, share))
    for (at, x), (of, y) in itertools.permutations(lines[:MOST_SLOPES], 2):
        columns = x[pair.codes[:, at]], y[pair.codes[:, of]]
        before, after = (_line(*columns, counts) for counts in (pair.original, pair.release))
        if before is not None and after is not None and abs(before[2]) >= _TIED:
            shared = overlap(before[0], before[1], after[0], after[1])
            yield Bias("slope", pair.names[of], pair.names[at], before[0], after[0], shared)


def _sorted(values: Floats, counts: Codes) -> tuple[Floats, Floats]:
    there = np.isfinite(values) & (counts > 0)
    order = np.argsort(values[there], kind="stable")
    return values[there][order], counts[there][order].astype(np.float64)


def _mean(values: Floats, counts: Floats) -> tuple[float, float]:
    """Return a mean and its standard error."""
    rows = float(counts.sum())
    mean = float((values * counts).sum() / rows)
    square = float((counts * (values - mean) ** 2).sum())
    return mean, math.sqrt(square / max(rows - 1, 1) / rows)


def _quantile(values: Floats, counts: Floats, share: float) -> float:
    """Return the least value that at least such a share of the rows does not exceed."""
    reached = np.cumsum(counts) >= share * counts.sum() * (1 - 1e-12)
    return float(values[int(np.argmax(reached))])


def overlap(one: float, error: float, other: float, second: float) -> float:
    """Return how much of two 95 % confidence intervals lies in both, as a share of each on average (Karr et al. 2006).

    Examples
    --------
    >>> round(overlap(0.0, 1.0, 0.0, 1.0), 3), overlap(0.0, 1.0, 9.0, 1.0), round(overlap(0.0, 1.0, 0.0, 2.0), 3)
    (1.0, 0.0, 0.75)
    """
    lows, highs = (
        [mean + sign * _NORMAL * each for mean, each in ((one, error), (other, second))] for sign in (-1.0, 1.0)
    )
    both = min(highs) - max(lows)
    widths = [high - low for low, high in zip(lows, highs, strict=True)]
    if min(widths) <= 0:
        return float(one == other)
    return max(0.0, sum(both / width for width in widths) / 2)


def propensity(pair: Pair) -> float:
    """Return the mean squared error of the score of a logistic model that tells the release from the original.

    It sees each value of columns of few values, the most frequent of others, and numbers with their squares. Each table
    weighs as much as the other, so that it is 0 where nothing tells them apart and 0.25 where everything does.
    """
    seen = _features(pair)
    ours, theirs = pair.original / pair.original.sum() / 2, pair.release / pair.release.sum() / 2
    weights = np.asarray(ours + theirs)
    score = _logistic(seen, weights, theirs / np.maximum(weights, 1e-300))
    return float((weights * (score - 0.5) ** 2).sum())


def _features(pair: Pair) -> Floats:
    columns: list[Floats] = [np.ones(len(pair.codes))]
    for at in range(len(pair.names)):
        codes, numbers = pair.codes[:, at], pair.numbers[at]
        sums = np.bincount(codes, pair.original + pair.release)
        frequent = np.argsort(-sums, kind="stable")[: _MANY if len(sums) > _MANY else len(sums) - 1]
        columns += [(codes == code).astype(np.float64) for code in frequent.tolist()]
        if numbers is not None and len(sums) > _MANY:
            values = numbers[codes]
            there = np.isfinite(values)
            spread = float(np.std(values[there])) or 1.0
            scaled = np.where(there, (values - float(np.mean(values[there]))) / spread, 0.0)
            columns += [np.asarray(scaled), np.asarray(scaled**2), (~there).astype(np.float64)]
    return np.stack(columns, axis=1)


def _logistic(seen: Floats, weights: Floats, wanted: Floats) -> Floats:
    """Return the scores of a logistic model, fitted by Newton's method; a trace of a ridge keeps it from infinity."""
    found = np.zeros(seen.shape[1])
    ridge = _RIDGE * np.eye(seen.shape[1])
    for _ in range(_STEPS):
        score = 1.0 / (1.0 + np.exp(-np.clip(seen @ found, -30, 30)))
        slope = seen.T @ (weights * (wanted - score)) - _RIDGE * found
        bend = (seen * (weights * score * (1.0 - score))[:, np.newaxis]).T @ seen + ridge
        step = np.linalg.solve(bend, slope)
        found = found + step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
        if float(np.abs(step).max()) < 1e-9:
            break
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(seen @ found, -30, 30))))
