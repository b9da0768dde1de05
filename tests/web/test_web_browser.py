"""The page in a real browser: the whole journey, the moving earth, accessibility, and every width."""

import csv
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

import tclose
from tclose.cli import outcome
from tclose.web.server import _way_to
from web.browsing import axe, settled, watched

playwright = pytest.importorskip("playwright.sync_api")


def open_example(page, name="salary"):
    page.click(f"[data-example={name}]")
    page.wait_for_selector(".verdict h2")
    page.wait_for_selector('.workbench[data-stale="false"]')


def show(page, tab):
    page.click(f"#tab-{tab}")


def shown(page, figure):
    return page.inner_text(f'[data-figure="{figure}"]')


def test_from_the_salary_table_to_a_release_that_passes_the_audit(browser, server, tmp_path):
    """Figures: tutorial, Table 3: k = 3, t = 3/8 of the salary, t = 4/9 of the disease."""
    with watched(browser, server) as page:
        open_example(page)
        assert (shown(page, "k"), shown(page, "t-salary"), shown(page, "t-disease")) == ("3", "0.375", "0.4444")
        assert "3/8" in page.inner_text('[data-attribute="salary"]')
        assert "does not meet" in page.inner_text(".verdict h2")
        page.fill("#threshold-t-", "0.4")
        page.press("#threshold-t-", "Enter")
        playwright.expect(page.locator(".verdict h2")).to_contain_text("1 of 3")
        show(page, "repair")
        page.click("#release-start")
        page.wait_for_selector('[data-file="release.csv"]')
        files = {}
        for name in ("release.csv", "recipe.json", "report.html"):
            with page.expect_download() as started:
                page.click(f'[data-file="{name}"]')
            files[name] = tmp_path / started.value.suggested_filename
            started.value.save_as(files[name])
        with page.expect_download() as started:
            page.click("#policy-save")
        started.value.save_as(tmp_path / "tclose.toml")
    policy = ["--policy", str(tmp_path / "tclose.toml")]
    assert outcome(["audit", str(files["release.csv"]), *policy]) == 0
    assert outcome(["apply", str(files["recipe.json"]), "example:salary"]) == 0
    assert "meets every requirement" in files["report.html"].read_text(encoding="utf-8")


def test_a_role_is_changed_by_clicking_and_the_figures_follow(browser, server):
    without = tclose.audit(
        "example:salary", tclose.Roles(["zip"], {"salary": tclose.Ordered(), "disease": tclose.Nominal()})
    )
    with watched(browser, server) as page:
        open_example(page)
        page.select_option("#role-age", "publish")
        settled(page)
        expected = [f"{float(without[name].t):.4f}".rstrip("0") for name in ("salary", "disease")]
        assert [shown(page, f"t-{name}") for name in ("salary", "disease")] == expected
        page.fill("#threshold-t-", "abc")
        page.press("#threshold-t-", "Enter")
        playwright.expect(page.locator("#threshold-t--fault")).to_contain_text("a decimal such as 0.2")
        assert page.get_attribute("#threshold-t-", "aria-invalid") == "true"
        page.fill("#threshold-t-", "0.4")
        page.press("#threshold-t-", "Enter")
        playwright.expect(page.locator("#threshold-t--fault")).to_have_count(0)
        page.focus('[aria-label="What is t-closeness?"] >> nth=0')
        page.keyboard.press("Enter")
        playwright.expect(page.locator(".meaning:popover-open")).to_contain_text("what one believes")
        page.keyboard.press("Escape")
        page.select_option("#role-zip", "publish")
        page.wait_for_selector("text=Nothing to measure yet")


def test_a_number_is_rounded_before_it_is_measured_and_released(browser, server, tmp_path):
    """Oracle: an audit and a release of the salaries rounded by hand, ties away from zero."""
    kinds = {"salary": tclose.Ordered(round=4000), "disease": tclose.Nominal()}
    rounded = tclose.audit("example:salary", tclose.Roles(["zip", "age"], kinds))
    with watched(browser, server) as page:
        open_example(page)
        page.click("#column-salary")
        page.fill("#round-salary", "4000")
        page.press("#round-salary", "Enter")
        page.wait_for_selector('.workbench[data-stale="true"]')
        settled(page)
        assert shown(page, "t-salary") == f"{float(rounded['salary'].t):.4f}".rstrip("0")
        page.fill("#round-salary", "-1")
        page.press("#round-salary", "Enter")
        playwright.expect(page.locator('[data-column="salary"] .problem')).not_to_be_empty()
        page.fill("#round-salary", "4000")
        page.press("#round-salary", "Enter")
        page.fill("#threshold-t-", "0.6")
        page.press("#threshold-t-", "Enter")
        settled(page)
        show(page, "repair")
        page.click("#release-start")
        page.wait_for_selector('[data-file="release.csv"]')
        with page.expect_download() as started:
            page.click('[data-file="release.csv"]')
        started.value.save_as(tmp_path / "release.csv")
    with (tmp_path / "release.csv").open(newline="") as file:
        released = sorted(int(row["salary"]) for row in csv.DictReader(file))
    assert released == [4000, 4000, 4000, 8000, 8000, 8000, 8000, 12000, 12000]  # 3, 4, 5, 6, 7, 8, 9, 10, 11 thousand


