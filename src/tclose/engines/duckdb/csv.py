"""Text tables: every cell is read as text first, and typed by all the values of its column."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from tclose.data.labels import naming
from tclose.data.sources import FileSource, ReadOptions
from tclose.data.sources.csv_format import Dialect, dialect_of
from tclose.data.sources.text_files import Utf8File
from tclose.engines.base import Progress
from tclose.engines.duckdb.connection import private_folder
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.published_types import bare_decimal
from tclose.engines.duckdb.sql import file_literal, fresh_name, literal, literals
from tclose.engines.duckdb.table import Column, LoadedTable, check_names, check_rows, keep_view
from tclose.engines.duckdb.text_files import SQL, DuckTexts, plain_text, strict_value
from tclose.engines.duckdb.wide_tables import WideTexts, held_statistics, may_be_held
from tclose.engines.statistics import TableStatistics
from tclose.engines.text_types import TEXT, TextType, infer, spelling_notes
from tclose.errors import Hint, Note, SourceError, header_hint, listed

# Text files many of whose lines are alike: each line is taken apart once, with how often it is there.


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


_WIDE = 500
"""Of more columns than this, types are settled only for those that are kept; until then cells are text."""
_SAMPLE_ROWS = 10_000
_FEW_CELLS = 1_000_000
"""First rows of so few cells are kept, to see whether rows are alike."""
_MOST_DIFFERENT = 0.95
"""With a larger share of different rows among the first, gathering them costs more than it saves."""
_WEIGHT = "weight"


@dataclass(frozen=True)
class TextTable:
    """Text files that hold one table, with all their cells as text.

    Parameters
    ----------
    relation
        The query for their cells.
    names
        The names of the columns.
    files
        The path of each file that is read, to the name that people know.
    options
        How they are read.
    commas
        Whether a comma may be a decimal mark.
    lines
        Their lines, where each line may be a row.
    counts
        What counts the rows that ``relation`` gives.
    """

    relation: str
    names: tuple[str, ...]
    files: Mapping[str, str]
    options: ReadOptions
    commas: bool
    lines: Lines | None = None
    counts: str = "count(*)"

    @property
    def aliases(self) -> list[str]:
        """The names that the columns have here."""
        return [f"c{at}" for at in range(len(self.names))]


def load_csv(connection: duckdb.DuckDBPyConnection, source: FileSource) -> LoadedTable:
    """Bind text tables; the types shown are those of the first rows until columns are kept."""
    files, dialects, names = _headed(connection, source)
    options, folders = source.options, source.partitions or ({},) * len(files)
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
        lines=None if source.partitions else Lines.of(files, dialects, options),
    )
    notes = tuple(note for file in files for note in file.notes)
    notes += tuple(note for dialect in dialects for note in dialect.notes)
    return _bound(connection, text, source.label, notes)


def text_names(connection: duckdb.DuckDBPyConnection, source: FileSource) -> tuple[str, ...]:
    """Return the names of the columns of text tables, whose values are not looked at."""
    return _headed(connection, source)[2]


def _headed(
    connection: duckdb.DuckDBPyConnection, source: FileSource
) -> tuple[list[Utf8File], list[Dialect], tuple[str, ...]]:
    """Return the files of a text table, how each is written, and the names of its columns."""
    options = source.options
    if source.format == "tsv" and options.delimiter is None:
        options = replace(options, delimiter="\t")
    folder = private_folder(connection)
    files = [plain_text(path, source.name_of(path), options, folder) for path in source.paths]
    dialects = [dialect_of(file, options) for file in files]
    _check_same(files, dialects, source.label, guessed=options.header is None)
    names = (*dialects[0].names, *(source.partitions or ({},))[0])
    check_names(names, source.label)
    return files, dialects, names


def _check_same(files: Sequence[Utf8File], dialects: Sequence[Dialect], label: str, *, guessed: bool) -> None:
    for file, dialect in zip(files, dialects, strict=True):
        if dialect.names != dialects[0].names:
            differing = sorted(set(dialect.names) ^ set(dialects[0].names))
            what = f"{listed(differing)} is in only one of" if differing else "their order differs in"
            hint = Hint("Give only the files of one table.")
            if guessed and set(dialect.names).isdisjoint(dialects[0].names):  # both may be rows of cells
                what, hint = "no name is in both first lines of", header_hint()
            said = "The files of {} do not have the same columns: {} {} and {}."
            raise SourceError(naming(said, label, what, files[0].name, file.name), code="columns-differ", hint=hint)


def _scan(file: Utf8File, dialect: Dialect, options: ReadOptions, folder_values: Mapping[str, str | None]) -> str:
    """Return the query for all cells of a file as text, and for what its folders say of it."""
    width = len(dialect.names)
    added = "".join(
        f", CAST({'NULL' if value is None else literal(value)} AS VARCHAR) AS c{width + at}"
        for at, value in enumerate(folder_values.values())
    )
    scan = scan_of(file.path, dialect, nulls_of(options))
    return f"SELECT *{added} FROM {scan}"  # noqa: S608 - literals


@dataclass(frozen=True)
class _First:
    """The first rows of a text table, and what they say of its columns.

    Parameters
    ----------
    name
        The table of their cells; empty where it was not kept.
    rows
        How many rows the source has, where these are all; else None.
    types
        How the text of each column becomes a value.
    verified
        Whether every cell of them was seen to have its column's type.
    cells
        Their cells as one column, where there are many columns and these are all rows.
    """

    name: str
    rows: int | None
    types: Mapping[str, TextType]
    verified: bool
    cells: WideTexts | None


def _first(connection: duckdb.DuckDBPyConnection, text: TextTable, label: str) -> _First:
    """Look at the first rows of a table."""
    aliases, name = text.aliases, fresh_name("sample")
    ((rows,),) = connection.execute(
        f"CREATE TEMP TABLE {name} AS FROM ({text.relation}) LIMIT {_SAMPLE_ROWS}"
    ).fetchall()
    check_rows(rows, label)
    known = rows if rows < _SAMPLE_ROWS else None
    cells = WideTexts(connection, name, aliases) if known and may_be_held(rows, len(aliases)) else None
    verified = cells is not None or len(aliases) <= _WIDE
    texts = cells or DuckTexts(connection, name)
    types = infer(texts, aliases, decimal=text.options.decimal, commas=text.commas, verify=verified)
    if known or rows * len(aliases) > _FEW_CELLS:
        connection.execute(f"DROP TABLE {name}")
        name = ""
    return _First(name, known, types, verified, cells)


def _bound(connection: duckdb.DuckDBPyConnection, text: TextTable, label: str, notes: tuple[Note, ...]) -> LoadedTable:
    view, aliases = fresh_name("source"), text.aliases
    with translated(label, names=text.files, connection=connection):
        first = _first(connection, text, label)
        types, wide = first.types, len(aliases) > _WIDE
        values = "*" if wide else ", ".join(f"{strict_value(types[alias], alias)} AS {alias}" for alias in aliases)
        typed = f"SELECT {values} FROM ({text.relation})"  # noqa: S608 - our own names
        connection.execute(f"CREATE TEMP VIEW {view} AS {typed}")
    columns = tuple(
        _column(Column(name, alias, "VARCHAR"), types[alias]) for name, alias in zip(text.names, aliases, strict=True)
    )
    seen = _stamps(text)

    def keeper(table: LoadedTable, kept: tuple[Column, ...]) -> LoadedTable:
        if first.cells is not None:
            first.cells.release()
        whole = first.rows is not None and seen == _stamps(text)
        proven = [alias for alias, kind in types.items() if whole and (kind.by_shape or first.verified)]
        return _keep(table, kept, text, types, frozenset(proven))

    def counter(table: LoadedTable, progress: Progress) -> TableStatistics | None:
        if first.cells is None or not first.cells.held or table.name != view:
            return None
        counted = {each.name: each for each in held_statistics(table, first.cells, types, progress)}
        ordered = tuple(counted[column.name] for column in table.columns)
        return TableStatistics(label, first.rows or 0, ordered, table.notes + _notes(table.columns, types))

    gatherer = _gatherer(connection, text, types, first.name, view)
    return LoadedTable(connection, columns, label, view, first.rows, notes, keeper, gatherer=gatherer, counter=counter)


def _column(column: Column, kind: TextType) -> Column:
    typed = replace(column, type=kind.type, spelling=kind.meaning, own=None, zone=None)
    return typed.moved(dt.UTC) if kind.zoned else typed


def _stamps(text: TextTable) -> list[tuple[int, ...]]:
    """Return by what it is seen that a file has changed."""
    stats = [Path(path).stat() for path in text.files]
    return [(stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns) for stat in stats]


def _gatherer(
    connection: duckdb.DuckDBPyConnection, text: TextTable, types: Mapping[str, TextType], sample: str, view: str
) -> Callable[[LoadedTable, tuple[Column, ...]], LoadedTable | None]:
    """Return what gathers the rows of a table that are alike in some columns, each choice of columns once."""
    gathered: dict[tuple[Column, ...], LoadedTable | None] = {}

    @functools.cache
    def by_lines() -> TextTable:
        return _by_lines(connection, text, sample)

    def gatherer(table: LoadedTable, kept: tuple[Column, ...]) -> LoadedTable | None:
        if not sample or table.name != view:
            return None
        if kept not in gathered:
            some = {column.alias: types[column.alias] for column in kept}
            gathered[kept] = _gather(table, kept, text, by_lines, some, sample)
        return gathered[kept]

    return gatherer


def _keep(
    table: LoadedTable,
    kept: tuple[Column, ...],
    text: TextTable,
    types: Mapping[str, TextType],
    proven: frozenset[str] = frozenset(),
) -> LoadedTable:
    """Copy columns with the types of the first rows; where a later value contradicts them, decide again.

    Every value of the columns that are proven was looked at when their types were decided.
    """
    aliases = [column.alias for column in kept]
    with translated(table.label, names=text.files, connection=table.connection):
        name, rows, settled = _copy(table.connection, text, {alias: types[alias] for alias in aliases}, proven)
        if not settled:
            table.connection.execute(f"DROP TABLE {name}")
            name, rows, types = _copy_exactly(table.connection, text, aliases)
    check_rows(rows, table.label)
    columns = tuple(_column(column, types[column.alias]) for column in kept)

    def keeper(copy: LoadedTable, fewer: tuple[Column, ...]) -> LoadedTable:
        return replace(keep_view(copy, fewer), notes=table.notes + _notes(fewer, types))

    def bare(some: Sequence[Column]) -> frozenset[str]:
        return _bare(table, [column.alias for column in some], text, types)

    notes = table.notes + _notes(kept, types)
    return replace(table, columns=columns, name=name, rows=rows, notes=notes, keeper=keeper, bare=bare)


def _different(connection: duckdb.DuckDBPyConnection, columns: Iterable[str], sample: str) -> bool:
    """Say whether the first rows are too different in some columns to be gathered."""
    ((different,),) = connection.execute(
        f"SELECT count(*) FROM (SELECT DISTINCT {', '.join(columns)} FROM {sample})"  # noqa: S608 - our own names
    ).fetchall()
    return bool(different > _MOST_DIFFERENT * _SAMPLE_ROWS)


def _by_lines(connection: duckdb.DuckDBPyConnection, text: TextTable, sample: str) -> TextTable:
    """Return a table with lines that are alike read once, where that pays; else as it is."""
    if text.lines is None or _different(connection, text.aliases, sample):
        return text
    found = text.lines.gathered(connection)
    return text if found is None else replace(text, relation=found, counts=f"CAST(sum({TIMES}) AS BIGINT)")


def _gather(
    table: LoadedTable,
    kept: tuple[Column, ...],
    text: TextTable,
    by_lines: Callable[[], TextTable],
    types: Mapping[str, TextType],
    sample: str,
) -> LoadedTable | None:
    """Gather rows that are alike to one with its weight; None where the first rows are too different to be gathered."""
    with translated(table.label, names=text.files, connection=table.connection):
        if not all(kind.settled for kind in types.values()) or _different(table.connection, types, sample):
            return None
        name, _, settled = _copy(table.connection, by_lines(), types, gathered=True)
        if not settled:
            table.connection.execute(f"DROP TABLE {name}")
            return None
    columns = tuple(_column(column, types[column.alias]) for column in kept)
    notes = table.notes + _notes(kept, types)

    def bare(some: Sequence[Column]) -> frozenset[str]:
        return _bare(table, [column.alias for column in some], by_lines(), types)

    return replace(table, columns=columns, name=name, rows=None, notes=notes, keeper=None, weight=_WEIGHT, bare=bare)


def _bare(table: LoadedTable, aliases: Sequence[str], text: TextTable, types: Mapping[str, TextType]) -> frozenset[str]:
    """Return the columns whose decimals are written without idle zeros: 8 beside 0.25, not 8.00."""
    numbers = [
        alias for alias in aliases if types[alias].type.startswith("DECIMAL") and types[alias].meaning == "plain"
    ]
    if not numbers:
        return frozenset()
    values = [bare_decimal(types[alias].value(alias, SQL), types[alias].type) for alias in numbers]
    looks = ", ".join(f"bool_and({alias} = {value})" for alias, value in zip(numbers, values, strict=True))
    with translated(table.label, names=text.files, connection=table.connection):
        (found,) = table.connection.execute(f"SELECT {looks} FROM ({text.relation})").fetchall()  # noqa: S608
    return frozenset(alias for alias, bare in zip(numbers, found, strict=True) if bare)


def _copy(
    connection: duckdb.DuckDBPyConnection,
    text: TextTable,
    types: Mapping[str, TextType],
    proven: frozenset[str] = frozenset(),
    *,
    gathered: bool = False,
) -> tuple[str, int, bool]:
    """Copy typed columns, gathered rows once with their number; say whether every value fitted its type."""
    name = fresh_name("copy")
    values = [f"{kind.value(alias, SQL)} AS {alias}" for alias, kind in types.items()] or ["1 AS present"]
    checked = [alias for alias, kind in types.items() if kind.type != "VARCHAR" and alias not in proven]
    fits = [f"{' AND '.join(types[alias].fits(alias, SQL) for alias in checked)} AS fits"] if checked else []
    weight, grouped = ([f"{text.counts} AS {_WEIGHT}"], " GROUP BY ALL") if gathered else ([], "")
    ((rows,),) = connection.execute(
        f"CREATE TEMP TABLE {name} AS SELECT {', '.join(values + fits + weight)} FROM ({text.relation}){grouped}"  # noqa: S608
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
    types = infer(DuckTexts(connection, raw), aliases, decimal=text.options.decimal, commas=text.commas)
    for alias, kind in types.items():
        if kind.type != "VARCHAR":
            change = f"ALTER COLUMN {alias} TYPE {kind.type} USING {kind.value(alias, SQL)}"
            connection.execute(f"ALTER TABLE {raw} {change}")
    return raw, rows, types


def _notes(kept: Sequence[Column], types: Mapping[str, TextType]) -> tuple[Note, ...]:
    return spelling_notes({column.name: types[column.alias].meaning for column in kept})
