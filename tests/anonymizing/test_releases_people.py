"""A release by people is searched, proved and written by people: each class again, by hand."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from laws import oracle
from tclose.anonymization import person_verification as proving
from tclose.anonymization import release_search as making
from tclose.errors import ColumnNotFoundError, InputError, SourceError

FEW = settings(max_examples=8, deadline=None)


@st.composite
def visits(draw, constant=None):
    """Rows of people; with ``constant`` what others know of somebody is the same in all of their rows."""
    people = draw(st.integers(6, 12))
    known = [(draw(st.integers(20, 24)), draw(st.sampled_from("ABC"))) for _ in range(people)]
    whose = [*range(people), *draw(st.lists(st.integers(0, people - 1), max_size=20))]
    rows = []
    for at, who in enumerate(whose):
        age, zone = known[who]
        if not (draw(st.booleans()) if constant is None else constant):
            age = draw(st.integers(20, 24))
        rows.append((at, who, age, zone, draw(st.sampled_from("xyz"))))
    return dict(zip(("row", "who", "age", "zone", "s"), map(list, zip(*rows, strict=True)), strict=True))


ROLES = tclose.Roles(["age", "zone"], {"s": tclose.Nominal()}, person="who", publish=["row"])


def people_of(table, released):
    """Return who is in each published class, who has each value there, and who has each value in the original."""
    whose = dict(zip(table["row"], table["who"], strict=True))
    classes, values = defaultdict(set), defaultdict(set)
    for row in released.to_dict("records"):
        key = (row["age"], row["zone"])
        classes[key].add(whose[row["row"]])
        values[key].add((row["s"], whose[row["row"]]))
    held = set(zip(table["s"], table["who"], strict=True))
    whole = Counter(value for value, _ in held)
    return classes, {key: Counter(value for value, _ in some) for key, some in values.items()}, whole, held


def farthest(table, released):
    """Return the largest t of people: of values in classes, and of the shares of people who have a value anywhere."""
    classes, values, whole, held = people_of(table, released)
    order, everyone = tuple(sorted(whole)), {who for _, who in held}

    def share(value, people):
        return Fraction(sum((value, who) in held for who in people), len(people))

    shares = [abs(share(value, some) - share(value, everyone)) for some in classes.values() for value in order]
    reference = oracle.shares(whole, order)
    ground = oracle.Attribute("nominal", order)
    return max([*shares, *(ground.emd(oracle.shares(mine, order), reference) for mine in values.values())])


@FEW
@given(table=visits(), k=st.integers(2, 4), t=st.sampled_from(["0.2", "0.4", "1"]))
def test_every_class_of_a_release_has_k_people_and_is_within_t_of_all(table, k, t):
    release = tclose.anonymize(table, ROLES, require={"k": k, "t": t}, hierarchies={"zone": "flat"}, effort=0)
    if not release.holds:
        assert release.obstacles
        return
    frame = release.to_pandas()
    assert list(frame.columns) == ["row", "age", "zone", "s"]
    classes, *_ = people_of(table, frame)
    assert min(map(len, classes.values())) >= k
    assert farthest(table, frame) <= Fraction(t)
    own, original = release.audits()
    assert (own.k, own.unit) == (min(map(len, classes.values())), "people")
    assert original["s"].t == farthest(table, frame)
    assert (release.people, release.original_rows) == (len(set(table["who"])), len(table["row"]))


@FEW
@given(table=visits(constant=True), data=st.data())
def test_repeating_rows_of_anyone_changes_no_class_of_the_release(table, data):
    again = data.draw(st.lists(st.sampled_from(table["row"]), max_size=15))
    more = {name: [*cells, *(cells[at] for at in again)] for name, cells in table.items()}
    asked = {"require": {"k": 3}, "hierarchies": {"zone": "flat"}, "effort": 0}
    one, other = (tclose.anonymize(each, ROLES, **asked) for each in (table, more))
    assert one.holds == other.holds
    if one.holds:
        assert list(one.classes.rows()) == list(other.classes.rows())


@pytest.mark.parametrize("method", ["microaggregation", "gather", "mondrian", "full-domain", "merge", "auto"])
def test_every_method_that_keeps_rows_together_is_proved_by_people(method):
    table = {
        "who": [at // 4 for at in range(160)],
        "age": [20 + (at // 4) % 23 for at in range(160)],
        "s": ["xyz"[(at * 7) % 3] for at in range(160)],
    }
    roles = tclose.Roles("age", {"s": tclose.Nominal()}, person="who")
    release = tclose.anonymize(
        table, roles, require={"k": 4, "t": "0.3"}, method=method, effort=int(method == "gather")
    )
    assert release.holds
    assert release.audits()[0].k >= 4
    assert "who" not in release.table.names
    assert release.losses["aecs"] == pytest.approx(4 * release.losses["c_avg"]), "k is the one that was asked for"


def test_the_best_of_the_releases_that_were_proved_is_taken(monkeypatch):
    """Where people have several ages, thresholds that were made too strict are made looser again."""
    attempts = []

    def watched(attempt, *others):
        def noted(posed, effort):
            attempts.append(attempt(posed, effort))
            return attempts[-1]

        return proving.proved(noted, *others)

    monkeypatch.setattr(making, "proved", watched)
    draw = random.Random(5)
    who = [at % 60 for at in range(200)]
    homes = [draw.randrange(40) for _ in range(60)]
    table = {
        "who": who,
        "home": [homes[at] for at in who],
        "age": [20 + (7 * (at % 60) + at // 60) % 31 for at in range(200)],
        "s": [draw.choice("vwxyz") for _ in who],
    }
    roles = tclose.Roles(["home", "age"], {"s": tclose.Nominal()}, person="who")
    release = tclose.anonymize(table, roles, require={"k": 4}, method="mondrian")
    losses = [each.loss for each in attempts if not each.missed()]
    assert len(attempts) > len(losses) > 1
    assert 1 - release.kept == pytest.approx(min(losses))
    assert min(losses) < losses[0]


def test_methods_that_divide_rows_are_refused_and_more_people_than_there_are():
    table = {"who": [0, 0, 1, 1, 2, 2], "age": [20, 20, 20, 30, 30, 30], "s": list("xyxyxy")}
    roles = tclose.Roles("age", {"s": tclose.Nominal()}, person="who")
    with pytest.raises(InputError, match="4 people are required, but the table has 3"):
        tclose.anonymize(table, roles, require={"k": 4})
    with pytest.raises(InputError, match="divides rows that look alike"):
        tclose.anonymize(table, roles, require={"k": 3}, method="sabre")


def test_what_is_written_is_proved_by_people_and_its_recipe_judges_people(tmp_path):
    table = {
        "who": [at // 3 for at in range(90)],
        "age": [20 + (at // 3) % 10 for at in range(90)],
        "s": ["xyz"[at % 3] for at in range(90)],
    }
    roles = tclose.Roles("age", {"s": tclose.Nominal()}, person="who")
    release = tclose.anonymize(table, roles, require={"k": 5, "t": "0.2"})
    written = release.write(tmp_path / "release.csv")
    assert written.audit.people == 30
    assert written.audit.k >= 5
    assert (tmp_path / "release.csv").read_text().splitlines()[0] == "age,s"
    recipe = tmp_path / "release.csv.recipe.json"
    again = tclose.apply(table, recipe)
    assert (again.holds, again.people, again.audits()[0].unit) == (True, 30, "people")
    one_person = {**table, "who": [0] * 90}
    refused = tclose.apply(one_person, recipe)
    assert not refused.holds
    assert {each.requirement.model.key for each in refused.obstacles} == {"k"}
    with pytest.raises(ColumnNotFoundError, match="who"):
        tclose.apply({"age": table["age"], "s": table["s"]}, recipe)
    with pytest.raises(SourceError, match="1 row without a value"):
        tclose.anonymize({**table, "who": [None, *table["who"][1:]]}, roles, require={"k": 2})


def test_a_frontier_of_people_has_the_releases_that_are_proved():
    table = {
        "who": [at // 4 for at in range(80)],
        "age": [20 + (at // 4) % 10 for at in range(80)],
        "s": ["xyz"[(at * 7) % 3] for at in range(80)],
    }
    roles = tclose.Roles("age", {"s": tclose.Nominal()}, person="who")
    found = tclose.frontier(table, roles, sweep="k", values=[2, 5, 30], methods=["mondrian"])
    assert (found.people, found.rows) == (20, 80)
    for point in found.points:
        release = None
        if point.threshold <= 20:
            release = tclose.anonymize(table, roles, require={"k": int(point.threshold)}, method="mondrian")
        assert point.holds == (release is not None and release.holds)
        assert point.loss == (release.losses["lm"] if release is not None and release.holds else None)


def test_a_release_by_rows_says_that_people_repeat():
    table = {"patient_id": [1, 1, 2, 3], "age": [20, 20, 20, 20], "s": list("xyxy")}
    release = tclose.anonymize(table, tclose.Roles("age", "s:nominal", "patient_id"), require={"k": 2})
    assert any("1 person (" in note.text for note in release.notes)


def test_a_class_of_all_holds_though_its_people_added_up_row_by_row_do_not():
    """Of two people, one has x in three classes: added up, x has three of four; counted once, one of two."""
    table = {"who": [1, 1, 1, 2], "q": list("abca"), "s": list("xxxy")}
    release = tclose.anonymize(table, OF_PEOPLE, require={"t": 0}, hierarchies={"q": "flat"})
    assert (release.holds, release.class_count, release.audits()[0]["s"].t) == (True, 1, 0)


def test_what_stands_in_the_way_of_people_is_measured_by_people():
    """On level 0 the classes b and c hold x alone, half of all people's values: half of the mass must move."""
    table = {"who": [1, 1, 1, 2], "q": list("abca"), "s": list("xxxy")}
    options = {"hierarchies": {"q": "flat"}, "levels": {"q": 0}}
    (missed,) = tclose.anonymize(table, OF_PEOPLE, require={"t": "0.4"}, **options).obstacles
    assert (missed.value, missed.key, missed.size, missed.proven) == (Fraction(1, 2), {"q": "b"}, 1, False)


