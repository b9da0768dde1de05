"""Reports as PDF: what is printed, what it says of itself, and what happens where no browser prints."""

import os
import re
import socket
import stat
import sys
import tempfile
import time
from io import BytesIO
from pathlib import Path

import pytest
from pypdf import PdfReader

import tclose
from faces.hospital import POLICY, write_hospital
from tclose.errors import EngineFailedError, InputError
from tclose.printing import browsers, found_browser, pdf, printed
from web.browsing import chromium

TOP, BOTTOM = 842 - 48, 51
"""The margins of a sheet of A4, in points from its lower edge."""
LINE = 24
"""So many points a line takes with what is around it, a heading too."""
RELEASE = ("anonymize", "example:salary", "--k", 3, "--t", "0.45", "--hierarchy", "age=flat")


@pytest.fixture
def printer(monkeypatch):
    """Have the browser of the tests print."""
    monkeypatch.setenv(browsers.NAMED_BY, str(chromium()))


@pytest.fixture
def pretends(monkeypatch, tmp_path):
    """Have a program print that does what a text of Python says, with ``target`` where the PDF is expected."""

    def name(does):
        program = tmp_path / "programs" / "browser"
        program.parent.mkdir()
        head = "import pathlib, subprocess, sys, time\n"
        named = (
            'target = pathlib.Path(next(a for a in sys.argv if a.startswith("--print-to-pdf=")).partition("=")[2])\n'
        )
        program.write_text(f"#!{sys.executable}\n{head}{named}{does}\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv(browsers.NAMED_BY, str(program))
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "programs"))
        return program.parent

    return name


MANY = ",".join(f"s{at}" for at in range(40))


def many_attributes(folder):
    """Write a table of many sensitive attributes and return its path."""
    path = folder / "many.csv"
    rows = (f"{row % 2}," + ",".join(str(row * at % 3) for at in range(40)) for row in range(12))
    path.write_text("\n".join((f"zip,{MANY}", *rows)))
    return path


def texts_of(content):
    return [page.extract_text() for page in PdfReader(BytesIO(content)).pages]


def laid_out(content):
    """Return of each sheet between its margins: texts with their heights in points, and the heights of its headings."""
    read = PdfReader(BytesIO(content))
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


