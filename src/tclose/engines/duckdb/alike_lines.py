"""Text files many of whose lines are alike: each line is taken apart once, with how often it is there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from tclose.engines.duckdb.connection import private_folder
from tclose.engines.duckdb.sql import file_literal, fresh_name, literal, literals
from tclose.sources import ReadOptions
from tclose.sources.csv_format import Dialect
from tclose.sources.text import Utf8File

NEVER_IN_TEXT = "\x1a\x1a\x1a"
TIMES = "times"
"""The column that says how often a line is there."""
_NOWHERE = "\x01"
"""What stands between no two cells of a text table; a file that has it is not read by lines."""
_MOST_LINES = 0.25
"""With a larger share of different lines, finding them costs more than it saves."""


def scan_of(path: Path, dialect: Dialect, nulls: Sequence[str], *, counted: bool = False) -> str:
    """Return what stands after FROM for the cells of a text file, ``c0``, ``c1`` and so on, all as text.

    Parameters
    ----------
    path
        The file.
    dialect
        How it is written.
    nulls
        The texts that stand for missing values.
    counted
        Whether each line begins with how often it is there.
    """
    first, header, skipped = "", dialect.header, dialect.skipped
    if counted:
        first, header, skipped = f"'{TIMES}': 'BIGINT', ", False, 0
    columns = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(len(dialect.names)))
    known = f", force_not_null=['{TIMES}']" if counted else ""
    marks = {dialect.delimiter, dialect.quote, "\n", "\r"} - {""}
    told = [text for text in nulls if not any(mark in text for mark in marks)] or [NEVER_IN_TEXT]
    cells = (
        f"read_csv({file_literal(path)}, auto_detect=false, header={str(header).lower()}, "
        f"skip={skipped}, delim={literal(dialect.delimiter)}, quote={literal(dialect.quote)}, "
        f"escape={literal(dialect.quote)}, comment='', columns={{{first}{columns}}}, nullstr={literals(told)}{known}, "
        f"strict_mode=true, null_padding=false, ignore_errors=false)"
    )
    others = ", ".join(literal(text) for text in nulls if text not in told)  # DuckDB takes none that has its marks
    if not others:
        return cells
    emptied = [f"CASE WHEN c{at} NOT IN ({others}) THEN c{at} END AS c{at}" for at in range(len(dialect.names))]
    return f"(SELECT {', '.join([*([TIMES] if counted else []), *emptied])} FROM {cells})"  # noqa: S608 - names and literals of ours


def nulls_of(options: ReadOptions) -> tuple[str, ...]:
    """Return the texts that stand for missing values in a text table."""
    return options.null or (NEVER_IN_TEXT,)


@dataclass(frozen=True)
class Lines:
    """The lines of text files that are written alike.

    Parameters
    ----------
    files
        The files.
    dialects
        How each is written; they differ at most in where their rows begin.
    nulls
        The texts that stand for missing values.
    """

    files: Sequence[Utf8File]
    dialects: Sequence[Dialect]
    nulls: Sequence[str]

    @staticmethod
    def of(files: Sequence[Utf8File], dialects: Sequence[Dialect], options: ReadOptions) -> Lines | None:
        """Return the lines of files; None where a line may be no row: a single column, a heading of several lines."""
        marks = {(dialect.delimiter, dialect.quote, dialect.names) for dialect in dialects}
        names = dialects[0].names
        if len(marks) > 1 or len(names) < 2 or any("\n" in name or "\r" in name for name in names):
            return None
        return Lines(files, dialects, nulls_of(options))

    def gathered(self, connection: duckdb.DuckDBPyConnection) -> str | None:
        """Return a query for the cells of every different line, and ``times``; None where lines must be read in turn.

        The different lines are written to a private file, each behind its number, and that file is read like the files
        themselves. Where it has as many rows as lines, every line of the files is a row too: a reader that is outside
        quotes at the end of each line does not care in which order they come.
        """
        found = fresh_name("lines")
        listed = " UNION ALL ".join(f"FROM {self._whole(at)}" for at in range(len(self.files)))
        place = private_folder(connection) / f"{found}.txt"
        try:
            connection.execute(f"CREATE TEMP TABLE {found} AS SELECT line, count(*) AS n FROM ({listed}) GROUP BY line")  # noqa: S608
            ((different, rows),) = connection.execute(f"SELECT count(*), sum(n) FROM {found}").fetchall()  # noqa: S608
            if different == 0 or different > _MOST_LINES * rows:
                return None
            connection.execute(
                f"COPY (SELECT n || {literal(self.dialects[0].delimiter)} || line FROM {found}) "  # noqa: S608
                f"TO {literal(str(place))} (FORMAT csv, HEADER false, DELIMITER '{_NOWHERE}', QUOTE '', ESCAPE '')"
            )
            query = f"FROM {scan_of(place, self.dialects[0], self.nulls, counted=True)}"
            cells = ", ".join(f"count(c{at})" for at in range(len(self.dialects[0].names)))  # so that all are read
            (seen,) = connection.execute(f"SELECT count(*), sum({TIMES}), {cells} FROM ({query})").fetchall()  # noqa: S608
        except (duckdb.InvalidInputException, duckdb.ConversionException):  # read in turn, it is said which line is odd
            return None
        finally:
            connection.execute(f"DROP TABLE IF EXISTS {found}")
        return query if seen[:2] == (different, rows) else None

    def _whole(self, at: int) -> str:
        """Return what stands after FROM for the lines of a file."""
        dialect = self.dialects[at]
        return (
            f"read_csv({file_literal(self.files[at].path)}, auto_detect=false, header={str(dialect.header).lower()}, "
            f"skip={dialect.skipped}, delim='{_NOWHERE}', quote='', escape='', comment='', "
            f"columns={{'line': 'VARCHAR'}}, nullstr=['{NEVER_IN_TEXT}'], strict_mode=true, null_padding=false, "
            "ignore_errors=false)"
        )
