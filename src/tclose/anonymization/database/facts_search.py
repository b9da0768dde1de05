"""Which facts of which people a release keeps, and how far it generalises them: one search for each base.

People with one base are a problem of their own, since candidates share a base. Every fact is published as a node of a
cut of its hierarchy, or left out. With one known fact and nothing but k required, the best cut follows from the tree
by dynamic programming. Otherwise several cuts are tried, from fine to coarse: for each, facts are left out by simulated
annealing, in which a set of facts that some people share, but fewer than k, costs as much as making it vanish or
holding. What the best one leaves is then improved by splitting and uniting nodes.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tclose.data.hierarchies import Hierarchy

Held = Mapping[int, int]
"""The facts of a person, as leaves, with how many times each is true."""
Key = tuple[int, ...]
"""A set of items, in their order."""


@dataclass(frozen=True)
class Forest:
    """The hierarchies of all columns of facts: each leaf with its nodes, from itself up to below the root."""

    paths: tuple[tuple[int, ...], ...]
    """By leaf. A leaf is the first node of its own path."""
    loss: tuple[float, ...]
    """By node: the share of the other leaves of its tree that it cannot be told from."""
    labels: tuple[str | None, ...]
    """By node: what is published; None for a cell without a value, which is a value of its own."""

    @staticmethod
    def of(columns: Sequence[tuple[Hierarchy, Sequence[str | None]]]) -> Forest:
        """Return the forest of columns, each with its hierarchy and the texts of its values, whose leaves they are.

        A node that holds the same leaves as the one below says less in nothing: the one below stays. The root says
        nothing that is not said by leaving a fact out.
        """
        paths: list[tuple[int, ...]] = []
        loss: list[float] = []
        labels: list[str | None] = []
        for tree, values in columns:
            under = [Counter(row[level] for row in tree.rows) for level in range(tree.height)]
            node_of: dict[tuple[int, str], int] = {}
            others = max(len(tree.leaves) - 1, 1)
            for text in values:
                if text is None:
                    paths.append((len(labels),))
                    labels.append(None)
                    loss.append(0.0)
                    continue
                row, path, most = tree.row(text), list[int](), 0
                for level in range(tree.height):
                    size = under[level][row[level]]
                    if size > most and (level == 0 or size < len(tree.leaves)):
                        most = size
                        if (level, row[level]) not in node_of:
                            node_of[level, row[level]] = len(labels)
                            labels.append(row[level])
                            loss.append((size - 1) / others)
                        path.append(node_of[level, row[level]])
                paths.append(tuple(path))
        return Forest(tuple(paths), tuple(loss), tuple(labels))


@dataclass(frozen=True)
class Known:
    """What someone knows, and how few candidates may be left."""

    k: int
    facts: int
    repeated: bool
    """Whether it is known how often a fact is true of a person."""


@dataclass(frozen=True)
class Kept:
    """What is published of the facts of some people: for each of them, the node of each fact that stays."""

    nodes: tuple[Mapping[int, int], ...]
    """By person: by leaf, its node; a fact that is left out whole has none."""
    times: tuple[Mapping[int, int], ...]
    """By person: by node, how many facts of it stay."""
    detail: float
    """How much of all facts is kept, in facts."""


def kept_facts(people: Sequence[Held], forest: Forest, known: Known, seed: int, *, effort: float = 1.0) -> Kept:
    """Return what is kept of the facts of all people with one base.

    Parameters
    ----------
    people
        Everybody's facts; there are at least k of them.
    forest
        The hierarchies.
    known
        What someone knows.
    seed
        Decides what is left to chance.
    effort
        How long is searched, as a multiple of the usual time.
    """
    base = _Base(people, forest, known)
    if known.facts == 0:
        return base.kept({leaf: leaf_node(forest, leaf) for leaf in base.leaves}, None)
    if known.facts == 1:
        cut = base.cut(known.k, covering=False)
        return base.kept(cut, base.frequent(cut))
    return _searched(base, random.Random(seed), effort)  # noqa: S311 - a search, not a secret


def leaf_node(forest: Forest, leaf: int) -> int:
    """Return the node of a leaf itself."""
    return forest.paths[leaf][0]


_STEPS = 120
"""How often each fact is considered in one annealing."""
_CUTS = 5


class _Base:
    """People with one base, and what may be published of their facts."""

    def __init__(self, people: Sequence[Held], forest: Forest, known: Known) -> None:
        self.people, self.forest, self.known = people, forest, known
        self.leaves = sorted({leaf for held in people for leaf in held})
        self.times = Counter[int]()
        """How many facts each leaf is."""
        for held in people:
            for leaf, times in held.items():
                self.times[leaf] += times if known.repeated else 1

    def cut(self, least: int, *, covering: bool) -> dict[int, int]:
        """Return the node of each leaf, where a node that fewer people have is worth nothing.

        With ``covering``, nodes that are worth nothing are united, so that some of their facts may stay.
        """
        forest = self.forest
        holders: dict[int, set[int]] = defaultdict(set)
        worth: dict[int, float] = defaultdict(float)
        children: dict[int, set[int]] = defaultdict(set)
        for number, held in enumerate(self.people):
            for leaf in held:
                for node in forest.paths[leaf]:
                    holders[node].add(number)
        for leaf in self.leaves:
            path = forest.paths[leaf]
            for below, above in itertools.pairwise(path):
                children[above].add(below)
            for node in path:
                worth[node] += self.times[leaf] * (1 - forest.loss[node])
        best: dict[int, float] = {}
        taken: set[int] = set()
        for node in sorted(holders, key=lambda each: (forest.loss[each], each)):
            parts = math.fsum(best[child] for child in children[node])
            own = worth[node] if len(holders[node]) >= least else 0.0
            if own > parts or not children[node] or (covering and parts == 0):
                taken.add(node)
            best[node] = max(own, parts)
        return {leaf: [node for node in forest.paths[leaf] if node in taken][-1] for leaf in self.leaves}

    def frequent(self, cut: Mapping[int, int]) -> list[set[tuple[int, int]]]:
        """Return, for each person, those of their nodes that at least k people have, with all copies of each."""
        holders = Counter(node for held in self.people for node in {cut[leaf] for leaf in held})
        return [
            {(node, 1) for node in {cut[leaf] for leaf in held} if holders[node] >= self.known.k}
            for held in self.people
        ]

    def kept(self, cut: Mapping[int, int], items: Sequence[set[tuple[int, int]]] | None) -> Kept:
        """Return what is published where these items stay, each a node and the number of its copy; None for all.

        Copies beyond the number of facts that are known add nothing to what is known, and stay with the last.
        """
        nodes: list[Mapping[int, int]] = []
        times: list[Mapping[int, int]] = []
        detail = 0.0
        most = self._copies
        for number, held in enumerate(self.people):
            have = Counter[int]()
            for leaf, copies in held.items():
                have[cut[leaf]] += copies
            stay = dict(have)
            if items is not None:
                top = Counter(node for node, _ in items[number])
                stay = {node: n if top[node] >= min(n, most) else top[node] for node, n in have.items() if top[node]}
            nodes.append({leaf: cut[leaf] for leaf in held if cut[leaf] in stay})
            times.append(stay)
            for node, n in stay.items():
                facts = n if self.known.repeated else sum(cut[leaf] == node for leaf in held)
                detail += facts * (1 - self.forest.loss[node])
        return Kept(tuple(nodes), tuple(times), detail)

    @property
    def _copies(self) -> int:
        """How many copies of a fact are told apart."""
        return self.known.facts if self.known.repeated else 1

    def slots(self, cut: Mapping[int, int]) -> list[tuple[int, int, int, float]]:
        """Return what may be kept or left out: a person, a node, the number of the copy, and what it is worth."""
        found: list[tuple[int, int, int, float]] = []
        most = self._copies
        for number, held in enumerate(self.people):
            have: dict[int, int] = defaultdict(int)
            for leaf, copies in held.items():
                have[cut[leaf]] += copies if self.known.repeated else 1
            for node in sorted(have):
                each = 1 - self.forest.loss[node]
                if not self.known.repeated:
                    found.append((number, node, 1, have[node] * each))
                    continue
                last = min(have[node], most)
                found += [(number, node, copy, each) for copy in range(1, last)]
                found.append((number, node, last, (have[node] - last + 1) * each))
        return found


class _Annealing:
    """What is kept of the facts of people whose nodes are settled, and how many people share each set of it."""

    def __init__(self, base: _Base, cut: Mapping[int, int], draw: random.Random) -> None:
        self.base, self.cut, self.draw = base, cut, draw
        self.most, self.k = base.known.facts, base.known.k
        self.slots = base.slots(cut)
        numbers = {each: at for at, each in enumerate(dict.fromkeys((node, copy) for _, node, copy, _ in self.slots))}
        self.items = list(numbers)
        self.copy = [copy for _, copy in self.items]
        self.wide = len(self.items) + 1
        self.slots_of = [(person, numbers[node, copy], worth) for person, node, copy, worth in self.slots]
        self.before = [numbers.get((node, copy - 1), -1) for node, copy in self.items]
        self.after = [numbers.get((node, copy + 1), -1) for node, copy in self.items]
        self.kept: list[set[int]] = [set() for _ in base.people]
        self.counts: dict[int, int] = defaultdict(int)
        self.cost: list[float] = []
        self.holders: list[set[int]] = [set() for _ in self.items]
        for person, item, _ in self.slots_of:
            self.holders[item].add(person)
            self._put(person, item)

    def _costs(self, shape: str) -> list[float]:
        """Return what a set costs that so many people share: nothing where it holds or nobody has it."""
        k = self.k
        shapes: dict[str, list[float]] = {
            "near": [min(size, k - size) for size in range(1, k)],
            "flat": [1.0] * (k - 1),
            "rising": [2 - 2 * size / k for size in range(1, k)],
        }
        return [0.0, *shapes[shape], *[0.0] * (len(self.base.people) + 2 - k)]

    def _touched(self, item: int, kept: Iterable[int]) -> list[int]:
        """Return the keys of the sets that an item makes with others that are kept, of at most as many as are known."""
        room = self.most - self.copy[item]
        if room == 0:
            return [item + 1]
        wide = self.wide
        if room == 1:
            mine, copy = item + 1, self.copy
            found = [
                (each + 1) * wide + mine if each < item else mine * wide + each + 1 for each in kept if copy[each] == 1
            ]
            found.append(mine)
            return found
        node = self.items[item][0]
        others = sorted(each for each in kept if self.items[each][0] != node)
        return [self._key([item, *some]) for some in self._within(others, room)]

    def _within(self, others: Sequence[int], room: int) -> Iterable[tuple[int, ...]]:
        """Give every choice of others that there is room for, at most one copy number of each node."""
        yield ()
        for at, each in enumerate(others):
            node, copy = self.items[each]
            if copy <= room:
                later = [other for other in others[at + 1 :] if self.items[other][0] != node]
                for rest in self._within(later, room - copy):
                    yield (each, *rest)

    def _key(self, items: Sequence[int]) -> int:
        key = 0
        for item in sorted(items):
            key = key * self.wide + item + 1
        return key

    def _put(self, person: int, item: int) -> None:
        for key in self._touched(item, self.kept[person]):
            self.counts[key] += 1
        self.kept[person].add(item)

    def _take(self, person: int, item: int) -> None:
        self.kept[person].discard(item)
        for key in self._touched(item, self.kept[person]):
            self.counts[key] -= 1

    def _movable(self, person: int, item: int) -> bool:
        """Say whether an item may go or come back: copies go last first."""
        kept = self.kept[person]
        if item in kept:
            return self.after[item] not in kept
        return self.before[item] < 0 or self.before[item] in kept

    def kick(self) -> None:
        """Let a set of two items that some people may share be kept by all of them, or by none."""
        people, item = self.slots_of[int(self.draw.random() * len(self.slots_of))][:2]
        others = sorted({each for person, each, _ in self.slots_of if person == people and self.copy[each] == 1})
        other = others[int(self.draw.random() * len(others))]
        if self.copy[item] > 1 or other == item:
            return
        both = sorted(self.holders[item] & self.holders[other])
        apart = sum({item, other} <= self.kept[person] for person in both) >= self.k
        for person in both:
            if apart:
                self._drop(person, item if self.draw.random() < 0.5 else other)
            else:
                for each in (item, other):
                    if each not in self.kept[person]:
                        self._put(person, each)

    def _drop(self, person: int, item: int) -> None:
        """Leave out a copy of a fact, and those after it."""
        if self.after[item] in self.kept[person]:
            self._drop(person, self.after[item])
        if item in self.kept[person]:
            self._take(person, item)

    def state(self) -> list[frozenset[int]]:
        """Return what is kept, to come back to."""
        return [frozenset(kept) for kept in self.kept]

    def restore(self, state: Sequence[frozenset[int]]) -> None:
        """Come back to what was kept."""
        for person, wanted in enumerate(state):
            if wanted != self.kept[person]:
                for item in sorted(self.kept[person] - wanted, reverse=True):
                    self._take(person, item)
                for item in sorted(wanted - self.kept[person]):
                    self._put(person, item)

    def anneal(self, steps: int, *, shape: str, weight: float, hot: float, cold: float) -> None:
        """Leave facts out and take them back at random, less and less so."""
        self.cost = self._costs(shape)
        draw, counts, cost, slots = self.draw.random, self.counts, self.cost, self.slots_of
        total = steps * len(slots)
        heat = hot
        for step in range(total):
            if not step % 128:
                heat = hot * (cold / hot) ** (step / total)
            person, item, worth = slots[int(draw() * len(slots))]
            if not self._movable(person, item):
                continue
            kept = self.kept[person]
            goes = item in kept
            if goes:
                kept.discard(item)
            keys = self._touched(item, kept)
            by = -1 if goes else 1
            change = weight * sum(cost[counts[key] + by] - cost[counts[key]] for key in keys) - by * worth
            if change <= 0 or draw() < math.exp(-change / heat):
                for key in keys:
                    counts[key] += by
                if not goes:
                    kept.add(item)
            elif goes:
                kept.add(item)

    def repair(self) -> None:
        """Leave facts out until every set that anybody has is shared by k, then take back what does no harm."""
        cost, counts = self._costs("near"), self.counts

        def wrong(person: int, item: int) -> float:
            kept = self.kept[person]
            if item not in kept or self.after[item] in kept:
                return 0.0
            return sum(cost[counts[key]] for key in self._touched(item, kept - {item}))

        while bad := [
            (worth / missed, person, item) for person, item, worth in self.slots_of if (missed := wrong(person, item))
        ]:
            for _, person, item in sorted(bad)[: max(1, len(bad) // 8)]:
                if wrong(person, item):
                    self._take(person, item)
        for person, item, _ in sorted(self.slots_of, key=lambda each: (-each[2], each[0], each[1])):
            kept = self.kept[person]
            back = item not in kept and self._movable(person, item)
            if back and all(counts[key] >= self.k for key in self._touched(item, kept)):
                self._put(person, item)

    @property
    def worth(self) -> float:
        """How much is kept."""
        return sum(worth for person, item, worth in self.slots_of if item in self.kept[person])

    def result(self) -> Kept:
        """Return what is kept."""
        return self.base.kept(self.cut, [{self.items[item] for item in kept} for kept in self.kept])


_WAYS = (("flat", 0.6), ("near", 0.4), ("rising", 0.3), ("near", 0.7), ("flat", 1.0), ("rising", 0.6))
"""Shapes and weights of what sets cost that too few people share; none is best for all tables."""
_KICKS = 100


def _searched(base: _Base, draw: random.Random, effort: float) -> Kept:
    """Return the best that several cuts and annealings find."""
    cuts = [base.cut(least, covering=True) for least in _thresholds(base)]
    tried = [(_annealed(base, cut, draw, effort, *_WAYS[0]), at) for at, cut in enumerate(cuts) if cut not in cuts[:at]]
    best, at = max(tried, key=lambda each: (each[0].worth, -each[1]))
    for way in _WAYS[1:]:
        other = _annealed(base, cuts[at], draw, effort, *way)
        best = other if other.worth > best.worth else best
    for cut in _splits(base, best.cut):
        other = _annealed(base, {**best.cut, **cut}, draw, effort / 4, *_WAYS[1])
        best = other if other.worth > best.worth else best
    _kicked(best, round(_KICKS * effort))
    return best.result()


def _annealed(
    base: _Base, cut: Mapping[int, int], draw: random.Random, effort: float, shape: str, weight: float
) -> _Annealing:
    """Return what one annealing leaves of a cut, with k people for every set."""
    found = _Annealing(base, cut, draw)
    found.anneal(max(1, round(_STEPS * effort)), shape=shape, weight=weight, hot=0.6, cold=0.05)
    found.repair()
    return found


def _kicked(best: _Annealing, times: int) -> None:
    """Improve what is kept: again and again something is changed by force, and the rest follows it."""
    state, worth = best.state(), best.worth
    for number in range(times):
        for _ in range(1 + number % 3):
            best.kick()
        best.anneal(12, shape=_WAYS[number % 3][0], weight=_WAYS[number % 3][1], hot=0.2, cold=0.05)
        best.repair()
        if best.worth >= worth:
            state, worth = best.state(), best.worth
        else:
            best.restore(state)


def _thresholds(base: _Base) -> list[int]:
    """Return how many people a node should have: from k to everybody."""
    found: list[int] = []
    least = base.known.k
    while least < len(base.people) and len(found) < _CUTS:
        found.append(least)
        least *= 2
    return [*found, len(base.people) + 1]


def _splits(base: _Base, cut: Mapping[int, int]) -> Iterable[dict[int, int]]:
    """Give what one node of a cut becomes where it is split into those below it, the most frequent first."""
    paths = base.forest.paths
    facts = Counter[int]()
    for leaf, node in cut.items():
        facts[node] += base.times[leaf]
    for node, _ in sorted(facts.items(), key=lambda each: (-each[1], each[0])):
        inside = [leaf for leaf, own in cut.items() if own == node]
        finer = {leaf: paths[leaf][paths[leaf].index(node) - 1] for leaf in inside if paths[leaf][0] != node}
        if finer:
            yield finer
