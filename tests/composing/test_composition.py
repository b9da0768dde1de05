"""Releases together with those before them: published examples, all people one by one, and what is refused."""

from __future__ import annotations

import itertools
import json
from collections import Counter, defaultdict
from fractions import Fraction
from importlib.resources import files

import jsonschema
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from canaries import CANARY
from faces.command_line import in_process
from laws import oracle
from tclose.errors import HierarchyError, InputError
from tclose.reports.content.redaction import redacted

GANTA_ROLES = tclose.Roles(quasi=["zip", "age"], sensitive="condition:nominal")


def release(names, groups):
    """A table of rows: for each group its cells, and a sensitive value for each of its rows."""
    rows = [(*cells, value) for cells, values in groups for value in values]
    return pd.DataFrame(rows, columns=names)


def ganta():
    """Ganta, Kasiviswanathan, Smith: Composition attacks, KDD 2008, figure 1: both hospitals saw Alice, 28, 13012."""
    names = ["zip", "age", "condition"]
    one = [
        (("130**", "<30"), ["AIDS", "heart disease", "viral infection", "viral infection"]),
        (("130**", "≥40"), ["cancer", "heart disease", "viral infection", "viral infection"]),
        (("130**", "3*"), ["cancer"] * 4),
    ]
    two = [
        (("130**", "<35"), ["AIDS", "tuberculosis", "flu", "tuberculosis", "cancer", "cancer"]),
        (("130**", "≥35"), ["cancer", "cancer", "cancer", "tuberculosis", "viral infection", "viral infection"]),
    ]
    return release(names, one), release(names, two)


def test_the_counts_of_two_months_tell_of_the_few_who_joined_or_left():
    """Everything by the counts of both months, value by value, of classes of the same cells and of the whole table."""
    names = ["age", "condition"]
    one = [(("20-29",), ["flu"] * 6 + ["gout"] * 4), (("30-39",), ["flu"] * 9), (("40-49",), ["gout"] * 5)]
    two = [
        (("20-29",), ["flu"] * 6 + ["gout"] * 4 + ["ulcer"]),  # one joined
        (("30-39",), ["flu"] * 7),  # two left
        (("40-59",), ["gout"] * 5 + ["flu"] * 2),  # other cells
    ]
    roles = tclose.Roles(quasi="age", sensitive="condition:nominal")
    audit = tclose.audit(release(names, two), roles, require={"k": 5}, after=release(names, one))
    found = audit.composition.linked[0].attributes["condition"].difference
    assert (found.same, found.few, found.joined, found.left, found.least) == (2, 2, 1, 0, 5)
    assert found.tells
    assert "All values together are more by 1 row and 2 of 2 classes with the same cells" in " ".join(
        str(audit).split()
    )
    again = tclose.audit(release(names, two), roles, require={"k": 5}, after=release(names, two))
    assert not again.composition.linked[0].attributes["condition"].difference.tells
    assert "gained or lost" not in str(again)
    three = tclose.audit(release(names, two), roles, after=[release(names, one), release(names, two)])
    assert three.composition.linked[-1].attributes["condition"].difference is None


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("abc")), min_size=1, max_size=20), st.data())
@settings(max_examples=40, deadline=None)
def test_a_difference_is_that_of_the_counts(rows, data):
    later = data.draw(st.lists(st.tuples(st.sampled_from("xyzw"), st.sampled_from("abcd")), min_size=1, max_size=20))
    frames = [pd.DataFrame(each, columns=["q", "s"]) for each in (rows, later)]
    roles = tclose.Roles(quasi="q", sensitive="s:nominal")
    audit = tclose.audit(frames[1], roles, require={"k": 3}, after=frames[0], hierarchies={"q": "flat"})
    found = audit.composition.linked[0].attributes["s"].difference
    same = {cell for cell, _ in rows} & {cell for cell, _ in later}
    few = 0
    for cell in same:
        one, two = (Counter(value for here, value in each if here == cell) for each in (rows, later))
        few += any(0 < change.total() < 3 for change in (one - two, two - one))
    totals = [Counter(value for _, value in each) for each in (rows, later)]
    joined, left = (totals[1] - totals[0]).total(), (totals[0] - totals[1]).total()
    assert (found.same, found.few, found.joined, found.left) == (len(same), few, joined, left)


