"""Which facts a release keeps: every set of them that anybody has is shared by k, and small cases are optimal."""

import itertools
import random
from collections import Counter

import pytest

from tclose.anonymization.database.facts_search import Forest, Known, kept_facts
from tclose.data.hierarchies import Hierarchy

TREE = Hierarchy((("a1", "A", "*"), ("a2", "A", "*"), ("a3", "A", "*"), ("b1", "B", "*"), ("b2", "B", "*")))
FOREST = Forest.of([(TREE, TREE.leaves)])
LOSS = {"a1": 0, "a2": 0, "a3": 0, "b1": 0, "b2": 0, "A": 2 / 4, "B": 1 / 4}


def sets_of(nodes, known):
    """All multisets (or sets) of at most so many facts of one person."""
    items = sorted(nodes.elements() if known.repeated else nodes)
    return {some for size in range(1, known.facts + 1) for some in itertools.combinations(items, size)}


def holds(people, known):
    counts = Counter(some for nodes in people for some in sets_of(nodes, known))
    return all(count >= known.k for count in counts.values())


def published(found):
    return [Counter({FOREST.labels[node]: times for node, times in each.items()}) for each in found.times]


def drawn(seed, people=12, most=3):
    draw = random.Random(seed)
    return [dict(Counter(draw.randrange(5) for _ in range(draw.randint(0, most)))) for _ in range(people)]


def best_of(people, known):
    """The most that any cut and any choice of facts left out keeps, by trying them all."""
    best = 0.0
    for split_a, split_b in itertools.product((False, True), repeat=2):
        label = [row[0] if (split_a if row[1] == "A" else split_b) else row[1] for row in TREE.rows]
        choices = []
        for held in people:
            have = Counter()
            for leaf, times in held.items():
                have[label[leaf]] += times if known.repeated else 1
            if known.repeated:
                ways = itertools.product(*(range(times + 1) for times in have.values()))
            else:
                ways = itertools.product(*((0, times) for times in have.values()))
            choices.append([Counter(dict(zip(have, way, strict=True))) for way in ways])
        for way in itertools.product(*choices):
            kept = [+nodes for nodes in way]
            worth = sum(times * (1 - LOSS[node]) for nodes in kept for node, times in nodes.items())
            if worth > best and holds(kept, known):
                best = worth
    return best


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("facts", [1, 2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_every_set_is_shared_by_k(seed, facts, repeated):
    known = Known(3, facts, repeated)
    people = drawn(seed, people=25, most=4)
    found = kept_facts(people, FOREST, known, seed, effort=0.2)
    assert holds(published(found), known)
    for held, nodes, times in zip(people, found.nodes, found.times, strict=True):
        assert {*nodes} <= {*held}
        assert all(node in FOREST.paths[leaf] for leaf, node in nodes.items())
        for node, stay in times.items():
            assert 0 < stay <= sum(held[leaf] for leaf, own in nodes.items() if own == node)


@pytest.mark.parametrize("repeated", [False, True])
@pytest.mark.parametrize("facts", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_small_cases_are_optimal(seed, facts, repeated):
    people = drawn(seed, people=5, most=2)
    known = Known(2, facts, repeated)
    found = kept_facts(people, FOREST, known, seed, effort=0.5)
    assert found.detail == pytest.approx(best_of(people, known))


def test_one_fact_of_rare_leaves_is_united():
    people = [{0: 1}, {1: 1}, {2: 1}]
    found = kept_facts(people, FOREST, Known(3, 1, repeated=True), 0)
    assert published(found) == [Counter(A=1)] * 3
    assert found.detail == pytest.approx(3 * (1 - 2 / 4))


def test_a_fact_is_left_out_of_some_and_not_of_all():
    """Four have a1 and four b1; only the one who has both loses one of them."""
    people = [{0: 1, 3: 1}, {0: 1}, {0: 1}, {0: 1}, {3: 1}, {3: 1}, {3: 1}]
    found = kept_facts(people, FOREST, Known(3, 2, repeated=True), 0)
    assert found.detail == pytest.approx(7)


def test_the_same_seed_finds_the_same():
    people, known = drawn(3, people=30, most=4), Known(3, 2, repeated=True)
    assert kept_facts(people, FOREST, known, 5, effort=0.2) == kept_facts(people, FOREST, known, 5, effort=0.2)


def test_without_known_facts_everything_stays():
    people = drawn(1)
    found = kept_facts(people, FOREST, Known(3, 0, repeated=True), 0)
    assert found.detail == sum(sum(held.values()) for held in people)


def test_levels_that_unite_nothing_are_no_levels():
    tree = Hierarchy((("x", "X", "XX", "*"), ("y", "Y", "XX", "*"), ("z", "Z", "ZZ", "*")))
    forest = Forest.of([(tree, tree.leaves)])
    assert [[forest.labels[node] for node in path] for path in forest.paths] == [["x", "XX"], ["y", "XX"], ["z"]]
    assert [round(loss, 3) for loss in forest.loss] == [0, 0.5, 0, 0]
