"""Work that threads share, in an order of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Made = TypeVar("Made")


def in_threads(work: Callable[[int], Made], sizes: Sequence[int], threads: int) -> Iterator[Made]:
    """Give what comes of each piece of work, in the order of their numbers; what nobody waits for is not begun.

    The largest are begun first, so that no thread begins with one when the others have nothing left.

    Parameters
    ----------
    work
        Does the piece that has a number.
    sizes
        How large each piece is.
    threads
        How many may share the work.
    """
    together = min(threads, len(sizes))
    if together <= 1:
        yield from map(work, range(len(sizes)))
        return
    pool = ThreadPoolExecutor(together)
    try:
        begun = {at: pool.submit(work, at) for at in sorted(range(len(sizes)), key=lambda at: -sizes[at])}
        for at in range(len(sizes)):
            yield begun.pop(at).result()
    finally:
        pool.shutdown(cancel_futures=True)
