"""The report in a real browser: it asks for nothing, fits every width, prints, and axe finds nothing."""

import re

import pytest
from browsing import FLAGS, axe, chromium

import tclose

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
def browser():
    path = chromium()
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=path, args=list(FLAGS))
        yield found
        found.close()


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
    from tclose.explaining import explain_failures
    from tclose.render.report import report_html

    pages = {
        "audit": report_html(audit, explained=explain_failures(audit)),
        "redacted": audit.to_html(redact=True),
        "release": release.to_html(),
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


@pytest.mark.parametrize("width", [375, 1024, 1920])
@pytest.mark.parametrize("name", NAMES)
def test_a_report_asks_for_nothing_and_fits_the_window(browser, reports, name, width):
    page = opened(browser, reports, name, viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.title().startswith(("Privacy audit of", "Release of"))
    assert page.locator("h1").count() == page.locator("main").count() == 1
    assert page.evaluate(OUTSIDE) == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [375, 1024])
@pytest.mark.parametrize("name", NAMES)
def test_axe_finds_nothing(browser, reports, name, width, scheme):
    page = opened(
        browser, reports, name, viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True
    )
    page.add_script_tag(path=axe())
    found = page.evaluate("axe.run()")
    assert [(each["id"], each["impact"], each["nodes"][0]["html"]) for each in found["violations"]] == []
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
    assert set(page.locator(".required td.found").evaluate_all(LINES)) == {1}
    assert page.locator(".track span").evaluate_all(
        "bars => bars.every(bar => getComputedStyle(bar).printColorAdjust == 'exact')"
    )
    pages = len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True)))
    assert 3 <= pages <= 20


def test_wide_figures_can_be_scrolled_with_the_keyboard(browser, reports):
    page = opened(browser, reports, "audit", viewport={"width": 375, "height": 900})
    figure = page.locator("figure.wide").first
    figure.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0", timeout=5000)


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
