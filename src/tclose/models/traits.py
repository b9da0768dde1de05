"""Values that are the same in all rows of a person, and how much of them the counts of many classes publish together.

The gauge ρ is the entropy of all classes' counts, each a multinomial draw from the table's shares, as a multiple of the
entropy of everybody's values. Somebody in many classes has their value published again by each of them.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from tclose.errors import Hint, Note

AT_RISK = 0.5
"""From this ρ on an attribute is at risk."""
REACH = ((2.5, "nearly everybody"), (1.5, "most of them"), (AT_RISK, "some of them"))
"""How far somebody gets who solves for values, by ρ; ``bench/reconstruction.py`` measures it."""
_TABLED = 64
_STEP = 1.25
"""Entropies are tabled for sizes up to 64 and for larger ones in such steps; between them they follow the logarithm."""
_TOGETHER = 512
"""Up to this size all numbers of people are looked at for all shares at once."""
_SHARES = 256
"""Up to so many different shares are told apart."""
_SPAN = 9
"""So many standard deviations around the mean hold all of a binomial distribution that counts."""
_STIRLING = 16
"""From this number on Stirling's series is exact to 14 digits."""
Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def rho(sizes: Integers, values: Integers, classes: Integers | int = 1) -> float:
    """Return ρ, 0 where there is nothing to know.

    Parameters
    ----------
    sizes
        How many people of known value each class holds.
    values
        How many people of the table have each value.
    classes
        How many classes have each of the sizes.

    Examples
    --------
    >>> import numpy as np
    >>> round(float(rho(np.array([30]), np.array([10, 10, 10])) * 30 * np.log2(3)), 3)
    6.615
    """
    held = values[values > 0]
    shares = held / held.sum() if len(held) else np.zeros(0)
    known = float(-(shares * np.log2(shares)).sum()) * int(held.sum())
    return published_bits(sizes, shares, classes) / known if known > 0 else 0.0


def published_bits(sizes: Integers, shares: Floats, classes: Integers | int = 1) -> float:
    """Return the entropy of the counts of all classes in bits, each class drawn from the shares of the values."""
    there, place = np.unique(sizes, return_inverse=True)
    many = np.bincount(place, np.broadcast_to(classes, sizes.shape), len(there))[there > 0]
    there = there[there > 0]
    if not len(there):
        return 0.0
    tabled = _tabled(there)
    different, repeats = _different(shares)
    entropies = np.array([_entropy(size, different, repeats) for size in tabled])
    return float(np.interp(np.log(there), np.log(tabled), entropies) @ many)


def _tabled(sizes: Integers) -> list[int]:
    """Return the small ones of ascending sizes, and steps that span the others."""
    found: list[int] = sizes[sizes <= _TABLED].tolist()
    larger: list[int] = sizes[sizes > _TABLED].tolist()
    step = larger[0] if larger else 0
    while larger and step < larger[-1]:
        found.append(step)
        step = int(step * _STEP)
    return found + larger[-1:]


def _different(shares: Floats) -> tuple[Floats, Integers]:
    """Return the different shares and how many values have each; of many, those within a twentieth are averaged."""
    different, repeats = np.unique(shares, return_counts=True)
    if len(different) <= _SHARES:
        return different, repeats
    _, near = np.unique(np.floor(np.log(different) / math.log(1.05)), return_inverse=True)
    many = np.bincount(near, repeats)
    return np.bincount(near, repeats * different) / many, many.astype(np.int64)


def _entropy(size: int, different: Floats, repeats: Integers) -> float:
    """Return the entropy of a multinomial distribution: n H(π) − log₂ n! + Σ E[log₂ X!], each X binomial."""
    found = -size * float((repeats * different * np.log(different)).sum()) - float(_log_factorials(np.array([size]))[0])
    if size <= _TOGETHER:
        means = _mean_log_factorials(np.arange(size + 1), size, different)
    else:
        reach = _SPAN * np.sqrt(size * different * (1 - different)) + _SPAN**2 / 4
        lowest = np.maximum(np.floor(size * different - reach), 0).astype(np.int64)
        highest = np.minimum(np.ceil(size * different + reach), size).astype(np.int64)
        means = np.array(
            [
                _mean_log_factorials(np.arange(low, high + 1), size, different[at : at + 1])[0]
                for at, (low, high) in enumerate(zip(lowest.tolist(), highest.tolist(), strict=True))
            ]
        )
    return max(found + float(repeats @ means), 0.0) / math.log(2)


def _mean_log_factorials(there: Integers, size: int, shares: Floats) -> Floats:
    """Return E[log X!] of binomial numbers X of some shares, which are hardly ever outside of some numbers."""
    of_size, own, others = (_log_factorials(each) for each in (np.array([size]), there, size - there))
    with np.errstate(divide="ignore", invalid="ignore"):
        some, none = np.log(shares)[:, np.newaxis], np.log1p(-shares)[:, np.newaxis]
        chances = np.exp(of_size - own - others + there * some + np.where(there < size, (size - there) * none, 0.0))
    return np.asarray(chances @ own)


def _log_factorials(numbers: Integers) -> Floats:
    """Return log n! of whole numbers: sums of logarithms, and Stirling's series."""
    small = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, _STIRLING)))])
    n = np.maximum(numbers, _STIRLING).astype(np.float64)
    series = 1 / (12 * n) - 1 / (360 * n**3) + 1 / (1260 * n**5) - 1 / (1680 * n**7)
    large = n * np.log(n) - n + 0.5 * np.log(2 * math.pi * n) + series
    return np.where(numbers < _STIRLING, small[np.minimum(numbers, _STIRLING - 1)], large)


def at_risk(name: str, found: float) -> Note:
    """Return the note on an attribute whose ρ is large."""
    reach = next(words for least, words in REACH if found >= least)
    return Note(
        "trait-at-risk",
        f"{name!r} is the same in all rows of a person, and every class of theirs counts it. Together the counts hold "
        f"{found:.2f} times the information of everybody's values (ρ). Whoever knows which classes people are in can "
        f"solve for the values of {reach}.",
        Hint("Publish it once per person, in a table of its own."),
        name,
    )
