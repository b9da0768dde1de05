"""No two files of a run are the same, read or written: refused with 2 before any work, and nothing is changed."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import tclose as library
from faces.command_line import SOURCE, in_process, tclose
from faces.hospital import POLICY, ROLES, write_hospital
from tclose.data.targets import target_at
from tclose.data.targets.target import check_apart
from tclose.errors import InputError, SourceError

WANTED = ("--k", "3")
MAKE = ("anonymize", "hospital.csv", *ROLES, *WANTED)
AUDIT = ("audit", "hospital.csv", *ROLES)
TREED = ("-i", "name", "-q", "zip,age", "-s", "disease")
TREE = "gastric ulcer;*\ngastritis;*\nstomach cancer;*\nflu;*\nbronchitis;*\npneumonia;*\n"


@pytest.fixture
def folder(tmp_path):
    write_hospital(tmp_path)
    (tmp_path / "tclose.toml").write_text(POLICY, encoding="utf-8")
    (tmp_path / "tree.csv").write_text(TREE, encoding="utf-8")
    (tmp_path / "linked.csv").symlink_to("hospital.csv")
    os.link(tmp_path / "hospital.csv", tmp_path / "hard.csv")
    (tmp_path / "sub").mkdir()
    with sqlite3.connect(tmp_path / "c.db") as base:
        base.execute("CREATE TABLE people (zip, ill)")
        base.executemany("INSERT INTO people VALUES (?, ?)", [(1, "flu"), (1, "cold"), (2, "flu"), (2, "cold")])
    base.close()
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


BASE = ("audit", "sqlite:c.db#people", "-q", "zip", "-s", "ill")
CASES = {
    "release and recipe": (*MAKE, "-o", "r.csv", "--recipe", "r.csv"),
    "release and report": (*MAKE, "-o", "r.csv", "--recipe", "x.json", "--report", "./sub/../r.csv.report.json"),
    "recipe and report": (*MAKE, "--recipe", "x.json", "--report", "x.json"),
    "recipe beside the release and report": (*MAKE, "-o", "r.csv", "--report", "r.csv.recipe.json"),
    "audit and classes": (*AUDIT, "-o", "x.csv", "--classes", "x.csv"),
    "the table": (*MAKE, "--force", "-o", "hospital.csv"),
    "a link to the table": (*MAKE, "--force", "-o", "linked.csv"),
    "a second name of the table": (*MAKE, "--force", "-o", "hard.csv"),
    "a pattern": ("audit", "hos*.csv", *ROLES, "-o", "hospital.csv"),
    "a database": (*BASE, "--format", "json", "-o", "c.db"),
    "a database, profiled": ("profile", "sqlite:c.db#people", "--force", "--format", "text", "-o", "c.db"),
    "a hierarchy": (*MAKE[:2], *TREED, *WANTED, "--hierarchy", "disease=tree.csv", "--force", "-o", "tree.csv"),
    "a hierarchy of an audit": (*AUDIT[:2], *TREED, "--hierarchy", "disease=tree.csv", "--classes", "tree.csv"),
    "a policy": ("audit", "--policy", "tclose.toml", "--format", "text", "-o", "tclose.toml"),
    "the policy of the folder": ("explain", "hospital.csv", "--format", "text", "-o", "tclose.toml"),
    "a reference": (*AUDIT, "--reference", "hard.csv", "-o", "linked.csv", "--format", "text"),
    "a population": (*AUDIT, "--population", "hospital.csv", "--classes", "hospital.csv"),
    "a frontier": ("frontier", "hospital.csv", *ROLES, "--format", "csv", "-o", "hospital.csv"),
}


@pytest.mark.parametrize("arguments", CASES.values(), ids=CASES.keys())
def test_files_that_coincide_are_refused(folder, arguments, monkeypatch, capfdbinary):
    monkeypatch.chdir(folder)
    before = contents(folder)
    done = in_process(capfdbinary, *arguments)
    assert done.code == 2, done.err
    assert "name another" in done.err or "the same file" in done.err
    assert contents(folder) == before
    assert [path.name for path in folder.iterdir() if path.is_dir()] == ["sub"]


def test_a_recipe_that_is_applied_is_not_written_over(folder):
    assert tclose(*MAKE, "-o", "r.csv", cwd=folder).code == 0
    before = contents(folder)
    done = tclose("apply", "r.csv.recipe.json", "hospital.csv", "--force", "-o", "r.csv", cwd=folder)
    assert (done.code, "the recipe" in done.err) == (2, True)
    assert contents(folder) == before


def redirected(folder, arguments, **streams):
    return subprocess.run(
        [sys.executable, "-m", "tclose.cli", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stderr=subprocess.PIPE,
        check=False,
        **{"stdout": subprocess.PIPE, **streams},
    )


def test_what_standard_input_comes_from_is_not_written_over(folder):
    before = contents(folder)
    with (folder / "hospital.csv").open("rb") as file:
        done = redirected(folder, ["audit", "-", *ROLES, "--format", "text", "-o", "hospital.csv"], stdin=file)
    assert (done.returncode, b"standard input" in done.stderr) == (2, True)
    assert contents(folder) == before


def test_what_standard_output_goes_to_is_neither_read_nor_written_besides(folder):
    before = contents(folder)
    with (folder / "hospital.csv").open("ab") as file:
        done = redirected(folder, AUDIT, stdout=file)
    assert (done.returncode, b"Standard output goes to" in done.stderr) == (2, True)
    assert contents(folder) == before
    with (folder / "r.csv").open("wb") as file:
        done = redirected(folder, [*MAKE, "--force", "-o", "r.csv"], stdout=file)
    assert (done.returncode, b"standard output are the same file" in done.stderr) == (2, True)


def test_a_terminal_and_the_null_device_may_be_everything_at_once(folder):
    with Path(os.devnull).open("r+b") as null:
        done = redirected(folder, [*AUDIT, "-o", "/dev/null", "--format", "text"], stdin=null, stdout=null)
    assert (done.returncode, done.stderr) == (0, b"")


def test_standard_output_is_written_through(folder):
    plain = tclose(*AUDIT, cwd=folder)
    through = tclose(*AUDIT, "-o", "/dev/stdout", cwd=folder)
    assert (through.code, through.out) == (0, plain.out)
    (folder / "out").symlink_to("/dev/stdout")
    assert tclose(*AUDIT, "-o", "out", cwd=folder).out == plain.out
    assert (folder / "out").is_symlink()


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "pipe.csv"])
def test_a_release_may_go_to_a_stream_alone(folder, name):
    assert tclose(*MAKE, "-o", "r.csv", cwd=folder).code == 0
    kept = {path.name for path in folder.iterdir()}
    if name == "pipe.csv":
        os.mkfifo(folder / name)
        reader = subprocess.Popen(["cat", str(folder / name)], stdout=subprocess.PIPE)
        done = tclose(*MAKE, "-o", name, "--force", cwd=folder)
        out = reader.communicate()[0].decode()
        assert (folder / name).is_fifo()
        assert "meets its requirement" in done.out
        kept.add(name)
    else:
        done = tclose(*MAKE, "-o", name, cwd=folder)
        out = done.out
        assert "meets its requirement" in done.err
    assert done.code == 0
    assert out == (folder / "r.csv").read_text(encoding="utf-8")
    assert {path.name for path in folder.iterdir()} == kept


def test_the_library_refuses_what_it_reads(folder):
    roles = library.Roles(["zip", "age"], ["disease"], ["name"])
    release = library.anonymize(folder / "hospital.csv", roles, require={"k": 3})
    for name in ("hospital.csv", "linked.csv", "hard.csv"):
        with pytest.raises(InputError, match="the table itself"):
            release.write(folder / name, force=True)
    assert release.write(folder / "r.csv").recipe == folder / "r.csv.recipe.json"
    with pytest.raises(InputError, match="exists already"):
        release.write(folder / "r.csv")


def test_a_device_among_the_targets_hides_none_that_comes_after_it(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("zip,ill\n1,flu\n", encoding="utf-8")
    with pytest.raises(SourceError, match="is the table"):
        check_apart([target_at("/dev/null"), target_at(table)], {table: "the table"})
