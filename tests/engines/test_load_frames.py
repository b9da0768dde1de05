"""Frames and Python values: nothing of them is lost, guessed or copied without need."""

from __future__ import annotations

import datetime as dt
import math
import random
import traceback
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pytest

import tclose
from canaries import CANARY
from engines.loading import connection, date, kept, loaded, rows, types
from tclose.errors import EmptyTableError, SourceError

Connection = duckdb.DuckDBPyConnection
__all__ = ["connection"]

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")


class OneShot:
    """A stream that can be read only once, and shows nothing but the Arrow interface."""

    def __init__(self, table: Any) -> None:
        self._reader = table.to_reader()
        self._spent = False

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        assert not self._spent
        self._spent = True
        return self._reader.__arrow_c_stream__(requested_schema)


COLUMNS = {"zip": ["007", "123", None], "n": [1, None, 3], "f": [1.5, 2.5, None]}
EXPECTED = [("007", 1, 1.5), ("123", None, 2.5), (None, 3, None)]
MAKERS: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pandas.DataFrame(COLUMNS).astype({"n": "Int64"}),
    "pandas with Arrow types": lambda: pyarrow.table(COLUMNS).to_pandas(types_mapper=pandas.ArrowDtype),
    "pandas with objects": lambda: pandas.DataFrame(COLUMNS, dtype=object),
    "polars": lambda: polars.DataFrame(COLUMNS),
    "polars lazy": lambda: polars.DataFrame(COLUMNS).lazy(),
    "Arrow table": lambda: pyarrow.table(COLUMNS),
    "Arrow batch": lambda: pyarrow.table(COLUMNS).to_batches()[0],
    "Arrow reader": lambda: pyarrow.table(COLUMNS).to_reader(),
    "foreign stream": lambda: OneShot(pyarrow.table(COLUMNS)),
    "DuckDB": lambda: duckdb.connect().sql(
        "SELECT * FROM (VALUES ('007', 1, 1.5::DOUBLE), ('123', NULL, 2.5), (NULL, 3, NULL)) AS t(zip, n, f)"
    ),
    "columns": lambda: COLUMNS,
    "records": lambda: [dict(zip(COLUMNS, row, strict=True)) for row in zip(*COLUMNS.values(), strict=True)],
    "arrays": lambda: {"zip": np.array(COLUMNS["zip"], dtype=object), "n": COLUMNS["n"], "f": COLUMNS["f"]},
}


@pytest.mark.parametrize("maker", MAKERS)
def test_every_kind_of_frame_gives_the_same_table(connection: Connection, maker: str) -> None:
    table = loaded(connection, MAKERS[maker]())
    assert table.rows == 3
    assert rows(table.keep(["zip", "n", "f"])) == EXPECTED
    assert rows(table.keep(["f"])) == [(1.5,), (2.5,), (None,)]


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_names_in_any_case_are_different_columns(connection: Connection, kind: str) -> None:
    columns = {"Age": [1], "age": [2], 'a "b"\n': [3]}
    made = {"pandas": pandas.DataFrame, "polars": polars.DataFrame, "pyarrow": pyarrow.table}[kind](columns)
    table = loaded(connection, made).keep(["age", "Age", 'a "b"\n'])
    assert rows(table) == [(2, 1, 3)]


@pytest.mark.parametrize("maker", ["pandas", "polars", "Arrow table", "columns"])
def test_the_order_of_the_rows_and_the_index_do_not_matter(connection: Connection, maker: str) -> None:
    order = list(range(3))
    random.Random(1).shuffle(order)
    shuffled: Any = {name: [values[at] for at in order] for name, values in COLUMNS.items()}
    made = {
        "pandas": lambda: pandas.DataFrame(shuffled, index=[7, 7, 7]).astype({"n": "Int64"}),
        "polars": lambda: polars.DataFrame(shuffled),
        "Arrow table": lambda: pyarrow.table(shuffled),
        "columns": lambda: shuffled,
    }[maker]()
    assert rows(kept(connection, made)) == EXPECTED


@pytest.mark.parametrize("maker", ["pandas", "polars", "Arrow table", "Arrow reader", "columns"])
def test_a_frame_without_rows_is_refused(connection: Connection, maker: str) -> None:
    empty = {
        "pandas": lambda: pandas.DataFrame({"a": []}),
        "polars": lambda: polars.DataFrame({"a": []}),
        "Arrow table": lambda: pyarrow.table({"a": []}),
        "Arrow reader": lambda: pyarrow.table({"a": []}).to_reader(),
        "columns": lambda: {"a": []},
    }[maker]()
    with pytest.raises(EmptyTableError):
        kept(connection, empty)


@pytest.mark.parametrize("empty", [pandas.DataFrame(), {}, [{}]], ids=["pandas", "columns", "records"])
def test_a_frame_without_columns_is_refused(connection: Connection, empty: object) -> None:
    with pytest.raises(EmptyTableError, match="no columns"):
        loaded(connection, empty)


