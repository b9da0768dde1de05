"""The insider, who also knows the method: what finer classes had room for, and that no finer release would hold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tclose.anonymization.algorithms.problem import Floats, numbered
from tclose.attacks.fitting import Fit, Weights
from tclose.attacks.release_view import ReleaseView
from tclose.models import kernels
from tclose.models.counts import Integers, Part, sparse_block
from tclose.models.measuring import Task, failing

# Minimality (Wong et al. 2007): a release that is no finer tells that every finer one would have missed something.


_DOUBT = 0.01
"""How likely a finer release is taken to have met everything all the same, beside one that did not."""
_SAMPLES = 4_000
_FEWEST = 400
_VALUES = 4_000_000
"""So many values are dealt to people at the most: of larger tables a single class says hardly anything."""
_CELLS = 16_000_000
"""So many counts of a combination and value are held at the most."""


def tilts(seen: ReleaseView) -> Floats | None:
    """Return how much likelier each value is for each combination than its class says; None where nothing follows.

    The values of every class are dealt to its people at random, again and again. What a finer release would have been
    is seen of each deal: one level finer in one column, as a full-domain search judges all of them. Deals with which
    all classes of such a release would have met what is required count little, for then it would have been published.
    """
    tasks = _judged(seen)
    cells = len(seen.people) * seen.answers.number
    samples = min(_SAMPLES, _VALUES // max(int(seen.people.sum()), 1), _CELLS // max(cells, 1))
    if not seen.minimal or tasks is None or samples < _FEWEST:
        return None
    finer = list(_finer(seen))
    deals = [_dealt(seen, number, samples) for number in range(seen.number)]
    weights = np.ones((seen.number, samples))
    for groups in finer:
        missed = np.stack([_missed(seen, tasks, *deal, groups[deal[0]]) for deal in deals])
        met = 1.0 - missed.mean(axis=1)
        for number, here in enumerate(missed):
            others = 1.0 - float(np.prod(np.delete(met, number)))  # some other class misses it
            weights[number] *= _DOUBT + (1.0 - _DOUBT) * np.where(here, 1.0, others)
    found = np.ones((len(seen.people), seen.answers.number))
    for (who, dealt), weight in zip(deals, weights, strict=True):
        held = np.tensordot(weight / weight.sum(), dealt, axes=1)
        usual = dealt.mean(axis=0)
        found[who] = np.where(usual > 0, held / np.where(usual > 0, usual, 1.0), 1.0)
    return found


def _judged(seen: ReleaseView) -> list[Task] | None:
    """Return what classes must meet by this attribute; None where that is not all they must, or values are in bands."""
    tasks = list(seen.problem.tasks)
    known = all(task.attribute in (None, seen.attribute) for task in tasks)
    alone = all(requirement.any is None for task in tasks for requirement in task.requirements)
    single = seen.answers.number == len(seen.answers.of_rank)
    return tasks if known and alone and single and len(seen.volumes) == seen.number else None


def _finer(seen: ReleaseView) -> Iterator[Integers]:
    """Give the releases that are one level finer in one column: the class of each combination there."""
    for at, (quasi, level) in enumerate(zip(seen.problem.quasi, seen.levels or (), strict=True)):
        if level > quasi.lowest:
            nodes = quasi.levels[level - 1].nodes[seen.codes[:, at]]
            yield numbered(np.stack([seen.classes, nodes.astype(np.int64)], axis=1))


def _dealt(seen: ReleaseView, number: int, samples: int) -> tuple[Integers, Integers]:
    """Return the combinations of a class, and deals of its values: samples × combinations × values."""
    who = np.flatnonzero(seen.classes == number)
    entries = slice(seen.offsets[number], seen.offsets[number + 1])
    values = np.repeat(seen.values[entries], seen.counts[entries].astype(np.int64))
    place = np.repeat(np.arange(len(who)), seen.people[who].astype(np.int64))
    draw = np.random.default_rng([number, len(values)])
    dealt = draw.permuted(np.tile(values, (samples, 1)), axis=1)
    width = seen.answers.number
    keys = (np.arange(samples)[:, np.newaxis] * len(who) + place) * width + dealt
    return who, np.bincount(keys.ravel(), minlength=samples * len(who) * width).reshape(samples, len(who), width)


def _missed(seen: ReleaseView, tasks: list[Task], who: Integers, dealt: Integers, groups: Integers) -> Integers:
    """Return in which deals one of the finer classes of a class misses a requirement."""
    own = np.unique(groups, return_inverse=True)[1].ravel()
    number, samples = int(own.max()) + 1, len(dealt)
    held = np.zeros((samples, number, dealt.shape[2]), dtype=np.int64)
    for at in range(len(who)):
        held[:, own[at]] += dealt[:, at]
    sample, group, value = np.nonzero(held)
    made = sparse_block(
        sample * number + group,
        seen.answers.typical[value].astype(np.int32),
        held[sample, group, value],
        samples * number,
    )
    blocks = tuple(made for _ in seen.problem.domains)
    part = Part(np.zeros((len(made.sizes), 1), dtype=np.int64), made.sizes, blocks)
    return np.asarray(failing(part, tasks, seen.problem.domains).reshape(samples, number).any(axis=1))


def posteriors(seen: ReleaseView) -> Floats:
    """Return what follows where classes were filled from the least loss of detail to the most."""
    return _posteriors(seen, seen.costs)


def posteriors_by_share(seen: ReleaseView) -> Floats:
    """Return what follows where classes were filled from the fewest combinations covered to the most."""
    return _posteriors(seen, seen.volumes)


def _posteriors(seen: ReleaseView, fineness: Floats) -> Floats:
    return Fit.of(seen).run(Weights(barred=barred(seen, fineness), likely=tilts(seen)))


def barred(seen: ReleaseView, fineness: Floats) -> Integers:
    """Return for each pair a bit for every value that is unlikely there, where finer classes are filled first."""
    rank = np.unique(fineness, return_inverse=True)[1].astype(np.int64)
    found = np.zeros(len(seen.classes), dtype=np.int64)
    kernels.covering.bar(seen.starts, seen.classes, rank, seen.rooms, found)
    return found
