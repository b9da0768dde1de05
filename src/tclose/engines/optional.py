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


def polars_frame(stream: object, purpose: str) -> Any:
    """Return an Arrow stream as a frame of polars.

    Polars keeps the type of whatever it is given, and with a type of DuckDB or of ours all that its module knows:
    DuckDB would complain on standard error when the process ends.
    """
    polars = imported("polars", purpose)
    import nanoarrow

    return polars.DataFrame(nanoarrow.c_array_stream(stream))
