"""The class table: every class, sorted and written, whatever its columns are called."""

from __future__ import annotations

import datetime as dt
import json
import math

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from papers import TABLES
from tclose import Roles, audit
from tclose.engines.duckdb import classes as class_tables
from tclose.errors import ColumnNotFoundError, InputError

COLUMNS = {"q": ["b", "a", None, "a", "", "b", "b"], "s": ["x", "y", "x", "x", "y", "z", "x"]}
ROLES = Roles(quasi="q", sensitive="s:nominal")


@pytest.fixture
def classes():
    return audit(COLUMNS, ROLES, measure="all").classes


def test_classes_come_in_the_order_of_their_keys_nothing_first(classes):
    assert [(row["q"], row["size"]) for row in classes.rows()] == [(None, 1), ("", 1), ("a", 2), ("b", 3)]
    assert len(classes) == 4


@pytest.mark.parametrize("descending", [True, False])
def test_classes_are_sorted_by_any_column_and_then_by_key(classes, descending):
    rows = [(row["size"], row["q"]) for row in classes.rows(sort="size", descending=descending)]
    sizes = [size for size, _ in rows]
    assert sizes == sorted(sizes, reverse=descending)
    assert [key for size, key in rows if size == 1] == [None, ""]
    assert [row["q"] for row in classes.rows(sort="size", limit=1)] == ["b"]


def test_an_unknown_column_cannot_be_sorted_by(classes):
    with pytest.raises(ColumnNotFoundError, match="sizes"):
        list(classes.rows(sort="sizes"))


def test_infinite_figures_stay_infinite(classes):
    assert [row["s.delta"] for row in classes.rows()] == [math.inf] * 4


READERS = {
    "classes.csv": lambda path: pd.read_csv(path, keep_default_na=False).to_dict("records"),
    "classes.tsv": lambda path: pd.read_csv(path, sep="\t", keep_default_na=False).to_dict("records"),
    "classes.parquet": lambda path: pq.read_table(path).to_pylist(),
    "classes.jsonl": lambda path: [json.loads(line) for line in path.read_text().splitlines()],
}


@pytest.mark.parametrize("name", READERS)
def test_classes_are_written_whole_and_leave_nothing_beside_them(name, tmp_path):
    classes = audit(TABLES["salary"].as_mapping(), Roles(quasi=["zip", "age"], sensitive="salary:ordered")).classes
    path = tmp_path / name
    classes.write(path, sort="salary.t", descending=False)
    rows = READERS[name](path)
    assert [row["salary.t"] for row in rows] == pytest.approx([1 / 6, 17 / 72, 3 / 8])
    assert [row["zip"] for row in rows] == ["4790*", "476**", "476**"]
    assert list(tmp_path.iterdir()) == [path]


def test_an_unknown_ending_is_refused_and_writes_nothing(classes, tmp_path):
    with pytest.raises(InputError, match=r"\.xls"):
        classes.write(tmp_path / "classes.xls")
    assert list(tmp_path.iterdir()) == []


def test_classes_leave_as_frames(classes):
    expected = list(classes.rows())
    assert pl.DataFrame(classes).to_dicts() == expected
    assert classes.to_arrow().to_pylist() == expected
    assert classes.to_polars().to_dicts() == expected
    assert classes.to_pandas()["size"].tolist() == [row["size"] for row in expected]


def test_classes_that_wait_in_memory_and_those_that_moved_on_are_one_table(monkeypatch):
    monkeypatch.setattr(class_tables, "_HELD", 1)
    from laws.audited import counted

    expected = list(audit(COLUMNS, ROLES, drivers=False).classes.rows())
    with counted("rows in parts of two"):
        assert list(audit(COLUMNS, ROLES, drivers=False).classes.rows()) == expected


@pytest.mark.parametrize("name", ["size", "k", "s.t", 'a"b', "a b", "é", "c0", "w0", "f0"])
def test_a_quasi_identifier_may_have_any_name(name):
    found = audit({name: ["b", "a", "a"], "s": ["x", "y", "x"]}, Roles(quasi=name, sensitive="s:nominal"))
    rows = list(found.classes.rows())
    assert [row[name] for row in rows] == ["a", "b"]
    assert len(set(found.classes.columns)) == len(found.classes.columns)
    assert found["s"]["t"].worst.key == {name: "b"}


def test_two_audits_of_one_process_keep_their_classes_apart():
    one, other = (audit({"q": keys, "s": ["x", "y"]}, ROLES) for keys in (["a", "a"], ["b", "c"]))
    rows = one.classes.rows(), other.classes.rows()
    assert [len(list(each)) for each in rows] == [1, 2]


CELLS = (
    st.sampled_from([None, -3, 0, 7, 2**40, 2**62]),
    st.sampled_from([None, "", "A", "a", "ä", "b\n", "10", "9"]),
    st.sampled_from([None, -1, 0, 1]),
    st.sampled_from([None, -0.5, 0.0, 1e300, math.inf]),
    st.sampled_from([None, dt.date(1, 1, 1), dt.date(1970, 1, 1), dt.date(9999, 12, 31)]),
    st.sampled_from([None, -(2**62), 5, 2**62]),
)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*CELLS), min_size=1, max_size=12, unique=True), st.permutations(range(len(CELLS))))
def test_the_order_of_classes_is_that_of_their_values_whatever_types_make_up_a_key(rows, places):
    """Python's own order of the tuples is the oracle; every class has one row, so all of them are tied."""
    names = [f"q{at}" for at in places]
    frame = {f"q{at}": [row[at] for row in rows] for at in places} | {"s": ["x"] * len(rows)}
    types = [pa.int64(), pa.string(), pa.int8(), pa.float64(), pa.date32(), pa.int64()]
    table = pa.table(
        {name: pa.array(frame[name], types[at]) for name, at in zip(names, places, strict=True)} | {"s": frame["s"]}
    )
    found = audit(table, Roles(quasi=names, sensitive="s:nominal"), drivers=False)
    cells = [tuple(row[at] for at in places) for row in rows]
    expected = sorted(cells, key=lambda row: [(cell is not None, 0 if cell is None else cell) for cell in row])
    assert [tuple(row[name] for name in names) for row in found.classes.rows()] == expected
    assert [tuple(row[name] for name in names) for row in found.classes.rows(limit=3, offset=1)] == expected[1:4]
    assert [tuple(row[name] for name in names) for row in found.classes.rows(sort="size", limit=2)] == expected[:2]
    worst = found.figures["k"].worst
    assert tuple(worst.key.values()) == expected[0]
    assert worst.tied == len(rows)
