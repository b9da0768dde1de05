"""Different numbers stay different and equal ones equal, whichever type carried them."""

from __future__ import annotations

import datetime as dt
import json
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

import tclose
from canaries import CANARY
from engines.loading import connection, date, kept, loaded, rows, write
from tclose.engines.duckdb.table import LoadedTable
from tclose.errors import InputError, SourceError

Connection = duckdb.DuckDBPyConnection
__all__ = ["connection"]


def column(connection: Connection, path: Path) -> tuple[str, list[object]]:
    """Return the type and the values of a table's only column."""
    table = kept(connection, path)
    return table.columns[0].type, [value for (value,) in rows(table)]


# Text tables


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (
            ["10000000000000001", "10000000000000000", "1.5e+16"],
            "DECIMAL(38,0)",
            [Decimal(10**16), Decimal(10**16 + 1), Decimal(15 * 10**15)],
        ),
        (["0.10000000000000001", "0.1", "1e-05"], "DECIMAL(38,17)", None),
        (["0.30000000000000004", "0.3", "1e-05"], "DOUBLE", [0.3, 0.1 + 0.2, 1e-05]),
        (["1.7976931348623157e+308", "5e-324", "1"], "DOUBLE", [1.0, 1.7976931348623157e308, 5e-324]),
        (["1e+400", "1e+401", "1"], "VARCHAR", ["1", "1e+400", "1e+401"]),
        (["1e-400", "1e-401", "1"], "VARCHAR", ["1", "1e-400", "1e-401"]),
        (["12345678901234567890123456789012345678901", "1e+05"], "VARCHAR", None),
        (["1.5", "inf", "-inf"], "DOUBLE", [-float("inf"), 1.5, float("inf")]),
        (["9007199254740993", "9007199254740992", "inf"], "VARCHAR", None),
        (["inf", "-inf"], "VARCHAR", ["-inf", "inf"]),
        (["1" + "0" * 37 + ".0", "0.5"], "DOUBLE", [0.5, 1e37]),
    ],
)
def test_numbers_with_powers_of_ten_keep_every_digit(
    connection: Connection, tmp_path: Path, cells: list[str], kind: str, values: list[object] | None
) -> None:
    found, read = column(connection, write(tmp_path / "t.csv", "\n".join(["a", *cells, ""])))
    assert found == kind
    assert len(set(read)) == len(cells)
    assert values is None or read == sorted(values, key=lambda value: repr((value,)))


def test_a_late_number_of_many_digits_is_kept_too(connection: Connection, tmp_path: Path) -> None:
    cells = ["1.5e+16"] * 12_000 + ["10000000000000001", "10000000000000000"]
    found, read = column(connection, write(tmp_path / "t.csv", "\n".join(["a", *cells, ""])))
    assert found == "DECIMAL(38,0)"
    assert len(set(read)) == 3


# JSON


def json_column(connection: Connection, path: Path, cells: list[str]) -> tuple[str, list[object]]:
    return column(connection, write(path, "[" + ", ".join(f'{{"a": {cell}}}' for cell in cells) + "]"))


@pytest.mark.parametrize(
    ("cells", "kind", "values"),
    [
        (["9007199254740993", "9007199254740992", "1.5"], "DECIMAL(18,1)", None),
        (["123456789012345678901234567891", "123456789012345678901234567890"], "HUGEINT", None),
        (["1.2345678901234567890123", "1.2345678901234567890124"], "DECIMAL(38,22)", None),
        (["1", "2.50", "1E2"], "DOUBLE", [1.0, 2.5, 100.0]),
        (["1e100", "0.1"], "DOUBLE", [0.1, 1e100]),
        (["9007199254740993", "1e3", "9007199254740992"], "DECIMAL(38,0)", None),
        (["1.5", "NaN", "-Infinity"], "DOUBLE", [-float("inf"), 1.5, None]),
        (["Infinity", "-Infinity", "null"], "DOUBLE", [-float("inf"), float("inf"), None]),
        (["3", "Infinity"], "DOUBLE", [3.0, float("inf")]),
        (["NaN", "null"], "DOUBLE", [None, None]),
        (["1e100", "0.5", "null"], "DOUBLE", [0.5, 1e100, None]),
        (["true", "false", "null"], "BOOLEAN", [False, None, True]),
        (["null"], "VARCHAR", [None]),
    ],
)
def test_json_numbers_keep_the_digits_they_are_written_with(
    connection: Connection, tmp_path: Path, cells: list[str], kind: str, values: list[object] | None
) -> None:
    found, read = json_column(connection, tmp_path / "t.json", cells)
    assert found == kind
    expected = [Decimal(cell) for cell in cells] if values is None else values
    assert sorted(read, key=repr) == sorted(expected, key=repr) or sorted(map(Decimal, read)) == sorted(expected)  # type: ignore[arg-type, type-var]


