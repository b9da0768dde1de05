"""Cutting on a cluster gives the very classes of cutting here, however rows are spread and whatever is a small part."""

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recoding.cutting_problems import TREE, problem_of, problems, quasi_of
from recoding.spread_rows import Shuffled
from tclose.anonymization.algorithms.hyperrectangles import Boxes
from tclose.anonymization.algorithms.mondrian import cluster_cutting, mondrian
from tclose.anonymization.algorithms.partition import Partition, hulls
from tclose.anonymization.algorithms.search import Search
from tclose.errors import InternalError
from tclose.policy.roles import Nominal, Ordered


@pytest.fixture(autouse=True)
def always(monkeypatch):
    """Every table is large enough for a cluster, and one try is enough."""
    monkeypatch.setattr(mondrian, "PAYS_FROM", 0)
    monkeypatch.setattr(mondrian, "TRIED_UP_TO", 0)


def cut(problem, cluster, small, tell=lambda _stage, _share: None):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster_cutting, "SMALL_PART", small)
        return mondrian.find(problem, Search(cluster=cluster, tell=tell))


seeds, sizes = st.integers(0, 2**32), st.sampled_from([0, 1, 2, 5, 100])


@given(problems(most_rows=40), seeds, st.integers(1, 5), sizes)
@settings(deadline=None, max_examples=100)
def test_classes_do_not_depend_on_where_they_are_cut(problem, seed, pieces, small):
    expected = mondrian.find(problem, Search())
    found = cut(problem, Shuffled(seed, pieces), small)
    assert (found is None) == (expected is None)
    if expected is not None:
        assert found.classes.tolist() == expected.classes.tolist()
        assert found.cells.levels.tolist() == expected.cells.levels.tolist()


@given(problems(most_rows=30), seeds, sizes, st.integers(1, 3))
@settings(deadline=None, max_examples=60)
def test_classes_are_cut_further_alike(problem, seed, small, left_out):
    """Whatever the classes are that it begins with, and although some rows are left out."""
    rows = np.arange(len(problem.counts))
    kept = rows % 4 != left_out
    classes = np.full(len(rows), -1)
    classes[kept] = np.unique(Boxes.of(problem).compartments[kept], return_inverse=True)[1]
    begun = Partition(rows, classes, problem.counts, hulls(problem, rows, classes, int(classes.max()) + 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster_cutting, "SMALL_PART", small)
        expected, found = (
            mondrian.divided(problem, begun, Search(cluster=where)) for where in (None, Shuffled(seed, 3))
        )
    assert found.classes.tolist() == expected.classes.tolist()
    assert found.rows.tolist() == expected.rows.tolist()


@pytest.fixture
def middling():
    """900 rows on two lines and a tree."""
    random = np.random.default_rng(2)
    quasi = [
        quasi_of("age", [None if age == 0 else age for age in random.integers(0, 40, 900).tolist()]),
        quasi_of("zip", (random.random(900) ** 3 * 1000).astype(int).tolist()),
        quasi_of("job", ["abcdef"[at] for at in random.integers(0, 6, 900)], TREE),
    ]
    sensitive = [(random.integers(0, 5, 900).tolist(), Nominal()), (random.integers(0, 9, 900).tolist(), Ordered())]
    return problem_of(quasi, sensitive, {None: {"k": 4}, 0: {"t": "0.3", "l": 3}, 1: {"t": "0.25"}})


def test_large_parts_are_cut_by_sums_and_small_ones_where_their_rows_are(middling):
    expected = mondrian.find(middling, Search())
    asked = {}
    for small in (0, 100, 10_000):
        cluster = Shuffled(small, 4)
        assert cut(middling, cluster, small).classes.tolist() == expected.classes.tolist()
        asked[small] = Counter(cluster.asked)
    assert expected.number > 20
    assert asked[0]["tallied"] > asked[100]["tallied"] > asked[10_000]["tallied"] == 0
    assert all(each["gathered"] == each["gone"] == 1 for each in asked.values())


def test_no_value_of_a_quasi_identifier_travels():
    values = [f"canary{at}" for at in range(6)]
    hierarchy = type(TREE)(tuple((value, f"canaries{at // 2}", "*") for at, value in enumerate(values)))
    quasi = [quasi_of("q", values * 4, hierarchy), quasi_of("n", [271828 + at for at in range(24)])]
    problem = problem_of(quasi, [([1, 2] * 12, Nominal())], {None: {"k": 2}, 0: {"t": "0.5"}})
    cluster = Shuffled(1)
    assert cut(problem, cluster, 4).number > 2
    assert cluster.sent
    assert not any(re.search(b"canar", sent) for sent in cluster.sent)


def test_a_table_that_is_not_large_is_cut_here(middling, monkeypatch):
    monkeypatch.setattr(mondrian, "PAYS_FROM", len(middling.counts) + 1)
    cluster = Shuffled(0)
    assert cut(middling, cluster, 100) is not None
    assert cluster.asked == []


def test_those_who_wait_are_told_how_far_it_is(middling):
    shares = []
    cut(middling, Shuffled(0), 50, tell=lambda _stage, share: shares.append(share))
    assert shares[0] == 0
    assert shares == sorted(shares)
    assert len({*shares}) > 2
    assert shares[-1] < 1


class Losing(Shuffled):
    """A cluster that forgets a row."""

    def gathered(self, bins, kernel, names):
        return {name: column[1:] for name, column in super().gathered(bins, kernel, names).items()}


def test_rows_that_get_lost_on_the_cluster_are_noticed(middling):
    with pytest.raises(InternalError, match="lost or doubled"):
        cut(middling, Losing(0), 100)
