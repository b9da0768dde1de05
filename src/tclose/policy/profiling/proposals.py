"""What a policy may say of a column to start from: a hierarchy that suits its values, thresholds that they allow."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from tclose.data.hierarchies import inferred_hierarchy, is_icd10
from tclose.data.hierarchies.leaves import is_label
from tclose.data.values import as_texts, exact_text
from tclose.policy.profiling.value_shapes import shape_of
from tclose.policy.roles import Distance, Nominal

if TYPE_CHECKING:
    from tclose.models.value_order import Observed

FEWEST, CLOSEST = "2", "0.3"
"""The thresholds of l and t that every column starts from."""
_FEW_TEXTS = 3
"""Up to so many values are published as they are or not at all."""
_FEW_IN_ORDER = 2
"""The same of bands: two neighbours of three mean something."""
_LARGE = 20
"""Thresholds that only classes of more rows could meet are not suggested."""
_CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9./_-]*", re.ASCII)
_LONGEST_CODE = 24
_UNITES = 0.75
"""A level leaves at most so many of the groups below it."""


def proposed_hierarchy(seen: Observed, *, codes: bool = False) -> str | None:
    """Return the words of a hierarchy for the values of a column; None where they show one themselves.

    Bands are put into groups of 2, 4, 8 … neighbours in their order, dates and codes are shortened from their ends.
    Other texts are put into groups by the alphabet, which keeps more than to publish each as it is or not at all.

    Parameters
    ----------
    seen
        The values.
    codes
        Whether numbers are codes, so that no interval of them means anything.
    """
    if codes and seen.kind == "number":
        return "flat"
    if seen.kind != "text":
        return None
    labels = [at for at, value in enumerate(seen.listed) if value is not None and is_label(str(value))]
    values = [seen.listed[at] for at in labels]
    if not labels or inferred_hierarchy(values, seen.counts[labels], seen.kind, seen.categories) is not None:
        return None
    texts = as_texts(values)
    kind = shape_of(texts, every=True).kind
    if kind == "partial dates":
        return "prefix:7,4"  # the year and the month, as far as they are known
    if all(is_icd10(text) for text in texts):
        return "icd10"
    lengths = [] if kind == "bands" else _prefixes(texts)
    if lengths:
        return f"prefix:{','.join(map(str, lengths))}"
    sizes = [2**power for power in range(1, len(texts).bit_length()) if 2**power < len(texts)]
    few = _FEW_IN_ORDER if kind == "bands" else _FEW_TEXTS
    return f"groups:{','.join(map(str, sizes))}" if len(texts) > few else "flat"


def _prefixes(texts: Sequence[str]) -> list[int]:
    """Return how much of codes to keep, level by level, so that each level unites what is below it; none of words."""
    longest = max(map(len, texts))
    with_digits = sum(any(letter.isdigit() for letter in text) for text in texts)
    if longest > _LONGEST_CODE or 2 * with_digits <= len(texts) or not all(map(_CODE.fullmatch, texts)):
        return []
    lengths: list[int] = []
    groups = len(texts)
    for length in range(longest - 1, 0, -1):
        found = len({text[:length] for text in texts})
        if 1 < found <= _UNITES * groups:
            lengths.append(length)
            groups = found
    return lengths


def proposed_thresholds(counts: Sequence[int], distance: Distance | None) -> dict[str, str]:
    """Return the thresholds of l and t that a column needs instead of the usual ones, by key.

    A class without a rare value is not 2-diverse, so there are at most as many classes as rows without the commonest
    value: where classes would need more than 20 rows on average, l = 1. A class of 20 rows has at most 20 values, and a
    nominal distance is at least the share of all others: t is no smaller than that, in steps of 0.05.

    Parameters
    ----------
    counts
        How many rows carry each value.
    distance
        How far apart values are.

    Examples
    --------
    >>> proposed_thresholds([990, 10], Nominal()), proposed_thresholds([10] * 40, Nominal())
    ({'l': '1'}, {'t': '0.5'})
    >>> proposed_thresholds([500, 500], Nominal())
    {}
    """
    rows, found = sum(counts), {}
    if not rows:
        return {}
    if _LARGE * (rows - max(counts)) < rows:
        found["l"] = "1"
    if isinstance(distance, Nominal):
        left = 1 - Fraction(sum(sorted(counts, reverse=True)[:_LARGE]), rows)
        if left > Fraction(CLOSEST):
            found["t"] = exact_text(Fraction(math.ceil(left * _LARGE), _LARGE))
    return found