@pytest.mark.parametrize(
    "texts",
    [
        ["2020-01-01", "infinity"],
        ["2020-01-01", "epoch"],
        ["2020-01-01", "2020-1-1"],
        ["12:00", "12:00:00"],
        ["2020-01-01 12:00:00", "2020-01-01T12:00:00"],
        ["2020-01-01 12:00", "2020-01-01 12:00:00"],
        ["2020-01-01 12:00:00Z", "2020-01-01 12:00:00"],
        ["C0FFEE00-0000-0000-0000-000000000000", "c0ffee00-0000-0000-0000-000000000000"],
        ["47602", "047602", "47602.0"],
        ["true", "false"],
        ["NaN", "inf", "1e5"],
        ["n1", "s1", "", " ", r"\u0001", r"\"a\": 5", "{}", "[1]", "null"],
    ],
)
def test_json_strings_are_the_letters_they_are(connection: Connection, tmp_path: Path, texts: list[str]) -> None:
    found, read = json_column(connection, tmp_path / "t.json", [f'"{text}"' for text in texts])
    assert found == "VARCHAR"
    assert set(read) == {json.loads(f'"{text}"') for text in texts}


def test_json_strings_that_read_back_to_the_same_letters_are_dates_and_times(
    connection: Connection, tmp_path: Path
) -> None:
    kind, read = json_column(connection, tmp_path / "d.json", ['"2020-01-01"', "null"])
    assert (kind, set(read)) == ("DATE", {None, date("2020-01-01")})
    kind, read = json_column(connection, tmp_path / "t.json", ['"2020-01-01 12:00:00"', '"2020-01-01 12:00:00.5"'])
    assert kind == "TIMESTAMP"
    assert read == [dt.datetime(2020, 1, 1, 12), dt.datetime(2020, 1, 1, 12, 0, 0, 500_000)]


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["1", f'"{CANARY}"'], "different types"),
        (["true", "1"], "different types"),
        (["[1]", "null"], "nested"),
        (['{"b": 1}', f'"{CANARY}"'], "nested"),
        (["1" * 39, "2"], "more than 38 digits"),
        (["1e400", "2"], "more than 38 digits"),
        (["9007199254740993", "-Infinity"], "an infinity beside"),
    ],
)
def test_json_values_that_no_type_holds_are_refused_by_name(
    connection: Connection, tmp_path: Path, cells: list[str], words: str
) -> None:
    path = write(tmp_path / "t.json", "[" + ", ".join(f'{{"a": {cell}, "b": 1}}' for cell in cells) + "]")
    table = loaded(connection, path)
    assert rows(table.keep(["b"])) == [(1,), (1,)]
    with pytest.raises(SourceError, match=f"column 'a' .*{words}") as caught:
        table.keep(["a"])
    assert CANARY not in str(caught.value)


# Frames

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
pyarrow = pytest.importorskip("pyarrow")
pytest.importorskip("pyarrow.parquet")
NS = 1_577_836_800_123_456_789
"""2020-01-01 00:00:00.123456789"""


def written(table: LoadedTable) -> list[object]:
    """Return the first column as text, which has all its digits."""
    return [row[0] for row in table.connection.execute(f"SELECT CAST(c0 AS VARCHAR) FROM {table.name}").fetchall()]


