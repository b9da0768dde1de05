"""Types of released columns: text for quasi-identifiers whatever they show, those of the original for all others."""

from __future__ import annotations

import datetime as dt
import itertools
import json
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import tclose
from tclose import Nominal, Roles, anonymize, apply
from tclose.errors import InputError

ROLES = Roles(["q"], {"s": Nominal()}, publish="all")
DAYS = [dt.date(2020, 1, 1), dt.date(2020, 2, 29)]
MIDNIGHTS = [dt.datetime(day.year, day.month, day.day) for day in DAYS]
PANDAS = {
    "ordered": pd.Categorical(["low", "high"], ["low", "middle", "high"], ordered=True),
    "named": pd.Categorical(["b", None], ["c", "b", "a"]), "numbered": pd.Categorical([3, 1], [3, 2, 1]),
    "few": pd.array([1, None], "Int8"), "narrow": pd.array([0.1, 2.5], "float32"),
    "truth": pd.array([True, None], "boolean"), "text": pd.array(["x", None], "string"),
    "moment": pd.to_datetime(["2020-01-01 08:00", "2020-01-02 00:00"]).as_unit("ns"),
    "zoned": pd.to_datetime(["2020-07-01", None]).tz_localize("Europe/Berlin"), "day": pd.Series(DAYS, dtype=object),
    "spell": pd.to_timedelta([1.5, 3], unit="h"), "objects": pd.Series(["x", None], dtype=object),
}  # fmt: skip
POLARS = {
    "ranked": (pl.Enum(["low", "middle", "high"]), ["high", None]), "named": (pl.Categorical, ["b", "a"]),
    "few": (pl.Int8, [1, None]), "narrow": (pl.Float32, [0.1, 2.5]), "day": (pl.Date, DAYS),
    "moment": (pl.Datetime("ns"), MIDNIGHTS), "zoned": (pl.Datetime("us", "Asia/Tokyo"), [None, MIDNIGHTS[1]]),
    "spell": (pl.Duration("ms"), [dt.timedelta(hours=30), None]), "clock": (pl.Time, [dt.time(8), dt.time(9, 30)]),
}  # fmt: skip
ARROW = {
    "ranked": (pa.dictionary(pa.int16(), pa.string(), ordered=True), ["high", None]),
    "named": (pa.dictionary(pa.int32(), pa.large_string()), ["b", "a"]), "few": (pa.int8(), [1, None]),
    "narrow": (pa.float32(), [0.5, 2.5]), "wide": (pa.large_string(), ["x", None]), "day": (pa.date64(), DAYS),
    "moment": (pa.timestamp("s"), MIDNIGHTS), "zoned": (pa.timestamp("us", "Asia/Tokyo"), [None, MIDNIGHTS[1]]),
    "spell": (pa.duration("s"), [dt.timedelta(hours=30), None]),
}  # fmt: skip
ROWS = {"q": [20, 30], "s": ["x", "y"], "row": [1, 2]}


def released(frame):
    """The release of four rows, two of which are alike in everything but their number."""
    return anonymize(frame, ROLES, require={"k": 2}, levels={"q": 0}, hierarchies={"q": "flat"})


def test_every_column_of_pandas_keeps_its_type_and_its_values():
    half = pd.DataFrame({**{name: pd.Series(cells) for name, cells in PANDAS.items()}, **ROWS})
    frame = pd.concat([half, half.assign(row=[3, 4])], ignore_index=True)
    made = released(frame).to_pandas().sort_values("row").reset_index(drop=True)
    used = {name: frame[name].cat.remove_unused_categories() for name in ("ordered", "named", "numbered")}
    expected = frame.assign(q=frame["q"].astype(str), **used)
    pd.testing.assert_frame_equal(made[expected.columns], expected)


def test_every_column_of_polars_keeps_its_type_and_its_values():
    half = pl.DataFrame({name: pl.Series(cells).cast(kind) for name, (kind, cells) in POLARS.items()} | ROWS)
    frame = pl.concat([half, half.with_columns(row=pl.col("row") + 2)])
    made = released(frame).to_polars().sort("row")
    used = pl.Enum(["high"])
    expected = frame.with_columns(pl.col("q").cast(pl.String), pl.col("ranked").cast(pl.String).cast(used))
    assert made.select(frame.columns).equals(expected)
    assert made.schema == {**frame.schema, "q": pl.String, "ranked": used}


