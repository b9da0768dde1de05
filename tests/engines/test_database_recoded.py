"""Rows recoded by SQL where they are: each goes where its values send it, as often as planned, and none is lost."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.recodings import LEFT_OUT, keys_of, recoding, rows_of
from engines.servers import execute
from engines.servers import rows_of as stored_rows
from tclose.data.sources import DatabaseTable
from tclose.engines.database.released import begun, storing
from tclose.engines.database.session import DatabaseSession
from tclose.errors import EmptyTableError, InputError

few = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
TEXTS = ["", "a", "A", "é", "e\u0301", "it's", '"', "a ", "NaN", None]
KEYS = {
    "texts": st.sampled_from(TEXTS),
    "whole numbers": st.sampled_from([0, -1, 2**53 + 1, -(2**63), None]),
    "numbers": st.sampled_from([0.0, 0.1, -1e300, 5e-324, math.inf, None]),
    "truths": st.sampled_from([True, False, None]),
    "days": st.sampled_from([dt.date(2000, 1, 1), dt.date(1, 1, 1), dt.date(2024, 2, 29), None]),
}
PLACES = ("q", "z", "s")


@st.composite
def plans(draw):
    """A table with a number for each row, and pieces that divide the rows of the same key values."""
    kinds = [draw(st.sampled_from([*KEYS])) for _ in PLACES]
    keys = draw(st.lists(st.tuples(*(KEYS[kind] for kind in kinds)), min_size=1, max_size=25))
    columns = {name: [key[at] for key in keys] for at, name in enumerate(PLACES)}
    columns["number"] = draw(st.permutations(range(len(keys))))
    columns["remark"] = [draw(st.sampled_from(["x", "y", None])) for _ in keys]
    labels = st.sampled_from([("*", None), ("*", "b"), ("it's", "*"), LEFT_OUT])
    pieces = []
    for key, rows in Counter(keys).items():
        cuts = sorted(draw(st.lists(st.integers(0, rows), max_size=2)))
        sizes = np.diff([0, *cuts, rows]).tolist()
        pieces += [(key, draw(labels), size) for size in sizes]
    return columns, pieces


def planned(pieces):
    """Return how many rows of each key values are to be published under each label."""
    found = Counter()
    for key, cells, rows in pieces:
        if cells is not LEFT_OUT:
            found[key, cells] += rows
    return +found


def stored(address, plan, **options):
    """Store what a recoding makes of a table as ``made`` in the same database, and return its rows."""
    source, target = DatabaseTable(address), DatabaseTable(address.partition("#")[0], table="made")
    execute(address, "DROP TABLE IF EXISTS made")
    with begun(source, target) as transaction:
        session = DatabaseSession()
        table = session.open(source.within(transaction)).keep(plan.columns)
        released = session.recode(table, plan, **options)
        with storing(released, target, session):
            pass
    return stored_rows(f"{address.partition('#')[0]}#made")


def given_back(value, address):
    """Return a value as the database's own driver gives it back."""
    if address.startswith("sqlite"):
        return int(value) if isinstance(value, bool) else value.isoformat() if isinstance(value, dt.date) else value
    return value


@few
@given(case=plans())
def test_every_row_goes_to_one_piece_and_pieces_have_their_numbers(put, case):
    columns, pieces = case
    plan = recoding(pieces, columns=[*columns], keys=PLACES, quasi=["q", "z"])
    address = put("divided", columns)
    if not planned(pieces):
        with pytest.raises(EmptyTableError):
            stored(address, plan)
        return
    found = stored(address, plan)
    original = {row["number"]: row for row in rows_of(columns)}
    came = Counter((keys_of(columns, PLACES)[columns["number"].index(row[3])], row[:2]) for row in found)
    assert came == planned(pieces)
    assert max(Counter(row[3] for row in found).values()) == 1
    for row in found:
        own = [given_back(original[row[3]][name], address) for name in ("s", "remark")]
        assert [row[2], row[4]] == own


COLUMNS = {
    "q": [1, 1, 2, 3, None],
    "z": ["a", None, "a", "b", "b"],
    "s": ["x", "y", "x", "x", "y"],
    "number": [*range(5)],
    "remark": ["r"] * 5,
}


def decided(keys):
    """Return a recoding under which the quasi-identifiers alone decide, for some of the keys."""
    pieces = [(key, ("*", key[1]), 0) for key in dict.fromkeys(keys)]
    return recoding(pieces, columns=[*COLUMNS], keys=["q", "z"], quasi=["q", "z"], counted=False)


def test_where_the_quasi_identifiers_decide_each_row_keeps_all_else(put):
    found = stored(put("decided", COLUMNS), decided(keys_of(COLUMNS, ["q", "z"])))
    assert Counter(found) == Counter(("*", row["z"], row["s"], row["number"], "r") for row in rows_of(COLUMNS))


def test_rows_that_no_piece_takes_are_refused_or_dropped(put):
    address, plan = put("strange", COLUMNS), decided(keys_of(COLUMNS, ["q", "z"])[:-1])
    with pytest.raises(InputError, match="1 row of strange"):
        stored(address, plan)
    assert sorted(row[3] for row in stored(address, plan, unknown="drop")) == [0, 1, 2, 3]


def test_rows_that_are_more_than_their_pieces_take_are_refused(put):
    pieces = [(key, ("*", "*"), 1) for key in keys_of(COLUMNS, PLACES)]
    plan = recoding(pieces, columns=[*COLUMNS], keys=PLACES, quasi=["q", "z"])
    doubled = {name: [*values, values[0]] for name, values in COLUMNS.items()}
    with pytest.raises(InputError, match="does not have just those rows"):
        stored(put("more", doubled), plan)


def test_what_is_audited_of_a_planned_release_is_what_its_rows_have(put):
    """The counts of a plan, and the rows when they are fetched after all."""
    source = DatabaseTable(put("planned", COLUMNS))
    with begun(source, None) as transaction:
        session = DatabaseSession()
        table = session.open(source.within(transaction)).keep([*COLUMNS])
        session.distinct(table, ["q", "z"], [("s",)], lambda _stage, _share: None)
        released = session.recode(table, decided(keys_of(COLUMNS, ["q", "z"])))
        counted = session.values(released.keep(["q", "z", "s"]), ("q", "z", "s"))
        fetched = [tuple(row.values()) for row in released.to_arrow().to_pylist()]
    assert dict(zip(counted.values, counted.counts.tolist(), strict=True)) == Counter(row[:3] for row in fetched)
    assert len(fetched) == released.rows == 5
