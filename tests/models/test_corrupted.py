"""Classes of which some rows are known: the worst rows to take, against all choices one by one."""

from __future__ import annotations

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from faces.command_line import in_process
from laws import oracle
from laws.audited import TREE, TREE_LEVELS
from tclose.counts import Distribution, sparse_block
from tclose.distances.farthest import farthest
from tclose.distances.ground import exact_distance
from tclose.distances.line import LineGround
from tclose.distances.tree import TreeGround
from tclose.errors import InputError, ThresholdError
from tclose.models.catalogue import MODELS, required_with_known, requirements

LEAVES = tuple(TREE_LEVELS)
MIXED = ("d", "a", "c", "e", "b")
"""The same leaves in an order in which those below a node do not follow each other."""


def levels_of(leaves):
    return tuple(
        np.unique([TREE_LEVELS[leaf][level] for leaf in leaves], return_inverse=True)[1].astype(np.int64)
        for level in range(3)
    )


LEVELS = levels_of(LEAVES)
ROLES = tclose.Roles(quasi="q", sensitive="s:nominal")


def grounds(reference, scale=1):
    """Each ground distance of five values, and what the oracle calls it; weights may be made large."""
    counts = Distribution.of([count * scale for count in reference])
    numbers = (0, 1, 4, 5, 12)
    gaps = tuple(scale * (after - before) for before, after in itertools.pairwise(numbers))
    return [
        (LineGround(counts, None, 40), oracle.Attribute("ordered", tuple(range(5)))),
        (LineGround(counts, gaps, 40), oracle.Attribute("numeric", numbers)),
        (TreeGround(counts, LEVELS[:1]), oracle.Attribute("nominal", LEAVES)),
        (TreeGround(counts, LEVELS), oracle.Attribute("hierarchical", LEAVES, TREE_LEVELS)),
        (TreeGround(counts, levels_of(MIXED)), oracle.Attribute("hierarchical", MIXED, TREE_LEVELS)),
    ]


def block_of(classes):
    at, ranks = np.nonzero(np.array(classes))
    counts = np.array(classes)[at, ranks].astype(np.int64)
    return sparse_block(at.astype(np.int64), ranks.astype(np.int32), counts, len(classes))


HISTOGRAMS = st.lists(st.integers(0, 3), min_size=5, max_size=5).filter(any)
REFERENCES = st.lists(st.integers(0, 6), min_size=5, max_size=5).filter(any)


@pytest.mark.parametrize(
    "scale", [1, 2**40, 2**54], ids=["64 bits", "more than 64 bits", "more than 64 bits in large classes"]
)
@given(classes=st.lists(HISTOGRAMS, min_size=1, max_size=3), reference=REFERENCES, known=st.integers(1, 6))
@settings(max_examples=40, deadline=None)
def test_the_farthest_remainder_is_the_farthest_of_all_remainders(scale, classes, reference, known):
    for ground, attribute in grounds(reference, scale):
        x, y, left = farthest(ground, block_of(classes), known)
        for at, counts in enumerate(classes):
            held = {attribute.order[rank]: count for rank, count in enumerate(counts) if count}
            q = oracle.shares(dict(zip(attribute.order, reference, strict=True)), attribute.order)
            expected = max(
                attribute.emd(oracle.shares(rest, attribute.order), q) for rest in oracle.remainders(held, known)
            )
            assert left[at] == max(sum(counts) - known, 1)
            assert exact_distance(ground, x[at], y[at], int(left[at])) == expected, attribute.distance


@given(st.lists(st.dictionaries(st.integers(0, 39), st.integers(1, 3), min_size=1, max_size=3), min_size=1, max_size=2),
       st.lists(st.integers(0, 3), min_size=40, max_size=40).filter(any), st.integers(1, 3))  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_the_farthest_remainder_is_found_on_a_long_line_too(classes, reference, known):
    attribute = oracle.Attribute("ordered", tuple(range(40)))
    block = block_of([[held.get(value, 0) for value in range(40)] for held in classes])
    ground = LineGround(Distribution.of(reference), None, 40)
    x, y, left = farthest(ground, block, known)
    q = oracle.shares(dict(enumerate(reference)), attribute.order)
    for at, held in enumerate(classes):
        rests = oracle.remainders(held, known)
        expected = max(attribute.emd(oracle.shares(rest, attribute.order), q) for rest in rests)
        assert exact_distance(ground, x[at], y[at], int(left[at])) == expected


