"""A release is written whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import datetime as dt
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from rights import closed_folder
from tclose import Nominal, Roles, audit
from tclose.anonymization.anonymize import anonymize
from tclose.anonymization.apply import apply
from tclose.anonymization.recipes import read_recipe
from tclose.errors import InputError

ROLES = Roles(["age"], {"ill": Nominal()}, ["name"], publish="all")


def table(rows=12):
    return pa.table(
        {
            "name": [f"secret-{at}" for at in range(rows)],
            "age": [20 + at % 4 for at in range(rows)],
            "ill": [["x", "y", "z"][at % 3] for at in range(rows)],
            "note": [f"n{at}" for at in range(rows)],
        }
    )


def release(**options):
    return anonymize(table(), ROLES, **{"require": {"k": 3, "t": "0.5"}, "method": "merge", **options})


@pytest.mark.parametrize("method", ["auto", "gather", "sabre"])
def test_a_search_that_the_clock_ended_writes_a_release_that_says_so_and_can_be_made_again(tmp_path, method):
    made = release(method=method, within=1e-9, require={"k": 5, "t": "0.5"})
    assert made.holds
    made.write(tmp_path / "release.csv")
    assert audit(tmp_path / "release.csv", Roles(["age"], {"ill": Nominal()}), require={"k": 5, "t": "0.5"}).holds
    assert [note for note in made.notes if "stopped after 1e-09 seconds" in note.text]
    apply(table(), made.recipe).write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "release.csv").read_bytes()


def test_three_files_are_written_and_nothing_else(tmp_path):
    made = release().write(tmp_path / "out.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.csv", "out.csv.recipe.json", "out.csv.report.json"]
    assert (made.path, made.recipe, made.report) == tuple(sorted(tmp_path.iterdir()))
    assert made.audit.holds
    assert made.against_original.holds
    assert made.audit.rows == 12
    assert read_recipe(made.recipe).to_json() == release().recipe.to_json()
    assert b"secret-" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    json.loads(made.report.read_text())


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".json", ".jsonl", ".parquet", ".feather"])
def test_every_format_keeps_the_promise(tmp_path, ending):
    released = release()
    made = released.write(tmp_path / f"out{ending}")
    assert f"out{ending}" in released.to_html(made)
    found = audit(made.path, Roles(["age"], {"ill": Nominal()}), require={"k": 3, "t": "0.5"})
    assert (found.holds, found.rows) == (True, 12)


@pytest.mark.parametrize("there", ["out.csv", "out.csv.recipe.json", "out.csv.report.json"])
def test_what_is_there_is_not_replaced_unless_told(tmp_path, there):
    (tmp_path / there).write_text("precious")
    with pytest.raises(InputError, match="force"):
        release().write(tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == [there]
    assert (tmp_path / there).read_text() == "precious"
    release().write(tmp_path / "out.csv", force=True)
    assert "precious" not in (tmp_path / there).read_text()
    assert len(list(tmp_path.iterdir())) == 3


def test_places_that_cannot_be_written_are_refused(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "out.csv.report.json").mkdir()
    (tmp_path / "file").write_text("no folder")
    for place in (
        "absent/out.csv",
        "folder.csv",
        "out.csv",
        "file/out.csv",
        "out",
        "out.xyz",
        ".csv",
        "x" * 300 + ".csv",
    ):
        with pytest.raises(InputError):
            release().write(tmp_path / place, force=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.csv", "out.csv.report.json"]


@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="rights cannot be laid down for a while here")
def test_a_folder_without_permission_is_refused(tmp_path):
    made = release()
    made.write(tmp_path / "out.csv")
    with closed_folder() as folder:
        with pytest.raises(InputError, match=r"can be written|cannot be written"):
            made.write(folder / "out.csv")
        assert list(folder.iterdir()) == []


def test_a_release_through_a_link_replaces_what_the_link_names(tmp_path):
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    release().write(tmp_path / "link.csv", force=True)
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text().startswith("age,ill,note")


@pytest.mark.parametrize("stage", ["Finding distinct rows", "Gathering", "Redistributing", "Improving", "Merging"])
def test_an_interrupt_of_the_search_ends_it(stage):
    """Classes of three rows each must be merged to have four."""
    told = []

    def interrupt(words, share):
        del share
        told.append(words)
        if words.startswith(stage):
            raise KeyboardInterrupt

    method = {"Gathering": "gather", "Redistributing": "sabre"}.get(stage, "merge")
    with pytest.raises(KeyboardInterrupt):
        anonymize(table(), ROLES, require={"k": 4}, method=method, progress=interrupt)
    assert told[-1].startswith(stage)


@pytest.mark.parametrize("problem", [KeyboardInterrupt, OSError, MemoryError])
@pytest.mark.parametrize("step", ["write_to", "read_back"])
def test_whatever_goes_wrong_while_writing_leaves_nothing(tmp_path, monkeypatch, step, problem):
    made = release()
    (tmp_path / "old.csv").write_text("precious")

    def fail(*_):
        raise problem

    monkeypatch.setattr(type(made.table), step, fail)
    for name in ("out.csv", "old.csv"):
        with pytest.raises(problem):
            made.write(tmp_path / name, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["old.csv"]
    assert (tmp_path / "old.csv").read_text() == "precious"


SCRIPT = """
import sys
import numpy as np, pyarrow as pa
from tclose import Nominal, Roles
from tclose.anonymization.anonymize import anonymize
chance = np.random.default_rng(1)
rows = 300_000
table = pa.table({
    "age": chance.integers(20, 60, rows), "ill": chance.choice(["x", "y", "z"], rows),
    "note": [f"note {at} of {rows}" for at in range(rows)],
})
made = anonymize(table, Roles(["age"], {"ill": Nominal()}), require={"k": 5, "t": "0.2"}, method="merge")
if len(sys.argv) > 2:
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), int(sys.argv[2])))
print("ready", flush=True)
try:
    made.write(sys.argv[1], force=True)