class OneShot:
    """A stream that shows nothing but the Arrow interface."""

    def __init__(self, table: Any) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)


def arrow(values: list[object], kind: Any) -> list[Any]:
    """Return a column of an Arrow type in every kind of frame that has it."""
    table = pyarrow.table({"a": pyarrow.array(values, kind), "b": [1] * len(values)})
    return [table, OneShot(table), table.to_pandas(types_mapper=pandas.ArrowDtype)]


def float32(values: list[float]) -> list[Any]:
    array = np.array(values, dtype="float32")
    return [
        *arrow(list(array), pyarrow.float32()),
        pandas.DataFrame({"a": array}),
        pandas.DataFrame({"a": pandas.array(array, dtype="Float32")}),
        polars.DataFrame({"a": polars.Series(array)}),
        duckdb.connect().sql(f"SELECT unnest({[str(value) for value in values]}::FLOAT[]) AS a"),
        {"a": array},
        {"a": list(array)},
        {"a": pyarrow.array(array)},
        {"a": polars.Series(array)},
        {"a": pandas.Series(array)},
    ]


@pytest.mark.parametrize("at", range(12))
def test_a_float_of_32_bits_is_its_shortest_decimal(connection: Connection, at: int) -> None:
    values = [18.3, 0.1, 1e-10, 16777216.0, 3.4028235e38, float("inf")]
    table = kept(connection, float32(values)[at])
    assert table.columns[0].type == "DOUBLE"
    assert sorted(row[0] for row in rows(table, ["a"])) == sorted(values)  # type: ignore[type-var]


def test_a_float_of_16_bits_is_its_shortest_decimal_or_refused_by_name(connection: Connection) -> None:
    narrow = np.array([0.1, 1.5, math.nan], dtype="float16")
    for frame in ({"a": narrow}, {"a": list(narrow)}, pandas.DataFrame({"a": narrow})):
        assert rows(kept(connection, frame)) == [(0.1,), (1.5,), (None,)]
    for frame in [
        *arrow(list(narrow), pyarrow.float16()),
        polars.DataFrame({"a": narrow.astype("float32"), "b": 1}).with_columns(polars.col("a").cast(polars.Float16)),
    ]:
        table = loaded(connection, frame)
        assert rows(table.keep(["b"])) == [(1,)] * 3
        with pytest.raises(SourceError, match=r"column 'a' .* does not read its type '(float16|halffloat.*)'"):
            table.keep(["a"])


def test_whole_numbers_of_128_bits_keep_every_digit(connection: Connection) -> None:
    numbers = [2**100, 2**100 + 1, -5]
    for kind, values in ((polars.Int128, numbers), (polars.UInt128, numbers[:2])):
        table = kept(connection, polars.DataFrame({"a": polars.Series(values, dtype=kind)}))
        assert {value for (value,) in rows(table)} == {*values}


def test_decimals_of_256_bits_are_refused_by_name(connection: Connection) -> None:
    for frame in arrow([Decimal(10**40), Decimal(10**40 + 1)], pyarrow.decimal256(50, 0)):
        table = loaded(connection, frame)
        assert rows(table.keep(["b"])) == [(1,), (1,)]
        with pytest.raises(SourceError, match=r"column 'a' .* does not read its type 'decimal256"):
            table.keep(["a"])


def test_a_column_that_is_not_read_leaves_views_of_text_whole(connection: Connection) -> None:
    columns = {
        "text": pyarrow.array(["a longer text than fits a view", "x"], pyarrow.string_view()),
        "half": pyarrow.array(np.array([0.1, 0.2], dtype="float16")),
    }
    for frame in (pyarrow.table(columns), OneShot(pyarrow.table(columns))):
        assert rows(loaded(connection, frame).keep(["text"])) == [("a longer text than fits a view",), ("x",)]


