"""Numbers near each other: the narrowest bands and the largest neighbourhoods, against every interval tried by hand."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from laws.oracle import narrowest_band
from tclose.data.values import whole_positions
from tclose.errors import InputError
from tclose.models.counts import sparse_block
from tclose.models.distances.neighbours import Numbers, largest_neighbourhoods, narrowest_bands

VALUES = st.sampled_from([
    [-7, 0, 1, 2, 3, 10],
    [Fraction(1, 3), Fraction(1, 2), Fraction(5, 6), Fraction(1)],
    [0, 1, 2**61 - 1, 2**61, 2**70, 2**70 + 1],
])  # fmt: skip
EPSILONS = st.sampled_from(
    [Fraction(1, 3), Fraction(1, 2), Fraction(1), Fraction(7), Fraction(2**70), Fraction(10**29)]
)


@st.composite
def classes(draw):
    """Values in any order, some of them missing, the classes that hold them, and a reference."""
    values = draw(VALUES.flatmap(st.permutations))
    values = [*values, None] if draw(st.booleans()) else values
    counts = st.dictionaries(st.integers(0, len(values) - 1), st.integers(1, 5), max_size=len(values))
    large = 2**62 if draw(st.booleans()) else 1
    reference = [large * draw(st.integers(0, 9)) for _ in values]
    return values, draw(st.lists(counts, min_size=1, max_size=5)), reference


def block_and_numbers(values, held):
    triples = [(c, rank, n) for c, counts in enumerate(held) for rank, n in counts.items()]
    columns = np.array(triples, dtype=np.int64).reshape(-1, 3).T
    block = sparse_block(columns[0], columns[1], columns[2], len(held))
    present = [rank for rank, value in enumerate(values) if value is not None]
    whole, unit = whole_positions([Fraction(values[rank]) for rank in present])
    return block, Numbers.of(whole, np.array(present, dtype=np.int64), len(values), unit)


@given(classes(), st.sampled_from([Fraction(1, 2), Fraction(4, 5), Fraction(1)]))
@settings(max_examples=300, deadline=None)
def test_no_interval_that_holds_the_share_is_narrower(case, share):
    values, held, reference = case
    block, numbers = block_and_numbers(values, held)
    large = max(reference) >= 2**62
    counts = np.array(reference, dtype=object if large else np.int64)
    widths, holds = narrowest_bands(block, numbers, counts, share)
    whole = {value: n for value, n in zip(values, reference, strict=True) if value is not None}
    for c, counted in enumerate(held):
        mine = {values[rank]: n for rank, n in counted.items() if values[rank] is not None}
        if not mine:
            assert (widths[c], holds[c]) == (-1, -1)
            continue
        width, part = narrowest_band(mine, whole or {0: 1}, share) if sum(whole.values()) else (None, None)
        if width is not None:
            assert Fraction(int(widths[c]), numbers.unit) == width
            assert Fraction(int(holds[c]), sum(whole.values())) == part


@given(classes(), EPSILONS)
@settings(max_examples=300, deadline=None)
def test_no_member_has_more_neighbours(case, epsilon):
    values, held, _ = case
    block, numbers = block_and_numbers(values, held)
    found = largest_neighbourhoods(block, numbers, epsilon)
    for c, counted in enumerate(held):
        mine = {values[rank]: n for rank, n in counted.items() if values[rank] is not None}
        near = [sum(n for other, n in mine.items() if abs(Fraction(other) - Fraction(x)) <= epsilon) for x in mine]
        assert found[c] == max(near, default=0)


JOBS = [2000 + 100 * job for job in range(40)]
"""The salaries of 40 jobs; everybody earns within 5 of their job's."""


def paid(*more):
    rows = [(job, pay + cents) for job, pay in enumerate(JOBS) for cents in range(-5, 6)]
    rows += [(39, each) for each in more]
    return {"job": [job for job, _ in rows], "pay": [pay for _, pay in rows]}


ROLES = tclose.Roles(quasi="job", sensitive="pay:numeric")


def test_one_large_salary_makes_t_small_and_the_band_stays():
    """Half of a job's eleven salaries, six of them, are within 5 of each other: 6 of 440 people."""
    even, stretched = (tclose.audit(paid(*more), ROLES, drivers=False)["pay"] for more in ((), (10**7,)))
    assert even.t > Fraction(49, 100)
    assert stretched.t < Fraction(1, 10)
    for found, total in ((even, 440), (stretched, 441)):
        assert found["band"].value == Fraction(6, total)
        details = found["band"].details
        assert (details["width"], details["band_80"], details["width_80"]) == (5, Fraction(9, total), 8)
        assert details["narrow"] == 1


def test_a_class_of_one_value_at_the_median_is_near_everything_and_its_band_is_told():
    """60 % zeros, twenty ones, a tail of 380 different numbers: t is the ordered distance that the paper defines."""
    table = {"q": ["ones"] * 20 + ["rest"] * 980, "s": [1] * 20 + [0] * 600 + list(range(2, 382))}
    found = tclose.audit(table, tclose.Roles(quasi="q", sensitive="s:ordered"), require={"t": "0.3"}, drivers=False)
    ones = next(row for row in found.classes.rows() if row["q"] == "ones")
    below, above = Fraction(600, 1000), sum((Fraction(380 - j, 1000) for j in range(380)), Fraction(0))
    assert ones["s.t"] == pytest.approx(float((below + above) / 381))
    assert found.holds
    assert found["s"]["band"].worst.key == {"q": "ones"}
    assert found["s"]["band"].value == Fraction(20, 1000)
    assert (found["s"]["band"].details["width"], found["s"]["band"].details["narrow"]) == (0, Fraction(20, 1000))


