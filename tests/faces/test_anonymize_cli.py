"""``tclose anonymize`` and ``tclose apply``: what is written, what is refused, and what the exit codes say."""

import json
import os
import subprocess
import sys
from collections import Counter
from fractions import Fraction

import pytest
from jsonschema import Draft202012Validator

from canaries import CANARY
from faces.command_line import SOURCE, tclose
from faces.hospital import POLICY, ROLES, ROWS, judged, rows_of, write_hospital
from rights import closed_folder
from tclose.reports.machine_readable.releases import release_schema_text

VALIDATOR = Draft202012Validator(json.loads(release_schema_text()))
WANTED = ("--k", "3", "--t", "salary=0.3")


@pytest.fixture
def hospital(tmp_path):
    return write_hospital(tmp_path)


@pytest.fixture
def policy(hospital):
    path = hospital.with_name("tclose.toml")
    path.write_text(POLICY, encoding="utf-8")
    return path


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_release_is_written_with_its_recipe_and_report_and_keeps_the_promise(run, hospital, tmp_path):
    done = run("anonymize", hospital, *ROLES, *WANTED, "-o", tmp_path / "out.csv")
    assert (done.code, done.err) == (0, "")
    said = f"✓ The release of {hospital} meets every requirement. 9 rows in "
    assert "".join(done.out.split()).startswith("".join(said.split()))
    assert names_in(tmp_path) == ["hospital.csv", "out.csv", "out.csv.recipe.json", "out.csv.report.json"]
    rows = rows_of(tmp_path / "out.csv")
    k, t = judged(rows)
    assert k >= 3
    assert t <= Fraction(3, 10)
    assert list(rows[0]) == ["zip", "age", "salary", "disease"]
    kept = Counter((row["salary"], row["disease"]) for row in rows)
    assert kept == Counter((str(salary), disease) for _, _, salary, disease in ROWS)


def test_what_was_written_passes_an_audit_by_the_same_policy(run, policy, tmp_path):
    out = tmp_path / "out.csv"
    assert run("anonymize", "--policy", policy, "-o", out).code == 0
    audited = run("audit", out, "--policy", policy, "--format", "json")
    assert audited.code == 0
    report = json.loads((tmp_path / "out.csv.report.json").read_text(encoding="utf-8"))
    figures = [each["found"] for each in json.loads(audited.out)["requirements"]]
    assert [each["found"] for each in report["audit"]["requirements"]] == figures
    assert report["audit"]["holds"] is report["audit_against_original"]["holds"] is True


@pytest.mark.parametrize("name", ["out.parquet", "out.jsonl", "out.tsv", "out.csv.gz", "out.json"])
def test_the_ending_chooses_the_format_of_the_release(run, policy, tmp_path, name):
    assert run("anonymize", "--policy", policy, "-o", tmp_path / name).code == 0
    assert run("audit", tmp_path / name, "--policy", policy).code == 0


def test_without_a_file_nothing_is_written_and_a_remark_says_so(run, hospital, tmp_path):
    done = run("anonymize", hospital, *ROLES, *WANTED)
    assert (done.code, done.err) == (0, "Nothing was written; -o FILE writes the release.\n")
    assert run("anonymize", hospital, *ROLES, *WANTED, "--quiet").err == ""
    assert names_in(tmp_path) == ["hospital.csv"]


