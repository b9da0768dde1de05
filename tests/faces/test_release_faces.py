"""A release and a frontier as text, JSON, pages and pictures: true, readable, and harmless whatever the names are."""

import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import tclose
from faces.html_pages import harmless_tags_of
from tclose.anonymization.frontier_points import Frontier, Point
from tclose.anonymization.releases import Obstacle, Release
from tclose.cli.errors import command_line
from tclose.models.catalogue import requirements
from tclose.reports.charts.frontier import frontier_picture
from tclose.reports.content.frontiers import frontier_document
from tclose.reports.content.releases import release_document
from tclose.reports.formats.html import fragment
from tclose.reports.formats.text import text as shown_as_text
from tclose.reports.machine_readable.frontiers import frontier_csv
from tclose.reports.machine_readable.releases import release_schema_text, report_data
from tclose.reports.phrases.releases import nearest

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "</section></style><script>alert(1)</script>\x1b[2J\u202e"


def release_text(release, width=None, *, colour=False, written=None):
    """Return a release as text."""
    return shown_as_text(release_document(release, written), width=width, colour=colour)


def frontier_text(found, width=None, *, colour=False):
    """Return a frontier as text."""
    return shown_as_text(frontier_document(found), width=width, colour=colour)


VALIDATOR = Draft202012Validator(json.loads(release_schema_text()))


def salary(**asked):
    wanted = {"require": {"k": 3, "t": "0.45"}, "hierarchies": {"age": "flat"}, **asked}
    return tclose.anonymize("example:salary", **wanted)


def without_release(*obstacles, source="people.csv", **given):
    roles = tclose.Roles(quasi=["zip"], sensitive={"pay": tclose.Ordered()})
    return Release(
        source,
        roles,
        tuple(obstacle.requirement for obstacle in obstacles) or requirements({"t": "0.1"}),
        **{"method": "auto", "original_rows": 9, "class_count": 0, "suppressed": 0, "levels": None} | given,
        losses={},
        column_losses={},
        notes=(),
        obstacles=obstacles,
    )


def obstacle(wanted, value, key=None):
    (requirement,) = requirements(wanted)
    return Obstacle(requirement, value, key or {"zip": "476**"})


def swept(methods=("gather", "mondrian"), values=("0.1", "0.2", "0.4"), loss="lm", sweep="t", source="people.csv"):
    """Return a frontier with kept detail of 0.25, 0.5, 0.75 for the first method, and 0.05 less for each further."""
    points = [
        Point(method, Fraction(value), True, 1 - kept if loss == "lm" else 400 * kept, kept, 3 + at, at)
        for row, method in enumerate(methods)
        for at, value in enumerate(values)
        for kept in [0.25 * (at + 1) - 0.05 * row]
    ]
    roles = tclose.Roles(quasi=["zip"], sensitive={"pay": tclose.Ordered()})
    return Frontier(source, roles, requirements({"k": 5}), sweep, loss, 9, tuple(points), ())


def test_the_schema_is_a_schema_and_is_the_one_in_the_docs():
    Draft202012Validator.check_schema(json.loads(release_schema_text()))
    docs = Path(__file__).parents[2] / "docs" / "release.schema.json"
    assert docs.read_text(encoding="utf-8") == release_schema_text()


def test_a_release_that_costs_nothing_says_so():
    """The table of Li et al. is 3-anonymous and 4/9-close as it is."""
    release = salary()
    data = json.loads(release.to_json())
    VALIDATOR.validate(data)
    assert (data["kept"], data["classes"], data["column_losses"]) == (1, 3, {"zip": 0, "age": 0})
    text = str(release)
    assert text.startswith("✓ The release of the example 'salary' meets every requirement.\n9 rows in 3 classes of zip")
    assert "100 % of the detail of the quasi-identifiers is kept." in text


