"""An audit for someone who knows facts: figures of real tables, verdicts, and what it refuses."""

from __future__ import annotations

import csv
import json
import math
import time
from collections import Counter
from fractions import Fraction

import pytest
from jsonschema import Draft202012Validator

import tclose
from faces.command_line import in_process
from shared_data import shared_file
from tclose.auditing.facts.database import PersonTable
from tclose.auditing.facts.drawing import clopper_pearson
from tclose.auditing.facts.learned import learned
from tclose.engines.duckdb.session import DuckDBSession
from tclose.errors import InputError
from tclose.policy.roles import Nominal
from tclose.reports.machine_readable.audits import schema_text

VISITS = {
    "id": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6],
    "sex": list("FFFFFFMMMMMM"),
    "ward": list("ABAAABACACBC"),
    "hiv": ["no"] * 4 + ["yes"] * 2 + ["no"] * 2 + ["yes"] * 2 + ["no"] * 2,
}
"""Six people; among the women wards A+B (1, 3) and A+A (2), among the men A+C (4, 5) and B+C (6)."""
ROLES = tclose.Roles(["sex", "ward"], {"hiv": Nominal()}, person="id")


def powers(table=VISITS, roles=ROLES, **options):
    return tclose.audit(table, roles, **options).facts.powers


TRIAL = [
    ("AEDECOD", "set", [(6, 0, 0), (1, 153, 202), (1, 183, 210), (1, 184, 210)]),
    ("AEBODSYS", "set", [(6, 0, 0), (1, 30, 95), (1, 75, 144), (1, 87, 145)]),
    ("AEDECOD", "multiset", [(6, 0, 0), (1, 153, 202), (1, 188, 212), (1, 191, 213)]),
    ("AEBODSYS", "multiset", [(6, 0, 0), (1, 30, 95), (1, 80, 149), (1, 100, 160)]),
]
"""k, the people who are alone and those with fewer than 5 candidates for 0 to 3 facts, by brute force."""


