"""The order of a domain's values: by size, by alphabet, by frequency, or as somebody gave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tclose.domains.drafts import Draft, by_text
from tclose.domains.observed import Kind
from tclose.errors import Ask, DomainError, Hint, counted
from tclose.notes import Note
from tclose.roles import Ordered
from tclose.values import (
    UnclearNumbersError,
    another_order,
    as_text,
    bands_in_order,
    exact_number,
    named_texts,
    sizes_of,
)


def bring_in_order(draft: Draft, distance: Ordered) -> None:
    """Bring the values into their order; a missing value, if it is still there, stays last."""
    if distance.order == "value":
        sort_by_value(draft, quiet=False)
    elif distance.order == "frequency":
        sort_by_value(draft, quiet=True)
        present = sum(1 for value in draft.values if value is not None)
        often = sorted(range(present), key=lambda position: -draft.reference[position])
        draft.keep([*often, *range(present, len(draft.values))])
    else:
        _follow(draft, distance.order)


def sort_by_value(draft: Draft, *, quiet: bool) -> None:
    """Sort by value: numbers and dates by size, text that reads as numbers or bands too, other text by alphabet."""
    present = [position for position, value in enumerate(draft.values) if value is not None]
    rest = [position for position, value in enumerate(draft.values) if value is None]
    if (order := _native_order([draft.values[position] for position in present], draft.kind)) is not None:
        draft.keep([*(present[i] for i in order), *rest])
        return
    sizes = _sizes(draft, present, quiet=quiet)
    if draft.kind == "time" and None in sizes and not quiet:
        raise DomainError(
            f"The ordered column {draft.name!r} has dates beyond the years 1 to 9999, or texts beside its dates "
            f"({sizes.count(None)} of {len(sizes)} distinct values).",
            column=draft.name,
            hint=Hint("Make them missing, or make the column nominal."),
        )
    if draft.kind == "text" and not quiet and (bands := _bands(draft, present)) is not None:
        text = "The column is bands of numbers, such as 10-19; it is ordered by them."
        draft.notes.append(Note("text-as-bands", text, column=draft.name))
        order = bands
    elif all(size is not None for size in sizes):
        if not quiet:
            _check_spelled_once(draft.name, "ordered", sizes)
        order = sorted(range(len(present)), key=lambda i: (sizes[i], as_text(draft.values[present[i]])))
        if draft.kind == "text" and not quiet and present:
            draft.notes.append(
                Note(
                    "text-as-numbers",
                    "The column is text that reads as numbers; it is ordered by them.",
                    column=draft.name,
                )
            )
    elif quiet or all(size is None for size in sizes):
        order = sorted(range(len(present)), key=lambda i: as_text(draft.values[present[i]]))
        if not quiet:
            _check_alphabet(draft, [as_text(draft.values[position]) for position in present])
            draft.notes.append(
                Note(
                    "alphabetical-order",
                    "The column is text in alphabetical order.",
                    Hint("Give its scale with {}.", _scale(draft.name)),
                    draft.name,
                )
            )
    else:
        some = sum(1 for size in sizes if size is not None)
        raise DomainError(
            f"The ordered column {draft.name!r} mixes numbers and text ({some} of {len(sizes)} distinct values read "
            "as numbers).",
            field="order",
            column=draft.name,
            hint=Hint(
                "Say which texts stand for missing values with {}, give the scale with {}, or make it nominal.",
                null_asked(),
                _scale(draft.name),
            ),
        )
    draft.keep([*(present[i] for i in order), *rest])


def _bands(draft: Draft, positions: Sequence[int]) -> list[int] | None:
    """Return the order of values that are bands of numbers; None where they are not."""
    return bands_in_order([as_text(draft.values[position]) for position in positions])


def _check_alphabet(draft: Draft, texts: Sequence[str]) -> None:
    """Refuse texts that the alphabet puts in another order than the dates or numbers in them have."""
    if (other := another_order(texts)) is not None:
        raise DomainError(
            f"The ordered column {draft.name!r} is text whose alphabetical order is not that of {other}.",
            field="order",
            column=draft.name,
            hint=Hint("Give its scale with {}, write dates as 2020-12-31, or make it nominal.", _scale(draft.name)),
        )


def _sizes(draft: Draft, positions: Sequence[int], *, quiet: bool) -> list[Fraction | None]:
    """Return the numbers of some values; where texts read in two ways, none if nobody asked for an order."""
    try:
        return sizes_of([draft.values[position] for position in positions])
    except UnclearNumbersError as unclear:
        if quiet:
            return [None] * len(positions)
        unclear.message = f"The column {draft.name!r} is text that cannot be put in order: {unclear.message}"
        unclear.column = draft.name
        raise


def _check_spelled_once(name: str, word: str, sizes: Sequence[Fraction | None]) -> None:
    if len(set(sizes)) < len(sizes):
        raise DomainError(
            f"The {word} column {name!r} writes the same number in several ways.",
            column=name,
            hint=Hint("Clean it, or make it nominal."),
        )


def _native_order(values: list[Any], kind: Kind) -> list[int] | None:
    """Return the order of values that Python itself can compare, or None where it cannot."""
    if kind not in ("number", "time", "truth") or any(isinstance(value, str) for value in values):
        return None
    if any(isinstance(value, np.datetime64) for value in values):  # NumPy would let one of another century overflow
        values = [exact_number(value) for value in values]
    try:
        return sorted(range(len(values)), key=values.__getitem__)
    except TypeError:  # numbers beside texts, from a reference of another type
        return None


def _follow(draft: Draft, order: str | tuple[object, ...]) -> None:
    """Bring the values into a given order; values that only the order names count as possible."""
    at = by_text(draft.values)
    wanted = [_occurring(value, at, draft) for value in order]
    if len(set(wanted)) < len(wanted):
        raise DomainError(
            f"The order given for {draft.name!r} names a value twice; name each once.", field="order", column=draft.name
        )
    unmatched = len(at.keys() - set(wanted) - {None})
    if unmatched:
        raise DomainError(
            f"{unmatched} of the {len(draft.values)} distinct values of {draft.name!r} are not in its order.",
            field="order",
            column=draft.name,
            hint=Hint("Name every value once, from lowest to highest."),
        )
    positions = []
    unused = 0
    for text in wanted:
        if text not in at:
            unused += 1
            at[text] = len(draft.values)
            draft.add(text, 0)
        positions.append(at[text])
    if unused:
        does = "does not occur and counts" if unused == 1 else "do not occur and count"
        text = f"{counted(unused, 'value')} of the order {does} as possible."
        draft.notes.append(Note("order-has-more", text, column=draft.name))
    draft.keep([*positions, *([at[None]] if None in at else [])])


def _occurring(name: object, at: Mapping[str | None, int], draft: Draft) -> str:
    """Return the text of the value that a name means: of one that occurs, if it may mean one."""
    texts = named_texts(name, draft.kind, draft.spelling)
    return next((text for text in texts if text in at), texts[0])


def null_asked() -> Ask:
    """Return how to say that a text stands for a missing value."""
    return Ask("null", "NA")


def _scale(name: str) -> Ask:
    """Return how to give the order of a column's values."""
    return Ask("order", ["first", "second", "third"], name)


def exact_numbers(draft: Draft) -> list[Fraction]:
    """Return the number of each value; refuse values that are none, and a number that is written in several ways."""
    numbers = _sizes(draft, range(len(draft.values)), quiet=False)
    found = [number for number in numbers if number is not None]
    if len(found) < len(numbers):
        raise DomainError(
            f"The numeric column {draft.name!r} has {len(numbers) - len(found)} distinct values that are not finite "
            "numbers or dates.",
            field="distance",
            column=draft.name,
            hint=Hint(
                "Say which texts stand for missing values with {}, make it ordered with {}, or make it nominal.",
                null_asked(),
                _scale(draft.name),
            ),
        )
    _check_spelled_once(draft.name, "numeric", found)
    return found