def test_every_model_can_be_required_and_one_that_does_not_fit_is_refused_with_words(browser, server):
    with watched(browser, server) as page:
        open_example(page)
        models = [model for model in server.client.get("/api").json()["models"] if not model["needs_population"]]
        for model in models:
            if model["key"] not in ("k", "t"):
                page.select_option("#add-model", model["key"])
                page.click("#add-button")
                page.wait_for_selector(f"#threshold-{model['key']}-")
        page.wait_for_selector("text=cannot be required of 'disease'")
        for of_numbers in ("ke", "band", "proximity"):
            page.click(f"[aria-label^='Remove the requirement {of_numbers}']")
        page.wait_for_selector(".verdict h2 >> text=requirements")
        settled(page)
        of_the_table = sum(model["scope"] == "table" for model in models)
        of_attributes = len(models) - of_the_table - 3
        rows = page.locator("table:has(caption:text('What was required')) tbody tr")
        assert rows.count() == of_the_table + 2 * of_attributes


def heights(page):
    """Return how high the piles are drawn now, and the holes, each over all of the holes together."""
    read = """() => ["rect[data-column]", ".tc-hole"].map((one) => [...document.querySelectorAll(`.player ${one}`)]
        .map((box) => box.height.animVal.value))"""
    piles, holes = page.evaluate(read)
    return [round(height / sum(holes), 3) for height in piles], [round(height / sum(holes), 3) for height in holes]


@pytest.mark.parametrize(("motion", "attribute"), [("no-preference", "salary"), ("reduce", "disease")])
def test_the_earth_is_moved_until_the_class_is_as_the_table(browser, server, motion, attribute):
    plan = tclose.explain("example:salary", attribute=attribute)[0]
    with watched(browser, server, reduced_motion=motion) as page:
        open_example(page)
        page.click(f'[data-attribute="{attribute}"] >> text=Watch the worst class')
        page.wait_for_selector('.player[data-at="0"]')
        playwright.expect(page.locator('.grid-rows [aria-selected="true"]')).to_contain_text("2*")
        stays = [round(float(min(p, q)), 3) for p, q in zip(plan.inside, plan.outside, strict=True)]
        assert heights(page)[0] == pytest.approx(stays, abs=0.002)
        page.select_option("[data-control=speed]", "4")
        page.click("[data-control=step]")
        page.wait_for_selector('.player[data-at="1"]')
        first = plan.moves[0]
        for text in (first.mass, first.distance, first.cost):
            assert str(text) in page.inner_text("#move-caption")
        page.click("[data-control=back]")
        assert page.get_attribute(".player", "data-at") == "0"
        if motion == "reduce":  # on a busy machine a frame says a time before it was asked for
            late = "(tell) => setTimeout(() => tell(performance.now() - 40), 10)"
            page.evaluate(f"() => {{ window.requestAnimationFrame = {late} }}")
        page.click("[data-control=play]")
        page.wait_for_selector('.player[data-done="true"]')
        piles, holes = heights(page)
        assert piles == holes == pytest.approx([float(share) for share in plan.outside], abs=0.002)
        assert str(plan.value) in page.inner_text("#move-caption")
        listed = page.eval_on_selector_all("[data-move]", "rows => rows.map((row) => row.children[2].textContent)")
        assert [Fraction(text.split("(")[1].rstrip(")")) for text in listed] == [move.mass for move in plan.moves]
        if attribute == "salary":
            page.select_option("#move-way", "carried")
            page.wait_for_selector('[data-move="8"] >> text=A₈')
            with page.expect_download() as started:
                page.click("[data-picture=carried]")
            told = started.value.path().read_text(encoding="utf-8")
            assert ("A₈" in told, "<animate" in told, "0.3 required" in told) == (True, True, True)


def test_a_reload_and_the_back_button_keep_the_work(browser, server):
    with watched(browser, server) as page:
        open_example(page)
        page.fill("#threshold-t-", "0.45")
        page.press("#threshold-t-", "Enter")
        settled(page)
        show(page, "repair")
        page.click("#release-start")
        page.wait_for_selector('[data-file="release.csv"]')
        page.reload()
        page.wait_for_selector('[data-file="release.csv"]')
        assert page.input_value("#threshold-t-") == "0.45"
        assert page.get_attribute(".workbench", "data-view") == "repair"
        page.focus("#undo")
        page.keyboard.press("Enter")
        playwright.expect(page.locator("#threshold-t-")).to_have_value("0.3")
        page.wait_for_selector("#release-outcome .verdict.stale")
        page.keyboard.press("Control+Shift+Z")
        playwright.expect(page.locator("#threshold-t-")).to_have_value("0.45")
        page.wait_for_selector("#release-outcome .verdict.holds")
        page.click("#column-salary")
        page.select_option("#order-salary", "frequency")
        page.select_option("#role-salary", "publish")
        page.select_option("#role-salary", "sensitive")
        assert page.input_value("#order-salary") == "frequency"
        for _ in range(3):
            page.click("#undo")
        playwright.expect(page.locator("#order-salary")).to_have_value("value")
        page.wait_for_selector("#release-outcome .verdict.holds")
        with page.expect_download() as started:
            page.click("#policy-save")
        saved = started.value.path().read_text(encoding="utf-8")
        page.click("#undo")
        page.set_input_files(
            "#policy-file", {"name": "tclose.toml", "mimeType": "", "buffer": saved.replace("0.45", "0.44").encode()}
        )
        playwright.expect(page.locator("#threshold-t-")).to_have_value("0.44")
        page.click("#undo")
        page.click("#redo")
        playwright.expect(page.locator("#threshold-t-")).to_have_value("0.44")
        page.fill("#threshold-t-", "0.45")
        page.press("#threshold-t-", "Enter")
        page.click("#as-command")
        assert page.input_value("#script-text").startswith("tclose anonymize example:salary --policy")
        page.keyboard.press("Escape")
        page.go_back()
        page.wait_for_selector(".workbench[data-view=figures]")
        page.go_back()
        page.wait_for_selector("#go-on")
        page.go_forward()
        settled(page)
        assert page.input_value("#threshold-t-") == "0.45"


