"""Cells of JSON as marked texts: strings begin with ``$``, numbers with ``#``, so that none is taken for another.

Control characters, which valid JSON has nowhere, stand around strings and numbers until the marks take their places.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tclose.engines.duckdb.errors import LONG, MIXED, NESTED
from tclose.errors import Note, listed

# How the text of a column becomes a value: shapes of numbers and dates, in the SQL that the engines have in common.
# What engines write in different words is a :class:`Sql`.


_YEAR = r"([0-9]{3}[1-9]|[0-9]{2}[1-9]0|[0-9][1-9]00|[1-9]000)"
"""The years from 1 to 9999; there was none before, and no calendar agrees on what 0 should mean."""
_DAY = rf"{_YEAR}-[0-9]{{2}}-[0-9]{{2}}"
_MINUTE = _DAY + r"[ T]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?"
KINDS = {
    "whole": r"[-+]?(0|[1-9][0-9]*)",
    "nan": r"[nN][aA][nN]",
    "thousand": r"[-+]?[1-9][0-9]{0,2}\.[0-9]{3}",
    "point": r"[-+]?(0|[1-9][0-9]*)?\.[0-9]+",
    "comma_thousand": r"[-+]?[1-9][0-9]{0,2},[0-9]{3}",
    "comma": r"[-+]?(0|[1-9][0-9]*)?,[0-9]+",
    "grouped": r"[-+]?[1-9][0-9]{0,2}(\.[0-9]{3})+",
    "grouped_comma": r"[-+]?[1-9][0-9]{0,2}(\.[0-9]{3})+,[0-9]+",
    "comma_grouped": r"[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+",
    "comma_grouped_point": r"[-+]?[1-9][0-9]{0,2}(,[0-9]{3})+\.[0-9]+",
    "exponent": r"[-+]?([0-9]+(\.[0-9]+)?[eE][-+][0-9]{1,3}|[0-9]+\.[0-9]+[eE][0-9]{1,3})",
    "infinite": r"[-+]?([iI]nf|[iI]nfinity)",
    "date": _DAY,
    "time": _MINUTE,
    "moment": _MINUTE + r"(Z|[-+]00(:?00)?)",
    "dotted": r"(0?[1-9]|[12][0-9]|3[01])\.(0?[1-9]|1[0-2])\." + _YEAR,
    "either": r"(0?[1-9]|1[0-2])/(0?[1-9]|1[0-2])/" + _YEAR,
    "day_first": r"(0?[1-9]|[12][0-9]|3[01])/(0?[1-9]|1[0-2])/" + _YEAR,
    "month_first": r"(0?[1-9]|1[0-2])/(0?[1-9]|[12][0-9]|3[01])/" + _YEAR,
}
"""The shapes a value can have, tried in this order; anything else is text.

