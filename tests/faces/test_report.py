"""The report of an audit: its numbers are the table's, nothing in it runs or fetches, and it keeps what is withheld."""

import random
import re
from collections import Counter, defaultdict
from datetime import UTC, datetime
from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import pytest

import tclose
from canaries import CANARY
from faces.hospital import ROLES, write_hospital
from faces.html_pages import harmless_tags_of, tags_of
from papers import TABLES
from tclose.auditing.explain import explain_failures
from tclose.models.catalogue import MODELS
from tclose.policy.exact_numbers import shown
from tclose.policy.roles import Hierarchical, Nominal, Ordered, Roles
from tclose.reports.content.audit_reports import audit_report
from tclose.reports.content.explanations import explanation_documents
from tclose.reports.formats.html import report
from tclose.reports.formats.svg_compression import leaner
from tclose.reports.phrases.cells import unfoldered
from tclose.reports.phrases.numbers import title_of

HOSTILE = "</section></style><script>alert(1)</script><img src=x onerror=y>\"'&\u202e"


class Cells(HTMLParser):
    """The rows of every table, as texts."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.open = [], False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        del attrs
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.open = True
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        self.open = self.open and tag not in ("td", "th")

    def handle_data(self, data):
        if self.open:
            self.rows[-1][-1] += data.replace("\xa0", " ")


def harmless(html):
    """Check that a page is whole, runs nothing and points nowhere but into itself."""
    tags = tags_of(html.removeprefix("<!DOCTYPE html>"))
    assert not {"script", "img", "iframe", "link", "object", "form", "base"} & {tag for tag, _ in tags}
    assert not any(name.startswith("on") or name == "src" for _, given in tags for name in given)
    links = [given["href"] for _, given in tags if "href" in given]
    ids = [given["id"] for _, given in tags if "id" in given]
    assert len(ids) == len(set(ids))
    assert {link.removeprefix("#") for link in links} <= set(ids)
    assert re.findall(r"url\((?!#tclose-)|@import|://", html) == []
    (policy,) = [given["content"] for _, given in tags if given.get("http-equiv") == "Content-Security-Policy"]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"
    return tags


def random_table(seed):
    rng = random.Random(seed)
    rows = rng.randint(20, 120)
    return {
        "q": [rng.randint(0, 9) for _ in range(rows)],
        "r": [rng.choice("ab") for _ in range(rows)],
        "s": [rng.randint(0, 5) * 1000 for _ in range(rows)],
    }


def class_distances(table):
    """Return the distance and the size of every class, by the paper's own calculation."""
    classes = defaultdict(list)
    for key in zip(table["q"], table["r"], table["s"], strict=True):
        classes[key[:2]].append(key[2])
    return [(tclose.paper.ordered_distance_of_values(values, table["s"]), len(values)) for values in classes.values()]


@pytest.mark.parametrize("seed", range(8))
def test_the_row_of_a_requirement_has_the_numbers_of_the_table(seed):
    table, threshold = random_table(seed), Fraction(1, 4)
    html = tclose.audit(table, Roles(["q", "r"], {"s": Ordered()}), require={"k": 4, "t": threshold}).to_html()
    distances = class_distances(table)
    rows = [row for row in Cells(html).rows if row[1:2] in (["k-anonymity: k ≥ 4"], ["t-closeness: t ≤ 0.25"])]
    expected = {"k-anonymity: k ≥ 4": (min(size for _, size in distances), [n for _, n in distances if n < 4])}
    expected["t-closeness: t ≤ 0.25"] = (max(t for t, _ in distances), [n for t, n in distances if t > threshold])
    assert len(rows) == 2
    for verdict, text, _, found, exact, failing, _ in rows:
        value, sizes = expected[text]
        assert exact == str(value)
        assert float(found) == pytest.approx(float(value), abs=1e-4)
        assert verdict == ("✗ fails" if sizes else "✓ holds")
        if not sizes:
            assert failing == "none"
        else:
            told = re.match(r"([\d,]+) of ([\d,]+) classes, ([\d,]+) of ([\d,]+) rows", failing).groups()
            assert tuple(map(int, told)) == (len(sizes), len(distances), sum(sizes), len(table["s"]))


def test_the_verdict_comes_first_and_in_words():
    html = tclose.audit("example:salary", require={"k": 3, "t": {"salary": "0.3"}}).to_html()
    told = re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", html[html.index("<body") :]))
    first = "The example 'salary' does not meet 1 of 2 requirements."
    assert re.match(rf" ?Privacy audit ✗ {first}", told.replace("&#39;", "'"))
    assert "t ≤ 0.3 of salary fails: found 0.375 (3/8), in 1 of 3 classes, 3 of 9 rows (33.3 %)." in told


