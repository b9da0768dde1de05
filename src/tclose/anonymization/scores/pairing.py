"""Two tables beside each other: their distinct rows as codes that mean the same in both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.problem import numbered
from tclose.data.values import exact_text, texts_or_none
from tclose.engines.distinct import DistinctRows
from tclose.models.value_order import Observed

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Pair:
    """The distinct rows of an original and of its release.

    Parameters
    ----------
    names
        The columns.
    codes
        Distinct rows × columns; a code means the same value in both tables.
    original, release
        How often each distinct row stands in either.
    numbers
        For each column the number of each code, NaN where it is none; None for a column of other values.
    left_out
        For each column of numbers how many rows of the release have a value that is no number, such as ``[35, 40)``.
    """

    names: tuple[str, ...]
    codes: Codes = field(repr=False)
    original: Codes = field(repr=False)
    release: Codes = field(repr=False)
    numbers: tuple[Floats | None, ...] = field(repr=False)
    left_out: tuple[int, ...]

    def counts(self, at: Sequence[int]) -> tuple[Codes, Codes]:
        """Return how often each combination of some columns stands in the original and in the release."""
        number = numbered(self.codes[:, list(at)])
        found = [np.bincount(number, weights=some).astype(np.int64) for some in (self.original, self.release)]
        return found[0], found[1]

    def shares(self, at: Sequence[int]) -> tuple[Floats, Floats]:
        """Return the share of each combination of some columns in the original and in the release."""
        first, second = self.counts(at)
        return first / self.original.sum(), second / self.release.sum()


def paired(names: Sequence[str], original: DistinctRows, release: DistinctRows) -> Pair:
    """Return two tables beside each other, by their distinct rows in the same columns.

    A column holds numbers where each value of the original is one; 39 and 39.0 are the same then.
    """
    columns, numbers, left_out = [], [], []
    for at, (old, new) in enumerate(zip(original.quasi, release.quasi, strict=True)):
        ours, theirs = texts_or_none(old.listed), texts_or_none(new.listed)
        by_size = _are_numbers(old, ours)
        code_of: dict[str | Fraction | None, int] = {}
        keys = [_key(text) if by_size else text for text in (*ours, *theirs)]
        codes = np.array([code_of.setdefault(key, len(code_of)) for key in keys], dtype=np.int64)
        of_new = codes[len(ours) :][release.codes[:, at]]
        columns.append(np.concatenate([codes[: len(ours)][original.codes[:, at]], of_new]))
        sizes = np.array([float(key) if isinstance(key, Fraction) else np.nan for key in code_of])
        strange = np.array([isinstance(key, str) for key in code_of])
        numbers.append(sizes if by_size else None)
        left_out.append(int(release.counts[strange[of_new]].sum()) if by_size else 0)
    together = np.stack(columns, axis=1)
    number = numbered(together)
    first = np.unique(number, return_index=True)[1]
    rows = len(original.counts)
    return Pair(
        tuple(names),
        together[first],
        np.bincount(number[:rows], original.counts, len(first)).astype(np.int64),
        np.bincount(number[rows:], release.counts, len(first)).astype(np.int64),
        tuple(numbers),
        tuple(left_out),
    )


def _are_numbers(observed: Observed, texts: Sequence[str | None]) -> bool:
    """Say whether a column holds numbers; in text only as numbers are written, so that ``007`` stays a code."""
    present = [text for text in texts if text is not None]
    if observed.kind == "number" or not present:
        return bool(present)
    sizes = [_key(text) for text in present]
    return observed.kind == "text" and all(
        isinstance(size, Fraction) and exact_text(size) == text for size, text in zip(sizes, present, strict=True)
    )


def _key(text: str | None) -> str | Fraction | None:
    """Return the number that a text is, or else the text."""
    try:
        return None if text is None else Fraction(text)
    except (ValueError, ZeroDivisionError):
        return text
