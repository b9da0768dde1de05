"""Private folders: only their owner can read them, and the next run clears those of a process that died.

The owner of a folder holds the lock of its file ``alive`` for as long as it lives. A folder that is not in the
system's temporary folder is named there in another one, so that any later run finds it.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
import weakref
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import IO

from tclose.data.targets.journal import FOLDERS_ARE_FILES, finish, is_decided

PREFIX = "tclose-"
HIDDEN = ".tclose-"
_NAME = re.compile(r"\.?tclose-[0-9a-f]{16}")
_ALIVE = "alive"
_ELSEWHERE = "elsewhere"
_TRIES = 100


@dataclass(frozen=True, eq=False)
class PrivateFolder:
    """A folder of this process, and the open file whose lock says that the process lives."""

    path: Path
    alive: FileIO = field(repr=False)
    announced: PrivateFolder | None = None
    """The folder that names this one in the system's temporary folder."""
    owner: int = field(default_factory=os.getpid)

    def remove(self) -> None:
        """Remove the folder, but not in a forked child, whose parent still works there, nor what a journal names.

        The lock is given up last, so that nobody else removes it meanwhile; where open files cannot be removed, first.
        """
        if not FOLDERS_ARE_FILES:
            self.alive.close()
        if os.getpid() == self.owner and not is_decided(self.path):
            _remove(self.path)
        self.alive.close()
        if self.announced is not None:
            self.announced.remove()

    @property
    def is_held(self) -> bool:
        """Whether this process has the lock."""
        return self.owner == os.getpid() and not self.alive.closed


_ours: weakref.WeakValueDictionary[Path, PrivateFolder] = weakref.WeakValueDictionary()
"""The folders that this process made, of which it need not ask whether their owner lives."""


def private_folder(parent: Path) -> PrivateFolder:
    """Make a private folder with a name of its own, after clearing those of the dead beside it."""
    path = parent / f"{PREFIX}{secrets.token_hex(8)}"
    named = None if _is_usual(parent) else announced([path])
    try:
        sweep(parent, PREFIX)
        return claimed_folder(path, named)
    except OSError:
        if named is not None:
            named.remove()
        raise


def claimed_folder(path: Path, announced: PrivateFolder | None = None) -> PrivateFolder:
    """Make a private folder under a name that no other process can have at the same time."""
    for _ in range(_TRIES):
        path.mkdir(mode=0o700)
        try:
            alive = (path / _ALIVE).open("xb", buffering=0)
        except FileNotFoundError:  # somebody who sweeps took it for abandoned, in the moment before it is locked
            continue
        except OSError:
            _remove(path)
            raise
        if _lock(alive) is not False and (path / _ALIVE).exists():
            _ours[path] = claimed = PrivateFolder(path, alive, announced)
            return claimed
        alive.close()
        for _ in range(_TRIES):
            if path.exists():
                time.sleep(0.01)
    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))


def announced(paths: Iterable[Path]) -> PrivateFolder | None:
    """Name private folders in the system's temporary folder; None where that cannot be written to."""
    usual = Path(tempfile.gettempdir())
    try:
        sweep(usual, PREFIX)
        found = claimed_folder(usual / f"{PREFIX}{secrets.token_hex(8)}")
        (found.path / _ELSEWHERE).write_bytes(b"\0".join(os.fsencode(path.absolute()) for path in paths))
    except OSError:
        return None
    return found


def sweep(parent: Path, prefix: str) -> None:
    """Clear the private folders of our own processes that died: finish what they had decided, and remove the rest."""
    try:
        with os.scandir(parent) as found:
            names = [entry.name for entry in found if entry.name.startswith(prefix)]
    except OSError:
        return  # who makes a folder there learns it
    for name in names:
        clear(parent / name)


def clear(folder: Path) -> None:
    """Clear a private folder if its owner is dead; anything else is left alone."""
    mine = _ours.get(folder)
    if not _NAME.fullmatch(folder.name) or (mine is not None and mine.is_held):
        return
    with suppress(OSError):
        about = folder.lstat()
        if not stat.S_ISDIR(about.st_mode) or (hasattr(os, "getuid") and about.st_uid != os.getuid()):
            return
        try:
            alive = (folder / _ALIVE).open("rb+")
        except FileNotFoundError:
            folder.rmdir()  # its owner died at its first or last step; a folder with anything in it is not ours
            return
        with alive:
            if _lock(alive):
                _cleared(folder)


def _cleared(folder: Path) -> None:
    for other in _named_in(folder):
        clear(other)
    if finish(folder, clear):
        _remove(folder)


def _remove(folder: Path) -> None:
    """Remove a private folder: at last the file by which it is known, so that it can be cleared until then."""
    with suppress(OSError):
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            elif path.name != _ALIVE:
                path.unlink()
        (folder / _ALIVE).unlink(missing_ok=True)
        folder.rmdir()


def _named_in(folder: Path) -> list[Path]:
    """Return the private folders elsewhere that a folder names."""
    try:
        named = (folder / _ELSEWHERE).read_bytes().split(b"\0")
    except OSError:
        return []
    return [Path(os.fsdecode(name)) for name in named]


def _is_usual(parent: Path) -> bool:
    try:
        return parent.samefile(tempfile.gettempdir())
    except OSError:
        return False


def _lock(file: IO[bytes] | FileIO) -> bool | None:
    """Lock a file, or say that somebody else has; None where there are no locks, and nothing of others is swept."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True
