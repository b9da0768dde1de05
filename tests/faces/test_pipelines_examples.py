"""The pipelines in the repository do what they say: the Makefile is run, the options of the templates exist."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import click
import pytest
import yaml

from faces.command_line import SOURCE
from tclose.cli.commands import commands

ROOT = Path(__file__).parents[2]
FLOWS = {"airflow_dag.py": "airflow", "dagster_assets.py": "dagster", "prefect_flow.py": "prefect"}
MAKEFILE = ROOT / "examples" / "pipelines" / "Makefile"
POLICY = """
[columns]
zip = { role = "quasi-identifier", hierarchy = "mask" }
pay = { role = "sensitive", distance = "ordered" }

[policy]
k = 2
"""


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_the_makefile_publishes_what_is_safe_and_only_when_something_changed(tmp_path):
    (tmp_path / "tclose.toml").write_text(POLICY)
    (tmp_path / "patients.csv").write_text("zip,pay\n1234,1\n1235,2\n1299,1\n1298,2\n")
    surroundings = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = ["make", "-f", MAKEFILE, "publish", f"TCLOSE={sys.executable} -m tclose"]
    first, second = (
        subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False)
        for _ in range(2)
    )
    assert (first.returncode, second.returncode) == (0, 0), first.stdout + first.stderr
    assert "release.csv may be published." in first.stdout
    assert "anonymize" in first.stdout
    assert "anonymize" not in second.stdout
    (tmp_path / "patients.csv").write_text("zip,pay\n5234,1\n5235,2\n5299,1\n5298,2\n")  # next month's table
    month = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False)
    assert (month.returncode, "may be published" in month.stdout) == (0, True), month.stdout + month.stderr
    assert "5" in (tmp_path / "release.csv").read_text()
    (tmp_path / "tclose.toml").write_text(POLICY.replace("k = 2", "k = 9"))
    third = subprocess.run(command, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False)
    assert third.returncode != 0
    assert "may be published" not in third.stdout


@pytest.fixture
def flows(monkeypatch, tmp_path):
    """The step that every flow calls, with a table and its policy in the folder that it runs in."""
    (tmp_path / "tclose.toml").write_text(POLICY)
    (tmp_path / "patients.csv").write_text("zip,pay\n1234,1\n1235,2\n1299,1\n1298,2\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(SOURCE))
    monkeypatch.syspath_prepend(str(MAKEFILE.parent))
    return importlib.import_module("steps")


def test_the_step_of_every_flow_releases_what_is_safe_and_nothing_else(flows, tmp_path):
    assert flows.release("patients.csv", "tclose.toml", "release.csv") == "release.csv"
    released = (tmp_path / "release.csv").read_bytes()
    assert (tmp_path / "release.csv.html").exists()
    (tmp_path / "tclose.toml").write_text(POLICY.replace("k = 2", "k = 9\nl = 5"))
    with pytest.raises(flows.NotReleasedError, match=r"left with [12]"):
        flows.release("patients.csv", "tclose.toml", "release.csv")
    (tmp_path / "patients.csv").write_text("zip,pay,name\n1234,1,Ann\n1235,2,Bea\n")
    with pytest.raises(flows.NotReleasedError, match="left with 2: Error: 1 column is undecided: 'name'"):
        flows.release("patients.csv", "tclose.toml", "release.csv")
    assert (tmp_path / "release.csv").read_bytes() == released


@pytest.mark.parametrize(("flow", "package"), FLOWS.items())
def test_every_flow_publishes_after_the_step_and_runs_where_its_package_is(flow, package, flows, monkeypatch):
    """No package of these is installed for the tests: their words are stood in for, what they wrap is run."""
    source = (MAKEFILE.parent / flow).read_text(encoding="utf-8")
    order = [found.start() for found in re.finditer(r"steps\.release\(|is published|def published", source)]
    assert len(order) == 2
    assert source.index("steps.release(") == order[0]
    monkeypatch.setitem(sys.modules, package, Words(package))
    monkeypatch.setitem(sys.modules, f"{package}.sdk", Words("sdk"))
    for name, value in (("TABLE", "patients.csv"), ("POLICY", "tclose.toml"), ("TARGET", "release.csv")):
        monkeypatch.setenv(name, value)
    called = []
    monkeypatch.setattr(flows, "release", lambda *given: called.append(given) or given[2])
    names: dict[str, object] = {"__name__": "flow", "__file__": str(MAKEFILE.parent / flow)}
    exec(compile(source, flow, "exec"), names)
    for run in (names.get("monthly_release"), names.get("monthly"), names.get("release")):
        if callable(run) and not called:
            run(*(["patients.csv", "tclose.toml", "release.csv"] if "sys.argv" in source else []))
    assert called == [("patients.csv", "tclose.toml", "release.csv")]


class Words(types.ModuleType):
    """A package of which every name is a decorator that changes nothing, called with settings or without."""

    def __getattr__(self, name):
        def word(*given, **settings):
            return given[0] if given and callable(given[0]) and not settings else (lambda function: function)

        return word


def commands_of(place):
    """The shell commands of the action, or of the job for GitLab, with what they are told by default."""
    told = yaml.safe_load((ROOT / place).read_text(encoding="utf-8"))
    if place == "action.yml":
        defaults = {name: each["default"] for name, each in told["inputs"].items()}
        steps = told["runs"]["steps"]
        assert {step["shell"] for step in steps} == {"bash"}
        assert steps[1]["env"] == {name.upper(): f"${{{{ inputs.{name} }}}}" for name in defaults}
        return [step["run"] for step in steps], {name.upper(): value for name, value in defaults.items()}
    (job,) = told.values()
    return job["script"], job["variables"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize("place", ["action.yml", "examples/pipelines/gitlab.yml"])
def test_the_commands_of_a_template_pass_and_fail_with_the_policy(place, tmp_path):
    """All but the installation, for which the command of this environment stands in."""
    (install, audit), told = commands_of(place)
    assert "-m venv" in install
    assert "pip" in install
    run_by = audit.replace("/tmp/tclose/bin/tclose", '"$RUNNER_TEMP/tclose/bin/tclose"')
    (tmp_path / "tclose" / "bin").mkdir(parents=True)
    command = tmp_path / "tclose" / "bin" / "tclose"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tclose "$@"\n')
    command.chmod(0o755)
    (tmp_path / "patients.csv").write_text("zip,pay\n12**,1\n12**,2\n")
    codes = []
    for k in (2, 3):
        policy = f'[table]\nsource = "patients.csv"\n{POLICY.replace("k = 2", f"k = {k}")}'
        (tmp_path / "tclose.toml").write_text(policy)
        surroundings = {**os.environ, **told, "PYTHONPATH": str(SOURCE), "RUNNER_TEMP": str(tmp_path)}
        done = subprocess.run(
            ["bash", "-eo", "pipefail", "-c", run_by],
            cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False,
        )  # fmt: skip
        codes.append(done.returncode)
    assert codes == [0, 1], done.stderr
    if "junit" in audit:
        assert (
            '<failure message="found 2; failing: 1 class, 2 rows" type="k" />' in (tmp_path / "tclose.xml").read_text()
        )
    else:
        assert done.stdout.startswith("::error file=patients.csv,")


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize("scripts", ["bin", "Scripts"], ids=["POSIX", "Windows"])
@pytest.mark.parametrize(
    ("options", "heard"),
    [("", []), ("--k 3 --t 0.2", ["--k", "3", "--t", "0.2"]), ("--k 3\n--t 0.2\n", ["--k", "3", "--t", "0.2"])],
    ids=["none", "one line", "several lines"],
)
def test_the_action_passes_every_option_on_wherever_its_environment_has_the_command(options, heard, scripts, tmp_path):
    """A requirement on the second line of the options must not be dropped."""
    (_, audit), told = commands_of("action.yml")
    command = tmp_path / "tclose" / scripts / "tclose"
    command.parent.mkdir(parents=True)
    command.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
    command.chmod(0o755)
    surroundings = {**os.environ, **told, "RUNNER_TEMP": str(tmp_path), "OPTIONS": options}
    words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", audit]
    done = subprocess.run(words, env=surroundings, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-len(heard) :] == heard or not heard
    assert done.stdout.split()[:3] == ["audit", "--policy", "tclose.toml"]


@pytest.mark.parametrize("place", ["action.yml", "examples/pipelines/gitlab.yml", ".pre-commit-hooks.yaml"])
def test_every_option_of_a_template_exists(place):
    audit = commands.get_command(click.Context(commands), "audit")
    known = {name for parameter in audit.params for name in parameter.opts + parameter.secondary_opts}
    line = next(line for line in (ROOT / place).read_text().splitlines() if "tclose" in line and " audit " in line)
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", line.partition(" audit ")[2])) <= known
