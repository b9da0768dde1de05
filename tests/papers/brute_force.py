"""Every number of the papers again, by the plainest possible calculation and without any of tclose."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from papers.tables import DISEASE_TREE, TABLES


def table_of(name: str) -> tuple[list[list[Any]], list[Any]]:
    """The classes and the whole of the sensitive column that goes by this name in expected.toml."""
    table, column = {
        "incidents": ("incidents", "incident"),
        "toy": ("toy", "value"),
        "salary": ("salary", "salary"),
        "disease": ("salary", "disease"),
        "merit": ("merit", "merit"),
        "li_table_5": ("li_table_5", "salary"),
        "li_table_5_disease": ("li_table_5", "disease"),
        "cancer": ("cancer", "disease"),
    }[name]
    return list(TABLES[table].classes(column).values()), TABLES[table].column(column)


def shares(values: Sequence[Any], domain: Sequence[Any]) -> list[Fraction]:
    return [Fraction(sum(value == wanted for value in values), len(values)) for wanted in domain]


def flows(values: Sequence[Any], whole: Sequence[Any], order: Sequence[Any]) -> list[Fraction]:
    """The signed mass over each edge between neighbours of the order."""
    p, q = shares(values, order), shares(whole, order)
    return [sum(p[: j + 1], Fraction(0)) - sum(q[: j + 1], Fraction(0)) for j in range(len(order) - 1)]


def ordered(values: Sequence[Any], whole: Sequence[Any], order: Sequence[Any]) -> Fraction:
    return sum((abs(flow) for flow in flows(values, whole, order)), Fraction(0)) / (len(order) - 1)


def nominal(values: Sequence[Any], whole: Sequence[Any]) -> Fraction:
    domain = set(whole) | set(values)
    return sum(
        (
            max(Fraction(0), mine - all_)
            for mine, all_ in zip(shares(values, list(domain)), shares(whole, list(domain)), strict=True)
        ),
        Fraction(0),
    )


def tree_paths(tree: Any = DISEASE_TREE, above: tuple[str, ...] = ()) -> dict[str, tuple[str, ...]]:
    """Every leaf of the disease tree with the labels above it, root first."""
    if isinstance(tree, list):
        return dict.fromkeys(tree, above)
    found: dict[str, tuple[str, ...]] = {}
    for label, below in tree.items():
        found |= tree_paths(below, (*above, label))
    return found


def tree_distance(one: str, other: str) -> Fraction:
    """The height of the lowest common ancestor in the disease tree, all of whose leaves are 3 deep."""
    if one == other:
        return Fraction(0)
    paths = tree_paths()
    shared = sum(a == b for a, b in zip(paths[one], paths[other], strict=True))
    return Fraction(3 - shared + 1, 3)


def cheapest_move(values: Sequence[str], whole: Sequence[str]) -> Fraction:
    """The hierarchical distance as the cheapest way of matching copies of both lists, one to one.

    Repeating the class and the table to equal lengths makes the transport problem an assignment problem
    with equal weights, solved here by scipy on whole numbers.
    """
    from scipy.optimize import linear_sum_assignment

    size = math.lcm(len(values), len(whole))
    mine = [value for value in values for _ in range(size // len(values))]
    theirs = [value for value in whole for _ in range(size // len(whole))]
    cost = [[int(3 * tree_distance(a, b)) for b in theirs] for a in mine]
    rows, columns = linear_sum_assignment(cost)
    total = sum(cost[row][column] for row, column in zip(rows, columns, strict=True))
    return Fraction(total, 3 * size)


def kl(values: Sequence[Any], whole: Sequence[Any]) -> float:
    """KL(P||Q) in nats."""
    counts, all_ = Counter(values), Counter(whole)
    return sum(
        n / len(values) * math.log((n / len(values)) / (all_[value] / len(whole))) for value, n in counts.items()
    )


def jensen_shannon(p: Sequence[float], q: Sequence[float]) -> float:
    """Jensen-Shannon divergence in bits."""
    middle = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    halves = [sum(x * math.log2(x / m) for x, m in zip(side, middle, strict=True) if x > 0) / 2 for side in (p, q)]
    return sum(halves)


def smoothed(p: Sequence[float], bandwidth: float) -> list[float]:
    """Epanechnikov smoothing over ranks 0..1, renormalised."""
    m = len(p)
    out = []
    for i in range(m):
        kernel = [max(0.0, 1 - (abs(i - j) / (m - 1) / bandwidth) ** 2) for j in range(m)]
        out.append(sum(k * x for k, x in zip(kernel, p, strict=True)) / sum(kernel))
    return [x / sum(out) for x in out]


def recursive_c(values: Sequence[Any], level: int) -> Fraction | float:
    """The infimum of c for which the class is (c, level)-diverse."""
    counts = sorted(Counter(values).values(), reverse=True)
    tail = sum(counts[level - 1 :])
    return Fraction(counts[0], tail) if tail else math.inf


def gains(values: Sequence[Any], whole: Sequence[Any]) -> dict[Any, Fraction]:
    """The relative gain (p - q)/q of every value of the table."""
    domain = sorted(set(whole), key=str)
    p, q = shares(values, domain), shares(whole, domain)
    return {value: (a - b) / b for value, a, b in zip(domain, p, q, strict=True)}


def delta_present_only(values: Sequence[Any], whole: Sequence[Any]) -> float:
    """The largest |ln(p/q)| over the values present in the class."""
    return max(abs(math.log(float(1 + gain))) for gain in gains(values, whole).values() if gain > -1)
