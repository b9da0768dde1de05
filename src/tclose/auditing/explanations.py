"""An explanation: the whole calculation of one class's distance as exact data, ready to be told or drawn."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tclose.data.hierarchies import Hierarchy, hierarchy_of
from tclose.data.text_encoding import holdable
from tclose.data.values import as_text
from tclose.errors import InputError, InternalError
from tclose.models.base import AttributeModel, Exact, Model
from tclose.models.catalogue import measurable_models
from tclose.models.counts import Block, ClassPeople, PeopleBlock, Unit, sparse_block
from tclose.models.distances.earth_movers import LineGround, TreeGround, exact_distance
from tclose.models.distances.people import prevalence as block_prevalence
from tclose.models.distances.people import summed_distances
from tclose.models.domains import Domain
from tclose.models.measuring import compared
from tclose.models.transport import Move, Rule, edge_flows, line_plan, tree_flows, tree_plan
from tclose.policy.exact_numbers import Number, fraction
from tclose.policy.roles import Distance, Hierarchical

if TYPE_CHECKING:
    from tclose.auditing.results import Evidence
    from tclose.reports.formats.animations import Animation


@dataclass(frozen=True)
class Step:
    """One move of the plan; positions count from 1 in the attribute's order."""

    start: int
    end: int
    mass: Fraction
    distance: Fraction
    """How far apart the two values are, between 0 and 1."""
    remainder: Fraction
    """What is left of the class's mass at the start after this move."""

    @property
    def cost(self) -> Fraction:
        """Mass times distance."""
        return self.mass * self.distance


@dataclass(frozen=True)
class Term:
    """One term of the definition on a line: the running sum after a value, and what it adds."""

    position: int
    difference: Fraction
    """p − q at this position."""
    running: Fraction
    """S, the sum of the differences so far: the net flow to the next value, positive to the right."""
    total: Fraction
    """The sum of the terms |S|·gap so far, before the division by the scale."""


@dataclass(frozen=True)
class Shift:
    """A value that is commoner or rarer in the class than in the reference."""

    position: int
    value: object = field(repr=False)
    inside: Fraction
    outside: Fraction

    @property
    def difference(self) -> Fraction:
        """P − q: positive where the class has more of the value."""
        return self.inside - self.outside


@dataclass(frozen=True)
class Share:
    """How many people of the class and of the reference have a value, and how near the others are to it."""

    position: int
    value: object = field(repr=False)
    inside: Fraction
    """The share of the class's people who have the value anywhere in the table."""
    outside: Fraction
    """The share of all people who have it."""
    near: Fraction
    """The mean distance, in the class, from this value to a person's nearest one."""
    usual: Fraction
    """The same of all people."""

    @property
    def apart(self) -> Fraction:
        """How much the mean distances differ; where any two values are equally far apart, so do the shares."""
        return abs(self.near - self.usual)