def test_full_domain_claims_no_optimum_by_people():
    table = {"who": [1, 1, 1, 2], "q": list("abca"), "s": list("xxxy")}
    options = {"hierarchies": {"q": "flat"}, "method": "full-domain", "require": {"k": 2}}
    assert any(note.code == "search-by-rows" for note in tclose.anonymize(table, OF_PEOPLE, **options).notes)
    by_rows = tclose.anonymize(table, tclose.Roles("q", "s:nominal"), **options)
    assert any(note.code.startswith("search-exact") for note in by_rows.notes)


def test_a_release_of_people_is_written_whose_numbers_are_in_another_order_than_their_texts(tmp_path):
    """In the release 21 comes before 3, in a file of numbers after it; both have one value, one of them twice."""
    table = {"who": [1, 2, 3], "age": [3, 3, 21], "s": ["x", "x", "y"]}
    roles = tclose.Roles("age", {"s": tclose.Nominal()}, person="who")
    release = tclose.anonymize(table, roles, require={"l": 1}, intervals=False)
    written = release.write(tmp_path / "release.csv")
    assert (written.audit.people, written.audit.class_count) == (3, 2)


LEFT_OUT = {"levels": {"q": 0}, "hierarchies": {"q": "flat"}, "method": "full-domain", "suppress": "0.4"}
OF_PEOPLE = tclose.Roles("q", {"s": tclose.Nominal()}, person="who")


