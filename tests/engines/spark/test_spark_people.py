"""People are counted on Spark as they are on DuckDB; only tallies come to the driver."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

import tclose
from engines.spark.seeded import class_rows, random_table, said
from laws.people import counting_at_most
from tclose.engines.spark.reading import frame_of
from tclose.errors import InputError, SourceError


def peopled(seed, kind=str):
    """A seeded table in which people have several rows."""
    table, roles = random_table(seed)
    rows = table.num_rows
    who = np.random.default_rng(seed).integers(0, max(2, rows // 3), rows)
    people = pa.array([kind(number) for number in who])
    return table.append_column("who", people), tclose.Roles(
        roles.quasi, roles.sensitive, together=roles.together, person="who"
    )


@pytest.mark.parametrize("seed", range(6))
def test_random_tables_are_audited_alike(spark, seed):
    table, roles = peopled(seed, [str, float, int][seed % 3])
    asked = {"require": {"k": 2, "t": "0.25", "l": 2}, "drivers": seed == 0, "measure": "all"}
    expected = tclose.audit(table, roles, **asked)
    found = tclose.audit(frame_of(spark, table).repartition(1 + seed % 4), roles, **asked)
    assert said(found) == said(counting_at_most(expected, found))
    assert (found.rows, found.people) == (expected.rows, expected.people)
    assert found.trajectories == expected.trajectories
    assert not spark.sparkContext._jsc.getPersistentRDDs()
    assert class_rows(found) == class_rows(expected)


def test_populations_references_supersets_and_explanations_count_people_alike(spark):
    table = pa.table(
        {
            "q": [1, 1, None, 2, 2, 2, None, 3, 3, 3],
            "r": [True, True, False, None, None, True, False, True, True, True],
            "s": [10, 20, 20, 30, 10, 20, 30, 10, 10, 20],
            "who": [dt.date(2020, 1, day) for day in (1, 1, 2, 3, 3, 4, 2, 5, 5, 5)],
        }
    )
    roles = tclose.Roles(quasi=["q", "r"], sensitive=["s:ordered"], person="who")
    people, other = pa.concat_tables([table, table]).select(["q", "r", "who"]), table.slice(0, 7)
    asked = {"measure": "all", "require": {"nt": "4,0.3"}, "drivers": False}
    expected = tclose.audit(table, roles, population=people, reference=other, **asked)
    found = tclose.audit(
        frame_of(spark, table), roles, population=frame_of(spark, people), reference=frame_of(spark, other), **asked
    )
    mine, theirs = said(found), said(expected)
    for each in (mine, theirs):
        each.pop("reference", None)
    assert mine == theirs
    key = {"q": 3, "r": True}
    one, two = (tclose.explain(audit, attribute="s", key=key)[0] for audit in (found, expected))
    assert (one.counts, one.unit, one.value) == (two.counts, "people", two.value)


def test_rows_of_nobody_are_refused_and_repeated_identifiers_are_told(spark):
    table = pa.table({"q": ["a"] * 3, "s": ["x"] * 3, "who": [1.0, float("nan"), 1.0]})
    frame = frame_of(spark, table)
    with pytest.raises(SourceError, match=r"1 row without a value in the column 'who'"):
        tclose.audit(frame, tclose.Roles("q", "s:nominal", person="who"))
    (warning,) = tclose.audit(frame, tclose.Roles("q", "s:nominal", "who")).warnings
    assert (warning.code, warning.column) == ("rows-not-people", "who")
    padded = frame_of(spark, pa.table({"q": ["a"] * 3, "s": ["x"] * 3, "who": ["P1", " P1", "P2 "]}))
    (warning,) = tclose.audit(padded, tclose.Roles("q", "s:nominal", person="who")).warnings
    assert (warning.code, warning.column) == ("person-blanks", "who")


def test_pseudonyms_and_shifted_dates_are_refused_before_the_search_with_a_way_out(spark):
    table = pa.table({"who": [1, 1, 2, 2], "age": [3, 3, 3, 3], "ill": ["a", "b", "a", "b"]})
    roles = tclose.Roles(["age"], ["ill:nominal"], pseudonym="who")
    with pytest.raises(InputError, match=r"not on Spark\. Save the table as Parquet"):
        tclose.anonymize(frame_of(spark, table), roles, require={"k": 2})