def test_views_of_text_stand_beside_durations_and_ordered_categories(connection: Connection) -> None:
    columns = {
        "text": pyarrow.array(["a longer text than fits a view", "x"], pyarrow.string_view()),
        "span": pyarrow.array([1000, 2000], pyarrow.duration("ns")),
        "grade": pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1]), ["low", "high"], ordered=True),
    }
    for _ in range(20):  # what is freed too early may still be whole the first time
        for frame in (pyarrow.table(columns), OneShot(pyarrow.table(columns))):
            assert rows(loaded(connection, frame).keep(["text"])) == [("a longer text than fits a view",), ("x",)]


def test_whole_numbers_beside_decimals_keep_every_digit(connection: Connection) -> None:
    values = [2**53 + 1, Decimal("-0.0119")]
    assert {value for (value,) in rows(kept(connection, {"a": values}))} == {*values}


def test_durations_of_python_are_durations(connection: Connection) -> None:
    spans = [dt.timedelta(microseconds=1001), np.timedelta64(2, "ms"), pandas.Timedelta("3us"), np.timedelta64("NaT")]
    expected = {dt.timedelta(microseconds=1001), dt.timedelta(milliseconds=2), dt.timedelta(microseconds=3), None}
    for frame in ({"a": spans}, pandas.DataFrame({"a": pandas.Series(spans, dtype=object)})):
        assert {value for (value,) in rows(kept(connection, frame))} == expected
    for fine in (np.timedelta64(141, "ns"), pandas.Timedelta(141, unit="ns")):
        with pytest.raises(SourceError, match=r"'a' .* finer than a microsecond"):
            kept(connection, {"a": [fine, None]})


