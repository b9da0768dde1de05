"""The types of text columns, decided by every value: numbers, dates, or the text as it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb

_KINDS = {
    "whole": r"[-+]?(0|[1-9][0-9]*)",
    "nan": r"[nN][aA][nN]",
    "thousand": r"[-+]?[1-9][0-9]{0,2}\.[0-9]{3}",
    "point": r"[-+]?(0|[1-9][0-9]*)?\.[0-9]+",
    "comma": r"[-+]?(0|[1-9][0-9]*)?,[0-9]+",
    "grouped": r"[-+]?[1-9][0-9]{0,2}(\.[0-9]{3})+",
    "grouped_comma": r"[-+]?[1-9][0-9]{0,2}(\.[0-9]{3})+,[0-9]+",
    "exponent": r"[-+]?([0-9]+(\.[0-9]+)?[eE][-+][0-9]{1,2}|[0-9]+\.[0-9]+[eE][0-9]{1,2})",
    "date": r"[0-9]{4}-[0-9]{2}-[0-9]{2}",
    "time": r"[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?"
    r"(Z|[-+]00(:?00)?)?",
    "dotted": r"(0?[1-9]|[12][0-9]|3[01])\.(0?[1-9]|1[0-2])\.[0-9]{4}",
    "either": r"(0?[1-9]|1[0-2])/(0?[1-9]|1[0-2])/[0-9]{4}",
    "day_first": r"(0?[1-9]|[12][0-9]|3[01])/(0?[1-9]|1[0-2])/[0-9]{4}",
    "month_first": r"(0?[1-9]|1[0-2])/(0?[1-9]|[12][0-9]|3[01])/[0-9]{4}",
}
"""The shapes a value can have, tried in this order; anything else is text.

