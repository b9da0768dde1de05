"""Counts made by hand, in parts, through every model: the figure of each class, the worst, and who misses a threshold.

The laws ask the same of audits of whole tables; here nothing but the counts is between the models and the oracle, so
that a mistake in a kernel, a model or a tally is noticed at once.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tclose
from laws import oracle
from laws.audited import TREE, TREE_LEVELS
from tclose.models.catalogue import MODELS, Requirement
from tclose.models.counts import Part, sparse_block
from tclose.models.domains import arranged
from tclose.models.measuring import Measured, Task, measured, merged
from tclose.models.value_order import Observed

KINDS = {
    "ordered": (st.integers(-1, 3), "number", tclose.Ordered()),
    "numeric": (st.sampled_from([-7, 0, 1, 10]), "number", tclose.Numeric()),
    "nominal": (st.sampled_from(["", "x", "y", "10"]), "text", tclose.Nominal()),
    "hierarchical": (st.sampled_from("abcde"), "text", tclose.Hierarchical(TREE)),
}
NUDGES = (Fraction(0), Fraction(1, 10**30), -Fraction(1, 10**30))


@dataclass(frozen=True)
class Table:
    """Classes as counts of values, rows of theirs that have none, people who are elsewhere, and a reference."""

    kind: str
    classes: tuple[Counter[Any], ...]
    left_out: tuple[int, ...]
    elsewhere: tuple[int, ...]
    reference: Counter[Any] | None

    @cached_property
    def whole(self) -> Counter[Any]:
        return sum(self.classes, Counter())

    @property
    def sizes(self) -> list[int]:
        return [sum(counts.values()) + more for counts, more in zip(self.classes, self.left_out, strict=True)]

    @cached_property
    def expected(self) -> list[dict[str, Any]]:
        """Every model's figure of every class by hand; None where it has no value of the attribute."""
        reference = self.reference or self.whole
        levels = TREE_LEVELS if self.kind == "hierarchical" else {}
        attribute = oracle.Attribute(self.kind, tuple(sorted({*reference, *self.whole})), levels)
        found = []
        for counts, f, more in zip(self.classes, self.sizes, self.elsewhere, strict=True):
            figures: dict[str, Any] = {
                "k": f, "prosecutor": Fraction(1, f),
                "marketer": Fraction(1, f + more), "journalist": Fraction(1, f + more), "k_map": f + more,
                "presence_max": Fraction(f, f + more), "presence_min": Fraction(f, f + more),
            }  # fmt: skip
            if counts:
                figures |= oracle.attribute_figures(counts, reference, attribute)
            found.append(figures)
        return found

    def tasks(self, thresholds: dict[str, Fraction]) -> tuple[Any, list[Task]]:
        """The domain, and every model that can measure it, with the threshold that it has to meet."""
        kind = KINDS[self.kind][1]
        domain, _ = arranged("s", _observed(self.whole, kind), KINDS[self.kind][2], _reference(self.reference, kind))
        tasks = []
        for key, made in MODELS.items():
            model = made()
            if key == "nt" or (model.scope == "attribute" and model.refusal(domain)):
                continue
            required = (Requirement(model, thresholds[key]),) if key in thresholds else ()
            tasks.append(Task(model, 0 if model.scope == "attribute" else None, required))
        return domain, tasks

    def measured(self, domain: Any, tasks: list[Task], at: list[int]) -> Measured:
        """Some of the classes as one part, measured; its keys are the classes' numbers."""
        ranks = {value: rank for rank, value in enumerate(np.asarray(domain.values, dtype=object).tolist())}
        triples = [(i, ranks[value], n) for i, c in enumerate(at) for value, n in self.classes[c].items()]
        columns = [np.array(column, dtype=np.int64) for column in zip(*triples, strict=True)] or [np.zeros(0, int)] * 3
        block = sparse_block(columns[0], columns[1].astype(np.int32), columns[2], len(at))
        sizes = np.array([self.sizes[c] for c in at])
        people = sizes + np.array([self.elsewhere[c] for c in at])
        return measured(Part(np.array(at)[:, np.newaxis], sizes, (block,)), tasks, [domain], people)


def _observed(counts: Counter[Any], kind: Any) -> Observed:
    return Observed(list(counts), np.array(list(counts.values()), dtype=np.int64), kind)


