"""DuckDB files through their driver: what their types become, and that a query reaches nothing but their tables."""

from __future__ import annotations

import datetime as dt
import sqlite3
import subprocess
import sys
from contextlib import nullcontext
from decimal import Decimal

import duckdb
import pytest

import tclose
from tclose.anonymization.output import held
from tclose.data.sources import DatabaseTable
from tclose.engines.database import connection
from tclose.engines.database.dialect import Dialect
from tclose.engines.database.session import DatabaseSession
from tclose.errors import EngineFailedError, SourceError

ROLES = tclose.Roles(quasi="q", sensitive="s")


@pytest.fixture
def clinic(tmp_path):
    """The address of a file with a table, a sequence, and a view of another file."""
    path = tmp_path / "clinic.duckdb"
    (tmp_path / "secret.csv").write_text("q,s\n1,CANARY\n")
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE TABLE people AS SELECT i % 3 AS q, i % 5 AS s FROM range(60) AS r(i)")
        made.execute("CREATE SEQUENCE counter")
        made.execute(f"CREATE VIEW abroad AS FROM read_csv('{tmp_path / 'secret.csv'}')")
    return f"adbc:duckdb:{path}"


def typed(tmp_path, kind, *cells):
    """Return what a column of a type holds, as an audit would see it."""
    path = tmp_path / "typed.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute(f"CREATE OR REPLACE TABLE typed (q {kind})")
        for cell in cells:
            made.execute(f"INSERT INTO typed VALUES ({cell})")
    session = DatabaseSession()
    return session.values(session.open(f"adbc:duckdb:{path}#typed").keep(["q"]), ("q",))


TYPES = {
    "BOOLEAN": (["true", "NULL"], {True, None}, "truth"),
    "UTINYINT": (["255"], {255}, "number"),
    "BIGINT": (["9223372036854775807", "NULL"], {2**63 - 1, None}, "number"),
    "HUGEINT": ([str(2**127 - 1), "7"], {2**127 - 1, 7}, "number"),
    "UHUGEINT": ([str(2**128 - 1)], {2**128 - 1}, "number"),
    "FLOAT": (["0.5", "'NaN'", "0.1", "1e10"], {0.5, None, 0.1, 1e10}, "number"),
    "DOUBLE": (["'-Infinity'", "'NaN'", "NULL", "-0.0", "0.0"], {float("-inf"), None, 0.0}, "number"),
    "DECIMAL(38,3)": (["1.5", "1.50", "12345678901234567890123456789012345.125"],
                      {Decimal("1.5"), Decimal("12345678901234567890123456789012345.125")}, "number"),
    "VARCHAR": (["'a'", "'A'", "''", "'é'", "'e\u0301'", "'a' || chr(0)"],
                {"a", "A", "", "é", "e\u0301", "a\0"}, "text"),
    "VARCHAR COLLATE NOCASE": (["'a'", "'A'"], {"a", "A"}, "text"),
    "DATE": (["'2020-02-29'", "NULL"], {dt.date(2020, 2, 29), None}, "time"),
    "TIME": (["'10:30:00.5'"], {dt.time(10, 30, 0, 500000)}, "time"),
    "TIMESTAMP": (["'2020-01-01 12:00:00.25'"], {dt.datetime(2020, 1, 1, 12, 0, 0, 250000)}, "time"),
    "TIMESTAMPTZ": (["'2020-01-01 12:00:00+02'", "'2020-01-01 10:00:00+00'"],
                    {dt.datetime(2020, 1, 1, 10, tzinfo=dt.UTC)}, "time"),
    "INTERVAL": (["'24 hours'"], {dt.timedelta(hours=24)}, "time"),
    "UUID": (["'a2345678-1234-1234-1234-123456789012'"], {"a2345678-1234-1234-1234-123456789012"}, "text"),
    "BIT": (["'101'"], {"101"}, "text"),
}  # fmt: skip


@pytest.mark.parametrize("kind", TYPES)
def test_a_type_of_duckdb_has_the_values_that_it_means(tmp_path, kind):
    cells, expected, meaning = TYPES[kind]
    found = typed(tmp_path, kind, *cells)
    assert set(found.values) == expected
    assert (found.kind, int(found.counts.sum())) == (meaning, len(cells))


def test_an_enum_keeps_its_order(tmp_path):
    found = typed(tmp_path, "ENUM('low', 'fair', 'it''s high')", "'it''s high'", "'low'", "NULL")
    assert set(found.values) == {"it's high", "low", None}
    assert found.categories == ("low", "fair", "it's high")


@pytest.mark.parametrize("kind", ["BLOB", "INTEGER[]", "STRUCT(a INTEGER)", "MAP(VARCHAR, INTEGER)", "JSON"])
def test_nested_and_binary_types_are_refused_where_they_are_named(tmp_path, kind):
    with pytest.raises(SourceError, match=r"'q'.*nested, binary"):
        typed(tmp_path, kind, "NULL")


