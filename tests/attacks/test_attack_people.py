"""Attacks on people who have several rows: divided, claimed about and counted as people."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tclose
from tclose.anonymization.algorithms.search import Search
from tclose.anonymization.attack_simulation import half_released, subjects_of
from tclose.anonymization.problem_setup import framed
from tclose.attacks.attack_input import People
from tclose.attacks.control_groups import Halves
from tclose.attacks.findings import Attack, Exposure
from tclose.attacks.person_rows import Crowd
from tclose.engines.dispatch import working_session
from tclose.models.catalogue import requirements
from tclose.policy.policy import Policy

ROLES = tclose.Roles(["town", "age"], ["illness:nominal"], person="who")
BY_ROWS = tclose.Roles(["town", "age"], ["illness:nominal"])
FLAT = {"town": "flat"}
ASK = {"hierarchies": FLAT, "method": "merge", "effort": 0}


def visits(people, seed=1, most=4):
    """A table of visits: everybody stays in a town, grows older, and has an illness or two."""
    draw = np.random.default_rng(seed)
    rows = []
    for who in range(people):
        town, age = str(draw.choice(["Aa", "Bonn"])), int(draw.integers(20, 30))
        usual = str(draw.choice(["flu", "cough", "ache"]))
        for visit in range(int(draw.integers(1, most + 1))):
            illness = usual if draw.random() < 0.7 else "cold"
            rows.append((f"p{who}", town, age + visit // 2, illness))
    return pa.table(dict(zip(("who", "town", "age", "illness"), map(list, zip(*rows, strict=True)), strict=True)))


def subjects(table, roles=ROLES):
    with working_session(table) as session:
        return subjects_of(session, session.open(table), roles, lambda _stage, _share: None)


def told(found):
    return [(each.attacker, each.people, each.claims, each.right, each.control_right, each.gain) for each in found]


def test_nobody_is_in_both_halves_and_everybody_is_whole():
    table = visits(61)
    whole = subjects(table)
    assert whole.people == 61
    for seed in range(5):
        halves = Halves.of(whole.distinct, seed, whole.crowd)
        rows = {}
        for side, crowd in (("in", halves.members), ("out", halves.strangers)):
            for person, row, repeats in zip(crowd.persons, crowd.rows, crowd.repeats, strict=True):
                rows.setdefault((side, int(person)), []).append((int(row), int(repeats)))
        assert (halves.members.number, halves.strangers.number) == (30, 31)
        expected = {}
        for person, row, repeats in zip(whole.crowd.persons, whole.crowd.rows, whole.crowd.repeats, strict=True):
            expected.setdefault(int(person), []).append((int(row), int(repeats)))
        assert sorted(map(sorted, rows.values())) == sorted(map(sorted, expected.values()))
        assert halves.released_rows + int(halves.others.sum()) == table.num_rows


def test_a_half_counts_everybody_once_for_each_combination_and_value():
    whole = subjects(visits(40))
    halves = Halves.of(whole.distinct, 3, whole.crowd)
    members, distinct = halves.members, halves.released
    pairs = set(zip(members.persons.tolist(), members.rows.tolist(), strict=True))
    assert distinct.counts.tolist() == [sum(row == each for _, row in pairs) for each in halves.rows.tolist()]
    values = whole.distinct.sensitive_codes[:, 0]
    for value, count in zip(distinct.sensitive[0].listed, distinct.sensitive[0].counts.tolist(), strict=True):
        code = whole.distinct.sensitive[0].listed.index(value)
        assert count == len({person for person, row in pairs if values[row] == code})


@pytest.mark.parametrize(("require", "suppress"), [({"k": 4}, 0), ({"k": 3, "t": "0.4"}, 0), ({"k": 4}, "0.3")])
def test_the_release_of_a_half_holds_for_its_people(require, suppress):
    """Classes of the half, counted again by hand: distinct people, and distinct people of each value."""
    whole = subjects(visits(60, most=6))
    halves = Halves.of(whole.distinct, 1, whole.crowd)
    options = Policy().with_options({"hierarchies": FLAT, "suppress": suppress})
    frame = framed(halves.released, ROLES, requirements(require), options)
    made = half_released(frame, halves, "merge", Search(effort=0))
    origin = halves.rows[frame.rows][made.partition.rows]
    class_of = dict(zip(origin.tolist(), made.partition.classes.tolist(), strict=True))
    people, having = {}, {}
    for person, row in zip(halves.members.persons.tolist(), halves.members.rows.tolist(), strict=True):
        if class_of[row] >= 0:
            people.setdefault(class_of[row], set()).add(person)
            value = int(whole.distinct.sensitive_codes[row, 0])
            having.setdefault(class_of[row], set()).add((person, value))
    assert min(map(len, people.values())) >= require["k"]
    if "t" in require:
        every = set().union(*having.values())
        values = {value for _, value in every}
        for some in having.values():
            shares = [
                (sum(v == value for _, v in some) / len(some), sum(v == value for _, v in every) / len(every))
                for value in values
            ]
            assert sum(abs(one - all_) for one, all_ in shares) / 2 <= 0.4 + 1e-12


def test_people_of_one_row_each_are_attacked_as_their_rows_are():
    """Where everybody has one row, rows are people: the same conclusions from the same halves."""
    table = visits(80, most=1)
    whole, rows = subjects(table), subjects(table, BY_ROWS)
    assert whole.distinct.counts.tolist() == rows.distinct.counts.tolist()
    combinations, answers = np.arange(len(rows.distinct.counts)), rows.distinct.sensitive_codes[:, 0].astype(np.int64)
    one, other = (
        People.of_crowd(whole.crowd, combinations, answers),
        People.of_rows(combinations, answers, rows.distinct.counts),
    )
    shape = (len(combinations), int(answers.max()) + 1)
    assert (one.rows_by(one.number, shape) == other.rows_by(other.number, shape)).all()
    assert one.number.sum() == other.number.sum() == 80


def test_what_is_given_away_about_people_is_a_gain_and_counted_in_people():
    """Every combination is two people of different illness and three rows each, published as it is."""
    rows = [
        (f"p{place}-{copy}", f"town {place % 4}", place // 4, ["flu", "cough"][copy])
        for place in range(120)
        for copy in (0, 1)
        for _ in range(3)
    ]
    table = pa.table(dict(zip(("who", "town", "age", "illness"), map(list, zip(*rows, strict=True)), strict=True)))
    found = tclose.attack(table, ROLES, require={"k": 1}, hierarchies={**FLAT, "age": "intervals:10,50"}, effort=0,
                          method="merge", attackers=["reader", "register", "corrupted"])  # fmt: skip
    assert (found.people, found.rows) == (120, 360)
    for outcome in found.outcomes[:2]:
        assert outcome.people == 240  # two divisions
        assert (outcome.right, outcome.control_right) == (1, 0), outcome.attacker
        assert outcome.gain.value == pytest.approx(outcome.claims)
        assert outcome.claims > 0.3
        assert sum(each.people for each in outcome.by_size) == outcome.people
    assert found["corrupted"].people < 240  # whoever is known is not concluded about
    assert "120 people (about 360 rows)" in " ".join(str(found).split())
    assert found.to_dict()["people"] == 120


def test_somebody_who_has_a_value_elsewhere_is_rightly_claimed_about():
    """A person of two combinations: the claim comes from the one that stands out, and any of their values is right."""
    crowd = Crowd(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([1, 2, 1]), 2)
    people = People.of_crowd(crowd, np.array([0, 1]), np.array([2, 0]))
    assert people.starts.tolist() == [0, 2, 3]
    assert people.foremost(np.array([0.1, 0.5, 0.5])).tolist() == [1, 2]
    assert people.any_pair(people.answers == np.array([2, 2, 2])).tolist() == [True, False]
    assert people.rows_by(np.array([1, 0]), (2, 3)).tolist() == [[0, 0, 1], [2, 0, 0]]


def test_people_outside_count_all_their_values_but_are_seen_only_where_somebody_inside_is():
    crowd = Crowd(np.array([0, 0, 1]), np.array([0, 1, 0]), np.ones(3, dtype=np.int64), 2)
    people = People.of_crowd(crowd, np.array([-1, 4]), np.array([1, 0]))
    assert people.combinations.tolist() == [-1, 4]
    assert people.answers.tolist() == [1, 0]
    assert people.number.tolist() == [1]


def test_every_attacker_works_by_people_and_the_seed_decides_all():
    table = visits(60)
    ask = {"require": {"k": 3}, "divisions": 1, "twice": True, **ASK}
    found = tclose.attack(table, ROLES, **ask)
    assert len(found.outcomes) == 9
    shuffled = table.take(pa.array(np.random.default_rng(2).permutation(table.num_rows)))
    assert told(tclose.attack(shuffled, ROLES, **ask).outcomes) == told(found.outcomes)
    for outcome in found.outcomes:
        assert sum(each.people for each in outcome.by_size) == outcome.people <= 30


def test_a_release_that_exists_is_attacked_by_people():
    table = visits(60)
    release = tclose.anonymize(table, ROLES, require={"k": 3}, **ASK).to_arrow()
    found = tclose.attack(table, ROLES, release=release, require={"k": 3}, hierarchies=FLAT)
    assert (found.people, found.rows, found["reader"].people) == (60, table.num_rows, 60)
    assert "60 people" in str(found)


def test_values_that_people_share_do_not_make_a_group_look_larger():
    """Three people have both rare illnesses: told together these are three people, not six."""
    rows = [(f"p{who}", "Aa", 20, "flu") for who in range(40)]
    rows += [(f"p{who}", "Aa", 20, rare) for who in range(3) for rare in ("gout", "mumps")]
    table = pa.table(dict(zip(("who", "town", "age", "illness"), map(list, zip(*rows, strict=True)), strict=True)))
    found = tclose.attack(table, ROLES, release=table.drop(["who"]), attackers=["reader"], hierarchies=FLAT)
    assert [each.label for each in found.told(found["reader"].by_value)] == ["3 others together"]


def _exposure(label, people, persons):
    return Exposure(label, people, 0, 0, 0, persons)


@given(
    groups=st.lists(st.tuples(st.integers(1, 12), st.integers(1, 12)), min_size=1, max_size=6),
    few=st.integers(2, 8), once=st.booleans(),
)  # fmt: skip
def test_no_group_that_a_document_shows_counts_or_has_fewer_people_than_few(groups, few, once):
    """Divided again and again, two people are counted often; divided once, few of many are counted."""
    given_ = [_exposure(str(at), *numbers) for at, numbers in enumerate(groups)]
    assert [each.shown for each in given_] == [min(numbers) for numbers in groups]
    who = {"people": None if once else 99, "few": few}
    told = Attack("", ROLES, (), None, 0, 0, None, {}, None, (), (), **who).told(given_)
    alone = [each for each in told if not each.label.endswith("together")]
    assert all(min(each.people, each.persons) >= few for each in alone)
    assert sum(each.people for each in told) == sum(people for people, _ in groups)
    others = [min(numbers) for at, numbers in enumerate(groups) if str(at) not in {each.label for each in alone}]
    assert not alone or not others or (sum(others) if once else max(others)) >= few


def test_withstanding_divides_people():
    found = tclose.anonymize(visits(300, most=2), ROLES, require={"k": 5}, withstand="0.9", seed=5, **ASK)
    assert found.holds
    assert found.attack.people == 150
    assert "who" not in found.to_arrow().column_names


def test_rows_that_are_nobodys_are_refused():
    table = pa.table({"who": ["a", None, "b", "c", "d"], "town": ["Aa"] * 5, "age": [1] * 5, "illness": list("xyxyx")})
    with pytest.raises(tclose.SourceError, match="without a value in the column 'who', which tells people apart"):
        tclose.attack(table, ROLES, require={"k": 1}, **ASK)