def test_people_are_named_where_rows_are_left_out_too():
    table = {"who": [1, 2, 3, 4, 5, 5], "q": ["a"] * 4 + ["b"] * 2, "s": ["x", "y"] * 2 + ["x"] * 2}
    told = " ".join(str(tclose.anonymize(table, OF_PEOPLE, require={"k": 2}, **LEFT_OUT)).split())
    assert "4 rows of the original's 5 people (6 rows) in 1 class of q; 2 rows are left out" in told


def test_thresholds_that_are_too_strict_for_a_search_are_loosened_again():
    """The search sees three people in one class and two in the other, who is one: between, there is a release."""
    table = {"who": [1, 1, 2, 3, 3], "q": ["a"] * 3 + ["b"] * 2, "s": ["x", "y", "x", "x", "y"]}
    release = tclose.anonymize(table, OF_PEOPLE, require={"k": 2}, **LEFT_OUT)
    assert (release.holds, release.suppressed, release.class_count) == (True, 2, 1)
    assert not tclose.anonymize(table, OF_PEOPLE, require={"k": 3}, **LEFT_OUT).holds


def test_intervals_end_where_enough_people_are_not_rows():
    """Four people have two rows each from 10 to 14, four from 20 to 24, four from 30 to 34; one has six from 25 to 29.

    With k = 4 the cuts are 20 and 30; by rows 25 is one too.
    """
    ages = {who: [10 + who, 11 + who] for who in range(4)} | {who: [16 + who, 17 + who] for who in range(4, 8)}
    ages |= {8: [25, 26, 27, 28, 29, 25]} | {who: [21 + who, 22 + who] for who in range(9, 13)}
    rows = [(who, age, "xy"[at % 2]) for who, own in ages.items() for at, age in enumerate(own)]
    table = dict(zip(("who", "age", "s"), map(list, zip(*rows, strict=True)), strict=True))
    by = {"require": {"k": 4}, "method": "mondrian"}
    people = tclose.anonymize(table, tclose.Roles(["age"], {"s": tclose.Nominal()}, person="who"), **by)
    labels = {cell.label for cell in people.recipe.columns[0].cells}
    assert labels == {"< 20", "[20, 29]", "≥ 30"}
    plain = tclose.anonymize(table, tclose.Roles(["age"], {"s": tclose.Nominal()}), **by)
    assert {cell.label for cell in plain.recipe.columns[0].cells} == {"< 20", "[20, 24]", "[25, 29]", "≥ 30"}
