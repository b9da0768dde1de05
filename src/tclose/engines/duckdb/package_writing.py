"""Workbooks, and files of SPSS and Stata by the packages of the extra ``files``: values as they are, or refused."""

from __future__ import annotations

import contextlib
import datetime as dt
import errno
import os
import re
import shutil
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import duckdb

from tclose.data.targets import refused_by_system
from tclose.engines.duckdb.connection import allowed_memory
from tclose.engines.duckdb.sql import quoted
from tclose.engines.errors import imported
from tclose.errors import InputError

# A workbook of one sheet, written row by row: every digit of a number, and every text as a text, never a formula.


_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_FIRST_DAY = dt.datetime(1899, 12, 30)
"""The day 0 of the days since March 1900."""
_DAY, _MOMENT = 1, 2
"""The formats of cells."""
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_SHEET_TYPE}.styles+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_SHEET_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
    '<sheets><sheet name="release" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><numFmts count="2">'
    '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="1"><font/></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3">'
    '<xf xfId="0"/><xf numFmtId="164" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="165" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1">'
    '<cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}  # fmt: skip
_BEGIN = (
    f'<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
    '<pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews><sheetData>'
)


def write_workbook(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a workbook.

    Parameters
    ----------
    path
        The file.
    names
        The titles of the columns.
    rows
        The rows: texts, numbers, truths, days and points in time; None is an empty cell.
    """
    letters = [_letters(at) for at in range(len(names))]
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in _PARTS.items():
            archive.writestr(_undated(name), _HEAD + text)
        with archive.open(_undated("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as sheet:
            sheet.write(f"{_HEAD}{_BEGIN}{_row(1, letters, names)}".encode())
            for number, row in enumerate(rows, start=2):
                sheet.write(_row(number, letters, row).encode())
            sheet.write(b"</sheetData></worksheet>")


def _undated(name: str) -> zipfile.ZipInfo:
    """Return a packed part of an archive that says nothing of when it was made."""
    part = zipfile.ZipInfo(name)
    part.compress_type = zipfile.ZIP_DEFLATED
    return part


def _letters(at: int) -> str:
    """Return the letters of a column.

    Examples
    --------
    >>> _letters(0), _letters(25), _letters(26), _letters(16383)
    ('A', 'Z', 'AA', 'XFD')
    """
    above, last = divmod(at, 26)
    return (_letters(above - 1) if above else "") + chr(ord("A") + last)


def _row(number: int, letters: Sequence[str], cells: Sequence[object]) -> str:
    shown = (_cell(f"{letter}{number}", cell) for letter, cell in zip(letters, cells, strict=True) if cell is not None)
    return f'<row r="{number}">{"".join(shown)}</row>'


def _cell(place: str, value: object) -> str:
    """Return a cell of the sheet.

    Examples
    --------
    >>> _cell("A2", "=1+1")
    '<c r="A2" t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c>'
    >>> _cell("B2", 0.1 + 0.2), _cell("C2", dt.date(2020, 1, 31))
    ('<c r="B2"><v>0.30000000000000004</v></c>', '<c r="C2" s="1"><v>43861</v></c>')
    """
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value, quote=False)}</t></is></c>'
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, dt.datetime):
        return f'<c r="{place}" s="{_MOMENT}"><v>{(value - _FIRST_DAY) / dt.timedelta(days=1)!r}</v></c>'
    if isinstance(value, dt.date):
        return f'<c r="{place}" s="{_DAY}"><v>{(value - _FIRST_DAY.date()).days}</v></c>'
    return f'<c r="{place}"><v>{value!r}</v></c>'


_AT_ONCE = 10_000
_NO_ROOM = 1 << 16
"""A disk with fewer free bytes than this took all that it could."""
_MOST_ROWS = 1_048_575
"""The rows of a sheet below its titles."""
_MOST_COLUMNS = 16_384
_BYTES_OF_A_CELL = 64
"""About so many a cell takes while a statistics file is put together in memory."""
_CHANGED_TEXT = {
    "excel": r"length({0}) > 32767 OR regexp_matches({0}, '[\x00-\x08\x0B-\x1F]|_x[0-9A-Fa-f]{{4}}_')",
    "spss": r"strlen({0}) > 32767 OR contains({0}, chr(0)) OR rtrim({0}) <> {0}",
    "stata": r"strlen({0}) > 2045 OR contains({0}, chr(0))",
}
"""Whether a text is too long, or has characters that would not come back."""
_NAMES = {
    "spss": re.compile(r"[^\W\d_][\w.@#$]{0,63}(?<![._])"),
    "stata": re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,31}"),
}
_STATA_FIRST_DAY = {"excel": "1900-03-01"}
"""The first day that every reader of a workbook counts alike."""
_WAY_OUT = "Write Parquet (.parquet), which keeps every value as it is."
_WHOLE = "abs({0}::HUGEINT) > 9007199254740992"
_KINDS = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"), ("DOUBLE", "false")),
    **dict.fromkeys(("BIGINT", "UBIGINT", "HUGEINT"), ("DOUBLE", _WHOLE)),
    "UHUGEINT": ("DOUBLE", "{0} > 9007199254740992"),
    **dict.fromkeys(("DOUBLE", "FLOAT"), ("DOUBLE", "isinf({0}) OR abs({0}) > 8e307")),
    "BOOLEAN": ("BOOLEAN", "false"),
    "DATE": ("DATE", "{0} < DATE '{1}' OR {0} > DATE '9999-12-31'"),
}
"""For types that are not written as text: the type in which they are, and whether a value would not be kept."""
_STATA_MOMENT = "{0} < TIMESTAMP '{1}' OR {0} >= TIMESTAMP '10000-01-01' OR {0} <> date_trunc('second', {0})"


ValueLabels = Mapping[float, str]
"""What codes mean."""


def write_package_file(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    names: Sequence[str],
    path: Path,
    kind: str,
    label: str,
    labels: Mapping[str, ValueLabels],
) -> None:
    """Write what a query gives to a workbook (``excel``), or to a file of ``spss`` or ``stata``.

    Parameters
    ----------
    connection
        Where the query runs.
    query
        A query whose columns are ``c0``, ``c1`` and so on.
    names
        The names of the columns in the file.
    path, kind
        The file, and what it is.
    label
        What is written, for messages.
    labels
        What the codes of columns mean, for files of statistics packages.
    """
    described = connection.execute(f"DESCRIBE {query}").fetchall()
    types = [str(column) for _, column, *_ in described]
    _check_names(names, kind, path)
    casts = [_cast(f"c{at}", column, _STATA_FIRST_DAY.get(kind, "1600-01-01")) for at, column in enumerate(types)]
    rows = _checked(connection, query, names, casts, kind, path)
    shown = ", ".join(f"CAST(c{at} AS {cast}) AS {quoted(f'c{at}')}" for at, (cast, _) in enumerate(casts))
    typed = f"SELECT {shown} FROM ({query})"  # noqa: S608 - our own names
    with refused_by_system(label):
        if kind == "excel":
            write_workbook(path, names, _rows(connection.execute(typed)))
        else:
            frame = _frame(connection, typed, names, [cast for cast, _ in casts], rows)
            _write_statistics(frame, path, kind, {name: kept for name, kept in labels.items() if name in names})


def _cast(alias: str, kind: str, first: str) -> tuple[str, str]:
    """Return the type in which a column is written, and the SQL that says that a value would not be kept."""
    if kind in _KINDS:
        cast, lost = _KINDS[kind]
        return cast, lost.format(alias, first)
    if kind.startswith("DECIMAL"):
        return "DOUBLE", f"TRY_CAST(CAST({alias} AS DOUBLE) AS {kind}) IS DISTINCT FROM {alias}"
    if kind in ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"):
        return "TIMESTAMP", _STATA_MOMENT.format(alias, first)
    return "VARCHAR", "false"


def _check_names(names: Sequence[str], kind: str, path: Path) -> None:
    """Refuse names that the format has no room for."""
    if kind == "excel" and len(names) > _MOST_COLUMNS:
        raise InputError(f"A sheet has room for {_MOST_COLUMNS:,} columns, and the release has more. {_WAY_OUT}")
    for name in names if kind in _NAMES else ():
        if not _NAMES[kind].fullmatch(name):
            raise InputError(
                f"A {path.suffix} file has no place for the name {name!r}. Rename the column, or write .csv."
            )


def _checked(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    names: Sequence[str],
    casts: Sequence[tuple[str, str]],
    kind: str,
    path: Path,
) -> int:
    """Refuse values that the format would change, and more rows than it has room for; return how many there are."""
    changed = _CHANGED_TEXT[kind]
    checks = [
        f"coalesce(bool_or({changed.format(f'CAST(c{at} AS VARCHAR)') if cast == 'VARCHAR' else lost}), false)"
        for at, (cast, lost) in enumerate(casts)
    ]
    (found,) = connection.execute(f"SELECT count(*), {', '.join(checks)} FROM ({query})").fetchall()  # noqa: S608
    for name, lost in zip(names, found[1:], strict=True):
        if lost:
            raise InputError(
                f"Values of the column {name!r} would not stay as they are in a {path.suffix} file. {_WAY_OUT}"
            )
    if kind == "excel" and found[0] > _MOST_ROWS:
        raise InputError(f"A sheet has room for {_MOST_ROWS:,} rows, and the release has more. {_WAY_OUT}")
    if kind != "excel" and found[0] * len(names) * _BYTES_OF_A_CELL > allowed_memory(connection):
        raise InputError(f"A {path.suffix} file is put together in memory, which would not suffice. {_WAY_OUT}")
    return int(found[0])


def _rows(found: duckdb.DuckDBPyConnection) -> Iterator[Sequence[object]]:
    while rows := found.fetchmany(_AT_ONCE):
        yield from rows


def _frame(
    connection: duckdb.DuckDBPyConnection, query: str, names: Sequence[str], casts: Sequence[str], rows: int
) -> Any:
    """Return what a query gives as a frame that the writer of statistics files takes."""
    pandas = imported("pandas", "Writing SPSS and Stata files")
    found = connection.execute(query).fetchdf()
    columns = {name: _series(found[alias], cast) for name, alias, cast in zip(names, found.columns, casts, strict=True)}
    return pandas.DataFrame(columns, index=range(rows))


def _write_statistics(frame: Any, path: Path, kind: str, labels: Mapping[str, ValueLabels]) -> None:
    pyreadstat = imported("pyreadstat", "Writing SPSS and Stata files")
    write = pyreadstat.write_sav if kind == "spss" else pyreadstat.write_dta
    held = {name: {*frame[name].dropna().unique()} for name in labels}  # no meaning of what nobody in the rows has
    meant = {name: {code: text for code, text in kept.items() if code in held[name]} for name, kept in labels.items()}
    with _refused(path):
        write(frame, str(path), variable_value_labels=meant)


def _series(series: Any, cast: str) -> Any:
    """Return a series as the writer takes it: days and texts as objects, numbers and truths as floats."""
    if cast == "DATE":
        return series.dt.date.astype(object).where(series.notna(), None)
    if cast == "VARCHAR":
        return series.astype(object).where(series.notna(), "")
    return series.astype("float64") if cast != "TIMESTAMP" else series


@contextlib.contextmanager
def _refused(path: Path) -> Iterator[None]:
    """Say that a table cannot be written without the writer's own words, which may quote cells.

    Of a full disk the writer says that something is wrong with the data, or nothing at all.
    """
    try:
        yield
        _check_room(path)
    except OSError:
        raise
    except Exception:  # noqa: BLE001 - whatever the package raises of a table that it has no place for
        _check_room(path)
        raise InputError(f"The release has something that a {path.suffix} file has no place for. {_WAY_OUT}") from None


def _check_room(path: Path) -> None:
    if shutil.disk_usage(path.parent).free < _NO_ROOM:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
