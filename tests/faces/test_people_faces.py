"""People in every face: what was counted is said, and rows that hide nobody are told of without being asked."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import jsonschema
import pytest

import tclose
from faces.command_line import in_process
from tclose.policy.files import parse_policy, read_policy
from tclose.reports.charts import pictures
from tclose.reports.machine_readable.audits import schema_text

TABLE = "patient_id,zip,age,disease\n" + "\n".join(
    ["1,A,30,flu"] * 3 + ["1,A,30,cold", "2,A,30,flu", "3,B,40,cold", "3,B,40,flu", "4,B,40,cold", "5,B,40,cold"]
)
ASKED = ["-q", "zip,age", "-s", "disease:nominal", "--no-drivers"]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text(TABLE)
    return str(path)


def test_the_command_counts_people_and_says_so(run, table):
    done = run("audit", table, *ASKED, "--person", "patient_id", "--k", "3", "--t", "0.2", "--show-people")
    assert done.code == 1
    assert "5 people (9 rows) in 2 classes" in done.out
    assert "1 class, 2 people" in done.out
    assert "2 people: zip=A, age=30" in done.out
    assert "mean over all people" in done.out
    assert "Everyone is in one class." in done.out


def test_json_says_what_each_figure_counts_and_keeps_to_its_schema(run, table):
    schema = json.loads(schema_text())
    people, rows = (
        json.loads(run("audit", table, *ASKED, *more, "--k", "4", "--format", "json").out)
        for more in (["--person", "patient_id"], [])
    )
    for data in (people, rows):
        jsonschema.validate(data, schema)
    assert (people["people"], people["rows"], people["roles"]["person"]) == (5, 9, "patient_id")
    assert (rows["people"], rows["roles"]["person"]) == (None, None)
    assert people["k"] | {"worst": 0} == {"value": 2, "counts": "people", "worst": 0}
    assert people["attributes"]["disease"]["t"]["counts"] == "people"
    assert people["requirements"][0]["failing"] == {"classes": 2, "people": 5}
    assert (rows["k"]["value"], rows["k"]["counts"]) == (4, "rows")
    assert people["warnings"] == []
    (warning,) = rows["warnings"]
    assert warning == {
        "code": "rows-not-people",
        "text": "These figures count rows. 2 people ('patient_id') have several rows, so classes contain fewer people "
        "than rows.",
        "hint": "Count people with --person patient_id.",
        "column": "patient_id",
    }


@pytest.mark.parametrize("form", ["text", "markdown", "html", "json", "latex"])
def test_every_form_warns_of_repeated_identifiers_declared_or_not(run, table, form):
    for more in ([], ["-i", "patient_id"]):
        told = " ".join(run("audit", table, *ASKED, *more, "--format", form).out.split())
        assert "have several rows, so classes contain fewer people" in told
    assert "several rows" not in run("audit", table, *ASKED, "--person", "patient_id", "--format", form).out


def test_a_notebook_warns_and_unique_or_harmless_columns_do_not():
    roles = tclose.Roles("q", "s:nominal")
    columns = {"q": ["a"] * 4, "s": ["x", "y"] * 2}
    assert "1 person (" in tclose.audit({**columns, "customer_no": [1, 1, 2, 3]}, roles)._repr_html_()
    for harmless in ({"customer_no": [1, 2, 3, 4]}, {"street": ["a", "a", "b", "b"]}, {"customer_no": [[1]] * 4}):
        assert tclose.audit({**columns, **harmless}, roles).warnings == ()


def test_people_who_are_unique_by_the_set_of_their_classes_are_told(run, tmp_path):
    path = tmp_path / "moves.csv"
    path.write_text("who,zip,s\n1,A,x\n1,B,x\n2,A,x\n3,A,y\n4,B,y\n5,B,x\n")
    asked = ["audit", path, "-q", "zip", "-s", "s:nominal", "--person", "who"]
    told = " ".join(run(*asked).out.split())
    assert "1 person is in several classes. By the set of classes they are in, 1 person (20 %) is the only one" in told
    found = json.loads(run(*asked, "--format", "json").out)
    assert found["trajectories"] == {"several": 1, "different": 3, "unique": 1, "k": 1}
    assert found["k"]["value"] == 3


def test_explanations_count_people(run, table):
    done = run("explain", table, *ASKED[:-1], "--person", "patient_id", "--class", "zip=A", "--class", "age=30")
    told = " ".join(done.out.split())
    assert "people in class" in told
    assert "3 values of people: everyone counts once for every value that they have there" in told
    asked = (*ASKED[:-1], "--person", "patient_id", "--show-people")
    data = json.loads(run("explain", table, *asked, "--format", "json").out)
    assert {each["counts"] for each in data["explanations"]} == {"people"}
    assert data["explanations"][0]["distance"]["exact"] == "5/21"


def test_an_explanation_takes_no_share_of_values_for_a_share_of_people(run, tmp_path):
    """Two people, who both have x and y, are four values: x is a half of them, though everybody has it."""
    path = tmp_path / "several.csv"
    path.write_text("who,zip,s\n1,A,x\n1,B,y\n2,A,x\n2,B,y\n")
    asked = ("explain", path, "-q", "zip", "-s", "s:nominal", "--person", "who", "--class", "zip=A", "--show-people")
    told = " ".join(run(*asked).out.split())
    assert "has 2 values of people: everyone counts once for every value" in told
    assert "the audited table of 4 values of people" in told
    assert "in the table, 1 in 2 values of people are the s x" in told
    assert "1 in 2 people" not in told
    assert "4 people" not in told


def test_moves_and_picture_say_that_they_move_values_and_that_people_differ_more():
    """Twenty people with hiv and four of eight other values each: 4/45 between values, 4/5 between people."""
    people = [(who, 1, "hiv") for who in range(20)]
    people += [(who, 1, f"d{(4 * who + at) % 8}") for who in range(20) for at in range(4)]
    people += [(20 + who, 2, f"d{who % 8}") for who in range(80)]
    columns = dict(zip(("who", "q", "ill"), map(list, zip(*people, strict=True)), strict=True))
    roles = tclose.Roles("q", {"ill": tclose.Nominal()}, person="who")
    (found,) = tclose.explain(tclose.audit(columns, roles), attribute="ill", key={"q": 1})
    assert (found.value, found.t) == (Fraction(4, 45), Fraction(4, 5))
    said = "What moves are values of people: everyone counts once for each. t is larger than their distance, 4/5 = 0.8"
    assert f"{said}: people differ by so much in hiv." in " ".join(str(found).split())
    assert said in pictures(found)["moves"]()
    (alone,) = tclose.explain(columns, replace(roles, person=None), attribute="ill", key={"q": 1})
    assert "values of people" not in str(alone) + pictures(alone)["moves"]()
    scale = {**columns, "ill": [int(value[1:]) if value != "hiv" else 9 for value in columns["ill"]]}
    (ordered,) = tclose.explain(scale, tclose.Roles("q", {"ill": tclose.Ordered()}, person="who"), key={"q": 1})
    assert "would have to move its values" in " ".join(str(ordered).split())


def test_a_profile_proposes_the_person_and_its_policy_counts_people(run, table, tmp_path):
    assert tclose.profile(table).roles.person == "patient_id"
    run("profile", table, "-o", str(tmp_path / "tclose.toml"))
    policy = read_policy(tmp_path / "tclose.toml")
    assert policy.roles.person == "patient_id"
    asked = ["audit", "--policy", str(tmp_path / "tclose.toml"), "--format", "json"]
    assert json.loads(run(*asked).out)["people"] == 5
    assert json.loads(run(*asked, "-i", "patient_id").out)["people"] is None
    alone = tclose.profile({"patient_id": [1, 2, 3], "s": ["a", "b", "a"]})
    assert (alone.roles.person, alone.roles.identifiers) == (None, ("patient_id",))


def test_a_policy_names_the_person_by_role_or_by_name(tmp_path):
    columns = '[columns]\nq = { role = "quasi-identifier" }\ns = { role = "sensitive" }\n'
    by_role = parse_policy(columns + 'id = { role = "person" }\n', tmp_path / "p.toml")
    by_name = parse_policy(columns + '[policy]\nk = 2\nperson = "id"\n', tmp_path / "p.toml")
    assert by_role.roles.person == by_name.roles.person == "id"
    twice = columns + 'id = { role = "person" }\n[policy]\nperson = "other"\n'
    with pytest.raises(tclose.errors.PolicyError, match="one column at most"):
        parse_policy(twice, tmp_path / "p.toml")


def test_a_person_that_is_no_column_is_told_the_one_that_may_be_meant(run, table):
    nobody = run("audit", table, *ASKED, "--person", "patient")
    assert (nobody.code, "patient_id" in nobody.err) == (2, True)


STAYS = "patient,age,ill,came\n" + "".join(
    f"{at // 2},{30 + at % 3},{'xy'[at % 2]},2023-0{1 + at % 9}-11\n" for at in range(12)
)
STAYS_POLICY = """
[columns]
patient = { role = "pseudonym" }
age = { role = "quasi-identifier", hierarchy = "flat", numbers = "bounds" }
ill = { role = "sensitive", distance = "nominal" }
came = { role = "shifted" }
[policy]
k = 2
accept = { pseudonyms-link = "Only the registry gets it." }
[release]
shift_days = 30
key_variable = "TCLOSE_TEST_KEY"
method = "full-domain"
"""


def test_pseudonyms_by_a_policy_are_the_same_as_by_options(run, tmp_path, monkeypatch):
    monkeypatch.setenv("TCLOSE_TEST_KEY", "a secret of the tests")
    table, policy, key = tmp_path / "stays.csv", tmp_path / "policy.toml", tmp_path / "key.txt"
    table.write_text(STAYS)
    policy.write_text(STAYS_POLICY)
    key.write_text("a secret of the tests\n")
    first = run("anonymize", table, "--policy", policy, "-o", tmp_path / "one.csv")
    options = ("-q", "age", "-s", "ill:nominal", "--hierarchy", "age=flat", "--k", "2", "--pseudonym", "patient")
    options += ("--numbers", "age=bounds", "--accept", "pseudonyms-link=Only the registry gets it.")
    other = run(
        "anonymize", table, *options, "--shifted", "came", "--shift-days", "30", "--key-file", key,
        "--method", "full-domain", "-o", tmp_path / "two.csv",
    )  # fmt: skip
    assert (first.code, other.code) == (0, 0)
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "two.csv").read_text()
    assert "2023-01-11" not in (tmp_path / "one.csv").read_text()
    told = " ".join(first.out.split())
    assert "Published without protection: came. Pseudonyms link the rows of a person; alone by" in told
    assert "a secret of the tests" not in "".join(path.read_text() for path in tmp_path.glob("one.csv*"))
    audited = run("audit", tmp_path / "one.csv", "--policy", policy, "--format", "json")
    assert (audited.code, json.loads(audited.out)["people"]) == (0, 6)
    again = run(
        "apply", tmp_path / "one.csv.recipe.json", table, "--key-variable", "TCLOSE_TEST_KEY", "-o", tmp_path / "3.csv"
    )
    assert again.code == 0
    assert (tmp_path / "3.csv").read_text() == (tmp_path / "one.csv").read_text()


def test_a_key_that_is_not_there_or_would_be_written_over_is_refused(run, tmp_path):
    table, key = tmp_path / "stays.csv", tmp_path / "key.csv"
    table.write_text(STAYS)
    key.write_text("a secret of the tests")
    options = ("-q", "age", "-s", "ill", "--hierarchy", "age=flat", "--k", "2", "--pseudonym", "patient")
    for more, message in (
        (("--key-file", tmp_path / "none"), "cannot be read"),
        (("--key-variable", "TCLOSE_NO_SUCH_KEY"), "no variable 'TCLOSE_NO_SUCH_KEY'"),
        (("--key-file", key, "--key-variable", "X"), "name one of them"),
        (("--key-file", key, "-o", key, "--force"), "the key"),
        (("--person", "age"), "'patient'"),
    ):
        done = run("anonymize", table, *options, *more)
        assert done.code == 2
        assert message in " ".join(done.err.split())
    assert key.read_text() == "a secret of the tests"


def test_a_column_called_patient_tells_people_apart_unless_it_is_a_yes_or_no():
    table = {"zip": ["A"] * 60, "s": ["x", "y"] * 30, "patient": [number // 3 for number in range(60)]}
    roles = tclose.Roles("zip", "s")
    (warning,) = tclose.audit(table, roles, drivers=False).warnings
    assert (warning.code, warning.column) == ("rows-not-people", "patient")
    assert "20 people ('patient') have several rows" in warning.text
    assert tclose.profile(table).roles.person == "patient"
    flag = {**table, "patient": ["yes", "no"] * 30}
    assert tclose.audit(flag, roles, drivers=False).warnings == ()
    assert tclose.profile(flag).roles.person is None


def test_a_release_without_people_is_not_judged_by_its_rows_where_the_policy_counts_people(tmp_path, capfdbinary):
    """Six rows of four people: each class has 3 rows and 2 people."""
    (tmp_path / "visits.csv").write_text("id,who,zip,ill\n1,1,a,x\n2,1,a,y\n3,2,a,x\n4,3,b,x\n5,4,b,y\n6,4,b,x\n")
    (tmp_path / "release.csv").write_text("zip,ill\na,x\na,y\na,x\nb,x\nb,y\nb,x\n")
    policy = tmp_path / "p.toml"
    policy.write_text(
        '[columns]\nid = { role = "identifier" }\nwho = { role = "person" }\nzip = { role = "quasi-identifier" }\n'
        'ill = { role = "sensitive", distance = "nominal" }\n[policy]\nk = 3\n'
    )
    for source in ("", '[table]\nsource = "visits.csv"\n'):
        policy.write_text(source + policy.read_text())
        asked = ("audit", tmp_path / "release.csv", "--policy", policy, "--no-drivers")
        assert in_process(capfdbinary, "audit", tmp_path / "visits.csv", *asked[2:]).code == 1
        refused = in_process(capfdbinary, *asked)
        assert refused.code == 2
        assert "counts people by the column 'who'" in refused.err
        assert "tclose verify" in refused.err
        named = ("audit", tmp_path / "release.csv", "-q", "zip", "-s", "ill:nominal", "--k", "3", "--no-drivers")
        assert in_process(capfdbinary, *named).code == 0


def test_a_report_counts_people_values_of_people_and_carries_no_identifier():
    """Twelve people with three visits each; the five values of a person in a class are fewer than its visits."""
    rows = [(at // 3, "AB"[at // 18], "xyx"[at % 3]) for at in range(36)]
    people, zips, ills = zip(*rows, strict=True)
    table = {"id": list(people), "zip": list(zips), "ill": list(ills)}
    release = tclose.anonymize(
        table, tclose.Roles(["zip"], ["ill:nominal"], person="id"), require={"k": 5}, hierarchies={"zip": "flat"}
    )
    page = release.to_html()
    assert "(12 values of people), distance 0" in page
    assert "0 % of people have a chance above 1 in 5" in page.replace("\xa0", " ")
    assert "carries identifiers" not in page
    assert "rows of a person that are alike count as one row" in page
