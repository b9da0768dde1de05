"""The second month on Spark: a recipe is applied there, or the table is refused in a sentence."""

from __future__ import annotations

from anonymizing.months import check_month, months
from tclose.anonymization.apply import apply
from tclose.engines.spark.reading import frame_of
from tclose.errors import InputError


def test_no_second_month_on_spark_ends_in_an_internal_error(spark):
    applied = 0
    for _, recipe, table in months(range(8)):
        try:
            release = apply(frame_of(spark, table), recipe)
        except InputError:
            continue
        if release.holds:
            applied += 1
            check_month(recipe, table, release, release.to_arrow().to_pylist())
    assert applied