def test_two_hospitals_tell_together_what_neither_tells_alone():
    one, two = ganta()
    assert tclose.audit(two, GANTA_ROLES, require={"l": 3}).holds
    found = tclose.audit(two, GANTA_ROLES, require={"l": 2}, after=one)
    assert found.holds is False
    assert [verdict.holds for verdict in found.verdicts] == [True]
    (linked,) = found.composition.linked
    assert (linked.classes, linked.people) == (4, None)  # <30 meets <35 alone, ≥40 meets ≥35 alone, 3* meets both
    figures = linked.attributes["condition"].figures
    assert (figures["l"].value, figures["alpha"].value) == (1, 1)
    assert figures["t"].value == Fraction(11, 12)  # certainty of AIDS, which 1 of 12 has
    assert figures["t"].worst.keys == ({"zip": "130**", "age": "<30"}, {"zip": "130**", "age": "<35"})
    assert figures["t"].worst.sizes == (4, 6)
    (verdict,) = found.composition.verdicts
    assert (verdict.holds, verdict.failing) == (False, 3)  # all but ≥40 & ≥35: cancer or a viral infection


def xiao_tao():
    """Xiao, Tao: m-Invariance, SIGMOD 2007: a hospital's patients, half a year later, and with two counterfeits."""
    first = [
        ("[21, 22]", "[12000, 14000]", {"Bob": "dyspepsia", "Alice": "bronchitis"}),
        ("[23, 24]", "[18000, 25000]", {"Andy": "flu", "David": "gastritis"}),
        ("[36, 41]", "[20000, 27000]", {"Gary": "flu", "Helen": "gastritis"}),
        ("[37, 43]", "[26000, 35000]", {"Jane": "dyspepsia", "Ken": "flu", "Linda": "gastritis"}),
        ("[52, 56]", "[33000, 34000]", {"Paul": "dyspepsia", "Steve": "gastritis"}),
    ]
    later = [
        ("[41, 46]", "[20000, 30000]", {"Gary": "flu", "Mary": "gastritis"}),
        ("[54, 56]", "[31000, 34000]", {"Ray": "dyspepsia", "Steve": "gastritis"}),
        ("[60, 65]", "[36000, 44000]", {"Tom": "gastritis", "Vince": "flu"}),
    ]
    naive = [
        ("[21, 23]", "[12000, 25000]", {"Bob": "dyspepsia", "David": "gastritis"}),
        ("[25, 43]", "[21000, 33000]", {"Emily": "flu", "Jane": "dyspepsia", "Linda": "gastritis"}),
    ]
    careful = [
        ("[21, 22]", "[12000, 14000]", {"Bob": "dyspepsia", "c1": "bronchitis"}),
        ("[23, 25]", "[21000, 25000]", {"David": "gastritis", "Emily": "flu"}),
        ("[37, 43]", "[26000, 33000]", {"Jane": "dyspepsia", "c2": "flu", "Linda": "gastritis"}),
    ]

    def table(groups):
        rows = [(age, code, who, value) for age, code, people in groups for who, value in people.items()]
        return pd.DataFrame(rows, columns=["age", "zip", "name", "disease"])

    return table(first), table([*naive, *later]), table([*careful, *later])


def test_the_hospital_of_xiao_and_tao_is_2_invariant_with_counterfeits_only():
    first, naive, careful = xiao_tao()
    roles = tclose.Roles(quasi=["age", "zip"], sensitive="disease:nominal", person="name")
    found = tclose.audit(naive, roles, require={"l": 2}, after=[first])
    (linked,) = found.composition.linked
    mine = linked.attributes["disease"]
    assert (linked.people, mine.m, mine.figures["l"].value) == (6, 0, 1)  # Bob, David, Gary, Jane, Linda, Steve
    assert mine.figures["l"].worst.keys[0]["age"] == "[21, 22]"  # Bob: dyspepsia is all that is left
    assert mine.figures["l"].worst.people == 1
    assert found.holds is False
    found = tclose.audit(careful, roles, require={"l": 2}, after=[first])
    mine = found.composition.linked[0].attributes["disease"]
    assert (mine.m, mine.changed, mine.contradicting, mine.figures["l"].value) == (2, 0, 0, 2)
    assert found.holds is True
    unlinked = tclose.Roles(quasi=["age", "zip"], sensitive="disease:nominal", identifiers="name")
    found = tclose.audit(careful, unlinked, after=[first])
    assert found.composition.person is None
    assert found.composition.linked[0].people is None


# ---- every person, one by one ------------------------------------------------------------------------

PEOPLE = st.dictionaries(
    st.integers(0, 7), st.tuples(st.integers(0, 2), st.sampled_from("abcd")), min_size=1, max_size=8
)
DISTANCES = {"nominal": tclose.Nominal(), "ordered": tclose.Ordered()}


def frame(people):
    return pd.DataFrame(
        [(who, f"[{2 * cell}, {2 * cell + 2})", value) for who, (cell, value) in people.items()],
        columns=["who", "q", "s"],
    )