def test_a_written_release_shows_the_figures_of_both_audits(tmp_path):
    release = salary()
    written = release.write(tmp_path / "out.csv")
    row = r"✓  t ≤ 0\.45  salary +0\.375 \(3/8\) +0\.375 \(3/8\)"
    assert re.search(row, release_text(release, written=written))
    data = json.loads(json.dumps(report_data(release, written)))
    VALIDATOR.validate(data)
    assert data["files"] == {
        "release": "out.csv",
        "recipe": "out.csv.recipe.json",
        "report": "out.csv.report.json",
    }
    assert str(tmp_path) not in json.dumps(data)
    html = fragment(release_document(release, written))
    harmless_tags_of(html)
    assert html.count("0.375 (3/8)") == 2


def test_levels_are_told_where_all_classes_share_them():
    release = salary(method="full-domain")
    assert re.search(r"Levels: zip \d, age \d\.", " ".join(str(release).split()))
    assert set(release.to_dict()["levels"]) == {"zip", "age"}


@pytest.mark.parametrize(
    ("wanted", "value", "expected"),
    [
        ({"t": "0.1"}, Fraction(3, 8), "0.375"),
        ({"t": "0.1"}, Fraction(1, 3), "0.3334"),
        ({"k": 5}, 2, "2"),
        ({"entropy-l": 3}, 2.99999, "2.9999"),
        ({"recursive": "2,2"}, Fraction(3), "3.0001"),
        ({"kl": "0.5"}, float("inf"), None),
    ],
)
def test_the_nearest_threshold_is_rounded_so_that_it_can_be_met(wanted, value, expected):
    found = obstacle(wanted, value)
    assert nearest(found) == expected
    if expected is not None:
        (requirement,) = requirements({found.requirement.model.key: _with(wanted, expected)})
        assert requirement.met_by(value)


def _with(wanted, threshold):
    """Return what was wanted with another threshold, its other numbers kept."""
    (numbers,) = wanted.values()
    return ",".join([threshold, *str(numbers).split(",")[1:]])


WAYS = [
    ({"coarser": True}, "Ask for that or allow coarser levels (--levels NAME=LEVELS)."),
    ({"suppress": Fraction(1, 3)}, "Ask for that or suppress up to 33.3 % of the rows (--suppress 0.3334)."),
    ({"coarser": True, "suppress": Fraction(1, 4)},
     ("Ask for that, allow coarser levels (--levels NAME=LEVELS), or suppress up to 25 % of the rows "
      "(--suppress 0.25).")),
]  # fmt: skip


@pytest.mark.parametrize(("ways", "sentence"), WAYS, ids=["coarser", "fewer", "both"])
def test_only_ways_that_lead_to_a_release_are_told(ways, sentence):
    stands = replace(obstacle({"t": "0.1"}, Fraction(37, 100)), **ways)
    with command_line():
        assert sentence in " ".join(str(without_release(stands)).split())


def test_ways_out_speak_python_in_python():
    stands = replace(obstacle({"t": "0.1"}, Fraction(37, 100)), coarser=True, suppress=Fraction(1, 4))
    text = " ".join(str(without_release(stands)).split())
    assert "allow coarser levels (levels=…), or suppress up to 25 % of the rows (suppress='0.25')" in text


def test_where_nothing_can_be_met_the_requirement_is_to_be_left_out():
    endless = obstacle({"delta": "0.5"}, float("inf"))
    assert "Leave that requirement out." in str(without_release(endless))
    text = " ".join(str(without_release(endless, obstacle({"t": "0.1"}, Fraction(1, 2)))).split())
    assert "there is no delta that can be met." in text
    assert "Leave what cannot be met out of the requirements." in text


def test_what_stands_in_the_way_is_told_in_words():
    release = without_release(obstacle({"t": {"pay": "0.1"}}, Fraction(37, 100)))
    text = release_text(release)
    assert text.startswith("✗ No release of people.csv meets its requirement.\n")
    assert "t ≤ 0.1 of pay: the nearest t that can be met is 0.37.\n" in text
    assert text.endswith("\nAsk for that.")
    VALIDATOR.validate(json.loads(release.to_json()))
    assert release.to_dict()["obstacles"][0]["class"] == {"zip": "476**"}
    assert "the nearest t that can be met is 0.37" in release._repr_html_()


