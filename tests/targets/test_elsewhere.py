"""Files take their places on Windows: folders cannot be opened there, open files not removed, and nothing is locked."""

import errno
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from tclose.data.targets import committing, journal, target_at, write_text
from tclose.data.targets import private_folders as private

DESCRIPTORS = Path("/proc/self/fd")


@pytest.fixture
def windows(monkeypatch, tmp_path_factory):
    """A system that refuses what Windows refuses, told to the two modules that ask which one it is.

    It has a temporary folder of its own: where nothing is locked, other processes take what is there for abandoned.
    """
    fcntl = pytest.importorskip("fcntl")
    if not DESCRIPTORS.is_dir():
        pytest.skip("without /proc nobody can say which files are open")
    really_open, really_settle, really_unlink = os.open, os.fsync, os.unlink

    def opened(path, flags, *more, **options):
        if Path(path).is_dir():
            raise PermissionError(errno.EACCES, "a folder cannot be opened", str(path))
        return really_open(path, flags, *more, **options)

    def settled(descriptor):
        if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
            raise OSError(errno.EBADF, "only what can be written to can be flushed")
        really_settle(descriptor)

    def removed(path, **options):
        if any(is_same(entry, path) for entry in DESCRIPTORS.iterdir()):
            raise PermissionError(errno.EACCES, "somebody has it open", str(path))
        really_unlink(path, **options)

    def linked(*_, **options):
        if options.get("follow_symlinks") is False:
            raise NotImplementedError("follow_symlinks unavailable on this platform")

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("elsewhere")))
    monkeypatch.setattr(os, "open", opened)
    monkeypatch.setattr(os, "fsync", settled)
    monkeypatch.setattr(os, "unlink", removed)
    monkeypatch.setattr(os, "link", linked)
    monkeypatch.setattr(
        Path, "unlink", lambda path, missing_ok=False: (missing_ok and not path.exists()) or removed(path)
    )
    monkeypatch.setitem(sys.modules, "fcntl", None)
    for module in (journal, private):
        monkeypatch.setattr(module, "FOLDERS_ARE_FILES", False)


def is_same(entry, path):
    try:
        return entry.samefile(path)
    except OSError:
        return False


def test_a_single_file_takes_its_place_and_leaves_nothing(windows, tmp_path):
    for text in ("first", "second"):
        write_text(target_at(tmp_path / "audit.json"), text)
        assert (tmp_path / "audit.json").read_text(encoding="utf-8") == text
    assert [path.name for path in tmp_path.iterdir()] == ["audit.json"]


def test_several_files_take_their_places_together_and_leave_nothing(windows, tmp_path):
    names = ["release.csv", "release.csv.recipe.json", "release.csv.report.json"]
    for month in ("january", "february"):
        with committing([target_at(tmp_path / name) for name in names]) as places:
            for place, name in zip(places, names, strict=True):
                place.write_text(f"{month} {name}", encoding="utf-8")
        assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == {
            name: f"{month} {name}" for name in names
        }


LACKING = """
import os, signal, sys
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules[name] = None
for module, names in (
    (os, "fork getuid geteuid getgid fchmod fchown chown mkfifo O_DIRECTORY O_NOFOLLOW sysconf killpg pread statvfs"),
    (os, "sched_getaffinity posix_fadvise"),
    (signal, "SIGHUP SIGALRM SIGPIPE setitimer ITIMER_REAL pthread_sigmask SIG_BLOCK SIG_UNBLOCK"),
):
    for name in names.split():
        vars(module).pop(name, None)
from tclose.cli.errors import exit_code_of
from tclose.cli.commands import commands
sys.exit(exit_code_of(commands, sys.argv[1:]))
"""
ROLES = ["-q", "zip,age", "-s", "salary:ordered"]


def test_commands_run_where_nothing_is_that_only_posix_has(tmp_path):
    """From a table to next month's release, with modules, calls and signals taken away that Windows has not."""
    (tmp_path / "temporary").mkdir()
    surroundings = {**os.environ, "TMPDIR": str(tmp_path / "temporary"), "TEMP": str(tmp_path / "temporary")}
    released = ["anonymize", "patients.csv", *ROLES, "--k", "3", "--hierarchy", "age=flat", "--quiet", "-o", "r.csv"]
    for words in (
        ["examples", "salary", "-o", "patients.csv"],
        ["profile", "patients.csv", "-o", "policy.toml"],
        ["audit", "patients.csv", *ROLES, "--k", "3", "--timeout", "600"],
        [*released, "--report", "r.html", "--statement", "r.jsonld", "--lineage", "runs.jsonl"],
        [*released, "--force", "--lineage", "runs.jsonl"],
        ["apply", "r.csv.recipe.json", "patients.csv", "-o", "again.parquet", "--quiet"],
    ):
        script = [sys.executable, "-c", LACKING, *words]
        done = subprocess.run(script, cwd=tmp_path, env=surroundings, capture_output=True, text=True, check=False)
        assert (done.returncode, words[0]) == (0, words[0]), done.stderr
    left = {path.name for path in tmp_path.iterdir()} - {"temporary"}
    assert left == {
        "patients.csv", "policy.toml", "r.csv", "r.csv.recipe.json", "r.csv.report.json", "r.html", "r.jsonld",
        "runs.jsonl", "again.parquet", "again.parquet.recipe.json", "again.parquet.report.json",
    }  # fmt: skip
    assert len((tmp_path / "runs.jsonl").read_bytes().splitlines()) == 4
