"""Plans and flows: optimal for any two distributions, under every rule, on lines and in trees."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import distribution_pairs, hierarchies_with_distributions
from tclose.errors import InputError, InternalError
from tclose.models.transport import RULES, Move, edge_flows, line_plan, tree_flows, tree_plan

every_rule = pytest.mark.parametrize("rule", RULES)


def whole(pair):
    """Return two distributions as whole multiples of one unit."""
    unit = math.lcm(*(share.denominator for side in pair for share in side))
    return [[int(share * unit) for share in side] for side in pair]


def after(masses, moves):
    found = list(masses)
    for move in moves:
        found[move.start] -= move.mass
        found[move.end] += move.mass
        assert found[move.start] >= 0
    return found


def over(moves, edge, *, rightward):
    """Return the mass that crosses an edge in one direction."""
    crossing = [
        move
        for move in moves
        if min(move.start, move.end) <= edge < max(move.start, move.end) and (move.start < move.end) == rightward
    ]
    return sum(move.mass for move in crossing)


@every_rule
@given(distribution_pairs())
def test_a_plan_on_a_line_turns_one_distribution_into_the_other_at_the_least_cost(rule, pair):
    masses, holes = whole(pair)
    moves, flows = line_plan(masses, holes, rule), edge_flows(masses, holes)
    assert after(masses, moves) == holes
    for edge, flow in enumerate(flows):
        right, left = over(moves, edge, rightward=True), over(moves, edge, rightward=False)
        assert not (right and left), "an edge carries mass both ways"
        assert right - left == flow
    assert sum(move.mass * abs(move.start - move.end) for move in moves) == sum(map(abs, flows))
    assert moves == sorted(moves)
    assert all(move.mass > 0 and move.start != move.end for move in moves)
    assert max(Counter((move.start, move.end) for move in moves).values(), default=1) == 1


@given(distribution_pairs())
def test_stay_moves_no_more_than_must_move(pair):
    masses, holes = whole(pair)
    moved = sum(move.mass for move in line_plan(masses, holes, "stay"))
    assert moved == sum(max(0, mass - hole) for mass, hole in zip(masses, holes, strict=True))
    surplus = sum(mass > hole for mass, hole in zip(masses, holes, strict=True))
    deficit = sum(mass < hole for mass, hole in zip(masses, holes, strict=True))
    assert len(line_plan(masses, holes, "stay")) <= max(0, surplus + deficit - 1)


@every_rule
@given(distribution_pairs(), st.integers(2, 5))
def test_a_finer_unit_changes_no_plan(rule, pair, times):
    masses, holes = whole(pair)
    fine = line_plan([times * mass for mass in masses], [times * hole for hole in holes], rule)
    assert fine == [Move(move.start, move.end, times * move.mass) for move in line_plan(masses, holes, rule)]


@given(hierarchies_with_distributions())
def test_a_plan_in_a_tree_pays_the_mean_of_the_levels(given_tree):
    tree, *pair = given_tree
    masses, holes = whole(pair)
    levels = tree.codes(list(tree.leaves)).tolist()
    moves = tree_plan(masses, holes, levels)
    assert after(masses, moves) == holes
    assert moves == sorted(moves)
    apart = sum(move.mass * sum(level[move.start] != level[move.end] for level in levels) for move in moves)
    assert apart == sum(mass for level in tree_flows(masses, holes, levels) for mass in level if mass > 0)
    assert sum(move.mass for move in moves) == sum(max(0, m - h) for m, h in zip(masses, holes, strict=True))
    for level, flows in zip(levels, tree_flows(masses, holes, levels), strict=True):
        for group, flow in enumerate(flows):
            out = sum(m.mass for m in moves if level[m.start] == group != level[m.end])
            into = sum(m.mass for m in moves if level[m.end] == group != level[m.start])
            assert not (out and into), "an edge carries mass both ways"
            assert out - into == flow


def cheapest(masses, holes, apart):
    """Return the least cost by linear programming."""
    ot = pytest.importorskip("ot", reason="POT is not installed")
    total = sum(masses)
    return ot.emd2(np.array(masses) / total, np.array(holes) / total, np.array(apart, dtype=float))


@every_rule
@pytest.mark.parametrize("seed", range(12))
def test_no_plan_on_a_line_is_cheaper_by_linear_programming(rule, seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 14))
    pair = rng.integers(0, 5, (2, size))
    pair[:, 0] += 1
    masses, holes = (pair[0] * pair[1].sum()).tolist(), (pair[1] * pair[0].sum()).tolist()
    places = np.cumsum(rng.integers(1, 9, size))
    apart = np.abs(places[:, None] - places[None, :])
    cost = sum(move.mass * int(apart[move.start, move.end]) for move in line_plan(masses, holes, rule)) / sum(masses)
    assert cost == pytest.approx(cheapest(masses, holes, apart), abs=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_no_plan_in_a_tree_is_cheaper_by_linear_programming(seed):
    rng = np.random.default_rng(seed)
    size, height = int(rng.integers(2, 12)), int(rng.integers(1, 4))
    levels = [list(range(size))]
    for _ in range(height - 1):
        parents = rng.integers(0, max(1, max(levels[-1])), max(levels[-1]) + 1)
        names = {parent: code for code, parent in enumerate(dict.fromkeys(parents[code] for code in levels[-1]))}
        levels.append([names[parents[code]] for code in levels[-1]])
    pair = rng.integers(0, 5, (2, size))
    pair[:, 0] += 1
    masses, holes = (pair[0] * pair[1].sum()).tolist(), (pair[1] * pair[0].sum()).tolist()
    apart = [[sum(level[a] != level[b] for level in levels) for b in range(size)] for a in range(size)]
    cost = sum(move.mass * apart[move.start][move.end] for move in tree_plan(masses, holes, levels)) / sum(masses)
    assert cost == pytest.approx(cheapest(masses, holes, apart), abs=1e-9)


def test_masses_that_do_not_fill_the_holes_are_our_own_mistake():
    with pytest.raises(InternalError, match="do not fill"):
        line_plan([1, 2], [1, 1])
    with pytest.raises(InternalError, match="do not fill"):
        tree_plan([1], [1, 0], [[0]])


def test_an_unknown_rule_is_refused():
    with pytest.raises(InputError, match="'greedy' is not a rule"):
        line_plan([1], [1], "greedy")