@pytest.mark.parametrize("unit", ["us", "ns"])
def test_points_in_time_keep_their_nanoseconds(connection: Connection, unit: str) -> None:
    whole = NS // 1000 * 1000
    scale = 1000 if unit == "us" else 1
    for zone in (None, "America/New_York"):
        for values in ([whole, whole + 1000], [NS, NS + 1]):
            if unit == "us" and values[0] % 1000:
                continue
            for frame in arrow([value // scale for value in values], pyarrow.timestamp(unit, zone)):
                table = kept(connection, frame)
                assert len({*written(table)}) == 2
                fine = bool(values[0] % 1000)
                assert table.columns[0].type == ("TIMESTAMP_NS" if fine else "TIMESTAMP")
                assert str(table.columns[0].zone) == str(zone)


def test_objects_keep_their_nanoseconds_and_zones(connection: Connection) -> None:
    moments = [pandas.Timestamp(NS, tz="America/New_York"), pandas.Timestamp(NS + 1, tz="America/New_York")]
    for frame in (
        {"a": moments},
        pandas.DataFrame({"a": moments}),
        pandas.DataFrame({"a": pandas.Series(moments, dtype=object)}),
    ):
        table = kept(connection, frame)
        assert len({*written(table)}) == 2
        assert str(table.columns[0].zone) == "America/New_York"
    assert kept(connection, {"a": [np.datetime64(NS, "ns")]}).columns[0].type == "TIMESTAMP_NS"


def test_times_with_and_without_a_zone_are_not_one_column(connection: Connection) -> None:
    noon = dt.datetime(2020, 1, 1, 12)
    for day in (noon, noon.date()):
        with pytest.raises(SourceError, match="different types"):
            kept(connection, {"a": [noon.replace(tzinfo=dt.UTC), day]})


def test_durations_and_times_of_day_finer_than_a_microsecond_are_refused_by_name(connection: Connection) -> None:
    for values, fine in (([1_000_000, None, 2_000_000], False), ([1001, None, 1002], True)):
        frames = [
            *arrow(values, pyarrow.duration("ns")),
            *arrow(values, pyarrow.time64("ns")),
            polars.DataFrame({"a": polars.Series(values, dtype=polars.Duration("ns"))}),
            polars.DataFrame({"a": polars.Series(values).cast(polars.Time)}),
            pandas.DataFrame({"a": pandas.to_timedelta(values, unit="ns")}),
        ]
        for frame in frames:
            if fine:
                with pytest.raises(SourceError, match=r"'a' .* finer than a microsecond"):
                    kept(connection, frame)
            else:
                assert (
                    len(
                        {
                            *rows(
                                kept(connection, frame),
                            )
                        }
                    )
                    == 3
                )


# Parquet


def parquet(path: Path, query: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    duckdb.connect().execute(f"SET TimeZone = 'UTC'; COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


def parts(folder: Path, *values: str) -> Path:
    """Write one file for each SQL value of the column ``a``; the column order differs, too."""
    for at, value in enumerate(values):
        parquet(folder / f"{at}.parquet", f"SELECT {value} AS a, 1 AS b" if at else f"SELECT 1 AS b, {value} AS a")
    return folder


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        (["1::INTEGER", "2.5::DOUBLE"], "DOUBLE", {1.0, 2.5}),
        (["9007199254740992::BIGINT", "2.5::DOUBLE"], "DOUBLE", {9007199254740992.0, 2.5}),
        (["18.3::FLOAT", "2.5::DOUBLE"], "DOUBLE", {18.3, 2.5}),
        (["18.3::FLOAT", "2::INTEGER"], "DOUBLE", {18.3, 2.0}),
        (["1.10::DECIMAL(18,2)", "2.5::DOUBLE"], "DOUBLE", {1.1, 2.5}),
        (["1::TINYINT", "2::UINTEGER"], "BIGINT", {1, 2}),
        (["1::BIGINT", "18446744073709551615::UBIGINT"], "HUGEINT", {1, 2**64 - 1}),
        (["9007199254740993::BIGINT", "1.25::DECIMAL(4,2)"], "DECIMAL(38,2)", {Decimal(2**53 + 1), Decimal("1.25")}),
        (["DATE '2020-01-01'", "TIMESTAMP '2020-01-01 12:00:00'"], "TIMESTAMP",
         {dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 12)}),
        (["NULL", "'x'"], "VARCHAR", {None, "x"}),
    ],
)  # fmt: skip
def test_parts_of_different_types_have_one_that_holds_them_all(
    connection: Connection, tmp_path: Path, values: list[str], kind: str, expected: set[object]
) -> None:
    table = kept(connection, parts(tmp_path, *values))
    assert (table.column("a").type, {row[0] for row in rows(table, ["a"])}) == (kind, expected)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (["9007199254740993::BIGINT", "2.5::DOUBLE"], "mixes real numbers"),
        (["1152921504606846976::BIGINT", "2.5::FLOAT"], "mixes real numbers"),
        (["0.1234567890123456789::DECIMAL(38,19)", "2.5::DOUBLE"], "mixes real numbers"),
        (["1::HUGEINT::DECIMAL(38,0)", "1.5::DECIMAL(38,1)"], "more than 38 digits"),
        (["1", "'1'"], "different types"),
        (["1", "true"], "different types"),
        (["DATE '2020-01-01'", "'2020-01-01'"], "different types"),
        (["TIMESTAMP '2020-01-01 12:00:00'", "TIMESTAMPTZ '2020-01-01 12:00:00'"], "different types"),
    ],
)
def test_parts_whose_different_values_would_become_one_are_refused_by_name(
    connection: Connection, tmp_path: Path, values: list[str], words: str
) -> None:
    table = loaded(connection, parts(tmp_path, *values))
    assert rows(table.keep(["b"])) == [(1,)] * len(values)
    with pytest.raises(SourceError, match=f"column 'a' .*{words}"):
        table.keep(["a"])


def test_parts_of_different_types_keep_the_columns_of_their_folders(connection: Connection, tmp_path: Path) -> None:
    parquet(tmp_path / "year=2020" / "t.parquet", "SELECT 1 AS a")
    parquet(tmp_path / "year=2021" / "t.parquet", "SELECT 2.5::DOUBLE AS a")
    assert rows(kept(connection, tmp_path), ["a", "year"]) == [(1.0, 2020), (2.5, 2021)]


