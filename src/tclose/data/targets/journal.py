"""The journal of a commit: what is to be renamed, decided before the first rename and finished by whoever comes next.

It holds names alone. All that it names is whole and on the disk before it is written, so a commit that was decided
can always be finished; one that was not has changed nothing.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

FOLDERS_ARE_FILES = hasattr(os, "O_DIRECTORY")
"""Whether a folder can be opened and an open file removed; not on Windows."""
_NAME = "journal.json"
_LEADER = "leader"


@dataclass(frozen=True)
class Step:
    """One file or folder that takes the place of another."""

    target: str
    new: str
    """Where it waits; nothing is there any more once it is in its place."""
    old: str
    """Where that goes whose place it takes."""
    was: tuple[int, ...] | None
    """By what that is known which had the place when it was decided; None where nothing had it."""

    @property
    def pending(self) -> bool:
        """Whether the new file is still waiting."""
        return os.path.lexists(self.new)

    @property
    def disturbed(self) -> bool:
        """Whether somebody else has put something in the place since it was decided."""
        there = identity(self.target)
        return self.pending and there is not None and there != self.was


def identity(path: str | Path) -> tuple[int, ...] | None:
    """Return by what that is known which is under a path: an inode alone may have been used again; None for nothing."""
    try:
        about = Path(path).lstat()
    except OSError:
        return None
    return about.st_dev, about.st_ino, about.st_size, about.st_mtime_ns


def decide(folder: Path, steps: Sequence[Step]) -> None:
    """Write the journal into the folder of the first step's new file."""
    _write(folder / _NAME, json.dumps([asdict(step) for step in steps]).encode("ascii"))


def carry_out(steps: Sequence[Step]) -> None:
    """Put everything in its place: companions of an old file go first, then the first file comes, then its companions.

    A reader sees all of the old, all of the new, or the one or the other of the first alone.
    """
    first, *companions = steps
    for step in companions:
        if step.pending and os.path.lexists(step.target):
            os.rename(step.target, step.old)  # noqa: PTH104 - names of a journal are texts
    if first.pending and os.path.lexists(first.target):
        _keep(first)
    for step in steps:
        if step.pending:
            os.replace(step.new, step.target)  # noqa: PTH105
    for folder in {Path(step.target).parent for step in steps}:
        with suppress(OSError):  # some systems cannot settle a folder
            settle(folder)


def take_back(steps: Sequence[Step]) -> None:
    """Put everything back where it was, after a rename that the system refused."""
    for step in reversed(steps):
        if not step.pending:
            os.rename(step.target, step.new)  # noqa: PTH104
        if os.path.lexists(step.old) and not os.path.lexists(step.target):
            os.rename(step.old, step.target)  # noqa: PTH104


def close(folder: Path) -> None:
    """End the journal: what it decided is done, or taken back."""
    (folder / _NAME).unlink()
    with suppress(OSError):
        settle(folder)


def finish(folder: Path, clear: Callable[[Path], None]) -> bool:
    """Finish what the journal in a folder decided, unless somebody else wrote there since; say whether it is done.

    Parameters
    ----------
    folder
        A private folder whose owner is dead.
    clear
        What clears the folder with the journal, where this is another one of the same commit.
    """
    leader = _leader(folder)
    if leader != folder:
        clear(leader)
        if leader.exists():  # somebody else is finishing it
            return False
    try:
        steps = [Step(**{**step, "was": step["was"] and tuple(step["was"])}) for step in _decided(folder)]
    except (OSError, ValueError):
        return True
    if not any(step.disturbed for step in steps):
        carry_out(steps)
    return True


def is_decided(folder: Path) -> bool:
    """Say whether a folder has a part in a commit that was decided and is not done."""
    return (_leader(folder) / _NAME).exists()


def follow(folder: Path, leader: Path) -> None:
    """Say in a private folder which other one holds the journal of its commit."""
    _write(folder / _LEADER, os.fsencode(leader.absolute()))


def _leader(folder: Path) -> Path:
    """Return the folder with the journal of a commit in which a folder has a part: itself where it names no other."""
    try:
        named = Path(os.fsdecode((folder / _LEADER).read_bytes()))
    except OSError:
        return folder
    return named if named.is_absolute() else folder


def _write(path: Path, content: bytes) -> None:
    """Write a file of the commit itself, which is whole and on the disk when it has its name."""
    beside = path.with_name(f"{path.name}.new")
    with beside.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.rename(path)
    settle(path.parent)


def _decided(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((folder / _NAME).read_text(encoding="ascii"))
    return found


def _keep(step: Step) -> None:
    """Keep what the first file replaces: under a second name, so that its own is never missing, or renamed."""
    if os.path.lexists(step.old):
        return
    try:
        os.link(step.target, step.old, follow_symlinks=False)
    except (OSError, NotImplementedError):
        os.rename(step.target, step.old)  # noqa: PTH104 - a folder, or a disk without second names


def settle(path: Path) -> None:
    """Wait until what was written is on the disk: a file, or a folder's own entries where a folder can be opened."""
    if not FOLDERS_ARE_FILES and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDONLY if FOLDERS_ARE_FILES else os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def settle_tree(path: Path) -> None:
    """Wait until a file, or a folder with all below it, is on the disk."""
    if path.is_dir():
        for below in path.rglob("*"):
            settle(below)
    settle(path)
