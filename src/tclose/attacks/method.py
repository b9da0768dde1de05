"""The insider, who also knows the method: what finer classes had room for, and that no finer release would hold."""

from __future__ import annotations

import numpy as np

from tclose.attacks.fitting import Fit, Weights
from tclose.attacks.minimality import tilts
from tclose.attacks.seen import Seen
from tclose.compiled import kernel
from tclose.counts import Integers
from tclose.recoding.problem import Floats


@kernel
def _bar(starts, classes, rank, rooms, barred):  # type: ignore[no-untyped-def]
    """Write, for each pair, the values for which a class before it in the order has room."""
    for x in range(len(starts) - 1):
        for p in range(starts[x], starts[x + 1]):
            mask = 0
            for earlier in range(starts[x], starts[x + 1]):
                if rank[classes[earlier]] < rank[classes[p]]:
                    mask |= rooms[classes[earlier]]
            barred[p] = mask


def posteriors(seen: Seen) -> Floats:
    """Return what follows where classes were filled from the least loss of detail to the most."""
    return _posteriors(seen, seen.costs)


def posteriors_by_share(seen: Seen) -> Floats:
    """Return what follows where classes were filled from the fewest combinations covered to the most."""
    return _posteriors(seen, seen.volumes)


def _posteriors(seen: Seen, fineness: Floats) -> Floats:
    return Fit.of(seen).run(Weights(barred=barred(seen, fineness), likely=tilts(seen)))


def barred(seen: Seen, fineness: Floats) -> Integers:
    """Return for each pair a bit for every value that is unlikely there, where finer classes are filled first."""
    rank = np.unique(fineness, return_inverse=True)[1].astype(np.int64)
    found = np.zeros(len(seen.classes), dtype=np.int64)
    widths = np.diff(seen.starts)
    _bar(seen.starts, seen.classes, rank, seen.rooms, found, work=int((widths * widths).sum()))
    return found
