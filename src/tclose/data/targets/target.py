"""A place that a result goes to: a file or a folder that is replaced whole, or a stream that is written through."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tclose.data.targets.journal import Step, identity, settle_tree
from tclose.data.targets.private_folders import HIDDEN, PrivateFolder, claimed_folder, sweep
from tclose.errors import Ask, Hint, InputError, SourceError

# Which files a run reads and writes: any two that are the same are refused, by device and inode.


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


_STANDARD = {"-": 1, "/dev/stdout": 1, "/dev/stderr": 2}
_DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d+)")
_MOST_LINKS = 40
_GROUP = 0o070
_USUAL = 0o666


@dataclass(frozen=True)
class Target(ABC):
    """A place that a result goes to.

    Parameters
    ----------
    path
        The path as it was named.
    ending
        The ending by which the format of the result is known while it waits.
    """

    path: Path
    ending: str = ""

    @property
    def shown(self) -> str:
        """How messages name it."""
        return str(self.path)

    @property
    @abstractmethod
    def place(self) -> Place | None:
        """Which file it is; None for a device that takes what it is given."""

    @abstractmethod
    def check(self, *, force: bool) -> None:
        """Refuse what cannot or may not be written; ``force`` allows replacing what is there."""


@dataclass(frozen=True)
class StreamTarget(Target):
    """A pipe, a device or an open descriptor: written through, never replaced."""

    descriptor: int | None = None

    @property
    def place(self) -> Place | None:
        """Which pipe or redirected file it is."""
        return place_of(self.path if self.descriptor is None else self.descriptor)

    def check(self, *, force: bool) -> None:
        """Accept it: whether it takes anything is seen when it is written to."""

    def send(self, new: Path) -> None:
        """Write what waits in a file through to the stream."""
        with refused_by_system(repr(self.shown)), new.open("rb") as file:
            if self.descriptor == 1:
                sys.stdout.flush()
            where = self.path if self.descriptor is None else os.dup(self.descriptor)
            with open(where, "wb") as stream:  # noqa: PTH123 - a path or a descriptor
                shutil.copyfileobj(file, stream)


@dataclass(frozen=True)
class FileTarget(Target):
    """A file that is replaced whole; one behind a link is replaced where it is, and the link stays.

    Parameters
    ----------
    mode
        The permissions of a new file, less what the user's mask takes. A file that is replaced keeps its own.
    """

    mode: int = _USUAL

    @cached_property
    def real(self) -> Path:
        """The file itself, behind all links."""
        return Path(os.path.realpath(self.path))

    @property
    def place(self) -> Place | None:
        """Which file it is."""
        return place_of(self.real)

    @property
    def private(self) -> Path:
        """The private folder beside it, in which its next content waits: one run at a time can have it."""
        return self.real.parent / f"{HIDDEN}{hashlib.sha256(os.fsencode(self.real.name)).hexdigest()[:16]}"

    def check(self, *, force: bool) -> None:
        """Refuse a folder that is not there or not ours to write to, and what may not be replaced."""
        folder = str(self.real.parent)
        with refused_by_system(repr(self.shown)):
            if not self.real.parent.is_dir():
                raise SourceError(f"{self.shown!r} cannot be written: there is no folder {folder!r}.")
            if not os.access(folder, os.W_OK | os.X_OK):
                raise SourceError(f"{self.shown!r} cannot be written: nothing can be written to {folder!r}.")
            sweep(self.real.parent, HIDDEN)
            if self.private.exists():
                raise self.taken()
            self.check_there(force=force)

    def check_there(self, *, force: bool) -> None:
        """Refuse to replace what may not be replaced."""
        try:
            there = self.real.lstat()
        except FileNotFoundError:
            return
        self._check_kind(there.st_mode)
        if not force:
            raise InputError(
                f"{self.shown!r} exists already.",
                code="file-exists",
                field="force",
                hint=Hint("Replace it with {}.", Ask("force", value=True)),
            )

    def _check_kind(self, mode: int) -> None:
        if stat.S_ISDIR(mode):
            raise SourceError(f"{self.shown!r} is a folder; name a file to write to.")

    def claimed(self, *, force: bool) -> PrivateFolder:
        """Make the private folder, which no other run can have at the same time."""
        self.check(force=force)
        with refused_by_system(repr(self.shown)):
            try:
                return claimed_folder(self.private)
            except FileExistsError:
                raise self.taken() from None

    def taken(self) -> InputError:
        """Return that another run writes here."""
        return InputError(
            f"Another run is writing {self.shown!r}; wait until it has ended. If none is, remove the folder "
            f"{str(self.private)!r}."
        )

    def ready(self, new: Path) -> None:
        """Give what waits the permissions and the owner that the target has, and wait until it is on the disk."""
        mode = self.mode & ~_mask()
        if self.real.exists():
            about, ours = self.real.stat(), new.stat()
            mode = stat.S_IMODE(about.st_mode)
            if (about.st_uid, about.st_gid) != (ours.st_uid, ours.st_gid):
                try:
                    os.chown(new, about.st_uid, about.st_gid)
                except OSError:
                    mode &= ~_GROUP  # what one group may read is not for another
        new.chmod(mode)
        settle_tree(new)

    def step(self, new: Path) -> Step:
        """Return how what waits takes the place of the target."""
        return Step(str(self.real), str(new), str(new.with_name("old")), identity(self.real))


@dataclass(frozen=True)
class FolderTarget(FileTarget):
    """A folder that is replaced whole: with the parts of a table, or the tables of a release."""

    sign: str = "_SUCCESS"
    """The file by which a folder that may be replaced is known."""
    maker: str = "Spark"
    """Who writes such folders."""

    def _check_kind(self, mode: int) -> None:
        if not stat.S_ISDIR(mode) or not (self.real / self.sign).exists():
            raise SourceError(
                f"{self.shown!r} is there already and is no folder that {self.maker} wrote; name another."
            )

    def ready(self, new: Path) -> None:
        """Wait until all parts are on the disk."""
        settle_tree(new)


def target_at(path: str | Path, *, ending: str = "", mode: int = _USUAL) -> FileTarget | StreamTarget:
    """Return the file or the stream that a path names; ``-`` is standard output.

    Examples
    --------
    >>> target_at("/dev/fd/3").descriptor, type(target_at("release.csv")).__name__
    (3, 'FileTarget')
    """
    descriptor = _descriptor(str(path))
    if descriptor is not None:
        return StreamTarget(Path(path), ending, descriptor)
    try:
        there = Path(path).stat().st_mode
    except (OSError, ValueError):
        return FileTarget(Path(path), ending, mode)
    if stat.S_ISREG(there) or stat.S_ISDIR(there):
        return FileTarget(Path(path), ending, mode)
    return StreamTarget(Path(path), ending)


def is_standard_output(path: str | Path) -> bool:
    """Say whether a path names the standard output of this process."""
    return _descriptor(str(path)) == 1


@contextmanager
def refused_by_system(shown: str) -> Iterator[None]:
    """Turn a refusal of the operating system to write into one of ours."""
    try:
        yield
    except OSError as problem:
        raise SourceError(f"{shown} cannot be written: {problem.strerror or 'the system refused'}.") from None


def _descriptor(path: str) -> int | None:
    """Return the open descriptor that a path leads to, through links."""
    for _ in range(_MOST_LINKS):
        if path in _STANDARD:
            return _STANDARD[path]
        if match := _DESCRIPTOR.fullmatch(path):
            return int(match[1])
        link = Path(path)
        if not os.path.islink(link):  # noqa: PTH114 - a name that is too long is no link, and no error
            return None
        path = os.path.normpath(link.parent / link.readlink())
    return None


def _mask() -> int:
    """Return which permissions the user's new files lack."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
