"""Reports printed from a browser: what stands on the sheets, and how they are filled."""

from io import BytesIO

import pytest
from pypdf import PdfReader

from faces.hospital import POLICY, write_hospital
from tclose.cli import outcome

TOP, BOTTOM = 842 - 48, 51
"""The margins of a sheet of A4, in points from its lower edge."""
LINE = 24
"""So many points a line takes with what is around it, a heading too."""
AUDIT = ("audit", "example:salary", "--k", "3", "--t", "0.3")
RELEASE = ("anonymize", "example:salary", "--k", "3", "--t", "0.45", "--hierarchy", "age=flat")


@pytest.fixture
def printed(browser, tmp_path):
    """Run a command that writes a report as HTML, and print the report from a browser."""

    def run(*arguments, option="--report"):
        file = tmp_path / "report.html"
        assert outcome([*map(str, arguments), option, str(file), "--quiet"]) < 2
        page = browser.new_page()
        page.goto(file.as_uri())
        content = page.pdf(prefer_css_page_size=True, outline=True, tagged=True)
        page.close()
        return PdfReader(BytesIO(content))

    return run


MANY = ",".join(f"s{at}" for at in range(40))


def many_attributes(folder):
    """Write a table of many sensitive attributes and return its path."""
    path = folder / "many.csv"
    rows = (f"{row % 2}," + ",".join(str(row * at % 3) for at in range(40)) for row in range(12))
    path.write_text("\n".join((f"zip,{MANY}", *rows)))
    return path


def texts_of(read):
    return [page.extract_text() for page in read.pages]


def laid_out(read):
    """Return of each sheet between its margins: texts with their heights in points, and the heights of its headings."""
    headings = [[] for _ in read.pages]
    for entry in every_entry(read.outline):
        headings[read.get_destination_page_number(entry)].append(float(entry.top))
    return [(texts_between_margins(page), tops) for page, tops in zip(read.pages, headings, strict=True)]


def every_entry(outline):
    for entry in outline:
        yield from every_entry(entry) if isinstance(entry, list) else [entry]


def texts_between_margins(page):
    found = []

    def visit(text, ours, theirs, _font, _size):
        height = theirs[4] * ours[1] + theirs[5] * ours[3] + ours[5]
        if text.strip() and BOTTOM < height < TOP:
            found.append((height, text.strip()))

    page.extract_text(visitor_text=visit)
    return found


def test_a_sheet_says_what_the_page_says_and_which_it_is(printed):
    texts = texts_of(printed(*AUDIT, option="-o"))
    assert "The example 'salary' does not meet 2 of 3" in texts[0]
    assert all("Privacy audit of the example 'salary'" in text for text in texts)
    assert all(f"{at} / {len(texts)}" in text for at, text in enumerate(texts, start=1))
    assert "Signature of the approver" in texts[-1]


def test_a_report_is_printed_on_a4_with_its_title_and_its_headings(printed):
    read = printed(*AUDIT, option="-o")
    assert read.metadata.title == "Privacy audit of the example 'salary'"
    assert {(round(float(page.mediabox.width)), round(float(page.mediabox.height))) for page in read.pages} == {
        (595, 842)
    }
    assert [entry.title for entry in read.outline if not isinstance(entry, list)]


def test_a_release_is_told_on_paper_with_what_other_thresholds_cost(printed, tmp_path):
    texts = texts_of(printed(*RELEASE, "-o", tmp_path / "out.csv", "--frontier", "--effort", 0))
    assert "meets every" in texts[0]
    assert any("out.csv" in text for text in texts)
    assert any("What other thresholds would cost" in text for text in texts)


@pytest.mark.parametrize("report", ["audit", "release", "release by a policy", "many attributes"])
def test_sheets_are_filled_and_no_heading_is_the_last_thing_on_one(report, printed, tmp_path):
    out = tmp_path / "out.csv"
    if report == "audit":
        read = printed(*AUDIT, option="-o")
    elif report == "release":
        read = printed(*RELEASE, "-o", out)
    elif report == "release by a policy":
        write_hospital(tmp_path)
        (tmp_path / "tclose.toml").write_text(POLICY)
        read = printed("anonymize", "--policy", tmp_path / "tclose.toml", "-o", out)
    else:
        read = printed("audit", many_attributes(tmp_path), "-q", "zip", "-s", MANY, "--t", "0.3", option="-o")
    sheets = laid_out(read)
    for texts, headings in sheets:
        lowest = min(height for height, _ in texts)
        assert all(lowest < heading - LINE for heading in headings)
    for texts, _ in sheets[:-1]:
        assert (TOP - min(height for height, _ in texts)) / (TOP - BOTTOM) > 3 / 5


def test_a_long_table_goes_on_below_its_titles(printed, tmp_path):
    read = printed("audit", many_attributes(tmp_path), "-q", "zip", "-s", MANY, "--t", "0.3", option="-o")
    sheets = [texts for texts, _ in laid_out(read)]
    rows = [sum(text.startswith("t-closeness: t") for _, text in texts) for texts in sheets]
    first, *others = [texts for texts, held in zip(sheets, rows, strict=True) if held]
    assert sum(rows) == len(MANY.split(","))
    assert any(text == "verdict" for _, text in first)
    assert others
    for texts in others:
        highest = max(height for height, _ in texts)
        assert "verdict" in {text for height, text in texts if height > highest - LINE}
