"""A line that says how far the work is, in a terminal or a notebook, when it takes longer than a second."""

from __future__ import annotations

import functools
import html
import json
import math
import shutil
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, Protocol, TypeVar

Report = Callable[[str, float | None], None]
"""Told what is being done, and which share of it is done if that is known."""
Asked = Callable[[], float | None]
"""Says which share is done of what an engine is at; None where nothing is known of it."""
Given = ParamSpec("Given")
Found = TypeVar("Found")
Thing = TypeVar("Thing")

PATIENCE = 1.0
"""Seconds of work before anything is shown."""
_OFTEN = 0.5
"""Seconds until the time is shown anew."""
_SELDOM = 0.1
"""Seconds for which a line is shown at the least, however often the work tells something."""
_TOLD_FROM = 0.05
"""When so large a share of a phase is done, it is said how long the rest will take."""
_BAR = 20
_asked: list[Asked] = []
_meanwhile: list[str] = []


def silent(_stage: str, _share: float | None) -> None:
    """Tell nobody."""


@contextmanager
def meanwhile(words: str) -> Iterator[None]:
    """Let every line say what holds the work up while the block runs."""
    _meanwhile.append(words)
    try:
        yield
    finally:
        _meanwhile.remove(words)


def told_each(things: Collection[Thing], report: Report, stage: str) -> Iterator[Thing]:
    """Give things one after the other; whoever is told hears before each which share of them is done."""
    for done, thing in enumerate(things):
        report(stage, done / len(things))
        yield thing


def ask(engine: Asked) -> None:
    """Let every line ask an engine how far its query is, where the work itself does not say."""
    _asked.append(engine)


class Screen(Protocol):
    """Where the line is shown."""

    def show(self, stage: str, share: float | None, seconds: int, left: int | None) -> None:
        """Show the line in the place of the last one; ``left`` are the seconds that are left, about, if known."""
        ...

    def clear(self) -> None:
        """Take the line away."""
        ...


class Terminal:
    """The last line of a terminal, on standard error."""

    def show(self, stage: str, share: float | None, seconds: int, left: int | None) -> None:
        """Show the line in the place of the last one."""
        bar = "" if share is None else "━" * round(_BAR * share) + "╌" * (_BAR - round(_BAR * share))
        known = "" if share is None else f"{bar} {math.floor(100 * share)} %, "
        after = f" {known}{_times(seconds, left)}"
        room = max(1, shutil.get_terminal_size().columns - len(after) - 1)
        self._write(f"\r\x1b[2K{stage[:room]}{after}")

    def clear(self) -> None:
        """Take the line away."""
        self._write("\r\x1b[2K")

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


class Lines:
    """Standard error, a line of JSON each time, for a program that follows the work."""

    def show(self, stage: str, share: float | None, seconds: int, left: int | None) -> None:
        """Write how far the work is."""
        line = {"progress": stage, "share": share, "seconds": seconds, "left": left}
        sys.stderr.write(json.dumps(line, ensure_ascii=False) + "\n")
        sys.stderr.flush()

    def clear(self) -> None:
        """Leave what was written."""


class Notebook:
    """An output of the cell that runs."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, stage: str, share: float | None, seconds: int, left: int | None) -> None:
        """Show the line in the place of the last one."""
        known = "" if share is None else f' value="{share:.3f}"'
        self._put(f"<progress{known}></progress> {html.escape(stage)} {_times(seconds, left)}")

    def clear(self) -> None:
        """Take the line away."""
        self._put("")

    def _put(self, text: str) -> None:
        from IPython.display import HTML, display

        if self._handle is None:
            self._handle = display(HTML(text), display_id=True)
        else:
            self._handle.update(HTML(text))


def _times(seconds: int, left: int | None) -> str:
    """Return how long the work has taken and will take, about."""
    taken = f"{seconds // 60}:{seconds % 60:02}"
    return taken if left is None else f"{taken}, about {left // 60}:{left % 60:02} left"


def in_notebook() -> bool:
    """Say whether a notebook runs this."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


@contextmanager
def terminal_progress(*, quiet: bool, lines: bool = False) -> Iterator[Report | None]:
    """Give a function that shows a stage and the share done on the terminal; None where nobody would see it.

    As ``lines`` of JSON it is written whether there is a terminal or not.
    """
    if quiet or not (lines or sys.stderr.isatty()):
        yield None
        return
    with shown_on(Lines() if lines else Terminal()) as report:
        yield report


@contextmanager
def shown_on(screen: Screen) -> Iterator[Report]:
    """Give a function that shows a stage and the share done, if the work takes long."""
    line = _Line(screen)
    try:
        yield line.report
    finally:
        line.close()


def shows_progress(verb: Callable[Given, Found]) -> Callable[Given, Found]:
    """Let a verb show its progress in a notebook where nobody else listens to it."""

    @functools.wraps(verb)
    def shown(*arguments: Given.args, **options: Given.kwargs) -> Found:
        if options.get("progress") is not None or not in_notebook():
            return verb(*arguments, **options)
        with shown_on(Notebook()) as report:
            options["progress"] = report
            return verb(*arguments, **options)

    return shown


class Pace:
    """What was told of the work last, and how fast its share grows: so long will the rest of the phase take."""

    def __init__(self, stage: str = "") -> None:
        self.stage = stage
        self.told: float | None = None
        self._since, self._from = time.monotonic(), 0.0
        self._seen: float | None = None

    def report(self, stage: str, share: float | None) -> None:
        """Note what is being done, and which share of it is done if that is known."""
        if self.told is None and (share is not None or stage != self.stage):
            self._see(None)
        self.stage, self.told = stage, share
        if share is not None:
            self._see(share)

    def words(self) -> str:
        """Return what is being done, and what holds it up."""
        return " ".join([self.stage, *(f"({words})" for words in _meanwhile[:1])]).strip()

    def share(self, asked: Asked) -> float | None:
        """Return which share is done, as the work says, else as its engine does."""
        share = self.told
        if share is None:
            share = asked()
            self._see(share)
        return share

    def left(self) -> int | None:
        """Return how many seconds are left of what began when the share was last small; None before that is known."""
        passed = time.monotonic() - self._since
        if self._seen is None or self._seen - self._from < _TOLD_FROM or passed < PATIENCE:
            return None
        return round(passed * (1 - self._seen) / (self._seen - self._from))

    def _see(self, share: float | None) -> None:
        """Note the share that is shown, and when what it is a share of began."""
        if share is not None and (self._seen is None or share < self._seen):
            self._since, self._from = time.monotonic(), share
        self._seen = share


class _Line:
    """The line, drawn by a thread of its own so that its time goes on while the work is silent."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._begun, self._pace = time.monotonic(), Pace("Working")
        self._changed, self._closed = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._draw, daemon=True)
        self._thread.start()

    def report(self, stage: str, share: float | None) -> None:
        self._pace.report(stage, share)
        self._changed.set()

    def _draw(self) -> None:
        if self._closed.wait(PATIENCE):
            return
        while not self._closed.is_set():
            share = self._pace.share(lambda: next((found for ask in _asked if (found := ask()) is not None), None))
            seconds = int(time.monotonic() - self._begun)
            self._screen.show(self._pace.words(), share, seconds, self._pace.left())
            self._closed.wait(_SELDOM)
            self._changed.clear()
            self._changed.wait(_OFTEN - _SELDOM)
        self._screen.clear()

    def close(self) -> None:
        self._closed.set()
        self._changed.set()
        self._thread.join()
