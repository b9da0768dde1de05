"""More effort never keeps less, and what is stricter is a candidate of what is looser: by rows and by people."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from recoding.aggregation_problems import problems
from tclose.anonymization import counted_people as counting
from tclose.anonymization.algorithms import catalogue, threshold_sweep
from tclose.anonymization.algorithms.catalogue import METHODS, Finder, efforts_up_to, found
from tclose.anonymization.algorithms.checking import failing_classes
from tclose.anonymization.algorithms.partition import Partition, hulls
from tclose.anonymization.algorithms.search import Search
from tclose.anonymization.release_search import framed_table
from tclose.attacks.person_rows import Crowd
from tclose.engines.duckdb.session import DuckDBSession
from tclose.models.catalogue import requirements
from tclose.policy.policy import Policy

FEW = settings(max_examples=10, deadline=None)
FEWER = settings(max_examples=5, deadline=None)
BY_ROWS = [*(key for key, method in METHODS.items() if not method.for_any), "auto"]
BY_PEOPLE = ["gather", "mondrian", "merge", "full-domain", "auto"]


@st.composite
def posed(draw):
    """Problems with a quasi-identifier, with and without rows that may be left out."""
    problem = draw(problems().filter(lambda made: made.quasi))
    return replace(problem, suppress=draw(st.sampled_from([Fraction(0), Fraction(1, 4)])))


@pytest.mark.parametrize("method", BY_ROWS)
@given(problem=posed(), tiny=st.booleans())
@FEW
def test_more_effort_never_loses_more_by_rows(method, problem, tiny):
    losses = []
    with pytest.MonkeyPatch.context() as patched:
        if not tiny:
            patched.setattr(catalogue, "_TINY", 0)
        for effort in (0, 1, 2, 3, 5):
            release = found(method, problem, Search(effort=effort, rounds=4))
            losses.append(np.inf if release is None else release.loss)
    assert all(more <= less for less, more in pairwise(losses))


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_the_efforts_that_are_made_begin_with_those_of_every_smaller_one(one, other):
    less, more = (efforts_up_to(effort) for effort in sorted((one, other)))
    assert more[: len(less)] == less
    assert more[0] == 0
    assert max(more) <= max(one, other)


def test_what_gains_nothing_ends_the_search():
    finder = Finder("auto", Search(effort=64))
    efforts = [effort for effort, _ in finder.efforts()]
    said = [finder.in_vain(effort, gained=effort == 1) for effort in efforts]
    assert said.index(True) == efforts.index(4)


@st.composite
def visits(draw, *, traits):
    """Rows of people; as traits, what others know of somebody is the same in all of their rows."""
    people = draw(st.integers(6, 12))
    whose = [*range(people), *draw(st.lists(st.integers(0, people - 1), max_size=20))]
    ages = [draw(st.integers(20, 24)) for _ in range(people)]
    zones = [draw(st.sampled_from("ABC")) for _ in range(people)]
    return {
        "who": whose,
        "age": [ages[who] if traits or draw(st.booleans()) else draw(st.integers(20, 24)) for who in whose],
        "zone": [zones[who] for who in whose],
        "s": [draw(st.sampled_from("xyz")) for _ in whose],
        "r": [draw(st.sampled_from([1, 2, None])) for _ in whose],
    }


ROLES = tclose.Roles(["age", "zone"], {"s": tclose.Nominal(), "r": tclose.Ordered(nulls="drop")}, person="who")


@pytest.mark.parametrize("method", BY_PEOPLE)
@given(data=st.data(), traits=st.booleans(), k=st.integers(2, 3), t=st.sampled_from(["0.25", "0.4", "0.6"]))
@FEWER
def test_more_effort_never_keeps_less_of_people(method, data, traits, k, t):
    table, kept = data.draw(visits(traits=traits)), []
    for effort in (0, 1, 2):
        release = tclose.anonymize(
            table, ROLES, require={"k": k, "t": t}, hierarchies={"zone": "flat"}, method=method, effort=effort, seed=1
        )
        kept.append(release.kept if release.holds else -1.0)
    assert all(more >= less for less, more in pairwise(kept))


@given(data=st.data(), traits=st.booleans(), sweep=st.sampled_from(["k", "t"]))
@FEWER
def test_a_looser_threshold_never_keeps_less_of_people(data, traits, sweep):
    table = data.draw(visits(traits=traits))
    values, others = (["2", "3", "5"], {"t": "0.5"}) if sweep == "k" else (["0.2", "0.3", "0.5"], {"k": 2})
    points = tclose.frontier(
        table, ROLES, sweep=sweep, values=values, require=others, hierarchies={"zone": "flat"},
        methods=["mondrian", "merge"], effort=0, seed=1,
    ).points  # fmt: skip
    kept = defaultdict(list)
    for point in sorted(points, key=lambda each: each.threshold, reverse=sweep == "k"):
        kept[point.method].append(point.kept if point.holds else -1.0)
    assert {*kept} == {"mondrian", "merge"}
    assert all(loose >= strict for each in kept.values() for strict, loose in pairwise(each))


@pytest.mark.parametrize("method", ["auto", "merge", "mondrian", "full-domain"])
@given(problem=posed())
@FEWER
def test_a_looser_threshold_never_loses_more_of_rows(method, problem):
    posed_at = []
    for t in ("0.1", "0.3", "0.6"):
        (close,) = requirements({"t": t})
        tasks = [
            replace(task, requirements=(replace(task.requirements[0], threshold=close.threshold),))
            if task.model.key == "t"
            else task
            for task in problem.tasks
        ]
        posed_at.append(replace(problem, tasks=tuple(tasks)))
    releases = threshold_sweep.found_at_each(method, posed_at, Search(effort=1, rounds=4))
    losses = [np.inf if each is None else each.loss for each in releases]
    assert all(loose <= strict for strict, loose in pairwise(losses))


def counted(table):
    """The distinct rows of a table, with whose they are and how many people they bring."""
    engine = DuckDBSession()
    columns = ["age", "zone", "who"], [("s",), ("r",)]
    subjects = Crowd.of(engine.distinct(engine.open(table).keep(ROLES.counted), *columns, lambda *_: None))
    return subjects, counting.counted_once(subjects.distinct, subjects.crowd)


@given(data=st.data(), traits=st.booleans())
@settings(max_examples=40, deadline=None)
def test_people_add_up_over_combinations(data, traits):
    table = data.draw(visits(traits=traits))
    subjects, people = counted(table)
    distinct = subjects.distinct
    of_combination, having = defaultdict(set), defaultdict(set)
    for age, zone, who, s, r in zip(*(table[name] for name in ("age", "zone", "who", "s", "r")), strict=True):
        of_combination[age, zone].add(who)
        having["s", age, zone, s].add(who)
        having["r", age, zone, r].add(who)
    heads, masses = defaultdict(int), defaultdict(int)
    for row, (age, zone) in enumerate(distinct.codes.tolist()):
        known = distinct.quasi[0].listed[age], distinct.quasi[1].listed[zone]
        heads[known] += int(people.heads[row])
        for at, name in enumerate("sr"):
            value = distinct.sensitive[at].listed[distinct.sensitive_codes[row, at]]
            masses[(name, *known, value)] += int(people.masses[row, at])
    assert heads == {key: len(some) for key, some in of_combination.items()}
    assert masses == {key: len(some) for key, some in having.items()}
    assert (people.held is not None) == (len(of_combination) <= len(set(table["who"])) and _are_traits(table))


def _are_traits(table):
    known = defaultdict(set)
    for who, age, zone in zip(table["who"], table["age"], table["zone"], strict=True):
        known[who].add((age, zone))
    return all(len(each) == 1 for each in known.values())


@given(
    table=visits(traits=True),
    group_of=st.fixed_dictionaries(dict.fromkeys("ABC", st.integers(0, 2))),
    out=st.booleans(),
    require=st.sampled_from([{"k": 3}, {"l": 2}, {"t": "0.3"}, {"t": "0.5"}, {"entropy_l": "1.5"}, {"beta": "1"}]),
)
@settings(max_examples=40, deadline=None)
def test_a_search_judges_people_as_an_audit_does(table, group_of, out, require):
    """Where nobody has several combinations: also classes that people with several values are in, and what is left."""
    search = Search(whole_classes=True)
    policy = Policy().with_options({"hierarchies": {"zone": "flat"}, "suppress": "0.9"})
    engine = DuckDBSession()
    opened = engine.open(table)
    problem = framed_table(engine, opened, ROLES, requirements(require), policy, search).problem
    zones = [problem.quasi[1].values[code] for code in problem.codes[:, 1].tolist()]
    left_out = "ABC"[2] if out and len({*zones}) > 1 else None
    groups = [-1 if zone == left_out else group_of[zone] for zone in zones]
    numbers = sorted({*groups} - {-1})
    classes = np.array([numbers.index(group) if group >= 0 else -1 for group in groups])
    rows = np.arange(len(classes))
    partition = Partition(rows, classes, problem.counts, hulls(problem, rows, classes, len(numbers)))
    kept = [at for at, zone in enumerate(table["zone"]) if zone != left_out]
    seen = {name: [cells[at] for at in kept] for name, cells in table.items()}
    seen |= {"zone": [str(group_of[zone]) for zone in seen["zone"]], "age": ["*"] * len(kept)}
    audits = [tclose.audit(seen, ROLES, require=require, reference=other) for other in (None, table)]
    assert failing_classes(problem, partition).any() == any(audit.met is False for audit in audits)
    assert failing_classes(problem, partition, own=False).any() == (audits[1].met is False)
