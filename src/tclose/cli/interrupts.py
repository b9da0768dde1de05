"""The signals that ask the process to end: heard from its first moment, and remembered if something swallows them."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

TOO_LATE = "Gave up, because the time that --timeout allows is over; nothing was left half-written."
MESSAGE = "Interrupted; nothing was left half-written."
INTERRUPTED = 130
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_heard: list[int] = []


def listen() -> None:
    """Raise KeyboardInterrupt at any signal to end, but for those that the process was told to ignore."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def stop_listening() -> None:
    """Let nothing interrupt what is left to do: it is little."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def heard() -> bool:
    """Say whether the process was asked to end: what fails afterwards, fails for that reason."""
    return bool(_heard)


def too_late() -> bool:
    """Say whether it was the time limit that asked the process to end."""
    return bool(_heard) and _heard[0] == getattr(signal, "SIGALRM", None)


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Interrupt the block after so many seconds, as a person would; where the system has no such clock, never."""
    if seconds is None or not hasattr(signal, "setitimer"):
        yield
        return
    signal.signal(signal.SIGALRM, _interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _interrupt(number: int, frame: FrameType | None) -> None:
    del frame
    _heard.append(number)
    raise KeyboardInterrupt
