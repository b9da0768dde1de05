"""Results take their places together: whole, synced, in order, with the permissions and links that were there."""

import json
import os
import signal
import stat
import threading
from pathlib import Path

import pytest

from tclose.data.targets import FolderTarget, StreamTarget, committing, journal, target_at, write_text
from tclose.data.targets import private_folders as private
from tclose.errors import InputError


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def set_of(folder, stem="r.csv"):
    return [target_at(folder / stem), target_at(folder / f"{stem}.recipe.json", mode=0o600)]


def put(targets, texts, **options):
    with committing(targets, **options) as places:
        for place, text in zip(places, texts, strict=True):
            place.write_text(text)


def test_all_are_there_and_nothing_else(tmp_path):
    put(set_of(tmp_path), ["table", "recipe"])
    assert names(tmp_path) == ["r.csv", "r.csv.recipe.json"]
    assert (tmp_path / "r.csv").read_text() == "table"
    assert mode(tmp_path / "r.csv.recipe.json") == 0o600


def test_while_they_wait_only_the_owner_can_look(tmp_path):
    with committing(set_of(tmp_path)) as places:
        assert {mode(place.parent) for place in places} == {0o700}
        assert {place.parent.parent for place in places} == {tmp_path}


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt])
def test_after_a_failure_everything_is_as_it_was(tmp_path, failure):
    (tmp_path / "r.csv").write_text("old")
    with pytest.raises(failure), committing(set_of(tmp_path)) as (table, _):  # noqa: PT012
        table.write_text("new")
        raise failure
    assert names(tmp_path) == ["r.csv"]
    assert (tmp_path / "r.csv").read_text() == "old"


def test_what_was_not_written_is_left_as_it_is(tmp_path):
    (tmp_path / "r.csv").write_text("old")
    with committing(set_of(tmp_path)) as (_, recipe):
        recipe.write_text("recipe")
    assert (tmp_path / "r.csv").read_text() == "old"
    assert names(tmp_path) == ["r.csv", "r.csv.recipe.json"]


@pytest.mark.parametrize("permissions", [0o600, 0o640, 0o644, 0o604])
def test_a_file_that_is_replaced_keeps_its_permissions(tmp_path, permissions):
    (tmp_path / "r.csv").write_text("old")
    (tmp_path / "r.csv").chmod(permissions)
    write_text(target_at(tmp_path / "r.csv"), "new")
    assert mode(tmp_path / "r.csv") == permissions


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_file_that_is_replaced_keeps_its_owner_and_group(tmp_path):
    (tmp_path / "r.csv").write_text("old")
    os.chown(tmp_path / "r.csv", 1234, 5678)
    write_text(target_at(tmp_path / "r.csv"), "new")
    about = (tmp_path / "r.csv").stat()
    assert (about.st_uid, about.st_gid) == (1234, 5678)


def test_where_the_group_cannot_be_kept_it_may_not_look(tmp_path, monkeypatch):
    (tmp_path / "r.csv").write_text("old")
    (tmp_path / "r.csv").chmod(0o660)
    if os.geteuid() == 0:
        os.chown(tmp_path / "r.csv", -1, 5678)

    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(os, "chown", refuse)
    write_text(target_at(tmp_path / "r.csv"), "new")
    assert mode(tmp_path / "r.csv") == (0o600 if os.geteuid() == 0 else 0o660)


def test_a_link_stays_and_the_file_behind_it_is_replaced(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "r.csv").write_text("old")
    (tmp_path / "r.csv").symlink_to("real/r.csv")
    (tmp_path / "new.csv").symlink_to("real/new.csv")
    write_text(target_at(tmp_path / "r.csv"), "new")
    write_text(target_at(tmp_path / "new.csv"), "made")
    assert (tmp_path / "r.csv").is_symlink()
    assert (tmp_path / "real" / "r.csv").read_text() == "new"
    assert (tmp_path / "real" / "new.csv").read_text() == "made"
    assert names(tmp_path / "real") == ["new.csv", "r.csv"]


def test_a_pipe_is_written_through(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    read = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_text(target_at(pipe), "table")
    reader.join()
    assert read == ["table"]
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["/dev/fd/{0}", "/proc/self/fd/{0}", "link"])
def test_a_descriptor_is_written_through(tmp_path, name):
    with (tmp_path / "redirected").open("w+") as file:
        path = Path(name.format(file.fileno()))
        if name == "link":
            path = tmp_path / "link"
            path.symlink_to(f"/dev/fd/{file.fileno()}")
        file.write("before ")
        file.flush()
        write_text(target_at(path), "table")
        file.seek(0)
        assert file.read() == "before table"
    assert (tmp_path / "redirected").read_text() == "before table"


