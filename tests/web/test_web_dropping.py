"""Files and folders that are dropped on the page, as a browser takes them from the desktop."""

import pytest

from web.browsing import settled, watched

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect
EFFECT = """addEventListener("dragover", ({ dataTransfer }) => {
    document.body.dataset.effect = dataTransfer.dropEffect;
})"""
ROWS = "zip,ill\n1,flu\n1,cold\n"


def dropped(page, path, selector):
    """Drag a file or a folder onto a part of the page, and drop it there."""
    place = page.locator(selector).bounding_box()
    at = {"x": place["x"] + 20, "y": place["y"] + 10}
    hand = page.context.new_cdp_session(page)
    taken = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for event in ("dragenter", "drop"):
        page.evaluate(f"addEventListener('{event}', () => {{ document.body.dataset.{event} = ''; }}, true)")
    hand.send("Input.dispatchDragEvent", {"type": "dragEnter", **at, "data": taken})
    page.wait_for_selector("body[data-dragenter]")
    hand.send("Input.dispatchDragEvent", {"type": "dragOver", **at, "data": taken})
    hand.send("Input.dispatchDragEvent", {"type": "drop", **at, "data": taken})


def test_a_folder_that_is_dropped_is_one_table_without_what_it_hides(browser, server, tmp_path):
    months = tmp_path / "months"
    (months / "later").mkdir(parents=True)
    for name in ("january.csv", "later/february.csv"):
        (months / name).write_text(ROWS)
    (months / ".hidden.csv").write_text("other\n1\n")
    with watched(browser, server) as page:
        dropped(page, months, ".drop")
        page.wait_for_selector(".column")
        expect(page.locator(".top")).to_contain_text("months4 rows, 2 columns")


def test_a_file_that_is_dropped_beside_the_place_for_it_leaves_the_page_as_it_is(browser, server, tmp_path):
    (tmp_path / "table.csv").write_text(ROWS)
    with watched(browser, server) as page:
        page.click("[data-example=salary]")
        settled(page)
        page.evaluate(EFFECT)
        dropped(page, tmp_path / "table.csv", ".verdict")
        page.wait_for_selector("body[data-effect=none]")
        expect(page.locator(".top")).to_contain_text("salary")
        assert page.url.startswith(server.base)
