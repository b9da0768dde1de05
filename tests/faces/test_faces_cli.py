"""The command line: exit codes, streams, formats, files, and names with any character in them."""

import json
from pathlib import Path

import pytest

from canaries import CANARY


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    rows = ["zip,age,sex,salary,disease", "1,20,f,10,flu", "1,20,f,20,flu", "2,30,m,30,cold", "2,30,m,40,ulcer"]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_the_salary_example_gives_the_papers_figures(run):
    done = run("audit", "example:salary", "--format", "json")
    data = json.loads(done.out)
    assert (done.code, done.err) == (0, "")
    salary = data["attributes"]["salary"]
    assert (salary["t"]["exact"], data["k"]["value"], salary["l"]["value"]) == ("3/8", 3, 3)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        pytest.param([], 0, id="nothing required"),
        pytest.param(["--k", "3", "--t", "salary=3/8"], 0, id="holds exactly at the threshold"),
        pytest.param(["--t", "salary=0.374999999999999999"], 1, id="a hair below"),
        pytest.param(["--k", "4"], 1, id="k fails"),
        pytest.param(["--t", "salary=0.2"], 1, id="one attribute"),
        pytest.param(["--recursive", "3,2"], 0, id="two numbers"),
    ],
)
def test_the_exit_code_is_the_verdict(run, arguments, code):
    done = run("audit", "example:salary", "--no-drivers", *arguments)
    assert done.code == code
    assert done.err == ""
    assert done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["audit", "PEOPLE", "-q", "zipp", "-s", "salary"], ["'zipp'", "Did you mean 'zip'?"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salry"], ["sensitive column 'salry'", "'salary'"]),
        (["audit", "PEOPLE", "-q", "zip", "-q", "zip", "-s", "salary"], ["named twice"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "-s", "salary:nominal"], ["named twice"]),
        (["audit", "PEOPLE", "-q", "salary", "-s", "salary"], ["both as quasi-identifier and as sensitive"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--t", "1.5"], ["at most 1"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--t", "20%"], ["not '20%'. 20 % is 0.2."]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--k", "0"], ["must be at least 1, not 0"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary:order"], ["It has 'salary'", "'order' is not a distance"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--k", "2.5"], ["whole number"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--k", "many"], ["k must be a whole number such as 5, not"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--k", "2", "--k", "3"], ["--k is given twice"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--t", "salry=0.2"], ["Did you mean 'salary'?"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--order", "salary"], ["NAME=VALUE"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--order", "zip=value"], ["not a sensitive column"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "disease:nominal", "--order", "disease=value"], ["'ordered' only"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--nulls", "salary=drop"], ["not its distance"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary:ordered", "--nulls", "salary=maybe"], ["must be one of"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "disease:hierarchical"], ["--hierarchy NAME=HIERARCHY"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "disease", "--hierarchy", "disease=nofile.csv"], ["nofile.csv"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--measure", "k,tt"], ["'tt'"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--k-map", "2"], ["--population"]),
        (["audit", "PEOPLE", "-q", "zip"], ["-s NAME"]),
        (["audit", "PEOPLE"], ["tclose profile"]),
        (["audit"], ["-q"]),
        (["audit", "nofile.csv", "-q", "a", "-s", "b"], ["nofile.csv"]),
        (["audit", "example:salry"], ["Did you mean 'example:salary'?"]),
        (["audit", "PEOPLE", "--kk", "3"], ["--kk", "Try 'tclose audit --help'"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--format", "pdf"], ["'pdf'"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--policy", "no.toml"], ["no.toml"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--delimiter", "::"], ["one character"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--redact-classes", "--format", "csv"], ["--redact-classes"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "-o", "PEOPLE"], ["the table itself"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "-o", "nofolder/x.json"], ["cannot be written"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "--classes", "x.pdf"], [".parquet"]),
        (["audit", "PEOPLE", "-q", "zip", "-s", "salary", "-o", "x.pdf"], [".html and print it from a browser"]),
        (["explain", "PEOPLE", "-q", "zip", "-s", "salary", "-o", "x.PDF"], [".html and print it from a browser"]),
        (["profile", "PEOPLE", "-o", "x.pdf"], [".html and print it from a browser"]),
        (["anonymize", "PEOPLE", "-q", "zip", "--k", "2", "--report", "x.pdf"], [".html and print it from a browser"]),
        (["profile", "nofile.csv"], ["nofile.csv"]),
        (["profile"], ["TABLE"]),
        (["audi"], ["Did you mean 'audit'?"]),
    ],
)  # fmt: skip
def test_what_a_person_can_mend_leaves_with_2_and_says_how(run, people, monkeypatch, arguments, words):
    monkeypatch.chdir(people.parent)
    done = run(*(str(people) if argument == "PEOPLE" else argument for argument in arguments))
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("Error: ")
    for word in words:
        assert word in done.err
    assert list(people.parent.iterdir()) == [people]


