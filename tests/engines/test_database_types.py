"""What the types of PostgreSQL and the cells of SQLite become, and which are refused."""

from __future__ import annotations

import datetime as dt
import sqlite3
from decimal import Decimal

import numpy as np
import pytest

import tclose
from engines.servers import put_sqlite
from tclose.anonymization.output import held, store
from tclose.data.sources import DatabaseTable
from tclose.engines.database.session import DatabaseSession
from tclose.errors import EmptyTableError, InputError, SourceError


def values(table, name="q"):
    """Return what a column holds, as an audit would see it."""
    session = DatabaseSession()
    return session.values(session.open(table).keep([name]), (name,))


def made(postgresql, kind, *cells):
    postgresql.run(
        "DROP TABLE IF EXISTS typed",
        f"CREATE TABLE typed (q {kind})",
        *(f"INSERT INTO typed VALUES ({cell})" for cell in cells),
    )
    return f"{postgresql.address()}#typed"


TYPES = {
    "boolean": (["true", "false", "NULL"], {True, False, None}, "truth"),
    "smallint": (["-32768", "7"], {-32768, 7}, "number"),
    "bigint": (["9223372036854775807", "NULL"], {2**63 - 1, None}, "number"),
    "real": (["0.5", "'NaN'", "0.1", "1e10"], {0.5, None, 0.1, 1e10}, "number"),
    "double precision": (["'-Infinity'", "'NaN'", "NULL", "-0.0", "0.0"], {float("-inf"), None, 0.0}, "number"),
    "numeric(10,2)": (["1.5", "1.50", "'NaN'"], {Decimal("1.5"), None}, "number"),
    "numeric": (["12345678901234567890123456789012345.5", "0"],
                {Decimal("12345678901234567890123456789012345.5"), Decimal(0)}, "number"),
    "text": (["'a'", "'A'", "''", "'é'", "E'e\\u0301'"], {"a", "A", "", "é", "e\u0301"}, "text"),
    "varchar(9)": (["'a '", "'a'"], {"a ", "a"}, "text"),
    "char(5)": (["'a '", "'a'", "'b'"], {"a", "b"}, "text"),
    "date": (["'2020-02-29'", "NULL"], {dt.date(2020, 2, 29), None}, "time"),
    "time": (["'10:30:00.5'"], {dt.time(10, 30, 0, 500000)}, "time"),
    "timestamp": (["'2020-01-01 12:00:00.25'"], {dt.datetime(2020, 1, 1, 12, 0, 0, 250000)}, "time"),
    "timestamptz": (["'2020-01-01 12:00+02'", "'2020-01-01 10:00+00'"],
                    {dt.datetime(2020, 1, 1, 10, tzinfo=dt.UTC)}, "time"),
    "uuid": (["'a2345678-1234-1234-1234-123456789012'"], {"a2345678-1234-1234-1234-123456789012"}, "text"),
    "inet": (["'10.0.0.1'"], {"10.0.0.1/32"}, "text"),
    "oid": (["7"], {7}, "number"),
    "cidr": (["'10.0.0.0/8'"], {"10.0.0.0/8"}, "text"),
    "macaddr": (["'08002B:010203'"], {"08:00:2b:01:02:03"}, "text"),
    "bit(3)": (["B'101'"], {"101"}, "text"),
    "interval": (["'24 hours'", "'1 day'"], {"24:00:00", "1 day"}, "text"),
    "timetz": (["'10:30+02'"], {"10:30:00+02"}, "text"),
    "money": (["12.5"], {"$12.50"}, "text"),
}  # fmt: skip


@pytest.mark.parametrize("kind", TYPES)
def test_a_type_of_postgresql_has_the_values_that_it_means(postgresql, kind):
    cells, expected, meaning = TYPES[kind]
    found = values(made(postgresql, kind, *cells))
    assert set(found.values) == expected
    assert (found.kind, int(found.counts.sum())) == (meaning, len(cells))
    assert len(list(found.values)) == len(expected)


def test_a_float_of_32_bits_is_its_shortest_decimal_in_postgresql(postgresql):
    """NumPy writes it: shortest, then nearest, then even; what lies between two floats is read for the even one."""
    numbers = [1677721.75, 1677721.25, 48303.5625, 3e10, 16777216.0, 33554432.0, 18.3, 1e-7, 3.4028235e38, 1e-45]
    numbers += [sign * 5**power * 2.0**more for power in range(1, 12) for more in range(-14, 40, 3) for sign in (1, -1)]
    floats = {np.float32(number) for number in numbers}
    address = made(postgresql, "real", *(f"'{float(number)!r}'" for number in sorted(floats)))
    assert set(values(address).values) == {float(str(number)) for number in floats}