# Declared orders


def test_declared_orders_are_kept(connection: Connection) -> None:
    levels = ["low", "middle", "high"]
    categorical = pandas.Categorical(["high", "low"], categories=levels, ordered=True)
    dictionary = pyarrow.DictionaryArray.from_arrays(pyarrow.array([2, 0]), pyarrow.array(levels), ordered=True)
    frames = [
        pandas.DataFrame({"o": categorical}),
        polars.DataFrame({"o": ["high", "low"]}, schema={"o": polars.Enum(levels)}),
        pyarrow.table({"o": dictionary}),
        pyarrow.table({"o": dictionary}).to_reader(),
        OneShot(pyarrow.table({"o": dictionary})),
        duckdb.connect().sql("SELECT o::ENUM('low', 'middle', 'high') AS o FROM (VALUES ('high'), ('low')) AS t(o)"),
    ]
    for frame in frames:
        table = kept(connection, frame)
        assert table.columns[0].categories == tuple(levels)
        assert table.columns[0].type == "VARCHAR"
        assert rows(table) == [("high",), ("low",)]


def test_categories_without_an_order_have_none(connection: Connection) -> None:
    frames = [
        pandas.DataFrame({"o": pandas.Categorical(["b", "a"])}),
        polars.DataFrame({"o": polars.Series(["b", "a"], dtype=polars.Categorical)}),
        pyarrow.table({"o": pyarrow.array(["b", "a"]).dictionary_encode()}),
    ]
    for frame in frames:
        assert kept(connection, frame).columns[0].categories is None


def test_chunks_that_disagree_on_the_order_have_none(connection: Connection) -> None:
    def chunk(levels: list[str]) -> Any:
        return pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1]), pyarrow.array(levels), ordered=True)

    table = pyarrow.table({"o": pyarrow.chunked_array([chunk(["a", "b"]), chunk(["b", "a"])])})
    assert kept(connection, table).columns[0].categories is None


def test_categories_that_are_not_text_keep_their_values_and_order(connection: Connection) -> None:
    frame = pandas.DataFrame(
        {
            "number": pandas.Categorical([3, 1, None], categories=[3, 1], ordered=True),
            "interval": pandas.cut([1, 5, math.nan], [0, 2, 6]),
        }
    )
    table = kept(connection, frame)
    assert rows(table) == [(1, "(2, 6]"), (3, "(0, 2]"), (None, None)]
    assert [column.categories for column in table.columns] == [("3", "1"), ("(0, 2]", "(2, 6]")]


# pandas


def test_every_null_of_pandas_is_null(connection: Connection) -> None:
    frame = pandas.DataFrame(
        {
            "object": pandas.Series(["x", None, float("nan"), pandas.NA, pandas.NaT], dtype=object),
            "real": [1.0, math.nan, None, math.nan, math.nan],
            "time": pandas.to_datetime(["2020-01-01", None, None, None, None]),
            "truth": pandas.array([True, None, None, None, None], dtype="boolean"),
        }
    )
    found = rows(kept(connection, frame))
    assert found.count((None, None, None, None)) == 4
    assert ("x", 1.0, dt.datetime(2020, 1, 1), True) in found


def test_labels_that_are_not_text_become_text_and_may_not_collide(connection: Connection) -> None:
    assert types(kept(connection, pandas.DataFrame([[1, "x"]]))) == {"0": "BIGINT", "1": "VARCHAR"}
    with pytest.raises(SourceError, match="same name: '1'"):
        loaded(connection, pandas.DataFrame([[1, 2]], columns=[1, "1"]))


def test_objects_are_typed_by_all_their_values(connection: Connection) -> None:
    frame = pandas.DataFrame(
        {
            "day": [dt.date(2020, 1, 1)] * 3,
            "money": [Decimal("1.10"), Decimal(2), None],
            "late": [1] * 2 + [2**70],
        },
        dtype=object,
    )
    table = kept(connection, frame)
    assert types(table) == {"day": "DATE", "money": "DECIMAL(38,2)", "late": "HUGEINT"}
    assert (date("2020-01-01"), None, 2**70) in rows(table)


def test_an_object_of_another_type_beyond_any_sample_is_noticed(connection: Connection) -> None:
    values: list[object] = [1] * 50_000 + [CANARY]
    table = loaded(connection, pandas.DataFrame({"a": pandas.Series(values, dtype=object), "b": 1}))
    assert len(rows(table.keep(["b"]))) == 50_001
    with pytest.raises(SourceError, match=r"column 'a' .* different types") as caught:
        table.keep(["a"])
    assert CANARY not in str(caught.value)