@pytest.mark.parametrize(("column", "counted", "expected"), TRIAL)
def test_a_trial_of_two_tables_has_the_figures_that_brute_force_finds(column, counted, expected):
    people, events = (read_columns(name) for name in ("dm", "ae"))
    people["decade"] = [int(age) // 10 for age in people["AGE"]]
    session = DuckDBSession(threads=1)
    first = session.open({name: people[name] for name in ("USUBJID", "decade", "SEX", "ARM")})
    second = session.open({name: events[name] for name in ("USUBJID", column)})
    found = learned(
        [
            PersonTable(first, ("USUBJID",), ("decade", "SEX"), {("ARM",): Nominal()}),
            PersonTable(second, ("USUBJID",), (column,), {}),
        ],
        3,
        repeated=counted == "multiset",
    )
    assert [(each.k.value, each.alone, each.fewer) for each in found.powers] == expected
    assert [each.attributes["ARM"]["t"].value for each in found.powers] == [Fraction(5, 18), *[Fraction(37, 51)] * 3]


def read_columns(name):
    with shared_file("people", f"{name}.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {column: [row[column] for row in rows] for column in rows[0]}


def test_more_facts_leave_fewer_candidates():
    found = powers(facts=2)
    assert [(each.k.value, each.alone) for each in found] == [(3, 0), (1, 1), (1, 2)]  # 6 by B; 2 by A twice
    assert [(each.k.value, each.alone) for each in powers(facts=2, facts_as="set")] == [(3, 0), (1, 1), (1, 1)]


def test_without_facts_it_is_the_audit_of_the_traits():
    (found,) = powers(facts=0)
    bases = tclose.audit(VISITS, tclose.Roles(["sex"], {"hiv": Nominal()}, person="id"))
    assert found.k.value == bases.k
    for key in ("t", "alpha", "l"):
        assert found.attributes["hiv"][key].value == bases["hiv"][key].value


def test_one_fact_leaves_whom_a_class_holds():
    found, classes = powers(facts=1)[1], tclose.audit(VISITS, ROLES)
    assert found.k.value == classes.k
    assert found.attributes["hiv"]["t"].value == classes["hiv"].t


def test_what_is_required_must_hold_for_as_many_facts():
    assert tclose.audit(VISITS, tclose.Roles(["sex"], {"hiv": Nominal()}, person="id"), require={"k": 3}).met
    for facts, met in ((0, True), (1, False)):
        found = tclose.audit(VISITS, ROLES, require={"k": 3}, facts=facts)
        assert [each.holds for each in found.facts.verdicts] == [met]
        assert found.verdict == "fail"  # the classes of wards are too small in any case
    alike = {**VISITS, "ward": list("ABABABACACAC")}
    held = tclose.audit(alike, ROLES, require={"k": 3}, facts=2, accept={"trait-in-histories": "known"})
    assert (held.verdict, held.facts.last.k.value) == ("pass", 3)
    undetermined = tclose.audit(alike, ROLES, require={"k": 3}, facts=2, fact_sets=6)
    assert (undetermined.verdict, undetermined.facts.certain) == ("undetermined", False)
    assert "facts-drawn" in [each.code for each in undetermined.reasons]
    with pytest.raises(InputError, match="cannot be accepted"):
        tclose.audit(alike, ROLES, require={"k": 3}, facts=2, fact_sets=6, accept={"facts-drawn": "why not"})


def test_a_drawn_figure_can_fail():
    assert tclose.audit(VISITS, ROLES, require={"k": 2}, facts=2, fact_sets=6).verdict == "fail"


def test_pseudonyms_whose_histories_were_counted_need_no_other_reason():
    roles = tclose.Roles(["sex", "ward"], {"hiv": Nominal()}, pseudonym="id")
    asked = {"require": {"k": 1}}
    assert "pseudonyms-link" in [each.code for each in tclose.audit(VISITS, roles, **asked).reasons]
    assert "pseudonyms-link" not in [each.code for each in tclose.audit(VISITS, roles, **asked, facts=1).reasons]


def test_a_qualified_verdict_says_what_one_row_and_two_single_out():
    """One ward tells 6 apart, two also tell 2 apart, who was in ward A twice."""
    roles = tclose.Roles(["sex", "ward"], {"hiv": Nominal()}, pseudonym="id")
    found = tclose.audit(VISITS, roles, require={"k": 1})
    assert (found.verdict, [(each.known, each.alone, each.people) for each in found.linked]) == (
        "qualified",
        [(1, 1, 6), (2, 2, 6)],
    )
    assert "One row of a person, known beside their traits, singles out 1 of 6 people" in str(found)
    Draft202012Validator(json.loads(schema_text())).validate(found.to_dict())
    assert [each["alone"] for each in found.to_dict()["linked"]] == [1, 2]
    assert tclose.audit(VISITS, roles, require={"k": 1}, facts=1).linked == ()
    assert tclose.audit(VISITS, ROLES, require={"k": 1}).linked == ()


def test_a_column_that_may_be_a_trait_keeps_no_audit_from_its_verdict():
    roles = tclose.Roles(["sex", "ward"], {"hiv": Nominal()}, pseudonym="id")
    mistyped = {**VISITS, "sex": list("FMFFFFMMMMMM")}
    found = tclose.audit(mistyped, roles, require={"k": 1})
    assert (found.verdict, found.linked) == ("qualified", ())


def test_the_people_whom_facts_set_furthest_apart_are_explained():
    """Man 6 is alone by ward B, and has no HIV, as four of six: |1 − 4/6| + |0 − 2/6|, halved, is 1/3."""
    (told,) = tclose.explain(VISITS, ROLES, facts=2)
    assert (told.key, told.counts, told.value) == ({"sex": "M", "fact 1: ward": "B"}, (1, 0), Fraction(1, 3))
    assert (told.reference_counts, told.shows_people, told.unit) == ((4, 2), True, "people")
    audit = tclose.audit(VISITS, ROLES, facts=2)
    assert tclose.explain(audit)[0].t == audit.facts.last.attributes["hiv"]["t"].value
    with pytest.raises(InputError, match="alone"):
        tclose.explain(audit, worst=2)
    with pytest.raises(InputError):
        tclose.explain(audit, attribute="ward")


def test_explanations_of_facts_agree_with_the_figures_of_a_trial():
    people, events = (read_columns(name) for name in ("dm", "ae"))
    tables = {
        "dm": {name: people[name] for name in ("USUBJID", "SEX", "ARM")},
        "ae": {name: events[name] for name in ("USUBJID", "AEBODSYS", "AESEV")},
    }
    roles = tclose.Roles(["SEX", "AEBODSYS"], {"ARM": Nominal(), "AESEV": Nominal()}, person="USUBJID")
    for known in (0, 2, 10**9):
        audit = tclose.audit(tables, roles, facts=known)
        told = {each.attribute: each for each in tclose.explain(audit)}
        assert {name: each["t"].value for name, each in audit.facts.last.attributes.items()} == {
            name: each.t for name, each in told.items()
        }
        assert all(sum(each.counts) >= audit.facts.last.attributes[n]["t"].worst.size for n, each in told.items())


def test_the_command_line_explains_nobody_unless_asked(tmp_path, capfdbinary):
    path = tmp_path / "visits.csv"
    rows = zip(*VISITS.values(), strict=True)
    path.write_text("\n".join([",".join(VISITS), *(",".join(map(str, row)) for row in rows)]))
    asked = ["explain", str(path), "--person", "id", "-q", "sex,ward", "-s", "hiv:nominal", "--facts", "2"]
    refused = in_process(capfdbinary, *asked)
    assert (refused.code, "ward" in refused.out) == (2, False)
    assert "shows single people" in refused.err
    told = in_process(capfdbinary, *asked, "--show-people")
    assert (told.code, "hiv in the class sex=M, fact 1: ward=B" in told.out) == (0, True)


def test_more_facts_than_anybody_has_are_all_there_are():
    found = tclose.audit(VISITS, ROLES, facts=10**9).facts
    assert (found.asked, found.largest, found.last.known) == (10**9, 2, 2)
    assert found.last.alone == powers(facts=2)[-1].alone


def test_a_thousand_million_facts_of_a_trial_are_counted_at_once():
    """Somebody has 23 events and 3.6 million sets of them; whom some set singles out needs no larger one."""
    people, events = (read_columns(name) for name in ("dm", "ae"))
    session = DuckDBSession(threads=1)
    first = session.open({name: people[name] for name in ("USUBJID", "SEX", "ARM")})
    second = session.open({name: events[name] for name in ("USUBJID", "AEDECOD", "AESEV")})
    tables = [
        PersonTable(first, ("USUBJID",), ("SEX",), {("ARM",): Nominal()}),
        PersonTable(second, ("USUBJID",), ("AEDECOD",), {("AESEV",): Nominal()}),
    ]
    most, began = Counter(events["USUBJID"]).most_common(1)[0][1], time.monotonic()
    found = learned(tables, 10**9)
    assert time.monotonic() - began < 30
    assert (found.asked, found.largest, found.last.known, found.certain) == (10**9, most, most, True)
    sex = dict(zip(people["USUBJID"], people["SEX"], strict=True))
    held = {person: Counter() for person in people["USUBJID"]}
    for person, event in zip(events["USUBJID"], events["AEDECOD"], strict=True):
        held[person][event] += 1

    def candidates(person):  # who has all that somebody has
        return sum(held[person] <= theirs and sex[person] == sex[other] for other, theirs in held.items())

    left = [candidates(person) for person in held]
    last = found.last
    assert (last.k.value, last.alone, last.fewer) == (min(left), left.count(1), sum(size < 5 for size in left))


def test_facts_that_are_true_many_times_are_drawn_where_they_cannot_be_counted():
    repeated = {"id": [1] * 300 + [2] * 300, "ward": ["A"] * 600}
    table = DuckDBSession(threads=1).open(repeated)
    found = learned([PersonTable(table, ("id",), ("ward",), {}, facts=("ward",))], 10**9)
    assert (found.largest, found.certain, found.last.k.value, found.last.alone) == (300, False, 2, 0)


def test_a_column_that_few_people_have_twice_must_be_declared():
    mistyped = {**VISITS, "sex": list("FMFFFFMMMMMM")}
    with pytest.raises(InputError) as refused:
        tclose.audit(mistyped, ROLES, facts=1)
    assert refused.value.code == "near-trait"
    assert "1 of 6 people" in str(refused.value)
    missing = powers(mistyped, facts=0, traits={"sex": "missing"}, fact_columns=["ward"])
    assert missing[0].k.value == 1  # person 1 has no sex, which nobody else lacks
    often = {**mistyped, "id": [1, 1, *VISITS["id"]], "sex": list("FF") + mistyped["sex"]}
    often |= {name: VISITS[name][:2] + VISITS[name] for name in ("ward", "hiv")}
    assert powers(often, facts=0, traits={"sex": "most-frequent"}, fact_columns=["ward"])[0].k.value == 3
    facts = tclose.audit(mistyped, ROLES, facts=1, fact_columns=["sex", "ward"]).facts
    assert facts.tables[0].facts == ("sex", "ward")
    with pytest.raises(InputError) as refused:
        tclose.audit(mistyped, ROLES, facts=1, traits={"sex": "refuse"})
    assert refused.value.code == "trait-conflicts"


@pytest.mark.parametrize(
    ("options", "code", "field"),
    [
        ({"traits": {"sxe": "missing"}}, None, "traits"),
        ({"fact_columns": ["hiv"]}, None, "fact_columns"),
        ({"traits": {"sex": "missing"}, "fact_columns": ["sex"]}, None, "fact_columns"),
        ({"any": 1, "require": {"k": 2}}, None, "facts"),
        ({"require": {"marketer": "0.5"}}, None, "marketer"),
    ],
)
def test_what_does_not_fit_is_refused(options, code, field):
    with pytest.raises(InputError) as refused:
        tclose.audit(VISITS, ROLES, facts=1, **options)
    assert refused.value.field == field
    assert code in (None, refused.value.code)


def test_no_other_verb_passes_over_facts_in_silence():
    policy = tclose.Policy(table=VISITS, roles=ROLES).with_options({"facts": 1, "require": {"k": 2}})
    for verb in (tclose.anonymize, tclose.attack, tclose.frontier, tclose.audit_sql):
        with pytest.raises(InputError) as refused:
            verb(policy)
        assert refused.value.field == "facts"


def test_facts_are_of_people():
    with pytest.raises(InputError, match="whose each row is"):
        tclose.audit(VISITS, tclose.Roles(["sex", "ward"], "hiv"), facts=1)


def test_json_says_it_as_its_schema_does():
    found = tclose.audit(VISITS, ROLES, facts=2, require={"k": 2, "t": "0.5"}).to_dict()
    Draft202012Validator(json.loads(schema_text())).validate(found)
    assert [each["known"] for each in found["facts"]] == [0, 1, 2]
    assert found["facts"][2]["worst"]["base"] is None  # one person, whom nobody is shown
    assert "exact" in found["facts"][2]["t"]["hiv"]


def test_the_command_line_shows_nobody_unless_asked(tmp_path, capfdbinary):
    path = tmp_path / "visits.csv"
    rows = zip(*VISITS.values(), strict=True)
    path.write_text("\n".join([",".join(VISITS), *(",".join(map(str, row)) for row in rows)]))
    asked = ["audit", str(path), "--person", "id", "-q", "sex,ward", "-s", "hiv:nominal", "--k", "2", "--facts", "2"]
    found = in_process(capfdbinary, *asked)
    assert found.code == 1
    assert "k ≥ 2 for any 2 facts" in found.out
    assert "ward=" not in found.out.partition("Someone who knows facts")[2]
    assert "sex=M + ward=B" in in_process(capfdbinary, *asked, "--show-people").out


@pytest.mark.parametrize(("found", "drawn"), [(0, 20), (1, 20), (7, 20), (19, 20), (20, 20), (213, 306)])
def test_bounds_of_a_share_are_where_such_a_draw_has_a_chance_of_one_in_twenty(found, drawn):
    low, high = clopper_pearson(found, drawn)

    def chance(share, numbers):
        return math.fsum(math.comb(drawn, n) * share**n * (1 - share) ** (drawn - n) for n in numbers)

    if found:
        assert chance(low, range(found, drawn + 1)) == pytest.approx(0.05, abs=1e-9)
    if found < drawn:
        assert chance(high, range(found + 1)) == pytest.approx(0.05, abs=1e-9)
    assert low <= found / drawn <= high