def told(audit):
    return " ".join(str(audit).split())


def test_a_narrow_band_is_told_in_the_first_lines_unless_something_bounds_it():
    table = paid(10**7)
    sentence = "Half of a class has values of pay at most 5 apart; 1.4 % of the table lies in that band."
    passed = tclose.audit(table, ROLES, require={"t": "0.2"})
    assert passed.holds
    assert told(passed).index(sentence) < told(passed).index("required of found")
    assert sentence in " ".join(passed.to_html().split())
    for bounded in ({"proximity": "1,3"}, {"band": "0.001"}):
        assert "Half of a class" not in told(tclose.audit(table, ROLES, require=bounded))


def test_a_release_tells_its_narrow_bands_too():
    release = tclose.anonymize(paid(10**7), ROLES, require={"k": 5, "t": "0.2"})
    assert release.holds
    for face in (str(release), release.to_html()):
        assert "Half of a class has values of pay at most" in " ".join(face.split())


def test_the_width_of_a_class_that_shows_single_people_is_withheld():
    """The band of 80 % of a class of two is as wide as their two salaries differ."""
    table = {"job": [n // 2 for n in range(100)], "pay": [n * n for n in range(100)]}
    found = tclose.audit(table, ROLES, drivers=False)
    assert (found["pay"]["band"].details["width"], found["pay"]["band"].details["width_80"]) == (0, 1)
    shown = found.to_dict()["attributes"]["pay"]["band"]["details"]
    assert shown == {"narrow": {"value": 1}}
    assert "Half of a class has values of pay in a narrow band; 1 % of the table lies in that band." in told(found)
    assert "that are the same" in told(found.with_people())


def test_a_band_of_a_twentieth_of_the_table_is_not_narrow():
    """Twenty classes of one value each: each value is that of exactly 1/20 of the table."""
    table = {"job": [n // 2 for n in range(40)], "pay": [n // 2 for n in range(40)]}
    found = tclose.audit(table, ROLES, drivers=False)
    assert (found["pay"]["band"].value, found["pay"]["band"].details["narrow"]) == (Fraction(1, 20), 0)
    assert "Half of a class" not in str(found)


@pytest.mark.parametrize(("values", "words"), [
    ([dt.date(2020, 1, 1) + dt.timedelta(days=n) for n in range(60)], "at most 2 days apart"),
    ([dt.datetime(2020, 1, 1) + dt.timedelta(microseconds=n) for n in range(60)], "at most 2 microseconds apart"),
    ([Decimal(n) / 10 for n in range(60)], "at most 0.2 (1/5) apart"),
])  # fmt: skip
def test_the_width_has_the_unit_of_the_values(values, words):
    """Classes of five values in a row: three of them hold half."""
    table = {"job": [n // 5 for n in range(60)], "pay": values}
    found = tclose.audit(table, ROLES, drivers=False)
    assert found["pay"]["band"].value == Fraction(3, 60)
    longer = {"job": [n // 5 for n in range(60)] + [99] * 60, "pay": values + values[:1] * 60}
    assert words in told(tclose.audit(longer, tclose.Roles(quasi="job", sensitive="pay:ordered"), drivers=False))


@pytest.mark.parametrize("distance", ["nominal", "ordered"])
def test_codes_and_texts_have_no_band(distance):
    kinds = {"nominal": [1, 2, 3, 4], "ordered": ["low", "low", "high", "high"]}
    roles = tclose.Roles(quasi="q", sensitive={"s": getattr(tclose, distance.capitalize())()})
    table = {"q": [1, 1, 2, 2], "s": kinds[distance]}
    assert "band" not in tclose.audit(table, roles)["s"].figures
    with pytest.raises(InputError, match="needs numbers or dates"):
        tclose.audit(table, roles, require={"band": "0.1"})


def test_a_missing_value_is_in_no_band_and_does_not_count_for_the_class():
    """One class has two numbers and eight missing values: one of two numbers is half of it, of ten rows in all."""
    table = {"q": [1] * 10, "s": [None] * 8 + [1, 5]}
    found = tclose.audit(table, tclose.Roles(quasi="q", sensitive={"s": tclose.Ordered(nulls="last")}))
    assert found["s"]["band"].value == Fraction(1, 10)


def test_people_count_once_for_each_of_their_values():
    """Two people have 1 and 2, one has 9: five values, and two of three in [1, 2] are four of them."""
    table = {"who": ["a", "a", "b", "b", "c"], "q": [1] * 5, "s": [1, 2, 1, 2, 9]}
    roles = tclose.Roles(quasi="q", sensitive="s:ordered", person="who")
    found = tclose.audit(table, roles, require={"proximity": "1,1"})["s"]
    assert Counter(table["s"]) == {1: 2, 2: 2, 9: 1}
    assert found["proximity"].value == Fraction(5, 4)
    assert found["band"].value == Fraction(4, 5)
