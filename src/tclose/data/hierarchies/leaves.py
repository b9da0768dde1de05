"""What a hierarchy is built from: the distinct values of a column as leaves, numbers and places on a line."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from operator import itemgetter

import numpy as np

from tclose.data.hierarchies.files import ROOT
from tclose.data.hierarchies.tree import Hierarchy
from tclose.data.values import (
    UnclearNumbersError,
    as_texts,
    bands_in_order,
    exact_text,
    line_of,
    sizes_of,
    whole_positions,
)
from tclose.errors import HierarchyError, ThresholdError, counted
from tclose.policy.exact_numbers import Number, fraction

Leaves = dict[str, object]
"""The text of each value, and the value; in the order in which the values came."""

_NUMPY = (np.number, np.bool_)
Place = int | float
"""A place on a line: a whole number of some unit, or an infinity."""


def leaves_of(values: Iterable[object]) -> Leaves:
    """Return the leaves that values make: missing ones left out, each text once.

    Raises
    ------
    HierarchyError
        When a value is a blank text or holds the character NUL, which no label may.
    """
    present = [value for value in plain(values) if not is_missing(value)]
    leaves: Leaves = {}
    for text, value in zip(as_texts(present), present, strict=True):
        leaves.setdefault(text, value)
    blank = sum(1 for text in leaves if not is_label(text))
    if blank:
        raise HierarchyError(
            f"{counted(blank, 'distinct value')} of the column cannot be labels: a text that is blank or holds a NUL; "
            "make them missing, or write something in their place."
        )
    return leaves


def is_label(text: str) -> bool:
    """Say whether a text may be a label: it is not blank, and holds no NUL."""
    return bool(text.strip()) and "\0" not in text


def sorted_leaves(values: Iterable[object]) -> Leaves:
    """Return the leaves that values make, in the values' own order, whatever order they came in."""
    leaves = leaves_of(values)
    by_text = sorted(leaves.items(), key=itemgetter(0))
    try:
        return dict(sorted(by_text, key=itemgetter(1)))
    except TypeError:  # values of different types do not compare
        return dict(by_text)


def plain(values: Iterable[object]) -> list[object]:
    """Return values as a list, NumPy's numbers and truth values as Python's own."""
    values = list(values)
    if not any(issubclass(kind, _NUMPY) for kind in set(map(type, values))):
        return values
    return [value.item() if isinstance(value, _NUMPY) else value for value in values]


def is_missing(value: object) -> bool:
    """Say whether a value is missing: None, or not equal to itself as NaN and NaT are."""
    return value is None or bool(value != value)


def grown(
    leaves: Iterable[str], levels: Sequence[Sequence[str]], root: str = ROOT, *, rule: str | None = None
) -> Hierarchy:
    """Return the tree of leaves, the labels of each leaf on the levels above, and a root.

    Without leaves it is the tree of ``*`` alone, which stands for a missing value.
    """
    rows = tuple((leaf, *labels, root) for leaf, *labels in zip(leaves, *levels, strict=True))
    return Hierarchy(rows, rule) if rows else Hierarchy(((ROOT, ROOT),))


def numbers_of(leaves: Leaves) -> list[Fraction | int | float]:
    """Return the number of each leaf, infinities as floats; refuse leaves that are no numbers."""
    numbers = _numbers(leaves)
    found = [number for number in numbers if number is not None]
    if len(found) < len(numbers):
        raise HierarchyError(
            f"Intervals and breaks need numbers, and {len(numbers) - len(found)} of {len(numbers)} distinct values are "
            "none; build dates with 'dates', codes with 'mask', an order with 'groups', or give a hierarchy file."
        )
    return found