def test_types_foreign_to_sql_become_text_or_are_refused_when_used(connection: Connection) -> None:
    frame = pandas.DataFrame(
        {
            "period": pandas.period_range("2020-01", periods=2, freq="M"),
            "sparse": pandas.arrays.SparseArray([0, 5]),
            "complex": [1j, 2j],
            "list": [[1], [2]],
            "zone": pandas.to_datetime(["2020-01-01T12:00:00+02:00"] * 2),
        }
    )
    table = loaded(connection, frame)
    assert rows(table.keep(["period", "sparse", "zone"])) == [
        ("2020-01", 0, dt.datetime(2020, 1, 1, 10)),
        ("2020-02", 5, dt.datetime(2020, 1, 1, 10)),
    ]
    for name in ("complex", "list"):
        with pytest.raises(SourceError, match=f"column '{name}'"):
            table.keep([name])


@pytest.mark.parametrize("step", [-1, -2])
def test_a_frame_of_pandas_may_be_a_view_from_the_last_row_to_the_first(connection: Connection, step: int) -> None:
    """Such a view has the cells of the same rows picked one by one."""
    days = pandas.date_range("2020-01-01", periods=5)
    frame = pandas.DataFrame(
        {
            "n": range(5), "x": [0.5, 1.5, 2.5, 3.5, 4.5], "b": [True, False, True, True, False], "t": list("abcba"),
            "d": days, "z": days.tz_localize("Europe/Berlin"), "i": pandas.array([1, None, 3, 4, 5], dtype="Int64"),
            "c": pandas.Categorical(list("abcab")),
        }
    )  # fmt: skip
    picked = frame.iloc[list(range(5))[::step]].reset_index(drop=True)
    assert rows(loaded(connection, frame[::step])) == rows(loaded(connection, picked))


def test_the_callers_frame_is_not_changed(connection: Connection) -> None:
    frame = pandas.DataFrame({"a": pandas.Series([1, "x"], dtype=object), 2: pandas.Categorical([1, 2])}, index=[5, 5])
    before = frame.copy(deep=True)
    loaded(connection, frame)
    pandas.testing.assert_frame_equal(frame, before)


def test_numbers_of_a_frame_are_not_copied(connection: Connection) -> None:
    values = np.arange(3)
    table = kept(connection, pandas.DataFrame({"a": values}, copy=False))
    assert rows(table) == [(0,), (1,), (2,)]
    assert "tclose_copy" not in table.name


# polars, Arrow, DuckDB


def test_a_polars_column_of_objects_is_refused_only_when_used(connection: Connection) -> None:
    table = loaded(connection, polars.DataFrame({"a": [1], "o": polars.Series([object()], dtype=polars.Object)}))
    assert rows(table.keep(["a"])) == [(1,)]
    with pytest.raises(SourceError, match="column 'o'"):
        table.keep(["o"])


def test_nested_arrow_is_refused_only_when_used(connection: Connection) -> None:
    table = loaded(connection, pyarrow.table({"a": [1], "s": [{"x": 1}], "l": [[1]]}))
    assert rows(table.keep(["a"])) == [(1,)]
    for name in ("s", "l"):
        with pytest.raises(SourceError, match="nested"):
            table.keep([name])


def test_a_column_of_nothing_can_be_used(connection: Connection) -> None:
    table = kept(connection, pyarrow.table({"a": [1], "n": pyarrow.array([None])}))
    assert rows(table) == [(1, None)]
    assert types(table)["n"] in {"VARCHAR", "INTEGER"}  # INTEGER is what DuckDB 1.5 says of it


def test_two_arrow_columns_of_one_name_are_refused(connection: Connection) -> None:
    with pytest.raises(SourceError, match="same name: 'a'"):
        loaded(connection, pyarrow.table([[1], [2]], names=["a", "a"]))


def test_a_polars_column_of_nothing_can_be_used() -> None:
    audit = tclose.audit(polars.DataFrame({"q": [None, None], "s": [1, 2]}), tclose.Roles("q", "s:nominal"))
    assert audit.k == 2
    assert [row["q"] for row in audit.classes.rows()] == [None]


def test_a_frame_that_cannot_be_computed_does_not_leak_its_cells(connection: Connection) -> None:
    class Failing:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise RuntimeError(CANARY)

    lazy = polars.LazyFrame({"a": [CANARY]}).with_columns(polars.col("a").cast(polars.Int64))
    for frame in (lazy, Failing()):
        with pytest.raises(SourceError, match=r"could not be computed \(") as caught:
            loaded(connection, frame)
        assert CANARY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        ("TIMETZ '10:00:00+00', TIMETZ '10:00:00+05'", "time with time zone"),
        ("INTERVAL '1 month', INTERVAL '30 days'", "intervals of months and of days"),
    ],
)
def test_values_of_a_relation_that_would_become_one_are_refused(
    connection: Connection, values: str, problem: str
) -> None:
    table = loaded(connection, duckdb.connect().sql(f"SELECT unnest([{values}]) AS q, 1 AS s"))
    assert rows(table.keep(["s"])) == [(1,), (1,)]
    with pytest.raises(SourceError, match=problem):
        table.keep(["q"])


