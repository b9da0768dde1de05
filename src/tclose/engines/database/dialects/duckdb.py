"""DuckDB: a file that is read by one statement at a time, with no other file, extension or network within reach."""

from __future__ import annotations

import atexit
import functools
import os
import secrets
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from tclose.data.sources import DatabaseTable
from tclose.data.targets.private_folders import private_folder
from tclose.engines.database.dialect import Dialect, address, counted_in, literal
from tclose.engines.database.table import DatabaseColumn
from tclose.engines.duckdb.published_types import shortest_decimal
from tclose.engines.duckdb.table import rounded_sql
from tclose.engines.errors import imported
from tclose.errors import SourceError

if TYPE_CHECKING:
    from tclose.engines.database.connection import Connection

_CONFINED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_community_extensions": "false",
    "allow_unsigned_extensions": "false",
    "lock_configuration": "true",
}
_AS_THEY_ARE = (
    "BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT",
    "DOUBLE", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP WITH TIME ZONE",
)  # fmt: skip
_AS_TEXT = ("UUID", "BIT", "TIME WITH TIME ZONE")
_THERE_AND_BACK = ("HUGEINT", "UHUGEINT", "INTERVAL")
"""Types that cross as text and are made again here."""
_CAUSES = (
    (("read-only mode",), "The query on {server} would change something; give one that only reads."),
    (
        ("disabled by configuration", "disabled through configuration", "configuration has been locked"),
        "The query on {server} asks for a file, an extension, a setting or the network; only its tables may be read.",
    ),
    (("table with name",), "{server} has no {named}. Check the schema, the name and its capitals."),
    (("not a valid duckdb", "unable to read", "serialization"), "{server} is not a whole DuckDB database."),
    (
        ("conversion error", "invalid input error"),
        "In {what} of {server} there is a value that an expression refuses. Mend the value or the expression.",
    ),
    (
        ("parser error", "binder error", "catalog error"),
        "{server} does not understand {what}: it is not one query that gives rows.",
    ),
)
"""Signs in its messages, and what to say."""


class DuckDB(Dialect):
    """What DuckDB has of its own."""

    by_bytes = True
    swaps = True
    ignores_case = True
    causes = tuple(((), signs, words) for signs, words in _CAUSES)
    shortest = shortest_decimal("{0}")

    def database(self, source: DatabaseTable, *, writable: bool) -> Any:
        """Return the database of a file, confined to it; a new one only where it may be written."""
        path = self.file(source)
        if not path.is_file() and not (writable and path.parent.is_dir() and not path.exists()):
            raise SourceError(f"There is no DuckDB database {str(path)!r}. Check the path.")
        if path.is_file() and not _is_duckdb(path):
            raise SourceError(f"{source.server} is not a whole DuckDB database.")
        manager = imported("adbc_driver_manager", "Reading a duckdb database", "database")
        return manager.AdbcDatabase(
            driver=self.module().driver_path(),
            entrypoint="duckdb_adbc_init",
            path=str(path.absolute()),
            access_mode="READ_WRITE" if writable else "READ_ONLY",
            **_CONFINED,
            temp_directory=str(_spilling(os.getpid()) / secrets.token_hex(8)),  # refused if it comes first
        )

    def check(self, source: DatabaseTable) -> None:
        """Refuse a query that is not one statement that gives rows: the driver would run several, one by one."""
        if source.query is None:
            return
        try:
            with duckdb.connect(config={"enable_external_access": "false"}) as parser:
                statements = parser.extract_statements(source.query)
        except duckdb.Error:
            statements = []
        if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
            raise SourceError(f"{source.server} does not understand the query: it is not one query that gives rows.")

    def begin(self, source: DatabaseTable, *, writable: bool) -> Sequence[str]:
        """Return what refuses a query that would change something, such as a sequence, before one that may write."""
        if not writable or source.query is None:
            return ()
        looked = f"SELECT * FROM {self.relation(source)} LIMIT 0"  # noqa: S608 - the person's own query
        return "ROLLBACK", "BEGIN TRANSACTION READ ONLY", looked, "ROLLBACK", "BEGIN TRANSACTION"

    def file(self, source: DatabaseTable) -> Path:
        """Return the file that is the database."""
        return Path(address(source))

    def columns(self, connection: Connection, relation: str) -> tuple[DatabaseColumn, ...]:
        """Return the columns of a table or query, by the types that the database names."""
        described = f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {relation})"  # noqa: S608 - quoted
        return tuple(self._typed(connection, name, kind) for name, kind in connection.rows(described))

    def _typed(self, connection: Connection, name: str, kind: str) -> DatabaseColumn:
        written = self.identifier(name)
        text = f'CAST({written} AS VARCHAR) COLLATE "C"'  # by bytes: a column may have a collation of its own
        if kind in _AS_THEY_ARE or kind.startswith("DECIMAL("):
            return self.column(name, kind)
        if kind in _THERE_AND_BACK:
            return self.column(name, kind, text, f"CAST({{0}} AS {kind})")
        if kind.startswith("ENUM("):
            labels = connection.rows(f"SELECT unnest(enum_range(CAST(NULL AS {kind}))) AS label")
            return replace(self.column(name, "VARCHAR", text), categories=tuple(str(label) for (label,) in labels))
        return self.column(name, "VARCHAR", text) if kind in ("VARCHAR", *_AS_TEXT) else self.column(name, None)

    def cell(self, column: DatabaseColumn) -> str:
        """Return the SQL of a cell: equal for equal values, null where it is missing."""
        (sent,) = column.sent
        if column.type == "DOUBLE":
            return f"CASE WHEN NOT isnan({sent}) THEN {sent} END"
        if column.type == "TIMESTAMP WITH TIME ZONE":
            return f"({sent} AT TIME ZONE 'UTC')"
        return column.value.format(sent)

    def rounded(self, column: DatabaseColumn, step: Fraction) -> str:
        """Return the SQL of the numbers of a column rounded exactly, null where one has no place."""
        return rounded_sql(self.cell(column) if column.type == "DOUBLE" else column.alias, column.type, step)

    def by_content(self, row: str, cells: Sequence[str], seed: int) -> str:
        """Return an order of rows that follows from their content alone, whatever types they have."""
        del cells
        return f"md5(CAST({row} AS VARCHAR) || ':{int(seed)}')"

    def is_there(self, connection: Connection, target: DatabaseTable) -> bool:
        """Say whether there is a table or a view already; refuse a schema that is not there."""
        *schema, name = target.parts
        place = f"schema_name = {literal(schema[-1])}" if schema else "schema_name = current_schema()"
        if not counted_in(connection, f"SELECT count(*) AS n FROM duckdb_schemas() WHERE {place}"):  # noqa: S608 - quoted
            raise SourceError(f"{target.server} has no schema for the table {target.table}. Make the schema first.")
        return any(
            counted_in(
                connection,
                f"SELECT count(*) AS n FROM duckdb_{kind}s() "  # noqa: S608 - quoted
                f"WHERE {place} AND lower({kind}_name) = lower({literal(name)})",
            )
            for kind in ("table", "view")
        )


@functools.cache
def _spilling(process: int) -> Path:
    """Return the private folder in which the databases of a process spill, rather than beside their files."""
    del process  # a forked child has a folder of its own
    folder = private_folder(Path(tempfile.gettempdir()))
    atexit.register(folder.remove)
    return folder.path


def _is_duckdb(path: Path) -> bool:
    """Say whether a file has the mark of a DuckDB database; for others DuckDB would look for an extension."""
    try:
        with path.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError:
        return True  # the driver says why it cannot be opened


DIALECT = DuckDB("duckdb")
