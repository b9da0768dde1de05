"""Presets: what rules ask, at their boundaries; numbers are those of the rules themselves."""

from __future__ import annotations

import datetime as dt
import json
from fractions import Fraction

import pytest

import tclose
from tclose.models.catalogue import requirements
from tclose.policy.presets import PRESETS
from tclose.policy.safe_harbor import SMALL_AREAS, age_allowed, date_allowed, zip_allowed
from tclose.policy.writing import policy_text

ROLES = tclose.Roles(quasi=["q"], sensitive={"s": tclose.Nominal()})


def classes_of(*sizes):
    rows = [(at, person % 2) for at, size in enumerate(sizes) for person in range(size)]
    return {"q": [q for q, _ in rows], "s": [s for _, s in rows]}


def missed(audit):
    return {check.text: dict(check.missed) for check in audit.preset.checks if not check.holds}


@pytest.mark.parametrize("key", ["ema-0070", "health-canada-prci"])
def test_one_in_eleven_is_what_0_09_means(key):
    assert tclose.audit(classes_of(11, 12), ROLES, preset=key).holds
    assert not tclose.audit(classes_of(10, 12), ROLES, preset=key).holds
    assert not tclose.audit(classes_of(11, 12), ROLES, require={"prosecutor": "0.09"}).holds
    assert Fraction(1, 11) > Fraction("0.09")


@pytest.mark.parametrize(("key", "least"), [("pcornet", 11), ("pedsnet", 5), ("opensafely", 8), ("wp216", 2)])
def test_cells_have_at_least_so_many_people(key, least):
    assert tclose.audit(classes_of(least, 20), ROLES, preset=key).holds
    assert not tclose.audit(classes_of(least - 1, 20), ROLES, preset=key).holds


def test_wp216_refuses_a_class_with_one_value():
    table = {"q": [0, 0, 1, 1], "s": ["x", "x", "x", "y"]}
    audit = tclose.audit(table, ROLES, preset="wp216")
    assert {v.requirement.text: v.holds for v in audit.verdicts} == {"k ≥ 2": True, "l ≥ 2": False}


def test_what_a_person_requires_of_a_model_replaces_the_preset():
    audit = tclose.audit(classes_of(7, 9), ROLES, preset="pcornet", require={"k": 7})
    assert [each.requirement.text for each in audit.verdicts] == ["k ≥ 7"]
    assert audit.holds
    assert audit.preset.preset.key == "pcornet"


def test_a_preset_is_for_any_columns_too():
    audit = tclose.audit(classes_of(11, 12), ROLES, preset="pcornet", any=1)
    assert [each.requirement.text for each in audit.verdicts] == ["k ≥ 11 for any column"]


def test_every_preset_can_be_read_and_says_what_it_does_not_cover():
    for preset in PRESETS.values():
        assert preset.not_covered
        assert preset.asks
        assert requirements(preset.thresholds) or preset.checks_columns


@pytest.mark.parametrize(
    ("value", "allowed"),
    [
        ("47677", False), ("4767*", False), ("476**", True), ("476", True), (476, True), (47677, False),
        ("000", True), ("00000", False), ("*", True), ("*****", True), ("47677-1234", False), ("476**-****", True),
        ("[47600, 47700)", False), ("abc", False),
    ],
)  # fmt: skip
def test_zips_have_three_digits(value, allowed):
    assert zip_allowed(value) is allowed


def test_zip_areas_of_at_most_20000_people_are_000():
    # the list of the Office for Civil Rights, by the census of 2000
    listed = [
        "036",
        "059",
        "063",
        "102",
        "203",
        "556",
        "692",
        "790",
        "821",
        "823",
        "830",
        "831",
        "878",
        "879",
        "884",
        "890",
        "893",
    ]
    assert sorted(SMALL_AREAS) == listed
    assert not any(zip_allowed(area) for area in listed)
    assert not zip_allowed(36), "a number has lost its zero"
    assert zip_allowed("037")


@pytest.mark.parametrize(
    ("value", "allowed"),
    [
        (89, True), (90, False), (89.5, True), ("89", True), ("90", False), ("90+", True), (">=90", True),
        ("≥90", True), (">89", True), (">90", False), ("90 or older", True), ("91+", False), ("80+", True),
        ("[80, 90)", True), ("[80, 89]", True), ("[80, 90]", False), ("[85, 95)", False), ("80-89", True),
        ("85-94", False), ("[90, ∞)", True),
        ("*", True), ("adult", True),
    ],
)  # fmt: skip
def test_ages_over_89_are_one_category(value, allowed):
    assert age_allowed(value) is allowed


