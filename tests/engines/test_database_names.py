"""Names that a database cuts off, or takes for one another: refused before anything is made or swapped."""

from __future__ import annotations

import pyarrow as pa
import pytest

import tclose
from engines.servers import rows_of
from tclose.errors import SourceError

KEPT = 63
"""The bytes that PostgreSQL keeps of a name (its manual, 4.1.1: NAMEDATALEN - 1)."""


def release_of(path, header):
    path.write_text(f"{header}\n1,2,x\n1,2,y\n", encoding="utf-8")
    return tclose.anonymize(path, tclose.Roles(quasi=header.split(",")[:2], sensitive="s"), require={"k": 2})


@pytest.mark.parametrize("file", ["sqlite:{0}/a.db", "adbc:duckdb:{0}/a.duckdb"])
def test_columns_that_differ_only_in_case_are_named_instead_of_an_engine_that_failed(tmp_path, file):
    release = release_of(tmp_path / "a.csv", "zip,ZIP,s")
    with pytest.raises(SourceError, match="'zip', 'ZIP' differ only in case"):
        release.write(f"{file.format(tmp_path)}#released")
    assert not [*tmp_path.glob("a.d*")]


def test_letters_beyond_ascii_have_a_case_in_sqlite(tmp_path):
    target = f"sqlite:{tmp_path / 'a.db'}#released"
    release_of(tmp_path / "a.csv", "\u00e9,\u00c9,s").write(target)
    assert len(rows_of(target)) == 2


def test_a_table_whose_name_is_the_beginning_of_the_asked_one_is_not_swapped(tmp_path, postgresql):
    postgresql.put("x" * KEPT, pa.table({"kept": [1, 2, 3]}))
    there = f"{postgresql.address()}#{'x' * KEPT}"
    release = release_of(tmp_path / "a.csv", "a,b,s")
    with pytest.raises(SourceError, match="keeps 63 bytes of a name"):
        release.write(f"{there}y", force=True)
    assert sorted(rows_of(there)) == [(1,), (2,), (3,)]
    postgresql.run(f"DROP TABLE {'x' * KEPT}")


def test_a_column_whose_name_would_be_cut_off_is_named(tmp_path, postgresql):
    release = release_of(tmp_path / "a.csv", "\u00e9" * 32 + ",b,s")
    with pytest.raises(SourceError, match="keeps 63 bytes of a name"):
        release.write(f"{postgresql.address()}#cut_off")


@pytest.mark.parametrize("name", ["sqlite_master", "SQLite_sequence", "main.sqlite_x"])
def test_tables_that_sqlite_keeps_for_itself_are_named_instead_of_an_engine_that_failed(tmp_path, name):
    release = release_of(tmp_path / "a.csv", "a,b,s")
    with pytest.raises(SourceError, match="for itself"):
        release.write(f"sqlite:{tmp_path / 'a.db'}#{name}", force=True)
    assert not [*tmp_path.glob("a.db*")]


@pytest.mark.parametrize("name", ["pg_catalog.pg_class", "pg_toast.x", "information_schema.x"])
def test_schemas_that_postgresql_keeps_for_itself_are_named(tmp_path, postgresql, name):
    release = release_of(tmp_path / "a.csv", "a,b,s")
    with pytest.raises(SourceError, match="for itself"):
        release.write(f"{postgresql.address()}#{name}", force=True)
