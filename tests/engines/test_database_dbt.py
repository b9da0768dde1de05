"""The dbt package: its tests pass and fail in DuckDB and PostgreSQL where an audit does."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from faces.command_line import in_process

ROOT = Path(__file__).parents[2]
DBT = ROOT / ".venv" / "share" / "tclose" / "dbt" / "bin" / "dbt"
ROWS = [
    ("476**", "2*", 3000, "gastric ulcer", 1),
    ("476**", "2*", 4000, "gastritis", 2),
    ("476**", "2*", 5000, "stomach cancer", 3),
    ("4790*", ">=40", 6000, "gastritis", 4),
    ("4790*", ">=40", 11000, "flu", 5),
    ("4790*", ">=40", 8000, "bronchitis", 5),
    ("476**", "3*", 7000, "bronchitis", 6),
    ("476**", "3*", 9000, "pneumonia", 7),
    ("476**", "3*", 10000, "stomach cancer", 8),
]
"""The salary table of the paper, where t of salary is 3/8 and of disease 4/9; two rows are of one person."""
SCHEMA = """
models:
  - name: visits
    data_tests:
      - tclose.k_anonymous: {name: k_holds, arguments: {quasi: [zip, age], k: 3}}
      - tclose.k_anonymous: {name: k_fails, arguments: {quasi: [zip, age], k: 4}}
      - tclose.k_anonymous: {name: people_fail, arguments: {quasi: [zip, age], k: 3, person: who}}
    columns:
      - name: salary
        data_tests:
          - tclose.t_close: {name: t_holds, arguments: {quasi: [zip, age], t: "3/8", distance: ordered}}
          - tclose.t_close: {name: t_fails, arguments: {quasi: [zip, age], t: "0.3749", distance: ordered}}
      - name: disease
        data_tests:
          - tclose.l_diverse: {name: l_holds, arguments: {quasi: [zip, age], l: 3}}
          - tclose.l_diverse: {name: l_fails, arguments: {quasi: [zip, age], l: 4}}
          - tclose.t_close: {name: nominal_holds, arguments: {quasi: [zip, age], t: "4/9", distance: nominal}}
          - tclose.t_close: {name: nominal_fails, arguments: {quasi: [zip, age], t: 0.44, distance: nominal}}
