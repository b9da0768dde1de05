"""The process behind the command ``tclose`` and ``python -m tclose.cli``."""

import atexit
import os
import signal
import sys
from pathlib import Path
from typing import NoReturn

from tclose.cli import outcome


def run() -> NoReturn:
    """Run the command line as a process of its own, quick to start and to leave.

    The compiler would load SciPy, where it is installed, for linear algebra that no kernel uses. At the
    end what was registered for the exit is done, and the process leaves without taking apart what the
    system takes back anyway. Each saves about a seventh of a second.
    """
    sys.modules.setdefault("scipy", None)  # type: ignore[arg-type]
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - None if it was closed
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - likewise
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # being ended leaves nothing half-written either
    code = outcome()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # the reader of a pipe has left
            continue
    os._exit(code)


if __name__ == "__main__":
    run()