def test_devices_take_what_they_are_given_and_a_full_one_refuses(tmp_path):
    assert isinstance(target_at("/dev/null"), StreamTarget)
    write_text(target_at("/dev/null"), "table")
    with pytest.raises(InputError, match=r"'/dev/full' cannot be written: No space left"):
        write_text(target_at("/dev/full"), "table")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_what_is_there_is_refused_without_force_even_if_it_came_meanwhile(tmp_path):
    (tmp_path / "r.csv").write_text("old")
    with pytest.raises(InputError, match="exists already"):
        put(set_of(tmp_path), ["new", "recipe"], force=False)
    (tmp_path / "r.csv").unlink()
    coming = committing(set_of(tmp_path), force=False)
    with pytest.raises(InputError, match="exists already"), coming as (table, _):  # noqa: PT012
        table.write_text("new")
        (tmp_path / "r.csv").write_text("theirs")
    assert (tmp_path / "r.csv").read_text() == "theirs"
    assert names(tmp_path) == ["r.csv"]


def test_one_run_at_a_time_has_a_target(tmp_path):
    with committing(set_of(tmp_path)) as (table, recipe):
        table.write_text("first")
        recipe.write_text("recipe")
        with pytest.raises(InputError, match="Another run is writing"), committing([target_at(tmp_path / "r.csv")]):
            pass
        with pytest.raises(InputError, match="Another run is writing"):
            target_at(tmp_path / "r.csv.recipe.json").check(force=True)
        put(set_of(tmp_path, "other.csv"), ["another", "recipe"])
    assert (tmp_path / "r.csv").read_text() == "first"


def test_a_folder_that_spark_wrote_is_replaced_and_no_other(tmp_path):
    for name in ("theirs.parquet", "mine.parquet"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "part-0").write_text("old")
    (tmp_path / "mine.parquet" / "_SUCCESS").touch()
    with committing([FolderTarget(tmp_path / "mine.parquet", ".parquet")]) as (place,):
        place.mkdir()
        (place / "part-1").write_text("new")
    assert names(tmp_path / "mine.parquet") == ["part-1"]
    with pytest.raises(InputError, match="no folder that Spark wrote"):
        FolderTarget(tmp_path / "theirs.parquet", ".parquet").check(force=True)
    assert names(tmp_path) == ["mine.parquet", "theirs.parquet"]


def test_a_rename_that_is_refused_takes_back_all_others(tmp_path, monkeypatch):
    for target in set_of(tmp_path):
        target.path.write_text("old")
    replace = os.replace

    def refuse(source, target):
        if str(target).endswith("recipe.json"):
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(journal.os, "replace", refuse)
    with pytest.raises(InputError, match="cannot be written: No space left"):
        put(set_of(tmp_path), ["new", "new recipe"])
    assert names(tmp_path) == ["r.csv", "r.csv.recipe.json"]
    assert {path.read_text() for path in tmp_path.iterdir()} == {"old"}


def test_what_cannot_be_taken_back_is_finished_by_the_next_run(tmp_path, monkeypatch):
    for target in set_of(tmp_path):
        target.path.write_text("old")

    def refuse(*_):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as broken:
        broken.setattr(journal.os, "replace", refuse)
        broken.setattr("tclose.data.targets.commit.take_back", refuse)
        with pytest.raises(InputError, match="Input/output error"):
            put(set_of(tmp_path), ["new", "new recipe"])
    assert (tmp_path / "r.csv").read_text() == "old"
    assert not (tmp_path / "r.csv.recipe.json").exists(), "never a companion of another table"
    write_text(target_at(tmp_path / "other.txt"), "next run")
    assert (tmp_path / "r.csv").read_text() == "new"
    assert (tmp_path / "r.csv.recipe.json").read_text() == "new recipe"
    assert names(tmp_path) == ["other.txt", "r.csv", "r.csv.recipe.json"]


def decided(folder, texts):
    """Leave behind what a run leaves that dies after it has decided; return its private folders."""
    folders = []
    steps = []
    for target, text in zip(set_of(folder), texts, strict=True):
        held = private.claimed_folder(target.private)
        held.alive.close()
        (held.path / "new").write_text(text)
        steps.append(target.step(held.path / "new"))
        folders.append(held.path)
    journal.follow(folders[1], folders[0])
    journal.decide(folders[0], steps)
    return folders


def test_what_was_decided_is_finished_whichever_folder_is_found_first(tmp_path):
    (tmp_path / "r.csv").write_text("old")
    for first in (0, 1):
        folders = decided(tmp_path, [f"new {first}", f"recipe {first}"])
        private.clear(folders[first])
        private.sweep(tmp_path, private.HIDDEN)
        assert (tmp_path / "r.csv").read_text() == f"new {first}"
        assert (tmp_path / "r.csv.recipe.json").read_text() == f"recipe {first}"
        assert names(tmp_path) == ["r.csv", "r.csv.recipe.json"]


