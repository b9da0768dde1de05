"""The whole path by keyboard alone: Tab order follows it, focus is seen and comes back, and nothing holds it."""

import pytest

from web.browsing import settled, watched

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
MOST_STOPS = 150
WHOLE = ("BODY", "MAIN")
AT = """() => {
    const at = document.activeElement;
    const ringed = (element) => {
        const style = element && getComputedStyle(element);
        const outlined = style && style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
        return Boolean(style) && (outlined || style.boxShadow !== "none");
    };
    const place = at.getBoundingClientRect();
    const seen = ringed(at) || ringed(at.closest("label"));
    return { tag: at.tagName, id: at.id, seen, room: place.width * place.height > 0 };
}"""
WITHIN = "document.activeElement === document.body || Boolean(document.activeElement.closest('dialog'))"
PLACE = "(parts) => parts.findLastIndex((part) => document.activeElement.closest(part))"


def stop(page):
    """Return where the focus is; it must be seen there, unless it is on the page as a whole."""
    at = page.evaluate(AT)
    assert at["tag"] in WHOLE or (at["seen"] and at["room"]), at
    return at


def tab_to(page, selector, key="Tab"):
    """Press Tab until an element has the focus."""
    for _ in range(MOST_STOPS):
        page.keyboard.press(key)
        stop(page)
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            return
    pytest.fail(f"{key} does not reach {selector}")


def has_focus(page, selector):
    expect(page.locator(selector)).to_be_focused()


def opened(page):
    tab_to(page, "[data-example=salary]")
    page.keyboard.press("Enter")
    page.wait_for_selector(".column")
    settled(page)


def test_the_path_is_walked_from_opening_to_handing_over(browser, server):
    with watched(browser, server) as page:
        opened(page)
        tab_to(page, "#column-zip")
        page.keyboard.press("Enter")
        expect(page.locator("#column-zip")).to_have_attribute("aria-expanded", "true")
        has_focus(page, "#column-zip")
        tab_to(page, "#role-age")
        page.keyboard.type("Publish")
        expect(page.locator("[data-column=age]")).to_have_attribute("data-role", "publish")
        has_focus(page, "#role-age")
        page.keyboard.press("Control+z")
        expect(page.locator("[data-column=age]")).to_have_attribute("data-role", "quasi-identifier")
        tab_to(page, "#threshold-t-")
        page.keyboard.press("Control+a")
        page.keyboard.type("0.45")
        page.keyboard.press("Enter")
        settled(page)
        tab_to(page, "#tab-figures", "Shift+Tab")
        page.keyboard.press("ArrowRight")
        has_focus(page, "#tab-classes")
        tab_to(page, ".grid")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_selector(".player")
        tab_to(page, "[data-control=step]")
        page.keyboard.press("Space")
        page.wait_for_selector('.player[data-at="1"]')
        has_focus(page, "[data-control=step]")
        tab_to(page, "#step-release", "Shift+Tab")
        page.keyboard.press("Enter")
        tab_to(page, "#level-age", "Shift+Tab" if page.evaluate("document.activeElement.id === 'method'") else "Tab")
        page.keyboard.press("ArrowRight")
        expect(page.locator("#level-age")).to_have_value("1")
        tab_to(page, "#release-start")
        page.keyboard.press("Enter")
        page.wait_for_selector('[data-file="release.zip"]')
        tab_to(page, '[data-file="release.zip"]')
        with page.expect_download():
            page.keyboard.press("Enter")
        expect(page.locator("#step-hint")).to_have_text("Everything is done.")


def test_what_was_just_set_in_a_field_is_taken_back_from_there_and_letters_on_their_way_are_not(browser, server):
    with watched(browser, server) as page:
        opened(page)
        threshold = page.locator("#threshold-k-")
        threshold.fill("7")
        page.keyboard.press("Enter")
        expect(page.locator("#undo")).to_be_enabled()
        page.keyboard.type("8")
        page.keyboard.press("Control+z")
        expect(threshold).to_have_value("7")
        page.keyboard.press("Tab")
        page.keyboard.press("Shift+Tab")
        has_focus(page, "#threshold-k-")
        threshold.fill("9")
        page.keyboard.press("Enter")
        page.keyboard.press("Control+z")
        expect(threshold).to_have_value("7")
        page.keyboard.press("Control+z")
        expect(threshold).to_have_value("3")
        page.keyboard.press("Control+Shift+Z")
        expect(threshold).to_have_value("7")


def test_what_opens_is_closed_by_escape_and_the_focus_comes_back(browser, server):
    with watched(browser, server) as page:
        opened(page)
        tab_to(page, '[aria-label="What is t-closeness?"]')
        page.keyboard.press("Enter")
        page.wait_for_selector(".meaning:popover-open")
        page.keyboard.press("Escape")
        expect(page.locator(".meaning:popover-open")).to_have_count(0)
        has_focus(page, '[aria-label="What is t-closeness?"]:focus')
        tab_to(page, "#as-command")
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog[open]")
        for _ in range(6):
            page.keyboard.press("Tab")
            assert page.evaluate(
                "document.activeElement === document.body || Boolean(document.activeElement.closest('dialog'))"
            )
        page.keyboard.press("Escape")
        has_focus(page, "#as-command")
        tab_to(page, "#threshold-t-", "Shift+Tab")
        page.keyboard.press("Control+a")
        page.keyboard.type("0.45")
        page.keyboard.press("Enter")
        tab_to(page, "#step-release", "Shift+Tab")
        page.keyboard.press("Enter")
        tab_to(page, "#release-start")
        page.keyboard.press("Enter")
        page.wait_for_selector('[data-file="release.csv"]')
        page.keyboard.press("Control+z")
        page.wait_for_selector("#release-stale")
        tab_to(page, '[data-file="release.csv"]')
        page.keyboard.press("Enter")
        page.wait_for_selector("dialog[open]")
        page.keyboard.press("Escape")
        has_focus(page, '[data-file="release.csv"]')


@pytest.mark.parametrize("view", ["figures", "classes", "repair"])
def test_tab_goes_through_the_page_in_the_order_of_the_path_and_out_at_its_end(browser, server, view):
    panels = {"figures": "#panel-figures", "classes": "#panel-classes", "repair": "#panel-repair"}
    wanted = ["#top", ".path", ".tabs", "#panel-columns", "[aria-labelledby=requirements-title]", panels[view]]
    with watched(browser, server) as page:
        opened(page)
        tab_to(page, "#tab-figures", "Shift+Tab" if page.evaluate("document.activeElement.id !== 'main'") else "Tab")
        for _ in range(["figures", "classes", "repair"].index(view)):
            page.keyboard.press("ArrowRight")
        page.evaluate("() => { document.activeElement.blur(); getSelection().removeAllRanges(); }")
        page.evaluate("() => { const first = document.querySelector('.skip'); first.focus(); }")
        met = []
        for _ in range(MOST_STOPS):
            page.keyboard.press("Tab")
            if stop(page)["tag"] in WHOLE or page.evaluate("document.activeElement.matches('.skip')"):
                break  # out of the page, or around to its first stop, as the browser has it
            met.append(page.evaluate(PLACE, wanted))
        else:
            pytest.fail("Tab never leaves the page")
        assert -1 not in met
        assert met == sorted(met)
        assert set(met) == set(range(len(wanted)))
