"""Text tables: every cell is read as text first, and typed by all the values of its column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import duckdb

from tclose.engines.duckdb.connection import private_folder
from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.inference import TEXT, TextType, infer
from tclose.engines.duckdb.plain import plain_text
from tclose.engines.duckdb.sql import fresh_name, literal, literals
from tclose.engines.duckdb.table import Column, LoadedTable, check_names, check_rows, keep_view
from tclose.errors import SourceError, listed
from tclose.sources import FileSource, ReadOptions
from tclose.sources.dialect import Dialect, dialect_of
from tclose.sources.text import Utf8File

_WIDE = 500
"""Of more columns than this, types are settled only for those that are kept; until then cells are text."""
_SAMPLE_ROWS = 10_000
_NEVER_IN_TEXT = "\x1a\x1a\x1a"
_DATE_WORDS = {"%d.%m.%Y": "day.month.year", "%d/%m/%Y": "day/month/year", "%m/%d/%Y": "month/day/year"}


@dataclass(frozen=True)
class TextTable:
    """Text files that hold one table, with all their cells as text."""

    relation: str
    names: tuple[str, ...]
    files: Mapping[str, str]
    options: ReadOptions
    commas: bool


def load_csv(connection: duckdb.DuckDBPyConnection, source: FileSource) -> LoadedTable:
    """Bind text tables; the types shown are those of the first rows until columns are kept."""
    options = source.options
    if source.format == "tsv" and options.delimiter is None:
        options = replace(options, delimiter="\t")
    folder = private_folder(connection)
    files = [plain_text(path, source.name_of(path), options.encoding, folder) for path in source.paths]
    dialects = [dialect_of(file, options) for file in files]
    _check_same(files, dialects, source.label)
    folders = source.partitions or ({},) * len(files)
    names = (*dialects[0].names, *folders[0])
    check_names(names, source.label)
    scans = [
        _scan(file, dialect, options, folder_values)
        for file, dialect, folder_values in zip(files, dialects, folders, strict=True)
    ]
    text = TextTable(
        " UNION ALL ".join(scans),
        names,
        {str(file.path): file.name for file in files},
        options,
        commas=all(dialect.delimiter != "," for dialect in dialects),
    )
    notes = tuple(note for file in files for note in file.notes)
    notes += tuple(note for dialect in dialects for note in dialect.notes)
    return _bound(connection, text, source.label, notes)


def _check_same(files: Sequence[Utf8File], dialects: Sequence[Dialect], label: str) -> None:
    for file, dialect in zip(files, dialects, strict=True):
        if dialect.names != dialects[0].names:
            differing = sorted(set(dialect.names) ^ set(dialects[0].names))
            what = f"{listed(differing)} is in only one of" if differing else "their order differs in"
            raise SourceError(
                f"The files of {label} do not have the same columns: {what} {files[0].name} "
                f"and {file.name}. Give only the files of one table."
            )


def _scan(file: Utf8File, dialect: Dialect, options: ReadOptions, folder_values: Mapping[str, str | None]) -> str:
    """Return the query for all cells of a file as text, and for what its folders say of it."""
    width = len(dialect.names)
    added = "".join(
        f", CAST({'NULL' if value is None else literal(value)} AS VARCHAR) AS c{width + at}"
        for at, value in enumerate(folder_values.values())
    )
    columns = ", ".join(f"'c{at}': 'VARCHAR'" for at in range(len(dialect.names)))
    nulls = options.null_text or (_NEVER_IN_TEXT,)
    scan = (
        f"read_csv({literal(str(file.path))}, auto_detect=false, header={str(dialect.header).lower()}, "
        f"skip={dialect.skipped}, delim={literal(dialect.delimiter)}, quote={literal(dialect.quote)}, "
        f"escape={literal(dialect.quote)}, comment='', columns={{{columns}}}, nullstr={literals(nulls)}, "
        f"strict_mode=true, null_padding=false, ignore_errors=false)"
    )
    return f"SELECT *{added} FROM {scan}"  # noqa: S608 - literals


def _bound(connection: duckdb.DuckDBPyConnection, text: TextTable, label: str, notes: tuple[str, ...]) -> LoadedTable:
    aliases = [f"c{at}" for at in range(len(text.names))]
    sample, view = fresh_name("sample"), fresh_name("source")
    with translated(label, names=text.files, connection=connection):
        ((rows,),) = connection.execute(
            f"CREATE TEMP TABLE {sample} AS FROM ({text.relation}) LIMIT {_SAMPLE_ROWS}"
        ).fetchall()
        check_rows(rows, label)
        wide = len(aliases) > _WIDE
        types = infer(connection, sample, aliases, decimal=text.options.decimal, commas=text.commas, verify=not wide)
        connection.execute(f"DROP TABLE {sample}")
        values = "*" if wide else ", ".join(f"{types[alias].strict_value(alias)} AS {alias}" for alias in aliases)
        typed = f"SELECT {values} FROM ({text.relation})"  # noqa: S608 - our own names
        connection.execute(f"CREATE TEMP VIEW {view} AS {typed}")
    columns = tuple(Column(name, alias, types[alias].type) for name, alias in zip(text.names, aliases, strict=True))
    known = rows if rows < _SAMPLE_ROWS else None

    def keeper(table: LoadedTable, kept: tuple[Column, ...]) -> LoadedTable:
        return _keep(table, kept, text, types)

    return LoadedTable(connection, columns, label, view, known, notes, keeper)


def _keep(table: LoadedTable, kept: tuple[Column, ...], text: TextTable, types: Mapping[str, TextType]) -> LoadedTable:
    """Copy columns with the types of the first rows; where a later value contradicts them, decide again."""
    aliases = [column.alias for column in kept]
    with translated(table.label, names=text.files, connection=table.connection):
        name, rows, settled = _copy(table.connection, text, {alias: types[alias] for alias in aliases})
        if not settled:
            table.connection.execute(f"DROP TABLE {name}")
            name, rows, types = _copy_exactly(table.connection, text, aliases)
    check_rows(rows, table.label)
    columns = tuple(replace(column, type=types[column.alias].type) for column in kept)

    def keeper(copy: LoadedTable, fewer: tuple[Column, ...]) -> LoadedTable:
        return replace(keep_view(copy, fewer), notes=table.notes + tuple(_notes(fewer, types)))

    notes = table.notes + tuple(_notes(kept, types))
    return replace(table, columns=columns, name=name, rows=rows, notes=notes, keeper=keeper)


def _copy(
    connection: duckdb.DuckDBPyConnection, text: TextTable, types: Mapping[str, TextType]
) -> tuple[str, int, bool]:
    """Copy typed columns; say whether every value fitted its type."""
    name = fresh_name("copy")
    values = [f"{kind.value(alias)} AS {alias}" for alias, kind in types.items()] or ["1 AS present"]
    checked = [alias for alias, kind in types.items() if kind.type != "VARCHAR"]
    fits = [f"{' AND '.join(types[alias].fits(alias) for alias in checked)} AS fits"] if checked else []
    ((rows,),) = connection.execute(
        f"CREATE TEMP TABLE {name} AS SELECT {', '.join(values + fits)} FROM ({text.relation})"  # noqa: S608
    ).fetchall()
    if not all(kind.settled for kind in types.values()):
        return name, rows, False
    if not checked:
        return name, rows, True
    ((all_fit,),) = connection.execute(f"SELECT bool_and(fits) FROM {name}").fetchall()  # noqa: S608 - our own name
    connection.execute(f"ALTER TABLE {name} DROP COLUMN fits")
    return name, rows, all_fit is not False


def _copy_exactly(
    connection: duckdb.DuckDBPyConnection, text: TextTable, aliases: Sequence[str]
) -> tuple[str, int, dict[str, TextType]]:
    """Copy columns as text, look at every value, then type them."""
    raw, rows, _ = _copy(connection, text, dict.fromkeys(aliases, TEXT))
    types = infer(connection, raw, aliases, decimal=text.options.decimal, commas=text.commas)
    for alias, kind in types.items():
        if kind.type != "VARCHAR":
            change = f"ALTER COLUMN {alias} TYPE {kind.type} USING {kind.value(alias)}"
            connection.execute(f"ALTER TABLE {raw} {change}")
    return raw, rows, types


def _notes(kept: Sequence[Column], types: Mapping[str, TextType]) -> list[str]:
    notes = []
    commas = [column.name for column in kept if types[column.alias].meaning == "comma"]
    if commas:
        notes.append(f"Numbers with a decimal comma were recognised in {listed(commas)}.")
    for form, words in _DATE_WORDS.items():
        dates = [column.name for column in kept if types[column.alias].meaning == form]
        if dates:
            notes.append(f"Dates written {words} were recognised in {listed(dates)}.")
    return notes