def test_a_release_of_other_settings_is_grey_says_so_and_asks_before_it_is_taken(browser, server):
    with watched(browser, server) as page:
        open_example(page)
        page.fill("#threshold-t-", "0.45")
        page.press("#threshold-t-", "Enter")
        settled(page)
        show(page, "repair")
        page.click("#release-start")
        page.wait_for_selector("#release-outcome .verdict.holds")
        for change, back, told in (
            (lambda: page.fill("#threshold-t-", "0.2"), lambda: page.fill("#threshold-t-", "0.45"), "t ≤ 0.45"),
            (
                lambda: page.select_option("#role-disease", "identifier"),
                lambda: page.click("#release-back"),
                "salary, disease",
            ),
        ):
            change()
            page.keyboard.press("Tab")
            page.wait_for_selector("#release-outcome .verdict.stale")
            assert page.locator("#release-outcome .verdict.holds").count() == 0
            assert told in page.inner_text("#release-stale")
            page.click('[data-file="release.csv"]')
            assert "set now" in page.inner_text("dialog.ask")
            page.keyboard.press("Escape")
            back()
            page.keyboard.press("Tab")
            page.wait_for_selector("#release-outcome .verdict.holds")
        page.fill("#threshold-t-", "0.2")
        page.keyboard.press("Tab")
        page.reload()
        page.wait_for_selector("#release-outcome .verdict.stale")
        with page.expect_download():
            page.click('[data-file="release.csv"]')
            page.click("dialog.ask [value=yes]")
        page.click("#release-again")
        page.wait_for_selector("#release-outcome .verdict:not(.stale)")


def test_a_release_that_keeps_nothing_is_amber_and_one_click_leads_to_one_that_keeps_something(browser, server):
    with watched(browser, server) as page:
        open_example(page)
        show(page, "repair")
        page.click("#release-start")
        page.wait_for_selector("#release-outcome .verdict.cares")
        assert "t ≤ 0.3 of disease binds" in page.inner_text("#release-outcome .care")
        assert page.inner_text("#release-nearest") == "Take t ≤ 0.4445 of disease, and make it again"
        page.click("#release-nearest")
        page.wait_for_selector("#release-outcome .verdict.holds")
        assert page.input_value("#threshold-t-disease") == "0.4445"
        page.select_option("#role-disease", "publish")
        show(page, "figures")
        page.wait_for_selector(".panel-figures .care >> text=Published without protection: disease")
        page.fill("#threshold-t-", "0.5")
        page.press("#threshold-t-", "Enter")
        page.wait_for_selector(".panel-figures .verdict.cares")


def test_the_path_says_what_is_done_and_leads_on_with_the_keyboard(browser, server):
    def words(page):
        return [each.split(", ")[-1] for each in page.locator(".path li").all_text_contents()]

    with watched(browser, server, reduced_motion="reduce") as page:
        open_example(page)
        assert words(page) == ["done", "done", "done", "next", "later"]
        assert "Make a release" in page.inner_text("#step-hint")
        page.focus("#step-release")
        page.keyboard.press("Enter")
        assert page.get_attribute(".workbench", "data-view") == "repair"
        page.focus("#release-start")
        page.keyboard.press("Enter")
        page.wait_for_selector('[data-file="release.zip"]')
        assert words(page) == ["done", "done", "done", "done", "next"]
        page.click("#step-over")
        playwright.expect(page.locator("#hand-over")).to_be_in_viewport()
        page.click(".about summary")
        page.fill("#about-recipient", "The Recipient")
        page.keyboard.press("Tab")
        page.wait_for_selector("#release-outcome .verdict:not(.stale)")
        with page.expect_download() as started:
            page.click('[data-file="report.html"]')
        assert "The Recipient" in started.value.path().read_text(encoding="utf-8")
        with page.expect_download() as started:
            page.click('[data-file="release.zip"]')
        assert started.value.suggested_filename == "release.zip"
        playwright.expect(page.locator("#step-hint")).to_have_text("Everything is done.")
        page.fill("#threshold-t-", "0.2")
        page.keyboard.press("Tab")
        settled(page)
        assert words(page) == ["done", "done", "done", "next", "later"]
        for remove in page.locator("[aria-label^='Remove the requirement']").all()[::-1]:
            remove.click()
        playwright.expect(page.locator("#step-requirements")).to_have_attribute("aria-current", "step")