def test_a_process_that_took_a_frame_of_polars_ends_without_a_word():
    taken = """
import tclose
release = tclose.anonymize("example:salary", require={"k": 3}, hierarchies={"age": "flat", "zip": "flat"})
release.to_polars(), release.to_arrow(), release.to_pandas(), release.classes.to_polars()
"""
    done = subprocess.run([sys.executable, "-c", taken], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_column_of_arrow_keeps_its_type_and_its_values(tmp_path):
    half = pa.table({name: pa.array(cells, kind if not pa.types.is_dictionary(kind) else kind.value_type)
                     for name, (kind, cells) in ARROW.items()} | ROWS)  # fmt: skip
    for at, (kind, _) in enumerate(ARROW.values()):
        if pa.types.is_dictionary(kind):
            listed = pa.array(["a", "b", "low", "high"], kind.value_type)
            codes = pa.compute.index_in(half.column(at), listed).cast(kind.index_type).combine_chunks()
            half = half.set_column(
                at, half.field(at).name, pa.DictionaryArray.from_arrays(codes, listed, ordered=kind.ordered)
            )
    frame = pa.concat_tables([half, half.set_column(half.num_columns - 1, "row", pa.array([3, 4]))])
    release = released(frame)
    made = release.to_arrow().sort_by("row")
    for name in ARROW:
        assert made.schema.field(name).type == frame.schema.field(name).type, name
        assert made[name].to_pylist() == frame[name].to_pylist(), name
    release.write(tmp_path / "release.feather")
    stored = feather.read_table(tmp_path / "release.feather").sort_by("row")
    assert pa.types.is_dictionary(stored.schema.field("ranked").type)
    assert stored["ranked"].to_pylist() == frame["ranked"].to_pylist()


def test_categories_of_pandas_are_categories_in_arrow_and_of_arrow_in_pandas():
    frame = pd.DataFrame({**{name: cells * 2 for name, cells in ROWS.items()}, "c": pd.Categorical(["u", "v"] * 2)})
    assert pa.types.is_dictionary(released(frame).to_arrow().schema.field("c").type)
    assert released(pa.Table.from_pandas(frame)).to_pandas()["c"].dtype == "category"


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".jsonl", ".feather"])
def test_a_quasi_identifier_is_text_in_every_month(tmp_path, ending):
    """The first month shows ages as they are; the second needs the coarsest cell for an age that it has not seen."""
    frame = pd.DataFrame({name: cells * 2 for name, cells in ROWS.items()})
    first = anonymize(frame, ROLES, require={"k": 2}, hierarchies={"q": {"*": ["20", "30"]}})
    ages = [20, 20, 30, 30, 77, 77]
    second = apply(pd.DataFrame({"q": ages, "s": ["x", "y"] * 3, "row": range(6)}), first.recipe, widen=True)
    assert sorted(second.to_pandas()["q"]) == ["*", "*", "20", "20", "30", "30"]
    kinds = set()
    for release in (first, second):
        kinds.add(release.to_arrow().schema.field("q").type)
        release.write(tmp_path / f"month{ending}", force=True)
    assert kinds == {pa.string()}


@pytest.mark.parametrize(("ending", "written"), [(".csv", "2020-02-29"), (".jsonl", '"2020-02-29"')])
def test_a_day_that_a_type_of_moments_holds_is_written_as_a_day(tmp_path, ending, written):
    seen = pd.to_datetime(["2021-01-01 00:00", "2021-01-01 08:00"])
    frame = pd.DataFrame({**ROWS, "q": pd.to_datetime(DAYS[1:] * 2), "left": pd.to_datetime(DAYS), "seen": seen})
    release = anonymize(frame, ROLES, require={"k": 2}, levels={"q": 0})
    release.write(tmp_path / f"release{ending}")
    text = (tmp_path / f"release{ending}").read_text()
    assert text.count(written) == 3  # twice as the quasi-identifier, once as another column
    assert text.count("08:00:00") == text.count("2021-01-01 00:00:00") == 1


@pytest.mark.parametrize("method", ["sabre", "mondrian", "gather", "merge"])
def test_a_midnight_beside_its_day_is_counted_as_the_reader_counts_it(tmp_path, method):
    """Two people at midnight are hidden by k = 2 alone; shown as their day, they are in the class of that day."""
    clocks = [dt.time(0), dt.time(0), dt.time(5), dt.time(6)]
    table = {"q": [dt.datetime.combine(DAYS[0], clock) for clock in clocks], "s": ["x", "y"] * 2}
    roles = Roles(["q"], {"s": Nominal()})
    release = anonymize(
        pa.table(table), roles, require={"k": 2}, method=method, hierarchies={"q": "dates"}, intervals=False
    )
    written = release.write(tmp_path / "r.csv")
    published = [line.rpartition(",")[0] for line in (tmp_path / "r.csv").read_text().splitlines()[1:]]
    sizes = [published.count(text) for text in set(published)]
    assert (written.audit.k, written.audit.class_count, written.audit.rows) == (min(sizes), len(sizes), 4)
    assert release.class_count == len(sizes)