def test_the_parts_come_in_their_order():
    html = tclose.audit("example:salary", require={"t": "0.3"}).to_html()
    titles = re.findall(r'<h2 id="[^"]+">([^<]+)</h2>', html)
    assert titles == [
        "Decision",
        "What was required",
        "salary",
        "disease",
        "Class sizes",
        "Who could find people",
        "What rules ask",
        "What was assumed",
        "What the models mean",
        "What is not promised",
        "Glossary",
        "Read and accepted",
    ]
    assert html.count("<svg") == 2 * 4 + 2
    assert "It is not differential privacy." in html


def test_a_requirement_that_nothing_could_miss_is_marked():
    html = tclose.audit("example:salary", require={"t": 1}).to_html()
    assert "✓ holds, as it always would" in html
    assert "it protects nobody" in html


def test_without_requirements_nothing_is_judged():
    html = tclose.audit("example:salary").to_html()
    assert "nothing was required, so nothing is judged" in html
    assert "No t was required; the farthest class is at 0.375 (3/8)." in html


def test_the_report_says_what_was_assumed_and_when():
    audit = tclose.audit(
        {"q": [1, 1, 2], "s": ["lo", None, "hi"]}, Roles("q", {"s": Ordered(("lo", "mid", "hi"), nulls="drop")})
    )
    html = report(audit_report(audit, made=datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)))
    for told in (
        "2031-05-06 07:08:09 UTC",
        f"tclose {tclose.__version__}",
        "ordered as declared (3 values), missing values left out",
        "missing values: left out (1 row)",
        "the audited table",
    ):
        assert told in html


def test_hostile_names_and_cells_do_nothing():
    table = {HOSTILE: [HOSTILE, "b", "b"], "s" + HOSTILE: [HOSTILE, "y", "z"]}
    audit = tclose.audit(table, Roles([HOSTILE], {"s" + HOSTILE: Nominal()}), require={"k": 2, "t": "0.1"})
    html = audit.to_html()
    harmless(html)
    assert "\u202e" not in html
    assert "<script" not in audit._repr_html_()


@pytest.mark.parametrize("together", ["each", "joint", "quasi"])
@pytest.mark.parametrize("name", ["salary", "incidents", "disease"])
def test_a_report_is_whole_and_harmless(name, together):
    table = tclose.audit(f"example:{name}").roles
    roles = Roles(table.quasi, table.sensitive, together=together)
    audit = tclose.audit(f"example:{name}", roles, require={"t": "0.2"}, measure="all")
    harmless(audit.to_html())


def test_a_redacted_report_has_no_key_and_no_value(tmp_path, run):
    table, page = write_hospital(tmp_path), tmp_path / "report.html"
    asked = ("audit", table, *ROLES, "--k", "2", "--t", "0.2", "-o", page)
    assert run(*asked, "--show-people").code == 1
    open_page = page.read_text(encoding="utf-8")
    secrets = (CANARY, "47677", "47909", "gastritis", "stomach cancer", "11000", "3000", "pneumonia")
    assert [secret for secret in secrets if secret in open_page] == list(secrets[1:])
    assert run(*asked, "--redact-classes").code == 1
    closed = page.read_text(encoding="utf-8")
    assert [secret for secret in secrets if secret in closed] == []
    harmless(closed)
    figures = [
        row[:6] for row in Cells(open_page).rows if row[1:2] in (["k-anonymity: k ≥ 2"], ["t-closeness: t ≤ 0.2"])
    ]
    assert figures == [
        row[:6] for row in Cells(closed).rows if row[1:2] in (["k-anonymity: k ≥ 2"], ["t-closeness: t ≤ 0.2"])
    ]
    assert len(figures) == 3
    assert len(re.findall(r'class="tclose-figure tclose-(distances|sizes|drivers)"', closed)) == 5
    assert not re.search(r"[0-9a-f]{64}", closed)


def test_folders_of_this_machine_are_not_in_the_report(tmp_path):
    table = write_hospital(tmp_path)
    html = tclose.audit(table, Roles("zip", "salary:ordered")).to_html()
    assert str(tmp_path) not in html
    assert "hospital.csv" in html


def test_folders_of_this_machine_are_not_in_what_notebooks_keep(tmp_path):
    table = write_hospital(tmp_path)
    roles, flat = Roles(["zip", "age"], "salary:ordered"), {"zip": "flat", "age": "flat"}
    results: list[Any] = [
        tclose.explain(table, roles),
        tclose.anonymize(table, roles, require={"k": 3}, hierarchies=flat),
        tclose.profile(table),
        tclose.audit(table, roles),
        tclose.frontier(table, roles, sweep="k", values=[2, 3], methods=["mondrian"], hierarchies=flat),
        tclose.attack(table, roles, require={"k": 2}, hierarchies=flat),
    ]
    for told in [each._repr_html_() for each in results] + [results[-1].to_html()]:
        assert str(tmp_path) not in told
    for result in results[1:]:
        assert "hospital.csv" in result._repr_html_()