@dataclass(frozen=True)
class Explanation:
    """Why one class is as far from the reference as it is.

    Parameters
    ----------
    source
        The table, as reports name it.
    reference
        What the class is compared with, in words.
    key
        The class: its quasi-identifiers.
    domain
        The sensitive attribute.
    counts
        How many rows of the class carry each value, in the attribute's order; or people, where they are counted.
    rule
        Which of the optimal plans is shown.
    unit
        What is counted.
    shows_people
        Whether the class is so small that it shows single people.
    people
        The people of the class, where somebody in the table has several values.
    beside
        The same class judged in the other way, which is no worse, where missing values count as a value; this one has
        them or leaves them out.
    """

    source: str
    reference: str
    key: Mapping[str, object] = field(repr=False)
    domain: Domain
    counts: tuple[int, ...] = field(repr=False)
    rule: Rule = "stay"
    unit: Unit = "rows"
    shows_people: bool = False
    people: ClassPeople | None = field(default=None, repr=False)
    beside: Explanation | None = field(default=None, repr=False)

    @property
    def attribute(self) -> str:
        """The name of the sensitive attribute."""
        return self.domain.name

    @property
    def distance(self) -> Distance:
        """How far apart two values of the attribute are."""
        return self.domain.distance

    @cached_property
    def values(self) -> list[object]:
        """The values in the attribute's order."""
        values = self.domain.values
        return values.tolist() if isinstance(values, np.ndarray) else list(values)

    @cached_property
    def size(self) -> int:
        """Rows of the class that carry a value."""
        return sum(self.counts)

    @property
    def total(self) -> int:
        """Rows of the reference."""
        return self.domain.reference.total

    @cached_property
    def reference_counts(self) -> tuple[int, ...]:
        """How many rows of the reference carry each value."""
        return tuple(self.domain.reference.counts.tolist())

    @cached_property
    def inside(self) -> list[Fraction]:
        """P: the distribution of the class."""
        return [Fraction(count, self.size) for count in self.counts]

    @cached_property
    def outside(self) -> list[Fraction]:
        """Q: the distribution of the reference."""
        return [Fraction(count, self.total) for count in self.reference_counts]

    @property
    def on_a_line(self) -> bool:
        """Whether the values lie on a line (ordered, numeric) rather than in a tree (nominal, hierarchical)."""
        return isinstance(self.domain.ground, LineGround)

    @property
    def scale(self) -> int:
        """What the sum of flows, or of level distances, is divided by."""
        return self.domain.ground.scale

    @cached_property
    def gaps(self) -> list[int]:
        """On a line: the distance from each value to the next, in whole units."""
        ground = self.domain.ground
        if not isinstance(ground, LineGround):
            return []
        return list(ground.gaps) if ground.gaps is not None else [1] * (ground.values - 1)

    @cached_property
    def levels(self) -> list[list[int]]:
        """In a tree: for each level from the leaves up, the group of each value; the root is left out."""
        ground = self.domain.ground
        return [level.tolist() for level in ground.levels] if isinstance(ground, TreeGround) else []

    @cached_property
    def hierarchy(self) -> Hierarchy | None:
        """The hierarchy of a hierarchical attribute, for its labels."""
        distance = self.domain.distance
        return hierarchy_of(distance.tree, self.attribute) if isinstance(distance, Hierarchical) else None

    def label(self, position: int, level: int) -> str:
        """Return the label of a value's ancestor; positions count from 1."""
        text = as_text(self.values[position - 1])
        return self.hierarchy.ancestor(text, level) if self.hierarchy is not None else text

    @cached_property
    def _masses(self) -> tuple[list[int], list[int]]:
        """P and Q as whole multiples of 1/(n·N)."""
        return [count * self.total for count in self.counts], [g * self.size for g in self.reference_counts]

    @cached_property
    def flows(self) -> list[Fraction]:
        """On a line: the net mass over each edge, A₁ … A_{m−1}, positive to the right; in a tree: empty."""
        unit = self.size * self.total
        return [Fraction(flow, unit) for flow in edge_flows(*self._masses)] if self.on_a_line else []

    @cached_property
    def tree_flows(self) -> list[list[Fraction]]:
        """In a tree: for each level, the net mass that leaves each group upward; on a line: empty."""
        unit = self.size * self.total
        return [[Fraction(mass, unit) for mass in level] for level in tree_flows(*self._masses, self.levels)]

    @cached_property
    def terms(self) -> list[Term]:
        """On a line: the definition term by term, as the tutorial's one-pass algorithm adds it up."""
        found, running, total = [], Fraction(0), Fraction(0)
        for at, (p, q) in enumerate(zip(self.inside, self.outside, strict=True)):
            running += p - q
            total += abs(running) * (self.gaps[at] if at < len(self.gaps) else 0)
            found.append(Term(at + 1, p - q, running, total))
        return found if self.on_a_line else []

    @cached_property
    def moves(self) -> list[Step]:
        """The moves of an optimal plan, in the order of their positions."""
        plan = line_plan(*self._masses, self.rule) if self.on_a_line else tree_plan(*self._masses, self.levels)
        unit = self.size * self.total
        left = dict(enumerate(self._masses[0]))
        steps = []
        for move in plan:
            left[move.start] -= move.mass
            steps.append(
                Step(
                    start=move.start + 1,
                    end=move.end + 1,
                    mass=Fraction(move.mass, unit),
                    distance=self._apart(move),
                    remainder=Fraction(left[move.start], unit),
                )
            )
        return steps

    @cached_property
    def _places(self) -> list[int]:
        places = [0]
        for gap in self.gaps:
            places.append(places[-1] + gap)
        return places

    def _apart(self, move: Move) -> Fraction:
        if self.on_a_line:
            return Fraction(abs(self._places[move.start] - self._places[move.end]), self.scale)
        return Fraction(sum(1 for level in self.levels if level[move.start] != level[move.end]), self.scale)

    @cached_property
    def block(self) -> Block:
        """The class as counts, for the models."""
        ranks = np.flatnonzero(np.array(self.counts)).astype(np.int32)
        counts = np.array([self.counts[rank] for rank in ranks], dtype=np.int64)
        block = sparse_block(np.zeros(len(ranks), dtype=np.int64), ranks, counts, 1)
        if self.people is None:
            return block
        held = self.people.sets
        sets = np.flatnonzero((held.people > 0) & (held.lengths > 0)).astype(np.int32)
        of_sets = sparse_block(np.zeros(len(sets), dtype=np.int64), sets, held.people[sets], 1)
        return replace(block, people=PeopleBlock(np.array([self.people.valued], dtype=np.int64), of_sets, held))

    @cached_property
    def shares(self) -> list[Share]:
        """The values by how differently near people of the class and of the reference are to them, most first.

        Empty where nobody has several values: the two distributions then say it all.
        """
        reference, prevalence = self.domain.people, self.domain.prevalence
        if self.people is None or reference is None or prevalence is None or not prevalence.total:
            return []
        here = block_prevalence(self.people.sets, len(self.values))
        if not here.total:
            return []
        found = [
            Share(
                at + 1,
                value,
                Fraction(int(here.counts[at]), here.total),
                Fraction(int(prevalence.counts[at]), prevalence.total),
                Fraction(near, here.total * max(self.scale, 1)),
                Fraction(usual, prevalence.total * max(self.scale, 1)),
            )
            for at, (value, near, usual) in enumerate(
                zip(
                    self.values,
                    summed_distances(self.domain.ground, self.people.sets),
                    summed_distances(self.domain.ground, reference),
                    strict=True,
                )
            )
        ]
        return sorted(found, key=lambda share: (-share.apart, -abs(share.inside - share.outside), share.position))

    @cached_property
    def telling(self) -> Share | None:
        """The value that tells most of people: one that all of the class's people have, else the one furthest apart."""
        certain = (share for share in self.shares if share.inside == 1 and share.outside < 1)
        return next(
            certain, next((share for share in self.shares if share.apart or share.inside != share.outside), None)
        )

    @property
    def t(self) -> Fraction:
        """What an audit calls t: the distance, or what people are apart where that is more."""
        return max(self.value, self.shares[0].apart) if self.shares else self.value

    @cached_property
    def value(self) -> Fraction:
        """The distance, from the kernel that audits use; the plan and the flows must agree with it."""
        x, y = self.domain.ground.parts(self.block)
        value = exact_distance(self.domain.ground, int(x[0]), int(y[0]), self.size)
        if not value == self.plan_cost == self.flow_cost:
            raise InternalError(f"Three ways to the distance of {self.attribute!r} disagree.")
        return value

    @cached_property
    def plan_cost(self) -> Fraction:
        """The sum of mass times distance over the moves."""
        return sum((step.cost for step in self.moves), Fraction(0))

    @cached_property
    def flow_cost(self) -> Fraction:
        """The sum of the flows over the edges, each times its length."""
        if self.scale == 0:
            return Fraction(0)
        if self.on_a_line:
            return self.terms[-1].total / self.scale
        upward = sum((mass for level in self.tree_flows for mass in level if mass > 0), Fraction(0))
        return upward / self.scale

    @cached_property
    def shifts(self) -> list[Shift]:
        """The values whose share in the class differs from the reference, largest difference first."""
        gaps = [mass - hole for mass, hole in zip(*self._masses, strict=True)]
        order = sorted((at for at, gap in enumerate(gaps) if gap), key=lambda at: (-abs(gaps[at]), at))
        return [Shift(at + 1, self.values[at], self.inside[at], self.outside[at]) for at in order]

    @cached_property
    def other_models(self) -> dict[str, tuple[Model, Exact]]:
        """How the other models see the same class, by model key; in both ways of judging, the worse."""
        found = self._other_models
        if self.beside is None:
            return found
        others = self.beside._other_models
        return {
            key: others[key] if key in others and compared(others[key][1], value, model) > 0 else (model, value)
            for key, (model, value) in found.items()
        }

    @cached_property
    def _other_models(self) -> dict[str, tuple[Model, Exact]]:
        found: dict[str, tuple[Model, Exact]] = {}
        for model in measurable_models(population=False):
            if isinstance(model, AttributeModel) and model.key != "t" and not model.refusal(self.domain):
                figures = model.measure(self.block, self.domain)
                if figures.parts is None:
                    found[model.key] = (model, float(figures.values[0]))
                else:
                    found[model.key] = (model, model.exact(self.domain, *(int(part[0]) for part in figures.parts)))
        return found

    def animation(self, threshold: Number | None = None, *, edges: bool = False) -> Animation:
        """Return the earth as it is moved: a picture that plays, with controls in a notebook.

        Parameters
        ----------
        threshold
            What t must not exceed; drawn on the bar of the cost.
        edges
            Carry the earth from each value to the next, A₁ … A_{m−1}, instead of moving it into the holes; only where
            the values lie on a line.

        Examples
        --------
        >>> import tclose
        >>> (explanation,) = tclose.explain("example:salary", attribute="salary")
        >>> explanation.animation("0.3").steps, explanation.animation(edges=True).steps
        (6, 8)
        """
        from tclose.reports.formats.animations import animation

        if edges and not self.on_a_line:
            raise InputError(f"{self.attribute!r} has no edges: its values do not lie on a line. Leave out edges=True.")
        return animation(self, None if threshold is None else fraction(threshold, "threshold"), edges=edges)

    def _repr_html_(self) -> str:
        return Explanations((self,))._repr_html_()

    def __str__(self) -> str:
        return str(Explanations((self,)))


