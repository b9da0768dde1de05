"""How a method searches: what it minimises, what it may do, and whom it tells."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from tclose.anonymization.algorithms.cluster_rows import Cluster
from tclose.anonymization.algorithms.partition import Partition, kept_detail
from tclose.anonymization.algorithms.problem import Problem

Tell = Callable[[str, float | None], None]
"""Told what is being done, and which share of it is done if that is known."""
Share = Callable[[float], None]
"""Told which share of what is being done is done."""


def nobody(_share: float) -> None:
    """Tell nobody."""


def shared(tell: Share, begin: float, end: float) -> Share:
    """Return whom to tell of a part, from one share of the whole to another."""
    return lambda share: tell(begin + (end - begin) * share)


@dataclass
class TimeLimit:
    """So many seconds, which end at a moment of the machine's clock."""

    seconds: float
    end: float
    stopped: bool = False
    """Whether anything was left out for that reason."""

    @staticmethod
    def of(seconds: float) -> TimeLimit:
        """Return the limit of so many seconds from now on."""
        return TimeLimit(seconds, time.monotonic() + seconds)

    def over(self) -> bool:
        """Say whether the time is over, so that whoever asks leaves out the rest."""
        self.stopped |= time.monotonic() >= self.end
        return self.stopped


@dataclass
class _Part:
    """Tells of a part of the work: what it has reached is the part's share of the whole, and never falls."""

    tell: Tell
    begin: float
    end: float
    words: str
    reached: float = 0.0

    def __call__(self, stage: str, share: float | None) -> None:
        self.reached = max(self.reached, share or 0.0)
        self.tell(f"{self.words}{stage}", self.begin + (self.end - self.begin) * self.reached)


def _silent(_stage: str, _share: float | None) -> None:
    return


@dataclass(frozen=True)
class Search:
    """The choices that a person makes about the search."""

    loss: Callable[[Problem, Partition], float] = lambda problem, partition: 1.0 - kept_detail(problem, partition)
    """What to minimise."""
    whole_classes: bool = False
    """Whether rows that look alike stay together, so that no sensitive value decides where a row goes: for people with
    several rows, and with every method that does not work row by row."""
    pruned: bool = False
    """Whether a search with suppression may skip nodes that are unlikely to be best."""
    own: bool = True
    """Whether classes are also judged against the distribution of the release itself."""
    effort: float = 1.0
    """How many rounds a release is improved, in multiples of the usual number; 0 leaves it as it was found."""
    rounds: int | None = None
    """How often every unit is looked at, at the most; as often as the effort pays for if left out."""
    threads: int | None = None
    """How many threads may share the work, which does not depend on it; all processors if left out."""
    tell: Tell = _silent
    cluster: Cluster | None = None
    """Where rows can be put, if they came from a cluster, so that it shares in the work."""
    limit: TimeLimit | None = None
    """When to be content with the best release so far; never by the clock if left out."""

    @property
    def workers(self) -> int:
        """How many threads share the work: as many as were allowed, or all processors."""
        return self.threads or os.cpu_count() or 1

    def late(self) -> bool:
        """Say whether to be content with the best release so far."""
        return self.limit is not None and self.limit.over()

    def part(self, begin: float, end: float, words: str = "") -> Search:
        """Return the search for a part of the work, from one share of it to another, told of with words before."""
        return replace(self, tell=_Part(self.tell, begin, end, words))


class FindPartition(Protocol):
    """A way to find a release."""

    def __call__(self, problem: Problem, search: Search) -> Partition | None:
        """Return a partition that meets the requirements, or None if this way found none."""
        ...
