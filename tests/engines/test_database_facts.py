"""Whoever knows facts learns as much from tables in databases as from the same tables in frames."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tclose
from engines.servers import put_sqlite
from tclose.errors import InputError

few = settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
ASKED = {"facts": 2, "require": {"k": 2, "t": "0.5"}}
FACT_COLUMNS = {"fact_columns": ["ward", "day"], "traits": {"sex": "most-frequent"}}
ROLES = tclose.Roles(["sex", "ward", "day"], {"ill": tclose.Nominal(), "pay": tclose.Ordered()}, person="id")

rows = st.tuples(
    st.integers(1, 6),
    st.sampled_from(["F", "M", None]),
    st.sampled_from(["A", "B", "a ", None]),
    st.sampled_from([1, 2, None]),
    st.sampled_from(["flu", "cold", None]),
    st.integers(1, 3),
)


def columns(found):
    names = ("id", "sex", "ward", "day", "ill", "pay")
    return dict(zip(names, map(list, zip(*found, strict=True)), strict=True))


def figures(facts):
    return [
        (
            (power.sets, power.k.value, power.k.tied, power.alone, power.fewer),
            [(n, key, each.value, each.tied) for n, by in power.attributes.items() for key, each in by.items()],
        )
        for power in facts.powers
    ]


@few
@given(st.lists(rows, min_size=2, max_size=14))
def test_one_table_is_counted_alike(put, found):
    table = columns(found)
    asked = {**ASKED, **FACT_COLUMNS}
    mine, theirs = (tclose.audit(each, ROLES, **asked).facts for each in (table, put("visits", table)))
    assert figures(theirs) == figures(mine)
    assert [each.failing for each in theirs.verdicts] == [each.failing for each in mine.verdicts]
    assert theirs.tables[0].rows == len(found)


def test_tables_of_every_kind_go_together(put, tmp_path):
    people: dict[str, list[object]] = {
        "id": [1, 2, 3, 4, 5, 6],
        "sex": list("FFFMMM"),
        "ill": ["flu", "flu", "cold"] * 2,
    }
    visits = {"id": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6], "ward": list("ABAAABACACBC")}
    drugs: dict[str, list[object]] = {"id": [1, 2, 3, 4, 5, 6, 6], "drug": list("xxxyyyx")}
    roles = tclose.Roles(["sex", "ward", "drug"], {"ill": tclose.Nominal()}, person="id")
    mine = tclose.audit({"people": people, "visits": visits, "drugs": drugs}, roles, fact_columns=["drug"], **ASKED)
    lines = [f"{person},{drug}" for person, drug in zip(drugs["id"], drugs["drug"], strict=True)]
    (tmp_path / "drugs.csv").write_text("\n".join(["id,drug", *lines]))
    tables = {"people": put("people", people), "visits": put("visits", visits), "drugs": tmp_path / "drugs.csv"}
    theirs = tclose.audit(tables, roles, fact_columns=["drug"], **ASKED)
    assert theirs.to_dict() == mine.to_dict()
    tables["visits"] = put_sqlite(tmp_path / "other.db", "visits", visits, {"id": "INTEGER", "ward": "TEXT"})
    assert tclose.audit(tables, roles, fact_columns=["drug"], **ASKED).to_dict() == mine.to_dict()
    tables["people"] = put("named", {**people, "id": [f"00{each}" for each in people["id"]]})
    with pytest.raises(InputError) as refused:
        tclose.audit(tables, roles, fact_columns=["drug"], **ASKED)
    assert refused.value.code == "keys-of-different-types"


def test_pseudonyms_in_a_database_say_what_rows_single_out(put):
    visits = {"id": [1, 1, 2, 2, 3, 3], "ward": list("ABAAAB"), "ill": ["flu", "flu", "cold"] * 2}
    roles = tclose.Roles(["ward"], {"ill": tclose.Nominal()}, pseudonym="id")
    found = tclose.audit(put("visits", visits), roles, require={"k": 1})
    assert [each.alone for each in found.linked] == [each.alone for each in tclose.audit(visits, roles).linked]