def test_the_summary_fits_80_columns_and_says_where_the_recipe_belongs(run, hospital, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("anonymize", "hospital.csv", *ROLES, *WANTED, "-o", "out.csv")
    assert max(map(len, done.out.splitlines())) <= 80
    assert "stays with the original" in done.out
    assert CANARY not in done.out


@pytest.mark.parametrize("form", ["json", "html"])
def test_the_summary_has_other_forms(run, hospital, tmp_path, form):
    done = run("anonymize", hospital, *ROLES, *WANTED, "-o", tmp_path / "out.csv", "--format", form)
    assert done.code == 0
    if form == "html":
        assert done.out.startswith("<!DOCTYPE html>")
        assert "out.csv.recipe.json" in done.out
    else:
        data = json.loads(done.out)
        VALIDATOR.validate(data)
        beside = json.loads((tmp_path / "out.csv.report.json").read_text(encoding="utf-8"))
        assert data.keys() == beside.keys()
        assert (data["confidential"], beside["confidential"]) == (True, False)
        assert data["audit"] == beside["audit"]


def test_the_json_of_a_release_fits_its_schema(run, hospital):
    data = json.loads(run("anonymize", hospital, *ROLES, *WANTED, "--format", "json").out)
    VALIDATOR.validate(data)
    assert (data["holds"], data["rows"], data["released"], data["suppressed"]) == (True, 9, 9, 0)
    assert data["kept"] == pytest.approx(1 - data["losses"]["lm"])
    assert data["requirements"] == ["k ≥ 3", "t ≤ 0.3 of salary"]


def test_the_schema_is_printed(run):
    assert run("schema", "anonymize").out == release_schema_text()


def test_more_values_than_there_are_cannot_be_required(run, hospital, tmp_path):
    """There are 6 diseases, so that 6 is the most that a class can have."""
    done = run("anonymize", hospital, *ROLES, "--l", "disease=9", "--format", "json", "-o", tmp_path / "out.csv")
    assert done.code == 1
    data = json.loads(done.out)
    VALIDATOR.validate(data)
    (obstacle,) = data["obstacles"]
    assert (obstacle["model"], obstacle["attribute"], obstacle["threshold"]) == ("l", "disease", "9")
    assert (obstacle["best"], obstacle["nearest"]) == ({"value": 6}, "6")
    assert (data["holds"], data["released"], data["kept"]) == (False, 0, None)
    assert names_in(tmp_path) == ["hospital.csv"]
    assert "out.csv was not written" in done.err


def test_levels_that_tell_everybody_apart_leave_no_release_and_the_nearest_t_is_said(run, hospital):
    """Alone, the lowest of 9 different salaries is (1 + … + 8)/9/8 = 1/2 from them all."""
    done = run("anonymize", hospital, *ROLES, *WANTED, "--levels", "zip=0")
    assert done.code == 1
    assert done.out.startswith("✗ No release of")
    assert "k ≥ 3: the nearest k that can be met is 1.\n" in done.out
    assert "t ≤ 0.3 of salary: the nearest t that can be met is 0.5.\n" in done.out
    assert max(map(len, done.out.splitlines())) <= 80


def test_rows_may_be_left_out_up_to_a_share(run, hospital):
    done = run(
        "anonymize", hospital, *ROLES, "--k", "3", "--suppress", "1/3", "--levels", "zip=0..2", "--format", "json"
    )
    data = json.loads(done.out)
    assert data["released"] == 9 - data["suppressed"]
    assert data["suppressed"] <= 3


def test_the_command_line_overrides_the_policy(run, policy):
    by_policy = json.loads(run("anonymize", "--policy", policy, "--format", "json").out)
    assert by_policy["method"] == "full-domain"
    assert set(by_policy["levels"]) == {"zip", "age"}
    here = ("--method", "merge", "--levels", "zip=2..4", "--hierarchy", "age=flat", "--k", "4")
    overridden = json.loads(run("anonymize", "--policy", policy, *here, "--format", "json").out)
    assert overridden["method"] == "merge"
    assert overridden["requirements"][0] == "k ≥ 4"


def test_a_level_is_kept_to(run, policy, tmp_path):
    done = run("anonymize", "--policy", policy, "--levels", "zip=2", "-o", tmp_path / "out.csv")
    assert done.code == 0
    assert {row["zip"] for row in rows_of(tmp_path / "out.csv")} == {"476**", "479**"}


def test_a_hierarchy_may_be_a_file_for_either_kind_of_column(run, hospital, tmp_path):
    ages = tmp_path / "ages.csv"
    ages.write_text("".join(f"{age};{'young' if age < 40 else 'old'};*\n" for _, age, _, _ in ROWS), encoding="utf-8")
    diseases = tmp_path / "diseases.csv"
    names = sorted({disease for *_, disease in ROWS})
    diseases.write_text("".join(f"{name};{name[0]};*\n" for name in names), encoding="utf-8")
    trees = ("--hierarchy", f"age={ages}", "--hierarchy", f"disease={diseases}")
    roles = ("-i", "name", "-q", "age", "-s", "disease")
    done = run("anonymize", hospital, *roles, "--k", "3", "--no-intervals", *trees, "-o", tmp_path / "out.csv")
    assert done.code == 0
    assert {row["age"] for row in rows_of(tmp_path / "out.csv")} == {"young", "old"}
    report = json.loads((tmp_path / "out.csv.report.json").read_text(encoding="utf-8"))
    assert report["audit"]["attributes"]["disease"]["distance"] == "hierarchical"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*ROLES,), ["Nothing is required of the release"]),
        ((*ROLES, "--k", "10"), ["has 9", "Require less"]),
        ((*ROLES, "--k", "0"), ["at least 1"]),
        ((*ROLES, "--k-map", "3"), ["cannot be enforced"]),
        (("-q", "name", "-s", "salary", "--k", "3"), ["no hierarchy", "--hierarchy name=FILE"]),
        ((*ROLES, "--k", "3", "--hierarchy", "zipp=mask"), ["Did you mean 'zip'?"]),
        ((*ROLES, "--k", "3", "--hierarchy", "zip=nothing.csv"), ["'zip'", "no such file"]),
        ((*ROLES, "--k", "3", "--hierarchy", "zip=mask:up"), ["mask:left"]),
        ((*ROLES, "--k", "3", "--method", "gathr"), ["'gather'"]),
        ((*ROLES, "--k", "3", "--loss", "ml"), ["'lm'"]),
        ((*ROLES, "--k", "3", "--against", "itself"), ["both"]),
        ((*ROLES, "--k", "3", "--suppress", "1.5"), ["at most 1"]),
        ((*ROLES, "--k", "3", "--suppress", "5"), ["5 % is 0.05."]),
        ((*ROLES, "--k", "3", "--suppress", "few"), ["suppress"]),
        ((*ROLES, "--k", "3", "--levels", "zip=99"), ["'zip'", "99"]),
        ((*ROLES, "--k", "3", "--levels", "zip=3..1"), ["--levels of 'zip'", "0..2"]),
        ((*ROLES, "--k", "3", "--levels", "zip"), ["NAME=VALUE"]),
        ((*ROLES, "--k", "3", "--levels", "salary=1"), ["not a quasi-identifying column"]),
        ((*ROLES, "--k", "3", "--weight", "zip=0"), ["above 0"]),
        ((*ROLES, "--k", "3", "--weight", "zip=much"), ["--weight of 'zip'"]),
        ((*ROLES, "--k", "3", "--seed", "-1"), ["--seed"]),
        ((*ROLES, "--k", "3", "-o", "FOLDER/out.pdf"), ["ending", ".parquet"]),
        ((*ROLES, "--k", "3", "-o", "FOLDER/none/out.csv"), ["no folder"]),
        ((*ROLES, "--k", "3", "-o", "FOLDER"), ["ending"]),
        ((*ROLES, "--k", "3", "-o", "FOLDER/hospital.csv"), ["the table itself"]),
        ((*ROLES, "--k", "3", "--force", "-o", "FOLDER/hospital.csv"), ["the table itself"]),
    ],
)
def test_what_a_person_can_mend_leaves_with_2_and_writes_nothing(run, hospital, tmp_path, arguments, words):
    before = hospital.read_bytes()
    done = run("anonymize", hospital, *(argument.replace("FOLDER", str(tmp_path)) for argument in arguments))
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("Error: ")
    assert [word for word in words if word not in done.err] == []
    assert CANARY not in done.err
    assert names_in(tmp_path) == ["hospital.csv"]
    assert hospital.read_bytes() == before


