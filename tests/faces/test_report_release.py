"""The report of a release: before and after, what it cost, the recipe, and what stands in the way."""

import re
from collections import defaultdict

import pytest
from test_report import Cells, harmless

import tclose
from faces.hospital import judged, rows_of, write_hospital
from tclose.anonymization.frontier_points import Frontier
from tclose.policy.roles import Roles

ROLES = Roles(["zip", "age"], ["salary:ordered"], identifiers=["name"])
ASKED = {"require": {"k": 3, "t": "0.3"}, "hierarchies": {"zip": "mask", "age": "intervals:5,10,20"}}


FRONTIER = "tclose-figure tclose-frontier"
COMMAND = ("-i", "name", "-q", "zip,age", "-s", "salary:ordered",
           "--hierarchy", "zip=mask", "--hierarchy", "age=intervals:5,10,20")  # fmt: skip


@pytest.fixture
def hospital(tmp_path):
    return write_hospital(tmp_path)


def before_after(html):
    """Return the figures of the original and of the release, by figure and subject."""
    return {(row[0], row[1]): row[2:] for row in Cells(html).rows if len(row) in (4, 5)}


def test_before_and_after_are_those_of_both_files(hospital, tmp_path):
    release = tclose.anonymize(hospital, ROLES, **ASKED)
    written = release.write(tmp_path / "out.csv")
    html = release.to_html(written)
    harmless(html)
    found = before_after(html)
    old_k, old_t = judged(rows_of(hospital))
    new_k, new_t = judged(rows_of(tmp_path / "out.csv"))
    assert found["k-anonymity", "the table"][:2] == [str(old_k), str(new_k)]
    owners = before_after(release._repr_html_())
    assert [re.search(r"\(?(\d+/\d+)", cell)[1] for cell in owners["t-closeness", "salary"][:2]] == [
        str(old_t),
        str(new_t),
    ]
    assert found["t-closeness", "salary"] == ["", *owners["t-closeness", "salary"][1:]]
    assert found["rows", "the table"][:2] == ["9 rows", "9 rows"]
    assert str(tmp_path) not in html
    assert {"out.csv", "out.csv.recipe.json"} <= {row[1] for row in Cells(html).rows if len(row) == 3}


def test_what_it_cost_and_the_recipe_are_told(hospital):
    release = tclose.anonymize(hospital, ROLES, method="full-domain", seed=7, **ASKED)
    html = release.with_original().to_html()
    rows = Cells(html).rows
    for name, lost in release.column_losses.items():
        (told,) = [row[1] for row in rows if row[0] == name and len(row) == 3 and row[2] == ""]
        assert float(told.removesuffix(" %")) == pytest.approx(100 * lost, abs=0.06)
    (lm,) = [row[1] for row in rows if row[0] == "loss metric"]
    assert float(lm) == pytest.approx(release.losses["lm"], abs=1e-4)
    recipe = dict(re.findall(r"<dt>([^<]+)</dt><dd>([^<]+)</dd>", html))
    levels = ", ".join(f"{name} {level}" for name, level in release.levels.items())
    assert (recipe["Method"], recipe["Seed"], recipe["Levels"]) == ("full-domain", "7", levels)
    assert recipe["New rows go"] == "to cells, by their quasi-identifiers alone"
    assert recipe["Identifiers removed"] == "name"


def test_values_of_the_original_are_not_in_the_report(hospital):
    html = tclose.anonymize(hospital, ROLES, require={"k": 9}, hierarchies=ASKED["hierarchies"]).to_html()
    assert [value for value in ("47677", "47602", "Zebulon") if value in html] == []


def test_a_value_that_only_rows_left_out_had_is_not_in_the_report():
    table = {
        "age": [*range(20, 40), 90],
        "zip": [*["47677"] * 20, "99999"],
        "disease": [*["flu", "cold"] * 10, "kuru"],
    }
    roles = Roles(["zip", "age"], ["disease:nominal"])
    hierarchies = {"zip": "mask", "age": "intervals:5,10"}
    asked = {"require": {"k": 2, "t": "0.3"}, "hierarchies": hierarchies, "suppress": "0.1"}
    release = tclose.anonymize(table, roles, method="full-domain", **asked)
    assert release.suppressed == 1
    assert [value for value in ("kuru", "99999") if value in release.to_html()] == []


def test_the_drivers_of_a_release_are_those_of_its_file(hospital, tmp_path):
    release = tclose.anonymize(hospital, ROLES, **ASKED)
    html = release.to_html(release.write(tmp_path / "out.csv"))
    rows = rows_of(tmp_path / "out.csv")
    every = [int(row["salary"]) for row in rows]
    for left_out, kept in (("zip", "age"), ("age", "zip")):
        classes = defaultdict(list)
        for row in rows:
            classes[row[kept]].append(int(row["salary"]))
        t = max(tclose.paper.ordered_distance_of_values(found, every) for found in classes.values())
        assert f"<title>without {left_out} t is {t}</title>" in html


