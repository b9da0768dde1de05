"""What one database has of its own: names, types, comparisons, transactions and messages; here, of any ADBC driver."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tclose.data.labels import Label, naming
from tclose.data.sources import DatabaseTable
from tclose.engines.database.table import NESTED, DatabaseColumn, Settler
from tclose.engines.duckdb.sql import literal
from tclose.engines.errors import imported
from tclose.errors import Hint, Note, SourceError

if TYPE_CHECKING:
    from tclose.engines.database.connection import Connection

Cause = tuple[tuple[str, ...], tuple[str, ...], str]
"""SQLSTATEs by their beginnings, signs in a driver's text, and what to say."""

_INSTEAD = {"VARCHAR": "''", "BOOLEAN": "FALSE", "DATE": "DATE '2000-01-01'", "TIME": "TIME '00:00:00'"}
_TYPES = {
    "b": "BOOLEAN", "c": "TINYINT", "s": "SMALLINT", "i": "INTEGER", "l": "BIGINT", "C": "UTINYINT", "S": "USMALLINT",
    "I": "UINTEGER", "L": "UBIGINT", "f": "FLOAT", "g": "DOUBLE", "u": "VARCHAR", "U": "VARCHAR", "vu": "VARCHAR",
    "tdD": "DATE", "n": "VARCHAR",
}  # fmt: skip
_PATTERNS = ((r"tt[smun]", "TIME"), (r"ts[smun]:", "TIMESTAMP"), (r"ts[smun]:.+", "TIMESTAMP WITH TIME ZONE"))


@dataclass(frozen=True)
class Dialect:
    """A database that only its driver is known of; a module of ``dialects`` says what another has of its own.

    Parameters
    ----------
    driver
        The name of the driver: that of the package ``adbc_driver_NAME``.
    quote
        What stands around a name.
    """

    driver: str
    quote: str = '"'
    by_bytes: ClassVar[bool] = False
    """Whether texts are compared by their bytes, so that no collation takes two for one."""
    options: ClassVar[Mapping[str, str]] = {}
    """What is set on every statement."""
    schema_option: ClassVar[str] = "adbc.ingest.target_db_schema"
    """What names the schema of a table that is filled."""
    causes: ClassVar[tuple[Cause, ...]] = ()
    """What the database's own messages mean, before those that all have."""
    times_out: ClassVar[bool] = False
    """Whether the database itself gives up on a statement after its time."""
    nests: ClassVar[bool] = False
    """Whether one query groups by several sets of columns (``GROUPING SETS``)."""
    swaps: ClassVar[bool] = False
    """Whether one transaction can drop a table and give its name to another."""
    ignores_case: ClassVar[bool] = False
    """Whether two names that differ only in the case of ASCII's letters are one."""
    name_bytes: ClassVar[int | None] = None
    """How many bytes of a name are kept; the rest is cut off in silence."""
    own_tables: ClassVar[tuple[str, ...]] = ()
    """How names of tables begin that the database keeps for itself."""
    own_schemas: ClassVar[tuple[str, ...]] = ()
    """How names of schemas begin that the database keeps for itself."""
    then_write: ClassVar[tuple[str, ...]] = ()
    """What lets a transaction write that was kept from writing before its time."""
    listing: ClassVar[str] = "string_agg(CAST({0} AS VARCHAR(20)), ',' ORDER BY {0})"
    """The SQL of the whole numbers of a group as one text, in their order."""
    shortest: ClassVar[str | None] = None
    """The SQL of a float of 32 bits as the one of 64 bits with the same shortest decimal, if there is one."""

    def module(self) -> Any:
        """Return the driver's package, or say how to get it."""
        return imported(f"adbc_driver_{self.driver}", f"Reading a {self.driver} database", "database")

    def database(self, source: DatabaseTable, *, writable: bool) -> Any:
        """Return a database that connections can be made to."""
        del writable
        return self.module().connect(address(source))

    def check(self, source: DatabaseTable) -> None:
        """Refuse a source before a connection is made."""

    def begin(self, source: DatabaseTable, *, writable: bool) -> Sequence[str]:
        """Return what a transaction begins with, so that it sees one state, and writes nothing before its time."""
        del source, writable
        return ()

    def file(self, source: DatabaseTable) -> Path | None:
        """Return the file that is the database; None where it is none."""
        del source
        return None

    def same(self, one: DatabaseTable, other: DatabaseTable) -> bool:
        """Say whether two tables are surely in one database, for the same user."""
        mine, theirs = self.file(one), self.file(other)
        if mine is not None and theirs is not None:
            return mine.resolve() == theirs.resolve()
        return one.uri.partition(":")[2] == other.uri.partition(":")[2]

    def identifier(self, name: str) -> str:
        """Return a name as an identifier.

        Examples
        --------
        >>> print(Dialect("flightsql").identifier('a "zip" code'))
        "a ""zip"" code"
        """
        if "\0" in name:
            raise SourceError("A name in a database cannot hold the character NUL.")
        return f"{self.quote}{self.escaped(name)}{self.quote}"

    def escaped(self, name: str) -> str:
        """Return a name as it stands between its quotes."""
        return name.replace(self.quote, self.quote * 2)

    def relation(self, source: DatabaseTable) -> str:
        """Return what stands after FROM for a table or a query."""
        if source.query is not None:
            return f"(\n{source.query.strip().rstrip(';')}\n) AS tclose_source"
        return ".".join(self.identifier(part) for part in source.parts)

    def tables(self, most: int) -> str:
        """Return the query of all tables and views that people made: schema, which may be empty, and name."""
        return (
            "SELECT table_schema, table_name FROM information_schema.tables "  # noqa: S608 - a number of our own
            "WHERE table_schema <> 'information_schema' "
            f"ORDER BY table_schema, table_name LIMIT {most:d}"
        )

    def columns(self, connection: Connection, relation: str) -> tuple[DatabaseColumn, ...]:
        """Return the columns of a table or query, as they are grouped and fetched; here by the types that arrive."""
        schema = connection.schema(f"SELECT * FROM {relation} LIMIT 0")  # noqa: S608 - quoted, or the person's own
        return tuple(
            self.column(child.name, "VARCHAR" if child.dictionary is not None else duckdb_type(child.format))
            for child in schema.children
        )

    def column(self, name: str, kind: str | None, sent: str | None = None, value: str = "{0}") -> DatabaseColumn:
        """Return a column: its type here, None for one that has no place here, and what is fetched of it."""
        written = self.identifier(name)
        problem = None if kind else NESTED
        if kind == "FLOAT" and self.shortest is not None:
            kind, sent = "DOUBLE", self.shortest.format(written)
        return DatabaseColumn(name, written, kind or "VARCHAR", problem=problem, sent=(sent or written,), value=value)

    def settler(self, connection: Connection, source: DatabaseTable, relation: str) -> Settler | None:
        """Return what finds the types of columns when they are needed, where they are not known beforehand."""
        del connection, source, relation
        return None

    def notes(self, source: DatabaseTable, columns: Sequence[DatabaseColumn]) -> tuple[Note, ...]:
        """Return what has to be said of columns that are read."""
        texts = any(column.type == "VARCHAR" and not column.problem for column in columns)
        return (_collated(source),) if texts and not self.by_bytes else ()

    def cell(self, column: DatabaseColumn) -> str:
        """Return the SQL of a cell: equal for equal values, null where it is missing."""
        return column.sent[0]

    def instead(self, kind: str) -> str:
        """Return what stands for a missing value, beside a mark that says so."""
        return instead(kind)

    def rounded(self, column: DatabaseColumn, step: Fraction) -> str | None:
        """Return the SQL of the numbers of a column rounded exactly, null where one has no place; None if it cannot."""
        del column, step
        return None

    def indexed(self, name: str, keys: Sequence[str]) -> Sequence[str]:
        """Return what makes rows of an uploaded table quick to find by its keys, and by its column ``first``."""
        del name, keys
        return ()

    def by_content(self, row: str, cells: Sequence[str], seed: int) -> str:
        """Return an order of rows that follows from their content alone, never from where the original has them."""
        del row, seed
        return ", ".join(cells)

    def making(
        self, connection: Connection, place: str, query: str, original: DatabaseTable, columns: Mapping[str, bool]
    ) -> Sequence[str]:
        """Return what makes a table of a query.

        Parameters
        ----------
        connection
            The connection, to ask about the original.
        place
            The new table.
        query
            Its rows.
        original
            The table that they are made of.
        columns
            The columns, and whether each has the original's own cells.
        """
        del connection, original, columns
        return (f"CREATE TABLE {place} AS {query}",)

    def is_there(self, connection: Connection, target: DatabaseTable) -> bool:
        """Say whether there is a table already; False also where that shows only when it is made."""
        del connection, target
        return False


