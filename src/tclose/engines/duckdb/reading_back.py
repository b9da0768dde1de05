"""Whether a text file will be read as what was written: the same columns, and as many different values in each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb

from tclose.data.sources import ReadOptions, locate
from tclose.data.sources.csv_format import dialect_of
from tclose.data.sources.formats import compression_of
from tclose.data.sources.text_files import Utf8File, opener
from tclose.data.targets import refused_by_system
from tclose.engines.duckdb.connection import private_folder
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.load import load
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable
from tclose.engines.duckdb.writing import Form, copy_query
from tclose.errors import InputError, SourceError, listed

_LABEL = "the release"
_HEAD_BYTES = 1 << 19
_SAMPLE = 10_000
_SAFE = {
    "csv": ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
            "UHUGEINT", "DOUBLE", "FLOAT", "DECIMAL", "BOOLEAN", "DATE", "TIMESTAMP", "UUID"),
    "json": ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
             "UHUGEINT", "DOUBLE", "DECIMAL", "BOOLEAN", "DATE", "TIMESTAMP", "UUID", "VARCHAR"),
}  # fmt: skip
"""Types of which different values are always read as different ones."""
_NEVER_TYPED = "regexp_matches(regexp_replace({0}, '[iI]nf(inity)?', ''), '[b-df-mo-su-yB-DF-MO-SU-Y*\\[]')"
"""A text that no reader takes for a number, a date, a time or the like, so that its column is read as text.

