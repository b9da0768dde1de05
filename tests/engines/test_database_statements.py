"""A statement says in PostgreSQL what an audit says, to the last digit."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import HealthCheck, given, settings

from warehouses.statement_cases import asked, audited, read, statement


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=asked())
def test_postgresql_says_what_an_audit_says(postgresql, case):
    columns, roles, require = case
    typed = {name: pa.array(cells, pa.string() if name in TEXTS else pa.int64()) for name, cells in columns.items()}
    postgresql.put("the visits", pa.table(typed))
    found = read(postgresql.rows(statement('"the visits"', roles, require, "postgres")))
    assert found == audited(columns, roles, require)


TEXTS = ('the "zip"', "ill", "level")
