"""A table on the levels of its hierarchies has the audit of the table that publishes them, class by class."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from tclose.anonymization.problem_setup import attributes_of, framed
from tclose.auditing.audit import audit_release
from tclose.engines.duckdb.session import DuckDBSession
from tclose.engines.level_counts import LevelledTable, LevelsEngine
from tclose.errors import InternalError
from tclose.models.catalogue import requirements
from tclose.policy.policy import Policy
from tclose.web.analyses import _on

ZIPS = {"all": {"47*": {"471": None, "472": None}, "48*": {"481": None}}}
SEXES = {"person": {"f": None, "m": None}}
ROLES = tclose.Roles(quasi=["zip", "sex"], sensitive={"pay": tclose.Ordered(), "ill": tclose.Nominal()})
ROWS = st.lists(
    st.tuples(
        st.sampled_from(["471", "472", "481"]), st.sampled_from("fm"), st.integers(1, 4), st.sampled_from(["a", "b"])
    ),
    min_size=1,
    max_size=25,
)
UP = {"zip": [lambda v: v, lambda v: f"{v[:2]}*", lambda _: "all"], "sex": [lambda v: v, lambda _: "person"]}


def on_levels(rows, roles, levels):
    """Return the table on some levels, and the same made by hand."""
    columns = dict(zip(("zip", "sex", "pay", "ill"), map(list, zip(*rows, strict=True)), strict=True))
    session = DuckDBSession()
    distinct = session.distinct(session.open(columns), roles.quasi, attributes_of(roles), lambda _stage, _share: None)
    frame = framed(distinct, roles, (), Policy().with_options({"hierarchies": {"zip": ZIPS, "sex": SEXES}}))
    table = LevelledTable(distinct, frame.attributes, frame.rows, _on(frame, levels), "a table")
    return table, columns | {name: [UP[name][level](v) for v in columns[name]] for name, level in levels.items()}


@settings(max_examples=25, deadline=None)
@given(rows=ROWS, levels=st.fixed_dictionaries({"zip": st.integers(0, 2), "sex": st.integers(0, 1)}))
def test_levels_are_audited_as_the_table_that_publishes_them(rows, levels):
    table, by_hand = on_levels(rows, ROLES, levels)
    wanted = {"k": 2, "t": "0.3"}
    found = audit_release(LevelsEngine(), table, ROLES, requirements(wanted), None)
    expected = tclose.audit(by_hand, ROLES, require=wanted, drivers=False)
    for audit in (found, expected):
        assert len(audit.classes) == audit.class_count
    told = [audit.to_dict() | {"source": "", "notes": [], "columns": []} for audit in (found, expected)]
    assert told[0] == told[1]
    for how in ({}, {"sort": "pay.t", "limit": 2, "offset": 1}, {"search": "4"}):
        assert list(found.classes.rows(**how)) == list(expected.classes.rows(**how))
    assert found.classes.up_to("size", [1, 2, 9]) == expected.classes.up_to("size", [1, 2, 9])
    assert found.classes.found("8") == expected.classes.found("8")
    key = found.attributes["pay"]["t"].worst.key
    for name in ("pay", "ill"):
        assert found.evidence[name].histogram(key) == expected.evidence[name].histogram(key)
    assert found.evidence["pay"].matching(key) == 1


def test_class_sizes_are_judged_without_a_sensitive_attribute():
    roles = tclose.Roles(quasi=["zip", "sex"])
    table, _ = on_levels(
        [("471", "f", 1, "a"), ("472", "f", 1, "a"), ("481", "f", 1, "a")], roles, {"zip": 1, "sex": 0}
    )
    assert audit_release(LevelsEngine(), table, roles, requirements({"k": 1}), None).k == 1


def test_levels_recode_nothing():
    table, _ = on_levels([("471", "f", 1, "a")], ROLES, {"zip": 0, "sex": 0})
    engine = LevelsEngine()
    assert engine.open(table) is table
    with pytest.raises(InternalError, match="no rows to recode"):
        engine.recode(table, None)
    with pytest.raises(InternalError, match="not of a table"):
        engine.open({"zip": [1]})


def test_the_classes_of_levels_can_be_written(tmp_path):
    table, by_hand = on_levels([("471", "f", 1, "a"), ("481", "f", 2, "a")], ROLES, {"zip": 1, "sex": 0})
    found = audit_release(LevelsEngine(), table, ROLES, (), None)
    expected = tclose.audit(by_hand, ROLES)
    for name, audit in (("a.csv", found), ("b.csv", expected)):
        audit.classes.write(tmp_path / name)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
