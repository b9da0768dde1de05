"""Sensitive numbers rounded in a database: what is measured and stored is what a file gives, and nothing finer."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import pytest

import tclose
from engines.servers import execute, put_sqlite, rows_of
from tclose import Numeric, Ordered, Roles
from tclose.anonymization.output import held, store
from tclose.errors import InputError

AGES = [20 + at % 4 for at in range(80)]
WHOLE = [at * 137 % 9000 - 2000 for at in range(80)]
REAL = [None if at % 9 == 0 else at * 137 % 9000 - 1500 + (at % 4) / 4 for at in range(80)]
COLUMNS = {"age": AGES, "whole": WHOLE, "real": REAL}
REQUIRE = {"k": 5, "t": "0.4"}


def roles(step):
    return Roles(["age"], {"whole": Ordered(round=step), "real": Numeric(nulls="drop", round=step)})


def said(audit):
    return {name: {key: each.value for key, each in part.figures.items()} for name, part in audit.attributes.items()}


@pytest.mark.parametrize("step", ["1000", "7"])
def test_a_database_measures_what_a_frame_of_the_same_numbers_gives(put, step):
    found = tclose.audit(put("people", COLUMNS), roles(step))
    assert said(found) == said(tclose.audit(COLUMNS, roles(step)))


@pytest.mark.parametrize("method", ["mondrian", "gather"])
def test_a_stored_release_has_the_rounded_numbers_alone(put, method):
    address = put("people", COLUMNS)
    into = f"{address.partition('#')[0]}#rounded_{method}"
    with held(address, into) as table:
        release = tclose.anonymize(table, roles("1000"), require=REQUIRE, method=method, suppress="0.2")
        assert store(release, into).audit.holds
    stored = Counter((whole, real) for _, whole, real in rows_of(into))
    beside = tclose.anonymize(COLUMNS, roles("1000"), require=REQUIRE, method=method, suppress="0.2").to_pandas()
    wanted = beside[["whole", "real"]].astype(object)
    assert stored == Counter(wanted.where(wanted.notna(), None).itertuples(index=False, name=None))
    assert all(number is None or number % 1000 == 0 for row in stored for number in row)
    assert said(tclose.audit(into, roles("1000"))) == said(tclose.audit(into, roles("500")))


def test_a_decimal_step_is_exact_in_postgresql_and_duckdb_and_refused_in_sqlite(put):
    address = put("people", {"age": AGES, "rate": [at / 20 for at in range(80)]})
    rates = Roles(["age"], {"rate": Numeric(round="0.1")})
    if address.startswith("sqlite"):
        with pytest.raises(InputError, match=r"'rate'.*cannot be rounded exactly in"):
            tclose.audit(address, rates)
        return
    found = tclose.audit(address, rates)
    assert said(found) == said(tclose.audit({"age": AGES, "rate": [at / 20 for at in range(80)]}, rates))
    assert [float(value) for value in found.evidence["rate"].domain.values] == [at / 10 for at in range(41)]


def test_numeric_of_postgresql_is_rounded_with_all_its_digits(postgresql):
    address = f"{postgresql.address()}#exact"
    rates = ["0.4999999999999999999999", "0.5", "-0.5", "1.5", "12345678901234567.5", "NaN"]
    postgresql.run(
        "DROP TABLE IF EXISTS exact",
        "CREATE TABLE exact (age int, rate numeric)",
        *(f"INSERT INTO exact VALUES (1, '{rate}')" for rate in rates),
    )
    found = tclose.audit(address, Roles(["age"], {"rate": Ordered(nulls="drop", round=1)}))
    values = [Decimal(value) for value in found.evidence["rate"].domain.values]
    assert values == [Decimal(-1), Decimal(0), Decimal(1), Decimal(2), Decimal(12345678901234568)]
    execute(address, "INSERT INTO exact VALUES (1, 'Infinity')")
    with pytest.raises(InputError, match=r"'rate'.*1 number too large"):
        tclose.audit(address, Roles(["age"], {"rate": Ordered(nulls="drop", round=1)}))


def test_what_is_no_number_is_refused_by_name(put):
    with pytest.raises(InputError, match=r"'pay'.*holds text"):
        tclose.audit(put("people", {"age": AGES, "pay": ["a"] * 80}), Roles(["age"], {"pay": Ordered(round=10)}))


def test_the_largest_whole_number_is_refused_by_name(put):
    largest = {"age": AGES, "pay": [2**63 - 1] * 80}
    with pytest.raises(InputError, match=r"'pay'.*80 numbers too large"):
        tclose.audit(put("people", largest), Roles(["age"], {"pay": Ordered(round=10)}))


def test_a_query_and_a_recipe_round_too(tmp_path):
    address = put_sqlite(tmp_path / "a.db", "people", COLUMNS, {})
    tclose.anonymize(address, roles("1000"), require=REQUIRE, suppress="0.2").write(tmp_path / "release.csv")
    again = tclose.apply(address, tmp_path / "release.csv.recipe.json")
    assert again.holds
    assert all(number % 1000 == 0 for number in again.to_pandas()["whole"])