def test_parquet_types_that_would_be_rounded_are_refused_by_name(connection: Connection, tmp_path: Path) -> None:
    columns = {
        "half": pyarrow.array(np.array([0.1, 0.2], dtype="float16")),
        "long": pyarrow.array([Decimal(10**40), Decimal(10**40 + 1)], pyarrow.decimal256(50, 0)),
        "b": [1, 2],
    }
    pyarrow.parquet.write_table(pyarrow.table(columns), tmp_path / "t.parquet")
    table = loaded(connection, tmp_path / "t.parquet")
    assert rows(table.keep(["b"])) == [(1,), (2,)]
    for name, words in (("half", "does not read its type 'float16'"), ("long", "does not read its type 'decimal256'")):
        with pytest.raises(SourceError, match=f"column '{name}' .*{words}"):
            table.keep([name])


def test_parquet_remembers_the_zone_that_arrow_noted(connection: Connection, tmp_path: Path) -> None:
    for zone in ("America/New_York", "+02:00", "UTC"):
        moments = pyarrow.array([NS // 1000], pyarrow.timestamp("us", zone))
        pyarrow.parquet.write_table(pyarrow.table({"a": moments}), tmp_path / "t.parquet")
        found = kept(connection, tmp_path / "t.parquet").columns[0].zone
        assert str(found) == {"+02:00": "UTC+02:00"}.get(zone, zone)


# Zones and what a release writes


NEW_YORK = pandas.Series(pandas.to_datetime(["2020-01-01 23:30", "2020-01-02 00:30"]).tz_localize("America/New_York"))


def test_a_day_is_the_one_that_its_own_zone_shows() -> None:
    frame = pandas.DataFrame({"at": [*NEW_YORK] * 2, "s": ["x", "y", "x", "y"]})
    release = tclose.anonymize(
        frame, tclose.Roles("at", "s:nominal"), require={"k": 2}, hierarchies={"at": "dates:day"}, levels={"at": 1}
    )
    assert {*release.to_pandas()["at"]} == {"2020-01-01", "2020-01-02"}


def test_times_with_a_zone_are_cut_at_days_of_that_zone() -> None:
    moments = pandas.to_datetime([f"2020-01-0{day} {hour}:30" for day in (1, 2, 3) for hour in ("01", "09", "22")])
    frame = pandas.DataFrame({"at": moments.tz_localize("America/New_York"), "s": ["x", "y", "z"] * 3})
    release = tclose.anonymize(frame, tclose.Roles("at", "s:nominal"), require={"k": 3}, method="mondrian")
    days = ["< 2020-01-02", "[2020-01-02, 2020-01-03)", "≥ 2020-01-03"]
    assert sorted(release.to_pandas()["at"]) == sorted(days * 3), "22:30 there is the next day in UTC"


def test_a_zoned_csv_column_is_zoned_and_a_mixture_is_text(connection: Connection, tmp_path: Path) -> None:
    table = kept(connection, write(tmp_path / "z.csv", "a,b\n2020-01-01 12:00Z,1\n2020-01-02T12:00:00+00:00,2\n"))
    assert (table.columns[0].type, table.columns[0].zone) == ("TIMESTAMP", dt.UTC)
    mixed = kept(connection, write(tmp_path / "m.csv", "a,b\n2020-01-01 12:00Z,1\n2020-01-01 12:00,2\n"))
    assert mixed.columns[0].type == "VARCHAR"


@pytest.mark.parametrize("name", ["r.csv", "r.json", "r.parquet", "r.arrow"])
def test_released_times_with_a_zone_still_have_one(connection: Connection, tmp_path: Path, name: str) -> None:
    floats = np.array([18.3, 0.1], dtype="float32")
    frame = pandas.DataFrame({"q": ["a", "a"], "s": ["x", "y"], "at": NEW_YORK, "f": floats})
    release = tclose.anonymize(frame, tclose.Roles("q", "s:nominal", publish="all"), require={"k": 2})
    release.write(tmp_path / name)
    table = kept(connection, tmp_path / name)
    assert table.column("f").own == ("FLOAT" if name in ("r.parquet", "r.arrow") else None)
    assert {float(value) for (value,) in rows(table, ["f"])} == {18.3, 0.1}  # type: ignore[arg-type]
    moments = {str(value).removesuffix("+00") for (value,) in rows(table, ["at"])}
    assert moments == {"2020-01-02 04:30:00", "2020-01-02 05:30:00"}
    assert name == "r.json" or table.column("at").zone is not None


def test_durations_finer_than_parquet_keeps_are_refused_there(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"q": ["a", "a"], "s": ["x", "y"], "d": pandas.to_timedelta([1001, 1002], unit="us")})
    release = tclose.anonymize(frame, tclose.Roles("q", "s:nominal", publish="all"), require={"k": 2})
    with pytest.raises(InputError, match=r"'d' have more digits.*\.arrow"):
        release.write(tmp_path / "r.parquet")
    release.write(tmp_path / "r.arrow")
    assert tclose.audit(tmp_path / "r.arrow", tclose.Roles("q", "d:ordered"), reference=frame).k == 2


def test_a_float_of_32_bits_equals_its_own_csv(tmp_path: Path) -> None:
    frame = pandas.DataFrame({"q": [1, 1, 2], "s": np.array([18.3, 0.1, 7.25], dtype="float32")})
    frame.to_csv(tmp_path / "t.csv", index=False)
    frame.to_parquet(tmp_path / "t.parquet")
    roles = tclose.Roles("q", "s:numeric")
    figures = {tclose.audit(table, roles)["s"].t for table in (frame, tmp_path / "t.csv", tmp_path / "t.parquet")}
    assert len(figures) == 1
    whole = frame.assign(q=1)
    assert tclose.audit(whole, roles, reference=tmp_path / "t.csv")["s"].t == 0


def test_decimals_leave_a_release_as_their_file_wrote_them(tmp_path):
    """A number is written as it was where all of a column are alike: with its own digits, or all with as many."""
    text = "q,own,money,mixed\n" + "".join(
        f"{q},{own},{money},{mixed}\n"
        for q, own, money, mixed in [
            ("a", "-8", "1.50", "1.5"),
            ("a", "0.0273", "20.00", "1.50"),
            ("a", "3.1", "0.25", "2"),
            ("a", "", "7.00", "3.0"),
        ]
    )
    path, target = tmp_path / "t.csv", tmp_path / "r.csv"
    path.write_text(text, encoding="utf-8")
    roles = tclose.Roles("q", {"own": tclose.Nominal()}, publish="all")
    tclose.anonymize(path, roles, require={"k": 2}).write(target)
    cells = [line.split(",") for line in target.read_text(encoding="utf-8").splitlines()[1:]]
    assert sorted(row[1] for row in cells) == ["", "-8", "0.0273", "3.1"]
    assert sorted(row[2] for row in cells) == ["0.25", "1.50", "20.00", "7.00"]
    assert sorted(row[3] for row in cells) == ["1.50", "1.50", "2.00", "3.00"], "one number, one spelling"


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".feather", ".json"])
@pytest.mark.parametrize("ns", [0, 1])
def test_zoned_nanoseconds_are_published_as_quasi_identifiers(tmp_path: Path, ending: str, ns: int) -> None:
    moments = pyarrow.array([NS // 1000 * 1000 + ns, None], pyarrow.timestamp("ns", "America/New_York"))
    table = pyarrow.table({"v": moments, "s": ["a", "b"], "q": ["x", "x"]})
    release = tclose.anonymize(
        table, tclose.Roles("v", "s:nominal"), require={"k": 1}, hierarchies={"v": "flat"}, levels={"v": 0}
    )
    release.write(tmp_path / f"release{ending}")
    roles = tclose.Roles("q", {"v": tclose.Nominal()})
    audit = tclose.audit(table, roles, reference=tmp_path / f"release{ending}")
    assert (audit["v"].t, audit["v"].values) == (0, 2)


@pytest.mark.parametrize("zeros", ["100000.00000000000000", "0E-30", "1.0"])
def test_zeros_behind_a_decimal_take_no_room_that_digits_need(connection: Connection, zeros: str) -> None:
    numbers = [Decimal("1E33"), Decimal("999999999999999.9999"), Decimal(zeros)]
    assert sorted(row[0] for row in rows(kept(connection, {"a": numbers}))) == sorted(numbers)


@pytest.mark.parametrize(
    "whole", [[Decimal("1E37"), Decimal("1000.00000000")], [Decimal(10**38 - 1), 1], [Decimal("0E40"), Decimal("0.5")]]
)
def test_decimals_that_are_whole_have_all_38_digits(connection: Connection, whole: list[Decimal]) -> None:
    assert sorted(row[0] for row in rows(kept(connection, {"a": whole}))) == sorted(whole)


# Codes of wide and of shifted numbers


@pytest.mark.parametrize(
    "values",
    [
        [2**64 - 1, 0, -1],
        [Decimal("18446744073709.551617"), Decimal("1844674407370.9551617"), Decimal(0), Decimal("-1E-7")],
    ],
)
def test_numbers_of_128_bits_have_codes_of_their_own(values: list[object]) -> None:
    """DuckDB hashes both halves of such a number and adds them without a carry: 0 and -1 get the same hash."""
    table = {"a": values, "s": list(range(len(values)))}
    audit = tclose.audit(table, tclose.Roles("a", "s:nominal"))
    assert (audit.k, audit.class_count) == (1, len(values))
    assert tclose.audit(table, tclose.Roles("s", "a:ordered"))["a"].values == len(values)


@pytest.mark.parametrize("least", [2**31, 2**31 - 1, 2**32, -(2**31) - 1, 2**63 - 3, -(2**63)])
def test_classes_of_neighbours_of_every_width_are_read_back(least: int) -> None:
    numbers = np.array([least, least, least + 1, least + 2], dtype="int64")
    audit = tclose.audit(pandas.DataFrame({"a": numbers, "s": list("xyxy")}), tclose.Roles("a", "s:nominal"))
    assert sorted((row["a"], row["size"]) for row in audit.classes.rows()) == [
        (least, 2),
        (least + 1, 1),
        (least + 2, 1),
    ]


# A release as a frame of pandas


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([2**53 + 1, 2**53, None], "Int64"),
        ([2**64 + 1, 2**64, -1], "object"),
        ([Decimal("0.1000000000000000001"), Decimal("0.1"), None], "object"),
        ([Decimal("0.1"), Decimal("2.50"), None], "float64"),
        ([1, 2, None], "Int64"),
        ([1, 2**53 + 1, 3], "int64"),
    ],
)
def test_frames_of_pandas_keep_every_digit(values: list[object], dtype: str) -> None:
    table = {"q": ["a"] * 3, "s": ["x", "y", "z"], "v": values}
    release = tclose.anonymize(table, tclose.Roles("q", "s:nominal", publish="all"), require={"k": 2})
    frame = release.to_pandas()
    assert str(frame["v"].dtype) == dtype
    found = {None if pandas.isna(value) else Fraction(str(value)) for value in frame["v"]}
    assert found == {None if value is None else Fraction(value) for value in values}  # type: ignore[arg-type]
    classes = tclose.audit(table, tclose.Roles("v", "s:nominal")).classes.to_pandas()
    assert {None if pandas.isna(value) else Fraction(str(value)) for value in classes["v"]} == found


@pytest.mark.parametrize("name", ["Infinity", "inf", "-Infinity", "+INF", "-inf"])
def test_an_infinity_of_a_file_is_the_text_of_it_in_a_reference(tmp_path: Path, name: str) -> None:
    cells = [name] * 3 + ["12.0"]
    path = write(tmp_path / "t.csv", "q,s\n" + "".join(f"x,{cell}\n" for cell in cells))
    texts = {"q": ["x"] * 4, "s": cells}
    assert tclose.audit(path, tclose.Roles("q", "s:nominal"), reference=texts)["s"].t == 0
