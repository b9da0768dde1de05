"""Where rows may be left out, "no release" is said only where that is so: judged against every choice of rows."""

from __future__ import annotations

import random
import re
from collections import Counter
from fractions import Fraction
from itertools import combinations

import pyarrow as pa
import pytest

from anonymizing.release_cases import METHODS
from tclose import Nominal, Roles
from tclose.anonymization.anonymize import anonymize
from tclose.errors import InputError
from tclose.reports.phrases.releases import verdict

SIX_OF_TEN = pa.table({"q": list(range(10)), "s": ["x"] * 6 + ["y"] * 4})
ROLES = Roles(["q"], {"s": Nominal()})


@pytest.mark.parametrize("method", METHODS)
def test_leaving_out_two_of_ten_rows_meets_what_no_release_of_all_rows_does(method):
    """Six x and four y: without two x each is a half."""
    options = {"suppress": "0.2", "method": method}
    release = anonymize(SIX_OF_TEN, ROLES, require={"alpha": "0.5"}, **options)
    assert (release.holds, release.suppressed) == (True, 2)
    assert Counter(release.to_arrow()["s"].to_pylist()) == {"x": 4, "y": 4}


def test_one_row_is_too_few_and_that_is_known():
    release = anonymize(SIX_OF_TEN, ROLES, require={"alpha": "0.5"}, suppress="0.1")
    assert verdict(release) == "No release of an Arrow table meets its requirement."
    assert release.obstacles[0].suppress == Fraction(1, 5)


@pytest.mark.parametrize("share", ["1", 1, 1.0])
def test_a_share_of_one_is_no_limit_but_something_is_released(share):
    release = anonymize(SIX_OF_TEN, ROLES, require={"alpha": "0.5"}, suppress=share)
    assert release.holds
    assert release.suppressed < 10
    assert not anonymize(SIX_OF_TEN, ROLES, require={"k": 8, "l": 3}, suppress=share).holds


@pytest.mark.parametrize("share", ["1.01", "-0.1", 2])
def test_a_share_beyond_all_rows_is_refused(share):
    with pytest.raises(InputError, match="suppress must be a share"):
        anonymize(SIX_OF_TEN, ROLES, require={"k": 2}, suppress=share)


def met(rows, whole, require):
    """Whether classes by zone meet the requirements, against the whole table and against themselves."""
    for zone in {zone for zone, _ in rows}:
        own = Counter(ill for each, ill in rows if each == zone)
        size = sum(own.values())
        if size < require.get("k", 1) or len(own) < require.get("l", 1):
            return False
        if max(own.values()) > Fraction(require.get("alpha", "1")) * size:
            return False
        for table in (whole, rows):
            every = Counter(ill for _, ill in table)
            far = sum(abs(Fraction(own[ill], size) - Fraction(n, len(table))) for ill, n in every.items()) / 2
            if far > Fraction(require.get("t", "1")):
                return False
    return True


def exists(rows, most, require):
    """Whether some rows, at most so many left out, meet the requirements."""
    return any(
        met(kept, rows, require)
        for gone in range(min(most, len(rows) - 1) + 1)
        for kept in combinations(rows, len(rows) - gone)
    )


def test_look_alikes_are_left_out_together():
    """Of three that look alike, one x would have to go: together they are three of seven."""
    table = pa.table({"zone": [*"aaaabbb"], "s": [*"xyzzxxy"]})
    options = {"hierarchies": {"zone": "flat"}, "levels": {"zone": 0}, "require": {"alpha": "0.5"}, "suppress": "0.2"}
    roles = Roles(["zone"], {"s": Nominal()})
    release = anonymize(table, roles, **options)
    assert not release.holds
    assert release.obstacles[0].suppress == Fraction(3, 7)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_said_of_no_release_is_so(seed):
    chance = random.Random(seed)
    rows = [(chance.choice("ab"), chance.choice("xxxyyz")) for _ in range(chance.randint(3, 9))]
    require = {
        key: chance.choice(numbers)
        for key, numbers in {"k": [2, 3], "l": [2, 3], "alpha": ["0.4", "0.5", "2/3"], "t": ["0", "0.1", "0.3"]}.items()
        if chance.random() < 0.4
    } or {"alpha": "0.5"}
    share = chance.choice([Fraction(1, 5), Fraction(1, 3), Fraction(1, 2), Fraction(1)])
    table = pa.table({"zone": [zone for zone, _ in rows], "s": [ill for _, ill in rows]})
    roles = Roles(["zone"], {"s": Nominal()})
    try:
        release = anonymize(
            table, roles, require=require, hierarchies={"zone": "flat"}, levels={"zone": 0}, suppress=share,
            method="microaggregation",
        )  # fmt: skip
    except InputError:
        assert require.get("k", 1) > len(rows)
        return
    there_is = exists(rows, int(share * len(rows)), require)
    assert there_is or not release.holds
    if not release.holds:
        assert not (there_is and "No release of an Arrow table meets" in verdict(release))
        if len(require) == 1 and "t" not in require:
            assert not there_is


@pytest.mark.parametrize("method", ["merge", "gather", "sabre"])
@pytest.mark.parametrize("age", [5000, 700_000])
def test_somebody_left_out_has_no_say_in_where_intervals_end(method, age):
    """Sixty people of 20 to 60 and somebody of an age and an illness of their own, which would be in the last step."""
    ages, ills = [20 + at * 7 % 41 for at in range(60)], ["flu", "ache"] * 30
    town = ["ABC"[at * at % 3] for at in range(60)]
    table = pa.table({"age": [*ages, age], "town": [*town, "Z"], "illness": [*ills, "rare"]})
    roles = Roles(["age", "town"], ["illness:nominal"])
    ask = {"require": {"k": 5, "t": "0.3"}, "hierarchies": {"town": "flat"}, "suppress": "0.1", "method": method}
    release = anonymize(table, roles, **ask)
    rows = release.to_arrow().to_pydict()
    assert "rare" not in rows["illness"]
    reached = [int(number) for cell in rows["age"] for number in re.findall(r"\d+", cell)]
    assert max(reached) < 100
