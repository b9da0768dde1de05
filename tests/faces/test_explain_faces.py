"""The renderings of an explanation: one content in one order, readable at any size, safe with any value."""

import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import tclose
from faces.html_pages import harmless_tags_of
from tclose.auditing.explanations import Explanations
from tclose.reports.content.explanations import explanation_documents
from tclose.reports.formats.layout import width_of
from tclose.reports.formats.text import text as shown_as_text
from tclose.reports.machine_readable.explanations import explanation_schema_text

VALIDATOR = Draft202012Validator(json.loads(explanation_schema_text()))
TREE = {"*": {"lung": ["flu", "pneumonia"], "stomach": ["ulcer", "gastritis"]}}
LATEX = r"\input{/etc/passwd} 50% & #1 $x_1^2$ {a} ~ ^ \\ -- ``"
HOSTILE = "</svg></section><script>alert(1)</script><img src=x onerror=y>\"'& |*_`[a](b)\x1b[2J\u202e\x00"
STRANGE = "Łódź Ωmega 年齢 🎉 e\u0301 ½ ∅ ĦħŉÆ"
PEOPLE = {
    "q": ["a", "a", "b", "b", "b"],
    "pay": [1.5, 2, 2, 8, 9],
    "grade": ["low", "mid", "high", "high", "low"],
    "illness": ["flu", "pneumonia", "ulcer", "gastritis", "ulcer"],
    "kind": ["x", "x", "y", "x", None],
}
ROLES = tclose.Roles(
    "q",
    {
        "pay": tclose.Numeric(),
        "grade": tclose.Ordered(order=("low", "mid", "high")),
        "illness": tclose.Hierarchical(TREE),
        "kind": tclose.Nominal(),
    },
)


