"""Every privacy model again, by the plainest calculation, class by class; nothing of tclose is used.

A table is a list of (key, value) rows. Fractions where the figure is rational, floats where it is not,
``None`` where a class has no value at all and hence no figure.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

Ground = Callable[[int, int], Fraction]
"""The distance of two values by their ranks, between 0 and 1."""


@dataclass(frozen=True)
class Attribute:
    """A sensitive attribute: its values in their order and how far apart they are.

    ``distance`` is ordered, numeric, nominal or hierarchical; ``levels`` gives, for a hierarchy, the
    ancestors of each value from the value itself up to, but without, the root.
    """

    distance: str
    order: tuple[Any, ...]
    levels: Mapping[Any, tuple[Any, ...]] = field(default_factory=dict)

    def apart(self, i: int, j: int) -> Fraction:
        """How far apart the values of two ranks are."""
        if i == j:
            return Fraction(0)
        if self.distance == "ordered":
            return Fraction(abs(i - j), len(self.order) - 1)
        if self.distance == "numeric":
            span = Fraction(self.order[-1]) - Fraction(self.order[0])
            return abs(Fraction(self.order[i]) - Fraction(self.order[j])) / span
        if self.distance == "nominal":
            return Fraction(1)
        mine, other = self.levels[self.order[i]], self.levels[self.order[j]]
        return Fraction(sum(a != b for a, b in zip(mine, other, strict=True)), len(mine))

    def emd(self, p: Sequence[Fraction], q: Sequence[Fraction]) -> Fraction:
        """The earth mover's distance of two distributions."""
        if len(self.order) == 1:
            return Fraction(0)
        if self.distance in ("ordered", "numeric"):
            total, flow = Fraction(0), Fraction(0)
            for j in range(len(p) - 1):
                flow += p[j] - q[j]
                total += abs(flow) * self.apart(j, j + 1)
            return total
        levels = [self.levels.get(value, (value,)) for value in self.order]
        found = Fraction(0)
        for level in range(len(levels[0])):
            mass: defaultdict[Hashable, Fraction] = defaultdict(Fraction)
            for ancestors, a, b in zip(levels, p, q, strict=True):
                mass[ancestors[level]] += a - b
            found += sum((abs(extra) for extra in mass.values()), Fraction(0)) / 2
        return found / len(levels[0])


def shares(counts: Mapping[Any, int], order: Sequence[Any]) -> list[Fraction]:
    total = sum(counts.values())
    return [Fraction(counts.get(value, 0), total) for value in order]


def jensen_shannon(p: Sequence[float], q: Sequence[float]) -> float:
    found = 0.0
    for a, b in zip(p, q, strict=True):
        middle = (a + b) / 2
        found += a * math.log2(a / middle) if a else 0.0
        found += b * math.log2(b / middle) if b else 0.0
    return found / 2


def smooth(p: Sequence[Fraction], attribute: Attribute, bandwidth: Fraction) -> list[float]:
    raw = []
    for i in range(len(p)):
        weights = [max(Fraction(0), 1 - (attribute.apart(i, j) / bandwidth) ** 2) for j in range(len(p))]
        raw.append(sum((w * x for w, x in zip(weights, p, strict=True)), Fraction(0)) / sum(weights))
    total = sum(raw)
    return [float(value / total) for value in raw]


def attribute_figures(
    counts: Mapping[Any, int],
    reference: Mapping[Any, int],
    attribute: Attribute,
    *,
    level: int = 2,
    bandwidth: Fraction = Fraction(1, 4),
    distinct: int = 1,
    epsilon: Fraction = Fraction(1),
) -> dict[str, Any]:
    """The figures of one class from its counts and the reference's."""
    n, total = sum(counts.values()), sum(reference.values())
    p, q = shares(counts, attribute.order), shares(reference, attribute.order)
    held = [(a, b) for a, b in zip(p, q, strict=True) if a]
    ratios = [a / b if b else math.inf for a, b in held]
    descending = sorted(counts.values(), reverse=True)
    tail = sum(descending[level - 1 :])
    beta = max(*ratios, Fraction(1)) - 1
    capped = any(ratio - 1 > (-math.log(b) if b else 0) and b != 1 for ratio, (_, b) in zip(ratios, held, strict=True))
    lacks = any(a == 0 and b > 0 for a, b in zip(p, q, strict=True))
    found = {
        "l": len(counts),
        "p": len(counts),
        "t": attribute.emd(p, q),
        "alpha": Fraction(descending[0], n),
        "entropy_l": math.exp(-sum(float(a) * math.log(a) for a, _ in held)),
        "recursive": Fraction(descending[0], tail) if tail else math.inf,
        "kl": sum(float(a) * math.log(a / b) if b else math.inf for a, b in held),
        "js": jensen_shannon([float(a) for a in p], [float(b) for b in q]),
        "smoothed_js": jensen_shannon(smooth(p, attribute, bandwidth), smooth(q, attribute, bandwidth)),
        "beta": beta,
        "enhanced_beta": math.inf if capped else beta,
        "delta": math.inf if lacks or math.inf in ratios else max(abs(math.log(ratio)) for ratio in ratios),
        "delta_present": math.inf if math.inf in ratios else max(abs(math.log(ratio)) for ratio in ratios),
    }
    if all(isinstance(value, int | float | Fraction) for value in attribute.order):
        values = [Fraction(value) for value in counts]
        found["ke"] = max(values) - min(values) if len(values) >= distinct else Fraction(-1)
        found["proximity"] = min(
            Fraction(n, sum(count for other, count in counts.items() if abs(Fraction(other) - value) <= epsilon))
            for value in values
        )
    numbers = {value: count for value, count in counts.items() if value is not None}
    present = [value for value in attribute.order if value is not None]
    if numbers and attribute.distance != "nominal" and all(isinstance(value, int | float) for value in present):
        found["band"] = narrowest_band(numbers, reference, Fraction(1, 2))[1]
    assert total > 0
    return found


