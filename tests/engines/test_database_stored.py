"""A release stored in a database: recoded there or sent there, judged there, and nothing half-written."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext

import pyarrow as pa
import pytest

import tclose
from engines.servers import execute, put_duckdb, put_sqlite, rows_of
from tclose.anonymization import output as storing
from tclose.anonymization.output import held, store
from tclose.engines.database import released
from tclose.engines.database.connection import Connection
from tclose.errors import EngineFailedError, InputError, InternalError, SourceError

COLUMNS = {
    "age": [20 + at % 40 for at in range(400)],
    "zip": [f"47{at % 9}" if at % 50 else None for at in range(400)],
    "ill": ["abcd"[at * 7 % 4] for at in range(400)],
    "note": [at / 4 for at in range(400)],
}
ROLES = tclose.Roles(quasi=["age", "zip"], sensitive="ill", publish="all")
REQUIRE = {"k": 5, "t": "0.3"}
ASKED = {"require": REQUIRE, "method": "gather"}
"""A search that takes a fifth of the time of all: what is stored is looked at here, not how it was found."""


@pytest.fixture(params=["sqlite", "postgresql", "duckdb"])
def place(request, tmp_path):
    """An address, with a schema where there are some, under which there is no table ``released``."""
    if request.param == "sqlite":
        put_sqlite(tmp_path / "a.db", "people", COLUMNS, {})
        return f"sqlite:{tmp_path / 'a.db'}"
    if request.param == "duckdb":
        address = put_duckdb(tmp_path / "a.duckdb", "people", pa.table(COLUMNS))
        execute(address, "CREATE SCHEMA published")
        return address.partition("#")[0]
    started = request.getfixturevalue("postgresql")
    started.run("DROP SCHEMA IF EXISTS published CASCADE", "CREATE SCHEMA published")
    started.put("people", pa.table(COLUMNS))
    return started.address()


@pytest.fixture(params=["recoded there", "sent there"])
def keeping(request):
    """How a table is read: in a transaction that stays open for the release, or in one of its own."""
    return held if request.param == "recoded there" else lambda table, _into: nullcontext(table)


def target_in(place):
    return f"{place}#{'main' if place.startswith('sqlite') else 'published'}.released"


def listed(release):
    """Return how often each row of a release is there."""
    frame = release.to_pandas()
    return Counter(frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None))


@pytest.mark.parametrize("method", ["full-domain", "gather"])
def test_a_stored_release_has_the_rows_and_the_audit_of_the_release(place, keeping, method):
    target = target_in(place)
    with keeping(f"{place}#people", target) as table:
        release = tclose.anonymize(table, ROLES, require=REQUIRE, method=method, suppress="0.1")
        stored = store(release, target)
    assert stored.audit.holds
    assert stored.against_original.rows == release.table.rows
    assert tclose.audit(target, ROLES, require=REQUIRE).holds
    beside = tclose.anonymize(COLUMNS, ROLES, require=REQUIRE, method=method, suppress="0.1")
    assert Counter(row[:3] for row in rows_of(target)) == Counter(row[:3] for row in listed(beside).elements())
    assert {row[3] for row in rows_of(target)} <= {*COLUMNS["note"]}


def test_a_recipe_makes_the_same_table_again(place, keeping):
    target = target_in(place)
    with keeping(f"{place}#people", target) as table:
        release = tclose.anonymize(table, ROLES, **ASKED)
        store(release, target)
    first = rows_of(target)
    execute(place, f"DROP TABLE {target.partition('#')[2]}")
    with keeping(f"{place}#people", target) as table:
        store(tclose.apply(table, release.recipe), target)
    assert rows_of(target) == first


def test_no_row_leaves_the_database_where_it_is_recoded_there(place, monkeypatch):
    asked = []
    batches = Connection.batches

    def watched(connection, query):
        schema, found = batches(connection, query)
        kept = list(found)
        asked.append((query, sum(batch.length for batch in kept)))
        return schema, iter(kept)

    monkeypatch.setattr(Connection, "batches", watched)
    target = target_in(place)
    with held(f"{place}#people", target) as table:
        store(tclose.anonymize(table, ROLES, **ASKED), target)
    distinct = len({*zip(COLUMNS["age"], COLUMNS["zip"], COLUMNS["ill"], strict=True)})
    assert max(rows for _, rows in asked) == distinct < 400
    told = ("count(*)", "max(", "CREATE TABLE")  # numbers about rows, not rows
    assert not any(rows for query, rows in asked if "note" in query and not any(word in query for word in told))
    assert len(rows_of(target)) == 400


def test_what_others_change_meanwhile_is_not_seen(postgresql):
    address = postgresql.put("moving", pa.table(COLUMNS))
    target = address.replace("#moving", "#moved")
    postgresql.run("DROP TABLE IF EXISTS moved")
    with held(address, target) as table:
        release = tclose.anonymize(table, ROLES, **ASKED)
        postgresql.run("DELETE FROM moving WHERE age < 40", "INSERT INTO moving VALUES (1, 'x', 'e', -1)")
        store(release, target)
    found = rows_of(target)
    assert len(found) == 400
    assert {row[2] for row in found} == {*"abcd"}


def test_the_order_of_the_original_does_not_show(place):
    found = []
    for turned in (COLUMNS, {name: values[::-1] for name, values in COLUMNS.items()}):
        execute(place, "DROP TABLE people", f"DROP TABLE IF EXISTS {target_in(place).partition('#')[2]}")
        if place.startswith("sqlite"):
            put_sqlite(place.removeprefix("sqlite:"), "people", turned, {})
        else:
            execute(place, "CREATE TABLE people (age bigint, zip text, ill text, note float)")
            with_values = zip(*turned.values(), strict=True)
            values = ", ".join(str(row).replace("None", "NULL") for row in with_values)
            execute(place, f"INSERT INTO people VALUES {values}")
        with held(f"{place}#people", target_in(place)) as table:
            store(tclose.anonymize(table, ROLES, **ASKED), target_in(place))
        found.append(rows_of(target_in(place)))
    assert found[0] == found[1]


def test_a_release_can_also_go_to_a_file_from_the_same_transaction(place, tmp_path):
    with held(f"{place}#people", target_in(place)) as table:
        release = tclose.anonymize(table, ROLES, **ASKED)
        release.write(tmp_path / "a.csv")
        store(release, target_in(place))
    tclose.anonymize(COLUMNS, ROLES, **ASKED).write(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert len(rows_of(target_in(place))) == 400


def test_a_table_that_is_there_is_not_touched_and_refused_before_any_work(place):
    with pytest.raises(SourceError, match="already"), held(f"{place}#people", f"{place}#people"):
        pytest.fail("work was done")
    release = tclose.anonymize(f"{place}#people", ROLES, **ASKED)
    with pytest.raises(SourceError, match="already"):
        store(release, f"{place}#people")
    with pytest.raises(SourceError, match="already"), held(COLUMNS, f"{place}#people"):
        pytest.fail("work was done")
    assert tclose.audit(f"{place}#people", ROLES).rows == 400


def test_nothing_stays_of_a_release_that_does_not_hold_in_the_table(place, keeping, monkeypatch, tmp_path):
    target, recipe = target_in(place), tmp_path / "recipe.json"

    def refused(*_):
        raise InternalError("It does not hold.")

    with keeping(f"{place}#people", target) as table:
        release = tclose.anonymize(table, ROLES, **ASKED)
        with monkeypatch.context() as patch:
            patch.setattr(storing.EngineWork, "audits_there", refused)
            with pytest.raises(InternalError):
                store(release, target, recipe=recipe)
    assert [path.name for path in tmp_path.iterdir() if path.suffix not in (".db", ".duckdb")] == []
    with pytest.raises(SourceError, match="has no table"):
        tclose.audit(target, ROLES)
    with keeping(f"{place}#people", target) as table:
        store(tclose.anonymize(table, ROLES, **ASKED), target, recipe=recipe)
    assert tclose.audit(target, ROLES, require=REQUIRE).holds
    assert tclose.apply(f"{place}#people", recipe).holds


def test_a_table_that_is_not_as_planned_does_not_stay(place, monkeypatch):
    make_table = released.make_table

    def changed(connection, table, plan, target):
        make_table(connection, table, plan, target)
        name = target_in(place).partition("#")[2]
        connection.run(f"UPDATE {name} SET ill = 'a' WHERE note = (SELECT min(note) FROM {name} WHERE ill <> 'a')")

    monkeypatch.setattr(released, "make_table", changed)
    target = target_in(place)
    with (
        pytest.raises(EngineFailedError, match="not what was counted"),
        held(f"{place}#people", target) as table,
    ):
        store(tclose.anonymize(table, ROLES, require={"k": 5}, method="gather"), target)
    with pytest.raises(SourceError, match="has no table"):
        tclose.audit(target, ROLES)


def test_columns_of_any_type_are_published_as_they_are(postgresql):
    postgresql.run(
        "DROP TABLE IF EXISTS typed, made",
        "DROP TYPE IF EXISTS mood",
        "CREATE TYPE mood AS ENUM ('low', 'high')",
        "CREATE TABLE typed (q int, z numeric(6,2), s mood, j json, a int[], i inet, b bytea, n numeric(5,1), "
        "c char(4), w timestamptz, p point)",
        """INSERT INTO typed SELECT at % 4, (at % 2) / 2.0, (ARRAY['low', 'high'])[1 + at % 2]::mood, '{"a": 1}',
        ARRAY[at, NULL], '10.0.0.1', '\\x00ff', 'NaN', 'x', '2020-01-01 00:00+02', '(1,2)'
        FROM generate_series(1, 40) AS g(at)""",
    )
    roles = tclose.Roles(quasi=["q", "z"], sensitive="s", publish="all")
    address, target = f"{postgresql.address()}#typed", f"{postgresql.address()}#made"
    with held(address, target) as table:
        release = tclose.anonymize(table, roles, require={"k": 5}, levels={"z": 0})
        store(release, target)
    kinds = (
        "SELECT attname::text, format_type(atttypid, atttypmod)::text FROM pg_attribute "
        "WHERE attrelid = '{}'::regclass AND attnum > 0 ORDER BY attnum"
    )
    before, after = (dict(postgresql.rows(kinds.format(name))) for name in ("typed", "made"))
    assert after == {**before, "q": "text", "z": "text"}
    texts = ", ".join(f"{name}::text" for name in "sjaibncwp")
    others = f"SELECT z::numeric(6,2)::text, {texts} FROM {{}}"
    assert Counter(postgresql.rows(others.format("made"))) == Counter(postgresql.rows(others.format("typed")))
    with pytest.raises(SourceError, match=r"'j'.*nested"):
        tclose.anonymize(address, roles, require={"k": 5})


def test_a_sqlite_table_keeps_the_types_that_were_declared(tmp_path):
    columns = {"q": [1, 2] * 10, "s": ["2020-01-01", "2021-02-03"] * 10, "b": [0, 1] * 10, "x": [b"\0", 1] * 10}
    address = put_sqlite(tmp_path / "a.db", "t", columns, {"q": "INTEGER", "s": "DATE", "b": "BOOLEAN"})
    target = f"sqlite:{tmp_path / 'a.db'}#made"
    roles = tclose.Roles(quasi="q", sensitive="s:ordered", publish="all")
    with held(address, target) as table:
        store(tclose.anonymize(table, roles, require={"k": 15}), target)
    declared = {row[1]: row[2] for row in rows_of(f"sqlite:{tmp_path / 'a.db'}#pragma_table_info('made')")}
    assert declared == {"q": "TEXT", "s": "DATE", "b": "BOOLEAN", "x": ""}
    assert Counter(row[1:] for row in rows_of(target)) == Counter(
        zip(columns["s"], columns["b"], columns["x"], strict=True)
    )


def test_a_query_that_would_write_is_refused_even_where_its_release_will_be_written(postgresql):
    postgresql.run("CREATE SEQUENCE IF NOT EXISTS counter", "DROP TABLE IF EXISTS made")
    query = "SELECT setval('counter', 5) AS q, 1 AS s FROM generate_series(1, 9)"
    table = tclose.DatabaseTable(postgresql.address(), query=query)
    roles = tclose.Roles(quasi="q", sensitive="s", publish="all")
    with (
        pytest.raises(SourceError, match="would change something"),
        held(table, f"{postgresql.address()}#made") as held_table,
    ):
        tclose.anonymize(held_table, roles, require={"k": 2})


def test_a_query_is_recoded_where_it_runs(place):
    query = tclose.DatabaseTable(place, query='SELECT age, zip AS k0, ill AS "q0", note AS x0 FROM people -- all')
    roles = tclose.Roles(quasi=["age", "k0"], sensitive="q0", publish="all")
    with held(query, target_in(place)) as table:
        store(tclose.anonymize(table, roles, **ASKED), target_in(place))
    assert tclose.audit(target_in(place), roles, require=REQUIRE).holds
    assert len(rows_of(target_in(place))) == 400


def test_a_release_of_a_frame_can_go_into_a_new_file(tmp_path):
    release = tclose.anonymize(COLUMNS, ROLES, **ASKED)
    target = f"sqlite:{tmp_path / 'new.db'}#released"
    with held(COLUMNS, target) as table:
        assert table is COLUMNS
    store(release, target)
    assert tclose.audit(target, ROLES, require=REQUIRE).holds


def test_a_release_that_does_not_hold_is_not_stored(tmp_path):
    release = tclose.anonymize({"q": [1, 2, 3], "s": [1, 2, 3]}, tclose.Roles(quasi="q", sensitive="s"),
                               require={"t": 0}, levels={"q": 0})  # fmt: skip
    with pytest.raises(InputError, match="none to store"):
        store(release, f"sqlite:{tmp_path / 'new.db'}#released")
