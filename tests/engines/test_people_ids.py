"""Odd ids of people: different texts are different people, however odd, and only a missing value is nobody."""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tclose
from tclose.errors import SourceError

ODD = ["NA", "NA", " a", "a", "a ", "A", "nan", "NaN", "null", "None", "-", "1", "01", "1.0", "  ", "\u00e9", "e\u0301"]
PEOPLE = len(set(ODD))
ROLES = tclose.Roles(quasi=["q"], sensitive=["s:nominal"], person="p")


def columns(ids: list[Any]) -> dict[str, list[Any]]:
    return {"q": ["x"] * len(ids), "s": [f"v{at % 5}" for at in range(len(ids))], "p": ids}


def as_sqlite(ids: list[Any], folder: Path) -> str:
    connection = sqlite3.connect(folder / "t.db")
    connection.execute("CREATE TABLE t (q TEXT, s TEXT, p)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", zip(*columns(ids).values(), strict=True))
    connection.commit()
    connection.close()
    return f"sqlite:{folder / 't.db'}#t"


def as_file(ids: list[Any], path: Path) -> Path:
    rows = [dict(zip(columns(ids), row, strict=True)) for row in zip(*columns(ids).values(), strict=True)]
    if path.suffix == ".parquet":
        pq.write_table(pa.table(columns(ids)), path)
    elif path.suffix == ".csv":
        pd.DataFrame(columns(ids)).to_csv(path, index=False, quoting=2)
    else:
        path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return path


WAYS: dict[str, Callable[[list[Any], Path], Any]] = {
    "parquet": lambda ids, folder: as_file(ids, folder / "t.parquet"),
    "csv": lambda ids, folder: as_file(ids, folder / "t.csv"),
    "jsonl": lambda ids, folder: as_file(ids, folder / "t.jsonl"),
    "sqlite": as_sqlite,
    "pandas": lambda ids, _: pd.DataFrame(columns(ids)),
    "polars": lambda ids, _: pl.DataFrame(columns(ids), strict=False),
    "arrow": lambda ids, _: pa.table(columns(ids)),
}


@pytest.mark.parametrize("way", WAYS)
def test_different_texts_are_different_people_in_every_format(way, tmp_path):
    audit = tclose.audit(WAYS[way](ODD, tmp_path), ROLES, drivers=False)
    assert (audit.people, audit.figures["k"].value) == (PEOPLE, PEOPLE)


@pytest.mark.parametrize("way", WAYS)
def test_people_whom_blanks_alone_tell_apart_are_told_of_in_every_format(way, tmp_path):
    (told,) = tclose.audit(WAYS[way]([" P1", "P1", "P1", "P2 ", " P2", "P3 "], tmp_path), ROLES).warnings
    assert (told.code, told.column) == ("person-blanks", "p")
    assert told.text.startswith("2 values of the column 'p' occur with different blanks around it")
    assert "P1" not in str(told)


def test_a_release_tells_of_people_whom_blanks_alone_tell_apart():
    padded, plain = columns(["P1 ", "P1", "P2"]), columns(["P1", "P2", " P3"])
    asked = {"require": {"k": 2}, "hierarchies": {"q": "flat"}}
    notes = [tclose.anonymize(each, ROLES, **asked).notes for each in (padded, plain)]
    assert ["person-blanks" in [note.code for note in some] for some in notes] == [True, False]


@pytest.mark.parametrize("way", WAYS)
def test_a_missing_id_is_nobody_in_every_format(way, tmp_path):
    with pytest.raises(SourceError, match="has 2 rows without a value in the column 'p'") as caught:
        tclose.audit(WAYS[way]([*ODD, None, None], tmp_path), ROLES, drivers=False)
    assert "NaN" not in str(caught.value)


@pytest.mark.parametrize("way", ["csv", "pandas", "polars", "arrow", "parquet"])
def test_a_number_that_is_none_is_nobody_and_both_zeros_are_one_person(way, tmp_path):
    numbers = [1.5, 2.5, 0.0, -0.0]
    assert tclose.audit(WAYS[way](numbers, tmp_path), ROLES, drivers=False).people == len(set(numbers))
    with pytest.raises(SourceError, match="has 1 row without a value in the column 'p'"):
        tclose.audit(WAYS[way]([*numbers, math.nan], tmp_path), ROLES, drivers=False)


@pytest.mark.parametrize("way", ["parquet", "jsonl", "pandas", "polars", "arrow", "sqlite"])
def test_an_empty_text_is_a_person_where_it_is_a_text(way, tmp_path):
    assert tclose.audit(WAYS[way](["", "a", ""], tmp_path), ROLES, drivers=False).people == len({"", "a"})


def test_an_id_declared_missing_is_nobody(tmp_path):
    read = tclose.ReadOptions(null=("", "NA"))
    with pytest.raises(SourceError, match="has 2 rows without a value in the column 'p'"):
        tclose.audit(as_file(ODD, tmp_path / "t.csv"), ROLES, drivers=False, read=read)


@pytest.mark.parametrize("more", [[], [math.inf], [-math.inf, math.inf]], ids=str)
@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()], ids=str)
def test_nan_is_missing_in_a_parquet_file_whose_bounds_leave_it_out(kind, more, tmp_path):
    """The least and the greatest number that a Parquet file names say nothing of NaN."""
    numbers = [1.5, math.nan, 2.5, math.nan, None, *more]
    table = pa.table({"q": pa.array(numbers, kind, from_pandas=False), "s": ["a"] * len(numbers)})
    pq.write_table(table, tmp_path / "t.parquet")
    roles = tclose.Roles(quasi=["q"], sensitive=["s:nominal"])
    for each in (tmp_path / "t.parquet", table):
        assert tclose.audit(each, roles, drivers=False).class_count == len({1.5, 2.5, None, *more})