def test_a_report_with_single_people_is_asked_about(browser, server):
    text = "zip,pay\n" + "1,2\n2,3\n" * 6 + "LONELY,9\n"
    with watched(browser, server) as page:
        page.set_input_files("#file", {"name": "w.csv", "mimeType": "text/csv", "buffer": text.encode()})
        page.wait_for_selector(".verdict h2")
        settled(page)
        for file, expected in (("audit.html", False), ("audit.confidential.html", True)):
            with page.expect_download() as started:
                page.click(f'[data-file="{file}"]')
                if expected:
                    page.click("dialog.ask [value=yes]")
            report = started.value.path().read_text(encoding="utf-8")
            assert ("LONELY" in report) is expected
            assert ("Confidential" in report) is expected


def test_a_tab_that_was_duplicated_starts_afresh(browser, server):
    with watched(browser, server) as page:
        open_example(page)
        kept = page.evaluate("({ ...sessionStorage })")
        with page.expect_popup() as opened:
            page.evaluate("open('about:blank')")
        twin = opened.value
        twin.add_init_script(f"Object.assign(sessionStorage, {kept})")
        twin.goto(server.base)
        twin.wait_for_selector("[data-example=salary]")
        assert twin.locator("#go-on").count() == 0
        twin.close()


def test_levels_show_every_requirement_as_met_or_missed(browser, server):
    with watched(browser, server) as page:
        open_example(page)
        page.select_option("#add-model", "l")
        page.click("#add-button")
        page.fill("#threshold-l-", "4")
        page.press("#threshold-l-", "Enter")
        settled(page)
        show(page, "repair")
        missed = page.locator(".judged .fails[data-required='l ≥ 4']")
        playwright.expect(missed).to_have_count(2)
        for name in ("zip", "age"):
            page.focus(f"#level-{name}")
            page.keyboard.press("ArrowRight")
        playwright.expect(page.locator(".judged .holds[data-required='l ≥ 4']")).to_have_count(2)
        playwright.expect(page.locator(".judged .fails")).to_have_count(0)


def test_points_of_the_frontier_that_are_equal_stand_side_by_side(browser, server):
    with watched(browser, server) as page:
        open_example(page)
        show(page, "repair")
        page.click("#frontier-start")
        page.wait_for_selector("svg.tclose-figure.frontier")
        places = page.eval_on_selector_all(
            ".frontier .tc-pick", "marks => marks.map((mark) => `${mark.getBBox().x} ${mark.getBBox().y}`)"
        )
        assert len(places) == 21
        assert len(set(places)) == len(places)


def test_points_of_the_frontier_and_boxes_of_the_lattice_are_taken_by_mouse_and_by_keyboard(browser, server):
    with watched(browser, server) as page:
        open_example(page)
        show(page, "repair")
        page.click("#frontier-start")
        point = page.locator('.frontier .tc-pick[data-method="mondrian"][data-threshold="0.5"]')
        point.wait_for()
        assert point.get_attribute("aria-label").startswith("Take over mondrian at t ≤ 0.5:")
        point.click()
        playwright.expect(page.locator("#threshold-t-")).to_have_value("0.5")
        playwright.expect(page.locator("#method")).to_have_value("mondrian")
        page.locator('.frontier .tc-pick[data-method="gather"][data-threshold="0.4"]').focus()
        page.keyboard.press("Enter")
        playwright.expect(page.locator("#threshold-t-")).to_have_value("0.4")
        playwright.expect(page.locator("#method")).to_have_value("gather")
        page.click("#lattice-start")
        box = page.locator('.lattice .tc-pick[data-levels="1,1"]')
        box.wait_for()
        assert page.locator(".lattice .tc-pick").count() == 4
        assert "everything required holds, 0 % of the detail is kept" in box.locator("title").text_content()
        box.focus()
        page.keyboard.press(" ")
        playwright.expect(page.locator("#level-zip")).to_have_value("1")
        playwright.expect(page.locator("#level-age")).to_have_value("1")
        playwright.expect(page.locator("[data-level-figure=loss]")).to_have_text("100 %")
        page.locator('.lattice .tc-pick[data-levels="0,0"]').click()
        playwright.expect(page.locator("[data-level-figure=loss]")).to_have_text("0 %")
        page.fill("#threshold-t-", "0.2")
        page.press("#threshold-t-", "Enter")
        playwright.expect(page.locator("#lattice-outcome .outdated")).to_contain_text("not for what is set now")
        playwright.expect(page.locator("#frontier-outcome .outdated")).to_have_count(0)


