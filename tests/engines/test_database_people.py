"""People are counted in a database as they are in a frame, whatever tells them apart."""

from __future__ import annotations

import datetime as dt

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from test_database_agrees import data

import tclose
from laws.people import counting_at_most, peopled
from tclose.anonymization.output import held
from tclose.engines.database import counts
from tclose.errors import InputError, SourceError

few = settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
ASKED = {"measure": "all", "require": {"k": 2, "t": "1/3", "nt": "4,1/2"}, "drivers": True}


@few
@given(people=peopled())
def test_every_model_counts_people_alike(put, people):
    found = tclose.audit(put("visits", people.columns), people.roles, **ASKED)
    mine = tclose.audit(people.columns, people.roles, **ASKED)
    assert data(found) == data(counting_at_most(mine, found))


@settings(few, max_examples=5)
@given(people=peopled(most_rows=10))
def test_populations_references_and_small_sets_count_people_alike(put, people):
    population = {name: [*cells, *cells] for name, cells in people.columns.items() if name != "s"}
    reference = {name: [*cells, *cells[:3]] for name, cells in people.columns.items()}
    asked = {"measure": "all", "drivers": False}
    mine = tclose.audit(people.columns, people.roles, population=population, reference=reference, **asked)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts, "PAIRS_AT_ONCE", 3)
        found = tclose.audit(
            put("visits", people.columns), people.roles, population=put("everyone", population),
            reference=put("other", reference), **asked,
        )  # fmt: skip
    first, second = data(found), data(mine)
    for each in (first[0], second[0]):
        del each["reference"]
    assert first == second


PERSONS = {
    "dates": [dt.date(2020, 1, 1), dt.date(2020, 1, 1), dt.date(1999, 12, 31)],
    "times": [dt.datetime(2020, 1, 1, 1), dt.datetime(2020, 1, 1, 1), dt.datetime(2020, 1, 1, 2)],
    "texts with blanks": ["a", "a", "a "],
    "texts of two cases": ["é", "é", "É"],
    "wide numbers": [2**62, 2**62, 2**62 + 1],
}


@pytest.mark.parametrize("who", PERSONS.values(), ids=PERSONS)
def test_people_are_told_apart_by_values_of_every_type(put, who):
    columns = {"q": ["a"] * 3, "s": ["x", "y", "x"], "who": who}
    roles = tclose.Roles("q", "s:nominal", person="who")
    for table in (put("typed", columns), columns):
        found = tclose.audit(table, roles, drivers=False)
        assert (found.rows, found.people, found.k) == (3, 2, 2)


@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_somebody_without_a_number_is_counted_once_however_it_is_missing(postgresql, role):
    """NaN and null are both missing; 46/1295 instead of 131/6887 came of counting somebody with both twice."""
    rates = [1.0, 2.0, float("nan"), None, float("nan"), None, 1.0, 1.0]
    columns = {"q": [1, 1, 1, 1, 2, 2, 2, 2], "rate": rates, "who": [1, 1, 2, 2, 3, 4, 4, 5]}
    roles = {
        "quasi": tclose.Roles("rate", "q:nominal", person="who"),
        "sensitive": tclose.Roles("q", {"rate": tclose.Ordered(nulls="last")}, person="who"),
    }[role]
    mine = tclose.audit(columns, roles, **ASKED)
    kinds = {"q": pa.int64(), "rate": pa.float64(), "who": pa.int64()}
    table = pa.table({name: pa.array(cells, kinds[name], from_pandas=False) for name, cells in columns.items()})
    address = postgresql.put("rates", table)
    assert data(tclose.audit(address, roles, **ASKED)) == data(mine)
    postgresql.run("ALTER TABLE rates ALTER COLUMN rate TYPE NUMERIC")
    assert data(tclose.audit(address, roles, **ASKED)) == data(mine)


def test_rows_of_nobody_are_refused_and_repeated_identifiers_are_told(put):
    address = put("nobody", {"q": ["a"] * 3, "s": ["x"] * 3, "who": ["1", None, "1"]})
    with pytest.raises(SourceError, match=r"1 row without a value in the column 'who'"):
        tclose.audit(address, tclose.Roles("q", "s:nominal", person="who"))
    (warning,) = tclose.audit(address, tclose.Roles("q", "s:nominal", "who")).warnings
    assert (warning.code, warning.column) == ("rows-not-people", "who")
    padded = put("padded", {"q": ["a"] * 3, "s": ["x"] * 3, "who": ["P1", " P1", "P2 "]})
    (warning,) = tclose.audit(padded, tclose.Roles("q", "s:nominal", person="who")).warnings
    assert (warning.code, warning.column) == ("person-blanks", "who")


def test_only_counts_leave_the_database(put, monkeypatch):
    """No query that fetches a cube asks for the column of people itself, but for how many there are."""
    asked = []
    whole = counts.grouping_query
    monkeypatch.setattr(counts, "grouping_query", lambda *given: asked.append(whole(*given)) or asked[-1])
    columns = {"q": ["a", "b"] * 3, "s": ["x", "y", "x"] * 2, "who": [1, 1, 2, 2, 3, 3]}
    tclose.audit(put("counted", columns), tclose.Roles("q", "s:nominal", person="who"))
    assert asked
    for query in asked:
        fetched, counted, _ = query.partition(" FROM ")[0].partition("count(DISTINCT ")
        assert counted
        assert "who" not in fetched


def test_numbers_beside_a_text_are_added_to_fetched_rows_and_refused_in_a_transaction(put):
    address = put("ages", {"age": [31, 32, 47]})
    asked = {"require": {"k": 1}, "hierarchies": {"age": "intervals:10"}, "levels": {"age": 1}}
    release = tclose.anonymize(address, tclose.Roles("age"), **asked, numbers={"age": "bounds"})
    rows = [tuple(row.values()) for row in release.to_arrow().to_pylist()]
    assert sorted(rows) == [("[30, 40)", 30, 40), ("[30, 40)", 30, 40), ("[40, 50)", 40, 50)]
    with (
        held(address, None) as source,
        pytest.raises(InputError, match=r"'age_low', 'age_high' cannot be added in a database or on Spark"),
    ):
        tclose.anonymize(source, tclose.Roles("age"), **asked, numbers={"age": "bounds"})