"""


def test_the_package_has_the_statement_of_the_library():
    statement = "tclose_audit.sql"
    library = ROOT / "src" / "tclose" / "auditing" / "templates" / statement
    assert (ROOT / "dbt" / "macros" / statement).read_text() == library.read_text()


@pytest.fixture
def project(tmp_path, postgresql):
    """A project with one model, and a profile for each database."""
    if not DBT.exists():
        missing = "dbt is not here: scripts/dbt brings it"
        pytest.fail(missing) if os.environ.get("CI") else pytest.skip(missing)
    shutil.copytree(ROOT / "dbt", tmp_path / "tclose")
    (tmp_path / "packages.yml").write_text("packages:\n  - local: tclose\n")
    (tmp_path / "dbt_project.yml").write_text(
        "name: clinic\nversion: '1.0.0'\nconfig-version: 2\nprofile: clinic\n"
        "flags: {send_anonymous_usage_stats: false}\n"
    )
    outputs = {
        "duckdb": {"type": "duckdb", "path": str(tmp_path / "clinic.duckdb")},
        "postgres": {
            "type": "postgres", "host": "127.0.0.1", "port": postgresql.port, "user": "tester", "password": "none",
            "dbname": "postgres", "schema": "dbt_clinic", "threads": 1,
        },
    }  # fmt: skip
    (tmp_path / "profiles.yml").write_text(json.dumps({"clinic": {"target": "duckdb", "outputs": outputs}}))
    selects = [
        f"SELECT '{zone}' AS zip, '{age}' AS age, {salary} AS salary, '{disease}' AS disease, {who} AS who"
        for zone, age, salary, disease, who in ROWS
    ]
    models = tmp_path / "models"
    models.mkdir()
    (models / "visits.sql").write_text("{{ config(materialized='table') }}\n" + "\nUNION ALL ".join(selects))
    (models / "schema.yml").write_text(SCHEMA)
    yield tmp_path
    postgresql.run("DROP SCHEMA IF EXISTS dbt_clinic CASCADE")


def run(project, *arguments):
    environment = {**os.environ, "DBT_PROFILES_DIR": str(project), "DO_NOT_TRACK": "1"}
    environment.pop("PYTHONPATH", None)
    return subprocess.run([DBT, *arguments], cwd=project, env=environment, capture_output=True, text=True, check=False)


def test_the_tests_of_the_package_pass_and_fail_where_an_audit_does(project):
    fetched = run(project, "deps")
    assert fetched.returncode == 0, fetched.stdout
    for target in ("duckdb", "postgres"):
        done = run(project, "build", "--target", target)
        results = json.loads((project / "target" / "run_results.json").read_text())["results"]
        found = {each["unique_id"].split(".")[2]: each["status"] for each in results if "test." in each["unique_id"]}
        expected = {
            name: "pass" if name.endswith("holds") else "fail"
            for name in ("k_holds", "k_fails", "people_fail", "t_holds", "t_fails", "l_holds", "l_fails",
                         "nominal_holds", "nominal_fails")
        }  # fmt: skip
        assert found == expected, done.stdout


def test_what_is_no_threshold_is_refused(project):
    """The whole number of a text that has none is 0 in a template, and nothing is farther than a zeroth."""
    asked = "{name: t_holds, arguments: {quasi: [zip, age], t: 1/3a, distance: ordered}}"
    columns = f"[{{name: salary, data_tests: [{{tclose.t_close: {asked}}}]}}]"
    (project / "models" / "schema.yml").write_text(f"models: [{{name: visits, columns: {columns}}}]\n")
    assert run(project, "deps").returncode == 0
    done = run(project, "build")
    assert done.returncode != 0
    assert "write the threshold as a text such as '0.00001' or '1/3'" in done.stdout


POLICY = """
[columns]
zip = { role = "quasi-identifier" }
age = { role = "quasi-identifier" }
salary = { role = "sensitive", distance = "ordered", t = "3/8" }
disease = { role = "sensitive", distance = "nominal" }
who = { role = "identifier" }
[policy]
k = 3
l = 3
t = "4/9"
"""


def test_a_policy_is_the_tests_of_a_model_with_a_closed_list_of_columns(project, capfdbinary):
    (project / "p.toml").write_text(POLICY)
    written = project / "models" / "schema.yml"
    asked = ("sql", "dbt", "visits", "--policy", project / "p.toml", "-o", written)
    assert in_process(capfdbinary, *asked).code == 0
    model = project / "models" / "visits.sql"
    rows = model.read_text().partition("\n")[2]
    released = "SELECT zip, age, salary, disease FROM (\n{}\n) AS originals"
    bodies = {
        rows: {"only_columns"},
        released.format(rows): set(),
        released.replace("disease FROM", 'disease, 1 AS "Zip2" FROM').format(rows): {"only_columns"},
        f"{released.format(rows)} WHERE salary <> 3000": {"k_anonymous", "l_diverse", "t_close"},
    }
    assert run(project, "deps").returncode == 0
    for target in ("duckdb", "postgres"):
        for body, expected in bodies.items():
            model.write_text(f"{{{{ config(materialized='table') }}}}\n{body}")
            done = run(project, "build", "--target", target)
            results = json.loads((project / "target" / "run_results.json").read_text())["results"]
            tests = [each for each in results if "test." in each["unique_id"]]
            failing = {each["unique_id"].split(".")[2] for each in tests if each["status"] != "pass"}
            assert len(tests) == 6, done.stdout
            assert {name for name in ("only_columns", "k_anonymous", "l_diverse", "t_close") for each in failing
                    if name in each} == expected, done.stdout  # fmt: skip


def test_a_model_whose_columns_are_unknown_does_not_pass(project):
    """dbt names no column of an ephemeral model, which is no table."""
    model = project / "models" / "visits.sql"
    model.write_text(model.read_text().replace("'table'", "'ephemeral'"))
    asked = '{name: closed, arguments: {columns: ["zip"]}}'
    (project / "models" / "schema.yml").write_text(
        f"models: [{{name: visits, data_tests: [{{tclose.only_columns: {asked}}}]}}]\n"
    )
    assert run(project, "deps").returncode == 0
    assert run(project, "build").returncode != 0
