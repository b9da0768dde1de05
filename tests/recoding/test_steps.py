"""Where published intervals end: steps of enough people, whose ends are round and nobody's own value."""

from __future__ import annotations

import datetime as dt
import random
import re
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from tclose.recoding.methods import METHODS
from tclose.recoding.steps import steps_of
from tclose.values import exact_number, written_sizes

K = 4
KINDS = {
    "whole numbers": st.integers(-500, 500),
    "decimals": st.decimals(-50, 50, places=2),
    "reals": st.floats(-1e6, 1e6),
    "days": st.dates(dt.date(1900, 1, 2), dt.date(2030, 12, 30)),
    "moments": st.datetimes(dt.datetime(1900, 1, 2), dt.datetime(2030, 12, 30)),
}


def columns(kind):
    """Return a strategy for distinct values in their order, each with its number of people."""
    return st.dictionaries(KINDS[kind], st.integers(1, 9), min_size=1, max_size=30).map(
        lambda found: sorted({value if value else abs(value): count for value, count in found.items()}.items())
    )


def size(text, kind):
    """Return where an end lies, on the same line as the values."""
    number = written_sizes([text])[text]
    return number / 86_400_000_000 if kind == "days" else number


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=40)
@given(data=st.data())
def test_every_step_holds_enough_people_and_covers_its_own_values_only(kind, data):
    column = data.draw(columns(kind))
    values, counts = [value for value, _ in column], [count for _, count in column]
    steps = steps_of(values, counts, K)
    held = Counter()
    for step, count in zip(steps.of.tolist(), counts, strict=True):
        held[step] += count
    assert min(held.values()) >= min(K, sum(counts))
    for step in held:
        members = [at for at, number in enumerate(steps.of.tolist()) if number == step]
        interval = steps.interval(members[0], members[-1])
        low, high = size(interval.low, kind), size(interval.high, kind)
        sizes = [exact_number(value) for value in values]
        ends = {high} - ({high} if interval.beyond else set())
        assert [at for at, size in enumerate(sizes) if low <= size < high or size in ends] == members


@pytest.mark.parametrize("kind", ["decimals", "reals", "days", "moments"])
@settings(max_examples=40)
@given(data=st.data())
def test_the_ends_of_a_step_of_several_rare_values_are_nobodys_where_there_is_room(kind, data):
    column = data.draw(columns(kind))
    values = [value for value, _ in column]
    steps = steps_of(values, [count for _, count in column], K)
    known = {exact_number(value) for value in values}
    room = min((b - a for a, b in zip(sorted(known), sorted(known)[1:], strict=False)), default=9) > 3
    for at in range(len(values)):
        if (steps.of == steps.of[at]).sum() > 1 and (room or kind != "days"):
            interval = steps.interval(at, at)
            assert size(interval.low, kind) not in known - {0}
            assert size(interval.high, kind) not in known


def patients():
    """Return people with their own days of birth, none at the start or the end of a month, and shared ages."""
    chance = random.Random(7)
    born = [dt.date(chance.randrange(1930, 2010), chance.randrange(1, 13), chance.randrange(3, 26)) for _ in range(160)]
    return {
        "born": born,
        "weight": [Decimal(chance.randrange(40, 120)) + Decimal("0.3") for _ in born],
        "age": [2020 - day.year for day in born],
        "illness": [chance.choice("abcd") for _ in born],
    }


@pytest.mark.parametrize("method", [*METHODS, "auto"])
@pytest.mark.parametrize("require", [{"k": K}, {"t": "0.4"}], ids=str)
@pytest.mark.parametrize("hierarchy", [None, "quantiles:8,4,2", "groups:8,16"])
def test_no_published_end_singles_out_a_person(method, require, hierarchy):
    table = patients()
    roles = tclose.Roles(["born", "weight", "age"], {"illness": None})
    trees = {"born": hierarchy, "weight": hierarchy} if hierarchy else {}
    release = tclose.anonymize(table, roles, require=require, method=method, hierarchies=trees)
    if release.recipe is None:
        pytest.skip(f"{method} finds no release here")
    for column in release.recipe.columns:
        people = Counter(as_written(value) for value in table[column.name])
        ends = [end for cell in column.cells if cell.level is None for end in (cell.low, cell.high)]
        ends += [end for cell in column.cells if cell.level for end in re.findall(r"[\d.:T-]+", cell.label or "")]
        rare = [end for end in ends if 0 < people[end] < K and column.name != "age"]
        assert rare == [], column.name


def as_written(value):
    return format(value.normalize(), "f") if isinstance(value, Decimal) else str(value)


def test_levels_mean_what_they_say():
    table = patients()
    roles = tclose.Roles(["born"], {"illness": None})
    release = tclose.anonymize(table, roles, require={"k": K}, levels={"born": (1, 3)})
    labels = {cell.label for column in release.recipe.columns for cell in column.cells}
    assert labels
    assert all(re.fullmatch(r"\d{4}(-\d\d)?s?", label) for label in labels), labels
