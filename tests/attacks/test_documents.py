"""What goes beside a release says no more of the original than the release: trying every original finds none out.

Everybody's quasi-identifiers, the method and its seed are known. All assignments of the sensitive values that give one
release must give the same documents beside it, or these tell which of the assignments is the original.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import defaultdict
from datetime import UTC, datetime

import pyarrow as pa
import pytest

import tclose
from tclose.reports.content.release_reports import release_report
from tclose.reports.formats.html import report
from tclose.reports.machine_readable.croissant import STATEMENTS, Handed

MOMENT = datetime(2020, 1, 1, tzinfo=UTC)
PEOPLE = ((0, "u"), (0, "v"), (1, "u"), (1, "v"), (2, "u"), (3, "v"))
CASES = [
    ("full-domain", {"k": 2, "t": "2/5"}),
    ("mondrian", {"k": 2, "t": "2/5"}),
    ("gather", {"k": 3, "t": "1/6"}),
    ("sabre", {"k": 3, "t": "1/6"}),
]


def table(values, people=PEOPLE):
    return pa.table({"age": [age for age, _ in people], "town": [town for _, town in people], "illness": list(values)})


def released(rows, require, method, **options):
    return tclose.anonymize(
        rows, tclose.Roles(["age", "town"], ["illness:nominal"]), require=require, hierarchies={"town": "flat"},
        method=method, **options,
    )  # fmt: skip


def documents(found, folder):
    """Return the release, and all that goes beside it, made at the same moment."""
    written = found.write(folder / "out.csv", force=True)
    statements = [told(found, [Handed("out.csv", "0" * 64, 1)]) for told in STATEMENTS.values()]
    told = {
        "report": json.loads(written.report.read_text()),
        "page": report(release_report(found, written, made=MOMENT)),
        "Markdown": found.to_markdown(),
        "statements": [without_moments(each) for each in statements],
    }
    return written.path.read_bytes(), told


def without_moments(statement):
    """Return the text of a statement without the times at which it was made and without random names."""
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.+Z-]+|[0-9a-f]{8}-[0-9a-f-]{27}", "", json.dumps(statement))


@pytest.mark.parametrize(("method", "require"), CASES)
def test_all_originals_that_give_a_release_give_the_same_documents(tmp_path, method, require):
    seen = defaultdict(list)
    for values in sorted(set(itertools.permutations("aaabbb"))):
        found = released(table(values), require, method)
        release, told = documents(found, tmp_path)
        seen[release].append(told)
    assert max(map(len, seen.values())) > 1
    for first, *others in seen.values():
        for other in others:
            assert other == first


LEFT_OUT = [[("Zz", 99), ("Zz", 98)], [("Zz", 41), ("Yy", 99)], [("Zz", 5000), ("Zz", 99)]]


def sixty(left_out, illnesses):
    ages = [20 + at % 3 + at // 30 * 20 for at in range(60)]
    rows = [(age, ("Aa", "Bonn")[at % 2], ("flu", "cough", "ache")[at * 7 % 5 % 3]) for at, age in enumerate(ages)]
    more = [(age, town, illness) for (town, age), illness in zip(left_out, illnesses, strict=True)]
    people = [row[:2] for row in (*rows, *more)]
    return table([row[2] for row in (*rows, *more)], people)


def test_the_documents_do_not_depend_on_what_the_rows_left_out_are(tmp_path):
    """Somebody of 5,000 years who is left out stretched the line by which the loss of everybody else was measured."""
    told = []
    for left_out, illnesses in itertools.product(LEFT_OUT, [("flu", "ache"), ("gout", "gout")]):
        found = released(
            sixty(left_out, illnesses), {"k": 5, "t": "0.6"}, "full-domain", suppress="0.05", effort=0, intervals=False,
            levels={"age": 0, "town": 0}, seed=0,
        )  # fmt: skip
        assert found.suppressed == 2
        told.append(documents(found, tmp_path))
    assert all(each == told[0] for each in told)


def test_shares_beside_a_release_are_rounded_and_the_owner_is_told_all_of_them(tmp_path):
    found = released(table("aababb"), {"k": 2, "t": "2/5"}, "mondrian")
    beside = json.loads(found.write(tmp_path / "out.csv").report.read_text())
    assert beside["losses"]["sse"] is None
    assert beside["slack"] is None
    assert beside["confidential"] is False
    for key in ("lm", "gcp", "arx"):
        assert beside["losses"][key] == round(beside["losses"][key], 3)
        assert abs(beside["losses"][key] - found.losses[key]) <= 0.001
    owner = found.with_original()
    everything = found.to_dict()
    assert everything["confidential"] is True
    assert everything["losses"] == dict(found.losses)
    assert everything["slack"]["value"] == float(found.slack)
    assert "Confidential: this tells of the original" in owner.to_html()
    assert "Confidential" in owner.to_markdown()
    assert "nue_share" in str(found)
    assert "Confidential" not in found.to_html()


def test_the_seed_is_not_told_beside_a_release():
    found = released(table("aababb"), {"k": 2, "t": "2/5"}, "mondrian", seed=987654321)
    assert found.recipe.seed == 987654321
    assert "987654321" not in found.to_html() + found.to_json() + found.to_markdown()
    assert "987654321" in found.with_original().to_html()


def test_a_report_with_other_thresholds_is_the_owners():
    roles = tclose.Roles(["age", "town"], ["illness:nominal"])
    points = tclose.frontier(
        table("aababb"), roles, values=["0.4"], methods=["mondrian"], require={"k": 2}, hierarchies={"town": "flat"}
    )
    page = released(table("aababb"), {"k": 2, "t": "2/5"}, "mondrian").to_html(frontier=points)
    assert "Confidential: this tells of the original" in page
    assert "What other thresholds would cost" in page
