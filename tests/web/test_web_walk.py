"""The whole path in a real browser, from opening to handing over: Adult, a raw table, a broken file, a database."""

import sqlite3
import zipfile

import pytest

from web.browsing import settled, watched

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect


def said(page, roles):
    """Say what every column is, and wait for its figures."""
    for item in page.locator(".column").all():
        name = item.get_attribute("data-column")
        page.select_option(f'[id="role-{name}"]', roles.get(name, "identifier"))
    settled(page)
    expect(page.locator("#step-findings")).to_contain_text("done")


def handed_over(page, tmp_path, method="mondrian"):
    """Make a release with the keyboard alone, take the package, and return its files."""
    page.focus("#step-release")
    page.keyboard.press("Enter")
    page.select_option("#method", method)
    page.focus("#release-start")
    page.keyboard.press("Enter")
    take = page.locator('[data-file="release.zip"]')
    take.wait_for()
    expect(page.locator("#step-release")).to_contain_text("done")
    take.focus()
    with page.expect_download() as started:
        page.keyboard.press("Enter")
    started.value.save_as(tmp_path / "release.zip")
    expect(page.locator("#step-hint")).to_have_text("Everything is done.")
    with zipfile.ZipFile(tmp_path / "release.zip") as package:
        return {name: package.read(name).decode() for name in package.namelist()}


def test_adult_is_walked_from_its_file_to_the_package(browser, server, adult_file, tmp_path):
    roles = {
        "age": "quasi-identifier",
        "sex": "quasi-identifier",
        "race": "quasi-identifier",
        "occupation": "sensitive",
    }
    with watched(browser, server) as page:
        page.set_input_files("#file", str(adult_file))
        page.wait_for_selector(".column")
        said(page, roles)
        assert "30,162 rows" in page.inner_text(".top .facts")
        trees = [adult_file.with_name(f"adult_hierarchy_{name}.csv") for name in ("age", "race", "education")]
        page.set_input_files("#hierarchy-files", trees)
        page.wait_for_selector("text=Loaded for age, race. Kept for when they are quasi-identifiers: education.")
        page.select_option("#role-education", "quasi-identifier")
        page.click("#column-education")
        page.wait_for_selector('[data-column="education"] [role=treeitem] >> text=Higher education')
        page.select_option("#role-education", "identifier")
        settled(page)
        files = handed_over(page, tmp_path)
    assert files["release.csv"].count("\n") == 30_163
    assert "meets every requirement" in files["report.html"]


def test_a_million_raw_rows_have_figures_classes_and_an_explanation(browser, server, tmp_path):
    file = tmp_path / "raw.csv"
    with file.open("w") as out:
        out.write("born,zip,pay\n")
        out.writelines(f"{at * 7919 % 25_000},{at * 104_729 % 1_000_003},{at % 97}\n" for at in range(1_000_000))
    roles = {"born": "quasi-identifier", "zip": "quasi-identifier", "pay": "sensitive"}
    with watched(browser, server) as page:
        page.set_input_files("#file", str(file))
        page.wait_for_selector(".column")
        said(page, roles)
        assert "1,000,000 rows" in page.inner_text(".top .facts")
        assert page.inner_text('[data-figure="k"]') == "1"
        page.focus("#tab-figures")
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(".grid-rows .key")
        assert page.get_attribute(".grid", "aria-rowcount") == "1000001"
        page.focus(".grid")
        page.keyboard.press("Enter")
        page.wait_for_selector(".player")
        expect(page.locator('.grid-rows [aria-selected="true"]')).to_have_count(1)


def test_a_broken_file_is_mended_and_walked_to_the_package(browser, server, tmp_path):
    rows = "\n".join(f"4{at % 7};{at % 50};{'abc'[at % 3]}" for at in range(200))
    broken = f'zip;age;ill\n"9;1;a\n{rows}\n'.encode("windows-1252")
    roles = {"zip": "quasi-identifier", "age": "quasi-identifier", "ill": "sensitive"}
    with watched(browser, server) as page:
        page.set_input_files("#file", {"name": "broken.csv", "mimeType": "text/csv", "buffer": broken})
        page.wait_for_selector(".lines >> text=zip;age;ill")
        page.select_option("#reading-quote", "none")
        page.focus("#reading-again")
        page.keyboard.press("Enter")
        page.wait_for_selector(".column")
        said(page, roles)
        files = handed_over(page, tmp_path)
    assert files["release.csv"].count("\n") == 202


def test_a_table_of_a_database_is_walked_to_the_package(browser, server, tmp_path):
    with sqlite3.connect(tmp_path / "clinic.sqlite") as connection:
        connection.execute("CREATE TABLE patients (zip TEXT, age INTEGER, ill TEXT)")
        rows = [(f"4{at % 7}", at % 50, "abc"[at % 3]) for at in range(200)]
        connection.executemany("INSERT INTO patients VALUES (?, ?, ?)", rows)
        connection.execute("CREATE TABLE others (a INTEGER)")
    connection.close()
    roles = {"zip": "quasi-identifier", "age": "quasi-identifier", "ill": "sensitive"}
    with watched(browser, server) as page:
        page.set_input_files("#file", str(tmp_path / "clinic.sqlite"))
        expect(page.locator("#table-list")).to_be_focused()
        page.keyboard.type("patients")
        page.keyboard.press("Enter")
        page.wait_for_selector(".column")
        assert page.inner_text(".table-name") == "patients of clinic.sqlite"
        said(page, roles)
        files = handed_over(page, tmp_path)
    assert files["release.csv"].count("\n") == 201
