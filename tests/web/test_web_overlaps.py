"""Actions that overlap in a real browser: whatever is slow, the page ends well, and is never green meanwhile."""

import errno
import os
import threading
from contextlib import contextmanager

import pytest

from tclose.errors import InputError
from tclose.web import api, downloads, work
from web.browsing import PATIENCE, hint, require, settled, watched

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect


@pytest.fixture
def slow(monkeypatch):
    """Give what makes a kind of work wait, once it is begun, until it is let go; all of it, or the first alone."""
    opened = []

    def held(kind, *, first=False):
        usual, gate, begun = work.KINDS[kind], threading.Event(), threading.Event()
        opened.append(gate)

        def waits(table, asked, job):
            if not (first and begun.is_set()):
                begun.set()
                while not gate.wait(0.02):
                    job.tell("Held by the test", None)
            return usual(table, asked, job)

        monkeypatch.setitem(work.KINDS, kind, waits)
        return gate

    yield held
    for gate in opened:
        gate.set()


def open_salary(page):
    page.click("[data-example=salary]")
    page.wait_for_selector(".column")


def open_measured(page):
    open_salary(page)
    settled(page)


def newest(page, server, kind):
    """Return the id of the job of a kind that a page waits for."""
    table = page.evaluate("sessionStorage.getItem('tclose-table')")
    return server.client.get(f"/api/tables/{table}").json()["jobs"][kind]


@contextmanager
def watched_for_refusals(browser, server):
    """Give a page that may log that a request was refused, as browsers do, and no error of its own."""
    view = browser.new_context(accept_downloads=True)
    page, problems = view.new_page(), []
    page.set_default_timeout(PATIENCE)
    page.on("pageerror", lambda problem: problems.append(str(problem)))
    page.goto(server.door.address)
    yield page
    assert problems == []
    view.close()


def has_ended(told):
    """Say whether an answer tells that a job will go no further."""
    return told.request.method == "GET" and told.json().get("state") in ("done", "cancelled")


def start_release(page):
    page.click("#step-release")
    page.click("#release-start")


def test_a_release_that_is_done_before_the_figures_does_not_keep_them_away(browser, server, slow):
    figures = slow("audit")
    with watched(browser, server) as page:
        open_salary(page)
        require(page, "0.45")
        start_release(page)
        page.wait_for_selector('[data-file="release.csv"]')
        hint(page, "Next: Wait for the figures.")
        figures.set()
        hint(page, "Next: Take the package away.")


def test_a_release_waits_for_hierarchies_that_are_on_their_way_and_can_be_cancelled_meanwhile(browser, server, slow):
    looks = slow("hierarchies")
    with watched(browser, server) as page:
        open_salary(page)
        require(page, "0.45")
        start_release(page)
        page.click("#release-outcome [data-cancel]")
        expect(page.locator("#release-outcome")).to_have_text("Cancelled. Nothing was kept.")
        page.click("#release-start")
        page.wait_for_selector("#release-outcome progress")
        looks.set()
        page.wait_for_selector('[data-file="release.csv"]')
        hint(page, "Next: Take the package away.")


def test_figures_that_arrive_after_a_change_are_not_taken_for_those_of_what_is_set(browser, server, slow):
    figures = slow("audit", first=True)
    with watched(browser, server) as page:
        open_salary(page)
        page.wait_for_selector("#stage >> text=Held by the test")
        page.evaluate("""() => {
            const usual = window.setTimeout;
            window.setTimeout = (task, wait, ...given) => (wait === 200 ? 0 : usual(task, wait, ...given));
        }""")  # what was changed is not measured while the test looks
        with page.expect_response(has_ended):  # the change itself may stop the work
            require(page, "0.45")
            figures.set()
        page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
        assert page.get_attribute(".workbench", "data-stale") == "true"
        hint(page, "Next: Wait for the figures.")


def test_work_that_the_server_stopped_is_said_to_be_stopped_and_can_be_done_again(browser, server, slow):
    figures = slow("audit")
    with watched(browser, server) as page:
        open_salary(page)
        page.wait_for_selector("#stage >> text=Held by the test")
        server.client.delete(f"/api/jobs/{newest(page, server, 'audit')}")
        expect(page.locator(".panel-figures .verdict")).to_contain_text("The server stopped this work")
        hint(page, "Next: See why the table cannot be measured.")
        figures.set()
        page.click("#measure-again")
        settled(page)
        hint(page, "Next: Make a release that meets what is required.")


