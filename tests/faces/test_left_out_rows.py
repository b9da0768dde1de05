"""What is told beside a release does not depend on the sensitive values of rows that were left out of it.

Whoever has a register knows who is missing. Two tables that differ in the values of those people alone must give the
same release, and the same report, statement and page beside it; with the same seed, as a secret one differs by table.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pyarrow as pa
import pytest

import tclose
from tclose.reports.content.release_reports import release_report
from tclose.reports.formats.html import report

ROLES = tclose.Roles(["town", "age"], ["illness:nominal"])


def table(*left_out):
    """Sixty people in two towns, and two of a third who are left out."""
    ages = [20 + at % 3 + at // 30 * 20 for at in range(60)]
    kept = [(("Aa", "Bonn")[at % 2], age, ("flu", "cough", "ache")[at * 7 % 5 % 3]) for at, age in enumerate(ages)]
    rows = [*kept, *(("Zz", 99 - at, illness) for at, illness in enumerate(left_out))]
    return pa.table(dict(zip(("town", "age", "illness"), map(list, zip(*rows, strict=True)), strict=True)))


def told(tmp_path, found, name):
    """Return all that goes beside a release, made at the same moment."""
    written = found.write(tmp_path / name / "out.csv")
    page = report(release_report(found, written, made=datetime(2020, 1, 1, tzinfo=UTC)))
    return written.path.read_text(), json.loads(written.report.read_text()), page


def released(values, **options):
    return tclose.anonymize(
        table(*values), ROLES, require={"k": 5, "t": "0.6"}, hierarchies={"town": "flat"}, suppress="0.05", effort=0,
        **{"seed": 0, **options},
    )  # fmt: skip


@pytest.mark.parametrize("method", ["full-domain", "gather", "merge"])
@pytest.mark.parametrize("others", [("flu", "flu"), ("gout", "flu"), ("gout", "mumps")])
def test_what_goes_beside_a_release_is_the_same_whatever_the_rows_left_out_hold(tmp_path, method, others):
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
    one, other = (released(values, method=method) for values in (("cough", "ache"), others))
    assert one.suppressed == other.suppressed == 2
    for first, second in zip(told(tmp_path, one, "one"), told(tmp_path, other, "other"), strict=True):
        assert first == second
    beside = json.loads((tmp_path / "one" / "out.csv.report.json").read_text())["audit_against_original"]
    assert beside["holds"] is True
    assert "left out" in beside["withheld"]


def test_where_no_row_is_left_out_the_figures_against_the_original_are_told(tmp_path):
    found = tclose.anonymize(
        table(), ROLES, require={"k": 5}, hierarchies={"town": "flat"}, method="full-domain", effort=0
    )
    beside = json.loads(found.write(tmp_path / "out.csv").report.read_text())["audit_against_original"]
    assert beside["attributes"]["illness"]["t"]["value"] >= 0


def test_attackers_by_value_are_told_only_where_no_row_is_left_out(tmp_path):
    found = released(("gout", "flu"), method="full-domain", withstand="0.99", seed=4)
    assert found.holds
    assert found.suppressed == 2
    data = json.loads(found.write(tmp_path / "out.csv").report.read_text())["attack"]["attackers"]
    assert [each["by_value"] for each in data] == [[] for _ in data]


def test_a_report_does_not_say_what_the_classes_of_the_original_had():
    """The example of Wong et al. 2007: t = 5/7 of the original is so only if both people of q1 have HIV."""
    people = pa.table({"q": ["q1"] * 2 + ["q2"] * 5, "illness": ["HIV"] * 2 + ["none"] * 5})
    found = tclose.anonymize(
        people, tclose.Roles(["q"], ["illness:nominal"]), require={"k": 2, "t": "0.29"}, hierarchies={"q": "flat"},
        method="full-domain",
    )  # fmt: skip
    assert found.class_count == 1
    told = re.findall(r">t-closeness</th>.*?</tr>", found.to_html(), re.S)
    assert len(told) == 3  # before and after, among the figures, and among the models
    assert "5/7" not in str(told)
    assert "0.7143" not in str(told)
    assert "may give away who was in them" in found.to_html()