def is_alive(number):
    """Say whether a process runs; one that ended and waits to be buried does not."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    place = Path(f"/proc/{number}/stat")
    return not place.exists() or place.read_text().rpartition(")")[2].split()[0] != "Z"


def test_the_command_line_prints_what_the_page_says(printer, tmp_path, run):
    done = run("audit", "example:salary", "--k", 3, "--t", "0.3", "-o", tmp_path / "report.pdf")
    assert (done.code, done.out) == (1, "")
    texts = texts_of((tmp_path / "report.pdf").read_bytes())
    assert "The example 'salary' does not meet 2 of 3" in texts[0]
    assert all("Privacy audit of the example 'salary'" in text for text in texts)
    assert all(f"{at} / {len(texts)}" in text for at, text in enumerate(texts, start=1))
    assert "Signature of the approver" in texts[-1]


def test_a_release_is_told_on_paper_beside_it_and_printed_again_by_apply(printer, tmp_path, run):
    out, page = tmp_path / "out.csv", tmp_path / "report.PDF"
    done = run(*RELEASE, "-o", out, "--report", page)
    assert done.code == 0
    assert "report.PDF" in done.out
    first = texts_of(page.read_bytes())
    assert "meets every" in first[0]
    assert any("out.csv" in text for text in first)
    refused = run(*RELEASE, "-o", tmp_path / "other.csv", "--report", page)
    assert (refused.code, "--force" in refused.err) == (2, True)
    assert not (tmp_path / "other.csv").exists()
    table = tmp_path / "table.csv"
    table.write_text("zip,age,pay\n" + "".join(f"1{at % 3},{at},{at % 4}\n" for at in range(30)))
    roles = ("-q", "zip", "-q", "age", "-s", "pay:ordered")
    assert run("anonymize", table, *roles, "--k", 5, "--hierarchy", "zip=flat", "-o", tmp_path / "a.csv").code == 0
    again = ("apply", tmp_path / "a.csv.recipe.json", table, "-o", tmp_path / "b.csv", "--report", tmp_path / "b.pdf")
    assert run(*again).code == 0
    assert any("b.csv" in text for text in texts_of((tmp_path / "b.pdf").read_bytes()))


def test_what_other_thresholds_cost_is_told_on_paper_too(printer, tmp_path, run):
    page = tmp_path / "report.pdf"
    assert run(*RELEASE, "--report", page, "--frontier", "--effort", 0).code == 0
    assert any("What other thresholds would cost" in text for text in texts_of(page.read_bytes()))


@pytest.mark.parametrize("report", ["audit", "release", "release by a policy", "many attributes"])
def test_sheets_are_filled_and_no_heading_is_the_last_thing_on_one(report, printer, tmp_path, run):
    page, out = tmp_path / "report.pdf", tmp_path / "out.csv"
    if report == "audit":
        run("audit", "example:salary", "--k", 3, "--t", "0.3", "-o", page)
    elif report == "release":
        run(*RELEASE, "-o", out, "--report", page)
    elif report == "release by a policy":
        write_hospital(tmp_path)
        (tmp_path / "tclose.toml").write_text(POLICY)
        run("anonymize", "--policy", tmp_path / "tclose.toml", "-o", out, "--report", page)
    else:
        run("audit", many_attributes(tmp_path), "-q", "zip", "-s", MANY, "--t", "0.3", "-o", page)
    sheets = laid_out(page.read_bytes())
    for texts, headings in sheets:
        lowest = min(height for height, _ in texts)
        assert all(lowest < heading - LINE for heading in headings)
    for texts, _ in sheets[:-1]:
        assert (TOP - min(height for height, _ in texts)) / (TOP - BOTTOM) > 3 / 5


def test_a_long_table_goes_on_below_its_titles(printer, tmp_path, run):
    page = tmp_path / "report.pdf"
    run("audit", many_attributes(tmp_path), "-q", "zip", "-s", MANY, "--t", "0.3", "-o", page)
    sheets = [texts for texts, _ in laid_out(page.read_bytes())]
    rows = [sum(text.startswith("t-closeness: t") for _, text in texts) for texts in sheets]
    first, *others = [texts for texts, held in zip(sheets, rows, strict=True) if held]
    assert sum(rows) == len(MANY.split(","))
    assert any(text == "verdict" for _, text in first)
    assert others
    for texts in others:
        highest = max(height for height, _ in texts)
        assert "verdict" in {text for height, text in texts if height > highest - LINE}


def test_a_pdf_says_of_itself_its_title_and_nothing_else(printer):
    content = printed(tclose.audit("example:salary").to_html())
    read = PdfReader(BytesIO(content), strict=True)
    assert dict(read.metadata) == {"/Title": "Privacy audit of the example 'salary'"}
    assert read.xmp_metadata is None
    for word in (b"Chrom", b"Skia", b"Mozilla", b"CreationDate", tempfile.gettempdir().encode()):
        assert word not in content
    assert {(round(float(page.mediabox.width)), round(float(page.mediabox.height))) for page in read.pages} == {
        (595, 842)  # A4
    }
    assert read.trailer["/Root"]["/MarkInfo"]["/Marked"]
    assert [entry.title for entry in read.outline if not isinstance(entry, list)]


def test_a_page_of_whoever_wrote_the_template_asks_for_nothing_from_elsewhere(printer):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        addresses = [f"http://{host}:{server.getsockname()[1]}/secret.png" for host in ("127.0.0.1", "localhost")]
        wanted = "".join(f'<img src="{address}"><script src="{address}"></script>' for address in addresses)
        assert texts_of(printed(f"<!DOCTYPE html><title>a</title><p>said{wanted}"))[0].strip() == "said"
        with pytest.raises(BlockingIOError):
            server.accept()


def test_letters_that_no_encoding_has_are_printed_as_their_code(printer):
    assert "\\udcff" in texts_of(printed("<!DOCTYPE html><title>a</title><p>x\udcffy"))[0]


@pytest.mark.parametrize("asked", [("audit", "example:salary", "-o"), (*RELEASE, "--report")])
def test_without_a_browser_a_pdf_is_refused_before_any_work(asked, monkeypatch, tmp_path, run):
    monkeypatch.setenv(browsers.NAMED_BY, str(tmp_path / "none"))
    for verb in ("tclose.auditing.audit", "tclose.anonymizing.anonymize"):
        monkeypatch.setattr(verb, lambda *_given, **_named: pytest.fail("worked"))
    done = run(*asked, tmp_path / "report.pdf")
    assert done.code == 2
    assert "Chromium, Chrome or Edge" in done.err
    assert browsers.NAMED_BY in done.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "does",
    [
        "sys.exit(1)",
        "pass",
        "target.write_bytes(b'no PDF')",
        "target.write_bytes(b'%PDF-1.4 and cut off')",
    ],
)
def test_a_browser_that_prints_nothing_good_ends_in_words_and_leaves_nothing(does, pretends, tmp_path, run):
    programs = pretends(does)
    done = run(*RELEASE, "-o", tmp_path / "out.csv", "--report", tmp_path / "report.pdf")
    assert done.code == 3
    assert "made no PDF" in done.err
    assert [file.name for file in tmp_path.iterdir()] == ["programs"]
    assert list(programs.rglob("report.*")) == []


def test_a_browser_that_does_not_start_ends_in_words(pretends):
    programs = pretends("")
    (programs / "browser").write_text("#!/no/such/program\n")
    with pytest.raises(EngineFailedError, match="does not start"):
        printed("<p>a")


def test_a_browser_that_takes_too_long_is_ended_with_all_that_it_started(pretends, monkeypatch, tmp_path):
    told = tmp_path / "child"
    sleeper = "[sys.executable, '-c', 'import time; time.sleep(600)']"
    programs = pretends(
        f"child = subprocess.Popen({sleeper})\npathlib.Path({str(told)!r}).write_text(str(child.pid))\ntime.sleep(600)"
    )
    limit = iter(lambda: told.exists() and bool(told.read_text()), True)  # until the child was started
    monkeypatch.setattr(pdf, "_looks", lambda: limit)
    with pytest.raises(EngineFailedError, match="longer than 120 s"):
        printed("<p>a")
    child = int(told.read_text())
    while is_alive(child):
        time.sleep(0.01)
    assert list(programs.rglob("report.*")) == []


def test_who_asked_may_leave_while_a_browser_prints(pretends, monkeypatch):
    programs = pretends("time.sleep(600)")
    monkeypatch.setattr(pdf, "_wait", lambda _process: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        printed("<p>a")
    assert list(programs.rglob("report.*")) == []


@pytest.mark.parametrize(
    ("platform", "surroundings", "place"),
    [
        ("darwin", {}, "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
        ("win32", {"PROGRAMFILES": "/programs"}, "/programs/Microsoft/Edge/Application/msedge.exe"),
        ("linux", {}, "google-chrome-stable"),
    ],
)
def test_a_browser_is_found_where_a_system_keeps_it(platform, surroundings, place, monkeypatch):
    monkeypatch.delenv(browsers.NAMED_BY, raising=False)
    for name, value in surroundings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(browsers.sys, "platform", platform)
    monkeypatch.setattr(browsers.shutil, "which", lambda name: name if name == place else None)
    assert found_browser() == place


def test_a_browser_that_is_named_and_not_there_means_none(monkeypatch):
    monkeypatch.setenv(browsers.NAMED_BY, "no-such-program")
    assert found_browser() is None
    with pytest.raises(InputError, match=re.escape("print it to a PDF")):
        pdf.printer()
