"""A statement says what an audit says, to the last digit, and no name or text of it is ever run."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from fractions import Fraction

import duckdb
import pytest
import sqlglot
from hypothesis import given, settings

import tclose
from tclose import Hierarchical, Nominal, Numeric, Ordered, Roles
from tclose.auditing.sql_audit import DIALECTS, audit_sql
from tclose.errors import InputError
from warehouses.statement_cases import asked, audited, read, statement, typed
from warehouses.strange_tables import KINDS, PLAIN, differing, strange

HOSTILE = ['"; DROP TABLE visits; --', "a'b", "a\\'b", "a`b", "a\nb", "{{ 7 * 7 }}", "{% raw %}", "--", "/*", 'ü "q"']


def in_sqlite(columns, query):
    with closing(sqlite3.connect(":memory:")) as connection:
        names = ", ".join('"' + name.replace('"', '""') + '"' for name in columns)
        connection.execute(f'CREATE TABLE "the visits" ({names})')
        marks = ", ".join("?" * len(columns))
        connection.executemany(f'INSERT INTO "the visits" VALUES ({marks})', zip(*columns.values(), strict=True))
        return connection.execute(query).fetchall()


def in_duckdb(columns, query):
    with duckdb.connect() as connection:
        connection.register("the visits", typed(columns))
        return connection.execute(query).fetchall()


@settings(max_examples=60)
@given(case=asked())
def test_a_statement_says_what_an_audit_says(case):
    columns, roles, require = case
    expected = audited(columns, roles, require)
    for dialect, run in (("duckdb", in_duckdb), ("sqlite", in_sqlite)):
        assert read(run(columns, statement('"the visits"', roles, require, dialect))) == expected


def strange_in_duckdb(table, query):
    with duckdb.connect() as connection:
        connection.register("visits", table)
        return connection.execute(query).fetchall()


def strange_in_sqlite(table, query):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE visits (word TEXT, big INTEGER, rate REAL, who TEXT)")
        rows = zip(*(column.to_pylist() for column in table.columns), strict=True)
        connection.executemany("INSERT INTO visits VALUES (?, ?, ?, ?)", rows)
        return connection.execute(query).fetchall()


def test_cells_that_look_alike_stay_apart():
    """Blanks, case, accents, empty texts, zeros with a sign, NaN, numbers beyond 53 bits, decimals, days, moments."""
    assert differing(strange_in_duckdb, "duckdb", range(60), tuple(KINDS)) == []
    assert differing(strange_in_sqlite, "sqlite", range(60), PLAIN) == []


def test_every_dialect_reads_the_statements_of_strange_tables():
    for seed in range(6):
        _, roles, require = strange(seed)
        for dialect in DIALECTS:
            (parsed,) = sqlglot.parse(statement("clinic.visits", roles, require, dialect), read=dialect)
            assert isinstance(parsed, sqlglot.exp.Select)


@settings(max_examples=10)
@given(case=asked())
def test_every_dialect_is_one_select_of_its_own_grammar(case):
    _, roles, require = case
    for dialect in DIALECTS:
        (parsed,) = sqlglot.parse(statement("clinic.visits", roles, require, dialect), read=dialect)
        assert isinstance(parsed, sqlglot.exp.Select)
        assert {table.name for table in parsed.find_all(sqlglot.exp.Table)} >= {"visits"}


@pytest.mark.parametrize("name", HOSTILE)
def test_names_and_texts_stay_names_and_texts(name):
    roles = Roles([f"{name}1"], {f"{name}2": Ordered(order=(name, "z"))})
    for dialect in DIALECTS:
        query = audit_sql('"' + name.replace('"', '""') + '"', roles, require={"k": 2}, dialect=dialect)
        (parsed,) = sqlglot.parse(query, read=dialect)
        assert name in {table.name for table in parsed.find_all(sqlglot.exp.Table)}
        assert {f"{name}1", f"{name}2"} <= {column.name for column in parsed.find_all(sqlglot.exp.Column)}
        assert name in {each.this for each in parsed.find_all(sqlglot.exp.Literal) if each.is_string}


def test_long_gaps_between_the_values_of_a_class_are_added_up_at_once():
    """Classes that hold few of 400 values: gaps of one sign, and gaps in which it changes."""
    columns = {
        "q": [1] * 3 + [2] * 2 + [3] + [4] * 400 + [5] * 2,
        "s": [1, 200, 400, 399, 3, 57, *range(1, 401), 1, 1],
    }
    roles, require = Roles("q", {"s": Ordered()}), {"k": "1", "l": "1", "t": "0.2"}
    expected = audited(columns, roles, require)
    for dialect, run in (("duckdb", in_duckdb), ("sqlite", in_sqlite)):
        assert read(run(columns, statement('"the visits"', roles, require, dialect))) == expected


def told(rows):
    """The figures of a statement's result by model: the fraction, whether it holds, how many classes it judged."""
    return {row[0]: (Fraction(int(row[3]), int(row[4])), row[6], int(row[9])) for row in rows}


