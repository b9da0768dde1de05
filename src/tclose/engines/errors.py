"""From an engine's exceptions to ours, built from facts and never passing its words on: they may quote cells."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tclose.errors import EngineNotInstalledError, TcloseError

# Packages that are needed only for some views and formats.


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


@contextmanager
def translating(translation: Callable[[Exception], BaseException | None]) -> Iterator[None]:
    """Raise, instead of an exception of an engine, what a translation makes of it; None lets it pass."""
    try:
        yield
    except TcloseError:
        raise
    except Exception as problem:
        failure = translation(problem)
        if failure is None:
            raise
    else:
        return
    raise failure from None


def stopped(engine: str, what: str, kind: str) -> str:
    """Return that an engine stopped, for a reason that has no better words."""
    return f"{engine} stopped while working on {what} ({kind}). Its own words are withheld: they may quote cells."


def capital(what: str) -> str:
    """Return what is being read as the beginning of a sentence."""
    return what[:1].upper() + what[1:] if what.startswith(("a ", "an ", "the ", "standard ")) else what
