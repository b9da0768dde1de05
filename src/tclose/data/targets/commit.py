"""The commit of all that a run writes: each result waits beside its target, then all take their places together."""

from __future__ import annotations

import signal
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tclose.data.targets.journal import carry_out, close, decide, follow, settle, take_back
from tclose.data.targets.private_folders import PrivateFolder, announced, private_folder
from tclose.data.targets.target import FileTarget, FolderTarget, StreamTarget, Target, refused_by_system

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGALRM") if hasattr(signal, name))


@contextmanager
def committing(targets: Sequence[Target], *, force: bool = True) -> Iterator[list[Path]]:
    """Give a path for each target, and put what was written there in place when the block ends well.

    The first target is the one that the others belong to: a reader never sees a new companion beside an old first one.
    What the block did not write is left as it is. After an error or an interrupt everything is as it was.

    Parameters
    ----------
    targets
        Files, folders and streams; no two may be the same.
    force
        Whether what is there already may be replaced.
    """
    with ExitStack() as leaving:
        folders = _claimed(targets, leaving, force=force)
        waiting = [folders[target].path / f"new{target.ending}" for target in targets]
        yield waiting
        written = [(target, new) for target, new in zip(targets, waiting, strict=True) if new.exists()]
        for target, new in written:
            if isinstance(target, FileTarget):
                with refused_by_system(repr(target.shown)):
                    target.ready(new)
        for target, new in written:
            if isinstance(target, StreamTarget):
                target.send(new)
        with _uninterrupted():
            _put([(target, new) for target, new in written if isinstance(target, FileTarget)], force=force)


def write_text(target: Target, text: str) -> None:
    """Write a text as one commit."""
    with committing([target]) as (new,), refused_by_system(repr(target.shown)):
        new.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


def _claimed(targets: Sequence[Target], leaving: ExitStack, *, force: bool) -> dict[Target, PrivateFolder]:
    """Make the private folder of each target, or say that another run has it."""
    files = sorted((target for target in targets if isinstance(target, FileTarget)), key=lambda target: target.private)
    if files:
        named = announced(target.private for target in files)
        if named is not None:
            leaving.callback(named.remove)
    folders: dict[Target, PrivateFolder] = {}
    for file in files:
        folders[file] = file.claimed(force=force)
        leaving.callback(folders[file].remove)
    for target in targets:
        if isinstance(target, StreamTarget):
            folders[target] = private_folder(Path(tempfile.gettempdir()))
            leaving.callback(folders[target].remove)
    return folders


def _put(written: Sequence[tuple[FileTarget, Path]], *, force: bool) -> None:
    """Put files and folders in their places: by one rename, or by several that a journal decides together."""
    if not written:
        return
    first, new = written[0]
    with refused_by_system(repr(first.shown)):
        for target, _ in written:
            target.check_there(force=force)  # somebody may have put something there meanwhile
        steps = [target.step(waiting) for target, waiting in written]
        if len(steps) == 1 and not (isinstance(first, FolderTarget) and first.real.exists()):
            new.replace(first.real)
            settle(first.real.parent)
            return
        for _, waiting in written[1:]:
            follow(waiting.parent, new.parent)
        decide(new.parent, steps)
        try:
            carry_out(steps)
        except BaseException:
            take_back(steps)
            close(new.parent)
            raise
        close(new.parent)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let signals that end the process wait until the block is done; it takes a few renames."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = {number: handler for number in _SIGNALS if (handler := signal.getsignal(number)) is not None}
    for number in before:
        signal.signal(number, lambda received, _frame: came.append(received))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(came):
            signal.raise_signal(number)