def address(source: DatabaseTable) -> str:
    """Return what a driver is to connect to."""
    return source.uri.split(":", 2)[2] if source.uri.lower().startswith("adbc:") else source.uri


def instead(kind: str) -> str:
    """Return the SQL of what stands for a missing value, in most dialects."""
    return "TIMESTAMP '2000-01-01 00:00:00'" if kind.startswith("TIMESTAMP") else _INSTEAD.get(kind, "0")


def _collated(source: DatabaseTable) -> Note:
    """Return the note that a database takes texts for the same by rules of its own."""
    server = Label(source.server, "The database")
    return Note(
        "texts-by-collation",
        naming("{} groups texts by its collation: texts that it takes for equal are one value here.", server),
        Hint("To tell texts apart by their bytes, give a query that selects them under a binary collation."),
    )


def counted_in(connection: Connection, query: str) -> bool:
    """Say whether a query that gives one number gives more than 0."""
    return bool(connection.rows(query)[0][0])


def duckdb_type(form: str) -> str | None:
    """Return the type that values of an Arrow format take here; None where they cannot be used.

    Examples
    --------
    >>> duckdb_type("l"), duckdb_type("d:12,2"), duckdb_type("tsu:UTC"), duckdb_type("+s")
    ('BIGINT', 'DECIMAL(12,2)', 'TIMESTAMP WITH TIME ZONE', None)
    """
    if form in _TYPES:
        return _TYPES[form]
    if digits := re.fullmatch(r"d:(\d+),(\d+)(?:,128)?", form):
        return f"DECIMAL({digits[1]},{digits[2]})"
    return next((kind for pattern, kind in _PATTERNS if re.fullmatch(pattern, form)), None)


__all__ = ["Cause", "Dialect", "address", "counted_in", "duckdb_type", "instead", "literal"]