def test_attackers_and_what_is_left_are_shown_and_told_in_the_report_of_the_same_settings(browser, server, tmp_path):
    text = "zip,age,pay\n" + "\n".join(f"{at % 4},{20 + at % 6},{'abc'[at * at % 3]}" for at in range(120))
    with watched(browser, server) as page:
        page.set_input_files("#file", {"name": "people.csv", "mimeType": "text/csv", "buffer": text.encode()})
        page.wait_for_selector(".column")
        page.select_option("#role-zip", "quasi-identifier")
        page.select_option("#role-age", "quasi-identifier")
        page.select_option("#role-pay", "sensitive")
        settled(page)
        cards = page.locator("[data-attacker]")
        assert [card.get_attribute("data-attacker") for card in cards.all()] == ["prosecutor", "journalist", "marketer"]
        assert cards.nth(0).locator(".value, .exact").all_text_contents() == ["0.1", "(1/10)"]
        assert "needs the size of the population" in cards.nth(1).text_content()
        show(page, "repair")
        page.click("#attack-start")
        page.wait_for_selector("#attack-outcome svg.attack")
        playwright.expect(page.locator("#attack-outcome table").first).to_contain_text("reader")
        page.click("#release-start")
        page.wait_for_selector('[data-file="report.html"]')
        page.click("#useful summary")
        playwright.expect(page.locator("#useful svg")).to_have_count(2)
        playwright.expect(page.locator("#useful")).to_contain_text("A simple model that learnt from the release")

        def report(file="report.html"):
            with page.expect_download() as started:
                page.click(f'[data-file="{file}"]')
            started.value.save_as(tmp_path / file)
            return (tmp_path / file).read_text(encoding="utf-8")

        found, owners = report(), report("report.confidential.html")
        for name in ("attack", "risks"):
            assert f"tclose-figure tclose-{name}" in found
        for name in ("associations", "predictions"):
            assert f"tclose-figure tclose-{name}" not in found
            assert f"tclose-figure tclose-{name}" in owners
        assert "Confidential: this tells of the original" in owners
        assert "tclose-figure tclose-frontier" not in owners
        page.fill("#threshold-t-", "0.29")
        page.press("#threshold-t-", "Enter")
        playwright.expect(page.locator("#attack-outcome .outdated")).to_contain_text("not for what is set now")
        playwright.expect(page.locator("#attack-outcome .verdict.stale")).to_have_count(1)
        page.click("#release-again")
        page.wait_for_selector('#release-outcome:not(:has(#release-stale)) [data-file="report.html"]')
        assert "tclose-figure tclose-attack" not in report()


def test_what_costs_the_detail_is_found_on_the_page_and_in_no_report(browser, server, tmp_path):
    """Three of 120 rows differ from the commonest value: l ≥ 2 allows three classes at the most."""
    text = "zip,age,dead\n" + "\n".join(f"{at % 7},{20 + at % 30},{'yes' if at < 3 else 'no'}" for at in range(120))
    with watched(browser, server) as page:
        page.set_input_files("#file", {"name": "people.csv", "mimeType": "text/csv", "buffer": text.encode()})
        page.wait_for_selector(".column")
        for name, role in (("zip", "quasi-identifier"), ("age", "quasi-identifier"), ("dead", "sensitive")):
            page.select_option(f"#role-{name}", role)
        settled(page)
        page.fill("#threshold-l-dead", "2")  # 1 is proposed: nearly all have one value
        page.press("#threshold-l-dead", "Enter")
        show(page, "repair")
        page.click("#release-start")
        page.wait_for_selector("#why-start")
        playwright.expect(page.locator("#release-outcome .notes")).to_contain_text(
            "limits any release to at most 3 classes"
        )
        page.click("#why-start")
        tables = page.locator("#why-outcome table")
        playwright.expect(tables).to_have_count(2)
        playwright.expect(tables.nth(0)).to_contain_text("age")
        row = tables.nth(1).locator("tr", has_text="l ≥ 2 of dead")
        playwright.expect(row).to_contain_text("yes")
        playwright.expect(row.locator("td").last).to_have_text("3")
        with page.expect_download() as started:
            page.click('[data-file="report.html"]')
        started.value.save_as(tmp_path / "report.html")
        handed_over = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert "limits any release" not in handed_over
        assert "What costs the detail" not in handed_over


def test_hundreds_of_columns_and_endless_cells_leave_everything_in_reach(browser, server):
    long = "x" * 10_000
    names = ",".join(["zip", "diagnosis", *(f"more{at}" for at in range(300))])
    rows = "\n".join(",".join([f"{long}{at % 5}", f"{long}{at % 3}", *["1"] * 300]) for at in range(30))
    with watched(browser, server, viewport={"width": 1024, "height": 800}) as page:
        page.set_input_files("#file", {"name": "w.csv", "mimeType": "text/csv", "buffer": f"{names}\n{rows}".encode()})
        page.wait_for_selector(".verdict h2")
        settled(page)
        playwright.expect(page.locator("#requirements-title")).to_be_in_viewport()
        steps = page.locator(".path li").all_text_contents()
        assert [step.endswith(", suggested") for step in steps] == [True, True, False, False, False]
        page.fill("#threshold-t-", "0.4")
        page.press("#threshold-t-", "Enter")
        playwright.expect(page.locator("#step-requirements")).to_contain_text(", done")
        page.fill("#column-search", "more29")
        playwright.expect(page.locator(".column:visible")).to_have_count(11)
        show(page, "classes")
        page.wait_for_selector(".grid-rows .key")
        page.click(".grid-rows [role=row]")
        page.wait_for_selector(".player")
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0