def test_the_command_line_adds_what_other_thresholds_cost(hospital, tmp_path, run):
    page = tmp_path / "report.html"
    done = run("anonymize", hospital, *COMMAND, "--k", 3, "--t", "0.37", "--report", page, "--frontier")
    assert done.code == 0
    html = page.read_text(encoding="utf-8")
    harmless(html)
    assert FRONTIER in html
    assert {"t ≤ 0.1", "t ≤ 0.37", "t ≤ 0.5"} <= {row[0] for row in Cells(html).rows if len(row) > 3}


def test_where_only_k_is_required_the_command_line_sweeps_k(hospital, run):
    done = run("anonymize", hospital, *COMMAND, "--k", 3, "--format", "html", "--frontier", "--quiet")
    assert {"k ≥ 2", "k ≥ 3", "k ≥ 100"} <= {row[0] for row in Cells(done.out).rows if len(row) > 3}


@pytest.mark.parametrize("options", [(), ("--report", "report.json")])
def test_a_frontier_that_no_page_would_show_is_refused(hospital, run, options):
    done = run("anonymize", hospital, *COMMAND, "--k", 3, "--frontier", *options)
    assert (done.code, done.out) == (2, "")
    assert "--report FILE.html" in done.err


def test_a_frontier_of_a_table_that_can_be_read_only_once_is_refused(run):
    done = run("anonymize", "-", *COMMAND, "--k", 3, "--format", "html", "--frontier")
    assert (done.code, done.out) == (2, "")
    assert "save it as a file" in done.err


def test_a_frontier_is_shown_where_it_is_given(hospital):
    release = tclose.anonymize(hospital, ROLES, **ASKED)
    points = tclose.frontier(
        hospital, ROLES, values=["0.3", "0.5"], methods=["merge"], hierarchies=ASKED["hierarchies"]
    )
    assert isinstance(points, Frontier)
    html = release.to_html(frontier=points)
    harmless(html)
    assert FRONTIER in html
    assert FRONTIER not in release.to_html()
    rows = {
        row[0]: row[1].removesuffix(" *") for row in Cells(html).rows if row[0].startswith("t ≤ ") and len(row) == 3
    }
    kept = {f"t ≤ {float(point.threshold)}": point.kept for point in points.points}
    assert set(rows) == set(kept) == {"t ≤ 0.3", "t ≤ 0.5"}
    for text, share in kept.items():
        assert float(rows[text].removesuffix(" %")) == pytest.approx(100 * share, abs=0.06)


def test_without_a_release_the_report_says_what_stands_in_the_way():
    """The table of Li et al. is 3/8-close in its salaries as it is; nothing may be generalised here."""
    asked = {"require": {"t": {"salary": "0.05"}}, "levels": {"zip": 0, "age": 0}, "hierarchies": {"age": "flat"}}
    html = tclose.anonymize("example:salary", **asked).to_html()
    harmless(html)
    (row,) = [row for row in Cells(html).rows if row[1:2] == ["t ≤ 0.05"]]
    assert row[2:4] == ["salary", "0.375 (3/8)"]
    assert "Required: t ≤ 0.05 of salary." in html
    assert "<svg" not in html


def test_a_release_of_sizes_alone_has_a_report():
    release = tclose.anonymize({"age": list(range(20))}, Roles("age", []), require={"k": 4})
    html = release.to_html()
    harmless(html)
    assert before_after(html)["k-anonymity", "the table"][0] == "1"


def test_the_command_line_writes_the_report_beside_the_release(hospital, tmp_path, run):
    page, out = tmp_path / "report.html", tmp_path / "out.csv"
    asked = ("anonymize", hospital, "-i", "name", "-q", "zip,age", "-s", "salary:ordered", "--k", 3,
             "--hierarchy", "zip=mask", "--hierarchy", "age=intervals:5,10,20",
             "-o", out, "--report", page, "--statement", tmp_path / "about.jsonld")  # fmt: skip
    done = run(*asked)
    assert done.code == 0
    written = {line.split()[0] for line in done.out.partition("\nWritten\n")[2].splitlines() if line[2:3].strip()}
    assert written == {"release", "report", "recipe", "page", "statement"}
    harmless(page.read_text(encoding="utf-8"))
    assert "out.csv" in page.read_text(encoding="utf-8")
    refused = run(*asked)
    assert (refused.code, "--force" in refused.err) == (2, True)
    out.unlink()
    again = tmp_path / "again.html"
    assert run("apply", f"{out}.recipe.json", hospital, "--report", again).code == 0
    harmless(again.read_text(encoding="utf-8"))


@pytest.mark.parametrize(("name", "words"), [("report.png", "ends in .html"), ("no/report.html", "cannot be written")])
def test_a_report_that_cannot_be_written_is_refused_before_any_work(tmp_path, run, name, words):
    done = run("anonymize", "example:salary", "--k", 3, "--hierarchy", "age=flat", "--report", tmp_path / name)
    assert done.code == 2
    assert words in done.err
    assert list(tmp_path.iterdir()) == []


def test_the_summary_as_a_page_is_the_report(run):
    done = run("anonymize", "example:salary", "--k", 3, "--hierarchy", "age=flat", "--format", "html", "--quiet")
    harmless(done.out)
    assert "Before and after" in done.out
