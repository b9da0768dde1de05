"""The process behind the command ``tclose`` and ``python -m tclose.cli``."""

import os
import sys
from typing import NoReturn

from tclose.cli.interrupts import INTERRUPTED, MESSAGE, listen, stop_listening

_FAILURE = 3
_LEAST_ADDRESSES = 3 * 2**28


def run() -> NoReturn:
    """Run the command line as a process of its own, quick to start and to leave.

    At the end what was registered for the exit is done, and the process leaves without taking apart what the
    system takes back anyway: that saves about a seventh of a second.
    """
    try:
        listen()
        _in_utf8()
        code = _outcome() if _has_room() else _FAILURE
        stop_listening()
    except KeyboardInterrupt:  # while modules were imported
        stop_listening()
        code = INTERRUPTED
        _say(MESSAGE)
    _leave(code)


def _in_utf8() -> None:
    """Start again in UTF-8 where the locale knows only ASCII: names of files and columns are more than that."""
    if sys.getfilesystemencoding() == "ascii" and sys.executable:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 - the same command


def _has_room() -> bool:
    """Say whether the libraries fit into the addresses that the process may take; they crash where they do not."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return True
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most in (resource.RLIM_INFINITY, -1) or most >= _LEAST_ADDRESSES:
        return True
    _say(f"Error: Too little memory: the process may take {most >> 20} MiB, and needs {_LEAST_ADDRESSES >> 20} MiB.")
    return False


def _outcome() -> int:
    from pathlib import Path

    from tclose.cli import outcome

    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # no kernel uses it, and it leaves with 1 where memory is short
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - None if it was closed
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - likewise
    return outcome()


def _say(message: str) -> None:
    """Write to standard error if it is there and takes it; nothing is imported, for that was interrupted."""
    try:
        os.write(2, f"{message}\n".encode())
    except OSError:
        return


def _leave(code: int) -> NoReturn:
    import atexit

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # the reader of a pipe has left, or the disk is full
            continue
    os._exit(code)


if __name__ == "__main__":
    run()