except Exception as problem:
    print(next(kind.__name__ for kind in type(problem).__mro__ if kind.__name__ == 'TcloseError'), problem, flush=True)
    sys.exit(3)
print("done", flush=True)
"""


def started(*arguments):
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *map(str, arguments)], stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_process_killed_while_writing_leaves_the_target_as_it_was_or_whole(tmp_path):
    """The old file stays, byte for byte, until the new one is whole; it is killed at several moments."""
    target = tmp_path / "out.csv"
    for moment in (0.0, 0.15, 0.3, 0.5):
        target.write_text("precious")
        child = started(target)
        assert child.stdout.readline() == "ready\n"
        time.sleep(moment)
        child.send_signal(signal.SIGKILL)
        child.communicate()
        with target.open() as file:
            whole = sum(1 for _ in file) == 300_001
        assert whole or target.read_text() == "precious"


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of resources")
@pytest.mark.parametrize("room", [100_000, 20])
def test_a_full_disk_leaves_nothing_and_says_so(tmp_path, room):
    """A limit on the size of files stands for a disk without room."""
    child = started(tmp_path / "out.csv", room)
    told, _ = child.communicate(timeout=120)
    assert child.returncode == 3, told
    assert told.splitlines()[1].split()[0] == "TcloseError"
    assert list(Path(tmp_path).iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of resources")
@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".jsonl", ".parquet", ".feather"])
def test_a_file_that_may_not_grow_so_large_is_said_to_be_unwritten_not_unread(tmp_path, ending):
    child = started(tmp_path / f"out{ending}", 500)
    told, _ = child.communicate(timeout=120)
    assert child.returncode == 3, told
    assert "cannot be written" in told
    assert "read" not in told.splitlines()[1]
    assert list(Path(tmp_path).iterdir()) == []


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
def test_points_in_time_keep_their_zone_where_they_are_published_as_they_are(tmp_path, ending):
    """Berlin is an hour ahead of UTC in January; Parquet keeps the moments, and that they are moments."""
    moments = [dt.datetime(2024, 1, 1, hour, tzinfo=ZoneInfo("Europe/Berlin")) for hour in (0, 0, 6, 6)]
    zoned = pa.array(moments, pa.timestamp("us", tz="Europe/Berlin"))
    people = pa.table({"seen": zoned, "born": zoned, "left": zoned, "ill": ["x", "y"] * 2, "note": [1, 2, 3, 4]})
    pq.write_table(people, tmp_path / "people.parquet")
    roles = Roles(["seen", "born"], {"ill": Nominal()}, publish="all")
    options = {"hierarchies": {"born": "flat"}, "levels": {"seen": 1, "born": 0}}
    made = anonymize(tmp_path / "people.parquet", roles, require={"k": 2}, method="full-domain", **options)
    path = made.write(tmp_path / f"out{ending}").path
    read = pq.read_table(path) if ending == ".parquet" else feather.read_table(path)
    for released in (read, made.to_arrow()):
        assert released.schema.field("left").type == pa.timestamp("us", tz="UTC")
        assert sorted(released["left"].to_pylist()) == sorted(moments)
        assert sorted(map(dt.datetime.fromisoformat, released["born"].to_pylist())) == sorted(moments)
        assert released.schema.field("seen").type == released.schema.field("born").type == pa.string()
    assert sorted(made.to_pandas()["left"].dt.tz_convert("UTC")) == sorted(moments)
