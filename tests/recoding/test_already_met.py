"""A table that meets the requirements as it is, is its own release: nothing is searched, and nothing lost."""

import pytest

import tclose
from tclose.anonymization.algorithms.catalogue import METHODS

TABLE = {"zip": ["1", "1", "2", "2"] * 5, "age": [20, 20, 30, 30] * 5, "ill": ["a", "b"] * 10}
ROLES = tclose.Roles(["zip", "age"], ["ill:nominal"])
FLAT = {"zip": "flat"}


@pytest.mark.parametrize("method", ["auto", *sorted(METHODS.keys() - {"any-columns"})])
def test_a_table_that_meets_the_requirements_is_its_own_release(method):
    release = tclose.anonymize(TABLE, ROLES, require={"k": 10, "l": 2, "t": 0}, hierarchies=FLAT, method=method)
    assert (release.holds, release.kept, release.suppressed, release.class_count) == (True, 1.0, 0, 2)
    rows = sorted(zip(*(map(str, cells) for cells in TABLE.values()), strict=True))
    assert sorted(release.to_pandas().astype(str).itertuples(index=False, name=None)) == rows
    assert "already-met" in [note.code for note in release.notes]


def test_one_class_that_misses_a_requirement_is_searched_for():
    for require in ({"k": 11}, {"k": 10, "l": 3}):
        release = tclose.anonymize(TABLE, ROLES, require=require, hierarchies=FLAT)
        assert "already-met" not in [note.code for note in release.notes]


def test_the_finest_level_that_is_allowed_counts():
    asked = {"require": {"k": 10}, "hierarchies": FLAT, "levels": {"zip": 1}}
    release = tclose.anonymize(TABLE, ROLES, **asked)
    assert set(release.to_pandas()["zip"]) == {"*"}
    assert set(release.to_pandas()["age"]) == {"20", "30"}


def test_people_in_several_rows_are_counted_once():
    people = {**TABLE, "who": [f"p{at // 4}" for at in range(20)]}
    roles = tclose.Roles(["zip", "age"], ["ill:nominal"], person="who")
    kept = tclose.anonymize(people, roles, require={"k": 5}, hierarchies=FLAT)
    assert (kept.holds, kept.kept) == (True, 1.0)
    with pytest.raises(tclose.InputError, match="the table has 5"):
        tclose.anonymize(people, roles, require={"k": 6}, hierarchies=FLAT)
