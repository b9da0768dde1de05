"""The lattice of levels as a person looks at it: all of it where it is small, else what lies around one node."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from tclose.anonymization.algorithms.checking import failing_classes
from tclose.anonymization.algorithms.full_domain.lattice import Lattice, Node
from tclose.anonymization.algorithms.partition import Partition, kept_detail, levelled
from tclose.anonymization.algorithms.problem import Problem

MOST_NODES = 48
"""Up to so many nodes the whole lattice is judged and shown."""
QUICK = 3_000_000
"""So many distinct rows are judged in little time, those of each node counted."""


@dataclass(frozen=True)
class JudgedNode:
    """One level for each quasi-identifier, every row kept, and what comes of it."""

    levels: Node
    holds: bool
    """Whether every requirement is met."""
    classes: int
    smallest: int
    """The size of the smallest class."""
    kept: float
    """The share of detail that is kept."""


@dataclass(frozen=True)
class Surroundings:
    """Nodes of a lattice, each judged with every row kept."""

    names: tuple[str, ...]
    chosen: Node
    nodes: tuple[JudgedNode, ...]
    """By the sum of their levels."""
    whole: bool
    """Whether these are all nodes; else the chosen one, those one step from it, the finest and the coarsest."""
    required: bool
    """Whether anything is required; if not, every node holds."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {
            "columns": list(self.names),
            "chosen": list(self.chosen),
            "whole": self.whole,
            "required": self.required,
            "nodes": [
                {
                    "levels": list(node.levels),
                    "holds": node.holds,
                    "classes": node.classes,
                    "smallest": node.smallest,
                    "kept": node.kept,
                }
                for node in self.nodes
            ],
        }


Judge = Callable[[Problem, Partition], tuple[bool, int, int]]
"""Says of classes whether they meet every requirement, how many they are, and how large the smallest is."""


def by_counts(problem: Problem, partition: Partition) -> tuple[bool, int, int]:
    """Judge classes by what is counted of distinct rows."""
    missed = bool(failing_classes(problem, partition).any())
    return not missed, partition.number, int(partition.sizes().min(initial=problem.rows))


def surroundings(
    problem: Problem,
    levels: Mapping[str, int],
    tell: Callable[[str, float | None], None] = lambda _stage, _share: None,
    judge: Judge = by_counts,
) -> Surroundings:
    """Return what lies around a node of the lattice.

    Parameters
    ----------
    problem
        The rows, their hierarchies and what is required.
    levels
        The level of each quasi-identifier; the finest where it is not named.
    tell
        Told how far the work is.
    judge
        Judges a node; people are not counted by adding up distinct rows, of which somebody may have several.
    """
    lattice = Lattice.of(problem)
    chosen = tuple(
        min(max(levels.get(quasi.name, low), low), top)
        for quasi, low, top in zip(problem.quasi, lattice.lowest, lattice.top, strict=True)
    )
    whole = lattice.size <= MOST_NODES
    if whole:
        spans = (range(low, top + 1) for low, top in zip(lattice.lowest, lattice.top, strict=True))
        found = set(itertools.product(*spans))
    else:
        found = {lattice.lowest, lattice.top, chosen, *lattice.finer(chosen), *lattice.coarser(chosen)}
    judged = []
    for at, node in enumerate(sorted(found, key=lambda node: (sum(node), node))):
        tell("Judging levels", at / len(found))
        judged.append(_judged(problem, node, judge))
    names = tuple(quasi.name for quasi in problem.quasi)
    return Surroundings(names, chosen, tuple(judged), whole, bool(problem.tasks))


def quick_surroundings(
    problem: Problem, levels: Mapping[str, int] | None, judge: Judge = by_counts
) -> Surroundings | None:
    """Return what lies around the levels of a release; None where it has none, and where judging would take long."""
    nodes = min(MOST_NODES, Lattice.of(problem).size)
    if levels is None or nodes * len(problem.counts) > QUICK:
        return None
    return surroundings(problem, levels, judge=judge)


def _judged(problem: Problem, node: Node, judge: Judge) -> JudgedNode:
    quasi = [replace(each, lowest=level, highest=level) for each, level in zip(problem.quasi, node, strict=True)]
    held = replace(problem, quasi=tuple(quasi))
    partition = levelled(held)
    kept = round(kept_detail(held, partition), 12)  # what hides everything keeps 0, not a rounding error
    return JudgedNode(node, *judge(held, partition), kept)
