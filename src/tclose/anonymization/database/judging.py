"""Requirements of what is secret, for someone who knows facts: sets that miss one lose a fact until none does."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tclose.anonymization.database.facts_search import Forest, Kept, Known
from tclose.models.counts import Part, Ranks, sparse_block
from tclose.models.domains import Domain
from tclose.models.measuring import Task, failing

Items = tuple[int, ...]
"""A set of nodes that someone knows of a person; one that is known twice stands twice."""


@dataclass(frozen=True)
class Secrets:
    """The sensitive attributes of people, and what is required of them."""

    domains: tuple[Domain, ...]
    ranks: Ranks
    """People × attributes: the rank of each value, −1 for one that is left out."""
    tasks: tuple[Task, ...]

    def of(self, people: Sequence[int]) -> Secrets:
        """Return those of some people."""
        return Secrets(self.domains, self.ranks[np.array(people, dtype=np.int64)], self.tasks)

    def missed(self, groups: Sequence[Sequence[int]]) -> list[int]:
        """Return which groups of people miss a requirement."""
        sizes = np.array([len(each) for each in groups], dtype=np.int64)
        numbers = np.repeat(np.arange(len(groups), dtype=np.int64), sizes)
        members = np.array([person for each in groups for person in each], dtype=np.int64)
        ones = np.ones(len(members), dtype=np.int64)
        blocks = tuple(
            sparse_block(numbers, np.ascontiguousarray(self.ranks[members, at]), ones, len(groups))
            for at in range(len(self.domains))
        )
        part = Part(np.arange(len(groups))[:, np.newaxis], sizes, blocks)
        return np.flatnonzero(failing(part, self.tasks, self.domains)).tolist()


def sets_of(times: Mapping[int, int], known: Known) -> Iterable[Items]:
    """Give every set of at most so many facts of a person that somebody may know, the empty one first."""
    items = [node for node in sorted(times) for _ in range(min(times[node], known.facts) if known.repeated else 1)]
    for size in range(known.facts + 1):
        yield from dict.fromkeys(itertools.combinations(items, size))


def with_secrets(found: Kept, forest: Forest, known: Known, secrets: Secrets) -> Kept:
    """Return what is kept where every set of facts meets all requirements, by leaving more of them out.

    Parameters
    ----------
    found
        What is kept of the facts of all people with one base, who meet the requirements without any fact.
    forest, known
        The hierarchies, and what someone knows.
    secrets
        The sensitive attributes of these people, and what is required, the fewest candidates included.
    """
    times = [dict(each) for each in found.times]
    while True:
        holders: dict[Items, list[int]] = {}
        for person, have in enumerate(times):
            for some in sets_of(have, known):
                holders.setdefault(some, []).append(person)
        sets = list(holders)
        missed = [sets[at] for at in secrets.missed([holders[some] for some in sets])]
        if not any(missed):
            break
        for some in sorted(filter(None, missed), key=len)[: max(1, len(missed) // 4)]:
            for person in holders[some]:
                _leave_out(times[person], some, forest, known)
    nodes = [
        {leaf: node for leaf, node in each.items() if node in have}
        for each, have in zip(found.nodes, times, strict=True)
    ]
    kept = 0.0
    for each, have in zip(nodes, times, strict=True):
        facts = Counter(each.values())
        kept += sum((n if known.repeated else facts[node]) * (1 - forest.loss[node]) for node, n in have.items())
    return Kept(tuple(nodes), tuple(times), kept)


def _leave_out(have: dict[int, int], some: Items, forest: Forest, known: Known) -> None:
    """Leave out so much of a person's facts that a set is not true of them any more: what costs least."""
    wanted = Counter(some)
    if any(have.get(node, 0) < (number if known.repeated else 1) for node, number in wanted.items()):
        return

    def cost(node: int) -> tuple[float, int]:
        gone = have[node] - (wanted[node] - 1 if known.repeated else 0)
        return gone * (1 - forest.loss[node]), node

    node = min(wanted, key=cost)
    stay = wanted[node] - 1 if known.repeated else 0
    if stay:
        have[node] = stay
    else:
        del have[node]