def test_the_table_is_never_written_over_however_it_is_named(run, hospital, tmp_path):
    link = tmp_path / "link.csv"
    link.symlink_to(hospital)
    before = hospital.read_bytes()
    for table, target in ((hospital, link), (tmp_path / "hosp*.csv", hospital), (tmp_path, hospital)):
        done = run("anonymize", table, *ROLES, *WANTED, "--force", "-o", target)
        assert done.code == 2
        assert "the table itself" in done.err
    assert hospital.read_bytes() == before


def test_a_hierarchy_is_never_written_over(run, hospital, tmp_path):
    tree = tmp_path / "ages.csv"
    tree.write_text("".join(f"{age};*\n" for _, age, _, _ in ROWS), encoding="utf-8")
    before = tree.read_bytes()
    done = run("anonymize", hospital, *ROLES, *WANTED, "--hierarchy", f"age={tree}", "--force", "-o", tree)
    assert done.code == 2
    assert tree.read_bytes() == before


@pytest.mark.parametrize("there", ["out.csv", "out.csv.recipe.json", "out.csv.report.json"])
def test_files_that_are_there_need_force(run, hospital, tmp_path, there):
    (tmp_path / there).write_text("mine", encoding="utf-8")
    ask = ("anonymize", hospital, *ROLES, *WANTED, "-o", tmp_path / "out.csv")
    refused = run(*ask)
    assert (refused.code, refused.out) == (2, "")
    assert "--force" in refused.err
    assert (tmp_path / there).read_text(encoding="utf-8") == "mine"
    assert run(*ask, "--force").code == 0
    assert (tmp_path / there).read_text(encoding="utf-8") != "mine"


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="rights cannot be laid down for a while here")
def test_a_folder_that_cannot_be_written_to_is_refused_before_any_work(run, hospital, tmp_path):
    assert run("anonymize", hospital, *ROLES, *WANTED, "-o", tmp_path / "out.csv").code == 0
    with closed_folder() as closed:
        done = run("anonymize", "example:salary", "--k", "2", "--hierarchy", "age=flat", "-o", closed / "out.csv")
    assert done.code == 2
    assert "cannot be written: nothing can be written to" in done.err


