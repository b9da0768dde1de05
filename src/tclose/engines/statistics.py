"""What an engine counts of every column of a table, and what is taken for sentences or a numbering; never a value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tclose.errors import Note

_LONG_NUMBER = 7
"""Numbers of so many digits, and all of as many, are those of people, accounts or telephones."""
EMAILS = ("%_@_%._%",)
SENTENCES = ("%_ %_ %_ %_", "_" * 40 + "%")


@dataclass(frozen=True)
class ColumnStatistics:
    """What was counted of a column.

    Parameters
    ----------
    name, type
        The column and the engine's type of it.
    rows, nulls, distinct
        How many rows, missing values and different values there are; a missing value is not a value.
    same_pairs
        How many pairs of rows the column does not separate, missing values counting as one value.
    exact
        Whether ``distinct`` and ``same_pairs`` are counts rather than estimates.
    emails, sentences
        The shares of values that look like e-mail addresses, and that have four words or more, or forty letters.
    numbering
        Whether whole numbers follow each other nearly without gaps, or are long and all of the same length.
    problem
        Why the column could not be counted; None for one that was.
    """

    name: str
    type: str
    rows: int
    nulls: int = 0
    distinct: int = 0
    same_pairs: Fraction = Fraction(0)
    exact: bool = True
    emails: float = 0.0
    sentences: float = 0.0
    numbering: bool = False
    problem: str | None = None


@dataclass(frozen=True)
class TableStatistics:
    """What was counted of a table; and its usable columns, if they had to be kept for that."""

    label: str
    rows: int
    columns: tuple[ColumnStatistics, ...]
    notes: tuple[Note, ...]
    kept: Any = field(default=None, repr=False, compare=False)


def is_text(kind: str) -> bool:
    """Say whether values of a type are texts."""
    return kind in ("VARCHAR", "CHAR", "TEXT", "STRING")


def is_whole(kind: str) -> bool:
    """Say whether values of a type are whole numbers."""
    return kind.endswith(("INT", "INTEGER"))


def like(value: str, patterns: Sequence[str]) -> str:
    """Return the SQL, in any dialect, for a text like one of some patterns."""
    return " OR ".join(f"{value} LIKE '{pattern}'" for pattern in patterns)


def is_numbering(low: int | None, high: int | None, distinct: int) -> bool:
    """Say whether whole numbers between two of them seem to number things, rather than to count or measure.

    Examples
    --------
    >>> is_numbering(1, 1080, 1080), is_numbering(4_000_017, 8_123_456, 1080), is_numbering(95, 72_000, 1080)
    (True, True, False)
    """
    if low is None or high is None:
        return False
    same_length = low > 0 and len(str(low)) == len(str(high)) >= _LONG_NUMBER
    return same_length or high - low < 2 * distinct


@dataclass(frozen=True)
class Steady:
    """How many values of a key have several rows, and in how many of those each of other columns is one value."""

    several: int
    within: Mapping[str, int]


def steady_query(key: str, cells: Sequence[str], relation: str) -> str:
    """Return the SQL, in any dialect, for the numbers of a :class:`Steady`; missing values are one value.

    Parameters
    ----------
    key, cells
        The SQL of the key, and of the other columns.
    relation
        What they are read from.
    """
    steady = ", ".join(
        f"CASE WHEN count({cell}) = 0 OR (count({cell}) = count(*) AND min({cell}) = max({cell})) THEN 1 ELSE 0 END "
        f"AS s{at}"
        for at, cell in enumerate(cells)
    )
    sums = ", ".join(f"coalesce(sum(s{at}), 0) AS t{at}" for at in range(len(cells)))
    grouped = f"SELECT {key} AS k, {steady} FROM {relation} GROUP BY 1 HAVING count(*) > 1"  # noqa: S608 - quoted
    return f"SELECT count(*) AS n, {sums} FROM ({grouped}) AS g WHERE k IS NOT NULL"  # noqa: S608 - our own words
