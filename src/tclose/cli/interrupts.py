"""The signals that ask the process to end: heard from its first moment, and remembered if something swallows them."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

TOO_LATE = "Gave up, because the time that --timeout allows is over; nothing was left half-written."
MESSAGE = "Interrupted; nothing was left half-written."
INTERRUPTED = 130
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
_PATIENCE = 0.25  # seconds; work that goes on in Python hears a signal in far less
_heard: list[int] = []


def listen() -> None:
    """Raise KeyboardInterrupt at any signal to end, but for those that the process was told to ignore."""
    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    if hasattr(signal, "pthread_kill"):
        reading, writing = os.pipe()
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        threading.Thread(target=_repeat_until_heard, args=(reading,), daemon=True).start()


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


def _repeat_until_heard(arrivals: int) -> None:
    """Send signals again that came to another thread, or just before the main thread began to wait for something.

    Python acts on a signal between two steps of the main thread, and a main thread that waits for input or a
    lock takes no step until a signal arrives while it waits.
    """
    main = threading.main_thread().ident
    pause = threading.Event()
    while arrived := os.read(arrivals, 1):
        number = arrived[0]
        pause.wait(_PATIENCE)
        while main and not _heard and signal.getsignal(number) is _interrupt:
            signal.pthread_kill(main, number)
            pause.wait(_PATIENCE)


def _interrupt(number: int, frame: FrameType | None) -> None:
    del frame
    _heard.append(number)
    raise KeyboardInterrupt
