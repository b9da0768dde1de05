"""The types of text columns, decided by every value: numbers, dates, or the text as it stands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tclose.engines.text_types import KINDS, TEXT, Sql, TextType, digits_kept, digits_of, unsigned

_BITS = {kind: 1 << at for at, kind in enumerate(KINDS)}
_TEXT_BIT = 1 << len(KINDS)
_PADDED_BIT = _TEXT_BIT << 1
_MOST_DIGITS = 38
_FAST_DIGITS = 18
_REAL = TextType("DOUBLE", ("whole", "point", "exponent", "infinite"))
CELL = "the_cell"
"""The name of a cell in an aggregate over the cells of a column."""


class Looking(ABC):
    """A table of text columns that an engine answers questions about.

    Parameters
    ----------
    sql
        What the engine writes in words of its own.
    """

    at_once = 500
    """So many columns are looked at in one query."""

    def __init__(self, sql: Sql) -> None:
        self.sql = sql

    @abstractmethod
    def seen(self, aggregates: Sequence[str]) -> Sequence[Any]:
        """Return what aggregates over all rows give."""

    def fitting(self, types: Mapping[str, TextType]) -> Sequence[bool | None]:
        """Return whether all values of each column have the type that is given for it; None where it has none."""
        return self.seen([f"bool_and({kind.fits(column, self.sql)})" for column, kind in types.items()])

    def forget(self) -> None:  # noqa: B027 - most engines keep nothing
        """Keep no longer what was kept to answer the next question."""

    def seen_of_each(self, columns: Sequence[str], aggregates: Sequence[str]) -> list[Sequence[Any]]:
        """Return what aggregates over the cells of each column give."""
        row = self.seen([each.replace(CELL, column) for column in columns for each in aggregates])
        width = len(aggregates)
        return [row[at : at + width] for at in range(0, len(row), width)]


def infer(
    table: Looking,
    columns: Sequence[str],
    *,
    decimal: str | None,
    commas: bool,
    numbers: bool = False,
    verify: bool = True,
) -> dict[str, TextType]:
    """Return the type of each text column of a table.

    Parameters
    ----------
    table
        The table.
    columns
        The columns to look at.
    decimal
        The declared decimal mark, if any.
    commas
        Whether a decimal comma may be recognised without being declared.
    numbers
        Whether the source says that every cell is a number, so that no infinity or NaN is taken for a word.
    verify
        Whether to look for values that have the shape of their type but not its meaning.
    """
    found: dict[str, TextType] = {}
    for first in range(0, len(columns), table.at_once):
        some = columns[first : first + table.at_once]
        seen = table.seen_of_each(some, [f"bit_or({_bit(CELL, table.sql)})"])
        drafts = {}
        for column, (bits,) in zip(some, seen, strict=True):
            kinds = _kinds_of(bits or 0)
            open_numbers = numbers and kinds <= {"whole", "infinite"} and kinds != {"whole"}
            draft = _REAL if open_numbers else _draft(kinds, decimal, commas=commas)
            padded, nans = bool((bits or 0) & _PADDED_BIT), bool((bits or 0) & _BITS["nan"])
            drafts[column] = replace(draft, padded=padded, nans=nans)
        sized = _with_digits(table, drafts)
        found |= _verified(table, sized) if verify else sized
    table.forget()
    return found


def iso_types(table: Looking, columns: Sequence[str]) -> dict[str, TextType]:
    """Return the type of each column of strings: dates or times if every one is written back letter by letter."""
    types = [TextType("DATE", ("date",)), TextType("TIMESTAMP", ("time",))]
    looks = [
        f"bool_and({kind.fits(column, table.sql)} AND CAST({kind.value(column, table.sql)} AS STRING) = {column})"
        for column in columns
        for kind in types
    ]
    if not looks:
        return {}
    fitting = iter(table.seen(looks))
    own = {column: [kind for kind in types if next(fitting)] for column in columns}
    return {column: found[0] if found else TEXT for column, found in own.items()}


def _bit(column: str, sql: Sql) -> str:
    text = sql.trimmed(column)
    whens = " ".join(f"WHEN {sql.matches(text, pattern)} THEN {_BITS[kind]}" for kind, pattern in KINDS.items())
    shape = f"CASE WHEN {column} IS NULL THEN 0 {whens} ELSE {_TEXT_BIT} END"
    return f"{shape} | CASE WHEN {text} <> {column} THEN {_PADDED_BIT} ELSE 0 END"


def _kinds_of(bits: int) -> frozenset[str]:
    if bits & _TEXT_BIT:
        return frozenset({"text"})
    return frozenset(kind for kind, bit in _BITS.items() if bits & bit) - {"nan"}


def _draft(kinds: frozenset[str], decimal: str | None, *, commas: bool) -> TextType:
    """Return the type of a column whose values have these shapes; the digits of a number are still open."""
    if not kinds:
        return TextType(settled=False)
    point = {"whole", "thousand", "point"}
    groups = {"comma_thousand", "comma_grouped", "comma_grouped_point"}
    comma = {"whole", "thousand", "comma_thousand", "comma", "grouped", "grouped_comma"}
    may_be_comma = decimal == "," or (commas and kinds & {"comma", "grouped_comma"})
    if kinds == {"whole"}:
        return TextType("BIGINT", ("whole",))
    if decimal != "," and kinds <= point:
        return TextType("DECIMAL", ("whole", "point"))
    if decimal != "." and kinds <= comma and may_be_comma:
        return TextType("DECIMAL", ("whole", "comma", "grouped", "grouped_comma"), "comma")
    if decimal == "." and kinds <= point | groups:
        return TextType("DECIMAL", ("whole", "point", "comma_grouped", "comma_grouped_point"), "groups")
    if decimal is None and commas and kinds <= comma:
        return TextType(settled=False)  # thousands or decimals: another value may decide it
    if decimal != "," and kinds <= point | {"exponent", "infinite"} and not kinds <= {"whole", "infinite"}:
        return _REAL
    return _date_draft(kinds)


def _date_draft(kinds: frozenset[str]) -> TextType:
    if kinds == {"date"}:
        return TextType("DATE", ("date",))
    if kinds <= {"date", "time"}:
        return TextType("TIMESTAMP", ("date", "time"))
    if kinds == {"moment"}:
        return TextType("TIMESTAMP", ("moment",), zoned=True)
    if kinds == {"dotted"}:
        return TextType("DATE", ("dotted",), "%d.%m.%Y")
    if kinds == {"either"}:
        return TextType(settled=False)
    if kinds <= {"either", "day_first"}:
        return TextType("DATE", ("either", "day_first"), "%d/%m/%Y")
    if kinds <= {"either", "month_first"}:
        return TextType("DATE", ("either", "month_first"), "%m/%d/%Y")
    return TEXT


def _with_digits(table: Looking, drafts: Mapping[str, TextType]) -> dict[str, TextType]:
    """Give each number the digits that its longest value needs."""
    sized = dict(drafts)
    for wanted, sizes, with_sizes in (
        ({("BIGINT", "plain"), ("DECIMAL", "plain")}, _lengths("plain", table.sql), _sized),
        ({("DECIMAL", "comma")}, _lengths("comma", table.sql), _sized),
        ({("DECIMAL", "groups")}, _lengths("groups", table.sql), _sized),
        ({("DOUBLE", "plain")}, _real_lengths(table.sql), _real),
    ):
        numbers = [column for column, draft in drafts.items() if (draft.type, draft.meaning) in wanted]
        if numbers:
            for column, found in zip(numbers, table.seen_of_each(numbers, sizes), strict=True):
                sized[column] = with_sizes(drafts[column], *(size or 0 for size in found))
    long = [column for column, draft in drafts.items() if draft.type == "DECIMAL" and sized[column] == TEXT]
    reals = {column: replace(drafts[column], type="DOUBLE") for column in long if drafts[column].meaning == "plain"}
    return sized | (_with_digits(table, reals) if reals else {})


def _lengths(meaning: str, sql: Sql) -> list[str]:
    """Return the SQL for the most digits before and after the decimal mark."""
    mark, other = (",", ".") if meaning == "comma" else (".", ",")
    trimmed = sql.trimmed(CELL)
    text = f"replace({unsigned(trimmed)}, '{other}', '')"
    number = f"CASE WHEN {sql.matches(trimmed, KINDS['nan'])} THEN NULL ELSE {text} END"
    return [f"max(length(split_part({number}, '{mark}', {part})))" for part in (1, 2)]


def _sized(draft: TextType, before: int, after: int) -> TextType:
    if before + after > _MOST_DIGITS:
        return TEXT
    if draft.type == "BIGINT":
        return draft if before <= _FAST_DIGITS else replace(draft, type="HUGEINT")
    digits = _FAST_DIGITS if before + after <= _FAST_DIGITS else _MOST_DIGITS
    return replace(draft, type=f"DECIMAL({digits},{after})")


def _real_lengths(sql: Sql) -> list[str]:
    """Return the SQL for whether a float would lose digits, and for the most digits around the decimal mark."""
    text = sql.trimmed(CELL)
    nan, infinite = (sql.matches(text, KINDS[word]) for word in ("nan", "infinite"))
    sizes = [f"max(CASE WHEN {nan} OR {infinite} THEN NULL ELSE {size} END)" for size in digits_of(text, sql)]
    lossy = f"max(CASE WHEN {CELL} IS NULL OR {nan} OR {digits_kept(text, sql)} THEN 0 ELSE 1 END)"
    return [lossy, f"max(CASE WHEN {infinite} THEN 1 ELSE 0 END)", *sizes]


def _real(draft: TextType, lossy: int, infinite: int, before: int, after: int) -> TextType:
    """Return a float where every number is the shortest decimal of its own; else a decimal that keeps every digit."""
    if not lossy:
        return draft
    exact = replace(draft, type=f"DECIMAL({_MOST_DIGITS},{after})", shapes=("whole", "point", "exponent"))
    return TEXT if infinite or before + after > _MOST_DIGITS else exact


def _verified(table: Looking, types: Mapping[str, TextType]) -> dict[str, TextType]:
    """Fall back to text where a value has the shape but not the meaning, such as a 30th of February."""
    typed = {column: kind for column, kind in types.items() if kind.type != "VARCHAR"}
    if not typed:
        return dict(types)
    bad = {column for column, fits in zip(typed, table.fitting(typed), strict=True) if fits is False}
    return {column: TEXT if column in bad else kind for column, kind in types.items()}