def test_a_release_in_the_making_is_not_done_because_another_was(browser, server, slow):
    with watched(browser, server) as page:
        open_measured(page)
        require(page, "0.45")
        settled(page)
        start_release(page)
        hint(page, "Next: Take the package away.")
        second = slow("anonymize")
        page.click("#release-start")
        page.wait_for_selector("#release-outcome progress")
        hint(page, "Next: Make a release that meets what is required.")
        page.reload()
        page.wait_for_selector("#release-outcome progress")
        second.set()
        hint(page, "Next: Take the package away.")


def test_what_is_taken_back_during_a_release_makes_it_one_of_other_settings(browser, server, slow):
    with watched(browser, server) as page:
        open_measured(page)
        require(page, "0.45")
        settled(page)
        release = slow("anonymize")
        start_release(page)
        page.wait_for_selector("#release-outcome >> text=Held by the test")
        page.click("#undo")
        release.set()
        page.wait_for_selector("#release-outcome .verdict.stale")
        expect(page.locator("#release-stale")).to_contain_text("Made for k ≥ 3 and t ≤ 0.45, not for what is set now.")
        expect(page.locator("#step-release")).not_to_contain_text("done")


def test_a_look_at_a_hierarchy_that_was_replaced_meanwhile_is_not_shown(browser, server, slow):
    looks = slow("hierarchies", first=True)
    with watched(browser, server) as page:
        open_measured(page)
        page.click("#column-age")
        page.select_option("#hierarchy-age", "mask")
        page.click("#step-release")
        expect(page.locator("#level-age")).to_have_attribute("max", "4")
        looks.set()
        expect(page.locator("#level-zip")).to_be_visible()
        expect(page.locator("#level-age")).to_have_attribute("max", "4")


def test_levels_that_cannot_be_measured_leave_no_green_figures_of_others(browser, server, monkeypatch):
    with watched(browser, server) as page:
        open_measured(page)
        page.click("#step-release")
        page.wait_for_selector('.level-figures:not([aria-busy]) [data-level-figure="k"]')

        def broken(table, asked, job):
            raise InputError("The test does not measure this.")

        monkeypatch.setitem(work.KINDS, "levels", broken)
        require(page, "0.45")
        page.wait_for_selector("text=The test does not measure this.")
        expect(page.locator(".level-figures")).to_be_empty()


def test_a_first_impression_is_no_verdict_and_goes_when_all_rows_are_counted(browser, server, slow, monkeypatch):
    monkeypatch.setattr(api, "LARGE", 9)
    figures = slow("audit")
    with watched(browser, server) as page:
        open_salary(page)
        impression = page.locator("#impression")
        expect(impression).to_contain_text("From a sample of 9 rows; the whole is being counted")
        hint(page, "Next: Wait for the figures.")
        words = impression.locator(".verdict")
        assert words.evaluate("(one) => getComputedStyle(one).opacity") == "1"  # it is not of other settings
        assert page.locator(".panel-figures .holds, .panel-figures .fails, .panel-figures [data-file]").count() == 0
        assert not {"✓", "✗"} & set(page.inner_text(".panel-figures"))
        require(page, "0.45")
        expect(impression).to_have_count(0)  # it was of other settings
        expect(impression).to_be_visible()
        figures.set()
        settled(page)
        expect(impression).to_have_count(0)
        assert page.inner_text('[data-figure="t-salary"]') == "0.375"


def test_a_file_that_cannot_be_taken_away_says_why_below_its_button(browser, server, monkeypatch):
    def full(kept, name, about):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with watched_for_refusals(browser, server) as page:
        open_measured(page)
        monkeypatch.setattr(downloads, "download", full)
        page.click('[data-file="audit.html"]')
        expect(page.locator(".of-actions")).to_have_text(
            "The system refused: No space left on device. Nothing was kept."
        )
        monkeypatch.undo()
        with page.expect_download():
            page.click('[data-file="audit.html"]')
        expect(page.locator(".of-actions")).to_have_count(0)
