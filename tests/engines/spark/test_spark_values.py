"""Equal cells are equal values on Spark: the law of tests/values, many columns in one frame."""

from __future__ import annotations

import datetime as dt
import random

import numpy as np
import pyarrow as pa
import pytest

import tclose
from tclose.errors import InputError
from values.running import Tally, batches, drawn, grouped, judge
from values.served import spark as spark_format
from values.served import spark_files


def test_cells_of_files_are_the_same_values_on_spark(spark):
    """Spark reads a text table and JSON lines as they are read without it, or refuses them in the same words."""
    tally, choose = Tally(), random.Random(12)
    for form in spark_files(spark):
        (some,) = batches(drawn(34, 12), 34)
        judge(some, [form], tally, choose)
    assert not tally.violations, "\n".join(grouped(tally, spark_files(spark), most=5))


def test_cells_are_the_same_values_on_spark(spark):
    tally, there = Tally(), spark_format(spark)
    (some,) = batches(drawn(80, 11), 80)
    judge(some, [there], tally, random.Random(11))
    assert not tally.violations, "\n".join(grouped(tally, [there], most=5))


def test_points_in_time_say_their_zone_on_spark(spark):
    """They are shown, recoded, published and compared like those of an Arrow table in UTC."""
    moments = [dt.datetime(2020, 1, 1 + at // 3, at % 24, tzinfo=dt.UTC) for at in range(12)]
    columns = {"q": moments, "s": list("abbaabbaabab"), "seen": moments[::-1]}
    kinds = [("q", pa.timestamp("us", "UTC")), ("s", pa.string()), ("seen", pa.timestamp("us", "UTC"))]
    table = pa.table(columns, schema=pa.schema(kinds))
    frame = spark.createDataFrame(list(zip(*columns.values(), strict=True)), "q timestamp, s string, seen timestamp")
    roles = tclose.Roles("q", "s:nominal", publish="all")
    releases = [tclose.anonymize(each, roles, require={"k": 3}).to_arrow() for each in (frame, table)]
    found, expected = (sorted(zip(*(release[name].to_pylist() for name in "qs"), strict=True)) for release in releases)
    assert found == expected
    assert not any(":" in label for label, _ in found)  # cut at days: a clock time would be somebody's
    assert releases[0].schema.field("seen").type.tz is not None
    assert sorted(releases[0]["seen"].to_pylist()) == sorted(moments)
    classes = tclose.audit(frame, roles).classes
    assert [row["q"] for row in classes.rows()] == moments
    assert classes.to_arrow().schema.field("q").type.tz is not None
    bare = frame.selectExpr("s", "CAST(seen AS TIMESTAMP_NTZ) AS seen")
    with pytest.raises(InputError):
        tclose.audit(frame, tclose.Roles("s", "seen"), reference=bare)


def test_a_float_of_32_bits_is_its_shortest_decimal_on_spark(spark):
    """NumPy writes it: shortest, then nearest, then even."""
    numbers = [1677721.75, 1677721.25, 48303.5625, 3e10, 18.3, 1e-7, float("inf")]
    frame = spark.createDataFrame([("a", number) for number in numbers], "g string, s float")
    shortest = {"g": ["a"] * len(numbers), "s": [float(str(np.float32(number))) for number in numbers]}
    audit = tclose.audit(frame, tclose.Roles("g", "s:ordered"), reference=pa.table(shortest), measure=["t"])
    assert (audit["s"].t, audit["s"].values) == (0, len(numbers))
