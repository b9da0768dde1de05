"""What an executor counts of people is what sets count, however rows are divided, and without Spark."""

from __future__ import annotations

import pickle
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("pyspark")

from tclose.engines.people import Census, Trajectories
from tclose.engines.spark import gathering as person_gathering
from tclose.engines.spark.gathering import CELLS, SUMMARY, PersonGathering, Summary, pairs_in, shared_sets

KINDS = {"q0": pa.string(), "q1": pa.int64(), "r0": pa.int32(), "r1": pa.int32(), "person": pa.string()}
KEYS = st.tuples(st.sampled_from(["a", "b", "", None]), st.sampled_from([1, 2, None]))
PERSONS = st.sampled_from(["x", "X", "x ", "", "1", "01", "\u00e1", "a\u0301", None])
ROWS = st.lists(st.tuples(KEYS, st.integers(0, 3), st.integers(0, 2), PERSONS), min_size=1, max_size=24)
LIMITS = {
    "as they are": {},
    "repeats dropped on the way": {"_ROWS": 2},
    "numbers that do not suffice": {"_WORD": 3},
}


def gathered(rows, partitions):
    """Gather rows with those of each person in one partition; return all that comes of it."""
    gathering = PersonGathering(2, 2, b"secret")
    found = []
    for number in range(partitions):
        mine = [row for row in rows if len(row[3] or "") % partitions == number]
        columns = [
            [row[0][0] for row in mine],
            [row[0][1] for row in mine],
            *([row[at] for row in mine] for at in (1, 2, 3)),
        ]
        table = pa.table(
            [pa.array(each, kind) for each, kind in zip(columns, KINDS.values(), strict=True)], list(KINDS)
        )
        found += gathering.gathered(table.to_batches(max_chunksize=2))
    return pa.Table.from_batches(found)


def counted(cells, name):
    """Return what the cells of a column have: counts by class and rank, added up."""
    keys = list(zip(cells.column("q0").to_pylist(), cells.column("q1").to_pylist(), strict=True))
    found = Counter()
    for at, rank, count in zip(*pairs_in(cells.column(name), np.arange(cells.num_rows)), strict=True):
        found[keys[at], int(rank)] += int(count)
    return found


@pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
@given(rows=ROWS, partitions=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_everyone_counts_once_in_a_class_for_a_value_and_in_the_table(limits, rows, partitions):
    with pytest.MonkeyPatch.context() as patch:
        for name, limit in limits.items():
            patch.setattr(person_gathering, name, limit)
        found = gathered(rows, partitions)
    which = found.column("which").to_numpy()
    cells = found.filter(pa.array(which == CELLS))
    someones = [row for row in rows if row[3] is not None]
    people = {row[3] for row in someones}
    for at, name in ((1, "p0"), (2, "p1")):
        assert counted(cells, name) == Counter(
            (key, rank) for key, rank, _ in {(row[0], row[at], row[3]) for row in someones}
        )
    assert counted(cells, "p2") == Counter((key, 0) for key, _ in {(row[0], row[3]) for row in someones})
    told = found.filter(pa.array(which == SUMMARY)).column("told").to_pylist()
    summary = Summary.of([pickle.loads(each) for each in told], [4, 3])
    several = sum(count > 1 for count in Counter(row[3] for row in someones).values())
    assert summary.census == Census(len(rows), len(people), several, len(rows) - len(someones))
    for at, counts in ((1, summary.counts[0]), (2, summary.counts[1])):
        expected = Counter(rank for rank, _ in {(row[at], row[3]) for row in someones})
        assert {rank: count for rank, count in enumerate(counts.tolist()) if count} == expected


@given(rows=ROWS, partitions=st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_sets_of_classes_are_told_apart_as_sets_are(rows, partitions):
    rows = [row for row in rows if row[3] is not None] or [(("a", 1), 0, 0, "x")]
    found = gathered(rows, partitions)
    shares = found.filter(pa.array(found.column("which").to_numpy() >= 0))
    sets = Counter(frozenset(row[0] for row in rows if row[3] == who) for who in {row[3] for row in rows})
    shared = [
        row for batch in shared_sets(shares.to_batches()) for row in zip(*batch.to_pydict().values(), strict=True)
    ]
    assert Trajectories.of(shared) == Trajectories(
        people=sum(sets.values()),
        several=sum(count for each, count in sets.items() if len(each) > 1),
        different=len(sets),
        unique=sum(count == 1 for count in sets.values()),
        smallest=min(sets.values()),
    )


def test_classes_that_share_values_crosswise_are_different_sets():
    rows = [(("a", 1), 0, 0, "x"), (("b", 2), 0, 0, "x"), (("a", 2), 0, 0, "y"), (("b", 1), 0, 0, "y")]
    found = gathered(rows, 1)
    shares = found.filter(pa.array(found.column("which").to_numpy() >= 0))
    (batch,) = shared_sets(shares.to_batches())
    assert batch.to_pydict() == {"a": [1], "b": [2], "c": [2]}
