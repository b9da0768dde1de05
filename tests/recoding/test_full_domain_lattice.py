"""Searches in lattices against an enumeration of all nodes, and classes rolled up against a plain grouping."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_full_domain import changed

from plain_kernels import MODES
from recoding.losses_problems import problem_of
from tclose.anonymization.algorithms.full_domain import lattice as roll_up
from tclose.anonymization.algorithms.full_domain.lattice import Lattice, RollUp, bisected_chains, descended
from tclose.data.hierarchies import Hierarchy
from tclose.models.counts import sparse_block
from tclose.policy.roles import Nominal


@st.composite
def lattices_with_holding_nodes(draw):
    """A lattice, and some nodes: all that generalise one of them hold."""
    spans = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3)), max_size=4))
    lattice = Lattice(tuple(low for low, _ in spans), tuple(low + more for low, more in spans))
    node = st.tuples(*(st.integers(low, low + more) for low, more in spans))
    return lattice, draw(st.lists(node, max_size=4))


def every_node(lattice):
    ranges = (range(low, top + 1) for low, top in zip(lattice.lowest, lattice.top, strict=True))
    return [*itertools.product(*ranges)]


def generalises(node, other):
    return all(a >= b for a, b in zip(node, other, strict=True))


@given(lattices_with_holding_nodes())
@settings(deadline=None)
def test_bisected_chains_find_all_minimal_nodes_and_judge_none_twice(drawn):
    lattice, generators = drawn
    judged = []

    def holds(node):
        judged.append(node)
        return any(generalises(node, each) for each in generators)

    found = bisected_chains(lattice, holds)
    minimal = {node for node in generators if not any(generalises(node, o) and node != o for o in generators)}
    assert minimal <= {*found}
    assert all(any(generalises(node, each) for each in generators) for node in found)
    assert len(judged) == len({*judged})
    assert {*judged} <= {*every_node(lattice)}


def test_bisected_chains_judge_few_nodes_of_a_large_lattice():
    """The one minimal node of 10⁵ is found by as many bisections as there are ways around it."""
    lattice = Lattice((0,) * 5, (9,) * 5)
    judged = []

    def holds(node):
        judged.append(node)
        return generalises(node, (4, 2, 7, 0, 5))

    assert (4, 2, 7, 0, 5) in bisected_chains(lattice, holds)
    assert len(judged) < lattice.size / 100


@given(lattices_with_holding_nodes())
@settings(deadline=None)
def test_a_way_down_ends_at_a_minimal_node(drawn):
    lattice, generators = drawn

    def loss(node):
        return float(sum(node)) if any(generalises(node, each) for each in generators) else math.inf

    found = descended(lattice, loss)
    if not generators:
        assert found is None
    else:
        assert loss(found) < math.inf
        assert all(loss(finer) == math.inf for finer in lattice.finer(found))


@given(lattices_with_holding_nodes())
@settings(deadline=None)
def test_neighbours_differ_by_one_level(drawn):
    lattice, _ = drawn
    nodes = every_node(lattice)
    assert lattice.size == len(nodes)
    for node in nodes:
        apart = {other: sum(b - a for a, b in zip(node, other, strict=True)) for other in nodes}
        assert {*lattice.coarser(node)} == {o for o in nodes if generalises(o, node) and apart[o] == 1}
        assert {*lattice.finer(node)} == {o for o in nodes if generalises(node, o) and apart[o] == -1}


TREE = Hierarchy(tuple((str(leaf), f"{leaf // 3} of 3", f"{leaf // 9} of 9", "*") for leaf in range(27)))


@pytest.mark.parametrize("values", [3, 40, 41, 500])
@pytest.mark.parametrize("bits", [62, 6], ids=["one key word", "several"])
@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
def test_classes_rolled_up_on_any_way_are_those_of_the_rows(mode, bits, values):
    generator = np.random.default_rng(values)
    cells = [[str(leaf) for leaf in generator.integers(0, 27, 700)] for _ in range(3)]
    sensitive = [None if value == 0 else int(value) for value in generator.integers(0, values, 700)]
    with mode(), changed({(roll_up, "WORD"): bits}):
        problem = problem_of(
            {f"q{at}": (each, TREE) for at, each in enumerate(cells)}, [("s", sensitive, Nominal(nulls="drop"))]
        )
        made = RollUp(problem)
        for way_up in (((3, 2, 1),), ((0, 0, 0), (0, 2, 0), (2, 2, 1)), ((1, 0, 1), (2, 3, 2)), ((2, 1, 2), (3, 3, 3))):
            classes = made.rows
            for node in way_up:
                classes = made.rolled(classes, node)
            check_classes(problem, made, classes)
            check_classes(problem, made, made.at(way_up[-1]))


def check_classes(problem, made, classes):
    """Group the rows of the problem by their labels, and compare."""

    def labels_of(nodes):
        levels = (quasi.levels[at] for quasi, at in zip(problem.quasi, classes.node, strict=True))
        return tuple(level.labels[node] for level, node in zip(levels, nodes, strict=True))

    levels = [quasi.levels[at].nodes for quasi, at in zip(problem.quasi, classes.node, strict=True)]
    labels = [
        labels_of([nodes[code] for nodes, code in zip(levels, row, strict=True)]) for row in problem.codes.tolist()
    ]
    number_of = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    numbers = np.array([number_of[label] for label in labels])
    every = np.arange(len(number_of))
    assert classes.lineage.of_tuples[problem.tuples[0]].tolist() == numbers.tolist()
    assert classes.sizes.tolist() == [int(problem.counts[numbers == at].sum()) for at in every]
    assert [labels_of(row) for row in made.nodes(classes, every).tolist()] == [*number_of]
    whole = sparse_block(numbers, problem.ranks[:, 0], problem.counts, len(number_of))
    for chosen in (every, every[::2], every[:0]):
        (block,) = made.blocks(classes, chosen)
        assert [block.histogram(at) for at in range(block.classes)] == [whole.histogram(at) for at in chosen.tolist()]
        assert block.sizes.tolist() == whole.sizes[chosen].tolist()
