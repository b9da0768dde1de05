"""Cells, keys, widths and words: each shown so that it can be taken for nothing else."""

import datetime as dt
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.auditing.audit import audit
from tclose.policy.roles import Hierarchical, Nominal, Numeric, Ordered
from tclose.reports.document import Cell
from tclose.reports.formats.layout import aligned, elided, width_of, wrapped
from tclose.reports.machine_readable.audits import value_data
from tclose.reports.phrases.audits import distance_words, failing_words, verdict_sentence
from tclose.reports.phrases.cells import WITHHELD, cell_data, cell_text, key_data, key_text, visible
from tclose.reports.phrases.numbers import joined


@pytest.mark.parametrize(
    ("value", "text", "data"),
    [
        (None, "∅", None),
        (float("nan"), "∅", None),
        (float("-inf"), "-inf", "-Infinity"),
        (True, "true", True),
        (10**30, str(10**30), 10**30),
        (2.5, "2.5", 2.5),
        (2.0, "2", 2),
        (Decimal("0.1"), "0.1", 0.1),
        (Decimal("0.1234567890123456789"), "0.1234567890123456789", "0.1234567890123456789"),
        (Fraction(1, 4), "1/4", "1/4"),
        (b"\x00\xff", "0x00ff", "00ff"),
        (dt.datetime(2020, 1, 2, 3, 4), "2020-01-02T03:04:00", "2020-01-02T03:04:00"),
        (dt.time(3, 4), "03:04:00", "03:04:00"),
        (dt.timedelta(days=1), "1 day, 0:00:00", "1 day, 0:00:00"),
    ],
)
def test_a_cell_of_every_kind_is_shown(value, text, data):
    assert cell_text(value) == text
    assert cell_data(value) == data


@given(st.text())
def test_shown_text_can_be_printed_in_one_line(text):
    assert visible(text).isprintable() or all(letter.isspace() for letter in visible(text) if not letter.isprintable())
    assert len(visible(text).splitlines()) <= 1


@given(st.text(), st.integers(2, 40))
def test_an_elided_text_is_never_too_wide(text, width):
    assert width_of(elided(visible(text), width)) <= width


@given(st.lists(st.lists(st.text(max_size=60), min_size=3, max_size=3), min_size=1, max_size=4), st.integers(40, 100))
def test_aligned_rows_are_never_too_wide(rows, width):
    lines = aligned([[Cell(visible(text)) for text in row] for row in rows], width)
    assert len(lines) == len(rows)
    assert max(map(width_of, lines)) <= width


def test_no_rows_make_no_lines():
    assert aligned([], 80) == []
    assert wrapped("", 80) == [""]


def test_a_table_of_one_class_and_a_withheld_key_are_said_in_words():
    assert key_text({}) == "the whole table"
    assert key_text({"zip": WITHHELD}) == "withheld"
    assert key_data({"zip": WITHHELD}) is None
    assert str(WITHHELD) == "•••"


@pytest.mark.parametrize(
    ("distance", "words"),
    [
        (Ordered(), "ordered by value"),
        (Ordered("frequency", "first"), "ordered by frequency, missing values placed first"),
        (Ordered(("a", "b")), "ordered as declared (2 values)"),
        (Numeric("drop"), "numeric, by difference over range, missing values left out"),
        (Nominal(), "nominal, all values equally far apart"),
        (Hierarchical(Path("tree.csv")), "hierarchical, by tree.csv"),
        (Hierarchical({"*": ["a"]}), "hierarchical"),
    ],
)
def test_a_distance_is_said_without_values(distance, words):
    assert distance_words(distance) == words


def test_names_are_enumerated():
    assert [joined(names) for names in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


@pytest.mark.parametrize(
    ("require", "words"),
    [
        ({"k": 3, "l": {"salary": 3}}, "meets both requirements"),
        ({"k": 3, "l": {"salary": 3}, "alpha": {"salary": "1/2"}}, "meets all 3 requirements"),
        ({"k": 4, "l": {"salary": 4}}, "meets neither requirement"),
        ({"k": 4, "l": {"salary": 4}, "alpha": {"salary": "1/9"}}, "meets none of the 3 requirements"),
        ({"k": 4}, "does not meet its requirement"),
    ],
)
def test_the_verdict_is_a_sentence(require, words):
    assert verdict_sentence(audit("example:salary", require=require)) == f"The example 'salary' {words}."


def test_a_requirement_that_cannot_fail_and_one_of_the_whole_table_say_so():
    found = audit("example:salary", require={"t": {"salary": "0.9"}, "marketer": "0.1"})
    words = {verdict.requirement.model.key: failing_words(verdict) for verdict in found.verdicts}
    assert words["t"] == "none, ever"
    assert words["marketer"] == "the table"


def test_a_figure_without_value_is_null():
    assert value_data(float("nan")) == {"value": None}
