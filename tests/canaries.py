"""Cells that no message may show: wherever a test puts them, every error made and every log record is searched."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tclose.errors import TcloseError

CANARY = "Zebulon-7731"
CANARY_NUMBER = 773_194_426
CANARY_DAY = "1877-03-19"
CANARIES = (CANARY, str(CANARY_NUMBER), "773,194,426", CANARY_DAY)


def shown_in(said: object) -> list[str]:
    """Return the canaries that a message shows.

    Examples
    --------
    >>> shown_in("the cell Zebulon-7731")
    ['Zebulon-7731']
    >>> shown_in("a cell")
    []
    """
    return [canary for canary in CANARIES if canary in str(said)]


class _Logs(logging.Handler):
    """Keeps what is logged with a canary."""

    def __init__(self, leaks: list[str]) -> None:
        super().__init__()
        self.leaks = leaks

    def emit(self, record: logging.LogRecord) -> None:
        said = self.format(record)
        if shown_in(said):
            self.leaks.append(f"logged: {said}")


@contextmanager
def overheard() -> Iterator[list[str]]:
    """Give a list to which every error of ours and every log record goes that shows a canary."""
    leaks: list[str] = []

    logs, before = _Logs(leaks), TcloseError.__init__

    def listened(problem: TcloseError, message: str, **about: Any) -> None:
        before(problem, message, **about)
        said = " ".join([str(problem), *map(str, about.values())])
        if shown_in(said):
            leaks.append(f"{type(problem).__name__}: {said}")

    TcloseError.__init__ = listened  # type: ignore[method-assign]
    logging.getLogger().addHandler(logs)
    try:
        yield leaks
    finally:
        TcloseError.__init__ = before  # type: ignore[method-assign]
        logging.getLogger().removeHandler(logs)
