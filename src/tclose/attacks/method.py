"""The insider, who also knows the method: what finer classes had room for, and that no finer release would hold."""

from __future__ import annotations

import numpy as np

from tclose import kernels
from tclose.attacks.fitting import Fit, Weights
from tclose.attacks.minimality import tilts
from tclose.attacks.seen import Seen
from tclose.counts import Integers
from tclose.recoding.problem import Floats


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
    kernels.covering.bar(seen.starts, seen.classes, rank, seen.rooms, found)
    return found
