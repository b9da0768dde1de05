"""An audit on Spark says what the audit on DuckDB says, to the last digit, however the rows are spread."""

from __future__ import annotations

import functools
import uuid
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tclose
from engines.spark.seeded import class_rows, random_table, said
from tclose import errors
from tclose.engines.dispatch import working_session
from tclose.engines.spark import counts
from tclose.engines.spark.reading import frame_of

REQUIRED = {"k": 2, "t": "0.25", "l": 2}


def counted_first(patch):
    """Make Spark count pairs before they are gathered, as it does where many rows share few pairs."""
    patch.setattr(counts, "_FEW_ROWS", 0)
    patch.setattr(counts, "_WORTH_COUNTING", 2.0)


@pytest.mark.parametrize(
    ("seed", "way"), [*((seed, "gathered") for seed in range(8)), *((s, "counted") for s in range(100, 104))]
)
def test_random_tables_are_audited_alike(spark, seed, way, monkeypatch):
    table, roles = random_table(seed)
    if way == "counted":
        counted_first(monkeypatch)
    expected = tclose.audit(table, roles, require=REQUIRED, drivers=False)
    frame = frame_of(spark, table).repartition(1 + seed % 4)
    found = tclose.audit(frame, roles, require=REQUIRED, drivers=False)
    assert said(found) == said(expected)
    if seed % 3 == 0:
        assert class_rows(found) == class_rows(expected)


def jobs_of(spark, work):
    """Return what some work gives, and how many jobs it asked of Spark."""
    context = spark.sparkContext
    group = str(uuid.uuid4())
    context.setJobGroup(group, group)
    try:
        found = work()
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)
    return found, len(context.statusTracker().getJobIdsForGroup(group))


def test_a_report_asks_nothing_more_of_spark_than_the_audit(spark):
    """The worst classes that a text lists for each attribute came with the tallies."""
    table, roles = random_table(3)
    frame = frame_of(spark, table).repartition(3)
    audit, asked = jobs_of(spark, lambda: tclose.audit(frame, roles, require=REQUIRED, drivers=False))
    assert asked > 0, "jobs are not seen, so that none beyond them would be"
    text, more = jobs_of(spark, lambda: str(audit.with_people()))
    assert more == 0
    assert "worst classes by t" in text
    rows, listed = jobs_of(spark, lambda: list(audit.classes.rows()))
    assert listed > 0, "all classes are measured again"
    for figure in audit.classes.figures:
        largest, again = jobs_of(spark, lambda: list(audit.classes.rows(sort=figure, limit=5)))  # noqa: B023
        assert again == 0
        expected = sorted((row[figure] for row in rows if row[figure] is not None), reverse=True)[:5]
        assert [row[figure] for row in largest] == expected


@pytest.mark.parametrize("seed", [1, 3])
def test_any_columns_agree(spark, seed):
    table, roles = random_table(seed)
    asked = {"any": 2, "require": REQUIRED, "drivers": False}
    found = tclose.audit(frame_of(spark, table).repartition(3), roles, **asked)
    assert said(found) == said(tclose.audit(table, roles, **asked))


def test_weights_and_sizes_say_the_same_of_a_population(spark):
    table, roles = random_table(5)
    table = table.append_column("weight", pa.array([1.5 + at % 3 for at in range(table.num_rows)]))
    frame = frame_of(spark, table).repartition(3)
    for how in ({"weight_column": "weight"}, {"sampling_fraction": "0.2"}):
        found = tclose.audit(frame, roles, drivers=False, **how).population
        assert found == tclose.audit(table, roles, drivers=False, **how).population


