"""Which browser of this machine prints: the one that is named, or Chromium, Chrome or Edge where they usually are."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

NAMED_BY = "TCLOSE_CHROMIUM"
"""The variable of the environment that names a browser; one that is not there means none."""
_COMMANDS = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"),
    *("microsoft-edge", "microsoft-edge-stable", "msedge"),
)
_APPLICATIONS = ("Chromium", "Google Chrome", "Microsoft Edge")
_PROGRAMS = ("Chromium/Application/chrome.exe", "Google/Chrome/Application/chrome.exe")
_EDGE = "Microsoft/Edge/Application/msedge.exe"
_WINDOWS_FOLDERS = ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")


def found_browser() -> str | None:
    """Return the program that prints; None where there is none."""
    named = os.environ.get(NAMED_BY)
    if named:
        return shutil.which(named)
    candidates = (*_COMMANDS, *map(str, _usual_places(sys.platform)))
    return next((path for name in candidates if (path := shutil.which(name))), None)


def _usual_places(platform: str) -> Iterator[Path]:
    """Return where a system keeps browsers that no command names."""
    if platform == "darwin":
        for folder in (Path("/Applications"), Path.home() / "Applications"):
            yield from (folder / f"{name}.app" / "Contents" / "MacOS" / name for name in _APPLICATIONS)
    elif platform == "win32":
        for variable in _WINDOWS_FOLDERS:
            if folder_name := os.environ.get(variable):
                yield from (Path(folder_name) / program for program in (*_PROGRAMS, _EDGE))