@pytest.mark.parametrize("kind", ["bytea", "json", "jsonb", "int[]", "point", "int4range"])
def test_nested_and_binary_types_are_refused_where_they_are_named(postgresql, kind):
    postgresql.run("DROP TABLE IF EXISTS nested", f"CREATE TABLE nested (q {kind}, r int, s int)",
                   "INSERT INTO nested VALUES (NULL, 1, 2)")  # fmt: skip
    address = f"{postgresql.address()}#nested"
    with pytest.raises(SourceError, match=r"'q'.*nested, binary"):
        tclose.audit(address, tclose.Roles(quasi="q", sensitive="s"))
    assert tclose.audit(address, tclose.Roles(quasi="r", sensitive="s")).rows == 1
    assert next(column for column in tclose.profile(address).columns if column.name == "q").role == "remove"


def test_an_enum_keeps_its_order(postgresql):
    postgresql.run("DROP TABLE IF EXISTS typed", "DROP TYPE IF EXISTS mood",
                   "CREATE TYPE mood AS ENUM ('low', 'fair', 'high')")  # fmt: skip
    found = values(made(postgresql, "mood", "'high'", "'low'", "NULL"))
    assert set(found.values) == {"high", "low", None}
    assert found.categories == ("low", "fair", "high")


def test_a_domain_is_what_it_is_made_of(postgresql):
    postgresql.run("DROP TABLE IF EXISTS typed", "DROP DOMAIN IF EXISTS positive",
                   "CREATE DOMAIN positive AS int CHECK (value > 0)")  # fmt: skip
    assert set(values(made(postgresql, "positive", "3", "4")).values) == {3, 4}


def test_texts_that_a_collation_takes_for_the_same_stay_apart(postgresql):
    if not postgresql.rows("SELECT 1 FROM pg_collation WHERE collprovider = 'i' LIMIT 1"):
        pytest.skip("this server was built without ICU")
    postgresql.run(
        "DROP TABLE IF EXISTS typed",
        "CREATE COLLATION IF NOT EXISTS blind (provider = icu, locale = 'und-u-ks-level1', deterministic = false)",
    )
    address = made(postgresql, "text COLLATE blind", "'a'", "'A'", "'á'")
    assert set(values(address).values) == {"a", "A", "á"}
    query = DatabaseTable(postgresql.address(), query="SELECT q FROM typed")
    assert set(values(query).values) == {"a", "A", "á"}


@pytest.mark.parametrize(("kind", "cell"), [("date", "'infinity'"), ("timestamp", "'-infinity'"),
                                            ("timestamptz", "'infinity'"), ("numeric", "'Infinity'"),
                                            ("numeric", "1e40")])  # fmt: skip
def test_what_has_no_place_here_is_refused(postgresql, kind, cell):
    with pytest.raises(SourceError, match=r"'q'.*(infinite|38 digits)"):
        values(made(postgresql, kind, cell))


def test_views_queries_and_quoted_names(postgresql):
    postgresql.run(
        'DROP SCHEMA IF EXISTS "my.schema" CASCADE',
        'CREATE SCHEMA "my.schema"',
        'CREATE TABLE "my.schema"."the ""table""; DROP" ("select" int, "a ""b" text, "Ünï" int)',
        """INSERT INTO "my.schema"."the ""table""; DROP" VALUES (1, 'x', 3), (1, 'y', 3), (2, NULL, 4)""",
        'CREATE VIEW "my.schema".v AS SELECT * FROM "my.schema"."the ""table""; DROP"',
    )
    columns = {"select": [1, 1, 2], 'a "b': ["x", "y", None], "Ünï": [3, 3, 4]}
    roles = tclose.Roles(quasi=["select", "Ünï"], sensitive='a "b')
    expected = tclose.audit(columns, roles).to_dict() | {"source": ""}
    name = '"my.schema"."the ""table""; DROP"'
    for table in (
        DatabaseTable(postgresql.address(), table=name),
        f"{postgresql.address()}#{name}",
        f'{postgresql.address()}#"my.schema".v',
        DatabaseTable(postgresql.address(), query=f"SELECT * FROM {name} -- a remark"),
        DatabaseTable(postgresql.address(), query=f"WITH t AS (SELECT * FROM {name}) TABLE t;", timeout=20),
    ):
        assert tclose.audit(table, roles).to_dict() | {"source": ""} == expected


def test_sixteen_hundred_columns(postgresql):
    postgresql.run(
        "DROP TABLE IF EXISTS wide",
        f"CREATE TABLE wide ({', '.join(f'c{at} int' for at in range(1600))})",
        "INSERT INTO wide (c0, c1599) VALUES (1, 2), (1, 3)",
    )
    found = tclose.audit(f"{postgresql.address()}#wide", tclose.Roles(quasi="c0", sensitive="c1599"))
    assert (found.rows, found.k) == (2, 2)


def test_sixteen_hundred_columns_are_recoded_where_they_are(postgresql):
    names = [f"c{at}" for at in range(1600)]
    postgresql.run(
        "DROP TABLE IF EXISTS wide, narrow",
        f"CREATE TABLE wide ({', '.join(f'{name} int' for name in names)})",
        "INSERT INTO wide (c0, c1598, c1599) SELECT at % 3, at, at % 2 FROM generate_series(1, 12) AS g(at)",
    )
    roles = tclose.Roles(quasi="c0", sensitive="c1599", others="publish")
    with held(f"{postgresql.address()}#wide", f"{postgresql.address()}#narrow") as table:
        store(tclose.anonymize(table, roles, require={"k": 5}), f"{postgresql.address()}#narrow")
    found = postgresql.rows("SELECT c1598, c1599 FROM narrow ORDER BY c1598")
    assert found == [(at, at % 2) for at in range(1, 13)]
    assert tclose.audit(f"{postgresql.address()}#narrow", roles, require={"k": 5}).holds


