"""``tclose explain`` and ``tclose audit --explain``: formats, classes by their keys, figures, and what is refused."""

import json

import pytest

from canaries import CANARY
from tclose.cli.column_names import class_key

SALARY = ("explain", "example:salary", "-s", "salary")


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text(
        f'city,age,pay\n"Paris, age=3",1,low\n"Paris, age=3",1,high\n,2,low\n"a=b",2,low\n{CANARY},3,high\n',
        encoding="utf-8",
    )
    return path


def test_an_example_brings_its_roles_and_the_worst_class_is_explained(run):
    done = run("explain", "example:salary")
    assert done.code == 0
    assert "salary in the class zip=476**, age=2*" in done.out
    assert "disease in the class zip=476**, age=2*" in done.out


@pytest.mark.parametrize(
    ("form", "sign"),
    [
        ("text", "The two distributions"),
        ("markdown", "### The two distributions"),
        ("latex", "\\documentclass"),
        ("json", '"schema_version": 1'),
        ("html", "<!DOCTYPE html>"),
        ("svg", "<svg"),
    ],
)
def test_every_format_is_written(run, form, sign):
    done = run(*SALARY, "--format", form)
    assert (done.code, done.err) == (0, "")
    assert sign in done.out


@pytest.mark.parametrize(
    ("name", "sign"),
    [("a.md", "## salary"), ("a.tex", "\\document"), ("a.json", "{"), ("a.html", "<!DOCTYPE"), ("a.svg", "<svg")],
)
def test_the_ending_of_the_file_chooses_the_format(run, tmp_path, name, sign):
    assert run(*SALARY, "-o", tmp_path / name).code == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(sign)


def test_the_rule_chooses_the_plan(run):
    key = ("--class", 'zip=4790*, age=">=40"', "--format", "json")
    moves = {
        rule: json.loads(run(*SALARY, *key, "--rule", rule).out)["explanations"][0]["moves"]
        for rule in ("stay", "monotone", "tutorial")
    }
    assert [len(each) for each in moves.values()] == [6, 7, 7]


def test_the_worst_classes_come_in_their_order(run):
    data = json.loads(run(*SALARY, "--worst", "3", "--format", "json").out)
    assert [each["distance"]["exact"] for each in data["explanations"]] == ["3/8", "17/72", "1/6"]


@pytest.mark.parametrize(
    ("texts", "key"),
    [
        (["city=a=b,age=2"], {"city": "a=b", "age": "2"}),
        (["city=Paris, age=3", "age=1"], {"city": "Paris, age=3", "age": "1"}),
        (["age=2", "city="], {"age": "2", "city": None}),
        (['city="",age=∅'], {"city": "", "age": None}),
        (['city="say \\"hi\\"", age="∅"'], {"city": 'say "hi"', "age": "∅"}),
        (["city=Paris,Texas"], {"city": "Paris,Texas"}),
    ],
)
def test_class_keys_are_read_as_reports_write_them(texts, key):
    assert class_key(texts, ["city", "age"]) == key


@pytest.mark.parametrize(
    "texts",
    [["city=a=b,age=2"], ["city=Paris, age=3", "age=1"], ["city=,age=2"]],
    ids=["equals", "commas", "null"],
)
def test_a_class_is_found_by_any_key(run, people, texts):
    options = [part for text in texts for part in ("--class", text)]
    done = run("explain", people, "-q", "city,age", "-s", "pay:nominal", *options)
    assert (done.code, done.err) == (0, "")
    assert "pay in the class city=" in done.out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--class", "city=Paris,age=9"), "No class has this key"),
        (("--class", "city=Rome,age=3"), "1 class matches in everything but 'city'"),
        (("--class", "city=Paris"), "'age' is missing"),
        (("--class", "town=Paris,age=1"), "'town', which is not a quasi-identifier"),
        (("--class", "Paris"), "--class takes COLUMN=VALUE"),
        (("--class", "age=1,age=2"), "twice"),
        (("--class", "city=,age=2", "--worst", "2"), "--worst cannot go with it"),
        (("--worst", "0"), "--worst"),
        (("--rule", "greedy"), "'greedy'"),
        (("--format", "pdf"), "'pdf'"),
        (("--animate",), "--format svg"),
        (("--format", "svg", "--worst", "2", "--show-people"), "-o FOLDER/"),
    ],
)
def test_what_cannot_be_explained_is_refused_without_a_cell(run, people, options, message):
    done = run("explain", people, "-q", "city,age", "-s", "pay:nominal", *options)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""
    assert CANARY not in done.err
    assert len(done.err.splitlines()) <= 2


