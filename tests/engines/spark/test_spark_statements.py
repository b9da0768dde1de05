"""A statement says on Spark what an audit says, to the last digit."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from tclose import Nominal, Ordered, Roles
from tclose.engines.spark.reading import frame_of
from warehouses.statement_cases import SCALE, audited, read, statement

TEXTS = ('the "zip"', "ill", "level")
REQUIRE = {"k": "2", "l": "2", "t": "1/3"}
PAY, ILL = Ordered(order="frequency"), Nominal(nulls="drop")


@pytest.mark.parametrize(
    ("sensitive", "person"),
    [({"pay": PAY, "level": Ordered(order=SCALE, nulls="last")}, None), ({"pay": Ordered(), "ill": ILL}, "who")],
    ids=["rows", "people"],
)
def test_spark_says_what_an_audit_says(spark, sensitive, person):
    chance = random.Random(7)
    kinds = {
        'the "zip"': ["a", "b", "it's", "", None], "age`s": [0, 1, None], "pay": [1, 2, 3, 5, 8, 2**40],
        "ill": ["x", "y", "z", None], "level": [*SCALE[:3], None], "who": list(range(12)),
    }  # fmt: skip
    columns = {name: [chance.choice(values) for _ in range(30)] for name, values in kinds.items()}
    roles = Roles(['the "zip"', "age`s"], sensitive, person=person)
    typed = {name: pa.array(cells, pa.string() if name in TEXTS else pa.int64()) for name, cells in columns.items()}
    frame_of(spark, pa.table(typed)).createOrReplaceTempView("visits")
    try:
        rows = [tuple(row) for row in spark.sql(statement("visits", roles, REQUIRE, "spark")).collect()]
    finally:
        spark.catalog.dropTempView("visits")
    expected = audited(columns, roles, REQUIRE)
    assert expected is not None
    assert read(rows) == expected
