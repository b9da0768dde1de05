"""The figures for someone who knows facts are those of the plainest calculation, whatever the database holds."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from facts.naive import combinations, databases, figures
from tclose.auditing.facts import counting, set_numbers
from tclose.auditing.facts import learned as learning
from tclose.auditing.facts.database import PersonTable
from tclose.auditing.facts.learned import learned
from tclose.engines.duckdb.session import DuckDBSession
from tclose.models.catalogue import requirements
from tclose.policy.roles import Nominal

SESSION = DuckDBSession(threads=1)
FEWER = settings(max_examples=15, deadline=None)


def check(database, most, *, repeated):
    found = learned(database.opened(SESSION), most, repeated=repeated)
    assert found.people == len(database.people)
    assert found.largest == max(len(database.facts(person, repeated=repeated)) for person in database.people)
    for power in found.powers:
        wanted = figures(database, power.known, repeated=repeated)
        assert (power.k.value, power.alone, power.fewer) == (wanted.k, wanted.alone, wanted.fewer)
        for name, each in power.attributes.items():
            assert each["t"].value == wanted.t[name]
            assert each["alpha"].value == wanted.alpha[name]
            assert each["l"].value == wanted.l[name]
    return found


@settings(max_examples=40, deadline=None)
@given(databases(), st.integers(0, 3), st.booleans())
def test_every_figure_is_that_of_looking_at_every_set_of_facts(database, most, repeated):
    check(database, most, repeated=repeated)


@pytest.mark.parametrize(
    "changed",
    [{"_ROWS_AT_ONCE": 2}, {"_MOST_WORDS": 0}, {"_BITS": 3}, {"_ROWS_AT_ONCE": 1, "_MOST_WORDS": 0, "_BITS": 5}],
    ids=["a few sets at once", "histograms as lists", "keys as lists", "all of it"],
)
@FEWER
@given(database=databases(), most=st.integers(1, 3), repeated=st.booleans())
def test_large_tables_are_counted_as_small_ones(changed, database, most, repeated):
    with pytest.MonkeyPatch.context() as patched:
        for name, value in changed.items():
            patched.setattr(counting, name, value)
        check(database, most, repeated=repeated)


@pytest.mark.parametrize("at_once", [1 << 24, 2], ids=["all at once", "a few sets at once"])
@settings(max_examples=30, deadline=None)
@given(database=databases(), most=st.sampled_from([1, 2, 3, 4, 10**9]), repeated=st.booleans())
def test_sets_that_are_extended_are_those_that_are_joined(at_once, database, most, repeated):
    """Whatever is not looked at because somebody is alone already changes no figure, and no number of sets."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(counting, "_ROWS_AT_ONCE", at_once)
        patched.setattr(learning, "_MOST_JOINED", -1)
        extended = learned(database.opened(SESSION), most, repeated=repeated)
        patched.setattr(learning, "_MOST_JOINED", 10**9)
        joined = learned(database.opened(SESSION), most, repeated=repeated)
    assert extended.powers[-1] == joined.powers[-1]
    assert extended.powers[:-1] == joined.powers[: len(extended.powers) - 1]
    wanted = figures(database, extended.largest if most > extended.largest else most, repeated=repeated)
    last = extended.last
    assert (last.k.value, last.alone, last.fewer) == (wanted.k, wanted.alone, wanted.fewer)
    for name, each in last.attributes.items():
        found = (each["t"].value, each["alpha"].value, each["l"].value)
        assert found == (wanted.t[name], wanted.alpha[name], wanted.l[name])


@given(st.lists(st.integers(1, 3), max_size=5), st.integers(0, 8), st.integers(0, 20))
def test_numbers_of_sets_are_those_of_looking_at_each(times, most, number):
    profile, having = tuple(sorted(times)), [fact for fact, several in enumerate(times) for _ in range(several)]
    wanted = [len(set(itertools.combinations(having, size))) for size in range(most + 1)]
    assert set_numbers.sets_by_size(profile, most) == wanted
    size = min(most, len(having))
    assert set_numbers.more_sets_than(profile, size, number) == (wanted[size] > number)