A power of ten needs a sign or a decimal point: 1e+05 is a number, 1E30 is a code (of influenza, in ICD-11).
"""

_BITS = {kind: 1 << at for at, kind in enumerate(_KINDS)}
_TEXT_BIT = 1 << len(_KINDS)
_PADDED_BIT = _TEXT_BIT << 1
_MOST_DIGITS = 38
_FAST_DIGITS = 18
_CELL = "the_cell"
"""The name of a cell in an aggregate over the cells of a column."""
_FEW = 16
_AT_ONCE = 500
"""So many columns are looked at in one query."""


@dataclass(frozen=True)
class TextType:
    """How the text of a column becomes a value.

    Parameters
    ----------
    type
        DuckDB's type.
    shapes
        The kinds of :data:`_KINDS` that belong to the type.
    meaning
        ``"plain"``, ``"comma"`` for decimal commas, or the format of a date.
    settled
        False when more values could still turn the text into another type.
    padded
        Whether some values have blanks around them.
    nans
        Whether some values are the word NaN, which is null.
    """

    type: str = "VARCHAR"
    shapes: tuple[str, ...] = ()
    meaning: str = "plain"
    settled: bool = True
    padded: bool = False
    nans: bool = False

    def value(self, column: str) -> str:
        """Return the SQL of the value; null where the text does not fit."""
        if self.type == "VARCHAR":
            return column
        text = self._text(column)
        if self.meaning == "comma":
            text = f"replace(replace({text}, '.', ''), ',', '.')"
        elif self.meaning != "plain":
            return f"TRY_CAST(try_strptime({text}, '{self.meaning}') AS DATE)"
        value = f"TRY_CAST({text} AS {self.type})"
        if self.type == "DOUBLE" and self.nans:
            return f"CASE WHEN isnan({value}) THEN NULL ELSE {value} END"
        return value

    def strict_value(self, column: str) -> str:
        """Return the SQL of the value; an error where the text does not fit."""
        if self.type == "VARCHAR":
            return column
        refused = f"CAST(error('a value does not have the type of its column') AS {self.type})"
        return f"CASE WHEN {self.fits(column)} THEN {self.value(column)} ELSE {refused} END"

    def fits(self, column: str) -> str:
        """Return the SQL of whether the text has the type, wholly and without loss."""
        if self.type == "VARCHAR":
            return "true"
        text = self._text(column)
        fits = f"regexp_full_match({text}, '{self._pattern()}') AND {self.value(column)} IS NOT NULL"
        nan = f" OR regexp_full_match({text}, '{_KINDS['nan']}')" if self.nans else ""
        return f"({column} IS NULL OR ({fits}){nan})"

    def _text(self, column: str) -> str:
        return f"trim({column})" if self.padded else column

    def _pattern(self) -> str:
        """Return the shapes as one pattern, with no more digits after the decimal mark than the type has."""
        pattern = "|".join(_KINDS[shape] for shape in self.shapes)
        if not self.type.startswith("DECIMAL("):
            return pattern
        digits = f"[0-9]{{0,{self.type.partition(',')[2].rstrip(')')}}}"
        return pattern.replace(r"\.[0-9]+", rf"\.{digits}").replace(",[0-9]+", f",{digits}")


TEXT = TextType()


def infer(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    columns: Sequence[str],
    *,
    decimal: str | None,
    commas: bool,
    verify: bool = True,
) -> dict[str, TextType]:
    """Return the type of each text column of a table.

    Parameters
    ----------
    connection
        Where the table is.
    table
        Its name in SQL.
    columns
        The columns to look at.
    decimal
        The declared decimal mark, if any.
    commas
        Whether a decimal comma may be recognised without being declared.
    verify
        Whether to look for values that have the shape of their type but not its meaning.
    """
    found: dict[str, TextType] = {}
    for first in range(0, len(columns), _AT_ONCE):
        some = columns[first : first + _AT_ONCE]
        seen = _seen(connection, table, some, [f"bit_or({_bit(_CELL)})"])
        drafts = {}
        for column, (bits,) in zip(some, seen, strict=True):
            draft = _draft(_kinds_of(bits or 0), decimal, commas=commas)
            padded, nans = bool((bits or 0) & _PADDED_BIT), bool((bits or 0) & _BITS["nan"])
            drafts[column] = replace(draft, padded=padded, nans=nans)
        sized = _with_digits(connection, table, drafts)
        found |= _verified(connection, table, sized) if verify else sized
    return found


def _seen(
    connection: duckdb.DuckDBPyConnection, table: str, columns: Sequence[str], aggregates: Sequence[str]
) -> list[tuple[int | None, ...]]:
    """Return aggregates over the cells of each column.

    A few columns are aggregated side by side; of many, all cells are brought into one column first, because
    preparing the patterns anew for each column takes longer than applying them.
    """
    if len(columns) <= _FEW:
        listing = ", ".join(each.replace(_CELL, column) for column in columns for each in aggregates)
        (row,) = connection.execute(f"SELECT {listing} FROM {table}").fetchall()  # noqa: S608 - our own names
        width = len(aggregates)
        return [tuple(row[at : at + width]) for at in range(0, len(row), width)]
    cells = f"SELECT unnest([{', '.join(columns)}]) AS {_CELL}, unnest(range({len(columns)})) AS place FROM {table}"  # noqa: S608
    rows = connection.execute(
        f"SELECT {', '.join(aggregates)} FROM ({cells}) GROUP BY place ORDER BY place"  # noqa: S608 - our own names
    ).fetchall()
    return rows or [(None,) * len(aggregates)] * len(columns)


def _bit(column: str) -> str:
    text = f"trim({column})"
    whens = " ".join(
        f"WHEN regexp_full_match({text}, '{pattern}') THEN {_BITS[kind]}" for kind, pattern in _KINDS.items()
    )
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
    comma = {"whole", "thousand", "comma", "grouped", "grouped_comma"}
    may_be_comma = decimal == "," or (commas and kinds & {"comma", "grouped_comma"})
    if kinds == {"whole"}:
        return TextType("BIGINT", ("whole",))
    if decimal != "," and kinds <= point:
        return TextType("DECIMAL", ("whole", "point"))
    if decimal != "." and kinds <= comma and may_be_comma:
        return TextType("DECIMAL", ("whole", "comma", "grouped", "grouped_comma"), "comma")
    if decimal != "," and kinds <= point | {"exponent"}:
        return TextType("DOUBLE", ("whole", "point", "exponent"))
    return _date_draft(kinds)


def _date_draft(kinds: frozenset[str]) -> TextType:
    if kinds == {"date"}:
        return TextType("DATE", ("date",))
    if kinds <= {"date", "time"}:
        return TextType("TIMESTAMP", ("date", "time"))
    if kinds == {"dotted"}:
        return TextType("DATE", ("dotted",), "%d.%m.%Y")
    if kinds == {"either"}:
        return TextType(settled=False)
    if kinds <= {"either", "day_first"}:
        return TextType("DATE", ("either", "day_first"), "%d/%m/%Y")
    if kinds <= {"either", "month_first"}:
        return TextType("DATE", ("either", "month_first"), "%m/%d/%Y")
    return TEXT


def _with_digits(
    connection: duckdb.DuckDBPyConnection, table: str, drafts: Mapping[str, TextType]
) -> dict[str, TextType]:
    """Give each number the digits that its longest value needs."""
    sized = dict(drafts)
    for meaning in ("plain", "comma"):
        numbers = [
            column
            for column, draft in drafts.items()
            if draft.type in {"BIGINT", "DECIMAL"} and draft.meaning == meaning
        ]
        if numbers:
            for column, (before, after) in zip(
                numbers, _seen(connection, table, numbers, _lengths(meaning)), strict=True
            ):
                sized[column] = _sized(drafts[column], before or 0, after or 0)
    return sized


def _lengths(meaning: str) -> list[str]:
    """Return the SQL for the most digits before and after the decimal mark."""
    mark, other = (",", ".") if meaning == "comma" else (".", ",")
    text = f"replace(ltrim(trim({_CELL}), '+-'), '{other}', '')"
    number = f"CASE WHEN regexp_full_match(trim({_CELL}), '{_KINDS['nan']}') THEN NULL ELSE {text} END"
    return [f"max(length(split_part({number}, '{mark}', {part})))" for part in (1, 2)]


def _sized(draft: TextType, before: int, after: int) -> TextType:
    if before + after > _MOST_DIGITS:
        return TEXT
    if draft.type == "BIGINT":
        return draft if before <= _FAST_DIGITS else replace(draft, type="HUGEINT")
    digits = _FAST_DIGITS if before + after <= _FAST_DIGITS else _MOST_DIGITS
    return replace(draft, type=f"DECIMAL({digits},{after})")


def _verified(connection: duckdb.DuckDBPyConnection, table: str, types: Mapping[str, TextType]) -> dict[str, TextType]:
    """Fall back to text where a value has the shape but not the meaning, such as a 30th of February."""
    typed = [column for column, kind in types.items() if kind.type != "VARCHAR"]
    if not typed:
        return dict(types)
    checks = ", ".join(f"bool_and({types[column].fits(column)})" for column in typed)
    (fitting,) = connection.execute(f"SELECT {checks} FROM {table}").fetchall()  # noqa: S608 - our own names
    bad = {column for column, fits in zip(typed, fitting, strict=True) if fits is False}
    return {column: TEXT if column in bad else kind for column, kind in types.items()}