ABROAD = {
    "a file": "SELECT 1 AS q, column0 AS s FROM read_csv('{folder}/secret.csv')",
    "a file by its name": "SELECT * FROM '{folder}/secret.csv'",
    "a listing": "SELECT file AS q, 1 AS s FROM glob('{folder}/*')",
    "an address": "SELECT * FROM 'https://example.org/secret.csv'",
    "a bucket": "SELECT * FROM read_parquet('s3://bucket/secret.parquet')",
    "an extension": "SELECT * FROM sqlite_scan('{folder}/a.db', 't')",
    "a sequence": "SELECT nextval('counter') AS q, s FROM people",
    "two statements": "SELECT * FROM people; DROP TABLE people",
    "a statement that is hidden": "SELECT * FROM people) AS a; DROP TABLE people; SELECT * FROM (SELECT 1 AS q, 2 AS s",
    "no query": "DELETE FROM people RETURNING q, s",
    "a file to write": "COPY people TO '{folder}/people.csv'",
    "another database": "ATTACH '{folder}/other.duckdb'",
    "a setting": "SET enable_external_access = true",
    "a secret": "SELECT name AS q, type AS s FROM duckdb_secrets()",
    "a text as a number": "SELECT CAST('CANARY' AS INTEGER) AS q, s FROM people",
}


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("which", ABROAD)
def test_a_query_reaches_nothing_but_the_tables_of_its_file(clinic, tmp_path, which, stored):
    table = DatabaseTable(clinic, query=ABROAD[which].format(folder=tmp_path))
    before = sorted(tmp_path.iterdir())
    with pytest.raises(SourceError) as caught, held(table, f"{clinic}#made") if stored else nullcontext(table) as read:
        tclose.audit(read, ROLES)
    assert "CANARY" not in str(caught.value)
    assert sorted(tmp_path.iterdir()) == before
    assert tclose.audit(f"{clinic}#people", ROLES).rows == 60


def test_a_view_of_another_file_is_refused(clinic):
    with pytest.raises(SourceError, match="only its tables may be read"):
        tclose.audit(f"{clinic}#abroad", ROLES)


def test_the_file_is_only_read(clinic, tmp_path):
    path = tmp_path / "clinic.duckdb"
    path.chmod(0o444)
    before = path.read_bytes()
    assert tclose.audit(f"{clinic}#main.people", ROLES).k == 20
    assert path.read_bytes() == before
    assert not path.with_name("clinic.duckdb.wal").exists()


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("adbc:duckdb:{folder}/nowhere.duckdb#t", "There is no DuckDB database"),
        ("adbc:duckdb::memory:#t", "There is no DuckDB database"),
        ("adbc:duckdb:md:cloud#t", "There is no DuckDB database"),
        ("adbc:duckdb:{folder}#t", "There is no DuckDB database"),
        ("adbc:duckdb:{folder}/secret.csv#t", "is not a whole DuckDB database"),
        ("adbc:duckdb:{folder}/other.db#t", "is not a whole DuckDB database"),
        ("adbc:duckdb:{folder}/clinic.duckdb#nothing", "has no table nothing"),
        ("adbc:duckdb:{folder}/clinic.duckdb#nowhere.people", "has no table nowhere.people"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(clinic, tmp_path, address, message):
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE t (q, s)")
    with pytest.raises(SourceError, match=message):
        tclose.audit(address.format(folder=tmp_path), ROLES)


def test_a_file_that_somebody_else_writes_to_is_an_engine_failure(clinic, tmp_path):
    holding = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", holding, str(tmp_path / "clinic.duckdb")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(EngineFailedError, match="in use by somebody who writes"):
            tclose.audit(f"{clinic}#people", ROLES)
        other.communicate(b"")
    assert tclose.audit(f"{clinic}#people", ROLES).rows == 60


ENDLESS = {
    "duckdb": "SELECT a.range AS q, 1 AS s FROM range(10000000000) AS a, range(10000) AS b WHERE a.range + b.range < 0",
    "sqlite": "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r LIMIT 30000000) "
    "SELECT count(*) AS q, 1 AS s FROM r",
}


@pytest.mark.parametrize("driver", ENDLESS)
def test_a_statement_gives_up_after_its_time(clinic, tmp_path, driver):
    sqlite3.connect(tmp_path / "a.db").close()
    address = clinic if driver == "duckdb" else f"sqlite:{tmp_path / 'a.db'}"
    with pytest.raises(EngineFailedError, match="time allowed"):
        tclose.audit(DatabaseTable(address, query=ENDLESS[driver], timeout=0.3), ROLES)
    assert tclose.audit(f"{clinic}#people", ROLES).rows == 60


def test_a_database_that_only_its_driver_is_known_of_says_how_it_takes_texts(tmp_path, monkeypatch):
    """Its collation is the database's own, so two texts may be one; where no text is read, nothing is said."""
    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE TABLE t (q VARCHAR COLLATE NOCASE, n INTEGER, s INTEGER)")
        made.execute("INSERT INTO t VALUES ('a', 1, 1), ('A', 1, 1)")
    address = f"adbc:duckdb:{path}#t"
    assert tclose.audit(address, ROLES).class_count == 2
    assert tclose.audit(address, ROLES).notes == ()
    monkeypatch.setattr(connection, "dialect_of", Dialect)
    found = tclose.audit(address, ROLES)
    assert found.class_count == 1
    assert [note.code for note in found.notes] == ["texts-by-collation"]
    assert tclose.audit(address, tclose.Roles(quasi="n", sensitive="s")).notes == ()
