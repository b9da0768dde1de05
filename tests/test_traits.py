"""How much classes publish together of a value that is the same in all rows of a person."""

import itertools
import math

import numpy as np
import pyarrow as pa
import pytest

import tclose
from tclose.models.traits import AT_RISK, at_risk, published_bits, rho

ROLES = tclose.Roles(["ward"], ["illness:nominal"], person="who")


def entropy_by_enumeration(size, shares):
    """Every way to put so many people into the values, with its multinomial probability."""
    found = 0.0
    for counts in itertools.product(range(size + 1), repeat=len(shares)):
        if sum(counts) == size:
            ways = math.factorial(size)
            chance = 1.0
            for count, share in zip(counts, shares, strict=True):
                ways //= math.factorial(count)
                chance *= share**count
            found -= ways * chance * math.log2(ways * chance)
    return found


@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.9, 0.1), (0.2, 0.3, 0.5), (0.01, 0.29, 0.3, 0.4)])
@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_the_entropy_of_a_class_is_that_of_every_outcome(size, shares):
    found = published_bits(np.array([size]), np.array(shares))
    assert found == pytest.approx(entropy_by_enumeration(size, shares), abs=1e-9)


def test_the_entropy_of_large_classes_follows_the_formula_with_exact_binomials():
    """Binomial chances by whole numbers; sizes between those that are tabled are within a thousandth of a bit."""
    for size, one in ((200, 1 / 4), (1000, 1 / 10)):
        shares = np.array([one, 1 - one])
        exact = 0.0
        for count in range(size + 1):
            chance = math.comb(size, count) * one**count * (1 - one) ** (size - count)
            exact -= chance * math.log2(chance) if chance else 0.0
        assert published_bits(np.array([size]), shares) == pytest.approx(exact, abs=1e-6)
        between = published_bits(np.array([size, 5000]), shares) - published_bits(np.array([5000]), shares)
        assert between == pytest.approx(exact, abs=2e-3)


def test_many_different_shares_cost_little_and_change_little():
    """One person, and two, by −Σ p log₂ p over values and over unordered pairs of values."""
    draw = np.random.default_rng(1)
    counts = np.unique(draw.pareto(1, 3000) * 1000 + 1).astype(np.int64)
    shares = counts / counts.sum()
    assert published_bits(np.array([1]), shares) == pytest.approx(float(-(shares * np.log2(shares)).sum()), rel=1e-4)
    pairs = float(-np.log2(np.where(np.eye(len(shares)) > 0, 1, 2) * np.outer(shares, shares)).ravel()
                  @ np.outer(shares, shares).ravel())  # fmt: skip
    assert published_bits(np.array([2]), shares) == pytest.approx(pairs, rel=1e-4)


def test_reference_numbers():
    """30 people and three equal values: 6.615 bits; 11 people and 500 values: 73.5 bits."""
    assert published_bits(np.array([30]), np.full(3, 1 / 3)) == pytest.approx(6.615, abs=5e-4)
    assert published_bits(np.array([11]), np.full(500, 1 / 500)) == pytest.approx(73.5, abs=0.05)


def test_classes_of_one_person_each_publish_what_there_is_to_know():
    values = np.array([30, 20, 50])
    assert rho(np.ones(100, dtype=np.int64), values) == pytest.approx(1)
    assert rho(np.array([1]), values, np.array([300])) == pytest.approx(3)
    assert rho(np.array([7, 9]), np.array([16])) == 0  # one value: nothing to know
    assert rho(np.zeros(0, dtype=np.int64), values) == 0


def visits(people, rows, seed=1, several=0):
    """Visits to some wards by chance, with an illness that stays, but of as many people as are said to have two."""
    draw = np.random.default_rng(seed)
    illness = draw.integers(0, 4, people)
    own = np.repeat(illness, rows)
    own[: several * rows : rows] = (own[: several * rows : rows] + 1) % 4
    who = np.repeat(np.arange(people), rows)
    wards = [f"ward {each}" for each in draw.integers(0, max(people * rows // 15, 1), len(who))]
    return pa.table({"who": who, "ward": wards, "illness": [f"illness {each}" for each in own]})


def test_an_audit_by_people_tells_rho_as_the_classes_have_it():
    table = visits(300, 10)
    audit = tclose.audit(table, ROLES)
    (note,) = [each for each in audit.warnings if each.code == "trait-at-risk"]
    people = {}
    for who, ward in zip(table["who"].to_pylist(), table["ward"].to_pylist(), strict=True):
        people.setdefault(ward, set()).add(who)
    illness = dict(zip(table["who"].to_pylist(), table["illness"].to_pylist(), strict=True))
    shares = np.unique(list(illness.values()), return_counts=True)[1] / 300
    bits = sum(published_bits(np.array([len(each)]), shares) for each in people.values())
    expected = bits / (-300 * float((shares * np.log2(shares)).sum()))
    assert expected > AT_RISK
    assert f"{expected:.2f} times" in note.text
    assert note.column == "illness"
    assert "once per person" in str(note)


@pytest.mark.parametrize("table", [visits(300, 1), visits(300, 10, several=1)])
def test_people_of_one_row_or_of_several_values_are_not_told_of(table):
    assert "trait-at-risk" not in {each.code for each in tclose.audit(table, ROLES).warnings}


def test_classes_that_hold_everybody_publish_little():
    table = visits(300, 2).set_column(1, "ward", pa.array(["here", "there"] * 300))
    assert "trait-at-risk" not in {each.code for each in tclose.audit(table, ROLES).warnings}


@pytest.mark.parametrize(("found", "words"), [(0.5, "some of them"), (1.5, "most of them"), (9, "nearly everybody")])
def test_the_note_says_how_far_solving_gets(found, words):
    assert words in at_risk("illness", found).text
