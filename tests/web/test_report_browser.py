"""The report in a real browser: it asks for nothing, fits every width, prints, and axe finds nothing."""

import re
from dataclasses import replace
from io import BytesIO

import pytest
from pypdf import PdfReader

import tclose
from web.browsing import axe

playwright = pytest.importorskip("playwright.sync_api")
HOSTILE = "</main></style><script>document.title='run'</script>\"'&"
LONG = "word_without_an_end_" * 15
BACKWARDS = "اسم المريض الكامل " * 4
OUTSIDE = """() => [...document.querySelectorAll("svg.tclose-figure")].flatMap(figure => {
  const frame = figure.getBoundingClientRect();
  return [...figure.querySelectorAll("text")].filter(text => {
    const at = text.getBoundingClientRect();
    return at.left < frame.left - 1 || at.right > frame.right + 1 || at.top < frame.top - 1
      || at.bottom > frame.bottom + 1;
  }).map(text => text.textContent);
})"""
LINES = """cells => cells.map(cell => {
  const all = document.createRange();
  all.selectNodeContents(cell);
  return all.getClientRects().length;
})"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Reports as files: an audit with explanations of hostile names, a redacted one, releases, and none."""
    folder = tmp_path_factory.mktemp("reports")
    audit = tclose.audit("example:salary", require={"k": 3, "t": "0.3"})
    release = tclose.anonymize("example:salary", require={"k": 3, "t": "0.45"}, hierarchies={"age": "flat"})
    none = tclose.anonymize(
        "example:salary", require={"t": "0.05"}, levels={"zip": 0, "age": 0}, hierarchies={"age": "flat"}
    )
    hostile = tclose.audit(
        {HOSTILE: [HOSTILE, "b"], "s": [HOSTILE, "y"]},
        tclose.Roles([HOSTILE], {"s": tclose.Nominal()}),
        require={"k": 2},
    )
    long = tclose.audit(
        {
            LONG: [LONG, "b c " * 50, BACKWARDS] * 4,
            BACKWARDS: ["x", "y", "z 😀"] * 4,
            "s": [LONG, BACKWARDS, "flu"] * 4,
        },
        tclose.Roles([LONG, BACKWARDS], {"s": tclose.Nominal()}),
        require={"k": 5, "t": "0.1", "alpha": "0.3"},
    )
    from tclose.auditing.explain import explain_failures
    from tclose.reports.content.audit_reports import audit_report
    from tclose.reports.content.explanations import explanation_documents
    from tclose.reports.formats.html import report

    pages = {
        "audit": report(audit_report(audit), explanation_documents(explain_failures(audit))),
        "redacted": audit.to_html(redact=True),
        "release": release.with_original().to_html(),
        "none": none.to_html(),
        "hostile": hostile.to_html(),
        "long": long.to_html(),
    }
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return folder


def opened(browser, reports, name, **context):
    page = browser.new_context(**context).new_page()
    asked, logged = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: logged.append(message.text))
    page.goto((reports / f"{name}.html").as_uri())
    assert [url for url in asked if not url.startswith("file:")] == []
    assert len(asked) == 1
    assert logged == []
    return page


NAMES = ("audit", "redacted", "release", "none", "hostile", "long")
COLOURS = {"runOnly": ["color-contrast"]}
LOOKED_AT = {375: {"light": {}, "dark": COLOURS}, 1024: {"light": COLOURS, "dark": {}}}
"""Every rule of axe at each width; colours, the one thing that another scheme changes, in both schemes there."""


@pytest.mark.parametrize("name", NAMES)
def test_a_report_asks_for_nothing_fits_every_window_and_axe_finds_nothing(browser, reports, name):
    page = opened(browser, reports, name, bypass_csp=True)
    assert page.title().startswith(("Privacy audit of", "Release of"))
    assert page.locator("h1").count() == page.locator("main").count() == 1
    page.add_script_tag(path=axe())
    for width in (375, 1024, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(OUTSIDE) == []
        for scheme, rules in LOOKED_AT.get(width, {}).items():
            page.emulate_media(color_scheme=scheme)
            found = page.evaluate("rules => axe.run(rules)", rules)
            grave = [(each["id"], each["impact"], each["nodes"][0]["html"]) for each in found["violations"]]
            assert (width, scheme, grave) == (width, scheme, [])
            assert "color-contrast" in {each["id"] for each in found["passes"]}


@pytest.mark.parametrize("name", ["audit", "release", "long"])
def test_paper_is_white_has_lines_to_sign_and_nothing_is_cut_off(browser, reports, name):
    page = opened(browser, reports, name, viewport={"width": 1024, "height": 900}, color_scheme="dark")
    assert not page.is_visible(".sign")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.is_visible(".sign")
    assert not page.is_visible("nav")
    ink = page.evaluate("getComputedStyle(document.querySelector('h2')).color")
    assert max(map(int, re.findall(r"\d+", ink))) < 64
    page.set_viewport_size({"width": 680, "height": 900})  # what A4 leaves between its margins
    assert page.evaluate("document.documentElement.scrollWidth") <= 680
    assert set(page.locator('[aria-label="What was required"] [data-name=found]').evaluate_all(LINES)) == {1}
    assert page.locator(".track span").evaluate_all(
        "bars => bars.every(bar => getComputedStyle(bar).printColorAdjust == 'exact')"
    )
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))
    assert 3 <= pages <= 20


