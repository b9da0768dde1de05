"""The report for machines: it fits its schema, is the same every time, and holds exact figures."""

import datetime as dt
import json
from decimal import Decimal
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from tclose.auditing.audit import audit
from tclose.policy.roles import Hierarchical, Nominal, Numeric, Ordered, Roles
from tclose.reports.content.redaction import redacted
from tclose.reports.machine_readable.audits import json_text, schema_text

VALIDATOR = Draft202012Validator(json.loads(schema_text()))
TREE = {"*": {"lung": ["flu", "pneumonia"], "colon": ["colitis"]}}
PEOPLE = {
    "zip": ["1", None, "1", None],
    "born": [dt.date(1990, 1, 31)] * 4,
    "height": [Decimal("1.5"), Decimal("1.5"), 2, 2],
    "pay": [1, 2, 3, 4],
    "illness": ["flu", "pneumonia", "colitis", "flu"],
    "grade": ["low", "high", "low", "high"],
}


def checked(found):
    text = found.to_json()
    data = json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    VALIDATOR.validate(data)
    return data


def test_the_schema_is_a_schema_and_is_the_one_in_the_docs():
    Draft202012Validator.check_schema(json.loads(schema_text()))
    assert (Path(__file__).parents[2] / "docs" / "audit.schema.json").read_text(encoding="utf-8") == schema_text()


def test_the_salary_table_has_its_known_figures():
    data = checked(audit("example:salary", require={"k": 3, "t": "0.2"}))
    assert (data["rows"], data["classes"], data["holds"], data["k"]["value"]) == (9, 3, False, 3)
    salary = data["attributes"]["salary"]
    assert salary["distance"] == "ordered"
    assert (salary["t"]["value"], salary["t"]["exact"], salary["l"]["value"]) == (0.375, "3/8", 3)
    assert salary["t"]["worst"] == {"key": {"zip": "476**", "age": "2*"}, "size": 3, "tied": 1}
    failed = [requirement for requirement in data["requirements"] if not requirement["holds"]]
    assert failed[0]["text"] == "t ≤ 0.2"
    assert failed[0]["threshold"] == {"value": 0.2, "exact": "1/5", "text": "0.2"}
    assert failed[0]["failing"] == {"classes": 2, "rows": 6}


def test_holds_is_null_when_nothing_is_required():
    assert checked(audit("example:salary"))["holds"] is None


@pytest.mark.parametrize("together", ["each", "quasi", "joint"])
@pytest.mark.parametrize("measure", ["usual", "all"])
def test_every_kind_of_audit_fits_the_schema(together, measure):
    sensitive = {
        "pay": Numeric(),
        "illness": Hierarchical(TREE),
        "grade": Ordered(order=("low", "high")),
    }
    roles = Roles(["zip", "born", "height"], sensitive, together=together)
    population = None if together == "quasi" else PEOPLE
    found = audit(PEOPLE, roles, require={"k": 2, "t": "1/3"}, measure=measure, population=population)
    checked(found)
    checked(redacted(found))


def test_cells_keep_their_kind_in_keys():
    data = checked(audit(PEOPLE, Roles(["zip", "born", "height"], {"grade": Nominal()})).with_people())
    key = data["k"]["worst"]["key"]
    assert key["zip"] is None
    assert key["born"] == "1990-01-31"
    assert key["height"] in (1.5, 2)


def test_an_infinite_figure_is_null_and_says_so():
    data = checked(audit("example:salary", measure=["delta"]))
    assert data["attributes"]["salary"]["delta"]["value"] is None
    assert data["attributes"]["salary"]["delta"]["infinite"] is True


def test_the_same_audit_gives_the_same_text():
    first, second = (audit("example:salary", require={"t": "0.2"}).to_json() for _ in range(2))
    assert first == second


def test_hostile_cells_survive_and_obey_no_terminal():
    hostile = "\x1b[2J\x9b\u202e"
    found = audit({"q": [hostile, "b", "b"], "s": ["x", "y", "y"]}, Roles(["q"], {"s": Nominal()}))
    text = found.with_people().to_json()
    assert not any(letter in text for letter in hostile if not letter.isascii() or not letter.isprintable())
    assert json.loads(text)["k"]["worst"]["key"]["q"] == hostile


def test_text_that_is_not_unicode_is_still_valid_json():
    assert json.loads(json_text({"source": "\udc80.csv"}).encode("utf-8")) == {"source": "\udc80.csv"}


def test_redaction_leaves_figures_and_takes_keys_and_values():
    found = audit(
        {"q": ["KEYCANARY", "other"], "s": ["ORDERCANARY", "y"]},
        Roles(["q"], {"s": Ordered(order=("ORDERCANARY", "y"))}),
        require={"k": 2},
    )
    data = checked(redacted(found))
    assert "CANARY" not in redacted(found).to_json()
    assert data["k"]["worst"]["key"] is None
    assert data["k"]["value"] == 1
    assert data["roles"]["sensitive"]["s"]["order"] is None