@pytest.mark.parametrize("where", ["sqlite", "postgresql"])
def test_an_empty_table_is_said_to_be_empty(where, request, tmp_path):
    if where == "sqlite":
        address = put_sqlite(tmp_path / "a.db", "empty", {"q": [], "s": []}, {})
    else:
        address = made(request.getfixturevalue("postgresql"), "int, s int")
    with pytest.raises(EmptyTableError, match="no rows"):
        tclose.audit(address, tclose.Roles(quasi="q", sensitive="s"))
    with pytest.raises(EmptyTableError, match="no rows"):
        tclose.profile(address)


CELLS = {
    "whole numbers": ([1, -(2**63), None, 2**63 - 1], {1, -(2**63), None, 2**63 - 1}, "number"),
    "whole and real numbers": ([1, 0.5, None], {1.0, 0.5, None}, "number"),
    "texts": (["", "a\0b", "é", None, "NULL"], {"", "a\0b", "é", None, "NULL"}, "text"),
    "nothing": ([None, None], {None}, "text"),
    "nothing for long, then text": ([None] * 70_000 + ["x"], {None, "x"}, "text"),
    "nothing for long, then numbers": ([None] * 70_000 + [0.5], {None, 0.5}, "number"),
}


@pytest.mark.parametrize("which", CELLS)
def test_the_cells_of_sqlite_have_the_type_that_all_of_them_have(tmp_path, which):
    cells, expected, meaning = CELLS[which]
    columns = {"q": cells, "k": list(range(len(cells)))}
    address = put_sqlite(tmp_path / "a.db", "t", columns, {})
    session = DatabaseSession()
    kept = session.open(address).keep(["q", "k"])
    session.cube(kept, ("q", "k"), lambda _stage, _share: None)
    found = session.values(kept, ("q",))
    assert set(found.values) == expected
    assert (found.kind, int(found.counts.sum())) == (meaning, len(cells))


@pytest.mark.parametrize("cells", [[1, "a"], [b"x", None], [2**53 + 1, 0.5]])
def test_mixed_and_binary_cells_of_sqlite_are_refused(tmp_path, cells):
    address = put_sqlite(tmp_path / "a.db", "t", {"q": cells, "s": [1, 2]}, {})
    with pytest.raises(SourceError, match=r"'q'.*cannot be used"):
        tclose.audit(address, tclose.Roles(quasi="q", sensitive="s"))


def test_texts_that_sqlite_takes_for_the_same_stay_apart(tmp_path):
    address = put_sqlite(tmp_path / "a.db", "t", {"q": ["a", "A", "b "], "s": [1, 2, 3]}, {"q": "TEXT COLLATE NOCASE"})
    assert set(values(address).values) == {"a", "A", "b "}


def test_a_query_with_two_columns_of_a_name_is_refused(tmp_path):
    path = tmp_path / "a.db"
    put_sqlite(path, "t", {"q": [1], "s": [1]}, {})
    table = DatabaseTable(f"sqlite:{path}", query='SELECT q, s AS "q" FROM t')
    with pytest.raises(InputError):
        tclose.audit(table, tclose.Roles(quasi="q", sensitive="s"))


def test_another_database_is_read_by_the_name_of_its_driver(tmp_path):
    import duckdb

    path = tmp_path / "a.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT i % 3 AS q, (i % 5)::DECIMAL(4,1) AS s, [i] AS n FROM range(100) r(i)"
        )
    roles = tclose.Roles(quasi="q", sensitive="s:ordered")
    columns = {"q": [i % 3 for i in range(100)], "s": [Decimal(i % 5) for i in range(100)]}
    found = tclose.audit(f"adbc:duckdb:{path}#t", roles)
    assert found.unprotected == ("n",)
    assert [each.name for each in found.columns] == ["q", "s", "n"]
    other = {"source": "", "unprotected": [], "columns": []}
    assert found.to_dict() | other == tclose.audit(columns, roles).to_dict() | other
    with pytest.raises(SourceError, match="nested"):
        tclose.audit(f"adbc:duckdb:{path}#t", tclose.Roles(quasi="n", sensitive="s"))


@pytest.mark.parametrize("slashes", ["", "//"])
def test_a_sqlite_file_is_only_read(tmp_path, slashes):
    path = tmp_path / "read only?#1.db"
    put_sqlite(path, "t", {"q": [1, 1], "s": [1, 2]}, {})
    path.chmod(0o444)
    before = path.read_bytes()
    table = DatabaseTable(f"sqlite:{slashes}{path}", table="main.t")
    assert tclose.audit(table, tclose.Roles(quasi="q", sensitive="s")).k == 2
    assert path.read_bytes() == before
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchall() == [(2,)]