def test_folders_of_a_pattern_are_not_in_the_report(tmp_path):
    write_hospital(tmp_path)
    html = tclose.audit(tmp_path / "hosp*.csv", Roles("zip", "salary:ordered")).to_html()
    assert "is a pattern" in html
    assert str(tmp_path) not in html


def test_folders_of_the_reference_and_of_a_hierarchy_are_not_in_the_report(tmp_path):
    table, tree = write_hospital(tmp_path), tmp_path / "illness.csv"
    values = sorted({"gastric ulcer", "gastritis", "stomach cancer", "flu", "bronchitis", "pneumonia"})
    tree.write_text("".join(f"{value};any\n" for value in values), encoding="utf-8")
    roles = Roles("zip", {"disease": Hierarchical(tree)})
    audit = tclose.audit(table, roles, require={"t": "0.1"}, reference=str(table))
    html = report(audit_report(audit), explanation_documents([unfoldered(each) for each in explain_failures(audit)]))
    assert str(tmp_path) not in html
    assert "hierarchical, by illness.csv" in html
    assert "the distribution of hospital.csv" in html


@pytest.mark.parametrize("seed", range(3))
def test_every_figure_and_every_driver_is_that_of_the_audit(seed):
    audit = tclose.audit(random_table(seed), Roles(["q", "r"], {"s": Ordered()}), measure="all")
    html = audit.to_html()
    rows = [row[:2] for row in Cells(html).rows if len(row) == 3]
    for figure in (*audit.figures.values(), *audit["s"].figures.values()):
        assert [title_of(figure.model), shown(figure.value)] in rows
    for name, t in audit["s"].drivers.items():
        assert f"<title>without {name} t is {t}</title>" in html


def test_every_model_says_what_it_does_not_stop():
    assert [key for key, model in MODELS.items() if not (model.limit and model.formula and model.paper)] == []


def test_models_in_the_report_are_those_that_were_measured():
    audit = tclose.audit("example:salary", measure="all")
    html = audit.to_html()
    measured = {figure.model.title for figure in (*audit.figures.values(), *audit["salary"].figures.values())}
    limits = {model.limit for model in MODELS.values()}
    told = {re.sub(r" \(\w+=.*", "", row[0]) for row in Cells(html).rows if len(row) == 3 and row[2] in limits}
    assert told == measured


def test_explanations_are_added_when_they_are_asked_for(tmp_path, run):
    page = tmp_path / "report.html"
    run("audit", "example:salary", "--t", "salary=0.3", "--explain", "-o", page)
    html = page.read_text(encoding="utf-8")
    harmless(html)
    assert 'aria-label="Explanation"' in html
    assert "tclose-cumulative" in html


def test_a_notebook_shows_the_same_picture_of_the_distances():
    audit = tclose.audit("example:salary", require={"t": "0.3"})
    pictures = [
        re.findall(r"<svg class=\"tclose-figure tclose-distances.*?</svg>", html, re.S)
        for html in (audit.to_html(), leaner(audit._repr_html_()))
    ]
    assert len(pictures[0]) == 2
    assert pictures[0] == pictures[1]


def test_the_papers_tables_are_drawn_with_their_classes():
    """Every class of the tutorial's tables is in the pictures of the sizes and the distances."""
    audit = tclose.audit("example:salary", require={"t": "0.3"})
    counted = Counter(len(values) for values in TABLES["salary"].classes("salary").values())
    picture = re.search(r"<svg class=\"tclose-figure tclose-sizes.*?</svg>", audit.to_html(), re.S)[0]
    told = re.findall(r"<title>(\d+) class(?:es)? of (\d+) rows</title>", picture)
    assert {int(size): int(number) for number, size in told} == dict(counted)


@pytest.mark.parametrize(
    "made",
    [
        lambda: tclose.audit("example:salary"),
        lambda: tclose.explain("example:salary", attribute="salary"),
        lambda: tclose.explain("example:salary", attribute="salary")[0],
        lambda: tclose.anonymize("example:salary", require={"k": 3}, hierarchies={"age": "flat"}),
        lambda: tclose.frontier("example:salary", hierarchies={"age": "flat"}, values=["0.5"], methods=["merge"]),
        lambda: tclose.profile("example:salary"),
    ],
    ids=["audit", "explanations", "explanation", "release", "frontier", "profile"],
)
def test_in_a_notebook_everything_is_a_harmless_fragment_in_the_same_look(made):
    html = made()._repr_html_()
    tags = harmless_tags_of(html)
    assert (tags[0][0], tags[0][1]["class"]) == ("section", "tclose")
    assert "table" in {tag for tag, _ in tags}