def expected(releases, word):
    """By hand: for everyone in all releases the values left, the surest guess and the distance."""
    last = releases[-1]
    reference = Counter(value for _, value in last.values())
    attribute = oracle.Attribute(word, tuple(sorted(reference)))
    q = oracle.shares(reference, attribute.order)
    classes = [defaultdict(list) for _ in releases]
    for held, people in zip(classes, releases, strict=True):
        for cell, value in people.values():
            held[cell].append(value)
    found = {}
    for who in set.intersection(*(set(people) for people in releases)):
        mine = [Counter(held[people[who][0]]) for held, people in zip(classes, releases, strict=True)]
        weights = []
        for value, prior in zip(attribute.order, q, strict=True):
            weight = Fraction(1)
            for counts in mine:
                weight *= Fraction(counts[value], sum(counts.values()))
            weights.append(weight / prior ** (len(mine) - 1))
        left = sum(weight > 0 for weight in weights)
        shares = [weight / sum(weights) for weight in weights] if left else None
        together = tuple(people[who][0] for people in releases)
        same = len({frozenset(counts) for counts in mine}) == 1
        found[together] = (left, left and max(shares), left and attribute.emd(shares, q), same)
    return found


@given(releases=st.lists(PEOPLE, min_size=2, max_size=3), word=st.sampled_from(["nominal", "ordered"]))
@settings(max_examples=30, deadline=None)
def test_everyone_in_all_releases_is_judged_as_one_by_one(releases, word):
    roles = tclose.Roles(quasi="q", sensitive={"s": DISTANCES[word]}, person="who")
    *before, last = map(frame, releases)
    found = tclose.audit(last, roles, require={"l": 2, "t": "1/3", "alpha": "1/2"}, after=before, drivers=False)
    by_hand = expected(releases, word)
    linked = found.composition.linked[-1]
    mine = linked.attributes["s"]
    assert linked.classes == len(by_hand)
    assert mine.contradicting == sum(left == 0 for left, *_ in by_hand.values())
    assert mine.changed == sum(not same for *_, same in by_hand.values())
    known = [each for each in by_hand.values() if each[0]]
    if not known:
        assert mine.figures == {}
        return
    assert mine.figures["l"].value == min(left for left, *_ in known)
    assert mine.figures["alpha"].value == max(surest for _, surest, *_ in known)
    assert mine.figures["t"].value == max(distance for _, _, distance, _ in known)
    failing = {each.requirement.model.key: each.failing for each in found.composition.verdicts[-3:]}
    assert failing == {
        "l": sum(left < 2 for left, *_ in known),
        "t": sum(distance > Fraction(1, 3) for _, _, distance, _ in known),
        "alpha": sum(surest > Fraction(1, 2) for _, surest, *_ in known),
    }


CELLS = {
    "*": range(10, 100), "2*": range(20, 30), "[20, 40)": range(20, 40), "[20, 40]": range(20, 41),
    "< 25": range(10, 25), "≥ 40": range(40, 100), ">40": range(41, 100), "<=30": range(10, 31), "27": [27],
    "30-39": range(30, 40), "40": [40], "(40, 50]": range(41, 51), "90+": range(90, 100),
}  # fmt: skip


@given(one=st.sets(st.sampled_from(list(CELLS)), min_size=1, max_size=3), other=st.sets(st.sampled_from(list(CELLS))))
@settings(max_examples=25, deadline=None)
def test_classes_meet_where_some_age_is_in_both_cells(one, other):
    other = other or {"*"}
    roles = tclose.Roles(quasi="age", sensitive="s:nominal")
    tables = [pd.DataFrame({"age": sorted(cells), "s": ["a"] * len(cells)}, dtype="str") for cells in (one, other)]
    found = tclose.audit(tables[1], roles, after=tables[0], drivers=False)
    meeting = [(a, b) for a, b in itertools.product(one, other) if set(CELLS[a]) & set(CELLS[b])]
    assert found.composition.linked[0].classes == len(meeting)


@pytest.mark.parametrize(
    ("one", "other", "meets"),
    [
        ("2020-03", "2020-Q1", True), ("2020-04", "2020-Q1", False), ("2020-03-31", "2020-03", True),
        ("2020", "2020s", True), ("2030", "2020s", False),
        ("[2020-01-01, 2020-03-31]", "2020-04", False), ("[2020-01-01, 2020-03-31]", "2020-03", True),
        ("[2020-01-01, 2020-03-31)", "2020-03-31", False), ("2020-03-31T10:00:00", "2020-03-31", True),
        ("1303*", "13*3*", True), ("1303*", "1304*", False), ("A1**", "A12B", True), ("A1**", "A12", False),
        ("{20, 30}", "[25, 40)", True), ("{20, 50}", "[25, 40)", False), (None, "27", True), ("{2, 3}", "{3, 4}", True),
    ],
)  # fmt: skip
def test_calendars_and_masks_are_read(one, other, meets):
    roles = tclose.Roles(quasi="q", sensitive="s:nominal")
    found = tclose.audit({"q": [one], "s": ["a"]}, roles, after={"q": [other], "s": ["a"]}, drivers=False)
    assert found.composition.linked[0].classes == meets


