"""The first page of a report: the risk that is left, what is not protected, and what rules ask."""

import pytest

import tclose
from tclose.policy.parts import About
from tclose.render.telling.audit_reports import audit_report
from tclose.render.telling.decisions import decision_section, residual_risk, rules_section

ROLES = tclose.Roles(["zip"], {"pay": tclose.Ordered()})


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
    (section,) = decision_section(of_size(6, note=["x"] * 12), About())
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