def test_what_all_people_of_a_class_have_in_common_is_found():
    """Twenty people with HIV and four of eight other values each; the pairs of people and values differ by 1/9."""
    people = [(who, 1, "hiv") for who in range(20)]
    people += [(who, 1, f"d{(4 * who + at) % 8}") for who in range(20) for at in range(4)]
    people += [(20 + who, 2, f"d{who % 8}") for who in range(80)]
    columns = dict(zip(("who", "q", "ill"), map(list, zip(*people, strict=True)), strict=True))
    roles, require = Roles("q", {"ill": Nominal()}, person="who"), {"k": "1", "l": "2", "t": "0.2"}
    for dialect, run in (("duckdb", in_duckdb), ("sqlite", in_sqlite)):
        found = told(run(columns, statement('"the visits"', roles, require, dialect)))
        assert found == {"k": (20, 1, 2), "l": (1, 0, 2), "t": (Fraction(4, 5), 0, 2)}


@pytest.mark.parametrize("distance", [Nominal(nulls="drop"), Ordered(nulls="drop")])
def test_people_without_a_value_in_a_class_are_judged_by_those_that_they_have_elsewhere(distance):
    """Of two people the one with the value 1 is alone in a class, without it: half of all have 1, and all there."""
    columns = {"q": [1, 2, 2], "pay": [None, 1, 2], "who": [1, 1, 2]}
    roles, require = Roles("q", {"pay": distance}, person="who"), {"k": "1", "l": "2", "t": "0.4"}
    for dialect, run in (("duckdb", in_duckdb), ("sqlite", in_sqlite)):
        found = told(run(columns, statement('"the visits"', roles, require, dialect)))
        assert found == {"k": (1, 1, 2), "l": (2, 1, 1), "t": (Fraction(1, 2), 0, 2)}


def test_people_with_several_of_many_values_are_as_far_from_each_as_an_audit_says():
    chance = random.Random(5)
    columns = {
        "q": [chance.randrange(4) for _ in range(300)],
        "pay": [int(chance.random() * chance.random() * 60) for _ in range(300)],
        "ill": [f"d{chance.randrange(12)}" for _ in range(300)],
        "who": [chance.randrange(70) for _ in range(300)],
    }
    sensitive = {"pay": Ordered(order="frequency"), "ill": Nominal()}
    roles, require = Roles("q", sensitive, person="who"), {"k": "1", "l": "1", "t": "0.1"}
    expected = audited(columns, roles, require)
    for dialect, run in (("duckdb", in_duckdb), ("sqlite", in_sqlite)):
        assert read(run(columns, statement('"the visits"', roles, require, dialect))) == expected


def test_two_distances_that_can_be_equal_are_not_told_where_comparing_them_is_too_large():
    """A fifth of 100,000 people have a, all in one class; a fifth of 150,000 pairs have q, all in another."""
    who = [*range(20_000), *range(20_000), *range(20_000), *range(10_000), *range(20_000, 100_000)]
    ill = ["a"] * 20_000 + ["b"] * 20_000 + ["c"] * 20_000 + ["d"] * 10_000 + ["q"] * 30_000 + ["w"] * 50_000
    columns = {"q": [1] * 70_000 + [2] * 30_000 + [3] * 50_000, "ill": ill, "who": who}
    roles, require = Roles("q", {"ill": Nominal()}, person="who"), {"k": "1", "l": "1", "t": "0.5"}
    rows = {row[0]: row for row in in_sqlite(columns, statement('"the visits"', roles, require, "sqlite"))}
    assert (rows["l"][6], rows["l"][10]) == (1, None)
    assert (rows["t"][3], rows["t"][6]) == (None, None)
    assert "too large" in rows["t"][10]
    found = told(in_duckdb(columns, statement('"the visits"', roles, require, "duckdb")))
    assert found["t"] == (Fraction(4, 5), 0, 3)


