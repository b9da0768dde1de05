"""Nothing is published that nobody decided on, and what is published without protection stands in the verdict."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

from tclose import Roles, UndecidedColumnError, anonymize, apply, audit, profile, read_policy
from tclose.errors import ColumnNotFoundError, InputError, RoleConflictError
from tclose.reports.content.audits import audit_document
from tclose.reports.formats.html import report
from tclose.reports.formats.text import text

FRAME = pd.DataFrame(
    {
        "age": [20, 30, 40, 50] * 3, "ill": ["flu", "cold"] * 6, "name": [f"p{at}" for at in range(12)],
        "notes": ["-"] * 12, "ward": ["A", "B", "C"] * 4,
    }
)  # fmt: skip
KNOWN = {"quasi": ["age"], "sensitive": ["ill"], "identifiers": ["name"]}
POLICY = """
[columns]
age = { role = "quasi-identifier" }
ill = { role = "sensitive" }
name = { role = "identifier" }
[policy]
k = 2
"""


def policy_of(folder, text=POLICY):
    path = folder / "tclose.toml"
    path.write_text(text, encoding="utf-8")
    return read_policy(path)


def every_face(result):
    return str(result), result.to_markdown(), result.to_html(), result._repr_html_()


def test_a_release_has_no_column_that_nobody_decided_on():
    release = anonymize(FRAME, Roles(**KNOWN), require={"k": 2})
    assert release.to_pandas().columns.tolist() == ["age", "ill"]
    assert release.unprotected == ()
    assert any("'notes', 'ward'" in note.text for note in release.notes)
    assert "Published without protection" not in str(release)


@pytest.mark.parametrize(
    ("said", "columns"),
    [
        ({"publish": "ward"}, ["age", "ill", "ward"]),
        ({"publish": ["ward", "notes"]}, ["age", "ill", "notes", "ward"]),
        ({"publish": "all"}, ["age", "ill", "notes", "ward"]),
        ({"others": "publish"}, ["age", "ill", "notes", "ward"]),
        ({"others": "remove"}, ["age", "ill"]),
    ],
)
def test_what_is_published_without_protection_stands_in_every_verdict(said, columns):
    release = anonymize(FRAME, Roles(**KNOWN, **said), require={"k": 2})
    assert release.to_pandas().columns.tolist() == columns
    assert release.unprotected == tuple(columns[2:]) == tuple(release.to_dict()["unprotected"])
    if release.unprotected:
        told = f"Published without protection: {' and '.join(release.unprotected)}."
        assert all(told in " ".join(face.split()) for face in every_face(release))


def test_an_audit_names_what_stands_in_the_table_without_protection():
    found = audit(FRAME, Roles(**KNOWN), require={"k": 2})
    assert found.unprotected == ("notes", "ward") == tuple(json.loads(found.to_json())["unprotected"])
    assert found.holds
    told = "meets its requirement. It names people: name. Published without protection: notes and ward."
    assert all(told in " ".join(re.sub("<[^>]*>", "", face).split()) for face in every_face(found))


def test_what_is_not_protected_is_amber_whatever_the_verdict_is():
    care = "It names people: name. Published without protection: notes and ward."
    for require, verdict in (({"k": 2}, "33"), ({"k": 9}, "31")):
        document = audit_document(audit(FRAME, Roles(**KNOWN), require=require))
        first, *_ = text(document, colour=True, width=200).splitlines()
        assert first.startswith(f"\x1b[{verdict}m")
        assert first.endswith(f"\x1b[33m{care}\x1b[0m")
        assert f'<span class="cares">{care}</span></h1>' in report(document)


def test_a_verdict_of_thousands_of_columns_is_short():
    wide = pd.concat([FRAME, pd.DataFrame({f"gene {at:04}": [at] * 12 for at in range(3000)})], axis=1)
    found = audit(wide, Roles(**KNOWN, publish=["notes"]))
    assert len(found.unprotected) == 3002
    assert "Published without protection: notes, ward, gene 0000 and 2,999 more." in " ".join(str(found).split())


def test_a_closed_policy_refuses_every_column_that_it_does_not_name(tmp_path):
    roles = policy_of(tmp_path).roles
    for verb in (audit, anonymize):
        with pytest.raises(UndecidedColumnError, match="2 columns are undecided: 'ward', 'notes'") as refused:
            verb(FRAME, roles, require={"k": 2})
        assert refused.value.columns == ("ward", "notes")
    assert audit(FRAME[["age", "ill", "name"]], roles).unprotected == ()


def test_a_closed_policy_names_all_columns_that_it_refuses(tmp_path):
    many = [f"x{at}" for at in range(50)]
    wide = pd.concat([FRAME.drop(columns=["notes", "ward"]), pd.DataFrame(0, index=range(12), columns=many)], axis=1)
    with pytest.raises(UndecidedColumnError) as refused:
        audit(wide, policy_of(tmp_path).roles)
    assert all(repr(name) in str(refused.value) for name in many)


@pytest.mark.parametrize(
    ("word", "columns"), [("publish", ["age", "ill", "notes", "ward"]), ("remove", ["age", "ill"])]
)
def test_a_policy_may_say_what_becomes_of_all_other_columns(tmp_path, word, columns):
    roles = policy_of(tmp_path, f'{POLICY}others = "{word}"\n').roles
    assert anonymize(FRAME, roles, require={"k": 2}).to_pandas().columns.tolist() == columns
    assert audit(FRAME, roles).unprotected == ("notes", "ward")


def test_a_policy_without_columns_is_open(tmp_path):
    assert policy_of(tmp_path, "[policy]\nk = 2\n").roles.others is None


def test_a_profile_decides_on_every_column_and_closes_its_policy():
    policy = profile(FRAME).policy()
    assert {*policy.roles.columns} == {*FRAME.columns}
    with pytest.raises(UndecidedColumnError, match=r"columns are undecided: .*'added'"):
        anonymize(FRAME.assign(added=1), policy.roles, require={"k": 2})


def test_a_column_that_a_later_month_adds_is_not_published_by_a_recipe():
    recipe = anonymize(FRAME, Roles(**KNOWN, publish=["ward"]), require={"k": 2}, method="mondrian").recipe
    again = apply(FRAME.assign(hiv=True), recipe)
    assert again.to_pandas().columns.tolist() == ["age", "ill", "ward"]
    assert again.unprotected == ("ward",)
    assert any("'hiv'" in note.text for note in again.notes)


def test_wrong_decisions_are_refused():
    with pytest.raises(ColumnNotFoundError, match=r"published column 'wrad'.* Did you mean 'ward'"):
        anonymize(FRAME, Roles(**KNOWN, publish=["wrad"]), require={"k": 2})
    with pytest.raises(RoleConflictError, match="both as quasi-identifier and as published"):
        Roles(["age"], ["ill"], publish=["age"])
    with pytest.raises(InputError, match="others must be one of 'publish', 'remove', 'refuse'"):
        Roles(["age"], ["ill"], others="keep")