@FEWER
@given(database=databases(most_tables=2), most=st.integers(1, 3), repeated=st.booleans())
def test_more_facts_reveal_no_less(database, most, repeated):
    powers = learned(database.opened(SESSION), most, repeated=repeated).powers
    for less, more in itertools.pairwise(powers):
        assert more.k.value <= less.k.value
        assert (more.alone, more.fewer) >= (less.alone, less.fewer)
        for name, each in more.attributes.items():
            assert each["t"].value >= less.attributes[name]["t"].value


@FEWER
@given(database=databases(), most=st.integers(0, 2))
def test_knowing_how_often_reveals_no_less(database, most):
    often, once = (learned(database.opened(SESSION), most, repeated=repeated).last for repeated in (True, False))
    assert often.k.value <= once.k.value
    assert often.alone >= once.alone
    assert often.fewer >= once.fewer


@FEWER
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 5)), min_size=1, max_size=25), st.integers(1, 3))
def test_coarser_facts_never_leave_fewer_candidates(rows, most):
    """Where facts are merged and traits stay, whoever has the fine facts has the coarse ones."""

    def k(merged):
        table = SESSION.open({"id": [who for who, _ in rows], "ward": [merged(ward) for _, ward in rows]})
        one = PersonTable(table, ("id",), ("ward",), {}, facts=("ward",))
        return [power.k.value for power in learned([one], most).powers]

    fine, coarse = k(lambda ward: ward), k(lambda ward: ward // 2)
    assert all(less <= more for less, more in zip(fine, coarse, strict=True))


@FEWER
@given(database=databases(), most=st.sampled_from([4, 10**9]), repeated=st.booleans())
def test_requirements_of_extended_sets_fail_as_those_of_joined_ones(database, most, repeated):
    wanted = requirements({"k": 2, "t": "1/4"})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(learning, "_MOST_JOINED", -1)
        extended = learned(database.opened(SESSION), most, wanted, repeated=repeated).verdicts
        patched.setattr(learning, "_MOST_JOINED", 10**9)
        joined = learned(database.opened(SESSION), most, wanted, repeated=repeated).verdicts
    assert extended == joined


def test_who_has_no_value_is_not_among_those_who_share_one():
    """Of two people one has values, and that one has both: without the other, the chance to guess either is 1."""
    table = SESSION.open({"id": [0, 0, 1], "ward": ["A", "A", "A"], "ill": ["flu", "cold", None]})
    one = PersonTable(table, ("id",), ("ward",), {("ill",): Nominal()}, facts=("ward",))
    assert [power.attributes["ill"]["alpha"].value for power in learned([one], 1).powers] == [1, 1]


def test_as_many_facts_as_fill_a_byte_are_counted():
    people = list(range(256))
    table = SESSION.open({"id": people * 2, "ward": people + [(each + 1) % 256 for each in people]})
    found = learned([PersonTable(table, ("id",), ("ward",), {})], 2)
    assert [(power.k.value, power.alone, power.sets) for power in found.powers] == [
        (256, 0, 1),
        (2, 0, 257),
        (1, 256, 513),
    ]


def test_drawn_sets_are_sets_of_people():
    """Every set that is drawn is counted, so that drawn figures are never worse than the true ones."""
    people = list(range(40))
    table = {"id": people * 4, "ward": [(each * step) % 7 for step in (1, 2, 3, 5) for each in people]}
    one = PersonTable(SESSION.open(table), ("id",), ("ward",), {})
    true, drawn = (learned([one], 3, budget=budget).last for budget in (10**9, 1))
    assert drawn.drawn is not None
    assert (drawn.k.value, drawn.alone, drawn.fewer) == (
        true.k.value,
        true.alone,
        true.fewer,
    )  # 50 sets are all there are
    assert drawn.drawn.fewer == true.fewer


@FEWER
@given(database=databases(), most=st.integers(0, 3), repeated=st.booleans(), budget=st.integers(1, 60))
def test_sets_are_counted_beforehand(database, most, repeated, budget):
    """Everybody's sets of at most as many facts as are counted fit into the budget, and those of one more don't."""
    found = learned(database.opened(SESSION), most, repeated=repeated, budget=budget)
    exact = [power for power in found.powers if power.drawn is None]

    def sets(facts):
        each = (database.facts(person, repeated=repeated) for person in database.people)
        return sum(len({tuple(sorted(s, key=repr)) for s in combinations(some, facts)}) for some in each)

    assert exact[-1].known == 0 or sets(exact[-1].known) <= budget
    assert found.certain or sets(exact[-1].known + 1) > budget