def _reference(counts: Counter[Any] | None, kind: Any) -> Observed | None:
    return None if counts is None else _observed(counts, kind)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    kind = draw(st.sampled_from(sorted(KINDS)))
    histogram = st.dictionaries(KINDS[kind][0], st.integers(1, 4), max_size=4).map(Counter)
    first = draw(st.dictionaries(KINDS[kind][0], st.integers(1, 4), min_size=1, max_size=4).map(Counter))
    classes = (first, *draw(st.lists(histogram, max_size=5)))
    left_out = tuple(draw(st.integers(0, 2)) + (not counts) for counts in classes)
    elsewhere = tuple(draw(st.integers(0, 3)) for _ in classes)
    reference = draw(st.none() | histogram.filter(bool))
    return Table(kind, classes, left_out, elsewhere, reference)


@st.composite
def judged(draw: st.DrawFn) -> tuple[Table, dict[str, Fraction], list[list[int]]]:
    """A table, a threshold for each model at or just beside the figure of some class, and the classes in parts."""
    table = draw(tables())
    thresholds = {}
    for key, model in MODELS.items():
        known = [some[key] for some in table.expected if some.get(key) is not None and math.isfinite(some[key])]
        if not known or model.averaged:
            continue
        near = draw(st.sampled_from(known))
        exact = isinstance(near, Fraction | int)
        thresholds[key] = Fraction(near) + (draw(st.sampled_from(NUDGES)) if exact else Fraction(1, 10**6))
    places = draw(st.permutations(range(len(table.classes))))
    cuts = sorted(draw(st.sets(st.integers(1, max(1, len(places) - 1)), max_size=2)))
    parts = [places[low:high] for low, high in zip([0, *cuts], [*cuts, len(places)], strict=True)]
    return table, thresholds, [part for part in parts if part]


STRICT = {"recursive", "delta", "delta_present"}
"""The models whose definitions say "less than" (Machanavajjhala et al. 2007, Brickell and Shmatikov 2008)."""


def misses(key: str, figure: Any, threshold: Fraction) -> bool:
    if figure == threshold:
        return key in STRICT
    return bool(figure < threshold if key in oracle.LOW_IS_WORSE else figure > threshold)


@given(judged())
@settings(max_examples=150, deadline=None)
def test_counts_in_parts_have_the_figures_and_verdicts_of_a_calculation_by_hand(drawn):
    table, thresholds, parts = drawn
    domain, tasks = table.tasks(thresholds)
    found = [table.measured(domain, tasks, part) for part in parts]
    tallies = merged(found, tasks)
    sizes = table.sizes
    assert sum(part.size for part in found) == sum(sizes)
    assert sum(part.people for part in found) == sum(sizes) + sum(table.elsewhere)
    for at, (task, tally) in enumerate(zip(tasks, tallies, strict=True)):
        key = task.model.key
        figures = {c: table.expected[c].get(key) for c in range(len(sizes))}
        for part, classes in zip(found, parts, strict=True):
            by_hand = [math.nan if figures[c] is None else float(figures[c]) for c in classes]
            assert part.values[at].tolist() == pytest.approx(by_hand, rel=1e-11, abs=1e-13, nan_ok=True), key
        known = {c: figure for c, figure in figures.items() if figure is not None}
        if task.model.averaged:
            assert tally.average == sum(sizes[c] * risk for c, risk in known.items()) / sum(sizes)
            continue
        worst = oracle.worst(list(known.values()), key)
        exact = isinstance(worst, Fraction | int)
        assert tally.value == (worst if exact else pytest.approx(worst, rel=1e-11, abs=1e-13)), key
        near = 0 if exact else 1e-10
        tied = {c for c, figure in known.items() if figure == worst or abs(figure - worst) <= near}
        assert tally.tied == len(tied), key
        assert {int(c) for keys in tally.keys for c in keys.ravel()} == tied, key
        assert sorted(n for some in tally.sizes for n in some.tolist()) == sorted(sizes[c] for c in tied), key
        if key in thresholds:
            missing = [c for c, figure in known.items() if misses(key, figure, thresholds[key])]
            assert tally.failing_classes == [len(missing)], (key, thresholds[key])
            assert tally.failing_rows == [sum(sizes[c] for c in missing)], (key, thresholds[key])
    over = next(tally for task, tally in zip(tasks, tallies, strict=True) if task.model.key == "enhanced_beta")
    assert over.totals["pairs_over_cap"] == sum(pairs_over_cap(table, each) for each in table.classes)


def pairs_over_cap(table: Table, counts: Counter[Any]) -> int:
    """How many values of a class gain more than −ln q; one that the reference lacks does."""
    reference = table.reference or table.whole
    total, n = sum(reference.values()), sum(counts.values())
    known = [(Fraction(c * total, n * reference[v]) - 1, reference[v]) for v, c in counts.items() if reference[v]]
    return len(counts) - len(known) + sum(gain > 0 and gain > math.log(total / g) for gain, g in known)
