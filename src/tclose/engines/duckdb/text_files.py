"""Text columns in DuckDB, and what its SQL calls what every engine asks of them."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb

from tclose.data.sources import ReadOptions
from tclose.data.sources.formats import compression_of
from tclose.data.sources.text_files import Allowance, Utf8File, as_utf8
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.sql import file_literal, fresh_name
from tclose.engines.text_types import CELL, Looking, Sql, TextType

# Text files of any encoding and compression as UTF-8 files that DuckDB can scan in parallel.


_LINES_AT_ONCE = 100_000
_OFFLINE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


def plain_text(path: Path, name: str, options: ReadOptions, folder: Path) -> Utf8File:
    """Return a text file as UTF-8, decompressed; itself where it already is."""
    most = options.most_unpacked
    path = scannable(path, folder)
    with path.open("rb") as file:
        compression = compression_of(file.read(8))
    if compression == "zstd":
        path, compression = _unpacked(path, Allowance(name, most, folder), name, folder), None
    return as_utf8(path, name, encoding=options.encoding, compression=compression, folder=folder, most=most)


def scannable(path: Path, folder: Path) -> Path:
    """Return a path under which DuckDB finds a file: its own, or that of a link in a private folder to it.

    DuckDB takes ``~`` for a home, a backslash beside a wildcard for a separator, and names in UTF-8 only.
    """
    text = str(path)
    if ("\\" in text and glob.has_magic(text)) or not text.isprintable():
        link = folder / f"{fresh_name('link')}{path.suffix if path.suffix.isascii() else ''}"
        link.symlink_to(path.absolute())
        return link
    return path.absolute() if text.startswith("~") or ":" in path.parts[0] else path


def _unpacked(path: Path, allowance: Allowance, name: str, folder: Path) -> Path:
    """Unpack Zstandard, which Python cannot before 3.14, by letting DuckDB read whole lines."""
    copy = folder / f"{fresh_name('unpacked')}.txt"
    lines = (
        f"FROM read_csv({file_literal(path)}, auto_detect=false, header=false, compression='zstd', "
        "columns={'line': 'VARCHAR'}, delim='\x01', quote='', escape='', comment='', parallel=false)"
    )
    with (
        translated(name),
        copy.open("x", encoding="utf-8", newline="\n") as target,
        duckdb.connect(":memory:", config=_OFFLINE) as own,
    ):
        result = own.execute(lines)
        while rows := result.fetchmany(_LINES_AT_ONCE):
            target.writelines(f"{line or ''}\n" for (line,) in rows)
            allowance.check(target.tell())
    return copy


class DuckSql(Sql):
    """DuckDB's words."""

    def matches(self, text: str, pattern: str) -> str:
        """Return the SQL of whether a pattern matches the whole of a text."""
        return f"regexp_full_match({text}, '{pattern}')"

    def trimmed(self, text: str) -> str:
        """Return the SQL of a text without the blanks around it."""
        return f"trim({text})"

    def cast(self, text: str, kind: str) -> str:
        """Return the SQL of a text as a value of a type; null where it is none."""
        return f"TRY_CAST({text} AS {kind})"

    def day(self, text: str, form: str) -> str:
        """Return the SQL of a text as a date written in a form such as ``%d.%m.%Y``; null where it is none."""
        return f"TRY_CAST(try_strptime({text}, '{form}') AS DATE)"

    def moment(self, text: str) -> str:
        """Return the SQL of a point in time that says it is in UTC; null where it is none."""
        return self.cast(text, "TIMESTAMP")


SQL = DuckSql()
_MANY = 100
"""From so many columns on, their different cells are kept while questions are asked of them."""


class DuckTexts(Looking):
    """A table of text columns in DuckDB."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, table: str) -> None:
        super().__init__(SQL)
        self._connection = connection
        self._table = table
        self._places: dict[str, int] = {}
        self._cells = ""

    def seen(self, aggregates: Sequence[str]) -> Sequence[Any]:
        """Return what aggregates over all rows give."""
        (row,) = self._connection.execute(f"SELECT {', '.join(aggregates)} FROM {self._table}").fetchall()  # noqa: S608
        return tuple(row)

    def seen_of_each(self, columns: Sequence[str], aggregates: Sequence[str]) -> list[Sequence[Any]]:
        """Return what aggregates over the cells of each column give.

        All cells are brought into one column first, each different one once, because preparing the patterns anew for
        each column, and applying them to a cell again, takes longer; what is aggregated does not count a cell twice.
        """
        query = f"SELECT {', '.join(aggregates)} FROM ({self._distinct(columns)}) GROUP BY place ORDER BY place"  # noqa: S608
        return list(self._connection.execute(query).fetchall()) or [(None,) * len(aggregates)] * len(columns)

    def _distinct(self, columns: Sequence[str]) -> str:
        """Return the query for the different cells of columns; those of many columns are kept for the next question."""
        cells = (
            f"SELECT DISTINCT unnest([{', '.join(columns)}]) AS {CELL}, unnest(range({len(columns)})) AS place "  # noqa: S608
            f"FROM {self._table}"
        )
        if self._places.keys() >= set(columns):
            chosen = ", ".join(str(self._places[column]) for column in columns)
            return f"FROM {self._cells} WHERE place IN ({chosen})"
        if len(columns) < _MANY:
            return cells
        self.forget()
        self._cells, self._places = fresh_name("cells"), {column: at for at, column in enumerate(columns)}
        self._connection.execute(f"CREATE TEMP TABLE {self._cells} AS {cells}")
        return f"FROM {self._cells}"

    def forget(self) -> None:
        """Keep the different cells no longer."""
        if self._cells:
            self._connection.execute(f"DROP TABLE {self._cells}")
        self._cells, self._places = "", {}


def strict_value(kind: TextType, column: str) -> str:
    """Return the SQL of a value; an error where the text does not fit."""
    if kind.type == "VARCHAR":
        return column
    refused = f"CAST(error('a value does not have the type of its column') AS {kind.type})"
    return f"CASE WHEN {kind.fits(column, SQL)} THEN {kind.value(column, SQL)} ELSE {refused} END"