A power of ten needs a sign or a decimal point: 1e+05 is a number, 1E30 is a code (of influenza, in ICD-11).
"""


_ALWAYS_KEPT = 15
"""Numbers of so many digits are the shortest decimals of their floats."""


_DATE_WORDS = {"%d.%m.%Y": "day.month.year", "%d/%m/%Y": "day/month/year", "%m/%d/%Y": "month/day/year"}


class Sql(ABC):
    """What engines write in different words."""

    @abstractmethod
    def matches(self, text: str, pattern: str) -> str:
        """Return the SQL of whether a pattern matches the whole of a text."""

    @abstractmethod
    def trimmed(self, text: str) -> str:
        """Return the SQL of a text without the blanks around it."""

    @abstractmethod
    def cast(self, text: str, kind: str) -> str:
        """Return the SQL of a text as a value of a type; null where it is none."""

    @abstractmethod
    def day(self, text: str, form: str) -> str:
        """Return the SQL of a text as a date written in a form such as ``%d.%m.%Y``; null where it is none."""

    @abstractmethod
    def moment(self, text: str) -> str:
        """Return the SQL of a point in time that says it is in UTC; null where it is none."""


@dataclass(frozen=True)
class TextType:
    """How the text of a column becomes a value.

    Parameters
    ----------
    type
        The type, under the name that every engine uses.
    shapes
        The kinds of :data:`KINDS` that belong to the type.
    meaning
        ``"plain"``, ``"comma"`` for decimal commas, ``"groups"`` for commas between thousands, or the format of a date.
    settled
        False when more values could still turn the text into another type.
    padded
        Whether some values have blanks around them.
    nans
        Whether some values are the word NaN, which is null.
    zoned
        Whether every value is a point in time that says it is in UTC.
    """

    type: str = "VARCHAR"
    shapes: tuple[str, ...] = ()
    meaning: str = "plain"
    settled: bool = True
    padded: bool = False
    nans: bool = False
    zoned: bool = False

    @property
    def by_shape(self) -> bool:
        """Whether every text of the shapes and digits that were seen is a value: a whole number of few digits is."""
        return self.type == "BIGINT" and self.shapes == ("whole",)

    def value(self, column: str, sql: Sql) -> str:
        """Return the SQL of the value; null where the text does not fit."""
        if self.type == "VARCHAR":
            return column
        text = self._text(column, sql)
        if self.meaning == "comma":
            text = f"replace(replace({text}, '.', ''), ',', '.')"
        elif self.meaning == "groups":
            text = f"replace({text}, ',', '')"
        elif self.meaning != "plain":
            return sql.day(text, self.meaning)
        if self.nans and self.type != "DOUBLE":  # a reader that casts while it reads would stumble over the word
            text = f"nullif(lower({text}), 'nan')"
        value = sql.moment(text) if self.zoned else sql.cast(text, self.type)
        if self.type == "DOUBLE" and self.nans:
            return f"CASE WHEN isnan({value}) THEN NULL ELSE {value} END"
        return value

    def fits(self, column: str, sql: Sql) -> str:
        """Return the SQL of whether the text has the type, wholly and without loss."""
        if self.type == "VARCHAR":
            return "true"
        text = self._text(column, sql)
        read = f"{self.value(column, sql)} IS NOT NULL{self._exact(text, sql)}"
        nan = f" OR {sql.matches(text, KINDS['nan'])}" if self.nans else ""
        return f"({column} IS NULL OR ({sql.matches(text, self._pattern())} AND {read}){nan})"

    def _text(self, column: str, sql: Sql) -> str:
        return sql.trimmed(column) if self.padded else column

    def _exact(self, text: str, sql: Sql) -> str:
        """Return the SQL of whether a number with a power of ten keeps all its digits."""
        if self.type == "DOUBLE":
            return f" AND {digits_kept(text, sql)}"
        return f" AND {digits_of(text, sql)[1]} <= {self._scale}" if "exponent" in self.shapes else ""

    @property
    def _scale(self) -> str:
        return self.type.partition(",")[2].rstrip(")")

    def _pattern(self) -> str:
        """Return the shapes as one pattern, with no more digits after the decimal mark than the type has."""
        pattern = "|".join(KINDS[shape] for shape in self.shapes)
        if not self.type.startswith("DECIMAL(") or "exponent" in self.shapes:
            return pattern
        digits = f"[0-9]{{0,{self._scale}}}"
        return pattern.replace(r"\.[0-9]+", rf"\.{digits}").replace(",[0-9]+", f",{digits}")


TEXT = TextType()


def spelling_notes(meanings: Mapping[str, str]) -> tuple[Note, ...]:
    """Return what was recognised in columns, given how the text of each becomes a value."""
    words = {"comma": "Numbers with a decimal comma"}
    words |= {form: f"Dates written {order}" for form, order in _DATE_WORDS.items()}
    found = {what: [name for name, own in meanings.items() if own == meaning] for meaning, what in words.items()}
    return tuple(
        Note("spelling-recognised", f"{what} were recognised in {listed(names)}.")
        for what, names in found.items()
        if names
    )


def digits_kept(text: str, sql: Sql) -> str:
    """Return the SQL of whether the float that a number is read as has the number for its shortest decimal.

    Fifteen digits always have; of more, and at the ends of a float's range, the digits are compared.
    """
    value = sql.cast(text, "DOUBLE")
    short = f"length({text}) <= {_ALWAYS_KEPT} AND abs({value}) > 1e-290 AND abs({value}) < 1e290"
    same = f"{_significant(text)} = {_significant(f'CAST({value} AS STRING)')}"
    return f"(CASE WHEN {short} OR {sql.matches(text, KINDS['infinite'])} THEN true ELSE {same} END)"


def _significant(text: str) -> str:
    """Return the SQL of the digits of a number, without idle zeros, its mark and its power of ten."""
    return f"trim(BOTH '0' FROM {_all_digits(text)})"


def _all_digits(text: str) -> str:
    return f"replace({_mantissa(text)}, '.', '')"


def _mantissa(text: str) -> str:
    return unsigned(f"split_part(lower({text}), 'e', 1)")


def unsigned(text: str) -> str:
    """Return the SQL of a number without its sign."""
    return f"replace(replace({text}, '+', ''), '-', '')"


def digits_of(text: str, sql: Sql) -> tuple[str, str]:
    """Return the SQL for how many digits a number needs before and after the decimal mark, its power of ten applied.

    Zeros at its beginning and its end are not needed.
    """
    digits, exponent = _all_digits(text), f"split_part(lower({text}), 'e', 2)"
    power = f"coalesce({sql.cast(exponent, 'INTEGER')}, 0)"
    whole, part = (f"length(split_part({_mantissa(text)}, '.', {at}))" for at in (1, 2))
    leading, trailing = (
        f"(length({digits}) - length(trim({where} '0' FROM {digits})))" for where in ("LEADING", "TRAILING")
    )
    something = f"{_significant(text)} <> ''"
    before = f"CASE WHEN {something} THEN greatest({whole} + {power} - {leading}, 1) ELSE 1 END"
    after = f"CASE WHEN {something} THEN greatest({part} - {power} - {trailing}, 0) ELSE 0 END"
    return before, after


# The types of text columns, decided by every value: numbers, dates, or the text as it stands.


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


_MARKS = (("chr(1) || '\"'", '"$'), ("'\"' || chr(2)", '"'), ("chr(1)", '"#'), ("chr(2)", '"'))
STRING, NUMBER, TRUTH, OTHER = 1, 2, 4, 8
_KINDS = {"$": STRING, "#": NUMBER, "t": TRUTH, "f": TRUTH}
"""What the first letter of a cell says that it is; another one begins something nested."""


def marked(surrounded: str) -> str:
    """Return the SQL of a JSON text with marks, given that of one with control characters around what is marked."""
    for mark, instead in _MARKS:
        surrounded = f"replace({surrounded}, {mark}, '{instead}')"
    return surrounded


def kinds_of(cell: str) -> str:
    """Return the SQL of an aggregate for the kinds of cells that a column has."""
    whens = " ".join(f"WHEN '{letter}' THEN {bit}" for letter, bit in _KINDS.items())
    return (
        f"coalesce(bit_or(CASE WHEN {cell} IS NULL THEN 0 ELSE CASE left({cell}, 1) {whens} ELSE {OTHER} END END), 0)"
    )


def plain(cell: str, kinds: int, plus: str) -> str:
    """Return the SQL of a cell without its mark.

    Parameters
    ----------
    cell
        The SQL of the cell.
    kinds
        The kinds of cells that its column has.
    plus
        The SQL of a number with the sign that a power of ten needs in a text table, with ``{0}`` for the number.
    """
    bare = f"substr({cell}, 2)"
    return plus.format(bare) if kinds == NUMBER else bare if kinds == STRING else cell


def types_of(table: Looking, kinds: dict[str, int]) -> dict[str, TextType]:
    """Return the type of each column of plain cells, by all its values and the kinds of its cells."""
    types = {column: TextType("BOOLEAN") if found == TRUTH else TEXT for column, found in kinds.items()}
    types |= infer(table, _having(kinds, NUMBER), decimal=".", commas=False, numbers=True)
    return types | iso_types(table, _having(kinds, STRING))


def _having(kinds: dict[str, int], wanted: int) -> Sequence[str]:
    return [column for column, found in kinds.items() if found == wanted]


def problem(kinds: int, kind: TextType) -> str | None:
    """Return why a column cannot be used; None for a column that can."""
    if kinds & OTHER:
        return NESTED
    if kinds == NUMBER and kind == TEXT:
        return LONG
    return None if kinds in (0, STRING, NUMBER, TRUTH) else MIXED