def test_what_somebody_else_wrote_since_is_not_replaced(tmp_path):
    (tmp_path / "r.csv").write_text("old")
    decided(tmp_path, ["new", "recipe"])
    (tmp_path / "r.csv").unlink()
    (tmp_path / "theirs").write_text("theirs")
    (tmp_path / "theirs").rename(tmp_path / "r.csv")
    private.sweep(tmp_path, private.HIDDEN)
    assert (tmp_path / "r.csv").read_text() == "theirs"
    assert names(tmp_path) == ["r.csv"]


def test_a_journal_holds_names_alone(tmp_path):
    folder, _ = decided(tmp_path, ["Zebulon-7731", "Zebulon-7731"])
    (text,) = [path.read_text() for path in folder.iterdir() if path.suffix == ".json"]
    assert set(json.loads(text)[0]) == {"target", "new", "old", "was"}
    assert "Zebulon" not in text


def test_folders_of_others_and_damaged_ones_are_no_harm(tmp_path):
    odd = tmp_path / ".tclose-0123456789abcdef"
    odd.mkdir()
    (odd / "alive").write_bytes(b"locked")
    (odd / "journal.json").write_text("{")
    (odd / "elsewhere").write_bytes(os.fsencode(tmp_path / "precious"))
    (tmp_path / "precious").mkdir()
    (tmp_path / ".tclose-notes").mkdir()
    write_text(target_at(tmp_path / "r.csv"), "new")
    assert names(tmp_path) == [".tclose-notes", "precious", "r.csv"]


@pytest.mark.parametrize(
    "number", [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
)
def test_a_signal_between_two_renames_waits_until_all_are_done(tmp_path, monkeypatch, number):
    before = signal.signal(number, signal.default_int_handler)
    replace = os.replace

    def interrupted(source, target):
        signal.raise_signal(number)
        replace(source, target)

    monkeypatch.setattr(journal.os, "replace", interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            put(set_of(tmp_path), ["table", "recipe"])
    finally:
        signal.signal(number, before)
    assert names(tmp_path) == ["r.csv", "r.csv.recipe.json"]


@pytest.mark.parametrize("written", [b"", b"relative", b"."])
def test_a_run_that_died_while_it_named_the_journal_is_swept(tmp_path, monkeypatch, written):
    monkeypatch.chdir(tmp_path)
    held = private.claimed_folder(target_at(tmp_path / "r.csv").private)
    held.alive.close()
    (held.path / "leader").write_bytes(written)
    private.sweep(tmp_path, private.HIDDEN)
    assert names(tmp_path) == []


def test_a_single_file_takes_its_place_by_one_rename_without_a_journal(tmp_path, monkeypatch):
    def decided(*_):
        raise AssertionError("a journal was written")

    monkeypatch.setattr("tclose.data.targets.commit.decide", decided)
    for text in ("new", "newer"):
        write_text(target_at(tmp_path / "r.csv"), text)
        assert (tmp_path / "r.csv").read_text() == text
    assert names(tmp_path) == ["r.csv"]


def test_half_of_a_letter_is_written_as_its_number(tmp_path):
    write_text(target_at(tmp_path / "r.txt"), "é\udc80\n")
    assert (tmp_path / "r.txt").read_bytes() == "é".encode() + b"\\udc80\n"


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="without /proc nobody can say which file is synced")
def test_results_are_synced_before_the_journal_and_their_folder_after_the_renames(tmp_path, monkeypatch):
    synced = []
    sync = os.fsync

    def noted(descriptor):
        path = Path(f"/proc/self/fd/{descriptor}").readlink()
        synced.append((path, (tmp_path / "r.csv").exists()))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    put(set_of(tmp_path), ["table", "recipe"])
    journal_at = next(at for at, (path, _) in enumerate(synced) if path.name == "journal.json.new")
    before = {path for path, placed in synced[:journal_at] if path.name.startswith("new") and not placed}
    assert {path.parent for path in before} == {target.private for target in set_of(tmp_path)}
    assert (tmp_path, True) in synced
    assert (tmp_path, False) not in synced


def test_every_part_of_a_folder_is_synced(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr("tclose.data.targets.journal.settle", synced.append)
    (tmp_path / "parts" / "deep").mkdir(parents=True)
    for name in ("a", "deep/b"):
        (tmp_path / "parts" / name).touch()
    journal.settle_tree(tmp_path / "parts")
    assert {path.relative_to(tmp_path).as_posix() for path in synced} == {
        "parts",
        "parts/a",
        "parts/deep",
        "parts/deep/b",
    }
