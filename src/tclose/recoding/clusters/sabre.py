"""SABRE: bucketise the sensitive values, redistribute the buckets over classes, fill these with near rows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

import numpy as np

from tclose.counts import Integers
from tclose.recoding.clusters.buckets import bucketed, redistributed
from tclose.recoding.clusters.nearest import WHOLE_UP_TO, equal_plan, filled, with_others
from tclose.recoding.clusters.proposals import Aim, Attempts, Compartment, aim_of, best
from tclose.recoding.partition import Partition
from tclose.recoding.problem import Problem
from tclose.recoding.search import Search, Share

_TIMES = (Fraction(3, 2), Fraction(2), Fraction(3))
THETAS = (
    *((Fraction(1), theta) for theta in (0.6, 0.7, 0.9, 1.0)),
    *((times, theta) for times in _TIMES for theta in (0.6, 0.9)),
)
"""By how much the distance aimed at exceeds t, and which part of it the buckets may use up.

The rest is room for rounding. Bounds are for the worst choice of rows, so that classes planned for more
than t mostly hold t; those that do not are merged.
"""


def find(problem: Problem, search: Search) -> Partition | None:
    """Return the best release of SABRE that meets the requirements, or None.

    Values are put into buckets so near that a class may take any of a bucket's rows, the rows of each bucket
    are halved again and again while every half is sure to be close, and each class is filled with the rows
    nearest to a seed. Classes are judged exactly; those that fail are merged with neighbours.

    Parameters
    ----------
    problem
        The rows and the requirements.
    search
        What to minimise. With ``whole_classes`` nothing is found: here the sensitive values decide.

    References
    ----------
    J. Cao, P. Karras, P. Kalnis, K.-L. Tan: SABRE: a Sensitive Attribute Bucketization and REdistribution
    framework for t-closeness (2011).
    """
    if not problem.rows or search.whole_classes:
        return None
    return best(problem, search, _proposals(problem, search))


def _proposals(problem: Problem, search: Search) -> Iterator[Partition]:
    aim = aim_of(problem)
    thetas = THETAS if problem.rows <= WHOLE_UP_TO else THETAS[::2]
    tries = [(t * times, theta) for t in aim.distances for times, theta in thetas] if aim else [(Fraction(1), 1.0)]
    tried: set[bytes] = set()
    attempts = Attempts(problem, search, len(tries))
    for at, (t, theta) in enumerate(tries):
        attempts.made = at
        plans = [_plan(part, aim, t, theta) for part in attempts.parts]
        key = b"".join(buckets.tobytes() + plan.tobytes() for buckets, plan in plans)
        if key in tried:
            continue
        tried.add(key)
        yield attempts.proposal("Redistributing buckets of sensitive values", partial(_filled, iter(plans)))


def _filled(plans: Iterator[tuple[Integers, Integers]], part: Compartment, tell: Share) -> Integers:
    """Return the classes of the rows of a compartment by its plan, which comes next."""
    return filled(part.space("deviation"), *next(plans), order=part.order, tell=tell)


def _plan(part: Compartment, aim: Aim | None, t: Fraction, theta: float) -> tuple[Integers, Integers]:
    """Return the bucket of each row, and classes × buckets; rows without a sensitive value are spread evenly."""
    k = part.problem.k
    if aim is None or not (counts := part.counts(aim)).any():
        return np.zeros(len(part.rows), dtype=np.int64), equal_plan(len(part.rows), k)
    shares = counts / counts.sum()
    buckets = bucketed(aim.flows, shares, theta * float(part.room(aim, t)))
    plan = redistributed(aim.flows, buckets, counts, k=k, t=float(t))
    plan = with_others(plan, len(part.rows) - int(counts.sum()))
    return np.append(buckets.of, plan.shape[1] - 1)[part.bins(aim)], plan