def test_a_file_that_cannot_be_read_is_named_and_another_can_be_chosen(browser, server):
    with watched(browser, server) as page:
        page.set_input_files("#file", {"name": "x.parquet", "mimeType": "", "buffer": b"PAR1 broken"})
        playwright.expect(page.locator(".start > .problem")).to_contain_text("'x.parquet'")
        broken = b'zip,pay\n"a,1\nb,2\nc,3\n'
        page.set_input_files("#file", {"name": "quotes.csv", "mimeType": "text/csv", "buffer": broken})
        page.wait_for_selector(".lines >> text=zip,pay")
        assert "a quote is opened" in page.inner_text(".start > .problem")
        page.select_option("#reading-quote", "none")
        page.click("#reading-again")
        page.wait_for_selector('[data-column="zip"]')
        settled(page)
        page.click("#reading")
        page.wait_for_selector("dialog .lines >> text=b,2")
        assert page.input_value("#reading-quote") == "none"
        page.select_option("#reading-header", "false")
        page.click("#reading-again")
        page.wait_for_selector(".top .facts >> text=4 rows")
        settled(page)
        assert page.locator(".column").count() == 2
        page.click("#reading")
        page.fill("#reading-null", 'c, NA, "not known, yet"')
        page.click("#reading-again")
        page.wait_for_selector("dialog", state="detached")
        settled(page)
        page.click("#reading")
        playwright.expect(page.locator("#reading-null")).to_have_value('c, NA, "not known, yet"')


def test_levels_are_dragged_and_t_and_loss_move(browser, server):
    with watched(browser, server) as page:
        open_example(page)
        show(page, "repair")
        page.wait_for_selector('[data-level-figure="loss"]')
        assert page.inner_text('[data-level-figure="t-salary"]') == "0.375"
        page.focus("#level-age")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Tab")
        page.focus("#level-zip")
        page.keyboard.press("ArrowRight")
        playwright.expect(page.locator("[data-level-figure=loss]")).to_have_text("100 %")
        assert page.inner_text('[data-level-figure="t-salary"]') == "0"


TREE = b"zip,pay\n" + b"\n".join(b"%d%d,%d" % (at % 3, at % 2, at % 4) for at in range(60))
"""Six zips: 00, 11, 20, 01, 10 and 21."""


def tree_of(page, name="zip"):
    """Return the tree of a column as the page has it in its policy."""
    with page.expect_download() as started:
        page.click("#policy-save")
    return tomllib.loads(Path(started.value.path()).read_text(encoding="utf-8"))["columns"][name]["hierarchy"]


DRAWN_ANEW = """() => {
  const main = document.querySelector('script[type="module"]').src;
  return import(new URL("store.js", main).href).then(({ state, tell }) => {
    state.hierarchies.zip = { ...state.hierarchies.zip, note: "said later" };
    tell("hierarchies");
  });
}"""
"""What the page does when an answer about a column arrives that says something new."""


def test_a_drag_means_the_same_leaf_when_an_answer_arrives_meanwhile(browser, server):
    with watched(browser, server) as page:
        page.set_input_files("#file", {"name": "tree.csv", "mimeType": "text/csv", "buffer": TREE})
        page.wait_for_selector(".column")
        page.select_option("#role-zip", "quasi-identifier")
        settled(page)
        page.click("#column-zip")
        page.select_option("#hierarchy-zip", "tree")
        page.locator(".tree li", has=page.locator("text=/^00$/")).click()
        page.fill("#group-name-zip", "east")
        page.click("#group-zip")
        east = page.locator(".tree li.branch", has=page.locator("text=/^east$/"))
        leaf = page.locator(".tree li", has=page.locator("text=/^20$/"))
        page.wait_for_selector(".preview summary >> text=2 levels above 6 values")
        settled(page)
        leaf.hover()
        page.mouse.down()
        east.hover()
        page.evaluate(DRAWN_ANEW)
        east.hover()
        page.mouse.up()
        playwright.expect(east).to_contain_text("2")
        assert tree_of(page) == {"*": [{"east": ["00", "20"]}, "01", "10", "11", "21"]}
        page.wait_for_selector(".preview summary >> text=2 levels above 6 values")
        settled(page)
        page.locator(".tree li", has=page.locator("text=/^21$/")).drag_to(east)
        playwright.expect(east).to_contain_text("3")


