"""Sensitive numbers rounded on Spark: what is measured and published is what a file gives, and nothing finer."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

import tclose
from engines.spark.seeded import said
from tclose import Numeric, Ordered, Roles
from tclose.engines.spark.reading import frame_of
from tclose.errors import InputError

TABLE = pa.table(
    {
        "age": pa.array([20 + at % 4 for at in range(80)], pa.int32()),
        "whole": pa.array([at * 137 % 9000 - 2000 for at in range(80)], pa.int64()),
        "small": pa.array([at % 120 for at in range(80)], pa.int8()),
        "real": pa.array([None if at % 9 == 0 else at / 20 - 1 for at in range(80)], pa.float64()),
        "money": pa.array([Decimal(at * 37).scaleb(-2) for at in range(80)], pa.decimal128(9, 2)),
    }
)


ROLES = Roles(
    ["age"],
    {
        "whole": Ordered(round=10),
        "small": Ordered(round="2.5"),
        "real": Numeric(nulls="drop", round="0.1"),
        "money": Numeric(round="0.25"),
    },
)


def test_spark_measures_and_publishes_what_a_file_of_the_same_numbers_gives(spark):
    frame = frame_of(spark, TABLE).repartition(3)
    assert said(tclose.audit(frame, ROLES, drivers=False)) == said(tclose.audit(TABLE, ROLES, drivers=False))
    beside = tclose.anonymize(TABLE, ROLES, require={"k": 5}, method="mondrian")
    again = tclose.apply(frame, beside.recipe)
    assert again.holds
    for name in ROLES.sensitive:
        mine, theirs = (sorted(map(str, each.to_arrow().column(name).to_pylist())) for each in (again, beside))
        assert mine == theirs


def test_what_cannot_be_rounded_is_refused_by_name(spark):
    frame = frame_of(spark, pa.table({"age": [1, 1], "pay": [2**63 - 1, 4], "name": ["a", "b"]}))
    with pytest.raises(InputError, match=r"'pay'.*1 number too large"):
        tclose.audit(frame, Roles(["age"], {"pay": Ordered(round=10)}))
    with pytest.raises(InputError, match=r"'name'.*holds text"):
        tclose.audit(frame, Roles(["age"], {"name": Ordered(round=10)}))
