"""Work that threads share, whose results do not depend on who did what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TypeVar

Made = TypeVar("Made")


def in_threads(
    work: Callable[[int], Made], sizes: Sequence[int], threads: int, tell: Callable[[float], None]
) -> list[Made]:
    """Return what comes of each piece of work, in the order of their numbers.

    The largest are begun first, so that no thread begins with one when the others have nothing left. Whoever stops
    the work, by a signal or by what is told, waits for none of it: what was not begun is not, the rest ends by itself.

    Parameters
    ----------
    work
        Does the piece that has a number.
    sizes
        How large each piece is.
    threads
        How many may share the work.
    tell
        Told, whenever a piece is done, which share of all is.
    """
    order = sorted(range(len(sizes)), key=lambda at: -sizes[at])
    made: dict[int, Made] = {}
    done = 0
    for at, result in _here(work, order) if min(threads, len(sizes)) <= 1 else _shared(work, order, threads):
        made[at] = result
        done += sizes[at]
        tell(done / max(sum(sizes), 1))
    return [made[at] for at in range(len(sizes))]


def _here(work: Callable[[int], Made], order: Sequence[int]) -> Iterator[tuple[int, Made]]:
    return ((at, work(at)) for at in order)


def _shared(work: Callable[[int], Made], order: Sequence[int], threads: int) -> Iterator[tuple[int, Made]]:
    pool = ThreadPoolExecutor(min(threads, len(order)))
    try:
        begun = {pool.submit(work, at): at for at in order}
        for ended in as_completed(begun):
            yield begun[ended], ended.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
