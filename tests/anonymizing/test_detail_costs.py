"""What costs the detail of a release: shares that follow from laws, and advice that keeps its word when it is taken."""

from __future__ import annotations

import json
import pickle
import random
from functools import cache

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import tclose
from faces.command_line import tclose as run
from tclose.engines.dispatch import working_session
from tclose.reports.content.release_reports import release_report
from tclose.reports.content.releases import release_handed_over
from tclose.reports.machine_readable.releases import release_schema_text

MANY = 120


def people(seed=1, *, rows=MANY):
    """Return a table in which jobs are many words, one row is far from all others, and few died."""
    chance = random.Random(seed)
    return {
        "age": [*(chance.randrange(20, 60) for _ in range(rows - 1)), 990],
        "job": [chance.choice("abcdefghijklmnop") * 3 + chance.choice("xyz") for _ in range(rows)],
        "sex": [chance.choice("fm") for _ in range(rows)],
        "ill": [chance.choice(["flu", "cold", "gout", "mumps"]) for _ in range(rows)],
        "dead": ["yes" if at < 3 else "no" for at in range(rows)],
    }


def release_of(table, quasi=("age", "job", "sex"), sensitive=("ill",), person=None, **asked):
    asked = {"require": {"k": 4}, "hierarchies": {"job": "flat"}, **asked}
    return tclose.anonymize(table, tclose.Roles(list(quasi), {name: tclose.Nominal() for name in sensitive},
                                                person=person), **asked)  # fmt: skip


CASES = {
    "flat words": {"hierarchies": {"job": "flat"}},
    "one level for all": {"method": "full-domain"},
    "one far row": {"quasi": ("age",), "hierarchies": {"age": "intervals:5,10,500"}, "intervals": False},
    "two requirements": {"require": {"k": 4, "l": 3, "t": "0.3"}},
    "few who died": {"sensitive": ("ill", "dead"), "require": {"k": 4, "l": 2}},
    "weights": {"weights": {"age": 3.0}},
    "a column on one level": {
        "quasi": ("age", "job"),
        "levels": {"job": 1},
        "weights": {"job": 0.1},
        "hierarchies": {"age": "intervals:5,10,20", "job": "groups:24"},
        "intervals": False,
        "require": {"k": 40},
        "suppress": "0.06",
    },
    "two sexes": {"quasi": ("sex",), "hierarchies": {}, "require": {"k": 70}, "suppress": "0.06"},
}


def followed(advice, table, asked):
    """Return the release that somebody gets who takes the advice, and the share of detail that it keeps."""
    asked = {"require": {"k": 4}, "hierarchies": {"job": "flat"}, "quasi": ("age", "job", "sex"), **asked}
    if advice.kind == "column":
        asked["quasi"] = tuple(name for name in asked["quasi"] if name != advice.column)
        for option in ("hierarchies", "levels", "weights"):
            asked[option] = {name: each for name, each in asked.get(option, {}).items() if name != advice.column}
    elif advice.kind == "hierarchy":
        asked["hierarchies"] = {**asked["hierarchies"], advice.column: advice.hierarchy}
    elif advice.kind == "method":
        asked["method"] = advice.method
    elif advice.kind == "suppress":
        asked["suppress"] = str(float(advice.suppress))
    else:
        one = advice.requirement
        of = {"require": {**asked["require"]}}
        of["require"][one.model.key] = (
            str(one.threshold) if one.attribute is None else {one.attribute: str(one.threshold)}
        )
        asked |= of
    return release_of(table, **asked)


@cache
def costed(case, person=None):
    """Return the table of a case, its release with what costs the detail, and what was asked for."""
    asked = CASES[case]
    table = people(rows=60 if person else MANY)
    if person:
        table[person] = [f"p{at // 2}" for at in range(60)]
        asked = {**asked, "require": {"k": 3}}
    return table, release_of(table, person=person, **asked).with_why(), asked


@pytest.mark.parametrize("person", [None, "who"])
@pytest.mark.parametrize("case", CASES)
def test_advice_keeps_its_word(case, person):
    table, release, asked = costed(case, person)
    advice = release.why.advice
    assert release.why.kept == pytest.approx(release.kept)
    if advice is not None:
        taken = followed(advice, table, {**asked, "person": person})
        assert taken.holds
        assert taken.kept == pytest.approx(advice.kept)
        assert advice.kept > advice.before
        rest = 1.0
        if advice.kind == "column":  # with what that column has counted as lost, more is kept all the same
            weights = {name: asked.get("weights", {}).get(name, 1.0) for name in release.roles.quasi}
            rest -= weights[advice.column] / sum(weights.values())
        assert advice.kept * rest > release.kept