def test_compiled_and_plain_kernels_find_the_same(monkeypatch):
    from tclose import compiled

    draw = np.random.default_rng(3)
    block = block_of(draw.integers(0, 4, size=(200, 5)) + np.eye(5, dtype=int)[draw.integers(0, 5, 200)])
    for ground, _ in grounds([5, 1, 0, 7, 2]):
        monkeypatch.setattr(compiled, "PAYS_FROM", 10**12)
        monkeypatch.setattr(compiled, "LOADED_PAYS_FROM", 10**12)
        plain = farthest(ground, block, 3)
        monkeypatch.setattr(compiled, "PAYS_FROM", 1)
        monkeypatch.setattr(compiled, "LOADED_PAYS_FROM", 1)
        for one, other in zip(plain, farthest(ground, block, 3), strict=True):
            assert np.array_equal(one, other)


TABLE = {"q": [1, 1, 1, 1, 1, 2, 2, 2, 2, 2], "s": list("aaabc") + list("aabbc")}
"""Without b and c, class 1 is three a, at 1 − 1/2 from the table; without both a, class 2 is b, b, c,
at 2/3 − 3/10 + 1/3 − 1/5 = 1/2 too."""


def test_what_is_required_must_also_hold_with_others_known():
    found = tclose.audit(TABLE, ROLES, require={"k": 3, "l": 2, "t": "0.5", "alpha": "0.9"}, corrupted=2)
    verdicts = {each.requirement.text: (each.figure.value, each.holds) for each in found.verdicts}
    assert verdicts == {
        "k ≥ 3": (5, True),
        "l ≥ 2": (3, True),
        "t ≤ 0.5": (Fraction(1, 10), True),
        "alpha ≤ 0.9": (Fraction(3, 5), True),
        "k_corrupted(known=2) ≥ 3": (3, True),
        "l_corrupted(known=2) ≥ 2": (1, False),
        "t_corrupted(known=2) ≤ 0.5": (Fraction(1, 2), True),
        "alpha_corrupted(known=2) ≤ 0.9": (Fraction(1), False),
    }
    assert found.holds is False
    assert found["s"]["entropy_l_corrupted"].value == 1
    assert found["s"]["t_corrupted"].worst.key == {"q": 1}


def test_nothing_is_vacuous_about_a_class_that_is_known_but_for_one():
    found = tclose.audit(TABLE, ROLES, measure=["t", "l", "alpha"], corrupted=1000)
    assert found.figures["k_corrupted"].value == 1
    assert (found["s"]["l_corrupted"].value, found["s"]["alpha_corrupted"].value) == (1, 1)
    assert found["s"]["t_corrupted"].value == found["s"].largest_t == Fraction(4, 5)


def test_a_model_without_a_figure_for_known_others_is_refused_by_its_name():
    for key in ("kl", "marketer", "recursive", "beta"):
        with pytest.raises(ThresholdError, match=f"{key} has no figure for whoever knows others"):
            tclose.audit(TABLE, ROLES, require={key: MODELS[key].example}, corrupted=1)
    for wrong in (0, -1, 10**6, True, "2", 1.5):
        with pytest.raises(ThresholdError, match="whole number from 1 to 10,000"):
            tclose.audit(TABLE, ROLES, require={"k": 2}, corrupted=wrong)
    with pytest.raises(ThresholdError, match="whole number from 1"):
        requirements({"t_corrupted": "20000,0.3"})


def test_requiring_it_twice_is_requiring_it_once():
    once = required_with_known(requirements({"k": 3, "t": "0.2"}), 2)
    assert required_with_known(once, 2) == once
    assert [each.model.key for each in once] == ["k", "t", "k_corrupted", "t_corrupted"]


def test_people_of_one_value_each_are_counted_and_others_refused():
    people = {**TABLE, "id": list(range(10))}
    by_people = tclose.Roles(quasi="q", sensitive="s:nominal", person="id")
    rows = tclose.audit(TABLE, ROLES, corrupted=2)
    found = tclose.audit(people, by_people, corrupted=2)
    for key in ("l_corrupted", "t_corrupted", "alpha_corrupted", "entropy_l_corrupted"):
        assert found["s"][key].value == rows["s"][key].value
    assert found.figures["k_corrupted"].value == 3
    several = {**TABLE, "id": [0, 1, 2, 0, *range(4, 10)]}
    with pytest.raises(InputError, match="somebody has several of its values in one class, or none"):
        tclose.audit(several, by_people, corrupted=2)
    assert tclose.audit(several, by_people, measure="k", corrupted=2).figures["k_corrupted"].value == 2
    with pytest.raises(InputError, match="where people are counted"):
        tclose.audit(people, by_people, require={"t": "0.5"}, any=1, corrupted=2)
    with pytest.raises(InputError, match="where people are counted"):
        tclose.anonymize(people, by_people, require={"t": "0.9"}, corrupted=1)


