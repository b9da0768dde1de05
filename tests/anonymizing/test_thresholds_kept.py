"""A threshold is the number that was given, wherever it is kept or shown; what was found beside it reads rightly."""

from __future__ import annotations

import json
from fractions import Fraction

import duckdb
import pytest

from faces.command_line import in_process
from tclose import Roles, audit
from tclose.anonymization.anonymize import anonymize
from tclose.anonymization.apply import apply
from tclose.anonymization.recipes import read_recipe
from tclose.models.catalogue import requirements
from tclose.policy.files import parse_policy
from tclose.policy.writing import policy_text
from tclose.reports.phrases.audits import found_decimal

GIVEN = "0.09999999999999998"
"""A little less than a tenth, which is the t of the table."""
TABLE = "q,s\n" + "".join(f"a,{s}\n" for s in "xxxyy") + "".join(f"b,{s}\n" for s in "xxyyy")


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TABLE)
    return path


ROLES = Roles(quasi=["q"], sensitive=["s"])


@pytest.mark.parametrize("given", [GIVEN, float(GIVEN), Fraction(GIVEN)])
def test_a_threshold_is_shown_as_it_was_given_in_every_face_of_an_audit(table, given):
    found = audit(table, ROLES, require={"t": given})
    assert found.holds is False
    for face in (str(found), found.to_html(), found._repr_html_(), found.to_markdown(), found.to_json()):
        assert f"t ≤ {GIVEN}" in face
        assert "t ≤ 0.1 " not in face
    (required,) = found.to_dict()["requirements"]
    assert required["threshold"]["text"] == GIVEN
    assert Fraction(required["threshold"]["exact"]) == Fraction(GIVEN)


@pytest.mark.parametrize("given", [GIVEN, "1/3", "0.12345678901234567890123", "1e-30", "2/7"])
def test_a_recipe_keeps_the_threshold_that_was_given(table, tmp_path, given):
    release = anonymize(table, ROLES, require={"t": given, "k": 1}, hierarchies={"q": "flat"})
    assert release.holds
    path = tmp_path / "kept.recipe.json"
    path.write_text(release.recipe.to_json())
    assert read_recipe(path).requirements == release.requirements == requirements({"t": given, "k": 1})
    for face in (str(release), release.to_html(), release.to_json()):
        assert requirements({"t": given})[0].text in face


def test_apply_refuses_what_an_audit_refuses(tmp_path):
    even = tmp_path / "even.csv"
    even.write_text("q,s\n" + "".join(f"{q},{s}\n" for q in "ab" for s in "xy"))
    release = anonymize(even, ROLES, require={"t": GIVEN}, hierarchies={"q": "flat"})
    recipe = release.write(tmp_path / "release.csv").recipe
    (tmp_path / "next.csv").write_text(TABLE)
    assert audit(tmp_path / "next.csv", ROLES, require={"t": GIVEN}).holds is False
    again = apply(tmp_path / "next.csv", recipe)
    assert not again.holds
    assert again.obstacles[0].requirement.text == f"t ≤ {GIVEN}"


def test_a_policy_keeps_the_digits_of_its_thresholds(tmp_path):
    text = f'[columns]\nq = {{ role = "quasi-identifier" }}\ns = {{ role = "sensitive" }}\n[policy]\nt = {GIVEN}\n'
    policy = parse_policy(text, tmp_path / "tclose.toml")
    assert f"t = {GIVEN}" in policy_text(policy)
    (required,) = policy.requirements()
    assert required.threshold == Fraction(GIVEN)


def test_a_huge_exponent_in_a_policy_is_refused_at_once(tmp_path):
    text = '[columns]\ns = { role = "sensitive" }\n[policy]\nt = 1e999999999\n'
    with pytest.raises(ValueError, match="decimal such as"):
        parse_policy(text, tmp_path / "tclose.toml")


def test_a_frontier_tells_near_thresholds_apart(table, capfdbinary):
    done = in_process(
        capfdbinary,
        "frontier",
        table,
        "-q",
        "q",
        "-s",
        "s",
        "--hierarchy",
        "q=flat",
        "--values",
        f"0.1,{GIVEN}",
        "--format",
        "csv",
    )
    assert f",{GIVEN}," in done.out
    assert ",0.1," in done.out


def near(tmp_path, above):
    """A table whose t is a hundred-thousandth above or below a tenth, which four digits cannot show."""
    step = 1 if above else -1
    counts = {("a", "x"): 60_000 + step, ("a", "y"): 40_000 - step, ("b", "x"): 40_000 - step}
    counts["b", "y"] = 60_000 + step
    path = tmp_path / "near.parquet"
    rows = " UNION ALL ".join(f"SELECT '{q}' AS q, '{s}' AS s FROM range({n})" for (q, s), n in counts.items())
    duckdb.sql(f"COPY ({rows}) TO '{path}' (FORMAT parquet)")
    return path


@pytest.mark.parametrize("above", [True, False])
def test_what_was_found_does_not_read_as_the_threshold_unless_it_is(tmp_path, above):
    found = audit(near(tmp_path, above), ROLES, require={"t": "0.1"})
    assert found.holds is not above
    (verdict,) = found.verdicts
    assert verdict.figure.value == Fraction(1, 10) + Fraction(1 if above else -1, 100_000)
    text = "0.10001" if above else "0.09999"
    assert found_decimal(verdict) == text
    assert json.loads(found.to_json())["requirements"][0]["found"]["text"].startswith(text)
    assert f" {text}" in str(found).splitlines()[5]


@pytest.mark.parametrize(
    ("model", "limit", "holds"), [("entropy_l", "2", True), ("entropy_l", "2.0000000000001", False)]
)
def test_a_figure_without_a_fraction_reads_as_its_verdict(table, model, limit, holds):
    table.write_text("q,s\na,x\na,y\n")
    found = audit(table, ROLES, require={model: limit})
    assert found.holds is holds
    assert found.to_dict()["requirements"][0]["found"]["text"] == (limit if holds else f"just under {limit}")