def test_a_method_that_found_nothing_is_not_said_to_prove_anything():
    text = release_text(without_release(method="sabre"))
    assert text.startswith("✗ The method 'sabre' found no release of people.csv")
    assert "nearest" not in text


def test_an_infinite_figure_stands_in_the_way_and_is_valid_json():
    release = without_release(obstacle({"kl": "0.5"}, float("inf")))
    data = json.loads(release.to_json())
    VALIDATOR.validate(data)
    assert data["obstacles"][0]["best"] == {"value": None, "infinite": True}
    assert "there is no kl that can be met" in release_text(release)


@pytest.mark.parametrize("width", [40, 80, 120])
def test_text_is_never_too_wide(width):
    long = without_release(
        obstacle({"t": "0.1"}, Fraction(37, 100), {"a long name of a column": "value " * 20}), source="people " * 20
    )
    for text in (release_text(long, width), release_text(salary(), width), frontier_text(swept(), width)):
        assert max(map(len, text.splitlines())) <= width


def test_hostile_names_run_nothing_and_obey_no_terminal():
    release = without_release(obstacle({"t": {HOSTILE: "0.1"}}, Fraction(1, 2), {HOSTILE: HOSTILE}), source=HOSTILE)
    harmless_tags_of(release._repr_html_())
    harmless_tags_of(re.sub("<svg.*?</svg>", "", swept(source=HOSTILE)._repr_html_(), flags=re.S))
    assert "<script" not in frontier_picture(swept(source=HOSTILE))
    for text in (release_text(release), release.to_json(), frontier_text(swept(source=HOSTILE))):
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_colour_is_used_only_where_it_is_wanted():
    assert "\x1b[" in release_text(salary(), colour=True)
    assert "\x1b[" not in release_text(salary())
    assert "\x1b[" in frontier_text(swept(), colour=True)


def test_the_frontier_table_marks_the_best_and_shows_kept_detail():
    rows = [line.split() for line in frontier_text(swept()).splitlines() if line.startswith("t ≤")]
    assert [row[3:8] for row in rows] == [
        ["25", "%", "*", "20", "%"],
        ["50", "%", "*", "45", "%"],
        ["75", "%", "*", "70", "%"],
    ]


def test_a_search_without_release_is_a_dash_and_an_empty_cell():
    whole = swept()
    none = Point("gather", Fraction(1, 10), False, None, None, 0, 0)
    found = Frontier(**{**vars(whole), "points": (none, *whole.points[1:])})
    (first,) = [line.split() for line in frontier_text(found).splitlines() if line.startswith("t ≤ 0.1 ")]
    assert first[3:7] == ["–", "20", "%", "*"]
    assert "gather,0.1,false,,,0,0\n" in frontier_csv(found)
    assert "gather found no release for t ≤ 0.1." in frontier_picture(found)
    assert found.to_dict()["points"][0]["loss"] is None
    picture = ET.fromstring(frontier_picture(found))
    assert "t ≤ 0.1: no release" in picture.find(f"{SVG}desc").text


CASES = {
    "two methods": swept(),
    "every method": swept(("gather", "mondrian", "full-domain", "microaggregation", "sabre", "merge", "auto")),
    "another loss": swept(loss="dm"),
    "one threshold": swept(values=("0.2",)),
    "k": swept(values=("2", "10", "100"), sweep="k"),
    "hostile": swept(source=HOSTILE),
    "many thresholds": swept(values=[f"{at}/60" for at in range(1, 4)]),
}


