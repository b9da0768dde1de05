"""A statement says on Spark what an audit says, to the last digit."""

from __future__ import annotations

import math
import random

import pytest

from tclose import Nominal, Ordered, Roles
from tclose.engines.spark.reading import frame_of
from warehouses.statement_cases import SCALE, audited, read, statement, typed
from warehouses.strange_tables import KINDS, differing

REQUIRE = {"k": "2", "l": "2", "t": "1/3"}
PAY, ILL = Ordered(order="frequency"), Nominal(nulls="drop")


@pytest.mark.parametrize(
    ("sensitive", "person"),
    [
        ({"pay": PAY, "level": Ordered(order=SCALE, nulls="last")}, None),
        ({"pay": Ordered(), "ill": ILL}, "who"),
        ({"rate": Ordered(nulls="drop")}, None),
    ],
    ids=["rows", "people", "numbers that are none"],
)
def test_spark_says_what_an_audit_says(spark, sensitive, person):
    chance = random.Random(7)
    kinds = {
        'the "zip"': ["a", "b", "it's", "", None], "age`s": [0, 1, None], "pay": [1, 2, 3, 5, 8, 2**40],
        "ill": ["x", "y", "z", None], "level": [*SCALE[:3], None], "who": list(range(12)),
        "rate": [0.0, -0.0, 0.1, math.nan, math.inf, None],
    }  # fmt: skip
    columns = {name: [chance.choice(values) for _ in range(30)] for name, values in kinds.items()}
    roles = Roles(['the "zip"', "age`s"], sensitive, person=person)
    frame_of(spark, typed(columns)).createOrReplaceTempView("visits")
    try:
        rows = [tuple(row) for row in spark.sql(statement("visits", roles, REQUIRE, "spark")).collect()]
    finally:
        spark.catalog.dropTempView("visits")
    expected = audited(columns, roles, REQUIRE)
    assert expected is not None
    assert read(rows) == expected


def test_cells_that_look_alike_stay_apart(spark):
    def run(table, query):
        frame_of(spark, table).createOrReplaceTempView("visits")
        return [tuple(row) for row in spark.sql(query).collect()]

    assert differing(run, "spark", range(2), tuple(KINDS)) == []
    spark.catalog.dropTempView("visits")


def test_texts_have_no_order_that_nobody_gave(spark):
    frame_of(spark, typed({"q": [1, 1], "ill": ["5-9", "10-14"]})).createOrReplaceTempView("visits")
    rows = spark.sql(statement("visits", Roles("q", {"ill": Ordered()}), {"t": "1"}, "spark")).collect()
    spark.catalog.dropTempView("visits")
    assert {row[10] for row in rows if row[1] == "ill"} == {"values are texts: give their order"}