@pytest.mark.parametrize(
    ("values", "distinct"),
    [("'1 month', '12 months', '1 year'", 2), ("'1 day', '24 hours', '36 hours'", 2), ("'1 month', NULL, NULL", 1)],
)
def test_intervals_of_one_kind_are_compared(connection: Connection, values: str, distinct: int) -> None:
    relation = duckdb.connect().sql(f"SELECT unnest([{values}]::INTERVAL[]) AS q")
    table = kept(connection, relation)
    ((found,),) = connection.execute(f"SELECT count(DISTINCT c0) FROM {table.name}").fetchall()
    assert found == distinct


def test_durations_of_as_many_days_as_microseconds_are_told_apart() -> None:
    durations = [dt.timedelta(days=1), dt.timedelta(microseconds=1), dt.timedelta(0), dt.timedelta(days=100_000)]
    durations += [dt.timedelta(days=1, microseconds=1), dt.timedelta(days=2, microseconds=2)]
    frame = pyarrow.table({"q": pyarrow.array([*durations, None] * 2), "s": ["x"] * 14})
    assert (audit := tclose.audit(frame, tclose.Roles("q", "s:nominal"))).k == 2
    assert len(audit.classes) == 7
    visits = pyarrow.table({"id": pyarrow.array(durations * 2), "s": ["x"] * 12, "q": [1] * 12})
    assert tclose.audit(visits, tclose.Roles("q", "s:nominal", person="id")).k == 6


def test_a_relation_that_fails_does_not_leak_its_cells(connection: Connection) -> None:
    relation = duckdb.connect().sql(f"SELECT CAST(x AS INTEGER) AS a FROM (VALUES ('1'), ('{CANARY}')) AS t(x)")
    with pytest.raises(Exception, match="DuckDB relation") as caught:
        kept(connection, relation)
    assert CANARY not in str(caught.value)
    assert connection.execute("SELECT 1").fetchall() == [(1,)]


# Python values


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], "BIGINT"),
        ([1, 2.5], "DOUBLE"),
        ([True, None], "BOOLEAN"),
        (["x", None], "VARCHAR"),
        ([None, None], "VARCHAR"),
        ([dt.date(2020, 1, 1), None], "DATE"),
        ([dt.datetime(2020, 1, 1), dt.date(2020, 1, 1)], "TIMESTAMP"),
        ([dt.time(1, 2), None], "TIME"),
        ([Decimal("1.5"), 2], "DECIMAL(38,1)"),
        ([2**100, 1], "HUGEINT"),
        (np.array([1, 2], dtype="uint8"), "BIGINT"),
        (np.array(["2020-01-01", "NaT"], dtype="datetime64[ns]"), "TIMESTAMP"),
        (np.ma.masked_array([1, 2], [False, True]), "BIGINT"),
        (np.array(["a", "b"]), "VARCHAR"),
        (pyarrow.array([1, None]), "BIGINT"),
        (polars.Series(["x", None]), "VARCHAR"),
        (range(2), "BIGINT"),
    ],
)
def test_values_have_the_type_that_they_all_have(connection: Connection, values: object, kind: str) -> None:
    assert types(kept(connection, {"a": values})) == {"a": kind}


@pytest.mark.parametrize(
    "values",
    [
        [1, CANARY],
        [True, 1],
        [dt.date(2020, 1, 1), CANARY],
        [[CANARY], [1]],
        [CANARY.encode(), b""],
        [2**53 + 1, 0.5],
        [2**200, 1],
        [Decimal("1e50"), 1],
        ["\ud800", CANARY],
        np.array([1j, 2j]),
    ],
    ids=range(10),
)
def test_values_that_have_no_one_type_are_refused_only_when_used(connection: Connection, values: object) -> None:
    table = loaded(connection, {"a": values, "b": [1, 2]})
    assert rows(table.keep(["b"])) == [(1,), (2,)]
    with pytest.raises(SourceError, match="column 'a'") as caught:
        table.keep(["a"])
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("values", ["text", 5, {"x": 1}, np.zeros((2, 2))], ids=["text", "number", "map", "grid"])
def test_a_column_must_be_a_list_of_values(connection: Connection, values: object) -> None:
    with pytest.raises(SourceError, match="column 'a'"):
        loaded(connection, {"a": values})


def test_columns_of_different_lengths_are_refused(connection: Connection) -> None:
    with pytest.raises(SourceError, match="'a' has 1 values, 'b' has 2"):
        loaded(connection, {"a": [1], "b": [1, 2]})
