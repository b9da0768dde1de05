"""Where published intervals end: at cuts of a fixed grid with enough people in both cells beside them."""

from __future__ import annotations

import datetime as dt
import random
import re
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from tclose.anonymization.algorithms.catalogue import METHODS
from tclose.anonymization.algorithms.interval_ends import counted_by, counted_once, steps_of
from tclose.data.values import exact_number, written_sizes
from tclose.data.values.round_numbers import Grid
from tclose.models.counts import ValueSets

K = 4
KINDS = {
    "whole numbers": st.integers(-120, 120),
    "decimals": st.decimals(-3, 3, places=2),
    "reals": st.floats(-1e3, 1e3, allow_subnormal=False).map(lambda real: round(real, 4)),
    "days": st.dates(dt.date(1969, 10, 1), dt.date(1971, 3, 1)),
    "moments": st.datetimes(dt.datetime(1969, 11, 1), dt.datetime(1970, 2, 1)),
    "zoned": st.datetimes(dt.datetime(1969, 11, 1), dt.datetime(1970, 2, 1)).map(
        lambda moment: moment.replace(tzinfo=dt.timezone(dt.timedelta(hours=5)))
    ),
    "clocks": st.times(),
}


def people(kind):
    """Return a strategy for people, each with the values of their rows."""
    return st.lists(KINDS[kind], min_size=1, max_size=8).flatmap(
        lambda pool: st.lists(st.lists(st.sampled_from(pool), min_size=1, max_size=3), min_size=1, max_size=40)
    )


def steps_by(persons, least):
    """Return the distinct values of people in order, and their steps."""
    values = sorted({value if value else abs(value) for own in persons for value in own}, key=exact_number)
    at = {exact_number(value): place for place, value in enumerate(values)}
    sets = Counter(tuple(sorted({at[exact_number(value)] for value in own})) for own in persons)
    found = ValueSets(
        np.cumsum([0, *map(len, sets)]),
        np.array([place for own in sets for place in own], dtype=np.int32),
        np.array(list(sets.values())),
    )
    grid = Grid.of(values)
    return values, steps_of(grid, counted_once(found, len(values)), least), found