def test_a_single_quasi_identifier_is_named_where_its_value_is_unknown(run, people):
    done = run("explain", people, "-q", "city", "-s", "pay:nominal", "--class", "city=Rome")
    assert done.code == 2
    assert "check the value of 'city'" in done.err


def test_figures_go_into_a_folder_under_names_that_tell_them_apart(run, tmp_path):
    assert run(*SALARY, "--format", "svg", "-o", f"{tmp_path}/one/").code == 0
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == ["salary-cumulative.svg", "salary-moves.svg"]
    assert run(*SALARY, "--format", "svg", "--animate", "-o", f"{tmp_path}/moving/").code == 0
    moving = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "moving").iterdir()}
    assert sorted(moving) == ["salary-carried.svg", "salary-moved.svg"]
    assert all("<animate" in text for text in moving.values())
    assert run("explain", "example:salary", "--worst", "2", "--format", "svg", "-o", tmp_path).code == 0
    assert {"salary-1-moves.svg", "salary-2-moves.svg", "disease-3-moves.svg"} <= {p.name for p in tmp_path.iterdir()}


def test_a_table_is_not_written_over(run, people):
    before = people.read_text(encoding="utf-8")
    done = run("explain", people, "-q", "city", "-s", "pay:nominal", "--format", "text", "-o", people)
    assert done.code == 2
    assert people.read_text(encoding="utf-8") == before


def test_the_schema_of_an_explanation_is_printed(run):
    assert json.loads(run("schema", "explain").out)["$id"] == "urn:tclose:explanation:1"
    assert json.loads(run("schema").out)["$id"] == "urn:tclose:audit:1"


AUDIT = ("audit", "example:salary", "--t", "salary=0.3", "--t", "0.5", "--explain")


def test_an_audit_explains_the_worst_class_of_each_failing_attribute(run):
    done = run(*AUDIT)
    assert done.code == 1
    assert "salary in the class zip=476**, age=2*" in done.out
    assert "disease in the class" not in done.out


@pytest.mark.parametrize("form", ["markdown", "html"])
def test_explanations_are_appended_to_the_report(run, form):
    out = run(*AUDIT, "--format", form).out
    assert out.index("t ≤ 0.3") < out.index("The two distributions")


def test_an_audit_holds_explanations_in_json(run):
    from jsonschema import Draft202012Validator

    from tclose.reports.machine_readable.audits import schema_text

    data = json.loads(run(*AUDIT, "--format", "json").out)
    Draft202012Validator(json.loads(schema_text())).validate(data)
    assert [each["attribute"] for each in data["explanations"]] == ["salary"]
    assert "explanations" not in json.loads(run(*AUDIT[:-1], "--format", "json").out)


def test_an_audit_that_misses_another_model_explains_its_class(run):
    done = run("audit", "example:incidents", "--l", "2", "--measure", "k", "--explain")
    assert done.code == 1
    assert "incident in the class zone=2C" in done.out


def test_an_audit_that_holds_has_nothing_to_explain(run):
    done = run("audit", "example:salary", "--t", "0.9", "--explain")
    assert done.code == 0
    assert "nothing to explain" in done.err
    assert "The two distributions" not in done.out


@pytest.mark.parametrize("option", [("--redact-classes",), ("--format", "csv")])
def test_explanations_do_not_go_with_what_hides_or_lists_classes(run, option):
    assert run(*AUDIT, *option).code == 2


@pytest.mark.parametrize("form", ["text", "html", "json", "latex", "markdown", "svg"])
def test_numbers_farther_apart_than_a_float_are_explained(run, tmp_path, form):
    table = tmp_path / "far.csv"
    table.write_text("q,s\na,1.7e+308\na,0.5\nb,-1.7e+308\nb,2.5\na,5e-324\nb,7.25\n", encoding="utf-8")
    shown = run("explain", table, "-q", "q", "-s", "s:numeric", "--show-people", "--format", form)
    assert shown.code == 0
    assert "3.4e+308" in shown.out or form in ("json", "svg", "latex", "markdown")