def test_a_recipe_makes_the_same_release_again(run, hospital, tmp_path):
    first, again = tmp_path / "out.csv", tmp_path / "again.csv"
    assert run("anonymize", hospital, *ROLES, *WANTED, "-o", first).code == 0
    done = run("apply", f"{first}.recipe.json", hospital, "-o", again)
    assert done.code == 0
    assert again.read_bytes() == first.read_bytes()
    assert "is kept" not in done.out
    report = json.loads((tmp_path / "again.csv.report.json").read_text(encoding="utf-8"))
    VALIDATOR.validate(report)
    assert report["kept"] is None


def test_a_recipe_on_rows_that_miss_its_requirements_leaves_with_1_and_writes_nothing(run, hospital, tmp_path):
    """Of one row for each class k is 1."""
    out = tmp_path / "out.csv"
    mondrian = ("--method", "full-domain", "--hierarchy", "zip=mask", "--hierarchy", "age=intervals:20")
    assert run("anonymize", hospital, *ROLES, "--k", "3", *mondrian, "-o", out).code == 0
    few = tmp_path / "few.csv"
    few.write_text("".join(hospital.read_text(encoding="utf-8").splitlines(keepends=True)[:2]), encoding="utf-8")
    done = run("apply", f"{out}.recipe.json", few, "-o", tmp_path / "few-out.csv")
    assert done.code == 1
    assert done.out.startswith("✗ Recoded by its recipe,")
    assert not (tmp_path / "few-out.csv").exists()
    VALIDATOR.validate(json.loads(run("apply", f"{out}.recipe.json", few, "--format", "json").out))


@pytest.mark.parametrize(
    ("text", "words"), [(None, "no recipe"), ("{", "not JSON"), ('{"kind": "release"}', "not a recipe")]
)
def test_what_is_no_recipe_is_refused(run, hospital, tmp_path, text, words):
    recipe = tmp_path / "recipe.json"
    if text is not None:
        recipe.write_text(text, encoding="utf-8")
    done = run("apply", recipe, hospital, "-o", tmp_path / "out.csv")
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert not (tmp_path / "out.csv").exists()


def test_a_process_of_its_own_leaves_with_the_same_codes(hospital, tmp_path):
    ask = ("anonymize", "hospital.csv", *ROLES, "--quiet")
    assert tclose(*ask, *WANTED, "-o", "out.csv", cwd=tmp_path).code == 0
    assert tclose(*ask, "--l", "disease=9", cwd=tmp_path).code == 1


@pytest.mark.parametrize("command", ["anonymize", "apply", "frontier"])
def test_help_loads_no_engine_no_kernel_and_no_search(command):
    code = (
        "import sys\nfrom tclose.cli.commands import commands\nfrom tclose.cli.errors import exit_code_of\n"
        f"exit_code_of(commands, [{command!r}, '--help'])\n"
        "heavy = {'duckdb', 'rich', 'jinja2', 'tclose.anonymization.anonymize', 'tclose.auditing.audit'}\n"
        "found = [name for name in sys.modules if name in heavy or name.startswith('tclose.models.kernels.')]\n"
        "print(found, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": str(SOURCE)}, check=True
    )
    assert done.stderr == "[]\n"