def test_a_report_that_shows_single_people_says_on_every_page_that_it_is_confidential(browser, tmp_path):
    table = {"zip": ["A"] * 9 + ["B"], "pay": [*range(9), 99]}
    audit = tclose.audit(table, tclose.Roles(["zip"], {"pay": tclose.Ordered()}), require={"t": "0.1"})
    for name, found, expected in (("open", audit.with_people(), True), ("closed", audit, False)):
        page = replace(found, source='HOSTILE"}@page{<b>\\').to_html()
        (tmp_path / f"{name}.html").write_text(page, encoding="utf-8")
        printed = PdfReader(BytesIO(opened(browser, tmp_path, name).pdf(prefer_css_page_size=True)))
        assert len(printed.pages) > 2
        texts = [page.extract_text() for page in printed.pages]
        assert {"Confidential" in text for text in texts} == {expected}
        assert all("Privacy audit of HOSTILE" in text for text in texts)
        assert all(f"{at} / {len(texts)}" in text and "UTC" in text for at, text in enumerate(texts, start=1))


def test_wide_figures_can_be_scrolled_with_the_keyboard(browser, reports):
    page = opened(browser, reports, "audit", viewport={"width": 375, "height": 900})
    figure = page.locator("figure.wide").first
    figure.focus()
    page.keyboard.press("ArrowRight")
    playwright.expect(figure).not_to_have_js_property("scrollLeft", 0)  # asked again without eval, which reports forbid


@pytest.mark.parametrize(("theme", "machine"), [("light", "dark"), ("dark", "light")])
def test_in_a_notebook_figures_and_words_follow_its_theme_and_not_the_machine(browser, tmp_path, theme, machine):
    fragment = tclose.audit("example:salary")._repr_html_()
    light = str(theme == "light").lower()
    (tmp_path / "notebook.html").write_text(
        f'<!DOCTYPE html><meta charset="utf-8"><body data-jp-theme-light="{light}">{fragment}', encoding="utf-8"
    )
    page = opened(browser, tmp_path, "notebook", color_scheme=machine)
    drawn = page.evaluate("getComputedStyle(document.querySelector('.tclose-figure .tc-name')).fill")
    paper = page.evaluate("getComputedStyle(document.querySelector('.tclose-figure .tc-paper')).fill")
    written = page.evaluate("getComputedStyle(document.querySelector('.tclose h2')).color")
    brightness = [max(map(int, re.findall(r"\d+", colour))) for colour in (drawn, written, paper)]
    expected = [True, True, False] if theme == "dark" else [False, False, True]
    assert [each > 128 for each in brightness] == expected


LAB = """<style>
.jp-RenderedHTMLCommon td, .jp-RenderedHTMLCommon th, .jp-RenderedHTMLCommon tr { vertical-align: middle; }
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon :is(td, th, tr) { text-align: right; }
</style>"""
"""What JupyterLab says of the tables of every output."""


def test_in_a_notebook_words_in_tables_begin_where_their_titles_begin(browser, tmp_path):
    output = f'<body><div class="jp-RenderedHTMLCommon">{tclose.audit("example:salary")._repr_html_()}</div>'
    (tmp_path / "lab.html").write_text(f'<!DOCTYPE html><meta charset="utf-8">{LAB}{output}', encoding="utf-8")
    page = opened(browser, tmp_path, "lab")
    aligned = "[...document.querySelectorAll('.tclose :is(th, td)')].map((one) => getComputedStyle(one).textAlign)"
    assert {*page.evaluate(aligned)} == {"left"}


def test_in_a_notebook_the_earth_is_stepped_and_asks_for_nothing(browser, tmp_path):
    widget = tclose.explain("example:salary", attribute="salary")[0].animation("0.3")._repr_html_()
    text = f'<!DOCTYPE html><meta charset="utf-8"><body>{widget}{widget.replace("<svg ", "<svg data-second ")}'
    (tmp_path / "earth.html").write_text(text, encoding="utf-8")
    page = opened(browser, tmp_path, "earth", reduced_motion="reduce")
    failures = []
    page.on("pageerror", lambda problem: failures.append(str(problem)))
    page.reload()
    assert page.locator(".controls").count() == 2
    page.click("[data-control=step] >> nth=0")
    seen = "[...document.querySelectorAll('svg')].map((one) => one.getCurrentTime())"
    assert page.evaluate(seen) == [2, 0]
    assert failures == []
