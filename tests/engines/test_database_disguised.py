"""Pseudonyms and shifted dates of a table in a database: those of a file by the same key, stored and judged there."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

import pandas as pd
import pytest

import tclose
from engines.servers import rows_of
from tclose import Nominal, Roles
from tclose.anonymization.output import held, store

FIRST = dt.date(2021, 3, 1)
COLUMNS: dict[str, list[Any]] = {
    "who": [at // 2 for at in range(80)],
    "age": [20 + at // 2 % 3 for at in range(80)],
    "ill": ["abc"[at * 7 % 3] for at in range(80)],
    "came": [None if at % 11 == 0 else FIRST + dt.timedelta(at * 13 % 300) for at in range(80)],
}
KEY = bytes(range(32))
ROLES = Roles(["age"], {"ill": Nominal()}, pseudonym="who", shifted=["came"])
ASKED = {"require": {"k": 4}, "method": "mondrian"}


def as_rows(frame):
    return Counter((str(who), str(age), str(ill), _day(came)) for who, age, ill, came in frame)


def _day(cell):
    return None if pd.isna(cell) else str(cell)[:10]


def of_release(release):
    return as_rows(release.to_pandas().itertuples(index=False, name=None))


@pytest.mark.parametrize("waiting", [True, False])
def test_a_keyed_release_of_a_database_is_that_of_a_file(put, waiting):
    address = put("visits", COLUMNS)
    into = f"{address.partition('#')[0]}#shown_again"
    beside = tclose.anonymize(COLUMNS, ROLES, key=KEY, **ASKED)
    if not waiting:
        assert of_release(tclose.anonymize(address, ROLES, key=KEY, **ASKED)) == of_release(beside)
        return
    with held(address, into) as table:
        release = tclose.anonymize(table, ROLES, key=KEY, **ASKED)
        assert store(release, into).audit.met
        assert release.revealed == beside.revealed
    assert as_rows(rows_of(into)) == of_release(beside)
    again = tclose.apply(address, release.recipe, key=KEY)
    assert of_release(again) == of_release(beside)


def test_fresh_pseudonyms_are_others_each_time_and_keep_people_apart(put):
    address = put("visits", COLUMNS)
    one, two = (tclose.anonymize(address, ROLES, **ASKED).to_pandas() for _ in range(2))
    assert {*one["who"]}.isdisjoint({*two["who"]})
    assert Counter(Counter(one["who"]).values()) == {2: 40}
    assert not {*one["who"]} & {str(who) for who in COLUMNS["who"]}


def test_rows_of_nobody_in_particular_are_shifted_each_by_itself(put):
    columns = {name: values for name, values in COLUMNS.items() if name != "who"}
    address = put("visits", columns)
    found = tclose.anonymize(address, Roles(["age"], {"ill": Nominal()}, shifted=["came"]), **ASKED)
    assert found.holds
    shown = Counter(_day(day) for day in found.to_pandas()["came"])
    assert shown[None] == sum(day is None for day in COLUMNS["came"])
    assert shown != Counter(_day(day) for day in COLUMNS["came"])
