"""The order of a domain's values: by size, by alphabet, by frequency, or as somebody gave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tclose.data.values import (
    UnclearNumbersError,
    another_order,
    as_text,
    bands_in_order,
    exact_number,
    line_of,
    named_texts,
    respelled,
    same_text,
    sizes_of,
    whole_positions,
)
from tclose.errors import Ask, DomainError, Hint, Note, counted
from tclose.models.counts import Integers, ValueSets
from tclose.policy.exact_numbers import Number, fraction
from tclose.policy.roles import Ordered

# The distinct values of a column, as an engine found them.


Kind = Literal["number", "time", "truth", "text", "mixed"]


@dataclass(frozen=True)
class Observed:
    """The distinct values of a column and how many rows carry each; None is a missing value.

    ``categories`` is the order that the column itself declares, if it does. ``ascending`` says that the
    values are an array of whole numbers, ascending, with none missing. ``spelling`` says how the column's own file
    writes them, as :func:`~tclose.data.values.named_texts` takes it. ``people`` has the sets of values that people
    have, by their places among the values, where people are counted and somebody has several.
    """

    values: Sequence[object] | NDArray[Any] = field(repr=False)
    counts: Integers
    kind: Kind
    categories: tuple[str, ...] | None = None
    ascending: bool = False
    spelling: str = "plain"
    people: ValueSets | None = field(default=None, repr=False, compare=False)

    @property
    def listed(self) -> list[object]:
        """The values as a list of Python's own."""
        return self.values.tolist() if isinstance(self.values, np.ndarray) else list(self.values)


# A domain in the making: the values of the table and of its reference under one roof.


@dataclass
class Draft:
    """A domain in the making: values, the table's and the reference's counts, and what was noticed."""

    name: str
    values: list[object]
    counts: list[int]
    reference: list[int]
    kind: Kind
    origin: list[int]
    """For each value its position in the observed column; −1 for values that only the reference has."""
    spelling: str
    theirs: list[list[int]]
    """For each value its positions in the reference's column, where the reference is one."""
    left_out: int = 0
    notes: list[Note] = field(default_factory=list)

    def keep(self, order: Sequence[int]) -> None:
        """Rearrange to the given positions, leaving out the others."""
        self.values = [self.values[i] for i in order]
        self.counts = [self.counts[i] for i in order]
        self.reference = [self.reference[i] for i in order]
        self.origin = [self.origin[i] for i in order]
        self.theirs = [self.theirs[i] for i in order]

    def add(self, value: object, weight: int, place: int | None = None) -> None:
        """Add a value that does not occur in the table; ``place`` is its position in the reference's column."""
        self.values.append(value)
        self.counts.append(0)
        self.reference.append(weight)
        self.origin.append(-1)
        self.theirs.append([] if place is None else [place])


def drafted(name: str, observed: Observed, reference: Observed | Mapping[object, Number] | None) -> Draft:
    """Return the values of a table, with the weights that the reference gives them and those that only it has."""
    counts = [int(count) for count in observed.counts]
    theirs: list[list[int]] = [[] for _ in counts]
    draft = Draft(
        name, observed.listed, counts, list(counts), observed.kind, list(range(len(counts))), observed.spelling, theirs
    )
    if reference is None:
        return draft
    if isinstance(reference, Observed):
        _check_comparable(name, draft.values, reference.listed)
    at = _places_in(draft, reference)
    draft.reference = [0] * len(counts)
    for place, (value, weight) in enumerate(_weights(name, reference)):
        texts = (None,) if value is None else named_texts(value, draft.kind, draft.spelling)
        known = next((at[text] for text in texts if text in at), None)
        if known is None:
            at[texts[0]] = len(draft.values)
            draft.add(value, weight, place)
        else:
            draft.reference[known] += weight
            draft.theirs[known].append(place)
    unmatched = sum(1 for count, weight in zip(draft.counts, draft.reference, strict=True) if count and not weight)
    if unmatched:
        text = f"The reference lacks {counted(unmatched, 'value')} that the table has."
        draft.notes.append(Note("reference-lacks-values", text, column=name))
    if sum(draft.reference) == 0:
        raise DomainError(
            f"The reference for {name!r} holds no rows or shares; give at least one value a share.",
            field="reference",
            column=name,
        )
    return draft


def _places_in(draft: Draft, reference: Observed | Mapping[object, Number]) -> dict[str | None, int]:
    """Return the position of each value by the texts under which the reference may have it."""
    at = by_text(draft.values)
    if draft.kind != "text" or not isinstance(reference, Observed):
        return at
    names = respelled((text for text in at if text is not None), reference.kind, reference.spelling)
    return at | {text: at[name] for text, name in names.items()}


def _check_comparable(name: str, values: Sequence[object], others: Sequence[object]) -> None:
    """Refuse a reference whose values lie on another line than the table's, such as dates beside points in time."""
    lines, theirs = ({line_of(value) for value in some if value is not None} - {"text"} for some in (values, others))
    if lines and theirs and lines != theirs:
        mine, other = (" and ".join(sorted(some)) for some in (lines, theirs))
        raise DomainError(
            f"The column {name!r} holds {mine} and in the reference {other}, which cannot be compared; "
            "give both tables the same type."
        )


def _weights(name: str, reference: Observed | Mapping[object, Number]) -> list[tuple[object, int]]:
    """Return values with whole-number weights; given shares are scaled by their common denominator."""
    if isinstance(reference, Observed):
        return list(zip(reference.listed, (int(count) for count in reference.counts), strict=True))
    shares = [fraction(share, f"The reference share of a value of {name!r}") for share in reference.values()]
    if any(share < 0 for share in shares):
        raise DomainError(f"The reference for {name!r} has a negative share; shares are counts or proportions.")
    whole, _ = whole_positions(shares)
    return list(zip(reference, whole, strict=True))


def by_text(values: Sequence[object]) -> dict[str | None, int]:
    """Return the position of each value by what identifies it across tables and types; None is a missing value."""
    return {None if value is None else same_text(value): position for position, value in enumerate(values)}


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
