"""States that nobody may mistake, in a real browser: after errors, reloads, a second tab, and a restarted server."""

import pytest

from web.browsing import hint, require, settled, watched
from web.serving import running

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
READ = """() => [...document.querySelectorAll(".table-name, .unfold .label")].map(
    (part) => [part.textContent, part.scrollWidth, part.clientWidth, part.scrollHeight, part.clientHeight])"""
GIVE = """async () => {
    const store = await import("/static/store.js");
    store.change(({ columns }) => {
        for (const [at, name] of Object.keys(columns).entries()) {
            columns[name] = { role: at === 3 ? "sensitive" : "quasi-identifier" };
        }
    });
    store.tell("roles");
}"""


def quoted(names):
    return ",".join('"' + name.replace('"', '""') + '"' for name in names)


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


def test_a_server_that_was_started_again_is_entered_in_the_same_tab_by_its_new_address(browser):
    with running() as first:
        page = browser.new_context().new_page()
        page.goto(first.door.address)
        opened(page)
        port = first.door.port
    require(page, "0.45")
    expect(page.locator(".panel-figures .verdict h2")).to_have_text("The server is gone")
    with running(port=port) as second:
        page.click("#measure-again")
        expect(page.locator(".panel-figures .verdict h2")).to_have_text("The server was started again")
        page.goto(second.door.address)
        opened(page)
    page.context.close()


@pytest.mark.parametrize("width", [360, 768, 1280, 1920])
def test_the_name_of_the_file_and_of_every_column_can_be_read_at_every_width(browser, server, width):
    names = "marital-status,native-country,occupation,salary"
    file = {"name": "patients-of-2026.csv", "mimeType": "text/csv", "buffer": f"{names}\na,b,c,1\nd,e,f,2\n".encode()}
    with watched(browser, server, viewport={"width": width, "height": 800}) as page:
        page.set_input_files("#file", file)
        page.wait_for_selector(".workbench")
        if width < 960:
            page.click("#tab-columns")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        parts = page.evaluate(READ)
        assert len(parts) == 5
        assert [
            name for name, *sizes in parts if sizes[0] > sizes[1] + 1 or sizes[2] > sizes[3] + 1 or not sizes[1]
        ] == []


def test_every_word_of_the_glossary_that_the_page_uses_has_a_mark_that_opens_its_meaning(browser, server):
    words = {
        "class", "distance", "driver", "frontier", "hierarchy", "kept detail", "level", "loss", "quasi-identifier",
        "recipe", "reference", "release", "requirement", "sensitive", "suppress", "worst class",
    }  # fmt: skip
    assert words <= server.client.get("/api").json()["glossary"].keys()
    with watched(browser, server) as page:
        opened(page)
        require(page, "0.45")
        settled(page)
        page.click("#column-age")
        page.click("#column-salary")
        released(page)
        marks = page.locator(".term").evaluate_all("marks => marks.map((mark) => mark.getAttribute('aria-label'))")
        assert {f"What is {word}?" for word in words} <= set(marks)
        page.click('[aria-label="What is suppress?"]')
        expect(page.locator(".meaning:popover-open")).to_contain_text("leave rows out of a release")


@pytest.mark.parametrize("width", [360, 1280])
def test_names_without_an_end_are_broken_and_widen_nothing(browser, server, width):
    names = ["x" * 300, "<b>&amp;\"'", "اسم المريض", "pay"]
    rows = "\n".join(f"{'abc'[at % 3]},{'de'[at % 2]},f,{at % 5}" for at in range(40))
    file = {"name": "n" * 200 + ".csv", "mimeType": "text/csv", "buffer": (f"{quoted(names)}\n{rows}\n").encode()}
    with watched(browser, server, viewport={"width": width, "height": 800}) as page:
        page.set_input_files("#file", file)
        page.wait_for_selector(".workbench")
        page.evaluate(GIVE)
        settled(page)
        for tab in ("figures", "classes", "repair"):
            page.click(f"#tab-{tab}")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, tab


def test_a_file_that_is_chosen_is_opened_though_its_name_begins_as_that_of_a_hidden_one(browser, server):
    with watched(browser, server) as page:
        page.set_input_files("#file", {"name": "_patients.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n3,4\n"})
        expect(page.locator(".table-name")).to_have_text("_patients.csv")


def test_a_share_that_is_no_number_is_marked_at_its_field_until_it_is_changed(browser, server):
    with watched(browser, server) as page:
        opened(page)
        page.click("#step-release")
        page.fill("#suppress", "lots")
        page.press("#suppress", "Enter")
        page.click("#release-start")
        expect(page.locator("#suppress-fault")).to_contain_text("must be a decimal")
        expect(page.locator("#suppress")).to_have_attribute("aria-invalid", "true")
        page.fill("#suppress", "0.1")
        page.press("#suppress", "Enter")
        expect(page.locator("#suppress-fault")).to_have_count(0)


def test_what_is_selected_in_a_field_stays_so_when_the_field_is_drawn_anew(browser, server):
    with watched(browser, server) as page:
        page.click("[data-example=salary]")
        settled(page)
        page.focus("#threshold-k-")
        page.keyboard.press("Control+A")
        page.evaluate("import('/static/store.js').then(({ tell }) => tell('policy'))")
        page.keyboard.type("9")
        expect(page.locator("#threshold-k-")).to_have_value("9")


def test_a_sensitive_column_of_which_nothing_is_required_is_named_and_limited_by_one_click(browser, server):
    with watched(browser, server) as page:
        page.click("[data-example=salary]")
        settled(page)
        expect(page.locator("#unlimited")).to_have_count(0)
        page.click('[aria-label^="Remove the requirement t "]')
        settled(page)
        expect(page.locator(".verdict h2")).to_contain_text("meets its requirement")
        expect(page.locator("#unlimited")).to_contain_text("Nothing limits what is learned of salary, disease.")
        page.click("#limit")
        settled(page)
        expect(page.locator("#unlimited")).to_have_count(0)
        expect(page.locator("[id^=threshold-t-]")).to_have_count(2)
