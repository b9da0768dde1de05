"""Releases at one threshold after another, the strictest first: what meets a threshold meets every looser one too.

A looser threshold therefore never gets a worse release than a stricter one, and on a large table, where seven
thresholds take minutes, each is searched with a share of the effort of a release that is to be published.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tclose.anonymization.algorithms.catalogue import Found, found
from tclose.anonymization.algorithms.checking import failing_classes
from tclose.anonymization.algorithms.problem import Problem
from tclose.anonymization.algorithms.search import Search

ALONE_UP_TO = 5_000
"""Up to so many distinct rows every threshold is searched with all of the effort, as for a release."""
SHARE = 0.2
"""Which share of the effort each threshold takes beyond."""


def found_at_each(key: str, problems: Sequence[Problem], search: Search) -> Iterator[Found | None]:
    """Give the release of a method for each of several problems, which differ in one threshold, the strictest first.

    Parameters
    ----------
    key
        The method, or ``"auto"``.
    problems
        The same table with looser and looser requirements.
    search
        What to minimise, and how much effort to take.
    """
    best: Found | None = None
    for at, problem in enumerate(problems):
        here = search.part(at / len(problems), (at + 1) / len(problems))
        if problem.k > problem.rows:
            yield None
            continue
        own = found(key, problem, with_share(problem, here))
        inherited = _inherited(best, problem, search)
        best = min((each for each in (own, inherited) if each), key=lambda each: each.loss, default=None)
        yield best


def with_share(problem: Problem, search: Search) -> Search:
    """Return the search for the release at one of several thresholds."""
    return search if len(problem.counts) <= ALONE_UP_TO else replace(search, effort=search.effort * SHARE)


def _inherited(stricter: Found | None, problem: Problem, search: Search) -> Found | None:
    """Return the release of a stricter problem as one of this, judged anew."""
    if stricter is None or failing_classes(problem, stricter.partition, own=search.own).any():
        return None
    return replace(stricter, loss=search.loss(problem, stricter.partition))