def checked(found):
    data = json.loads(found.to_json(), parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    VALIDATOR.validate(data)
    return data["explanations"]


def nominal(values, keys=None):
    table = {"q": keys or ["a"] + ["b"] * (len(values) - 1), "s": values}
    return tclose.explain(table, tclose.Roles("q", {"s": tclose.Nominal()}))


def rendered(found):
    return {
        "text": str(found),
        "markdown": found.to_markdown(),
        "latex": found.to_latex(),
        "html": found._repr_html_(),
        "json": found.to_json(),
    }


def test_the_schema_is_a_schema_and_is_the_one_in_the_docs():
    Draft202012Validator.check_schema(json.loads(explanation_schema_text()))
    shown = Path(__file__).parents[2] / "docs" / "explanation.schema.json"
    assert shown.read_text(encoding="utf-8") == explanation_schema_text()


def test_json_holds_the_papers_calculation():
    (data,) = checked(tclose.explain("example:salary", attribute="salary", rule="tutorial"))
    assert data["class"] == {"zip": "476**", "age": "2*"}
    assert data["distance"] == {"value": 0.375, "exact": "3/8"}
    assert data["flows"] == ["2/9", "4/9", "2/3", "5/9", "4/9", "1/3", "2/9", "1/9"]
    first = {"from": 1, "to": 4, "mass": "1/9", "distance": "3/8", "cost": "1/24", "remainder": "2/9"}
    assert data["moves"][0] == first
    assert len(data["moves"]) == 6
    assert data["agreement"] == {"moves": "3/8", "flows": "3/8", "audit": "3/8", "agree": True}
    assert data["models"]["l"] == {"title": "distinct ℓ-diversity", "value": 3}
    assert data["terms"][8]["sum"] == "3"


def test_every_kind_of_distance_fits_the_schema_and_every_rendering():
    found = tclose.explain(PEOPLE, ROLES, worst=2)
    data = checked(found)
    assert {each["attribute"] for each in data} == set(ROLES.sensitive)
    assert all(text for text in rendered(found).values())


@pytest.mark.parametrize("face", ["text", "markdown", "latex", "html"])
def test_every_face_tells_the_same_in_the_same_order(face):
    text = rendered(tclose.explain("example:salary", attribute="salary", rule="tutorial"))[face]
    titles = [
        "1 in 9 people have the salary 3000; in the class, 1 in 3 have it",
        "The two distributions",
        "The definition, term by term",
        "The moves that turn the class into the table",
        "The sum",
        "How other models see the same class",
    ]
    places = [text.replace("\n", " ").find(title) for title in titles]
    assert -1 not in places
    assert places == sorted(places)


def test_the_text_reads_as_expected():
    text = str(tclose.explain("example:salary", attribute="salary", rule="tutorial"))
    assert "B₁  1 → 4      1/9   3/8       3/72  2/9        3000 → 6000" in text
    assert "E = (2/9 + 4/9 + 6/9 + 5/9 + 4/9 + 3/9 + 2/9 + 1/9) / 8 = 3/8 = 0.375" in text
    assert "agree exactly: 0.375 (3/8)." in text


def test_over_and_under_represented_values_are_named():
    words = tclose.explain("example:salary", attribute="salary").to_dict()["explanations"][0]["words"]
    assert "a larger share of people than in the table has the salary 3000, 4000 or 5000" in words[0]
    assert "6000, 7000, 8000 or one of 3 others" in words[0]


@pytest.mark.parametrize(
    "values", [["a", "b", "a", "b"], ["a", "a", "a", "a"], [None, None, None, None]], ids=["equal", "one", "null"]
)
def test_a_class_that_equals_the_table_explains_itself_in_one_sentence(values):
    found = nominal(values, ["1", "1", "2", "2"])
    text = str(found)
    assert text.count(".") == 1
    assert "distance" in text
    assert checked(found)[0]["moves"] == []
    assert all("term by term" not in each for each in rendered(found).values())


def test_a_table_of_one_class_has_nothing_to_tell():
    assert "exactly as in the table" in str(nominal(["a", "b", "b"], ["1", "1", "1"]))


def test_explanations_of_nothing_say_so():
    assert "nothing to explain" in str(Explanations(()))
    assert "nothing to explain" in Explanations(()).to_markdown()
    assert "nothing to explain" in Explanations(()).to_latex()
    assert "nothing to explain" in Explanations(())._repr_html_()
    assert checked(Explanations(())) == []


def test_a_missing_value_is_shown_as_one():
    found = tclose.explain(PEOPLE, tclose.Roles("q", {"kind": tclose.Nominal()}), key={"q": "b"})
    assert "∅" in str(found)
    assert None in [value["value"] for value in checked(found)[0]["values"]]


def many(values=10_000):
    table = {"q": ["a"] * (values // 2) + ["b"] * (values - values // 2), "s": list(range(values))}
    return tclose.audit(table, tclose.Roles("q", {"s": tclose.Ordered()}), drivers=False)


def test_ten_thousand_values_stay_readable_and_exact():
    audit = many()
    text = str(tclose.explain(audit, "s"))
    assert len(text.splitlines()) < 120
    assert max(map(width_of, text.splitlines())) <= 80
    assert "10,000 values are too many to list; neighbours are shown together here" in text
    assert re.search(r"… and 4,9\d\d smaller moves, (over )?9\d(\.\d)? % of the cost", text)
    (data,) = checked(tclose.explain(audit, "s"))
    assert data["distance"]["exact"] == "2500/9999"
    assert len(data["values"]) == 10_000


def test_many_categories_show_the_most_different():
    found = tclose.explain(
        {"q": ["a"] * 30 + ["b"] * 30, "s": [*range(30), *range(29), 0]},
        tclose.Roles("q", {"s": tclose.Nominal()}),
    )
    assert "other values" in str(found)
    assert "the least different are shown together" in str(found).replace("\n ", "")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_longer_than_the_page(width):
    long = "a very long name that goes on and on " * 3
    table = {long: ["x" * 90, "y", "y"], "secret " * 15: ["年齢" * 40, "q " * 60, "r" * 200]}
    found = tclose.explain(table, tclose.Roles([long], {"secret " * 15: tclose.Nominal()}))
    text = shown_as_text(*explanation_documents(found.items), width=width)
    assert max(width_of(line) for line in text.splitlines()) <= width


def test_colour_only_adds_escape_sequences():
    found = tclose.explain("example:salary", attribute="salary")
    coloured = shown_as_text(*explanation_documents(found.items), colour=True)
    assert "\x1b[1m" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == str(found)


def hostile():
    table = {HOSTILE: [HOSTILE, "b", "b"], "s" + HOSTILE: [HOSTILE, LATEX, STRANGE]}
    return tclose.explain(table, tclose.Roles([HOSTILE], {"s" + HOSTILE: tclose.Nominal()}), worst=2)


def test_html_escapes_everything_and_runs_nothing():
    html = hostile()._repr_html_()
    identities = [given["id"] for _, given in harmless_tags_of(html) if "id" in given]
    assert "prefers-color-scheme: dark" in html
    assert len(identities) == len(set(identities))


def test_html_shows_the_figures_in_the_page():
    html = tclose.explain("example:salary", attribute="salary")._repr_html_()
    assert html.count("<svg") == 2
    for picture in re.findall(r"<svg.*?</svg>", html, re.S):
        ET.fromstring(picture)


def test_text_and_json_hold_nothing_that_a_terminal_would_obey():
    found = hostile()
    for text in (str(found), found.to_json(), found.to_markdown(), found.to_latex()):
        assert not any((ord(letter) < 32 and letter != "\n") or 0x7F <= ord(letter) < 0xA0 for letter in text)
        assert "\u202e" not in text
    assert checked(found)[0]["class"][HOSTILE] == HOSTILE


def test_markdown_escapes_what_came_from_the_table():
    text = hostile().to_markdown()
    assert "<script>" not in text
    assert "\\[a\\](b)" in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert all(re.sub(r"\\.", "", line).count("|") >= 4 for line in tables)


def test_latex_is_well_formed_and_escaped():
    text = hostile().to_latex()
    body = text[text.index("\\begin{document}") :]
    bare = re.sub(r"\\[^a-zA-Z]", "", body)
    assert bare.count("{") == bare.count("}")
    assert r"\input" not in body
    begun, ended = re.findall(r"\\begin\{(\w+\*?)\}", body), re.findall(r"\\end\{(\w+\*?)\}", body)
    assert sorted(begun) == sorted(ended)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tclose.explain("example:salary", worst=3, rule="tutorial"),
        lambda: tclose.explain(PEOPLE, ROLES, worst=2),
        lambda: tclose.explain(many(500), "s"),
        hostile,
        lambda: nominal([chr(code) for code in range(0xA1, 0x180)]),
        lambda: nominal(["a", "a"]),
    ],
    ids=["salary", "every distance", "many values", "hostile", "letters", "one value"],
)
def test_latex_compiles(make, tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed (apt install texlive-latex-base)")
    (tmp_path / "it.tex").write_text(make().to_latex(), encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-draftmode", "-interaction=nonstopmode", "-halt-on-error", "it.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=120,
    )
    log = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, log[-1500:]


def test_a_vacuous_threshold_can_be_seen():
    assert "No class could be further from the table than 1/2 = 0.5." in str(
        tclose.explain("example:salary", attribute="salary")
    )


def test_another_reference_is_named():
    given = {"incident": {"power outage": 1, "theft": 1, "fire": 1, "fatal accident": 1, "sidewalk repair": 1}}
    given["incident"] |= {"pest control": 1, "tree replanting": 1}
    found = tclose.explain("example:incidents", reference=given)
    assert "in the reference, 1 in 7 people have the incident power outage" in str(found).replace("\n", " ")
    assert "rows in reference" not in str(found)
