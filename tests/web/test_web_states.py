"""States that nobody may mistake, in a real browser: after errors, reloads, a second tab, and a restarted server."""

import pytest

from web.browsing import hint, require, settled, watched

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect


def opened(page, example="salary"):
    page.click(f"[data-example={example}]")
    page.wait_for_selector(".column")
    settled(page)


def released(page):
    page.click("#step-release")
    page.click("#release-start")
    page.wait_for_selector('[data-file="release.zip"]')


def test_findings_are_not_done_and_no_classes_are_shown_where_the_last_measurement_failed(browser, server):
    with watched(browser, server) as page:
        opened(page)
        page.click("#tab-classes")
        page.click(".grid-rows .grid-row >> nth=0")
        page.wait_for_selector(".player")
        require(page, "abc")
        hint(page, "Next: See why the table cannot be measured.")
        expect(page.locator("#step-findings")).not_to_contain_text("done")
        expect(page.locator(".grid-rows .grid-row")).to_have_count(0)
        expect(page.locator(".player")).to_have_count(0)
        page.click("#undo")
        hint(page, "Next: Make a release that meets what is required.")
        expect(page.locator(".grid-rows .grid-row")).to_have_count(3)


def test_what_was_handed_over_stays_so_after_a_reload_and_no_longer_when_it_is_of_other_settings(browser, server):
    with watched(browser, server) as page:
        opened(page)
        require(page, "0.45")
        settled(page)
        released(page)
        with page.expect_download():
            page.click('[data-file="release.zip"]')
        hint(page, "Everything is done.")
        page.reload()
        hint(page, "Everything is done.")
        require(page, "0.44")
        hint(page, "Next: Make a release that meets what is required.")
        page.click("#undo")
        hint(page, "Everything is done.")
        page.click("#release-start")
        hint(page, "Next: Take the package away.")
