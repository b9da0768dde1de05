"""Where people have several rows, every model counts people: by hand, however rows are counted and repeated."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from laws import oracle
from laws.audited import NT_ROWS, WAYS, counted, everything, figures, same, told
from laws.people import People, peopled
from tclose.engines.duckdb import session
from tclose.engines.people import Trajectories
from tclose.errors import ColumnNotFoundError, RoleConflictError, SourceError

FEW = settings(max_examples=40, deadline=None)
FEWER = settings(max_examples=12, deadline=None)


def audited(people, **options):
    return everything(people.case, table=people.columns, roles=people.roles, population=None, **options)


def by_key(audit, people):
    return {tuple(row[name] for name in people.case.quasi): row for row in audit.classes.rows()}


@given(peopled())
@settings(max_examples=80, deadline=None)
def test_every_class_has_the_figures_that_a_calculation_by_hand_gives(people):
    audit = audited(people)
    assert (audit.rows, audit.people) == (len(people.persons), len(set(people.persons)))
    found, expected = by_key(audit, people), people.figures()
    assert found.keys() == expected.keys()
    for key, figures_of_class in expected.items():
        assert found[key]["size"] == people.sizes()[key]
        for name, value in figures_of_class.items():
            column = name if name in ("k", "prosecutor") else f"s.{name}"
            if column in found[key]:
                shown = found[key][column]
                assert shown == pytest.approx(float(value), rel=1e-9, abs=1e-12), name


@given(peopled())
@FEW
def test_the_figures_of_the_table_are_exactly_those_of_its_worst_class(people):
    audit, by_hand = audited(people), people.figures()
    for name, found in figures(audit).items():
        known = [each[name] for each in by_hand.values() if name in each]
        if known and isinstance(found, Fraction | int):
            assert found == oracle.worst(known, name), name
    sizes = people.sizes()
    assert audit.figures["marketer"].value == Fraction(len(sizes), sum(sizes.values()))


@given(peopled(), st.integers(1, 4), st.sampled_from(["0.2", "1/3", "0.5"]))
@FEW
def test_people_in_classes_that_miss_a_requirement_are_counted_once(people, k, t):
    found = tclose.audit(people.columns, people.roles, require={"k": k, "l": 2, "t": t}, drivers=False)
    by_hand = people.figures()
    for verdict in found.verdicts:
        key, threshold = verdict.requirement.model.key, verdict.requirement.threshold
        known = {name: each[key] for name, each in by_hand.items() if key in each}
        failing = {name for name, figure in known.items() if not verdict.requirement.met_by(figure)}
        who = {one for row, one in zip(people.case.rows, people.persons, strict=True) if row[:-1] in failing}
        assert (verdict.failing_classes, verdict.failing_rows) == (len(failing), len(who)), (key, threshold)
        assert not verdict.at_most


@given(people=peopled(), k=st.integers(1, 4))
@FEWER
def test_where_nobody_knows_who_is_in_several_failing_classes_there_are_at_most_so_many(people, k):
    once = tclose.audit(people.columns, people.roles, require={"k": k}, drivers=False).verdicts[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "_SHARE_OF_MEMORY", 1 << 62)
        found = tclose.audit(people.columns, people.roles, require={"k": k}, drivers=False)
    verdict, sizes = found.verdicts[0], people.sizes()
    most = sum(size for size in sizes.values() if size < k)
    assert verdict.failing_rows == (min(most, len(set(people.persons))) if verdict.at_most else once.failing_rows)
    assert verdict.failing_rows >= once.failing_rows
    assert ("at most" in str(found)) == verdict.at_most


@given(peopled(most_rows=10))
@FEW
def test_a_natural_superset_holds_each_person_once_for_each_value(people):
    found, columns = by_key(audited(people), people), range(len(people.case.quasi))
    nearest = {key: 0.0 for key, mine in people.classes().items() if mine}
    for way in [people, *([] if people.without is None else [people.without])]:
        attribute = way.case.attribute
        for key, mine in way.classes().items():
            if not mine:
                continue
            best = float("inf")
            for kept in itertools.chain.from_iterable(itertools.combinations(columns, n) for n in range(len(key) + 1)):
                union = way.united(kept, key)
                if sum(union.values()) >= NT_ROWS:
                    shares = oracle.shares(mine, attribute.order), oracle.shares(union, attribute.order)
                    best = min(best, attribute.emd(*shares))
            nearest[key] = max(nearest[key], float(best))
    for key, best in nearest.items():
        assert found[key]["s.nt"] == pytest.approx(best, abs=1e-12)


@given(peopled(), st.data())
@FEW
def test_repeating_any_rows_of_anyone_changes_no_figure(people, data):
    places = list(range(len(people.persons)))
    again = data.draw(st.lists(st.sampled_from(places), max_size=20))
    shuffled = data.draw(st.permutations([*places, *again]))
    one, other = told(audited(people)), told(audited(people.with_rows(shuffled)))
    assert one["rows"][1] == other["rows"][1]
    for part in ("verdicts", "classes", "figures"):
        assert one[part] == other[part]


@given(peopled())
@FEW
def test_trajectories_are_the_sets_of_classes_that_people_share(people):
    found, shared = tclose.audit(people.columns, people.roles, drivers=False).trajectories, people.trajectories()
    assert found == Trajectories(
        people=len(set(people.persons)),
        several=sum(number for classes, number in shared.items() if len(classes) > 1),
        different=len(shared),
        unique=sum(number == 1 for number in shared.values()),
        smallest=min(shared.values()),
    )


@given(peopled())
@FEWER
def test_where_everyone_has_one_row_people_are_rows(people):
    alone = {**people.case.columns, "who": list(range(len(people.persons)))}
    by_people = everything(people.case, table=alone, roles=people.roles)
    by_rows = everything(people.case)
    same(figures(by_people), figures(by_rows))
    assert list(by_people.classes.rows()) == list(by_rows.classes.rows())


@pytest.mark.parametrize("nt_rows", [None, NT_ROWS], ids=["part by part", "all in one part"])
@pytest.mark.parametrize("way", [way for way in list(WAYS)[1:] if "sets" not in way])
@given(people=peopled())
@FEWER
def test_the_way_rows_are_counted_changes_nothing(way, nt_rows, people):
    expected = told(audited(people, nt_rows=nt_rows))
    with counted(way):
        assert told(audited(people, nt_rows=nt_rows)) == expected


@given(peopled())
@FEWER
def test_people_are_counted_alike_one_set_of_classes_after_the_other(people):
    expected = told(audited(people, nt_rows=None))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "_SHARE_OF_MEMORY", 1 << 62)
        assert told(audited(people, nt_rows=None)) == expected


@given(peopled(), st.booleans())
@FEWER
def test_people_of_a_population_are_counted_where_it_tells_them_apart(people, told_apart):
    names = {who: str(who) for who in people.persons}  # one for both zeros, who are one person
    table = {**people.case.columns, "who": [names[who] for who in people.persons]}
    extra = people.case.extra
    population = {name: [*table[name], *(row[at] for row in extra)] for at, name in enumerate(people.case.quasi)}
    population["who"] = [*table["who"], *(f"other {at}" for at in range(len(extra)))]
    if told_apart:
        population = {name: [*cells, *cells] for name, cells in population.items()}
    else:
        del population["who"]
    found = tclose.audit(table, people.roles, measure=["journalist", "k_map"], population=population, drivers=False)
    sizes = people.sizes() if told_apart else people.case.sizes()
    for key in people.sizes():
        sizes[key] += sum(row == key for row in extra)
    assert found.figures["k_map"].value == min(sizes[key] for key in people.sizes())


def test_a_reference_counts_people_too():
    roles = tclose.Roles(quasi="q", sensitive={"s": tclose.Nominal()}, person="who")
    table = {"q": ["a", "a"], "s": ["x", "y"], "who": [1, 2]}
    reference = {"s": ["x", "x", "x", "y"], "who": [1, 1, 1, 2]}
    assert tclose.audit(table, roles, measure="t", reference=reference)["s"].t == 0
    with pytest.raises(ColumnNotFoundError, match="who"):
        tclose.audit(table, roles, measure="t", reference={"s": ["x", "y"]})


@given(people=peopled(most_rows=8), others=st.data())
@FEW
def test_a_reference_with_people_is_compared_by_people(people, others):
    """The reference has the same values, of other people, so that the domain of values is the table's."""
    count = len(people.persons)
    persons = others.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    reference = {"s": people.columns["s"], "who": persons}
    audit = everything(people.case, table=people.columns, roles=people.roles, reference=reference, population=None)
    expected = people.figures(People(people.case, tuple(persons)))
    found = by_key(audit, people)
    for key, figures_of_class in expected.items():
        for name in ("l", "alpha", "t", "kl", "js", "beta"):
            if name in figures_of_class:
                wanted = float(figures_of_class[name])
                assert found[key][f"s.{name}"] == pytest.approx(wanted, rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize("way", ["rows", "pairs"])
@given(people=peopled())
@FEWER
def test_an_explanation_has_the_figures_of_its_class(way, people):
    with counted(way):
        audit = tclose.audit(people.columns, people.roles, measure="all", drivers=False)
        for row in audit.classes.rows():
            key = {name: row[name] for name in people.case.quasi}
            if not people.classes()[tuple(key.values())]:
                continue
            (explanation,) = tclose.explain(audit, key=key)
            assert float(explanation.t) == pytest.approx(row["s.t"], abs=1e-12)
            assert explanation.value == explanation.plan_cost == explanation.flow_cost <= explanation.t
            for name in ("alpha", "l", "beta", "kl", "js"):
                assert float(explanation.other_models[name][1]) == pytest.approx(row[f"s.{name}"], abs=1e-12), name
            assert "t" in str(explanation)


@given(people=peopled())
@FEW
def test_figures_of_people_are_never_below_those_of_values_and_equal_where_everybody_has_one(people):
    by_value = people.figures_of_values()
    for key, row in by_key(audited(people), people).items():
        for name in ("t", "alpha", "kl", "js", "beta", "delta_present"):
            shown = row[f"s.{name}"]
            if name in by_value[key] and shown is not None:
                assert shown >= float(by_value[key][name]) - 1e-12
                if all(len(values) == 1 for values in people.values_of(nothing=True).values()):
                    assert shown == pytest.approx(float(by_value[key][name]), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("nobody", [None, float("nan")], ids=["missing", "not a number"])
def test_rows_of_nobody_are_refused_with_their_number_and_a_way_out(nobody):
    table = {"q": ["a"] * 4, "s": ["x"] * 4, "who": [1.0, nobody, nobody, 2.0]}
    with pytest.raises(SourceError, match=r"2 rows without a value in the column 'who'.*identifiers"):
        tclose.audit(table, tclose.Roles("q", "s", person="who"))


def test_the_person_has_no_other_role_but_an_identifiers():
    for taken in ({"quasi": ["who"]}, {"quasi": "q", "sensitive": "who"}):
        with pytest.raises(RoleConflictError, match="'who'"):
            tclose.Roles(**taken, person="who")
    assert tclose.Roles("q", "s", "who", person="who").naming == ("who",)
    assert tclose.Roles("q", "s", "name", person="who").naming == ("name", "who")
    with pytest.raises(ColumnNotFoundError, match="who"):
        tclose.audit({"q": [1], "s": [1]}, tclose.Roles("q", "s:ordered", person="who"))


def test_five_visits_of_one_patient_are_one_person():
    table = {"zip": ["A"] * 5 + ["B"] * 5, "disease": ["flu"] * 10, "who": [1] * 5 + [1, 2, 3, 4, 5]}
    by_rows = tclose.audit(table, tclose.Roles("zip", "disease"), require={"k": 5})
    by_people = tclose.audit(table, tclose.Roles("zip", "disease", person="who"), require={"k": 5})
    assert (by_rows.k, by_rows.holds, by_people.k, by_people.holds) == (5, True, 1, False)
    assert (by_people.rows, by_people.people) == (10, 5)
    assert by_people.figures["prosecutor"].value == 1