def test_a_tree_is_edited_with_the_mouse_and_with_the_keyboard_and_its_levels_follow(browser, server):
    with watched(browser, server) as page:
        page.set_input_files("#file", {"name": "tree.csv", "mimeType": "text/csv", "buffer": TREE})
        page.wait_for_selector(".column")
        page.select_option("#role-zip", "quasi-identifier")
        page.select_option("#role-pay", "sensitive")
        settled(page)
        page.click("#column-zip")
        page.select_option("#hierarchy-zip", "tree")
        leaf = page.locator(".tree li", has=page.locator("text=/^00$/"))
        leaf.wait_for()
        assert page.locator(".tree li").count() == 6
        leaf.click()
        page.locator(".tree li", has=page.locator("text=/^11$/")).click(modifiers=["Control"])
        page.fill("#group-name-zip", "east")
        page.click("#group-zip")
        east = page.locator(".tree li.branch", has=page.locator("text=/^east$/"))
        playwright.expect(east).to_contain_text("2")
        page.wait_for_selector(".preview summary >> text=2 levels above 6 values")  # drawn, and at rest
        settled(page)
        page.locator(".tree li", has=page.locator("text=/^20$/")).drag_to(east)
        playwright.expect(east).to_contain_text("3")
        assert tree_of(page) == {"*": [{"east": ["00", "11", "20"]}, "01", "10", "21"]}
        page.wait_for_selector(".preview summary >> text=2 levels above 6 values")
        page.click(".preview summary")
        playwright.expect(page.locator(".preview thead")).to_contain_text("level 1: 4")
        # From here on without the mouse: the three others into a group of their own, one of east's to it, and its name.
        page.focus(".tree li[tabindex='0']")
        page.keyboard.press("End")
        for key in (" ", "ArrowUp", " ", "ArrowUp", " "):
            page.keyboard.press(key)
        assert page.locator('.tree li[aria-selected="true"]').count() == 3
        page.keyboard.press("F2")
        playwright.expect(page.locator("#group-name-zip")).to_be_focused()
        page.keyboard.type("west")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        playwright.expect(page.locator(".tree li.branch")).to_have_count(2)
        playwright.expect(page.locator(".tree li:focus")).to_contain_text("01")
        page.keyboard.press("Home")
        page.keyboard.press("ArrowDown")
        playwright.expect(page.locator(".tree li:focus")).to_contain_text("00")
        page.keyboard.press("m")
        playwright.expect(page.locator("#move-to-zip")).to_be_focused()
        page.keyboard.type("west")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        playwright.expect(page.locator(".tree li:focus")).to_contain_text("00")
        page.keyboard.press("ArrowLeft")
        playwright.expect(page.locator(".tree li:focus")).to_contain_text("west")
        page.keyboard.press("F2")
        page.keyboard.press("Control+A")
        page.keyboard.type("south")
        page.keyboard.press("Enter")
        playwright.expect(page.locator(".tree")).to_contain_text("south")
        assert {name: sorted(below) for name, below in tree_of(page)["*"].items()} == {
            "east": ["11", "20"],
            "south": ["00", "01", "10", "21"],
        }
        playwright.expect(page.locator(".preview thead")).to_contain_text("level 1: 2")
        page.keyboard.press("Escape")
        page.click("#undo")
        playwright.expect(page.locator(".tree")).to_contain_text("west")


ILLS = b"zip,ill\n1,flu\n1,ulcer\n2,cold\n2,ulcer\n"
CHEST = {"*": {"chest": ["flu", "cold"], "belly": ["ulcer"]}}


def test_values_are_set_apart_by_a_tree_that_is_loaded_or_made_of_them(browser, server):
    by_tree, nominal = (
        tclose.audit(
            {"zip": ["1", "1", "2", "2"], "ill": ["flu", "ulcer", "cold", "ulcer"]},
            tclose.Roles(["zip"], {"ill": distance}),
        )["ill"].t
        for distance in (tclose.Hierarchical(CHEST), tclose.Nominal())
    )
    assert by_tree != nominal
    tree = {"name": "ill.csv", "mimeType": "text/csv", "buffer": b"flu,chest,*\ncold,chest,*\nulcer,belly,*\n"}
    t = "[data-figure=t-ill] + .exact"
    with watched(browser, server) as page:
        page.set_input_files("#file", {"name": "ills.csv", "mimeType": "text/csv", "buffer": ILLS})
        page.wait_for_selector(".column")
        page.select_option("#role-zip", "quasi-identifier")
        page.select_option("#role-ill", "sensitive")
        page.click("#column-ill")
        page.set_input_files("#hierarchy-files", tree)
        page.wait_for_selector("text=Kept for a distance by a tree: ill.")
        page.select_option("#distance-ill", "hierarchical")
        page.wait_for_selector(".tree li >> text=chest")
        settled(page)
        playwright.expect(page.locator(t)).to_have_text(str(by_tree))
        page.click("[id='node-ill-[\"chest\"]']")
        page.click("#dissolve-ill")
        page.click("[id='node-ill-[\"belly\"]']")
        page.click("#dissolve-ill")
        settled(page)
        playwright.expect(page.locator(t)).to_have_text(str(nominal))
        page.set_input_files("#hierarchy-files", tree)
        page.wait_for_selector("text=Loaded for ill.")
        playwright.expect(page.locator(t)).to_have_text(str(by_tree))
    with watched(browser, server) as page:
        page.set_input_files("#file", {"name": "ills.csv", "mimeType": "text/csv", "buffer": ILLS})
        page.wait_for_selector(".column")
        page.select_option("#role-ill", "sensitive")
        page.click("#column-ill")
        page.select_option("#distance-ill", "hierarchical")
        playwright.expect(page.locator(".tree li")).to_have_text(["flu", "cold", "ulcer"])


def test_what_is_selected_among_the_classes_is_what_is_explained_however_they_are_sorted(browser, server):
    with watched(browser, server) as page:
        open_example(page)
        page.click('[data-attribute="disease"] >> text=Watch the worst class')
        page.wait_for_selector(".player")
        selected = page.locator('.grid-rows [aria-selected="true"]')
        playwright.expect(selected).to_have_count(1)
        playwright.expect(selected).to_contain_text("476**")
        title = page.inner_text(".explanation h2")
        page.select_option("#class-sort", "age")
        playwright.expect(selected).to_have_count(1)
        playwright.expect(selected).to_contain_text("2*")
        assert page.inner_text(".explanation h2") == title
        page.fill("#class-search", "4790")
        playwright.expect(page.locator(".grid-rows [role=row]")).to_have_count(1)
        playwright.expect(selected).to_have_count(0)
        assert page.inner_text(".explanation h2") == title
        page.focus(".grid")
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        playwright.expect(selected).to_have_count(1)
        playwright.expect(page.locator(".explanation h2")).to_contain_text("4790*")
        show(page, "figures")
        page.click('[data-attribute="salary"] >> text=Watch the worst class')
        playwright.expect(page.locator(".explanation h2")).to_contain_text("zip 476**, age 2*")
        playwright.expect(page.locator("#class-search")).to_have_value("")
        playwright.expect(selected).to_contain_text("2*")


