"""How the text of a column becomes a value: shapes of numbers and dates, in the SQL that the engines have in common.

What engines write in different words is a :class:`Sql`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass

from tclose.errors import listed
from tclose.notes import Note

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
