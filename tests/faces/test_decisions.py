"""The first page of a report: the risk that is left, what is not protected, and what rules ask."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from tclose.policy.parts import About
from tclose.reports.content.audit_reports import audit_report
from tclose.reports.content.decisions import decision_section, residual_risk, rules_section
from tclose.reports.content.release_reports import release_report
from tclose.reports.phrases.audits import care_sentences

ROLES = tclose.Roles(["zip"], {"pay": tclose.Ordered()}, person="row")


def of_size(size, **more):
    """Return the audit of two classes of a size."""
    columns = {"zip": ["A"] * size + ["B"] * size, "pay": [*range(size), *range(size)], **more}
    return tclose.audit(columns, ROLES, require={"k": 2})


def rules(audit):
    (section,) = rules_section(audit)
    return {row[0].text: row[2].text for row in section.blocks[0].rows}


@pytest.mark.parametrize(("size", "word"), [(10, "above it"), (11, "within it"), (12, "within it")])
def test_classes_of_eleven_are_within_what_the_agency_asks(size, word):
    """EMA Policy 0070: a maximum risk of 0.09, which stands for 1 in 11."""
    assert rules(of_size(size))["EMA Policy 0070"].endswith(f"{word}.")


def test_the_risk_is_told_as_a_chance_of_being_found():
    assert (
        "at least 4 rows that fit: in the worst case the person is found with a chance of at most 1 in 4"
        in " ".join(residual_risk(of_size(4)))
    )
    alone = " ".join(residual_risk(of_size(1)))
    assert "the person is found surely" in alone
    assert "Some class has a single value of pay" in alone


def test_what_is_not_protected_stands_on_the_first_page():
    open_ended = of_size(6, note=["x"] * 12)
    (section,) = decision_section(open_ended, About(), care_sentences(open_ended))
    rows = dict(section.blocks[0].rows)
    assert rows["Not protected"][0].text == "Published without protection: note."
    assert rows["Not protected"][0].tone == "care"
    document = audit_report(of_size(6))
    assert document.sections[0].title == "Decision"
    assert "Every column that is published" in str(document.sections[0])


def test_a_rule_by_its_name_is_said_to_be_checked():
    assert "Not checked" in rules(of_size(6))["HIPAA, safe harbour"]
    audit = tclose.audit({"zip": ["A"] * 6, "pay": [1] * 6}, ROLES, preset="hipaa-safe-harbor")
    assert "Checked" in rules(audit)["HIPAA, safe harbour"]


def test_a_table_that_names_people_is_amber_and_says_so_wherever_it_is_told(tmp_path):
    table = {"name": ["Ann", "Bea"], "zip": ["1", "1"], "ill": ["flu", "cold"]}
    found = tclose.audit(table, tclose.Roles("zip", "ill", identifiers="name"), require={"k": 2})
    said = "It names people: name."
    assert found.holds
    assert said in found.to_html()
    assert "Every column that is published" not in found.to_html()
    assert (audit_report(found).tone, audit_report(found).care) == ("care", said)
    assert said in str(found)
    assert found.to_dict()["naming"] == ["name"]
    release = tclose.anonymize(table, tclose.Roles("zip", "ill", person="name"), require={"k": 2})
    assert "names people" not in release.to_html() + str(release)


PEOPLE = {
    "pid": [f"p{at}" for at in range(12)],
    "zip": ["1", "2"] * 6,
    "age": [*range(20, 32)],
    "pay": [1, 2, 3] * 4,
    "seen": [date(2020, 1, 1 + at) for at in range(12)],
    "note": ["x", "y"] * 6,
    "ward": ["a", "b", "c"] * 4,
}
NOTHING_OPEN = "Every column that is published is a quasi-identifier or sensitive."


def first_page(document):
    """Return the rows of the decision, by their terms."""
    (rows,) = [section.blocks[0].rows for section in document.sections if section.title == "Decision"]
    return {term: [each.text for each in told] for term, told in rows}


@given(
    publish=st.sets(st.sampled_from(["note", "ward"])),
    who=st.sampled_from([{}, {"identifiers": "pid"}, {"person": "pid"}, {"pseudonym": "pid"}]),
    shifted=st.booleans(),
    numbers=st.sampled_from([{}, {"age": "bounds"}]),
    k=st.sampled_from([2, 5, 12]),
    suppress=st.sampled_from(["0", "0.2"]),
)
@settings(max_examples=40, deadline=None)
def test_a_release_report_has_one_list_of_what_is_not_protected(publish, who, shifted, numbers, k, suppress):
    """What a release has besides quasi-identifiers and sensitive attributes follows from its columns."""
    shifted = shifted and bool(who.keys() & {"person", "pseudonym"})
    roles = tclose.Roles(["zip", "age"], {"pay": tclose.Ordered()}, publish=sorted(publish), **who,
                         shifted=["seen"] * shifted)  # fmt: skip
    release = tclose.anonymize(PEOPLE, roles, require={"k": k}, numbers=numbers, suppress=suppress)
    document = release_report(release)
    page = first_page(document)
    told = " ".join(page["Not protected"])
    columns = {*release.table.to_arrow().column_names} - {"zip", "age", "pay", "age_low", "age_high"}
    named = told.replace("Pseudonyms link", "pid").replace("Dates are shifted", "seen")
    assert {name for name in PEOPLE if name in named} == columns
    assert (told == NOTHING_OPEN) == (not columns)
    kept_nothing = document.care.startswith("Nothing of the quasi-identifiers is kept")
    assert document.care.endswith("" if told == NOTHING_OPEN else told)
    assert kept_nothing or document.care == ("" if told == NOTHING_OPEN else told)
    risk = " ".join(page["The risk that is left"])
    assert ("Someone who also knows" in risk) == bool(columns - {"pid"})
    assert ("With " in document.care) == bool(columns - {"pid", "seen"})
    assert ("Rows are counted" in risk) == (not who.keys() & {"person", "pseudonym"})
    own, original = release.audits()
    assert {*own.unprotected} == {*original.unprotected} == {*release.unprotected} == columns - {"pid"}


@given(
    publish=st.sets(st.sampled_from(["note", "ward"])),
    named=st.booleans(),
    person=st.booleans(),
    k=st.sampled_from([1, 2, 6, 7]),
)
@settings(max_examples=20, deadline=None)
def test_an_audit_report_has_one_list_of_what_is_not_protected(publish, named, person, k):
    """The table has two classes of six people, so that k = 7 fails."""
    table = {name: PEOPLE[name] for name in ("zip", "pay", *publish, *(["pid"] if named or person else []))}
    who = {"person": "pid"} if person else {"identifiers": "pid"} if named else {}
    found = tclose.audit(table, tclose.Roles(["zip"], {"pay": tclose.Ordered()}, **who), require={"k": k})
    document = audit_report(found)
    told = first_page(document)["Not protected"]
    assert found.holds == (k <= 6)
    assert (document.title in told) == (k > 6)
    assert " ".join(told[k > 6 :]) == (document.care or NOTHING_OPEN * (k <= 6))
    assert all(name in document.care for name in (*publish, *(["pid"] if who else [])))


def test_pseudonyms_answer_whether_records_can_be_linked():
    roles = tclose.Roles(["zip"], {"pay": tclose.Ordered()}, pseudonym="pid")
    own, _ = tclose.anonymize(PEOPLE, roles, require={"k": 2}).audits()
    (section,) = rules_section(own)
    (linked,) = [row[2].text for row in section.blocks[0].rows if "linked" in row[1].text]
    assert linked.startswith("Within this table pseudonyms link the rows of a person.")
