"""The page draws every option that it may set from its declaration, and says at its field what is wrong with it."""

import tomllib

import pytest

from tclose.policy.policy import every_option
from tclose.web.openapi import openapi
from tclose.web.settings import PLACES
from web.browsing import settled, watched

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect


def of_the_page(place):
    return {name: each for name, each in every_option().items() if each.place == place and each.page}


def opened(page):
    page.click("[data-example=salary]")
    settled(page)


@pytest.mark.parametrize("place", PLACES)
def test_the_page_is_told_of_every_option_that_it_may_set(server, place):
    told = {each["name"]: each for each in server.client.get("/api").json()["forms"][place]}
    assert told.keys() - {"together"} == of_the_page(place).keys()
    for name, each in of_the_page(place).items():
        assert (told[name]["label"], told[name]["help"]) == (each.label, each.help)
    for each in told.values():
        assert (each["widget"] == "choice") == bool(each["choices"])
        assert all(choice["title"] for choice in each["choices"])
    if place == "release":
        assert all(each["meaning"] for name in ("method", "loss") for each in told[name]["choices"])


def test_every_option_that_the_page_may_set_is_drawn_with_its_label(browser, server):
    with watched(browser, server) as page:
        opened(page)
        page.click("#tab-repair")
        for place in PLACES:
            for name, each in of_the_page(place).items():
                control = page.locator(f"#{name}")
                expect(control).to_have_count(1)
                called = each.label if name == "preset" else page.text_content(f"label[for={name}]")
                assert called == each.label
                if not each.prominent:
                    assert not control.is_visible()
        assert page.get_attribute("#preset", "aria-label") == every_option()["preset"].label


def test_further_settings_reach_the_policy_file_and_what_is_wrong_is_said_beside_the_field(browser, server, tmp_path):
    with watched(browser, server) as page:
        opened(page)
        page.click("#tab-repair")
        page.click("#more-settings > summary")
        page.fill("#effort", "3")
        page.press("#effort", "Enter")
        page.fill("#seed", "a few")
        page.press("#seed", "Enter")
        page.click("#release-start")
        expect(page.locator("#seed-fault")).to_contain_text("Seed must be a whole number")
        assert page.get_attribute("#seed", "aria-invalid") == "true"
        assert page.get_attribute("#seed", "aria-describedby") == "seed-fault"
        page.fill("#seed", "9007199254740993")  # a browser has no such number
        page.press("#seed", "Enter")
        expect(page.locator("#seed-fault")).to_have_count(0)
        page.check("#pruned")
        page.select_option("#against", "original")
        with page.expect_download() as started:
            page.click("#policy-save")
        started.value.save_as(tmp_path / "tclose.toml")
        page.set_input_files("#policy-file", tmp_path / "tclose.toml")
        expect(page.locator("#seed")).to_have_value("9007199254740993")
    saved = tomllib.loads((tmp_path / "tclose.toml").read_text(encoding="utf-8"))
    assert saved["release"] == {"effort": 3, "seed": 9007199254740993, "pruned": True, "against": "original"}


def test_what_an_audit_refuses_is_said_beside_the_field_and_gone_once_it_is_right(browser, server):
    with watched(browser, server) as page:
        opened(page)
        page.click("#more-more > summary")
        for name, wrong, right in (("withstand", "7", "0.2"), ("population_size", "few", "1,000")):
            page.fill(f"#{name}", wrong)
            page.press(f"#{name}", "Enter")
            expect(page.locator(f"#{name}-fault")).to_contain_text(f"{every_option()[name].label} must be")
            page.fill(f"#{name}", right)
            page.press(f"#{name}", "Enter")
            expect(page.locator(f"#{name}-fault")).to_have_count(0)
        page.fill("#sampling_fraction", "0.1")
        page.press("#sampling_fraction", "Enter")
        expect(page.locator("#population_size-fault")).to_contain_text("several ways")
        page.fill("#population_size", "")
        page.press("#population_size", "Enter")
        expect(page.locator("#population_size-fault")).to_have_count(0)
        settled(page)


def test_the_description_has_what_the_page_may_set_and_no_path(server):
    sections = openapi()["components"]["schemas"]["Policy"]["properties"]
    for place in PLACES:
        assert of_the_page(place).keys() <= sections[place]["properties"].keys()
    assert not {"key_file", "key_variable"} & sections["release"]["properties"].keys()
    work = openapi()["components"]["schemas"]["Work"]["properties"]
    for name in ("measure", "drivers", "sweep", "methods"):
        assert work[name]["description"] == every_option()[name].help