@pytest.mark.parametrize("way", ["gathered", "counted"])
def test_every_model_a_population_and_drivers_agree(spark, way, monkeypatch):
    if way == "counted":
        counted_first(monkeypatch)
    table = pa.table(
        {
            "q": [1, 1, None, 2, 2, 2, None, 3, 3, 3],
            "r": ["a", "a", "b", None, None, "a", "b", "c", "c", "c"],
            "s": [10, 20, 20, 30, 10, 20, 30, 10, 10, 20],
        }
    )
    people = pa.concat_tables([table, table.slice(2, 6)]).select(["q", "r"])
    people = people.set_column(0, "q", people.column("q").cast(pa.float64()))  # another type, equal numbers
    roles = tclose.Roles(quasi=["q", "r"], sensitive=["s:ordered"])
    asked = {"measure": "all", "require": {"nt": "4,0.3"} if way == "gathered" else {"t": "0.3"}, "drivers": True}
    expected = tclose.audit(table, roles, population=people, **asked)
    found = tclose.audit(frame_of(spark, table), roles, population=frame_of(spark, people), **asked)
    assert said(found) == said(expected)
    assert class_rows(found) == class_rows(expected)


def test_a_population_that_lacks_people_is_refused_alike(spark):
    table = pa.table({"q": [1, 1, 2], "s": ["x", "y", "x"]})
    roles = tclose.Roles(quasi=["q"], sensitive=["s"])
    messages = []
    for make in (lambda t: t, functools.partial(frame_of, spark)):
        with pytest.raises(errors.DomainError) as caught:
            tclose.audit(make(table), roles, population=make(table.slice(1)))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_worst_classes_are_explained_alike(spark):
    table, roles = random_table(8)
    frame = frame_of(spark, table)
    expected, found = (tclose.explain(each, roles) for each in (table, frame))
    assert [(e.key, e.value, e.moves) for e in found] == [(e.key, e.value, e.moves) for e in expected]
    key = found[0].key
    assert tclose.explain(frame, roles, key=key)[0].value == tclose.explain(table, roles, key=key)[0].value


def test_a_profile_suggests_the_same_roles(spark):
    table = pa.table(
        {"name": ["a", "b", "c"], "age": [1, 2, 2], "mail": ["a@b.cd", None, "x@y.zz"], "pay": [1.0, 2.0, 2.0]}
    )
    expected, found = tclose.profile(table), tclose.profile(frame_of(spark, table))
    assert found.columns == expected.columns