@pytest.mark.parametrize(
    ("value", "allowed"),
    [
        ("2020", True), ("2020-05", False), ("2020-05-17", False), ("05/17/2020", False), ("17.5.20", False),
        (dt.date(2020, 5, 17), False), (dt.date(2020, 1, 1), True), (dt.datetime(2020, 5, 17, 8), False),
        ("[2020-01-01, 2021-01-01)", True), ("[2020-01-01, 2020-07-01)", False), ("2010-2020", True), ("v1.2.3", True),
    ],
)  # fmt: skip
def test_dates_are_years(value, allowed):
    assert date_allowed(value) is allowed


def test_safe_harbor_names_the_columns_and_rows_that_miss_it():
    table = {
        "patient name": ["a", "b", "c"],
        "zip": ["47677", "000", "476**"],
        "age": [89, 90, 12],
        "admitted": [dt.date(2020, 5, 1), None, dt.date(2021, 1, 1)],
        "remark": ["ask x@y.org", "call 317-555-0199", "see www.x.org or 10.0.0.1"],
        "s": ["u", "v", "u"],
    }
    audit = tclose.audit(table, tclose.Roles(quasi=["zip", "age"]), preset="hipaa-safe-harbor")
    assert not audit.holds
    found = missed(audit)
    assert found["No names."] == {"patient name": 3}
    assert found["Zip codes have three digits, and 000 where at most 20,000 people live."] == {"zip": 1}
    assert found["No age over 89 but in one category, 90 or older."] == {"age": 1}
    assert found["No part of a date but the year."] == {"admitted": 1}
    for text in (
        "No e-mail addresses.",
        "No telephone numbers.",
        "No web addresses.",
        "No addresses of the internet protocol.",
    ):
        assert found[text] == {"remark": 1}
    told = audit.to_json() + audit.to_html() + str(audit)
    for cell in ("x@y.org", "555-0199", "47677"):
        assert cell not in json.dumps(audit.to_dict()["preset"])
    assert "x@y.org" not in told


def test_a_table_of_years_states_and_categories_passes_safe_harbor():
    table = {
        "sex": list("fm") * 15,
        "state": ["IN", "OH", "KY"] * 10,
        "zip": ["476", "000", "100"] * 10,
        "age": ["[80, 90)", "90+", "[20, 30)"] * 10,
        "year of visit": [2020, 2021] * 15,
        "salary": [1000 + at for at in range(30)],
        "diagnosis": ["flu", "cold", "none"] * 10,
    }
    audit = tclose.audit(table, tclose.Roles(quasi=["sex", "age"]), preset="hipaa-safe-harbor")
    assert missed(audit) == {}
    assert audit.holds


def test_codes_of_people_are_found_by_being_nearly_all_different():
    codes = [f"k{at}" for at in range(30)]
    audit = tclose.audit({"x": codes, "q": [0] * 30}, tclose.Roles(quasi=["q"]), preset="hipaa-safe-harbor")
    assert missed(audit) == {"No other number or code that is a person's own.": {"x": 30}}


def test_an_unknown_preset_is_refused_with_those_there_are():
    with pytest.raises(tclose.InputError, match=r"not 'ema-70'.*Did you mean 'ema-0070'"):
        tclose.audit("example:salary", preset="ema-70")


def test_a_release_is_not_searched_for_what_columns_must_be():
    with pytest.raises(tclose.InputError, match="audit it with the preset"):
        tclose.anonymize("example:salary", preset="hipaa-safe-harbor")


def test_a_release_meets_a_preset():
    table = classes_of(11, 12, 3)
    release = tclose.anonymize(table, ROLES, preset="pcornet", hierarchies={"q": "flat"})
    assert release.holds
    assert release.audits()[0].k >= 11


def test_a_policy_keeps_its_preset(tmp_path):
    path = tmp_path / "tclose.toml"
    path.write_text('[columns]\na = { role = "quasi-identifier" }\n[policy]\npreset = "opensafely"\n')
    policy = tclose.read_policy(path)
    assert [each.text for each in policy.requirements()] == ["k ≥ 8"]
    assert 'preset = "opensafely"' in policy_text(policy)
    path.write_text('[columns]\na = { role = "quasi-identifier" }\n[policy]\npreset = "opensafely"\nk = 3\n')
    assert [each.text for each in tclose.read_policy(path).requirements()] == ["k ≥ 3"]
    path.write_text('[policy]\npreset = "none"\n')
    with pytest.raises(tclose.InputError, match=r"tclose\.toml: \[policy\] preset must be one of"):
        tclose.read_policy(path)
