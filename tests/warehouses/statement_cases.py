"""Tables for statements, and what a statement must say of them: what an audit of the same table says."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any
from unittest import mock

import pyarrow as pa
from hypothesis import strategies as st

import tclose
from tclose import Nominal, Ordered, Roles
from tclose.auditing.sql_audit import audit_sql
from tclose.engines.duckdb.people import PeopleCounts
from tclose.models.domains import Domain

TEXTS = ('the "zip"', "ill", "level")
SCALE = ("low", "middle", "it's high", "never")


@st.composite
def asked(draw: st.DrawFn) -> tuple[dict[str, list[Any]], Roles, dict[str, str]]:
    """Columns, the roles of some of them, and requirements."""
    rows = draw(st.integers(1, 24))

    def column(values: list[Any]) -> list[Any]:
        return draw(st.lists(st.sampled_from(values), min_size=rows, max_size=rows))

    columns = {
        'the "zip"': column(["a", "b", "it's", "", None]),
        "age`s": column([0, 1, -2, None]),
        "pay": column([1, 2, 3, 5, 8, 13, 2**40]),
        "ill": column(["x", "y", "z", None]),
        "level": column(["low", "middle", "it's high", None]),
        "rate": column([0.0, -0.0, 0.1, math.nan, math.inf, -math.inf, 1e300, None]),
        "who": column(list(range(1, 2 + rows))),
    }
    ill = Nominal(nulls=draw(st.sampled_from(["category", "drop"])))
    level = Ordered(order=SCALE, nulls=draw(st.sampled_from(["drop", "first", "last"])))
    pay = Ordered(order=draw(st.sampled_from(["value", "frequency"])))
    rate = Ordered(nulls=draw(st.sampled_from(["error", "drop", "first", "last"])))
    judged = [("pay", pay), ("ill", ill), ("level", level), ("rate", rate)]
    sensitive = draw(st.permutations(judged))[: draw(st.integers(1, 3))]
    quasi = draw(st.sampled_from([['the "zip"', "age`s"], ["age`s"], ['the "zip"'], ["rate"]]))
    sensitive = [(name, distance) for name, distance in sensitive if name not in quasi] or [("pay", pay)]
    roles = Roles(quasi, dict(sensitive), person=draw(st.sampled_from([None, "who"])))
    require = {
        "k": str(draw(st.integers(1, 4))),
        "l": str(draw(st.integers(1, 3))),
        "t": draw(st.sampled_from(["0.2", "1/3", "0.0999998", "0.5", "1"])),
    }
    return columns, roles, require


def typed(columns: dict[str, list[Any]]) -> pa.Table:
    """The columns with the types that they are to have where every cell is missing, too; NaN stays NaN."""
    kinds = {name: pa.string() if name in TEXTS else pa.float64() if name == "rate" else pa.int64() for name in columns}
    return pa.table({name: pa.array(cells, kinds[name], from_pandas=False) for name, cells in columns.items()})


def audited(columns: dict[str, list[Any]], roles: Roles, require: dict[str, str]) -> list[tuple[Any, ...]] | None:
    """What an audit says, in the rows of a statement's result; None where it refuses the table."""
    return audited_table(typed(columns), roles, require)


def audited_table(table: pa.Table, roles: Roles, require: dict[str, str]) -> list[tuple[Any, ...]] | None:
    """What an audit says of a table with types, likewise, where it judges and counts as a statement does.

    A statement judges missing values in the one way that roles name, and adds up the people of the classes that fail,
    at most everybody; it says both. An audit also judges without missing values, and counts each person once.
    """
    class_by_class = mock.patch.object(PeopleCounts, "tells_people", False)
    try:
        with mock.patch.object(Domain, "present", None), class_by_class:
            found = tclose.audit(table, roles, require=require, drivers=False)
    except tclose.InputError:
        return None
    figures = [
        ("k" if each.attribute is None else each.requirement.model.key, each.attribute, found.unit, each.figure.exact,
         each.holds, each.failing_classes, each.failing_rows)
        for each in found.verdicts
    ]  # fmt: skip
    return sorted(figures, key=str)


def read(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]] | None:
    """The rows of a statement's result, likewise; None where it says a problem."""
    if any(row[10] is not None for row in rows):
        return None
    found = [
        (model, attribute, counts, Fraction(int(above), int(below)), holds == 1, int(failing), int(failing_rows))
        for model, attribute, counts, above, below, _, holds, failing, failing_rows, _, _ in rows
    ]
    return sorted(found, key=str)


def statement(table: str, roles: Roles, require: dict[str, str], dialect: str) -> str:
    return audit_sql(table, roles, require=require, dialect=dialect)