def explained(
    evidence: Evidence,
    key: Mapping[str, object],
    source: str,
    reference: str,
    rule: Rule = "stay",
    unit: Unit = "rows",
    *,
    shows_people: bool = False,
) -> Explanation:
    """Return the explanation of one class; where missing values count as a value, judged in the worse way.

    Parameters
    ----------
    evidence
        The counts of one attribute.
    key
        The class.
    source, reference, rule, unit, shows_people
        As :class:`Explanation` has them.
    """

    def judged(found: Evidence) -> Explanation:
        counts, people = tuple(found.histogram(key)), found.held(key)
        return Explanation(source, reference, key, found.domain, counts, rule, unit, shows_people, people)

    first = judged(evidence)
    if evidence.present is None or not any(evidence.present.histogram(key)):
        return first
    second = judged(evidence.present)
    worse, other = (second, first) if second.t > first.t else (first, second)
    return replace(worse, beside=other)


@dataclass(frozen=True)
class Explanations:
    """One explanation or several; print it, show it in a notebook, or render it."""

    items: tuple[Explanation, ...]

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, at: int) -> Explanation:
        return self.items[at]

    def to_dict(self) -> dict[str, Any]:
        """Return the explanations as JSON-ready data; ``docs/explanation.schema.json`` describes it."""
        from tclose.reports.machine_readable.explanations import explanations_data

        return explanations_data(self.items)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the explanations as JSON text."""
        from tclose.reports.machine_readable.audits import json_text

        return json_text(self.to_dict(), indent=indent)

    def to_markdown(self) -> str:
        """Return the explanations as Markdown."""
        from tclose.reports.content.explanations import explanation_documents
        from tclose.reports.formats.markdown import markdown

        return markdown(*explanation_documents(self.items))

    def to_latex(self) -> str:
        """Return the explanations as a LaTeX document that compiles."""
        from tclose.reports.content.explanations import explanation_documents
        from tclose.reports.formats.latex import latex

        return latex(*explanation_documents(self.items))

    def __str__(self) -> str:
        from tclose.reports.content.explanations import explanation_documents
        from tclose.reports.formats.text import text

        return holdable(text(*explanation_documents(self.items)), sys.stdout)

    def _repr_html_(self) -> str:
        from tclose.reports.content.explanations import explanation_documents
        from tclose.reports.formats.html import fragment
        from tclose.reports.phrases.cells import unfoldered

        return fragment(*explanation_documents(tuple(map(unfoldered, self.items))))
