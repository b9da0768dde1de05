"""A report printed as PDF: by a browser with a profile of its own, without network, within a time limit."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tclose.errors import EngineFailedError, InputError
from tclose.printing.browsers import NAMED_BY, found_browser
from tclose.targets import private_folder

HOW_TO_PRINT = "Open the report as HTML in a browser and print it to a PDF."
_LONGEST = 120.0
"""Seconds that a browser may take."""
_OFTEN = 0.1
"""Seconds between two looks at the browser, in which whoever asked may leave."""
_FLAGS = (
    *("--headless", "--disable-gpu", "--no-first-run", "--no-default-browser-check", "--disable-extensions"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-default-apps"),
    *("--disable-breakpad", "--disable-crash-reporter", "--disable-dev-shm-usage", "--password-store=basic"),
    *("--use-mock-keychain", "--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9"),
    *("--no-pdf-header-footer", "--generate-pdf-document-outline"),
)
_ABOUT = re.compile(rb"/(?:Creator|Producer|CreationDate|ModDate) \((?:\\.|[^\\()])*\)\s*")
_LONGEST_ABOUT = 4096
"""Bytes at the beginning of a PDF in which it says what it is."""


def printer() -> str:
    """Return the browser that prints, or refuse with the ways out."""
    program = found_browser()
    if program is None:
        raise InputError(
            "A PDF is printed by Chromium, Chrome or Edge, and none was found. Install one, or name its program in "
            f"{NAMED_BY}. Or: {HOW_TO_PRINT[0].lower()}{HOW_TO_PRINT[1:]}"
        )
    return program


def printed(html: str, browser: str | None = None) -> bytes:
    """Return a report as a PDF that says of itself no more than its title.

    Parameters
    ----------
    html
        The report.
    browser
        The program that prints; by default the one that is found.
    """
    program = browser or printer()
    folder = private_folder(Path(tempfile.gettempdir()))
    try:
        (folder.path / "report.html").write_bytes(html.encode("utf-8", "backslashreplace"))
        _run(program, folder.path)
        made = folder.path / "report.pdf"
        found = made.read_bytes() if made.exists() else b""
    finally:
        folder.remove()
    if not found.startswith(b"%PDF-") or not found.rstrip().endswith(b"%%EOF"):
        raise EngineFailedError(f"The browser that was to print the report made no PDF of it. {HOW_TO_PRINT}")
    return _untold(found)


def _run(program: str, folder: Path) -> None:
    """Let a browser print the report of a private folder into it; it leaves no process behind."""
    as_root = hasattr(os, "geteuid") and os.geteuid() == 0
    command = [
        program, *_FLAGS, *(["--no-sandbox"] if as_root else []),
        f"--user-data-dir={folder / 'profile'}", f"--print-to-pdf={folder / 'report.pdf'}",
        (folder / "report.html").as_uri(),
    ]  # fmt: skip
    at_home = {name: str(folder) for name in ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    quiet = subprocess.DEVNULL
    try:
        process = subprocess.Popen(  # noqa: S603 - a browser of this machine, and arguments of our own
            command, stdin=quiet, stdout=quiet, stderr=quiet, env={**os.environ, **at_home}, cwd=folder,
            start_new_session=True,
        )  # fmt: skip
    except OSError:
        raise EngineFailedError(f"The browser that was to print the report does not start. {HOW_TO_PRINT}") from None
    try:
        _wait(process)
    finally:
        _end(process)


def _wait(process: subprocess.Popen[bytes]) -> None:
    """Wait for a browser, in steps that an interruption comes between."""
    for _ in _looks():
        try:
            process.wait(_OFTEN)
        except subprocess.TimeoutExpired:
            continue
        return
    raise EngineFailedError(f"The browser that was to print the report took longer than {_LONGEST:g} s. {HOW_TO_PRINT}")


def _looks() -> Iterable[object]:
    """Return as many looks at a browser as it may take time."""
    return range(int(_LONGEST / _OFTEN))


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a browser and all that it started."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):  # all of them ended by themselves
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()


def _untold(pdf: bytes) -> bytes:
    """Return a PDF without what made it on which system and when; blanks keep every other byte in its place."""
    head, rest = pdf[:_LONGEST_ABOUT], pdf[_LONGEST_ABOUT:]
    return _ABOUT.sub(lambda found: b" " * len(found[0]), head) + rest