SHARES = ["0.05", "-0.50", "0.00", "0.05"]


@pytest.mark.parametrize("digits", [2, 18])
def test_decimals_without_a_digit_before_their_mark_are_written_with_one(tmp_path, digits):
    """DuckDB writes them ``.05``, which is no number in JSON."""
    shares = pa.array([Decimal(text) for text in SHARES], pa.decimal128(digits, digits))
    release = released(pa.table({"q": [20, 20, 30, 30], "s": list("xyxy"), "share": shares}))
    release.write(tmp_path / "a.jsonl")
    release.write(tmp_path / "a.csv")
    release.write(tmp_path / "a.parquet")
    lines = (tmp_path / "a.jsonl").read_text().splitlines()
    numbers = [json.loads(line, parse_float=Decimal)["share"] for line in lines]
    assert sorted(numbers) == sorted(map(Decimal, SHARES))
    cells = [row.split(",")[2] for row in (tmp_path / "a.csv").read_text().splitlines()[1:]]
    assert sorted(cells) == sorted(f"{Decimal(text):.{digits}f}" for text in SHARES)
    assert parquet.read_schema(tmp_path / "a.parquet").field("share").type == shares.type


def test_decimals_of_as_many_digits_as_there_are_are_refused_as_json(tmp_path):
    """The zero that JSON asks for would be the 39th digit."""
    shares = pa.array([Decimal(f"0.{'9' * 38}"), Decimal(0)] * 2, pa.decimal128(38, 38))
    release = released(pa.table({"q": [20, 20, 30, 30], "s": list("xyxy"), "share": shares}))
    with pytest.raises(InputError, match=r"'share' have more digits than are written as JSON\. Write Parquet"):
        release.write(tmp_path / "a.jsonl")
    release.write(tmp_path / "a.csv")
    cells = [row.split(",")[2] for row in (tmp_path / "a.csv").read_text().splitlines()[1:]]
    assert sorted(cells) == [f"0.{digit * 38}" for digit in "0099"]


def test_decimals_of_a_text_file_are_numbers_in_json(tmp_path):
    (tmp_path / "a.csv").write_text("q,s,x\n20,x,1.5\n20,y,2.25\n30,x,3\n30,y,0.5\n")
    released(tmp_path / "a.csv").write(tmp_path / "b.jsonl")
    found = [json.loads(line)["x"] for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    assert sorted(found) == [0.5, 1.5, 2.25, 3]


def test_decimals_without_a_digit_before_their_mark_are_the_values_that_texts_name():
    """The table has texts, the population the numbers that they name, in a type of two digits behind the mark."""
    people = pa.array([Decimal(text) for text in SHARES], pa.decimal128(2, 2))
    table = {"q": ["0", "0.05", "-0.5"], "s": ["x", "y", "x"]}
    audit = tclose.audit(table, Roles("q", "s"), population=pa.table({"q": people}))
    assert audit.figures["marketer"].value == Fraction(5, 6)  # one, one and two people look alike


FARTHEST = [5e-324, 1.7e308, 0.0, 1.0, 2.0, 1e-300, 1e300, -1.7e308]
"""Floats whose differences no float holds, and of which the smallest is no multiple of the unit of the others."""


def moved_at_most(classes):
    """t of numbers by its definition, in fractions: the work of each class against the whole, over the range."""
    everything = [Fraction(Decimal(repr(number))) for numbers in classes.values() for number in numbers]
    places = sorted(set(everything))
    worst = Fraction(0)
    for numbers in classes.values():
        here = [Fraction(Decimal(repr(number))) for number in numbers]
        work = sum(
            (after - place)
            * abs(
                Fraction(sum(each <= place for each in here), len(here))
                - Fraction(sum(each <= place for each in everything), len(everything))
            )
            for place, after in itertools.pairwise(places)
        )
        worst = max(worst, work / (places[-1] - places[0]))
    return worst


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("method", ["sabre", "microaggregation", "gather", "mondrian"])
@pytest.mark.parametrize("numbers", [FARTHEST, [1.7e308, -1.7e308] * 4])
def test_floats_farther_apart_than_a_float_are_released(method, numbers):
    table = {"q": numbers * 2, "s": (numbers[3:] + numbers[:3]) * 2}
    release = tclose.anonymize(
        table,
        tclose.Roles("q", "s:numeric"),
        require={"k": 2, "t": "0.6"},
        method=method,
        effort=1,
    )
    classes = {}
    for row in release.to_pandas().to_dict("records"):
        classes.setdefault(row["q"], []).append(row["s"])
    assert sorted(number for each in classes.values() for number in each) == sorted(table["s"])
    assert min(map(len, classes.values())) >= 2
    assert moved_at_most(classes) == release.audits()[0]["s"].t <= Fraction(6, 10)
