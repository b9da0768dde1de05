"""Arrow streams of a driver, read a few batches ahead in a thread of their own, so that everything else goes on."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Generator, Iterator
from typing import Any

from nanoarrow.c_array import CArray

from tclose.engines.reading_ahead import ReadAhead

_AHEAD = 4
"""So many batches wait at most, so that a slow reader does not fill the memory."""
_GRACE = 10.0
"""So many seconds a driver has to stop once it was told to."""
_NEXT = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_ERROR = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_void_p)


class _Stream(ctypes.Structure):
    """The functions of an Arrow stream, as its interface lays them out."""

    _fields_ = [
        (name, ctypes.c_void_p) for name in ("get_schema", "get_next", "get_last_error", "release", "private_data")
    ]


def batches(stream: Any) -> Iterator[Any]:
    """Give the batches of a stream; other threads run while the driver works, which nanoarrow would not let them."""
    place, schema = stream._addr(), stream.get_schema()
    functions = _Stream.from_address(place)
    get_next, get_last_error = _NEXT(functions.get_next), _ERROR(functions.get_last_error)
    while True:
        batch = CArray.allocate(schema)
        if get_next(place, batch._addr()):
            raise RuntimeError((get_last_error(place) or b"").decode("utf-8", "replace"))
        if not batch.is_valid():
            return
        yield batch


class Reader:
    """Has a driver work in a thread of its own, and reads what it gives a few batches ahead.

    Parameters
    ----------
    start
        Begins the work and returns its stream.
    seconds
        How long all of it may take; None for as long as it takes.
    """

    def __init__(self, start: Callable[[], Any], seconds: float | None = None) -> None:
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self._reading = ReadAhead(_schema_and_batches(start), _AHEAD, "tclose-database")

    def next(self) -> Any:
        """Return what comes next: the schema first, then the batches, and None at the end."""
        return self._reading.next(None if self._deadline is None else max(0.0, self._deadline - time.monotonic()))

    def stop(self, cancel: Callable[[], object]) -> bool:
        """Leave the rest unread, and say whether the driver has stopped; one that cannot be cancelled may go on."""
        self._reading.abandon()
        if not self._reading.ended():
            try:
                awaited(cancel, _GRACE)
            except Exception:  # noqa: BLE001 - drivers raise errors of many kinds where they cannot
                return False
        return self._reading.ended(_GRACE)


def awaited(work: Callable[[], Any], seconds: float | None, drop: Callable[[Any], object] | None = None) -> Any:
    """Have a driver do something in a thread of its own: a server that says nothing holds nobody up.

    Parameters
    ----------
    work
        What to do.
    seconds
        How long it may take; None for as long as it takes, which an interrupt ends.
    drop
        Takes back what is done when nobody waits for it any more.

    Raises
    ------
    TimeoutError
        If it is not done in time.
    """
    doing = ReadAhead(_done(work, drop), 1, "tclose-database")
    try:
        return doing.next(seconds)
    except BaseException:
        doing.abandon()
        raise


def _done(work: Callable[[], Any], drop: Callable[[Any], object] | None) -> Generator[Any, None, None]:
    made = work()
    if made is None:
        return
    try:
        yield made
    except GeneratorExit:
        if drop is not None:
            drop(made)
        raise


def _schema_and_batches(start: Callable[[], Any]) -> Generator[Any, None, None]:
    with start() as stream:
        yield stream.get_schema()
        yield from batches(stream)