Of letters, what is not text in a text table has those of NaN, infinity, exponents and times in universal time only.
"""
_LOOKS = ("bool_or(contains({0}, chr(13)) OR contains({0}, chr(0)))", "bool_or({0} = '')", "bool_or({0} IS NULL)")
"""Whether a column has characters that text files change, empty texts, and missing values."""
_CUT_OFF = {
    "INTERVAL": "microsecond({0}) % 1000 <> 0",
    "HUGEINT": "abs({0}) >= 100000000000000000000000000000000000000",
    "UHUGEINT": "{0} >= 100000000000000000000000000000000000000",
}
"""Whether a value loses something in a Parquet file."""
_ENDLESS = dict.fromkeys(("DOUBLE", "FLOAT"), "isinf({0})")
"""Whether JSON has no number for a value."""
_FULL = {"DECIMAL(38,38)": "{0} IS NOT NULL"}
"""Whether a number has no place for the zero that JSON asks for before its mark, and no type has one digit more."""
_WAY_OUT = "Write Parquet (.parquet), which keeps every value as it is."


def check_names(names: Sequence[str], form: Form) -> None:
    """Refuse names that a format cannot tell apart."""
    if form.kind not in ("json", "parquet", "spss"):
        return
    alike = Counter(name.casefold() for name in names)
    twice = [name for name in names if alike[name.casefold()] > 1]
    if twice:
        raise InputError(
            f"The columns {listed(twice)} differ only in case, which a {form.ending} file does not keep. "
            "Rename them, or write .csv."
        )


def check_header(connection: duckdb.DuckDBPyConnection, path: Path, names: Sequence[str], form: Form) -> None:
    """Refuse a text table whose first lines would be read as a table of other columns."""
    with path.open("rb") as file:
        compression = compression_of(file.read(8))
    with opener(path, compression)() as file:
        data = file.read(_HEAD_BYTES)
    head = private_folder(connection) / f"{fresh_name('head')}.txt"
    try:
        with refused_by_system(_LABEL):
            head.write_bytes(data)
        options = ReadOptions(delimiter="\t" if form.delimiter == "\t" else None)
        dialect = dialect_of(Utf8File(head, _LABEL), options)
    finally:
        head.unlink(missing_ok=True)
    cut_alike = len(names) == 1 or dialect.delimiter == form.delimiter
    if not cut_alike or (dialect.header, dialect.names, dialect.quote) != (True, tuple(names), '"'):
        raise InputError(
            f"The names of the columns would not be recognised in a {form.ending} file: one of them is empty or looks "
            f"like a number or a date. Rename it. Or write Parquet (.parquet), where names are apart from values."
        )


def check_values(connection: duckdb.DuckDBPyConnection, columns: Sequence[Column], query: str, form: Form) -> None:
    """Refuse columns of which different values would be read as the same value.

    Parameters
    ----------
    connection
        Where the query runs.
    columns
        The columns that the query gives, under their aliases.
    query
        A query in which every value to be written occurs.
    form
        The format.
    """
    if form.kind == "parquet" and (cut := _having(connection, columns, query, _CUT_OFF)):
        raise InputError(
            f"Values of the column {cut.name!r} have more digits than a .parquet file keeps. "
            "Write Arrow (.arrow), which keeps them."
        )
    if form.kind == "json" and (endless := _having(connection, columns, query, _ENDLESS)):
        raise InputError(f"The column {endless.name!r} has infinite numbers, and JSON has none. {_WAY_OUT}")
    if form.kind == "json" and (full := _having(connection, columns, query, _FULL)):
        raise InputError(f"Numbers of the column {full.name!r} have more digits than are written as JSON. {_WAY_OUT}")
    if form.kind not in _SAFE:
        return
    doubtful = [column for column in columns if not column.type.startswith(_SAFE[form.kind])]
    texts = [column for column in doubtful if column.type == "VARCHAR"]
    plain = _plain_text(connection, texts, query, form)
    for column in doubtful:
        if column not in plain and not _kept_apart(connection, column, query, form, single=len(columns) == 1):
            raise InputError(
                f"Different values of the column {column.name!r} would be read as the same value from a {form.ending} "
                f"file. {_WAY_OUT}"
            )


def _having(
    connection: duckdb.DuckDBPyConnection, columns: Sequence[Column], query: str, looks: Mapping[str, str]
) -> Column | None:
    """Return the first column that has a value of which the look of its type is true."""
    for column in columns:
        if (look := looks.get(column.type)) is None:
            continue
        with translated(_LABEL, connection=connection):
            ((found,),) = connection.execute(f"SELECT bool_or({look.format(column.alias)}) FROM ({query})").fetchall()  # noqa: S608
        if found:
            return column
    return None


def check_kept(columns: Sequence[Column], query: str, written: LoadedTable, form: Form) -> None:
    """Refuse a file that was written if its columns, or how many different values they have, are not those of a query.

    Parameters
    ----------
    columns
        The columns that the query gives, under their aliases.
    query
        A query in which every written value occurs.
    written
        The file, as it is read.
    form
        Its format.
    """
    if [column.name for column in written.columns] != [column.name for column in columns]:
        raise InputError(f"The names of the columns would be read as others from a {form.ending} file. Rename them.")
    counts = []
    for table, source in ((columns, f"({query})"), (written.columns, written.name)):
        different = ", ".join(
            f"count(DISTINCT {each.alias}) + coalesce(max(CASE WHEN {each.alias} IS NULL THEN 1 ELSE 0 END), 0)"
            for each in table
        )
        with translated(_LABEL, connection=written.connection):
            counts += written.connection.execute(f"SELECT {different} FROM {source}").fetchall()  # noqa: S608
    for column, mine, theirs in zip(columns, *counts, strict=True):
        if mine != theirs:
            raise InputError(
                f"Different values of the column {column.name!r} would be read as the same value from a {form.ending} "
                f"file. {_WAY_OUT}"
            )


def days_alone(connection: duckdb.DuckDBPyConnection, columns: Sequence[Column], query: str) -> list[Column]:
    """Return the columns of points in time without a zone all of which are midnights."""
    moments = [column for column in columns if column.type.startswith("TIMESTAMP") and column.zone is None]
    if not moments:
        return []
    again = [(each.alias, f"TRY_CAST(CAST({each.alias} AS DATE) AS {each.type})") for each in moments]
    checks = ", ".join(f"coalesce(bool_and({day} IS NOT DISTINCT FROM {alias}), false)" for alias, day in again)
    (found,) = connection.execute(f"SELECT {checks} FROM ({query})").fetchall()  # noqa: S608 - our own names
    return [column for column, alone in zip(moments, found, strict=True) if alone]


def _plain_text(connection: duckdb.DuckDBPyConnection, texts: Sequence[Column], query: str, form: Form) -> list[Column]:
    """Return the columns that are certainly read as the text they are."""
    if not texts:
        return []
    typed = ", ".join(f"bool_or({_NEVER_TYPED.format(column.alias)})" for column in texts)
    looks = ", ".join(look.format(column.alias) for look in _LOOKS for column in texts)
    with translated(_LABEL, connection=connection):
        (never_typed,) = connection.execute(f"SELECT {typed} FROM (FROM ({query}) LIMIT {_SAMPLE})").fetchall()  # noqa: S608
        (seen,) = connection.execute(f"SELECT {looks} FROM ({query})").fetchall()  # noqa: S608 - our own names
    odd, empty, missing = (seen[at : at + len(texts)] for at in range(0, len(seen), len(texts)))
    for at, column in enumerate(texts):
        if form.kind == "csv" and empty[at] and missing[at]:
            raise InputError(
                f"The column {column.name!r} has both empty texts and missing values, which a {form.ending} file "
                f"cannot tell apart. {_WAY_OUT}"
            )
    return [column for column, text, strange in zip(texts, never_typed, odd, strict=True) if text and not strange]


def _kept_apart(connection: duckdb.DuckDBPyConnection, column: Column, query: str, form: Form, *, single: bool) -> bool:
    """Try it: write the different values to a private file, read that, and count them again."""
    trial = private_folder(connection) / f"{fresh_name('trial')}{form.ending}"
    values = f"SELECT DISTINCT {column.alias} AS c0 FROM ({query})"  # noqa: S608 - our own names
    delimiters = [None] if form.kind == "json" else [",", "\t"] if single else [form.delimiter]
    try:
        copy_query(connection, values, ["value"], trial, _LABEL)
        with translated(_LABEL, connection=connection):
            ((written,),) = connection.execute(f"SELECT count(*) FROM ({values})").fetchall()  # noqa: S608
        return all(_read(connection, trial, delimiter) == written for delimiter in delimiters)
    finally:
        trial.unlink(missing_ok=True)


def _read(connection: duckdb.DuckDBPyConnection, trial: Path, delimiter: str | None) -> int:
    """Return how many different values a file with one column is read as; none if it cannot be read."""
    marks = ReadOptions(delimiter=delimiter, quote='"', header=True) if delimiter else ReadOptions()
    try:
        table = load(connection, locate(trial, options=marks)).keep(["value"])
    except SourceError:
        return 0
    alias = table.columns[0].alias
    with translated(_LABEL, connection=connection):
        ((found,),) = connection.execute(
            f"SELECT count(*) FROM (SELECT DISTINCT {alias} FROM {table.name})"  # noqa: S608 - our own names
        ).fetchall()
    return int(found)
