"""Peeling: release what is already close and generalise only the rest, so that every class meets the requirements.

Whoever knows a person's quasi-identifiers knows some released classes that may hold the person; each is within t
of the reference and distances are convex, so any mixture of them is too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import numpy as np

from tclose.recoding.checking import failing_classes
from tclose.recoding.merge import find as merged
from tclose.recoding.merge import repaired
from tclose.recoding.mondrian.method import divided
from tclose.recoding.partition import Partition, hulls
from tclose.recoding.peel.closeness import Closeness, closeness
from tclose.recoding.peel.leftovers import placed, taken_back
from tclose.recoding.peel.peeling import Peeler, PeelSettings
from tclose.recoding.problem import Problem
from tclose.recoding.search import Search

_BUILT = PeelSettings(0.3, 2.0, carved=False, nodes=1500)
_CARVED = PeelSettings(0.3, 2.0, carved=True, nodes=1500, shuffled=1)
_FURTHER = (
    PeelSettings(0.2, 1.5, carved=False, nodes=1500, shuffled=1),
    PeelSettings(0.3, 1.0, carved=True, nodes=1500, shuffled=2),
    PeelSettings(0.3, 4.0, carved=False, nodes=1500, shuffled=2),
)
_WHOLE = tuple(replace(_BUILT, nodes=nodes) for nodes in (6000, 1500))
_ALL_PULLS_UP_TO = 40_000
"""Up to so many distinct rows every setting is tried; beyond, the first one or two."""
_SURROGATES = tuple(Fraction(share, 100) for share in (60, 40, 25, 15))
"""What stands for t where something else is required of an attribute: the search goes by it, exact checks decide."""
_FEW_CELLS = 1_000
"""Up to so many cells, where there is little to peel, classes are also merged, and what was found is cut."""
_CUTTING = 0.8
"""After so large a share of the work, about, what was found is cut."""
_DEAREST = (1.5, 4.0)
"""How much detail, in rows, a row may cost that joins a class instead of staying out."""


def find(problem: Problem, search: Search) -> Partition | None:
    """Return the best release that peeling finds, or None if it finds none.

    Parameters
    ----------
    problem
        The rows and the requirements.
    search
        What to minimise; with ``whole_classes`` rows with the same quasi-identifiers stay together.
    """
    peeler = Peeler(problem, whole=search.whole_classes)
    best, least = None, np.inf
    attempts = list(_attempts(problem, search))
    cut = search.whole_classes or not any(close.bound for close, _ in attempts)
    for at, (close, settings) in enumerate(attempts):
        if best is not None and search.late():
            break
        here = search.part(_CUTTING * at / len(attempts), _CUTTING * (at + 1) / len(attempts))
        words = "Peeling" if best is None else f"Peeling; best loss {least:.4f}"
        for partition in _released(problem, here, peeler, close, settings, words):
            loss = search.loss(problem, partition)
            if loss < least:
                best, least = partition, loss
    if problem.codes.size <= _FEW_CELLS:
        best = _least(problem, search, best, merged(problem, search))
    if best is None or not (cut or problem.codes.size <= _FEW_CELLS):
        return best
    return _least(problem, search, best, divided(problem, best, search.part(_CUTTING, 1.0)))


def _least(problem: Problem, search: Search, *found: Partition | None) -> Partition | None:
    """Return the release of least loss, the first of equals."""
    met = [each for each in found if each is not None and _holds(problem, search, each)]
    return min(met, key=lambda each: search.loss(problem, each), default=None)


def _attempts(problem: Problem, search: Search) -> Iterator[tuple[Closeness, PeelSettings]]:
    """Give the limits and chosen to try, for any problem the same ones."""
    others = any(task.attribute is not None and task.model.key not in ("t", "l") for task in problem.tasks)
    limits = [closeness(problem)]
    if others:
        limits += [closeness(problem, surrogate=surrogate) for surrogate in _SURROGATES]
    few = len(problem.counts) <= _ALL_PULLS_UP_TO
    for close in limits:
        if search.whole_classes or not close.bound:
            yield from ((close, settings) for settings in (_WHOLE if few else _WHOLE[:1]))
            continue
        lines = bool((close.heights[close.limits < 1.0] == 0).any())
        trees = bool((close.heights[close.limits < 1.0] > 0).any())
        chosen = [_CARVED] * lines + [_BUILT] * trees
        if few:
            chosen += [settings for settings in _FURTHER if settings.carved == lines or settings.carved != trees]
        yield from ((close, settings) for settings in chosen)


def _released(
    problem: Problem, search: Search, peeler: Peeler, close: Closeness, settings: PeelSettings, words: str
) -> Iterator[Partition]:
    """Give the releases that one peeling leads to, by what is done with the rows it leaves."""
    done = peeler.peel(close, settings, problem.counts, lambda share: search.tell(words, share))
    rows, classes, counts = done.pieces()
    left = np.flatnonzero(done.left)
    peeled = Partition(
        np.concatenate([rows, left]),
        np.concatenate([classes, np.full(len(left), -1, dtype=np.int64)]),
        np.concatenate([counts, done.left[left]]),
        hulls(problem, rows, classes, done.number),
    )
    if len(left) and peeled.suppressed() <= problem.most_suppressed and _holds(problem, search, peeled):
        yield peeled
    for partition in _settled(problem, search, peeler, close, settings, peeled):
        whole = partition if _holds(problem, search, partition) else repaired(problem, partition, search)
        if whole is not None:
            yield whole


def _settled(
    problem: Problem, search: Search, peeler: Peeler, close: Closeness, settings: PeelSettings, peeled: Partition
) -> Iterator[Partition]:
    """Give the peeled partition with the leftover rows in classes, in several ways."""
    if not peeled.suppressed():
        yield peeled
    elif search.whole_classes:
        yield taken_back(problem, peeled, close, peeler.kinds)
        yield peeled
    else:
        for dearest in _DEAREST:
            joined = placed(problem, peeled, close, peeler.kinds, peeler.visits(settings.nodes).node_of, dearest)
            yield taken_back(problem, joined, close, peeler.kinds)


def _holds(problem: Problem, search: Search, partition: Partition) -> bool:
    if partition.suppressed() > problem.most_suppressed:
        return False
    return not failing_classes(problem, partition, own=search.own).any()
