"""Four verdicts: what holds of rows and not of people is no pass, unless somebody accepted it and said why."""

from __future__ import annotations

import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from faces.command_line import in_process
from tclose.auditing.verdicts import CODES
from tclose.errors import InputError

VISITS = {
    "id": [1, 1, 2, 2, 3, 3, 4, 4],
    "ward": ["A", "B"] * 4,
    "ill": ["flu", "cold", "cold", "flu", "flu", "cold", "cold", "flu"],
    "grade": ["low", "low", "high", "high", "low", "low", "high", "high"],
}
"""Four people, everyone in both wards with both illnesses; the grade of a person is the same in all of their rows."""
ROWS = tclose.Roles("ward", {"ill": tclose.Nominal()}, identifiers="id")
FACTS = tclose.Roles("ward", {"ill": tclose.Nominal()}, person="id")
TRAIT = tclose.Roles("ward", {"grade": tclose.Nominal()}, person="id")


def outcome(roles, table=VISITS, require=None, **options):
    found = tclose.audit(table, roles, require=require or {"k": 2}, **options)
    return found.verdict, [each.name for each in found.reasons], found.holds


def test_each_reason_keeps_a_verdict_from_passing():
    assert outcome(FACTS) == ("pass", [], True)
    assert outcome(ROWS) == ("qualified", ["rows-not-people:id"], False)
    assert outcome(TRAIT) == ("qualified", ["trait-in-histories:grade"], False)
    linked = tclose.Roles("ward", {"ill": tclose.Nominal()}, pseudonym="id")
    assert outcome(linked) == ("qualified", ["pseudonyms-link:id"], False)
    given = {"ill": {"flu": "1/2", "cold": "1/2"}}
    assert outcome(FACTS, reference=given) == ("undetermined", ["reference-without-people:ill"], False)


def test_what_is_missed_is_missed_whatever_else_there_is_to_say():
    for roles in (ROWS, FACTS, TRAIT):
        assert outcome(roles, require={"k": 9})[0] == "fail"
    assert tclose.audit(VISITS, ROWS).verdict is None


def test_rows_of_other_people_each_are_people():
    assert outcome(tclose.Roles("ward", {"ill": tclose.Nominal()}, identifiers="id", person="row")) == (
        "pass",
        [],
        True,
    )
    named = {**VISITS, "row": VISITS["id"]}  # a column of that name is the column
    assert tclose.audit(named, tclose.Roles("ward", {"ill": tclose.Nominal()}, person="row")).people == 4


def test_a_trait_of_people_who_are_in_one_class_each_says_what_its_class_says():
    alone = {**VISITS, "ward": [*"AAAABBBB"]}
    assert outcome(TRAIT, alone) == ("pass", [], True)


@pytest.mark.parametrize("name", ["trait-in-histories", "trait-in-histories:grade"])
def test_a_reason_is_accepted_by_its_code_with_a_reason_that_reports_print(name):
    found = tclose.audit(VISITS, TRAIT, require={"k": 2}, accept={name: "The grades are public."})
    assert (found.verdict, found.holds) == ("pass", True)
    for told in (str(found), found.to_markdown(), found.to_html()):
        assert "The grades are public." in told
    assert found.to_dict()["reasons"][0]["accepted"] == "The grades are public."


@pytest.mark.parametrize(
    ("accept", "words"),
    [
        ({"rows-not-people": "so"}, "needs no such acceptance"),
        ({"trait-in-histories:other": "so"}, "needs no such acceptance"),
        ({"trait": "so"}, "is no reason that can be accepted"),
        ({"trait-in-histories": " "}, "say why"),
        ("trait-in-histories", "say why"),
    ],
)
def test_what_is_accepted_for_nothing_or_without_a_reason_is_refused(accept, words):
    with pytest.raises(InputError, match=words):
        tclose.audit(VISITS, TRAIT, require={"k": 2}, accept=accept)


def test_what_is_not_known_cannot_be_accepted():
    given = {"ill": {"flu": "1/2", "cold": "1/2"}}
    with pytest.raises(InputError, match="not known"):
        tclose.audit(VISITS, FACTS, require={"k": 2}, reference=given, accept={"reference-without-people": "so"})


def test_every_face_says_the_same(tmp_path, capfdbinary):
    def run(*arguments):
        return in_process(capfdbinary, *arguments)

    table = tmp_path / "visits.csv"
    rows = zip(*VISITS.values(), strict=True)
    table.write_text("\n".join([",".join(VISITS), *(",".join(map(str, row)) for row in rows)]))
    asked = ["audit", str(table), "-q", "ward", "-s", "grade:nominal", "--person", "id", "--k", "2"]
    for form, sign in (("text", "◐ Qualified:"), ("markdown", "◐ Qualified:"), ("html", "◐")):
        done = run(*asked, "--format", form)
        assert (done.code, sign in done.out) == (1, True), form
    assert json.loads(run(*asked, "--format", "json").out)["verdict"] == "qualified"
    junit = run(*asked, "--format", "junit").out
    assert 'failures="1"' in junit
    assert "trait-in-histories" in junit
    assert "::error" in run(*asked, "--format", "github").out
    assert "trait-in-histories" in run(*asked, "--format", "sarif").out
    accepted = [*asked, "--accept", "trait-in-histories:grade=It is public."]
    assert run(*accepted).code == 0
    policy = tmp_path / "tclose.toml"
    policy.write_text(
        '[columns]\nid = { role = "person" }\nward = { role = "quasi-identifier" }\nill = { role = "publish" }\n'
        'grade = { role = "sensitive", distance = "nominal" }\n'
        '[policy]\nk = 2\nunprotected = "tell"\naccept = { "trait-in-histories" = "It is public." }\n'
    )
    assert run("audit", table, "--policy", policy).code == 0


