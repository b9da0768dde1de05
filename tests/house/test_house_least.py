"""With nothing installed but what tclose must have, every command works on a text file, and says what it lacks."""

from __future__ import annotations

import json
import subprocess
import sys

from faces.command_line import SOURCE

LEAST = """
import json, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {absent}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Missing())
from tclose.cli import outcome
json.dump([outcome(command) for command in {commands}], open("codes.json", "w"))
"""
ABSENT = {
    "adbc_driver_manager", "adbc_driver_postgresql", "adbc_driver_sqlite", "deltalake", "pandas", "polars", "pyarrow",
    "pyreadstat", "pyspark", "python_calamine", "scipy", "sklearn", "starlette", "uvicorn",
}  # fmt: skip
ROLES = ["-q", "zip,age", "-s", "pay:ordered"]
RELEASE = [*ROLES, "--k", "2", "--hierarchy", "zip=mask"]
COMMANDS = {
    ("audit", "example:salary"): 0,
    ("audit", "people.csv", *ROLES, "--k", "1", "-o", "audit.html"): 0,
    ("audit", "people.csv", *ROLES, "--classes", "classes.parquet"): 0,
    ("explain", "example:salary", "-s", "salary:ordered"): 0,
    ("profile", "people.csv"): 0,
    ("anonymize", "people.csv", *RELEASE, "-o", "release.csv"): 0,
    ("apply", "release.csv.recipe.json", "people.csv", "-o", "again.parquet"): 0,
    ("attack", "people.csv", *RELEASE, "--divisions", "1"): 0,
    ("sql", "audit", "people", *ROLES, "--k", "2"): 0,
    ("presets",): 0,
    ("audit", "people.csv", *ROLES, "--engine", "spark"): 3,
    ("audit", "sqlite:people.csv", "--table", "people", *ROLES): 3,
}


def test_every_command_works_without_optional_packages(tmp_path):
    rows = "".join(f"{10 + at % 2},{20 + at % 3},{at % 5}\n" for at in range(24))
    (tmp_path / "people.csv").write_text(f"zip,age,pay\n{rows}")
    script = LEAST.format(absent=sorted(ABSENT), commands=json.dumps([list(command) for command in COMMANDS]))
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={"PYTHONPATH": str(SOURCE), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    codes = json.loads((tmp_path / "codes.json").read_text())
    assert dict(zip(COMMANDS, codes, strict=True)) == COMMANDS, done.stderr
    assert "Unexpected" not in done.stderr