@pytest.mark.parametrize(
    ("columns", "roles", "problem"),
    [
        ({"q": [1], "s": [None]}, Roles("q", {"s": Ordered()}), "missing"),
        ({"q": [1], "s": [None]}, Roles("q", {"s": Ordered(nulls="drop")}), "no row has a value"),
        ({"q": [1], "s": ["x"]}, Roles("q", {"s": Ordered(order=("low", "high"))}), "order"),
        ({"q": [1], "s": ["x"]}, Roles("q", {"s": Ordered(order=("low", "high"), nulls="last")}), "order"),
        ({"q": [1, 2], "s": [1, 2], "p": [1, None]}, Roles("q", {"s": Ordered()}, person="p"), "no person"),
        ({"q": [], "s": []}, Roles("q", {"s": Ordered()}), "no rows"),
        ({"q": [1, 1], "s": ["5-9", "10-14"]}, Roles("q", {"s": Ordered()}), "texts"),
        ({"q": [1, 1], "s": ["9", "10"]}, Roles("q", {"s": Ordered(order="frequency")}), "may be numbers"),
    ],
)
def test_what_cannot_be_judged_is_a_problem_and_no_verdict(columns, roles, problem):
    rows = in_sqlite(columns, audit_sql('"the visits"', roles, require={"l": 1, "t": 1}, dialect="sqlite"))
    judged = [row for row in rows if row[1] is not None]
    assert [row[0] for row in judged] == ["l", "t"]
    for row in judged:
        assert problem in row[10]
        assert row[3] is row[6] is row[7] is None


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        (["b", "a", "c", "c"], True),
        (["9", "10", "ten", "ten"], True),
        (["9", "10", "10", "10"], True),
        (["9", None, "10", "10"], True),
        (["9", "10", "3", "3"], False),
        (["1.5", "-2", "3k", "3k"], False),
    ],
)
def test_equally_frequent_texts_are_ordered_as_an_audit_orders_them(cells, told):
    """Texts that are all numbers are ordered as numbers, which a statement can't do: then it says so."""
    columns = {"q": [1, 2, 2, 1], "ill": cells}
    roles = Roles("q", {"ill": Ordered(order="frequency", nulls="last")})
    require = {"k": "1", "l": "1", "t": "0.4"}
    expected = audited(columns, roles, require)
    assert expected is not None
    for dialect, run in (("duckdb", in_duckdb), ("sqlite", in_sqlite)):
        assert read(run(columns, statement('"the visits"', roles, require, dialect))) == (expected if told else None)


def test_numbers_too_large_for_the_database_give_no_verdict():
    """With 2,100 rows of 2,000 values and a threshold of 16 digits, products pass the 64 bits that SQLite has."""
    columns = {"q": [1] * 2100, "s": [*range(2000), *([0] * 100)]}
    roles, require = Roles("q", {"s": Ordered()}), {"k": "1", "l": "1", "t": "0.0000000000000001"}
    (row,) = [row for row in in_sqlite(columns, statement('"the visits"', roles, require, "sqlite")) if row[0] == "t"]
    assert (row[3], row[6]) == (None, None)
    assert "too large" in row[10]
    found = read(in_duckdb(columns, statement('"the visits"', roles, require, "duckdb")))
    assert found == audited(columns, roles, require)


@pytest.mark.parametrize(
    ("roles", "require", "said"),
    [
        (Roles("q", {"s": Numeric()}), {}, "ordered or nominal"),
        (Roles("q", {"s": None}), {}, "says no distance"),
        (Roles("q", {"s": Hierarchical({"all": ["a"]})}), {}, "is hierarchical"),
        (Roles("q", {"s": Nominal()}), {"entropy_l": 2}, "'entropy_l'"),
        (Roles("q", {"s": Nominal(), "u": Nominal()}, together="joint"), {}, "together='each'"),
        (Roles("q", {"s": Nominal()}), {"t": {"u": 0.1}}, "'u'"),
    ],
)
def test_what_a_statement_cannot_judge_is_refused(roles, require, said):
    with pytest.raises(InputError, match=said):
        audit_sql("visits", roles, require=require)


def test_an_unknown_dialect_and_a_name_that_is_none_are_refused():
    roles = Roles("q", {"s": Nominal()})
    with pytest.raises(InputError, match="Did you mean 'postgres'"):
        audit_sql("visits", roles, dialect="postgresql")
    with pytest.raises(InputError, match="not the name of a table"):
        audit_sql('a"b', roles)
    assert tclose.audit_sql is audit_sql
