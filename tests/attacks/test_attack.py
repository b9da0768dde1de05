"""The verb attack on tables whose answer is known beforehand: everything given away, nothing, or the population's."""

import itertools
from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

import tclose
from attacks.small_tables import frame_of, scene_of, table_of
from tclose.anonymization.algorithms.catalogue import found
from tclose.anonymization.algorithms.partition import INTERVAL, published
from tclose.anonymization.algorithms.search import Search
from tclose.anonymization.attack_simulation import subjects_of
from tclose.attacks.attack_input import AttackInput, Conclusion, People
from tclose.attacks.catalogue import ATTACKERS
from tclose.attacks.control_groups import Halves
from tclose.attacks.gains import interval_of, tallied_attack
from tclose.attacks.release_view import columns_of, covered
from tclose.engines.dispatch import working_session

ROLES = tclose.Roles(["town", "age"], ["illness:nominal"])
SALARY = {"zip": "mask", "age": "flat"}
FLAT = {"town": "flat", "age": "intervals:10,50"}


def people(values):
    """Two rows of each of 160 combinations, with the values that a function gives them."""
    towns = [f"town {at % 4}" for at in range(160)]
    ages = [at // 4 for at in range(160)]
    rows = [(town, age, copy) for town, age in zip(towns, ages, strict=True) for copy in (0, 1)]
    return pa.table(
        {
            "town": [town for town, _, _ in rows],
            "age": [age for _, age, _ in rows],
            "illness": [values(town, age, copy) for town, age, copy in rows],
        }
    )


@pytest.fixture(scope="module")
def given_away():
    """Every combination is published as it is; who shares it has another illness."""
    table = people(lambda _, age, copy: ["flu", "cough"][(age + copy) % 2])
    return tclose.attack(table, ROLES, require={"k": 1}, hierarchies=FLAT, divisions=3)


@pytest.fixture(scope="module")
def known_anyway():
    """Age decides the illness, in the release and outside it."""
    table = people(lambda _, age, __: "flu" if age < 20 else "cough")
    return tclose.attack(table, ROLES, require={"k": 1}, hierarchies=FLAT)


def test_what_is_given_away_is_a_gain_for_every_attacker(given_away):
    for outcome in given_away.outcomes:
        if outcome.attacker == "corrupted":
            continue
        single = outcome.by_size[0]
        assert outcome.claims > 0.3, outcome.attacker
        assert outcome.right == 1, outcome.attacker
        assert outcome.control_right == 0, outcome.attacker
        assert outcome.gain.value == pytest.approx(outcome.claims), outcome.attacker
        assert single.difference > 0.3


def test_who_is_right_about_strangers_too_gains_nothing(known_anyway):
    assert any(each.control for outcome in known_anyway.outcomes for each in outcome.by_value)
    for outcome in known_anyway.outcomes:
        assert (outcome.right, outcome.control_right, outcome.risk) == (1, 1, None), outcome.attacker
        assert outcome.gain.value == 0
        assert all(each.difference == 0 for each in (*outcome.by_value, *outcome.by_size) if each.control)


def test_one_class_tells_nobody_more_than_the_table(known_anyway):
    table = people(lambda _, age, __: "flu" if age < 20 else "cough")
    whole = tclose.attack(table, ROLES, require={"k": 160}, hierarchies=FLAT, attackers=["reader", "register", "finer"])
    assert [(outcome.claims, outcome.beyond) for outcome in whole.outcomes] == [(0, 0)] * 3
    assert known_anyway.outcomes[0].claims == 1


def test_the_gain_is_claims_times_the_difference_and_the_seed_decides_all(given_away):
    again = tclose.attack(
        people(lambda _, age, copy: ["flu", "cough"][(age + copy) % 2]), ROLES, require={"k": 1}, hierarchies=FLAT,
        divisions=3, threads=1,
    )  # fmt: skip
    assert again.outcomes == given_away.outcomes
    for outcome in again.outcomes:
        assert outcome.gain.value == pytest.approx(outcome.claims * (outcome.right - outcome.control_right))
        assert outcome.gain.low <= outcome.gain.value <= outcome.gain.high


def test_counts_by_value_and_by_size_are_those_of_all_people(given_away):
    for outcome in given_away.outcomes:
        for parts in (outcome.by_value, outcome.by_size):
            assert sum(part.people for part in parts) == outcome.people
            assert sum(part.control for part in parts) == outcome.control_people
            assert sum(part.right for part in parts) == pytest.approx(outcome.claims * outcome.people * outcome.right)


@dataclass(frozen=True)
class Chance:
    """An attacker who claims the first of two values about classes that chance draws."""

    claimed: np.ndarray

    def conclude(self, _scene):
        sure = np.where(self.claimed, 0.99, 0.5)
        return Conclusion(np.stack([sure, 1 - sure], axis=1))


def chance_interval(draw, claims, right, control, divisions):
    """Return the interval of divisions in which claims about some of 50 classes of 6 people are right by chance."""
    answers = SimpleNamespace(prior=np.array([0.5, 0.5]), distances=lambda each: each[:, 0] - 0.5)
    seen = SimpleNamespace(people=np.full(50, 6.0), answers=answers)
    tallies = []
    for _ in range(divisions):
        ill = draw.binomial(6, right, 50), draw.binomial(6, control, 50)
        members, others = (
            People.of_rows(
                np.tile(np.arange(50), 2), np.repeat([0, 1], 50).astype(np.int64), np.concatenate([each, 6 - each])
            )
            for each in ill
        )
        scene = AttackInput(seen, members, others, np.arange(50), np.full(50, 6), ("a", "b"))
        tallies.append(tallied_attack(Chance(draw.random(50) < claims), scene, 0.2))
    return interval_of(tallies)


def turned_interval(draw, *, turned):
    """Return the interval of a division of 50 classes of 12 people: both halves attacked, or one and one of another."""
    answers = SimpleNamespace(prior=np.array([0.5, 0.5]), distances=lambda each: each[:, 0] - 0.5)
    seen = SimpleNamespace(people=np.full(50, 6.0), answers=answers)
    all_ill, claimed, tallies = draw.binomial(12, 0.4, 50), draw.random(50) < 0.5, []
    ill = draw.hypergeometric(all_ill, 12 - all_ill, 6)
    for at in range(2):
        inside = ill if not at else all_ill - ill if turned else draw.hypergeometric(all_ill, 12 - all_ill, 6)
        members, others = (
            People.of_rows(np.tile(np.arange(50), 2), np.repeat([0, 1], 50).astype(np.int64), np.concatenate(each))
            for each in ((inside, 6 - inside), (all_ill - inside, 6 - (all_ill - inside)))
        )
        every = np.arange(50)
        seed = 0 if turned else at
        scene = AttackInput(seen, members, others, every, np.full(50, 6), ("a", "b"), every, seed=seed)
        wrong = draw.random(50) < 0.2  # the two releases do not say quite the same
        tallies.append(tallied_attack(Chance(claimed ^ wrong), scene, 0.2))
    return interval_of(tallies)


def test_both_halves_of_a_division_tell_more_than_two_divisions():
    """Whoever is ill is so on either side: what one half gained by chance the other lost, and no gain is there."""
    draw = np.random.default_rng(3)
    pairs, others = ([turned_interval(draw, turned=turned) for _ in range(200)] for turned in (True, False))
    spread = [np.std([each.value for each in some]) for some in (pairs, others)]
    widths = [np.median([each.high - each.low for each in some]) for some in (pairs, others)]
    assert spread[0] < 0.7 * spread[1]
    assert widths[0] < 0.8 * widths[1]
    for some in (pairs, others):
        assert np.mean([each.high < 0 for each in some]) <= 0.05
        assert np.mean([each.low > 0 for each in some]) <= 0.05


def test_the_halves_of_a_division_take_turns():
    table = people(lambda _, age, copy: ["flu", "cough"][(age + copy) % 2])
    with working_session(table) as session:
        whole = subjects_of(session, session.open(table), ROLES, lambda _stage, _share: None)
    one, other = (Halves.of(whole.distinct, 5, turned=turned) for turned in (False, True))
    assert (one.others + other.others).tolist() == whole.distinct.counts.tolist()
    assert one.released.rows + other.released.rows == whole.distinct.rows
    assert (one.others[one.rows] + one.released.counts).tolist() == whole.distinct.counts[one.rows].tolist()


@pytest.mark.parametrize(
    ("claims", "right", "control"),
    [(0.5, 0.4, 0.3), (0.01, 1.0, 0.0), (0.02, 1.0, 0.3), (0.004, 1.0, 0.0), (0.3, 0.5, 0.5), (1.0, 0.6, 0.55)],
)
def test_the_true_gain_lies_above_its_interval_one_time_in_forty(claims, right, control):
    """The true gain is the share of people claimed about times by how much more often members are right."""
    draw, truth = np.random.default_rng(3), claims * (right - control)
    highs = np.array([chance_interval(draw, claims, right, control, 4).high for _ in range(300)])
    assert (highs < truth).mean() <= 0.045
    assert np.median(highs) <= truth + 0.1


@pytest.mark.parametrize("method", ["gather", "mondrian", "full-domain"])
def test_the_classes_that_cover_people_are_those_whose_cells_do(method):
    draw = np.random.default_rng(5)
    rows = tuple((int(draw.integers(0, 9)), str(draw.choice(list("uvw")))) for _ in range(60))
    frame = frame_of(rows, [str(draw.choice(list("abc"))) for _ in rows], {"k": 3, "t": "0.5"})
    partition = published(found(method, frame.problem, Search(effort=0)).partition)
    cells, quasi = partition.cells, frame.problem.quasi
    _, codes = frame.problem.tuples
    listed = covered(columns_of(quasi, cells), codes, np.arange(partition.number), 10_000)

    def covers(number, column, code):
        level, first = cells.levels[number, column], cells.first[number, column]
        if level == INTERVAL:
            return first <= code <= cells.last[number, column]
        return quasi[column].levels[level].nodes[code] == first

    for at, code in enumerate(codes):
        expected = [c for c in range(partition.number) if all(covers(c, j, code[j]) for j in range(len(quasi)))]
        assert listed.classes[listed.starts[at] : listed.starts[at + 1]].tolist() == expected
    assert listed.shortened == 0


def test_people_who_are_known_say_more_of_the_others():
    """Of two people who look alike one is ill; whoever knows one of them knows both."""
    frame = frame_of(((0,), (0,), (1,), (1,)), "abab", {"k": 2})
    partition = published(found("merge", frame.problem, Search()).partition)
    scene = scene_of(frame, partition)
    for seed in itertools.count():
        told = ATTACKERS["corrupted"].conclude(replace(scene, seed=seed))
        known = scene.members.rows_by(told.known, (2, 2))
        alone = known.sum(axis=1) == 1
        if alone.any():
            break
    left = (table_of(scene) - known)[alone]
    np.testing.assert_allclose(told.posteriors[alone], left, atol=0.03)


def test_where_nobody_looks_alike_no_gain_is_claimed():
    """Everybody has an age of their own, and age decides the illness: what is right is known of the population."""
    table = pa.table({"age": list(range(80)), "illness": ["flu"] * 40 + ["cough"] * 40})
    found = tclose.attack(
        table, tclose.Roles(["age"], ["illness:nominal"]), require={"k": 2}, withstand="0.9", method="merge", effort=0,
        attackers=["reader", "register"],
    )  # fmt: skip
    assert [(outcome.control_people, outcome.gain) for outcome in found.outcomes] == [(0, None)] * 2
    assert found["reader"].claims > 0
    assert (found.gain, found.holds) == (None, False)
    assert "because they are in the release" not in " ".join(str(found).split()).split("A claim is")[0]
    assert "no-control" in [note.code for note in found.notes]


def test_bands_of_a_line_do_not_say_its_smallest_and_its_largest_value():
    incomes = [7, *range(1000, 1098), 987654]
    table = pa.table({"age": list(range(100)), "income": incomes})
    told = tclose.attack(table, tclose.Roles(["age"], ["income:numeric"]), release=table, attackers=["reader"])
    labels = [each.label for each in told["reader"].by_value]
    assert (labels[0], labels[1], labels[-1]) == ("up to 1003", "1004 to 1008", "1094 or more")
    assert [each.persons for each in told["reader"].by_value] == [5] * 20


def test_people_outside_whose_value_nobody_inside_has_are_in_the_control_group():
    """All look alike, and everybody has an illness of their own: nobody outside is missing."""
    table = pa.table({"age": [30] * 40, "illness": [f"illness {at}" for at in range(40)]})
    found = tclose.attack(
        table, tclose.Roles(["age"], ["illness:nominal"]), require={"k": 2}, method="merge", attackers=["reader"],
        effort=0,
    )  # fmt: skip
    (outcome,) = found.outcomes
    assert (outcome.people, outcome.control_people) == (40, 40)  # two divisions
    assert sum(each.control for each in outcome.by_value) == 40


def test_numbers_farther_apart_than_a_float_are_attacked():
    numbers = [5e-324, 1.7e308, 0.0, 1.0, 2.0, 1e-300, 1e300, -1.7e308]
    table = {"q": [at % 5 for at in range(40)], "s": numbers * 5}
    found = tclose.attack(table, tclose.Roles("q", "s:numeric"), require={"k": 2, "t": "0.9"})
    assert found.outcomes


def test_who_claims_nothing_does_not_stand_for_those_who_do():
    """The widest interval is that of an attacker with nothing to show; it said that nobody can claim anything."""
    found = tclose.attack("example:salary", require={"k": 3}, hierarchies=SALARY, attackers=["reader", "method-model"])
    silent = [replace(each, claims=0.0, gain=replace(each.gain, value=0.0, high=1.0)) for each in found.outcomes]
    nobody = replace(found, outcomes=tuple(silent))
    assert "No attacker can claim a value of salary or disease of anybody." in nobody.to_markdown()
    loud = replace(silent[-1], claims=0.5, right=0.5, control_right=0.25, gain=replace(silent[-1].gain, high=0.25))
    somebody = replace(found, outcomes=(*silent[:-1], loud))
    assert "No attacker" not in somebody.to_markdown()
    assert "claims about 50 % of people, of which 50 % are right" in somebody.to_markdown()


def test_names_of_attackers_and_attributes_are_drawn_whole():
    found = tclose.attack("example:salary", require={"k": 3}, hierarchies=SALARY, attackers=["method-model"])
    assert "…" not in found.to_svg()
