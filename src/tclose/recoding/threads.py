"""Work that threads share, in an order of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


def in_threads(work: Callable[[Given], Made], things: Sequence[Given], threads: int) -> Iterator[Made]:
    """Give what comes of each thing, in their order; what nobody waits for any longer is not begun."""
    together = min(threads, len(things))
    if together <= 1:
        yield from map(work, things)
        return
    pool = ThreadPoolExecutor(together)
    try:
        yield from pool.map(work, things)
    finally:
        pool.shutdown(cancel_futures=True)