def _numbers(leaves: Leaves) -> list[Fraction | int | float | None]:
    """Return the number of each leaf, infinities as floats; None of dates, times and truth values."""
    values = list(leaves.values())
    wholes: list[Fraction | int | float | None] = [value for value in values if type(value) is int]
    if len(wholes) == len(values):
        return wholes
    try:
        sizes = sizes_of(values)
    except UnclearNumbersError as unclear:
        raise HierarchyError(f"The column is text that cannot be put in order: {unclear}") from None
    return [
        float(value)
        if isinstance(value, float | Decimal) and math.isinf(value)
        else size
        if line_of(value) in ("numbers", "text")
        else None
        for value, size in zip(values, sizes, strict=True)
    ]


def scaled(numbers: Sequence[Fraction | int | float], others: Sequence[Fraction]) -> tuple[list[Place], list[int], int]:
    """Return numbers and other numbers as whole multiples of one unit, and how many units make 1."""
    finite = [number for number in numbers if not isinstance(number, float)]
    whole, common = whole_positions([*finite, *others])
    following = iter(whole)
    places: list[Place] = [number if isinstance(number, float) else next(following) for number in numbers]
    return places, list(following), common


def places_of(leaves: Leaves) -> list[Place] | None:
    """Return the place of each leaf on a line; None where the values are not all numbers, dates or times alike."""
    values = list(leaves.values())
    lines = {line_of(value) for value in values}
    if len(lines - {"text"}) > 1:
        return None
    numbers = _numbers(leaves) if lines & {"numbers", "text"} else sizes_of(values)
    found = [number for number in numbers if number is not None]
    return scaled(found, ())[0] if len(found) == len(numbers) else None


def in_order(leaves: Leaves, categories: Sequence[str] | None = None) -> list[str]:
    """Return the leaves by the categories given, else by size, else as the bands that they are, else by alphabet."""
    if categories is not None:
        rank = {category: at for at, category in enumerate(categories)}
        return sorted(leaves, key=lambda leaf: (rank.get(leaf, len(rank)), leaf))
    texts = list(leaves)
    if (bands := bands_in_order(texts)) is not None:
        return [texts[at] for at in bands]
    return by_place(leaves) or sorted(leaves)


def by_place(leaves: Leaves) -> list[str] | None:
    """Return the leaves by their places on a line, equal places by their texts; None where there is no line."""
    places = places_of(leaves)
    if places is None:
        return None
    return [leaf for _, leaf in sorted(zip(places, leaves, strict=True))]


def weights_of(values: Iterable[object], counts: Iterable[int]) -> Mapping[str, int]:
    """Return how many rows carry each leaf."""
    values, counts = plain(values), list(counts)
    if len(values) != len(counts):
        raise HierarchyError(
            f"There are {counted(len(values), 'value')} and {counted(len(counts), 'count')}; give each value its count."
        )
    present = [at for at, value in enumerate(values) if not is_missing(value)]
    weights: dict[str, int] = {}
    for at, text in zip(present, as_texts([values[at] for at in present]), strict=True):
        weights[text] = weights.get(text, 0) + int(counts[at])
    return weights


def numbers_given(given: Number | Iterable[Number], what: str) -> list[Fraction]:
    """Return the numbers a caller gave: one, or several."""
    listed = [given] if isinstance(given, str | int | float | Decimal | Fraction) else list(given)
    if not listed:
        raise HierarchyError(f"No {what} was given; give at least one.")
    try:
        return [fraction(number, f"A {what}") for number in listed]
    except ThresholdError as error:
        raise HierarchyError(error.message, hint=error.hint) from None


def multiples_given(given: Number | Iterable[Number], what: str) -> list[Fraction]:
    """Return the numbers a caller gave; each must be positive and a multiple of the one before."""
    numbers = numbers_given(given, what)
    if min(numbers) <= 0:
        raise HierarchyError(f"A {what} must be positive; give numbers above 0.")
    for before, after in itertools.pairwise(numbers):
        if after <= before or (after / before).denominator != 1:
            raise HierarchyError(
                f"The {what} {exact_text(after)} is no larger multiple of the {what} {exact_text(before)} before it, "
                "so that groups of one level would be torn on the next; give multiples, such as 5, 10, 20."
            )
    return numbers
