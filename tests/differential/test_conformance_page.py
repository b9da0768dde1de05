"""docs/conformance.md says what tclose measures, and what pycanon measures; both are measured again here."""

import re
import sys
from pathlib import Path

import pytest

from shared_data import shared_file

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")

sys.path.insert(0, str(ROOT / "bench"))
import conformance  # noqa: E402 - bench/ is on the path now
import rivals  # noqa: E402


def said(title):
    """The rows of the table under a heading of the page."""
    section = PAGE.partition(f"## {title}\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (.+) \|$", section, re.M)
    return {name: cells.split(" | ") for name, cells in rows}


@pytest.fixture(params=conformance.CASES, ids=lambda case: case.title)
def case(request, monkeypatch):
    wanted = request.param
    if wanted.needs:
        monkeypatch.setenv("TCLOSE_DATA", str(shared_file(wanted.needs).parents[1]))
    return wanted


def test_the_page_has_the_figures_of_this_tclose(case):
    rows, mine = said(case.title), conformance.ours(case, case.frame())
    assert {name: cells[0] for name, cells in rows.items()} == {name: conformance.shown(mine[name]) for name in mine}


@pytest.mark.parametrize("case", [each for each in conformance.CASES if not each.needs], ids=lambda each: each.title)
def test_the_page_has_the_figures_of_pycanon_on_small_tables(case):
    rows, frame = said(case.title), case.frame()
    mine, theirs = conformance.ours(case, frame), conformance.pycanon(case, frame)
    expected = {name: conformance.compared("pycanon", name, mine[name], theirs.get(name)) for name in mine}
    assert {name: cells[1] for name, cells in rows.items()} == expected


def test_the_page_names_every_difference_with_its_definition():
    rows = [(name, cells) for case in conformance.CASES for name, cells in said(case.title).items()]
    differing = {(tool, name) for name, cells in rows for at, tool in ((1, "pycanon"), (2, "ARX")) if "≠" in cells[at]}
    assert differing == set(conformance.WHY)
    assert all(reason in PAGE for reason in conformance.WHY.values())


def test_the_page_has_the_figures_that_the_tests_of_sdcmicro_expect():
    assert rivals.published() in PAGE


@pytest.fixture
def adult(monkeypatch):
    monkeypatch.setenv("TCLOSE_DATA", str(shared_file("adult", "adult.csv").parents[1]))


def test_the_page_has_the_risks_that_the_tests_of_arx_expect(adult):
    assert rivals.risks_section() in PAGE


@pytest.mark.parametrize("optimum", rivals.OPTIMA, ids=lambda each: f"{each.loss} {dict(each.require)} {each.suppress}")
def test_the_page_has_the_best_releases_that_the_tests_of_arx_expect(adult, optimum):
    assert rivals.optimum_line(optimum) in PAGE


def test_a_figure_that_differs_for_no_reason_is_no_page():
    with pytest.raises(SystemExit, match=r"risk: 0\.5, the other tool has 0\.25"):
        rivals.told("risk", 0.5, 0.25)
    with pytest.raises(SystemExit, match=r"risk: 0\.5, the other tool has 0\.5"):
        rivals.told("risk", 0.5, 0.5, "another definition")


def test_a_difference_that_nobody_explained_is_no_page():
    with pytest.raises(SystemExit, match="ARX has 2 for k, not 3"):
        conformance.compared("ARX", "k", 3.0, 2.0)