def test_whoever_knows_some_columns_and_some_others_is_judged_by_both():
    table = {"p": list("xxyyxxyy"), "r": list("uvuvuvuv"), "s": list("abababba")}
    roles = tclose.Roles(quasi=["p", "r"], sensitive="s:nominal")
    found = tclose.audit(table, roles, require={"l": 2, "k": 3}, any=1, corrupted=1)
    told = {each.requirement.text: (each.figure.value, each.holds) for each in found.verdicts}
    assert told["k_corrupted(known=1) ≥ 3 for any column"] == (3, True)
    assert told["l_corrupted(known=1) ≥ 2 for any column"] == (1, False)


def test_a_policy_and_the_command_line_ask_for_it(tmp_path, capfdbinary):
    pd.DataFrame(TABLE).to_csv(tmp_path / "table.csv", index=False)
    policy = tmp_path / "tclose.toml"
    policy.write_text(
        '[columns]\nq = { role = "quasi-identifier" }\ns = { role = "sensitive", distance = "nominal" }\n'
        '[policy]\nk = 3\nt = "1/2"\ncorrupted = 2\n'
    )
    options = ("audit", str(tmp_path / "table.csv"), "--policy", str(policy), "--format", "json")
    found = in_process(capfdbinary, *options)
    assert found.code == 0
    data = json.loads(found.out)
    assert data["attributes"]["s"]["t_corrupted"] == {
        "value": 0.5, "exact": "1/2", "counts": "rows", "parameters": {"known": 2},
        "worst": {"key": {"q": 1}, "size": 5, "tied": 2},
    }  # fmt: skip
    assert in_process(capfdbinary, *options, "--corrupted", "3").code == 1
    assert in_process(capfdbinary, *options, "--corrupted", "0").code == 2


@pytest.mark.parametrize("method", ["gather", "mondrian", "full-domain", "peel", "microaggregation", "sabre", "merge"])
def test_every_method_makes_releases_that_hold_with_others_known(method):
    draw = np.random.default_rng(5)
    table = {
        "age": draw.integers(20, 60, 120).tolist(),
        "zone": draw.integers(0, 4, 120).tolist(),
        "s": draw.choice(list("abcd"), 120, p=[0.4, 0.3, 0.2, 0.1]).tolist(),
    }
    roles = tclose.Roles(quasi=["age", "zone"], sensitive="s:nominal")
    release = tclose.anonymize(
        table,
        roles,
        require={"k": 3, "l": 2, "t": "0.35"},
        corrupted=2,
        method=method,
        whole_classes=method not in ("peel", "sabre"),
    )
    assert release.holds
    published = release.to_pandas()
    reference = oracle.Counter(table["s"])
    attribute = oracle.Attribute("nominal", tuple("abcd"))
    q = oracle.shares(reference, attribute.order)
    sizes = []
    for _, rows in published.groupby(["age", "zone"], dropna=False):
        counts = oracle.Counter(rows["s"])
        sizes.append(len(rows))
        assert len(rows) >= 5
        for rest in _each(counts, 2):
            assert len(rest) >= 2
            assert attribute.emd(oracle.shares(rest, attribute.order), q) <= Fraction("0.35")
    assert sum(sizes) == 120


def _each(counts, known):
    """Every remainder, by which values are taken."""
    for taken in itertools.combinations_with_replacement(sorted(counts), known):
        rest = counts - oracle.Counter(taken)
        if sum(rest.values()) == sum(counts.values()) - known:
            yield rest


def test_the_tree_of_the_laws_is_the_tree_here():
    found = tclose.audit(
        {"q": [1] * 5, "s": list(LEAVES)}, tclose.Roles("q", {"s": tclose.Hierarchical(TREE)}), corrupted=4
    )
    assert found["s"]["t_corrupted"].value == found["s"].largest_t
    assert math.isclose(found["s"]["entropy_l_corrupted"].value, 1)
