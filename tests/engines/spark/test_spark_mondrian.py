"""Cutting in the executors gives the release that cutting on one machine gives, to the last cell."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import tclose
from tclose import errors
from tclose.anonymization.algorithms.mondrian import cluster_cutting
from tclose.anonymization.algorithms.mondrian import mondrian as method
from tclose.engines.spark.reading import frame_of
from tclose.engines.spark.session import ClusterSession

ROLES = tclose.Roles(quasi=["age", "zip", "job"], sensitive=["disease:nominal", "salary:ordered"])
ASKED = {
    "require": {"k": 5, "t": {"disease": "0.3", "salary": "0.25"}},
    "hierarchies": {"job": {"*": {"care": ["nurse", "cook"], "trade": ["smith", "clerk"]}}},
    "method": "mondrian",
}


def people(rows: int = 2000) -> pa.Table:
    random = np.random.default_rng(3)
    ages = random.integers(18, 90, rows)
    return pa.table(
        {
            "age": pa.array(ages, mask=ages == 33),
            "zip": (random.random(rows) ** 2 * 500).astype(np.int64),
            "job": random.choice(["nurse", "cook", "smith", "clerk"], rows),
            "disease": random.choice(["flu", "cold", "gout"], rows, p=[0.5, 0.3, 0.2]),
            "salary": random.integers(0, 9, rows),
        }
    )


@pytest.fixture
def always(monkeypatch):
    """Every table is large enough for the executors, and one try is enough."""
    monkeypatch.setattr(method, "PAYS_FROM", 0)
    monkeypatch.setattr(method, "TRIED_UP_TO", 0)


def rows(release) -> list[str]:
    return sorted(map(repr, release.to_arrow().to_pylist()))


@pytest.mark.parametrize("small", [300, 10**6], ids=["first cuts by Spark", "all cuts in partitions"])
def test_a_release_cut_on_the_cluster_is_the_one_cut_here(spark, always, monkeypatch, small):
    monkeypatch.setattr(cluster_cutting, "SMALL_PART", small)
    expected = tclose.anonymize(people(), ROLES, **ASKED)
    told = []
    found = tclose.anonymize(
        frame_of(spark, people()).repartition(3),
        ROLES,
        progress=lambda stage, share: told.append(share) if stage == "cutting" else None,
        **ASKED,
    )
    assert expected.holds
    assert expected.class_count > 20
    assert found.holds
    assert found.losses == expected.losses
    assert found.recipe.to_json() == expected.recipe.to_json()
    assert rows(found) == rows(expected)
    assert told == sorted(told)
    assert (len(told) > 2) == (small == 300)


def test_nothing_stays_on_the_cluster(spark, always):
    before = spark.sparkContext._jsc.getPersistentRDDs().size()
    tclose.anonymize(frame_of(spark, people(300)), ROLES, **ASKED)
    assert spark.sparkContext._jsc.getPersistentRDDs().size() == before


@pytest.fixture
def numbers(spark):
    """Nine rows on the cluster, and closed again."""
    session = ClusterSession(spark)
    with session.cluster(session.open(spark.range(1))).put({"row": np.arange(9)}) as there:
        yield there


def test_a_kernel_that_fails_in_an_executor_is_an_engine_error_without_its_words(numbers):
    def broken(_columns):
        raise ValueError("secret cell")

    for ask in (
        lambda: numbers.tallied(broken, ("row",), {"n": "sum"}),
        lambda: numbers.gathered(broken, broken, ("row",)),
    ):
        with pytest.raises(errors.EngineFailedError, match="PythonException") as caught:
            ask()
        assert "secret" not in str(caught.value)


def test_rows_of_the_same_keys_become_one(numbers):
    def parity(columns):
        return {"odd": columns["row"] % 2, **dict.fromkeys(("n", "low", "high"), columns["row"])}

    found = numbers.tallied(parity, ("odd",), {"n": "sum", "low": "min", "high": "max"})
    assert sorted(zip(*(found[name].tolist() for name in ("odd", "n", "low", "high")), strict=True)) == [
        (0, 0 + 2 + 4 + 6 + 8, 0, 8),
        (1, 1 + 3 + 5 + 7, 1, 7),
    ]


def test_rows_of_a_bin_come_together(numbers):
    def first_of_bin(columns):
        import numpy as np

        first = np.full(5, 100)
        np.minimum.at(first, columns["bin"], columns["row"])
        return {"row": columns["row"], "first": first[columns["bin"]]}

    found = numbers.gathered(lambda columns: columns["row"] // 2, first_of_bin, ("row", "first"))
    first = dict(zip(found["row"].tolist(), found["first"].tolist(), strict=True))
    assert first == {row: row // 2 * 2 for row in range(9)}
