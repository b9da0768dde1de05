"""The report for people: the verdict first, exact figures, no line too long, nothing a terminal would obey."""

import re

import pytest

from tclose.auditing.audit import audit
from tclose.models.catalogue import MODELS
from tclose.policy.roles import Nominal, Ordered, Roles
from tclose.reports.content.audits import audit_document
from tclose.reports.formats.layout import width_of
from tclose.reports.formats.text import text as shown_as_text
from tclose.reports.phrases.cells import cell_text, key_text, visible

SALARY = Roles(["zip", "age"], ["salary:ordered"])


def audit_text(found, *, show_classes=5, **shape):
    """Return an audit as text."""
    return shown_as_text(audit_document(found, show_classes=show_classes), **shape)


HOSTILE = "\x1b[2J\u202eevil\x9b31m<script>"


def test_the_first_line_is_the_verdict():
    failing = str(audit("example:salary", SALARY, require={"k": 3, "t": "0.2"}))
    assert failing.startswith(
        "✗ The example 'salary' does not meet 1 of 2 requirements. Published without\nprotection: disease.\n"
    )
    holding = str(audit("example:salary", require={"k": 3}))
    assert holding.splitlines()[0] == "✓ The example 'salary' meets its requirement."
    assert "nothing was required" in str(audit("example:salary")).splitlines()[0]


def test_the_salary_table_reads_as_expected():
    text = audit_text(audit("example:salary", SALARY, require={"t": "0.2"}))
    assert "✗  t ≤ 0.2   salary  0.375 (3/8)  2 classes, 6 rows  zip=476**, age=2*" in text
    assert "salary  ordered by value; 9 values" in text
    assert "No class could have t above 0.5 (1/2); a threshold from there on is vacuous." in text
    assert "age  0.1667 (1/6)  drives the disclosure" in text
    assert '0.1667  3 rows  zip=4790*, age=">=40"' in text


def test_what_drives_the_disclosure_is_told_whole_on_a_narrow_page():
    lines = audit_text(audit("example:salary", SALARY), width=40).splitlines()
    at = lines.index("    age  0.1667 (1/6)")
    assert lines[at + 1].strip() == "drives the disclosure"


def test_classes_that_are_withheld_and_read_the_same_are_told_once():
    table = {"zip": [1, 2, 3, 4, 5, 5], "illness": ["a", "b", "a", "b", "a", "b"]}
    shown = audit_text(audit(table, Roles(["zip"], {"illness": Nominal()}))).partition("worst classes by t:")[2]
    assert shown.splitlines()[1:3] == ["    0.5  1 row   4 classes, each withheld", "    0    2 rows  withheld"]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_no_line_is_longer_than_the_page(width):
    long = "a very long column name that goes on and on " * 3
    table = {
        long: ["x" * 90, "x" * 90, "年齢" * 40],
        "b": [1, 2, 3],
        "secret " * 15: ["p", "q", "r"],
    }
    roles = Roles([long, "b"], {"secret " * 15: Nominal()})
    text = audit_text(audit(table, roles, require={"k": 2, "t": "1/7"}), width=width)
    assert max(width_of(line) for line in text.splitlines()) <= width


def test_text_without_colour_has_no_escape_sequences_and_colour_only_adds_them():
    found = audit("example:salary", require={"k": 3, "t": "0.2"})
    plain, coloured = audit_text(found), audit_text(found, colour=True)
    assert "\x1b" not in plain
    assert "\x1b[31m" in coloured
    assert re.sub("\x1b\\[[0-9;]*m", "", coloured) == plain


def test_hostile_names_and_cells_are_written_out():
    table = {HOSTILE: [HOSTILE, "b"], "s\x07": ["\x1b]0;x\x07", "y"]}
    text = audit_text(audit(table, Roles([HOSTILE], {"s\x07": Nominal()}), require={"k": 2, "t": 0}))
    assert not any((ord(letter) < 32 and letter != "\n") or 0x7F <= ord(letter) < 0xA0 for letter in text)
    assert "\u202e" not in text
    assert "\\x1b[2J" in text


def test_a_missing_value_differs_from_the_texts_that_read_like_one():
    shown = [cell_text(value) for value in (None, "∅", "null", "", " ", "None")]
    assert shown == ["∅", '"∅"', "null", '""', '" "', "None"]
    assert key_text({"zip": None, "age": "null"}) == "zip=∅, age=null"


def test_a_class_with_a_null_key_is_listed():
    found = audit({"q": [None, None, "null"], "s": [1, 2, 3]}, Roles(["q"], {"s": Ordered()}))
    text = str(found.with_people())
    assert "q=∅" in text
    assert "q=null" in text


def test_every_class_is_said_of_an_attributes_own_classes_only():
    table = {"q": ["a", "a", "b", "b"], "s": ["u", "v", "u", "u"], "r": ["1", "2", "1", "1"]}
    text = str(audit(table, Roles(["q"], {"s": Nominal(), "r": Nominal()}, together="quasi")))
    assert "every class" in text
    assert "measured with the others as" in text


@pytest.mark.parametrize(
    "measure", [[key] for key in MODELS if not MODELS[key].needs_supersets] + ["usual", "all"], ids=str
)
def test_every_choice_of_models_can_be_shown(measure):
    found = audit("example:salary", measure=measure, population="example:salary")
    assert str(found)
    assert found._repr_html_()
    assert found.to_markdown()


def test_no_classes_are_listed_when_none_are_wanted():
    assert "worst classes" not in audit_text(audit("example:salary"), show_classes=0)


def test_visible_leaves_ordinary_text_alone():
    assert visible("Müller, 年齢 – ½") == "Müller, 年齢 – ½"
