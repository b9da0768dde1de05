"""Packages that are needed only for some views and formats."""

from __future__ import annotations

import importlib
from typing import Any

from tclose.errors import EngineNotInstalledError


def imported(package: str, purpose: str, extra: str = "files") -> Any:
    """Return an optional package, or say how to get it: by an extra of tclose."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise EngineNotInstalledError(purpose, package.replace("_", "-"), extra) from None