def test_every_kind_of_advice_is_given_somewhere():
    given = {costed(case)[1].why.advice.kind for case in CASES if costed(case)[1].why.advice}
    assert given == {"hierarchy", "method", "suppress", "column", "threshold"}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("person", [None, "who"])
def test_what_is_kept_follows_from_the_losses_and_never_falls_where_less_is_asked(case, person):
    """A release that meets a requirement meets every looser one, so that no less can be kept there."""
    _, release, _ = costed(case, person)
    why = release.why
    assert {each.column: each.kept for each in why.columns} == pytest.approx(
        {name: 1 - lost for name, lost in release.column_losses.items()}
    )
    for each in why.requirements:
        assert each.kept_without >= (each.kept_looser or 0) >= 0
        assert each.kept_without >= why.compared
        assert each.kept_looser is None or each.kept_looser >= why.compared
        assert each.binds or each.kept_without < why.compared + 0.02


def test_distinct_rows_without_a_column_are_those_of_the_table_without_it():
    table = people()
    with working_session(table) as session:
        opened = session.open(table)
        whole = session.distinct(opened, ["age", "job", "sex"], [("ill",)], lambda *_: None)
        for at, name in enumerate(["age", "job", "sex"]):
            left = [each for each in ("age", "job", "sex") if each != name]
            fewer = session.distinct(opened, left, [("ill",)], lambda *_: None)
            found = whole.without(at)
            assert [seen.listed for seen in found.quasi] == [seen.listed for seen in fewer.quasi]
            for one, other in ((found.codes, fewer.codes), (found.counts, fewer.counts),
                               (found.sensitive_codes, fewer.sensitive_codes)):  # fmt: skip
                assert np.array_equal(one, other)
            assert found.rows == fewer.rows == MANY


def test_a_limiting_requirement_is_told_to_the_owner_and_to_nobody_else(tmp_path):
    """Two different values in each class, and three rows without the commonest: three classes at the most."""
    release = release_of(people(), sensitive=("ill", "dead"), require={"k": 4, "l": 2})
    (note,) = [each for each in release.notes if each.code == "requirement-limits"]
    assert note.column == "dead"
    said = "l ≥ 2 of dead limits any release to at most 3 classes: 3 of 120 rows have another value than the commonest."
    assert note.text.startswith(f"{said} Without it, ")
    assert release.class_count <= 3
    release = release.with_why()
    written = release.write(tmp_path / "out.csv")
    public = [
        written.report.read_text(encoding="utf-8"),
        release.to_html(written),
        release.to_markdown(),
        str(release_report(release)),
        str(release_handed_over(release)),
    ]
    for text in public:
        assert "limits any release" not in text
        assert "What costs the detail" not in text
    assert json.loads(public[0])["why"] is None
    owners = [str(release), release.with_original().to_html(written), release.to_json()]
    assert all("limits any release" in " ".join(text.split()) for text in owners)
    assert all("others" in text for text in owners)


def test_data_of_costs_fit_the_schema():
    for case in CASES:
        data = costed(case)[1].to_dict()
        Draft202012Validator(json.loads(release_schema_text())).validate(data)
        assert data["why"]["requirements"]


def test_costs_are_told_on_request(tmp_path):
    path = tmp_path / "people.csv"
    table = people()
    path.write_text(
        "\n".join([",".join(table), *(",".join(map(str, row)) for row in zip(*table.values(), strict=True))])
    )
    asked = ("anonymize", str(path), "-q", "age,job,sex", "-s", "ill", "--k", "4", "--hierarchy", "job=flat")
    plain, told = run(*asked), run(*asked, "--why")
    assert (plain.code, told.code) == (0, 0)
    assert "What costs the detail" not in plain.out
    assert "What costs the detail" in told.out
    refused = run(*asked, "--why", "--withstand", "0.5")
    assert refused.code == 2
    assert "--why" in refused.err


def test_a_release_that_cannot_be_searched_again_says_so():
    release = release_of(people(rows=40))
    again = tclose.apply(people(rows=40), release.recipe)
    for each in (pickle.loads(pickle.dumps(release)), again):
        with pytest.raises(tclose.errors.InputError) as caught:
            each.with_why()
        assert caught.value.code == "why-unknown"
    kept = pickle.loads(pickle.dumps(release.with_why()))
    assert kept.why == release.with_why().why