def calendar(day):
    """Return where the decade, the year, the quarter, the month and the day begin, and where the ones before do."""
    starts = [
        (dt.date(day.year // 10 * 10, 1, 1), lambda day: day.replace(year=day.year - 10)),
        (dt.date(day.year, 1, 1), lambda day: day.replace(year=day.year - 1)),
        (dt.date(day.year, (day.month - 1) // 3 * 3 + 1, 1), lambda day: months_before(day, 3)),
        (dt.date(day.year, day.month, 1), lambda day: months_before(day, 1)),
        (day, lambda day: day - dt.timedelta(1)),
    ]
    return [(rung, start, before(start)) for rung, (start, before) in enumerate(starts)]


def months_before(day, months):
    number = day.year * 12 + day.month - 1 - months
    return dt.date(number // 12, number % 12 + 1, 1)


def cells_of(value, kind):
    """Return the cells of every step in which a value lies: the step, where it begins, and where its neighbour does."""
    if kind in ("days", "moments", "zoned"):
        return calendar(value if kind == "days" else value.date())
    if kind == "clocks":
        sizes = [Fraction(size) for size in (43200, 21600, 3600, 1800, 600, 300, 60, 30, 10, 5)]
        sizes += [Fraction(10) ** power / part for power in range(0, -6, -1) for part in (1, 2)] + [Fraction(1, 10**6)]
        number = exact_number(value) / 10**6
    else:
        sizes = [Fraction(10) ** power / part for power in range(4, -17, -1) for part in (1, 2)]
        number = exact_number(value)
    return [(step, number // step * step, number // step * step - step) for step in sizes]


def admitted(persons, kind, least):
    """Return the cuts of the law: of every step the starts of cells that, with the cell before, hold enough people."""
    held, before = {}, {}
    for number, own in enumerate(persons):
        for value in own:
            for step, start, previous in cells_of(value, kind):
                held.setdefault((step, start), set()).add(number)
                before[step, start] = previous
    enough = {cell for cell, who in held.items() if len(who) >= least}
    return {start for step, start in enough if (step, before[step, start]) in enough}


def named(cut, kind):
    """Return a cut as the law has it, from its text."""
    if kind in ("days", "moments", "zoned"):
        return dt.date.fromisoformat(cut)
    return exact_number(dt.time.fromisoformat(cut)) / 10**6 if kind == "clocks" else Fraction(cut)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=150)
@given(data=st.data())
def test_cuts_are_those_with_enough_people_in_both_cells_beside_them(kind, data):
    persons, least = data.draw(people(kind)), data.draw(st.integers(1, 6))
    _, steps, _ = steps_by(persons, least)
    found = [named(steps.grid.word(cut), kind) for cut in steps.cuts]
    assert found == sorted(admitted(persons, kind, least))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60)
@given(data=st.data())
def test_every_step_holds_enough_people_and_covers_its_own_values_only(kind, data):
    persons, least = data.draw(people(kind)), data.draw(st.integers(1, 6))
    values, steps, _ = steps_by(persons, least)
    of = {exact_number(value): step for value, step in zip(values, steps.of.tolist(), strict=True)}
    held = Counter(step for own in persons for step in {of[exact_number(value)] for value in own})
    assert sorted(held) == list(range(len(steps.cuts) + 1))
    assert len(held) == 1 or min(held.values()) >= least
    for step in held if len(held) > 1 else ():
        members = [at for at, number in enumerate(steps.of.tolist()) if number == step]
        interval = steps.interval(members[0], members[-1])
        ends = written_sizes([end for end in (interval.low, interval.high) if end])
        unit = 86_400_000_000 if kind == "days" else 1
        sizes = [exact_number(value) * unit for value in values]
        low, high = ends.get(interval.low, min(sizes)), ends.get(interval.high, max(sizes))
        closed = set() if interval.beyond else {high}
        inside = [low <= size < high or size in closed for size in sizes]
        assert np.flatnonzero(inside).tolist() == members
        assert (interval.low is None) == (step == 0)
        assert (interval.high is None) == (step == len(steps.cuts))


@given(persons=people("whole numbers"), least=st.integers(1, 6))
def test_people_with_one_value_each_are_counted_by_value(persons, least):
    alone = [own[:1] for own in persons]
    values, steps, _ = steps_by(alone, least)
    counts = Counter(own[0] for own in alone)
    assert steps_of(steps.grid, counted_by([counts[value] for value in values]), least).cuts == steps.cuts


def test_one_cut_of_the_paper_example():
    """Of 3, 4, 12, 13, 14, 95 two lie from 0 to 10 and three from 10 to 20; no others side by side have two."""
    _, steps, _ = steps_by([[3], [4], [12], [13], [14], [95]], 2)
    assert [steps.grid.word(cut) for cut in steps.cuts] == ["10"]


def test_labels_of_points_in_time_have_no_clock():
    zone = dt.timezone(dt.timedelta(hours=2))
    values = [dt.datetime(2020, 1, day, 10, minute, tzinfo=zone) for day in (1, 2, 3) for minute in range(5)]
    steps = steps_of(Grid.of(values), counted_by([1] * 15), 5)
    found = [steps.interval(at, at) for at in (0, 5, 10)]
    assert [each.label for each in found] == ["< 2020-01-02", "[2020-01-02, 2020-01-03)", "≥ 2020-01-03"]
    assert found[1].low == "2020-01-02T00:00:00+02:00"


def test_declared_categories_are_named_and_have_no_open_ends():
    steps = steps_of(Grid.of([0, 1, 3], list("abcde")), counted_by([5, 5, 5]), 5)
    assert [steps.interval(*ends).label for ends in ((0, 0), (1, 1), (1, 2))] == ["a", "b", "[b, e]"]


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
