"""A release stored in a database: the rows of the release, judged there, and nothing half-written."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing

import pytest
from servers import put_sqlite

import tclose
from tclose.anonymizing import storing
from tclose.anonymizing.storing import store
from tclose.errors import InternalError, SourceError

COLUMNS = {
    "age": [20 + at % 40 for at in range(400)],
    "zip": [f"47{at % 9}" if at % 50 else None for at in range(400)],
    "ill": ["abcd"[at * 7 % 4] for at in range(400)],
    "note": [at / 4 for at in range(400)],
}
ROLES = tclose.Roles(quasi=["age", "zip"], sensitive="ill")
REQUIRE = {"k": 5, "t": "0.3"}


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request, tmp_path):
    """An address, with a schema where there are some, under which there is no table ``released``."""
    if request.param == "sqlite":
        put_sqlite(tmp_path / "a.db", "people", COLUMNS, {})
        return f"sqlite:{tmp_path / 'a.db'}"
    started = request.getfixturevalue("postgresql")
    started.run("DROP SCHEMA IF EXISTS published CASCADE", "CREATE SCHEMA published", "DROP TABLE IF EXISTS people")
    import pyarrow as pa

    started.put("people", pa.table(COLUMNS))
    return started.address()


def schema_of(place):
    return "main" if place.startswith("sqlite") else "published"


def rows_of(place, request):
    """Return how often each row of the new table is there."""
    query = f"SELECT age, zip, ill, note FROM {schema_of(place)}.released"
    if place.startswith("sqlite"):
        with closing(sqlite3.connect(place.removeprefix("sqlite:"))) as connection:
            return Counter(connection.execute(query).fetchall())
    return Counter(request.getfixturevalue("postgresql").rows(query))


def test_a_stored_release_has_the_rows_and_the_audit_of_the_release(place, request):
    release = tclose.anonymize(f"{place}#people", ROLES, require=REQUIRE)
    target = f"{place}#{schema_of(place)}.released"
    own, original = store(release, target)
    assert own.holds
    assert original.rows == release.table.rows
    assert tclose.audit(target, ROLES, require=REQUIRE).holds
    frame = release.to_pandas()
    expected = Counter(frame.astype(object).where(frame.notna(), None).itertuples(index=False, name=None))
    assert rows_of(place, request) == expected


def test_a_table_that_is_there_is_not_touched(place):
    release = tclose.anonymize(f"{place}#people", ROLES, require=REQUIRE)
    with pytest.raises(SourceError, match="already"):
        store(release, f"{place}#people")
    assert tclose.audit(f"{place}#people", ROLES).rows == 400


def test_nothing_stays_of_a_release_that_does_not_hold_in_the_table(place, monkeypatch):
    release = tclose.anonymize(f"{place}#people", ROLES, require=REQUIRE)
    target = f"{place}#{schema_of(place)}.released"

    def refused(work, table):
        raise InternalError("It does not hold.")

    with monkeypatch.context() as patch:
        patch.setattr(storing.EngineWork, "_audits", refused)
        with pytest.raises(InternalError):
            store(release, target)
    with pytest.raises(SourceError, match="has no table"):
        tclose.audit(target, ROLES)
    store(release, target)
    assert tclose.audit(target, ROLES, require=REQUIRE).holds


def test_a_release_of_a_frame_can_go_into_a_new_file(tmp_path):
    release = tclose.anonymize(COLUMNS, ROLES, require=REQUIRE)
    target = f"sqlite:{tmp_path / 'new.db'}#released"
    store(release, target)
    assert tclose.audit(target, ROLES, require=REQUIRE).holds
