"""Releases of tables with missing sensitive values: every class meets what is required with and without them."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from fractions import Fraction

import pytest

import tclose

MOST = Fraction(35, 100)


def table(seed):
    chance = random.Random(seed)
    return {
        "zip": [f"{chance.randrange(100, 112)}" for _ in range(120)],
        "age": [chance.randrange(20, 60) for _ in range(120)],
        "ill": [chance.choice([None, None, "flu", "cold", "hiv", "gout"]) for _ in range(120)],
    }


def distance(counts, reference):
    shares = [Fraction(some[value], sum(some.values())) for some in (counts, reference) for value in reference]
    half = len(reference)
    return sum(abs(p - q) for p, q in zip(shares[:half], shares[half:], strict=True)) / 2


@pytest.mark.parametrize(
    "method", ["mondrian", "full-domain", "gather", "merge", "microaggregation", "sabre"]
)  # what a method cuts by t itself must be cut in both ways, or all that it finds misses t
def test_every_method_finds_a_release_that_holds_without_missing_values_too(method):
    columns = table(1)
    made = tclose.anonymize(
        columns, tclose.Roles(["zip", "age"], {"ill": tclose.Nominal()}), method=method, effort=0, suppress="0.05",
        require={"k": 4, "l": 3, "t": "0.35"},
    )  # fmt: skip
    assert made.holds
    rows, classes = made.table.to_arrow().to_pydict(), defaultdict(Counter)
    for key, value in zip(zip(rows["zip"], rows["age"], strict=True), rows["ill"], strict=True):
        classes[key][value] += 1
    whole = Counter(columns["ill"])
    present = Counter(value for value in columns["ill"] if value is not None)
    for counts in classes.values():
        assert len(counts) >= 3
        assert distance(counts, whole) <= MOST
        others = Counter({value: number for value, number in counts.items() if value is not None})
        assert not others or (len(others) >= 3 and distance(others, present) <= MOST)


def test_a_class_of_missing_values_alone_is_judged_with_them():
    columns = {"zip": ["1"] * 4 + ["2"] * 4, "ill": [None] * 4 + ["flu", "cold", "gout", "hiv"]}
    found = tclose.audit(columns, tclose.Roles("zip", {"ill": tclose.Nominal()}), drivers=False)
    assert [(row["ill.l"], row["ill.t"]) for row in found.classes.rows()] == [(1, 0.5), (4, 0.5)]
