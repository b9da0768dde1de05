"""From an engine's exceptions to ours, built from facts and never passing its words on: they may quote cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tclose.errors import TcloseError


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
