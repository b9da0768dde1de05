"""A statement says in PostgreSQL what an audit says, to the last digit."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings

from tclose import Ordered, Roles
from warehouses.statement_cases import asked, audited, read, statement, typed
from warehouses.strange_tables import KINDS, differing


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=asked())
def test_postgresql_says_what_an_audit_says(postgresql, case):
    columns, roles, require = case
    postgresql.put("the visits", typed(columns))
    found = read(postgresql.rows(statement('"the visits"', roles, require, "postgres")))
    assert found == audited(columns, roles, require)


def test_cells_that_look_alike_stay_apart(postgresql):
    def run(table, query):
        postgresql.put("visits", table)
        return postgresql.rows(query)

    assert differing(run, "postgres", range(20), tuple(KINDS)) == []


def test_texts_that_are_as_frequent_are_in_the_order_of_an_audit_whatever_the_server_sorts_by(postgresql):
    """By its own order, a, B, Z, two classes would fail; by that of an audit, B, Z, a, one."""
    columns = {"q": [1] * 4 + [2] * 2 + [3] * 3, "ill": ["a", "a", "B", "B", "B", "Z", "Z", "Z", "a"]}
    postgresql.put("the visits", typed(columns))
    if postgresql.rows("SELECT 1 FROM pg_collation WHERE collname = 'und-x-icu'"):
        postgresql.run('ALTER TABLE "the visits" ALTER COLUMN ill TYPE TEXT COLLATE "und-x-icu"')
    roles, require = Roles("q", {"ill": Ordered(order="frequency")}), {"k": "1", "l": "1", "t": "0.2"}
    found = read(postgresql.rows(statement('"the visits"', roles, require, "postgres")))
    assert found == audited(columns, roles, require)
    assert [each[5] for each in found if each[0] == "t"] == [1]


def test_texts_have_no_order_that_nobody_gave(postgresql):
    postgresql.put("the visits", typed({"q": [1, 1], "ill": ["5-9", "10-14"]}))
    rows = postgresql.rows(statement('"the visits"', Roles("q", {"ill": Ordered()}), {"t": "1"}, "postgres"))
    assert {row[10] for row in rows if row[1] == "ill"} == {"values are texts: give their order"}