TREE = {"*": {"north": ["A", "B"], "south": ["C", "D"]}}


def test_labels_are_read_by_their_hierarchy_and_refused_without_one():
    roles = tclose.Roles(quasi="town", sensitive="s:nominal")
    one, two = {"town": ["north", "south", CANARY], "s": list("abc")}, {"town": ["A", "C"], "s": list("ab")}
    with pytest.raises(HierarchyError, match=r"3 published cells of 'town' are texts that only one") as refused:
        tclose.audit(two, roles, after=one)
    assert CANARY not in str(refused.value)
    flat = tclose.audit(two, roles, after=one, hierarchies={"town": "flat"})
    assert flat.composition.linked[0].classes == 0
    with pytest.raises(HierarchyError, match="1 of the published cells of 'town' are no labels") as refused:
        tclose.audit(two, roles, after=one, hierarchies={"town": TREE})
    assert CANARY not in str(refused.value)
    one = {"town": ["north", "south", "*"], "s": list("abc")}
    found = tclose.audit(two, roles, after=one, hierarchies={"town": TREE}).composition.linked[0]
    assert found.classes == 4
    with pytest.raises(InputError, match="no quasi-identifier"):
        tclose.audit(two, roles, after=one, hierarchies={"street": TREE})


def test_people_with_several_rows_have_no_one_value():
    roles = tclose.Roles(quasi="q", sensitive="s:nominal", person="who")
    twice = {"q": [1, 1], "s": list("ab"), "who": [7, 7]}
    with pytest.raises(InputError, match=r"1 person \('who'\) has several rows"):
        tclose.audit({"q": [1], "s": ["a"], "who": [7]}, roles, after=twice)


def test_each_release_alone_and_all_together_are_looked_at():
    roles = tclose.Roles(quasi="q", sensitive="s:nominal")
    tables = [{"q": [1] * 3, "s": list(values)} for values in ("abc", "bcd", "acd")]
    found = tclose.audit(tables[2], roles, require={"l": 2}, after=tables[:2], drivers=False)
    assert [each.attributes["s"].figures["l"].value for each in found.composition.linked] == [2, 2, 1]
    assert [each.holds for each in found.composition.verdicts] == [True, True, False]
    assert found.holds is False


def test_releases_that_nobody_can_be_in_together_say_nothing_together():
    months = [{"age": [age] * 2, "s": ["x", "y"]} for age in ("1", "2", "3")]
    found = tclose.audit(months[2], tclose.Roles("age", "s:nominal"), after=months[:2], require={"l": 2})
    assert [(each.classes, each.attributes["s"].figures) for each in found.composition.linked] == [(0, {})] * 3
    assert found.holds


def test_the_faces_tell_it_and_redacted_ones_show_no_key(tmp_path, capfdbinary, monkeypatch):
    one, two = ganta()
    one.to_csv(tmp_path / "one.csv", index=False)
    two.to_csv(tmp_path / "two.csv", index=False)
    monkeypatch.chdir(tmp_path)
    asked = ("audit", "two.csv", "-q", "zip,age", "-s", "condition:nominal", "--l", "2", "--after", "one.csv")
    hidden = in_process(capfdbinary, *asked)
    assert (hidden.code, "<30" in hidden.out) == (1, False)  # a class of 4, and no k is required
    asked += ("--k", "4")
    found = in_process(capfdbinary, *asked, "--format", "json")
    assert found.code == 1
    data = json.loads(found.out)
    jsonschema.validate(
        data, json.loads(files("tclose.reports.machine_readable").joinpath("audit.schema.json").read_text("utf-8"))
    )
    assert data["holds"] is False
    assert data["composition"]["linked"][0]["previous"] == ["one.csv"]
    (judged,) = data["composition"]["requirements"]
    assert (judged["text"], judged["holds"], judged["failing"]) == ("l ≥ 2 after one.csv", False, 3)
    told = in_process(capfdbinary, *asked).out
    assert "✗  l ≥ 2     condition  one.csv  1" in told
    assert "<30" in told
    audit = tclose.audit(two, GANTA_ROLES, after=one)
    for text in (str(redacted(audit).to_json()), audit.to_html(redact=True)):
        assert "130**" not in text
    refused = in_process(capfdbinary, *asked, "-o", "one.csv", "--force")
    assert refused.code == 2
