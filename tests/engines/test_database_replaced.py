"""A release written to a database from Python as from the command line, and a table swapped for it all at once."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tclose
from engines.servers import execute, put_duckdb, put_sqlite, rows_of
from tclose.anonymization.output import held, store
from tclose.cli import outcome
from tclose.engines.database import released
from tclose.errors import InputError

COLUMNS = {"age": [20 + at % 4 for at in range(40)], "ill": ["abcd"[at * 7 % 4] for at in range(40)]}
ROLES = tclose.Roles(quasi=["age"], sensitive="ill")


@pytest.fixture(params=["sqlite", "postgresql", "duckdb"])
def place(request, tmp_path):
    """An address with a table ``people``, and one ``shown`` that may be replaced."""
    if request.param == "sqlite":
        put_sqlite(tmp_path / "a.db", "people", COLUMNS, {})
        address = f"sqlite:{tmp_path / 'a.db'}"
    elif request.param == "duckdb":
        address = put_duckdb(tmp_path / "a.duckdb", "people", pa.table(COLUMNS)).partition("#")[0]
    else:
        started = request.getfixturevalue("postgresql")
        started.run("DROP TABLE IF EXISTS shown, made")
        started.put("people", pa.table(COLUMNS))
        address = started.address()
    execute(address, "CREATE TABLE shown (old INTEGER)", "INSERT INTO shown VALUES (1)")
    yield address
    if request.param == "postgresql":
        started.run("DROP TABLE IF EXISTS shown, made, people")


def tables(place):
    """Return the names of all tables."""
    if place.startswith("sqlite"):
        query = "SELECT name FROM sqlite_master WHERE type = 'table'"
    else:
        query = "SELECT table_name AS name FROM information_schema.tables WHERE table_schema IN ('public', 'main')"
    connection = released.Connection(tclose.DatabaseTable(place, query=query))
    try:
        return sorted(name for (name,) in connection.rows(query))
    finally:
        connection.close()


def made_of(table, **options):
    return tclose.anonymize(table, ROLES, require={"k": 5}, **options)


@pytest.mark.parametrize("where", ["frame", "database"])
def test_a_release_is_written_to_a_table_from_python(place, where):
    release = made_of(COLUMNS if where == "frame" else f"{place}#people")
    written = release.write(f"{place}#made")
    assert (written.audit.holds, written.recipe, written.report) == (True, None, None)
    assert len(rows_of(f"{place}#made")) == 40


@pytest.mark.parametrize("where", ["frame", "database", "held"])
def test_a_table_that_is_there_is_swapped_only_if_told(place, where):
    target = f"{place}#shown"
    release = made_of(COLUMNS if where == "frame" else f"{place}#people")
    before = tables(place)
    with pytest.raises(InputError, match="force=True"):
        release.write(target)
    assert rows_of(target) == [(1,)]
    if where == "held":
        with held(f"{place}#people", target, replace=True) as table:
            written = store(made_of(table), target, swapped=True)
    else:
        written = release.write(target, force=True)
    assert "tclose_" not in written.audit.source
    assert len(rows_of(target)) == 40
    assert tables(place) == before


def test_a_failure_leaves_the_table_that_is_there(place, monkeypatch):
    def fail(*_):
        raise KeyboardInterrupt

    release = made_of(f"{place}#people")
    before = tables(place)
    monkeypatch.setattr(released, "swap", fail)
    with pytest.raises(KeyboardInterrupt):
        release.write(f"{place}#shown", force=True)
    assert rows_of(f"{place}#shown") == [(1,)]
    assert tables(place) == before


def test_what_a_release_is_made_of_is_never_replaced(place):
    for source in (
        f"{place}#people",
        tclose.DatabaseTable(place, query="SELECT * FROM people"),
    ):
        with pytest.raises(InputError, match="never replaced"):
            made_of(source).write(f"{place}#people", force=True)
    assert len(rows_of(f"{place}#people")) == 40
    with pytest.raises(InputError, match="never replaced"), held(f"{place}#people", f"{place}#people", replace=True):
        pass


def test_the_command_line_swaps_a_table(place, capfd):
    asked = ["anonymize", f"{place}#people", "-q", "age", "-s", "ill", "--k", "5", "--into", "shown", "--quiet"]
    assert outcome(asked) == 2
    assert "--replace" in capfd.readouterr().err
    assert outcome([*asked, "--replace"]) == 0
    assert len(rows_of(f"{place}#shown")) == 40
    assert outcome([*asked[:-3], "--replace"]) == 2
