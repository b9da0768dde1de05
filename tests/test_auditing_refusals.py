"""What an audit refuses rather than answer falsely, and declared things it must not lose."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import tclose
from tclose.errors import ColumnNotFoundError, DomainError, EmptyTableError, InputError

BOTH = {"quasi": ["zip", "age"], "sensitive": ["salary:ordered", "disease:nominal"]}


def test_a_threshold_for_one_attribute_is_refused_where_attributes_are_measured_together() -> None:
    with pytest.raises(InputError, match="measured together"):
        tclose.audit("example:salary", tclose.Roles(**BOTH, together="joint"), require={"t": {"salary": "0.1"}})


def test_a_given_reference_is_refused_where_attributes_are_measured_together() -> None:
    shares = {"salary": {3000: 1}, "disease": {"flu": 1}}
    with pytest.raises(InputError, match="measured together"):
        tclose.audit("example:salary", tclose.Roles(**BOTH, together="joint"), reference=shares)


def test_a_given_reference_must_cover_every_sensitive_attribute() -> None:
    with pytest.raises(InputError, match="no distribution for 'salary'"):
        tclose.audit("example:salary", tclose.Roles(**BOTH), reference={"disease": {"flu": 1}})


def test_a_population_that_lacks_people_of_the_table_is_refused() -> None:
    with pytest.raises(DomainError, match="fewer rows than the table in 4"):
        tclose.audit("example:incidents", population={"zone": ["2C", "4F", "9A", "3B"]})


def test_a_population_without_rows_is_refused() -> None:
    with pytest.raises(EmptyTableError):
        tclose.audit("example:incidents", population={"zone": []})


def test_a_population_goes_with_the_others_counted_among_the_quasi_identifiers() -> None:
    roles = tclose.Roles(**BOTH, together="quasi")
    people = {"zip": ["476**"] * 8 + ["4790*"] * 3, "age": ["2*"] * 4 + ["3*"] * 4 + [">=40"] * 3}
    assert tclose.audit("example:salary", roles, population=people).figures["k_map"].value == 3


@pytest.mark.parametrize("sensitive", ["s", "s:ordered"])
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_an_order_that_the_column_declares_is_kept_when_ordered_is_said(sensitive: str, library: str) -> None:
    # low < mid < high < top; class a holds low and mid: S = 1/4, 2/4, 1/4 over three edges, so t = 1/3.
    values, order = ["low", "mid", "high", "top"], ["low", "mid", "high", "top"]
    keys = ["a", "a", "b", "b"]
    if library == "pandas":
        frame: object = pd.DataFrame({"q": keys, "s": pd.Categorical(values, order, ordered=True)})
    else:
        frame = pl.DataFrame({"q": keys, "s": pl.Series(values, dtype=pl.Enum(order))})
    assert tclose.audit(frame, tclose.Roles("q", sensitive))["s"].t == Fraction(1, 3)


def test_the_range_of_whole_numbers_can_be_required_under_the_ordered_distance() -> None:
    audit = tclose.audit("example:salary", require={"ke": {"salary": "3,2000"}})
    assert audit.holds
    assert audit["salary"]["ke"].value == 2000


def test_a_requirement_that_fails_is_never_called_vacuous() -> None:
    table = {"q": ["a", "b", "b"], "s": [1.5, 2, 3]}
    audit = tclose.audit(table, tclose.Roles("q", "s:ordered"), require={"ke": "2,0", "nt": "20,1"})
    assert [(verdict.holds, verdict.vacuous) for verdict in audit.verdicts] == [(False, False), (False, False)]


def test_two_requirements_of_one_model_keep_a_figure_each() -> None:
    from tclose.models.catalogue import Requirement
    from tclose.models.diversity import RecursiveL

    both = [Requirement(RecursiveL(level), Fraction(3)) for level in (2, 3)]
    figures = tclose.audit("example:salary", require=both)["disease"].figures
    assert [figures[key].value for key in ("recursive", "recursive(level=3)")] == [Fraction(1, 2), Fraction(1)]


def test_an_unknown_name_or_figure_says_what_there_is() -> None:
    audit = tclose.audit("example:salary")
    with pytest.raises(InputError, match="there are 'salary', 'disease'"):
        audit["salry"]
    with pytest.raises(InputError, match="measure='all'"):
        audit["salary"]["js"]


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        (
            "name,2019\na,4\nb,5\n",
            "first line was read as a row. If that line names the columns, say so: ReadOptions(header=True).",
        ),
        ("a:b\n1:2\n", "name it: ReadOptions(delimiter=…)."),
        ("a,b\nx,2\n", "does not name the columns, say so: ReadOptions(header=False)."),
    ],
)
def test_a_column_that_is_not_found_says_how_the_first_line_was_read(tmp_path: Path, text: str, way_out: str) -> None:
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ColumnNotFoundError, match=re.escape(way_out)):
        tclose.audit(tmp_path / "t.csv", tclose.Roles("zip code", "diagnosis"))