def test_a_requirement_for_one_attribute_replaces_the_general_one(run, people):
    arguments = ["audit", people, "-q", "zip", "-s", "salary,disease", "--t", "0.2", "--t", "salary=0.9"]
    done = run(*arguments, "--format", "json")
    asked = {entry["attribute"]: entry["text"] for entry in json.loads(done.out)["requirements"]}
    assert asked == {"salary": "t ≤ 0.9", "disease": "t ≤ 0.2"}


def test_distances_orders_and_nulls_can_be_said(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("q,grade,pay\n1,low,3\n1,mid,\n2,high,5\n2,low,4\n")
    arguments = ["audit", path, "-q", "q", "-s", "grade", "-s", "pay:numeric"]
    done = run(*arguments, "--order", "grade=low,mid,high", "--nulls", "pay=drop", "--format", "json")
    data = json.loads(done.out)
    assert data["roles"]["sensitive"]["grade"] == {
        "distance": "ordered",
        "nulls": "error",
        "order": ["low", "mid", "high"],
    }
    assert data["attributes"]["pay"]["distance"] == "numeric"
    assert data["attributes"]["pay"]["left_out"] == 1


def test_a_hierarchy_file_makes_an_attribute_hierarchical(run, people):
    tree = people.parent / "tree.csv"
    tree.write_text("flu;lung;*\ncold;lung;*\nulcer;stomach;*\n")
    done = run("audit", people, "-q", "zip", "-s", "disease", "--hierarchy", f"disease={tree}", "--format", "json")
    assert json.loads(done.out)["attributes"]["disease"]["distance"] == "hierarchical"


def test_columns_may_have_any_name(run, tmp_path):
    path = tmp_path / "weird.csv"
    path.write_text('z,"a,b",x:ordered,-n,k=v,<b>h</b>\n1,2,3,4,5,6\n1,2,4,4,6,7\n,2,1,1,a,b\n,2,1,1,c,d\n')
    quasi = ["-q", "a,b", "-q", "-n", "--quasi=z"]
    sensitive = ["-s", "x:ordered:ordered", "-s", "k=v", "-s", "<b>h</b>"]
    done = run("audit", path, *quasi, *sensitive, "--t", "k=v=0.1", "--format", "json")
    data = json.loads(done.out)
    assert data["roles"]["quasi"] == ["a,b", "-n", "z"]
    assert list(data["attributes"]) == ["x:ordered", "k=v", "<b>h</b>"]
    assert [entry["attribute"] for entry in data["requirements"]] == ["k=v"]


def test_a_comma_list_names_several_columns(run, people):
    done = run("audit", people, "-q", "zip,age", "-s", "salary:ordered,disease", "--format", "json")
    roles = json.loads(done.out)["roles"]
    assert roles["quasi"] == ["zip", "age"]
    assert roles["sensitive"]["salary"]["distance"] == "ordered"
    assert roles["sensitive"]["disease"] is None


def test_several_files_and_a_glob_are_one_table(run, people):
    (people.parent / "people2.csv").write_text(people.read_text())
    pattern = people.parent / "people*.csv"
    by_glob = run("audit", pattern, "-q", "zip", "-s", "salary", "--format", "json")
    by_name = run("audit", *sorted(people.parent.glob("*.csv")), "-q", "zip", "-s", "salary", "--format", "json")
    assert json.loads(by_glob.out)["rows"] == json.loads(by_name.out)["rows"] == 8


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.json", "{"), ("a.html", "<!DOCTYPE html>"), ("a.md", "## "), ("a.txt", "✗ "), ("a.csv", "zip,age,size")],
)
def test_the_ending_of_the_file_chooses_the_format(run, tmp_path, name, start):
    done = run("audit", "example:salary", "--k", "4", "-o", tmp_path / name)
    assert done.code == 1
    assert done.out == ""
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_given_format_wins_over_the_ending(run, tmp_path):
    run("audit", "example:salary", "--format", "json", "-o", tmp_path / "a.txt")
    assert json.loads((tmp_path / "a.txt").read_text(encoding="utf-8"))["rows"] == 9


def test_classes_are_written_beside_the_report(run, tmp_path):
    done = run("audit", "example:salary", "--classes", tmp_path / "c.csv", "--format", "json")
    assert json.loads(done.out)["classes"] == 3
    assert done.err == f"3 classes written to {tmp_path / 'c.csv'}.\n"
    assert len((tmp_path / "c.csv").read_text().splitlines()) == 4


def test_keys_that_a_spreadsheet_takes_for_formulas_are_written_as_they_are(run, tmp_path):
    keys = ["=1+1", "+49", "-3x", "@home"]
    (tmp_path / "odd.csv").write_text("code,ill\n" + "".join(f"{key},flu\n" for key in keys))
    run("audit", tmp_path / "odd.csv", "-q", "code", "-s", "ill", "--classes", tmp_path / "classes.csv", "--quiet")
    _, *rows = (tmp_path / "classes.csv").read_text().splitlines()
    assert sorted(row.split(",")[0] for row in rows) == sorted(keys)


@pytest.mark.parametrize("form", ["text", "json", "html", "markdown", "csv"])
def test_class_sizes_are_judged_without_a_sensitive_attribute(run, people, form):
    assert run("audit", people, "-q", "zip,age", "--k", "1", "--format", form).code == 0
    done = run("audit", people, "-q", "zip,age", "--format", form)
    assert done.code == 2
    assert "--k 5" in done.err


def test_attributes_with_classes_of_their_own_get_files_of_their_own(run, people):
    arguments = ["audit", people, "-q", "zip", "-s", "salary,disease", "--together", "quasi", "--quiet"]
    done = run(*arguments, "--classes", people.parent / "c.csv")
    assert done.err == ""
    assert {path.name for path in people.parent.glob("c*.csv")} == {"c.csv", "c.salary.csv", "c.disease.csv"}


def test_the_class_table_goes_to_standard_output_as_csv(run):
    done = run("audit", "example:salary", "--format", "csv")
    assert done.out.splitlines()[0].startswith("zip,age,size")
    assert len(done.out.splitlines()) == 4


def test_redaction_leaves_no_key_in_any_format(run):
    for form in ("text", "json", "html", "markdown"):
        done = run("audit", "example:salary", "--t", "0.2", "--redact-classes", "--format", form)
        assert done.code == 1
        assert "476" not in done.out
        assert "3/8" in done.out


def test_the_policy_in_the_folder_is_taken_and_said_so(run, people, monkeypatch):
    monkeypatch.chdir(people.parent)
    Path("tclose.toml").write_text(
        '[table]\nsource = "people.csv"\n[columns]\nzip = {role = "quasi-identifier"}\n'
        'salary = {role = "sensitive", distance = "ordered", t = 0.9}\n[policy]\nk = 3\nothers = "publish"\n'
    )
    done = run("audit")
    assert done.code == 1
    assert done.err == "Taking roles and requirements from ./tclose.toml.\n"
    assert run("audit", "--quiet", "--k", "2").code == 0
    assert run("audit", "--policy", "tclose.toml", "--k", "2").err == ""
    assert run("audit", "example:salary").err == ""


def test_the_command_line_overrides_the_policy(run, people, monkeypatch):
    monkeypatch.chdir(people.parent)
    Path("p.toml").write_text(
        '[table]\nsource = "people.csv"\n[columns]\nzip = {role = "quasi-identifier"}\n'
        'salary = {role = "sensitive", distance = "ordered", order = "frequency", t = 0.9}\n'
        'disease = {role = "sensitive", t = 0.1}\n[policy]\nk = 3\nothers = "remove"\n'
    )
    given = ["--policy", "p.toml", "-q", "age", "-s", "salary", "--nulls", "salary=last", "--format", "json"]
    data = json.loads(run("audit", *given).out)
    assert data["roles"]["quasi"] == ["age"]
    assert data["roles"]["sensitive"] == {"salary": {"distance": "ordered", "nulls": "last", "order": "frequency"}}
    assert {entry["attribute"] for entry in data["requirements"]} == {None, "salary"}


def test_no_message_carries_a_cell(run, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(f"q,s\n{CANARY},\n{CANARY},{CANARY}\n1,{CANARY}\n")
    for arguments in (
        ["-s", "s:ordered"],
        ["-s", "s:numeric"],
        ["-s", "s:ordered", "--order", "s=a,b"],
        ["-s", "s", "--delimiter", ";"],
        ["-s", "nothere"],
    ):
        done = run("audit", path, "-q", "q", *arguments)
        assert done.code == 2
        assert CANARY not in done.err + done.out
    broken = tmp_path / "b.parquet"
    broken.write_text(f"PAR1{CANARY}")
    assert CANARY not in run("audit", broken, "-q", "q", "-s", "s").err
    assert CANARY not in run("profile", path).out


def test_a_crash_leaves_with_3_one_line_and_no_cell(run, monkeypatch):
    cell = CANARY

    def crash(*_arguments, **_options):
        raise KeyError(cell)

    monkeypatch.setattr("tclose.auditing.audit.audit", crash)
    done = run("audit", "example:salary")
    assert done.code == 3
    assert done.out == ""
    assert len(done.err.splitlines()) == 1
    assert "KeyError" in done.err
    assert CANARY not in done.err
    cell = "which a traceback may quote"
    monkeypatch.setenv("TCLOSE_DEBUG", "1")
    assert "Traceback" in run("audit", "example:salary").err


@pytest.mark.parametrize(
    ("problem", "code"),
    [("InputError('x')", 2), ("EngineFailedError('x')", 3), ("InternalError('x')", 3), ("HeadroomError('x')", 3)],
)
def test_our_own_errors_have_their_codes(run, monkeypatch, problem, code):
    from tclose import errors

    def fail(*_arguments, **_options):
        raise eval(problem, vars(errors))

    monkeypatch.setattr("tclose.auditing.audit.audit", fail)
    assert run("audit", "example:salary").code == code


def test_memory_and_system_failures_leave_with_3(run, monkeypatch):
    for problem in (MemoryError(), OSError(28, "No space left on device")):

        def fail(*_arguments, problem=problem, **_options):
            raise problem

        monkeypatch.setattr("tclose.auditing.audit.audit", fail)
        done = run("audit", "example:salary")
        assert done.code == 3
        assert done.err.startswith("Error: ")


def test_an_interrupt_leaves_with_130_and_nothing_half_written(run, monkeypatch, tmp_path):
    def interrupted(*_arguments, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr("tclose.auditing.audit.audit", interrupted)
    done = run("audit", "example:salary", "-o", tmp_path / "a.json")
    assert done.code == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--order", "--nulls", "--hierarchy"])
def test_an_option_given_twice_for_a_name_is_refused(run, people, option):
    done = run("audit", people, "-q", "zip", "-s", "salary", option, "salary=first", option, "salary=last")
    assert done.code == 2
    assert "given twice" in done.err


def test_a_folder_is_no_place_for_a_report_and_a_device_is(run, tmp_path):
    done = run("audit", "example:salary", "-o", tmp_path)
    assert done.code == 2
    assert "is a folder" in done.err
    if Path("/dev/null").exists():
        assert run("audit", "example:salary", "-o", "/dev/null").code == 0


def test_a_policy_without_a_table_asks_for_one(run, tmp_path):
    (tmp_path / "p.toml").write_text('[columns]\nq = {role = "quasi-identifier"}\n')
    done = run("audit", "--policy", tmp_path / "p.toml")
    assert done.code == 2
    assert "Name a TABLE" in done.err


@pytest.mark.parametrize(
    ("declared", "given", "expected"),
    [
        ('hierarchy = { "*" = ["flu", "cold", "ulcer"] }', ["--nulls", "disease=drop"], "hierarchical"),
        ('distance = "nominal"', ["--nulls", "disease=drop"], "nominal"),
        ('distance = "nominal"', ["-s", "disease:ordered"], "ordered"),
        ('distance = "nominal"', ["--order", "disease=flu,cold,ulcer"], "ordered"),
        ('order = "frequency"', ["-s", "disease"], "ordered"),
    ],
)
def test_what_a_policy_declares_stays_unless_it_is_overridden(run, people, declared, given, expected):
    policy = people.parent / "p.toml"
    policy.write_text(
        f'[table]\nsource = "people.csv"\n[columns]\nzip = {{role = "quasi-identifier"}}\n'
        f'disease = {{ role = "sensitive", {declared} }}\n[policy]\nothers = "publish"\n'
    )
    done = run("audit", "--policy", policy, "--format", "json", *given)
    assert json.loads(done.out)["attributes"]["disease"]["distance"] == expected