def test_a_release_is_qualified_too_and_its_recipe_remembers_what_was_accepted(tmp_path):
    ask = {"require": {"k": 2}, "hierarchies": {"ward": "flat"}}
    made = tclose.anonymize(VISITS, TRAIT, **ask)
    assert (made.holds, made.verdict) == (True, "qualified")
    told = {"trait-in-histories": "The grades are public."}
    kept = tclose.anonymize(VISITS, TRAIT, accept=told, **ask)
    assert kept.verdict == "pass"
    kept.write(tmp_path / "release.csv")
    again = tclose.apply(VISITS, tmp_path / "release.csv.recipe.json")
    assert (again.verdict, [each.accepted for each in again.reasons]) == ("pass", [*told.values()])
    with pytest.raises(InputError, match="needs no such acceptance"):
        tclose.anonymize(VISITS, FACTS, accept={"pseudonyms-link": "so"}, **ask)


@given(rows=st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=20), by_people=st.booleans())
@settings(max_examples=40, deadline=None)
def test_classes_are_counted_by_all_that_is_published(rows, by_people):
    table = dict(zip(("id", "age", "ward", "ill"), map(list, zip(*rows, strict=True)), strict=True))
    who = {"person": "id"} if by_people else {"identifiers": "id"}
    roles = tclose.Roles("age", {"ill": tclose.Nominal()}, publish="ward", **who)
    units = {(row if by_people else (at,), row[1:3]) for at, row in enumerate(rows)}
    sizes = Counter(key for _, key in {(row[0], key) if by_people else (row, key) for row, key in units})
    found = tclose.audit(table, roles, drivers=False).exposed
    assert found.columns == ("ward",)
    assert (found.k, found.alone) == (min(sizes.values()), sum(size == 1 for size in sizes.values()))
    told = " ".join(str(tclose.audit(table, roles, drivers=False)).split())
    assert f"With ward, k = {found.k}" in told


@given(rows=st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=20), by=st.sampled_from(["id", None]))
@settings(max_examples=20, deadline=None)
def test_classes_of_a_release_are_counted_by_all_that_is_published(rows, by):
    """Everybody is of the same age, so that the classes by age and ward are those by ward, whatever is published."""
    table = dict(zip(("id", "ward", "ill"), map(list, zip(*rows, strict=True)), strict=True))
    units = {(row if by else (at,), row[1]) for at, row in enumerate(rows)}
    sizes = Counter(ward for _, ward in {(row[0], ward) if by else (row, ward) for row, ward in units})
    roles = tclose.Roles("age", {"ill": tclose.Nominal()}, publish="ward", person=by)
    made = tclose.anonymize({**table, "age": [30] * len(rows)}, roles, require={"k": 1})
    alone = sum(size == 1 for size in sizes.values())
    for audit in made.audits():
        assert (audit.exposed.columns, audit.exposed.k, audit.exposed.alone) == (("ward",), min(sizes.values()), alone)
    told = " ".join(made.to_html().split())
    word = {None: ("row", "rows"), "id": ("person", "people")}[by][min(sizes.values()) > 1]
    assert f"Someone who also knows ward finds at least {min(sizes.values())} {word}, and " in told
    classes = f"{alone} {'class holds' if alone == 1 else 'classes hold'} one person"
    stand = f"{alone} {'row stands' if alone == 1 else 'rows stand'} alone"
    none = "nobody is alone" if by else "no row stands alone"
    assert f"and {none if not alone else classes if by else stand}" in told


def test_rules_are_assessed_of_people_whose_columns_are_decided():
    counted = tclose.audit(VISITS, FACTS).to_html()
    assert "Not assessed" in tclose.audit(VISITS, ROWS).to_html()
    assert "Not assessed: nobody decided on grade" in counted
    decided = tclose.Roles("ward", {"ill": tclose.Nominal()}, person="id", publish="grade")
    assert "Not assessed" not in tclose.audit(VISITS, decided).to_html()
    each = tclose.Roles("ward", {"ill": tclose.Nominal()}, person="row", publish=["grade", "id"])
    assert "Not assessed" not in tclose.audit(VISITS, each).to_html()


def test_every_reason_has_its_place_in_the_schema():
    from tclose.reports.machine_readable.audits import schema_text

    codes = json.loads(schema_text())["properties"]["reasons"]["items"]["properties"]["code"]["enum"]
    assert codes == [*CODES]
