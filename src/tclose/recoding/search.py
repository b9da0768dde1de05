"""How a method searches: what it minimises, what it may do, and whom it tells."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from tclose.recoding.partition import Partition, kept_detail
from tclose.recoding.problem import Problem
from tclose.recoding.spreading import Spread

Tell = Callable[[str, float | None], None]
"""Told what is being done, and which share of it is done if that is known."""


def _silent(_stage: str, _share: float | None) -> None:
    return


@dataclass(frozen=True)
class Search:
    """The choices that a person makes about the search."""

    loss: Callable[[Problem, Partition], float] = lambda problem, partition: 1.0 - kept_detail(problem, partition)
    """What to minimise."""
    whole_classes: bool = False
    """Whether rows that look alike stay together, so that no sensitive value decides where a row goes."""
    pruned: bool = False
    """Whether a search with suppression may skip nodes that are unlikely to be best."""
    own: bool = True
    """Whether classes are also judged against the distribution of the release itself."""
    tell: Tell = _silent
    spread: Spread | None = None
    """Where rows can be put, if they came from a cluster, so that it shares in the work."""


class Method(Protocol):
    """A way to find a release."""

    def __call__(self, problem: Problem, search: Search) -> Partition | None:
        """Return a partition that meets the requirements, or None if this way found none."""
        ...