@pytest.mark.parametrize("case", CASES)
def test_the_figure_is_a_whole_picture_that_asks_for_nothing(case):
    picture = frontier_picture(CASES[case])
    root = ET.fromstring(picture)
    assert root.get("role") == "img"
    name, desc = (root.find(SVG + tag) for tag in ("title", "desc"))
    assert root.get("aria-labelledby") == f"{name.get('id')} {desc.get('id')}"
    allowed = {SVG + tag for tag in "svg title desc style defs pattern rect line path circle g text".split()}  # noqa: SIM905
    assert {each.tag for each in root.iter()} <= allowed
    assert not [name for each in root.iter() for name in each.attrib if name.startswith("on") or "href" in name]
    assert all(method in desc.text for method in CASES[case].methods)
    assert picture == frontier_picture(CASES[case])
    width, height = map(float, root.get("viewBox").split()[2:])
    for each in root.iter(f"{SVG}text"):
        assert 0 <= float(each.get("x")) <= width
        assert 0 <= float(each.get("y")) <= height


def test_points_stand_where_their_numbers_say():
    """Kept detail of 25, 50 and 75 % has these shares of the height; from 0.2 to 0.4 is twice as far as from 0.1."""
    root = ET.fromstring(frontier_picture(swept()))
    lines = {float(each.get("y1")) for each in root.iter(f"{SVG}line") if each.get("class") == "tc-grid"}
    all_kept, *_, nothing_kept = sorted(lines)
    dots = [(float(each.get("cx")), float(each.get("cy"))) for each in root.iter(f"{SVG}circle")][:3]
    shares = [(nothing_kept - y) / (nothing_kept - all_kept) for _, y in dots]
    assert shares == pytest.approx([0.25, 0.5, 0.75], abs=1e-3)
    first, second, third = (x for x, _ in dots)
    assert (third - second) / (second - first) == pytest.approx(2, rel=1e-3)


def test_marks_of_equal_numbers_stand_beside_each_other():
    """Both methods keep the same at every threshold: without lanes each mark would hide another."""
    found = swept()
    alike = tuple(replace(each, loss=0.5, kept=0.5) for each in found.points)
    root = ET.fromstring(frontier_picture(replace(found, points=alike)))
    paths = [each.get("d") for each in root.iter(f"{SVG}path") if each.get("d").count("L") == len(found.thresholds) - 1]
    ways = [re.findall(r"([\d.]+),([\d.]+)", path) for path in paths]
    lines = [way for way in ways if len({y for _, y in way}) == 1]
    assert len(lines) == len(found.methods) == 2
    assert not {tuple(place) for place in lines[0]} & {tuple(place) for place in lines[1]}


def test_no_two_names_of_methods_lie_on_each_other():
    root = ET.fromstring(frontier_picture(CASES["every method"]))
    names = [each for each in root.iter(f"{SVG}text") if each.text in CASES["every method"].methods]
    places = sorted(float(each.get("y")) for each in names)
    assert len(places) == 7
    assert min(later - earlier for earlier, later in pairwise(places)) >= 15


def test_methods_are_told_apart_without_colour():
    """No two have markers of the same shape that are both full or both hollow."""
    parts = list(ET.fromstring(frontier_picture(CASES["every method"])))
    named = [at for at, part in enumerate(parts) if part.text in CASES["every method"].methods]
    looks = {marker_look(parts[at - 1], parts[at - 2]) for at in named}
    assert len(named) == len(looks) == 7


def marker_look(marker, line):
    """Return the shape of a marker about the middle of its line, and whether it is hollow."""
    numbers = [float(number) for number in re.findall(r"[\d.]+", marker.get("d", ""))]
    middle = ((float(line.get("x1")) + float(line.get("x2"))) / 2, float(line.get("y1")))
    shape = tuple(round(number - middle[at % 2]) for at, number in enumerate(numbers))
    return marker.tag, shape, marker.get("class") == "tc-node"


def test_a_notebook_shows_a_release_and_a_frontier():
    assert "<table" in salary()._repr_html_()
    assert "<svg" in swept()._repr_html_()
