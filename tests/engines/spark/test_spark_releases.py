"""A release made on Spark loses what one made on DuckDB loses, and is audited from the files that Spark wrote."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tclose
from engines.recodings import recoding
from tclose import errors
from tclose.engines.recoding import Recoding
from tclose.engines.spark.reading import frame_of
from tclose.engines.spark.released import target
from tclose.engines.spark.session import ClusterSession


def people(rows: int = 120) -> pa.Table:
    return pa.table(
        {
            "age": [20 + (7 * at) % 41 for at in range(rows)],
            "sex": [("f", "m", None)[at % 3] for at in range(rows)],
            "visit": [f"note {at % 11}" for at in range(rows)],
            "disease": [("flu", "cold", "gout", "flu")[(at * at) % 4] for at in range(rows)],
        }
    )


ROLES = tclose.Roles(quasi=["age", "sex"], sensitive=["disease:nominal"], publish="all")
ASKED = {"require": {"k": 5, "t": "0.4"}, "hierarchies": {"sex": "flat"}}


@pytest.mark.parametrize("method", ["mondrian", "sabre"])
def test_a_release_is_the_same_and_is_written_from_spark(spark, tmp_path, method):
    table = people()
    expected = tclose.anonymize(table, ROLES, method=method, **ASKED)
    found = tclose.anonymize(frame_of(spark, table).repartition(3), ROLES, method=method, **ASKED)
    assert (found.holds, found.losses, found.class_count) == (expected.holds, expected.losses, expected.class_count)
    written = found.write(tmp_path / "release.parquet")
    assert written.audit.holds
    assert written.against_original.holds
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "release.parquet",
        "release.parquet.recipe.json",
        "release.parquet.report.json",
    ]
    with pytest.raises(errors.InputError, match="force=True"):
        found.write(tmp_path / "release.parquet")
    if method == "sabre":
        found.write(tmp_path / "release.parquet", force=True)
        assert sorted(path.suffix for path in tmp_path.iterdir()) == [".json", ".json", ".parquet"]
    expected.write(tmp_path / "expected.parquet")
    mine, theirs = (pq.read_table(tmp_path / f"{name}.parquet").to_pylist() for name in ("release", "expected"))
    published = ["age", "sex", "disease"]
    assert sorted(str([row[name] for name in published]) for row in mine) == sorted(
        str([row[name] for name in published]) for row in theirs
    )
    assert sorted(row["visit"] for row in mine) == sorted(table.column("visit").to_pylist())


def test_a_recipe_is_applied_on_spark(spark, tmp_path):
    table = people()
    recipe = tclose.anonymize(table, ROLES, method="full-domain", **ASKED).recipe
    expected, found = (tclose.apply(each, recipe) for each in (table, frame_of(spark, table)))
    assert (found.holds, found.class_count, found.original_rows, found.suppressed) == (
        True,
        expected.class_count,
        120,
        0,
    )


def divided(table: pa.Table) -> Recoding:
    """Return the recoding under which half of the rows of every age go to one class and half to another."""
    counts = Counter(zip(table.column("age").to_pylist(), table.column("sex").to_pylist(), strict=True))
    pieces = []
    for key, rows in counts.items():
        pieces += [(key, ("low", "*"), rows // 2), (key, ("high", "*"), rows - rows // 2)]
    return recoding(pieces, columns=table.column_names, keys=["age", "sex"], quasi=["age", "sex"])


def test_rows_are_divided_among_pieces_by_their_content_as_many_as_asked(spark):
    table = people()
    plan = divided(table)
    session = ClusterSession(spark)
    whole = session.recode(session.open(frame_of(spark, table)), plan)
    spread = session.recode(session.open(frame_of(spark, table).repartition(3)), plan)
    rows = whole.to_arrow().to_pylist()
    assert Counter(row["age"] for row in rows) == Counter(
        {"low": int(plan.counts[::2].sum()), "high": int(plan.counts[1::2].sum())}
    )
    assert Counter((row["visit"], row["disease"]) for row in rows) == Counter(
        zip(table.column("visit").to_pylist(), table.column("disease").to_pylist(), strict=True)
    )
    assert spread.to_arrow().to_pylist() == rows, "the order of rows follows from their content"


def test_a_table_with_other_rows_than_the_recoding_counted_is_refused(spark):
    session = ClusterSession(spark)
    other = session.open(frame_of(spark, people().slice(1)))
    with pytest.raises(errors.InputError, match="just those rows"):
        session.recode(other, divided(people()))


def test_what_is_there_and_not_of_spark_is_not_replaced(spark, tmp_path):
    (tmp_path / "mine.parquet").mkdir()
    (tmp_path / "mine.parquet" / "notes.txt").write_text("keep me", encoding="utf-8")
    with pytest.raises(errors.InputError, match="no folder that Spark wrote"):
        target(tmp_path / "mine.parquet").check(force=True)
    assert (tmp_path / "mine.parquet" / "notes.txt").exists()


@pytest.mark.parametrize("ending", [".csv.gz", ".feather", ".xlsx", ""])
def test_endings_that_spark_does_not_write_are_refused(tmp_path, ending):
    with pytest.raises(errors.InputError, match=r"\.orc"):
        target(tmp_path / f"out{ending}")
    assert target(tmp_path / "out.orc").ending == ".orc"


def test_a_failure_leaves_nothing_half_written(spark, tmp_path):
    failing = spark.sql("SELECT id AS q, CAST(concat('x', id) AS int) AS s FROM range(3)")
    from tclose.engines.spark.released import write_frame

    with pytest.raises(errors.TcloseError):
        write_frame(failing, ["q", "s"], tmp_path / "out.parquet", "the table")
    assert list(tmp_path.iterdir()) == []
