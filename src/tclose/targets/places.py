"""Which files a run reads and writes: any two that are the same are refused, by device and inode."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tclose.errors import InputError, SourceError

if TYPE_CHECKING:
    from tclose.targets.target import Target

Place = tuple[int | str, ...]
"""Device and inode of a file; of one that is not there yet, those of its folder, and its name."""


def check_apart(targets: Iterable[Target], read: Mapping[Path, str]) -> None:
    """Refuse a file that would be written twice, or that is also read, before any work is done.

    Parameters
    ----------
    targets
        All that is to be written.
    read
        All that is read, each with what it is: ``the policy``.
    """
    inputs = {place: what for path, what in read.items() if (place := place_of(path)) is not None}
    inputs |= _redirected(0, "what standard input is read from")
    outputs = dict.fromkeys(_redirected(1, ""), "standard output")
    for place in outputs:
        if place in inputs:
            raise SourceError(f"Standard output goes to {inputs[place]}; send it elsewhere.")
    for target in targets:
        place = target.place
        if place is None:
            continue
        if place in inputs:
            raise SourceError(f"{target.shown!r} is {inputs[place]}; name another file to write to.")
        if place in outputs:
            raise InputError(f"{target.shown!r} and {outputs[place]} are the same file; name another for one of them.")
        outputs[place] = repr(target.shown)


def place_of(path: Path | int) -> Place | None:
    """Return which file is under a path or a descriptor; None for a terminal and the like, which take all."""
    try:
        about = os.fstat(path) if isinstance(path, int) else path.stat()
    except (OSError, ValueError):
        return None if isinstance(path, int) else _future(path)
    return None if stat.S_ISCHR(about.st_mode) else (about.st_dev, about.st_ino)


def _future(path: Path) -> Place | None:
    """Return which file would be under a path where none is yet."""
    real = Path(os.path.realpath(path))
    try:
        about = real.parent.stat()
    except (OSError, ValueError):
        return None
    return (about.st_dev, about.st_ino, real.name)


def _redirected(descriptor: int, what: str) -> dict[Place, str]:
    """Return the regular file that a standard stream is redirected from or to, if it is."""
    try:
        about = os.fstat(descriptor)
    except OSError:
        return {}
    return {(about.st_dev, about.st_ino): what} if stat.S_ISREG(about.st_mode) else {}
