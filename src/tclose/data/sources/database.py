"""A table or a query of a database: its address, and how reports name it without its password."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tclose.data.labels import Label, public
from tclose.data.sources.source import Source
from tclose.errors import SourceError

_ADDRESS = re.compile(r"(?:postgres(?:ql)?://|sqlite:|adbc:[A-Za-z0-9_]+:)", re.IGNORECASE)
_PLAIN = re.compile(r'[^".]+')
_PART = re.compile(r'"(?:[^"]|"")+"|[^".]+')
_FILES = ("sqlite", "duckdb")
"""Drivers whose databases are files, so that an address holds no password."""
_WAYS = (
    "Name it after the address: postgresql://HOST/DATABASE#SCHEMA.TABLE, or by table=… or query=…, --table or --query."
)


@dataclass(frozen=True, init=False)
class DatabaseTable(Source):
    """A table, a view or a query of a database; its rows stay there, and only counts leave.

    Parameters
    ----------
    uri
        ``postgresql://[USER[:PASSWORD]@]HOST[:PORT]/DATABASE``, ``sqlite:PATH``, or ``adbc:DRIVER:URI`` for another
        database with an ADBC driver. What a PostgreSQL address leaves out comes from the usual places: ``PGUSER``,
        ``PGPASSWORD``, ``PGSERVICE``, ``~/.pgpass``.
    table
        The table: ``patients``, ``clinic.patients``, and in double quotes what has a dot: ``clinic."a.b"``.
    query
        A query instead of a table.
    timeout
        After how many seconds the database is to give up on a statement; by its own rule if left out.

    Examples
    --------
    >>> DatabaseTable("postgresql://ann:secret@db.example/clinic", table="public.patients")
    DatabaseTable('public.patients of postgresql://db.example/clinic')
    """

    uri: str = field(repr=False)
    table: str | None
    query: str | None = field(repr=False)
    timeout: float | None
    transaction: Any = field(repr=False, compare=False)
    """The open transaction of an engine in which it is read; None where each verb begins and ends its own."""
    shown_as: str | None = field(repr=False, compare=False)
    """How messages name the server or file; by its address if left out."""

    def __init__(
        self, uri: str, *, table: str | None = None, query: str | None = None, timeout: float | None = None
    ) -> None:
        if not is_database_address(uri):
            raise SourceError(
                "The address of a database begins with postgresql://, with sqlite: and a path, or with adbc:DRIVER:."
            )
        if table is None and query is None:
            uri, table = _divided(uri)
        if bool(table) == bool(query):
            given = "both a table and a query are given" if table else "no table is named"
            raise SourceError(f"Of {server_of(uri)}, {given}. {_WAYS}")
        if timeout is not None and not 0 < timeout < 10**6:
            raise SourceError("The timeout is a number of seconds, more than 0 and less than a million.")
        what = table or "a query"
        for name, value in (
            ("uri", uri),
            ("table", table or None),
            ("query", query),
            ("timeout", timeout),
            ("transaction", None),
            ("shown_as", None),
            ("label", Label(f"{what} of {server_of(uri)}", what)),
        ):
            object.__setattr__(self, name, value)
        if table:
            table_parts(table)

    def __repr__(self) -> str:
        return f"DatabaseTable({self.label!r})"

    def within(self, transaction: object) -> DatabaseTable:
        """Return the same table, read in a transaction that is open already."""
        found = copy(self)
        object.__setattr__(found, "transaction", transaction)
        return found

    def waiting_as(self, name: str) -> DatabaseTable:
        """Return a table of another name in the same schema, called as this one is."""
        found = copy(self)
        object.__setattr__(found, "table", table_name((*self.parts[:-1], name)))
        return found

    def named(self, label: str, server: str | None = None) -> DatabaseTable:
        """Return the same table under another name for reports, and its server under another for messages."""
        found = copy(self)
        object.__setattr__(found, "label", label)
        object.__setattr__(found, "shown_as", server)
        return found

    @property
    def dataset(self) -> tuple[str, str]:
        """The namespace and the name under which catalogues of datasets know the table."""
        place = urlsplit(self.server)
        if not place.netloc or len(place.path) < 2:
            return "file", public(self.label)
        return f"{place.scheme}://{place.netloc}", f"{place.path[1:]}.{self.table or 'a query'}"

    @property
    def driver(self) -> str:
        """The name of the database's driver: ``postgresql``, ``sqlite``, or another."""
        return driver_of(self.uri)

    @property
    def server(self) -> str:
        """The server or file, as messages name it: without user, password and settings."""
        return self.shown_as or server_of(self.uri)

    @property
    def address(self) -> str | None:
        """The address of the table without user, password and settings, to be kept in a file; None for a query."""
        kept = self.table is not None and self.driver in ("postgresql", *_FILES)
        return f"{self.server}#{self.table}" if kept else None

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the table's name: schema and table, or the table alone.

        Examples
        --------
        >>> DatabaseTable("sqlite:a.db", table='main."the ""best"".one"').parts
        ('main', 'the "best".one')
        """
        return table_parts(self.table or "")


def table_parts(table: str) -> tuple[str, ...]:
    """Return the parts of a table's name, or refuse what is none.

    Examples
    --------
    >>> table_parts('main."the ""best"".one"')
    ('main', 'the "best".one')
    """
    found = _PART.findall(table)
    if ".".join(found) != table:
        raise SourceError(
            f"{table!r} is not the name of a table. Write SCHEMA.TABLE; a part with a dot or a quote stands "
            'in double quotes, in which "" is a quote.'
        )
    return tuple(part[1:-1].replace('""', '"') if part.startswith('"') else part for part in found)


def table_name(parts: Sequence[str]) -> str:
    """Return the name of a table by its parts, as :func:`table_parts` reads it.

    Examples
    --------
    >>> print(table_name(["main", 'the "best".one']))
    main."the ""best"".one"
    """
    return ".".join(part if _PLAIN.fullmatch(part) else f'"{part.replace(chr(34), chr(34) * 2)}"' for part in parts)


def _divided(uri: str) -> tuple[str, str]:
    """Divide an address from the table that it ends in, if it does."""
    address, sign, table = uri.rpartition("#")
    if sign and "@" in table and "@" not in address:
        raise SourceError("In the address of a database, the sign # is written as %23 in a password.")
    return (address, table) if sign else (uri, "")


def is_database_address(table: object) -> bool:
    """Say whether a text is the address of a database."""
    return isinstance(table, str) and _ADDRESS.match(table) is not None


def is_database(table: object) -> bool:
    """Say whether what a caller names is in a database."""
    return isinstance(table, DatabaseTable) or is_database_address(table)


def driver_of(uri: str) -> str:
    """Return the driver that an address stands for."""
    scheme, _, rest = uri.partition(":")
    scheme = scheme.lower()
    if scheme == "adbc":
        return rest.partition(":")[0].lower()
    return "postgresql" if scheme == "postgres" else scheme


def server_of(uri: str) -> str:
    """Return an address without user, password and settings.

    Examples
    --------
    >>> server_of("postgresql://ann:p%40ss@db.example:5433/clinic?sslpassword=x")
    'postgresql://db.example:5433/clinic'
    >>> server_of("sqlite:clinic.db"), server_of("adbc:snowflake:ann:secret@account/clinic")
    ('sqlite:clinic.db', 'a snowflake database')
    """
    driver = driver_of(uri)
    if driver in _FILES:
        return uri.partition("?")[0]
    if driver != "postgresql" or uri.lower().startswith("adbc:"):
        return f"a {driver} database"
    try:
        found = urlsplit(uri)
    except ValueError:
        return "a PostgreSQL database"
    host = found.netloc.rpartition("@")[2]
    plain = bool(re.fullmatch(r"[\w.,:\[\]%-]*", host) and re.fullmatch(r"[\w./%-]*", found.path))
    plain = plain and "@" not in found.query + found.fragment  # a password that is not written as addresses want it
    return f"postgresql://{host}{found.path}" if plain else "a PostgreSQL database"


def files_of_database(uri: str) -> list[Path]:
    """Return the files that a database on this machine is kept in; none where a server keeps it.

    Examples
    --------
    >>> [path.name for path in files_of_database("sqlite:data/clinic.db#patients")]
    ['clinic.db', 'clinic.db-wal', 'clinic.db-shm', 'clinic.db-journal', 'clinic.db.wal']
    """
    driver = driver_of(uri)
    if driver not in ("sqlite", "duckdb"):
        return []
    begins = uri.lower().find(f"{driver}:") + len(driver) + 1
    path = uri[begins:].partition("#")[0].partition("?")[0].removeprefix("file:")
    candidates = [Path(path[2:]), Path(path[3:])] if path.startswith("///") else [Path(path)]
    file = next((candidate for candidate in candidates if candidate.exists()), candidates[-1])
    return [file, *(file.with_name(f"{file.name}{ending}") for ending in ("-wal", "-shm", "-journal", ".wal"))]