def narrowest_band(
    counts: Mapping[Any, int], reference: Mapping[Any, int], share: Fraction
) -> tuple[Fraction, Fraction]:
    """The width of the narrowest interval that holds a share of a class, and the least of the reference that one has.

    Every interval between two numbers of the class is tried.
    """

    def within(some: Mapping[Any, int], low: Any, high: Any) -> int:
        return sum(count for value, count in some.items() if value is not None and low <= value <= high)

    enough = [
        (Fraction(high) - Fraction(low), Fraction(within(reference, low, high), sum(reference.values())))
        for low in counts
        for high in counts
        if within(counts, low, high) >= share * sum(counts.values())
    ]
    return min(enough)


def prevalence_figures(shares: Sequence[tuple[Fraction, Fraction]]) -> dict[str, Any]:
    """Figures of a class from the shares of its people, and of all people, who have each value."""
    gains = [p / q for p, q in shares if p]
    capped = any(p > q and p / q - 1 > -math.log(q) for p, q in shares)
    ratios = [abs(math.log(gain)) for gain in gains]
    return {
        "beta": max(*gains, Fraction(1)) - 1,
        "enhanced_beta": math.inf if capped else max(*gains, Fraction(1)) - 1,
        "delta": math.inf if any(not p for p, _ in shares) else max(ratios),
        "delta_present": max(ratios),
        "kl": max(
            sum(float(a) * math.log(a / b) if b else math.inf for a, b in ((p, q), (1 - p, 1 - q)) if a)
            for p, q in shares
        ),
        "js": max(jensen_shannon([float(p), float(1 - p)], [float(q), float(1 - q)]) for p, q in shares),
    }


def histograms(rows: Sequence[tuple[Hashable, Any]]) -> dict[Hashable, Counter[Any]]:
    """The counts of each class; values None that were dropped leave a class without counts."""
    found: dict[Hashable, Counter[Any]] = defaultdict(Counter)
    for key, value in rows:
        found[key][value] += 1
    return dict(found)


def nt_figure(
    key: tuple[Any, ...],
    classes: Mapping[tuple[Any, ...], Counter[Any]],
    attribute: Attribute,
    least: int,
) -> Fraction | float:
    """The distance of a class to the nearest class that results from dropping quasi-identifiers."""
    best: Fraction | float = math.inf
    mine = classes[key]
    columns = range(len(key))
    for kept in itertools.chain.from_iterable(itertools.combinations(columns, size) for size in range(len(key) + 1)):
        union: Counter[Any] = Counter()
        for other, counts in classes.items():
            if all(other[column] == key[column] for column in kept):
                union += counts
        if sum(union.values()) >= least:
            distance = attribute.emd(shares(mine, attribute.order), shares(union, attribute.order))
            best = min(best, distance)
    return best


LOW_IS_WORSE = frozenset({"k", "l", "p", "entropy_l", "ke", "proximity", "band", "k_map", "presence_min"})


def in_both_ways(with_missing: Mapping[Any, dict[str, Any]], without: Mapping[Any, dict[str, Any]]) -> None:
    """Make the figures of each class the worse of those with missing values as a value and of those without them."""
    for key, figures in with_missing.items():
        for name, figure in without[key].items():
            if name in figures and figure is not None:
                figures[name] = worst([figures[name], figure], name)


def worst(figures: Sequence[Any], key: str) -> Any:
    known = [figure for figure in figures if figure is not None]
    return (min if key in LOW_IS_WORSE else max)(known)