def test_a_key_of_people_is_found_by_what_stays_the_same_within_it(spark):
    who = [at % 30 for at in range(90)]
    table = pa.table(
        {
            "xkey": [f"Z{7919 * at % 100_000:05}" for at in who],
            "sex": ["fm"[at % 2] for at in who],
            "birth_year": [1950 + at % 14 for at in who],
            "xb": ["KLMNO"[(at + at // 30) % 5] for at in range(90)],
        }
    )
    expected, found = tclose.profile(table), tclose.profile(frame_of(spark, table))
    assert found.columns == expected.columns
    assert found.roles.person == "xkey"


def test_some_texts_are_values_of_the_column(spark):
    frame = frame_of(spark, pa.table({"x": [f"v{at % 3000}" for at in range(6000)]}))
    with working_session(frame) as session:
        found = session.some_texts(session.open(frame), {"x": 30})["x"]
    assert set(found) <= {f"v{at}" for at in range(3000)}
    assert 50 <= len(set(found)) == len(found) <= 200


def test_classes_are_searched_and_counted_like_elsewhere(spark):
    table, roles = random_table(3)
    expected, found = (tclose.audit(each, roles, drivers=False).classes for each in (table, frame_of(spark, table)))
    assert found.columns == expected.columns
    assert len(found) == len(expected)
    assert list(found.rows(sort="size", limit=3, offset=1)) == list(expected.rows(sort="size", limit=3, offset=1))
    assert found.found("A") == expected.found("A")
    assert found.up_to("size", [1, 2, 1000]) == expected.up_to("size", [1, 2, 1000])


@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_the_class_table_is_written_whole_from_spark(spark, tmp_path, ending):
    table, roles = random_table(3)
    classes = tclose.audit(frame_of(spark, table), roles, drivers=False).classes
    target = tmp_path / f"classes.{ending}"
    classes.write(target, sort="size")
    classes.write(target)  # what Spark wrote before is replaced
    assert [path.name for path in tmp_path.iterdir()] == [target.name]
    if ending == "parquet":
        assert pq.read_table(target).to_pylist() == list(classes.rows())
    else:
        assert spark.read.csv(str(target), header=True).count() == len(classes)


@pytest.mark.parametrize("seed", [2, 3])
def test_one_file_of_classes_is_the_one_that_duckdb_writes(spark, tmp_path, seed):
    table, roles = random_table(seed)
    tclose.audit(frame_of(spark, table), roles, drivers=False).classes.write_here(tmp_path / "found.csv")
    tclose.audit(table, roles, drivers=False).classes.write(tmp_path / "expected.csv")
    assert (tmp_path / "found.csv").read_bytes() == (tmp_path / "expected.csv").read_bytes()


def test_one_giant_class_and_more_values_than_are_broadcast_are_measured(spark, monkeypatch):
    monkeypatch.setattr(counts, "_BROADCAST_UP_TO", 1000)
    frame = spark.range(60_000).selectExpr("if(id < 58000, 0, id) AS q", "pmod(id * 7919, 20011) AS s")
    found = tclose.audit(frame, tclose.Roles(quasi=["q"], sensitive=["s:ordered"]), drivers=False)
    assert (found.rows, found.class_count, found.k) == (60_000, 2_001, 1)
    (row,) = found.classes.rows(sort="size", limit=1)
    assert (row["q"], row["size"], row["s.l"]) == (0, 58_000, 20_011), "7919 and 20011 are primes"


def test_a_class_of_all_rows_is_the_table_itself(spark):
    frame = spark.range(50_000).selectExpr("1 AS q", "id AS s", "concat('v', id % 10) AS text")
    roles = tclose.Roles(quasi=["q"], sensitive=["s:ordered", "text:nominal"])
    found = tclose.audit(frame, roles, drivers=False)
    assert (found.k, found["s"].t, found["text"].t) == (50_000, 0, 0)
    assert (found["s"].l, found["text"].l) == (50_000, 10)


def test_what_the_engine_may_use_is_not_ours_to_say(spark):
    with pytest.raises(errors.InputError, match=r"spark\.executor\.memory"):
        tclose.audit(spark.range(3), tclose.Roles(quasi=["id"], sensitive=["id2"]), memory="1GB")


@pytest.mark.parametrize(
    ("query", "error", "words"),
    [
        ("SELECT 1 AS q, 2 AS s WHERE false", errors.EmptyTableError, "no rows"),
        ("SELECT 1 AS q, array(2) AS s", errors.SourceError, "nested"),
        ("SELECT 1 AS q, 2 AS q, 3 AS s", errors.SourceError, "same name"),
        ("SELECT 1 AS q, CAST(concat('CAN', 'ARY') AS int) AS s", errors.TcloseError, "Spark"),
    ],
    ids=["no rows", "nested", "twice", "a failing cell"],
)
def test_tables_that_cannot_be_audited_are_refused_without_a_cell(spark, query, error, words):
    with pytest.raises(error, match=words) as caught:
        tclose.audit(spark.sql(query), tclose.Roles(quasi=["q"], sensitive=["s"]))
    assert "CANARY" not in str(caught.value)
    assert caught.value.__cause__ is None


def test_floats_of_32_bits_are_their_shortest_decimals(spark):
    numbers = ["0.1", "18.3", "1e10", "3.4028235e38", "1.4e-45", "16777216", "-0.0", "0.3", "1.17549435e-38"]
    frame = spark.createDataFrame([(text,) for text in numbers], "s string").selectExpr("'x' AS q", "float(s) AS s")
    audit = tclose.audit(frame, tclose.Roles("q", "s:ordered"), drivers=False)
    values = {Fraction(Decimal(repr(value))) for value in audit.evidence["s"].domain.values}
    assert values == {Fraction(Decimal(str(np.float32(text)))) for text in numbers}
