"""What somebody learns who takes the counts of one release from those of the next: who joined, who left."""

from __future__ import annotations

import numpy as np

from tclose.composing.findings import Difference
from tclose.composing.linking import Classes, Entries
from tclose.counts import Integers


def difference(before: Classes, last: Classes, at: int, least: int) -> Difference:
    """Return by how much the counts of a release differ from those of the one before.

    Parameters
    ----------
    before, last
        The two releases.
    at
        The sensitive attribute.
    least
        Fewer rows than so many are few.
    """
    names = dict.fromkeys([*before.held[at].values, *last.held[at].values])
    rank_of = {value: rank for rank, value in enumerate(names)}
    number_of = {key: number for number, key in enumerate(before.texts)}
    there = [number_of.get(key, -1) for key in last.texts]
    same = [number for number, other in enumerate(there) if other >= 0]
    units, earlier = np.full(len(last.sizes), -1), np.full(len(before.sizes), -1)
    units[same] = np.arange(len(same))
    earlier[[there[number] for number in same]] = np.arange(len(same))
    taken, added = before.held[at].entries(earlier, rank_of), last.held[at].entries(units, rank_of)
    gained, lost = _changes(taken, added, len(same), len(names))
    few = ((gained > 0) & (gained < least)) | ((lost > 0) & (lost < least))
    all_before, all_last = (
        each.held[at].entries(np.zeros(len(each.sizes), dtype=np.int64), rank_of) for each in (before, last)
    )
    joined, left = _changes(all_before, all_last, 1, len(names))
    return Difference(len(same), int(few.sum()), int(joined[0]), int(left[0]), least)


def _changes(taken: Entries, added: Entries, units: int, width: int) -> tuple[Integers, Integers]:
    """Return how many rows of some value each unit gained, and how many it lost."""
    keys = np.concatenate([taken[0] * width + taken[1], added[0] * width + added[1]])
    pairs, place = np.unique(keys, return_inverse=True)
    change = np.bincount(place.ravel(), np.concatenate([-taken[2], added[2]]), len(pairs)).astype(np.int64)
    unit = pairs // max(width, 1)
    gained, lost = (np.bincount(unit, np.maximum(each, 0), units).astype(np.int64) for each in (change, -change))
    return gained, lost