def test_thousands_of_classes_are_listed_by_drawing_a_few(browser, server):
    text = "zip,pay\n" + "\n".join(f"{at % 30_000},{at % 13}" for at in range(60_000))
    with watched(browser, server) as page:
        page.set_input_files("#file", {"name": "people.csv", "mimeType": "text/csv", "buffer": text.encode()})
        page.wait_for_selector(".verdict h2")
        settled(page)
        show(page, "classes")
        page.wait_for_selector(".grid-rows .key")
        assert page.get_attribute(".grid", "aria-rowcount") == "30001"
        assert page.locator(".grid-rows [role=row]").count() < 40
        page.select_option("#class-sort", "zip")
        playwright.expect(page.locator(".grid-rows .key").first).to_have_text("29999")
        page.focus(".grid")
        page.keyboard.press("End")
        playwright.expect(page.locator(".grid-rows .key").last).to_have_text("0")
        page.fill("#class-search", "12345")
        page.wait_for_selector("text=1 class of 30,000 found")
        page.focus(".grid")
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        page.wait_for_selector(".player")
        assert "zip 12345" in page.inner_text(".explanation h2")


def test_a_cell_is_a_text_whatever_it_holds(browser, server):
    evil = "<img src=x onerror=alert(1)>"
    text = f'"{evil}",pay\n"{evil}",1\nb,2\n"{evil}",3\n'
    with watched(browser, server) as page:
        page.on("dialog", lambda _dialog: pytest.fail("a cell was run"))
        page.set_input_files("#file", {"name": f"{evil}.csv", "mimeType": "text/csv", "buffer": text.encode()})
        page.wait_for_selector(".column")
        page.select_option(f'[data-column="{evil}"] select', "quasi-identifier")
        page.select_option('[data-column="pay"] select', "sensitive")
        page.wait_for_selector(".verdict h2")
        settled(page)
        show(page, "classes")
        page.wait_for_selector(".grid-rows .key")
        playwright.expect(page.locator(".grid-rows")).to_contain_text(evil)  # keys arrive after their rows
        assert page.locator("main img").count() == 0


def test_a_job_is_cancelled_on_the_page(browser, server, adult_file):
    with watched(browser, server) as page:
        page.set_input_files("#file", str(adult_file))
        page.wait_for_selector(".verdict h2")
        settled(page)
        show(page, "repair")
        page.wait_for_selector(".slider")
        page.click("#frontier-start")
        page.click("[data-cancel]")
        page.wait_for_selector("#frontier-outcome >> text=Cancelled")


def test_without_the_token_the_page_says_what_to_do(browser, server):
    page = browser.new_context().new_page()
    page.goto(server.base)
    page.wait_for_selector("text=This page needs its token")
    page.close()


def test_the_token_leaves_the_address_and_outlives_a_reload(browser, server):
    with watched(browser, server) as page:
        page.wait_for_selector("[data-example=salary]")
        assert server.door.token not in page.url
        page.reload()
        page.wait_for_selector("[data-example=salary]")


def test_the_private_file_leads_to_the_page(browser, server, tmp_path):
    page = browser.new_context().new_page()
    page.goto(_way_to(server.door.address, tmp_path).as_uri())
    page.wait_for_selector("[data-example=salary]")
    page.close()


def test_the_checker_finds_nothing_serious_and_nothing_overflows(browser, server):
    """One walk, looked at in every width and both schemes where it stops."""
    checker = axe().read_text(encoding="utf-8")
    found = {}

    def check(page, name):
        page.evaluate(checker)
        for scheme in ("light", "dark"):
            for width in (375, 1024, 1920):
                page.set_viewport_size({"width": width, "height": 800})
                page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                report = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
                grave = [each for each in report["violations"] if each["impact"] in ("serious", "critical")]
                wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                told = [(each["id"], [node["target"] for node in each["nodes"]][:3]) for each in grave]
                found[name, width, scheme] = told + ([("wider than the window", wide)] if wide > 0 else [])
        page.set_viewport_size({"width": 375, "height": 800})

    with watched(browser, server, bypass_csp=True, viewport={"width": 375, "height": 800}) as page:
        page.wait_for_selector("[data-example=salary]")
        check(page, "start")
        open_example(page)
        check(page, "figures")
        show(page, "columns")
        for unfold in page.locator(".unfold").all():
            unfold.click()
        check(page, "columns")
        show(page, "classes")
        page.wait_for_selector(".grid-rows .key")
        page.click(".grid-rows [role=row]")
        page.wait_for_selector(".player")
        check(page, "classes")
        show(page, "repair")
        page.wait_for_selector('[data-level-figure="loss"]')
        page.click("#release-start")
        page.wait_for_selector('[data-file="release.csv"]')
        page.click("#compare summary")
        page.wait_for_selector(".sides .changed")
        page.click("#useful summary")
        page.wait_for_selector("svg.useful")
        for kind in ("frontier", "lattice", "attack"):
            page.click(f"#{kind}-start")
            page.wait_for_selector(f"svg.{kind}")
        check(page, "repair")
    assert {name: problems for name, problems in found.items() if problems} == {}
