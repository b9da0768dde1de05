"""The domain of a sensitive attribute: its values in their order, and how far apart they are."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tclose.data.hierarchies import Hierarchy, built_hierarchy, hierarchy_of, is_builder, named
from tclose.data.values import (
    UnclearNumbersError,
    as_text,
    line_of,
    reads_as_numbers,
    sizes_of,
    whole_positions,
    written_sizes,
)
from tclose.errors import Ask, DomainError, Hint, Note, counted
from tclose.models.counts import Distribution, Integers, Ranks, ValueSets, ranks_without
from tclose.models.distances.earth_movers import Ground, LineGround, TreeGround, nominal_ground
from tclose.models.distances.neighbours import Numbers
from tclose.models.distances.people import prevalence
from tclose.models.value_order import (
    Draft,
    Kind,
    Observed,
    bring_in_order,
    drafted,
    exact_numbers,
    null_asked,
    sort_by_value,
)
from tclose.policy.exact_numbers import Number
from tclose.policy.roles import Distance, Hierarchical, Nominal, Numeric, Ordered

_FEW_OF = 1000
"""One value in so many, and one at the least, is few: they should not make most of a range."""


@dataclass(frozen=True, eq=False)
class Domain:
    """The values of a sensitive attribute in their order, with a ground distance."""

    name: str
    distance: Distance
    values: Sequence[object] | NDArray[Any] = field(repr=False)
    counts: Integers
    ground: Ground
    kind: Kind
    left_out: int
    """Rows whose missing value was left out because ``nulls="drop"``."""
    notes: tuple[Note, ...]
    people: ValueSets | None = field(default=None, repr=False)
    """The sets of values that people of the reference have, where somebody there or in the table has several; None also
    where the reference knows no people."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Domain) and self._compared == other._compared

    def __hash__(self) -> int:
        return hash((self.name, self.kind, len(self.values)))

    @property
    def _compared(self) -> tuple[object, ...]:
        """All that makes the domain, arrays as lists; distance, values and reference make the ground."""
        listed = [*self.values], self.counts.tolist(), self.reference.counts.tolist()
        return self.name, self.distance, self.kind, self.left_out, self.notes, *listed

    @property
    def reference(self) -> Distribution:
        """The distribution that classes are compared with."""
        return self.ground.reference

    @cached_property
    def prevalence(self) -> Distribution | None:
        """How many people of the reference have each value, where somebody has several."""
        return None if self.people is None else prevalence(self.people, len(self.values))

    @property
    def largest_t(self) -> Fraction:
        """The largest distance that any class can have from the reference."""
        return self.ground.largest() if self.people is None else Fraction(min(self.ground.scale, 1))

    @cached_property
    def missing(self) -> int | None:
        """The rank of a missing value, where it counts as a value."""
        if isinstance(self.values, np.ndarray):
            return None
        return next((rank for rank, value in enumerate(self.values) if value is None), None)

    @cached_property
    def present(self) -> Domain | None:
        """The same without the missing value; None where it has none, or nothing else.

        A missing value is no value, though it counts as one: what is required must hold without it as well.
        """
        missing, reference = self.missing, self.reference.counts
        if missing is None or not (np.delete(self.counts, missing).any() and np.delete(reference, missing).any()):
            return None
        shares = Distribution.of(np.delete(reference, missing))
        line = isinstance(self.ground, LineGround)
        ranks = np.arange(len(self.values), dtype=np.int32)
        return replace(
            self,
            values=[value for value in self.values if value is not None],
            counts=np.delete(self.counts, missing),
            ground=LineGround(shares, None, int(self.counts.sum())) if line else nominal_ground(shares),
            left_out=int(self.counts[missing]),
            notes=(),
            people=None if self.people is None else self.people.renumbered(ranks_without(ranks, missing)),
        )

    @property
    def ways(self) -> tuple[Domain, ...]:
        """The ways in which classes are judged: as it is, and where a missing value counts as a value, without it."""
        return (self,) if self.present is None else (self, self.present)

    @cached_property
    def positions(self) -> tuple[list[int], int] | None:
        """The values as whole multiples of one unit, and how many units make 1; None if they are not numbers."""
        numbers = self._sizes
        return whole_positions(found) if len(found := [n for n in numbers if n is not None]) == len(numbers) else None

    @property
    def unit_words(self) -> str:
        """What a difference between two values is counted in, after its number; empty where these are numbers."""
        if self.kind != "time":
            return ""
        present = next((value for value in self.values if value is not None), None)
        return " days" if line_of(present) == "dates" else " microseconds"

    @cached_property
    def numbers(self) -> Numbers | None:
        """The numbers among the values, in ascending order, without a missing value; None if they are not numbers."""
        if self.positions is not None:
            whole, unit = self.positions
            return Numbers.of(whole, np.arange(len(whole)), len(whole), unit)
        present = np.array([rank for rank, value in enumerate(self.values) if value is not None], dtype=np.int64)
        sizes = self._sizes
        found = [size for rank in present.tolist() if (size := sizes[rank]) is not None] if sizes else []
        if not found or len(found) < len(present):
            return None
        whole, unit = whole_positions(found)
        return Numbers.of(whole, present, len(self.values), unit)

    @cached_property
    def _sizes(self) -> list[Fraction | None]:
        """The number of each value, where they are numbers or dates; None for a value that is none."""
        values = self.values.tolist() if isinstance(self.values, np.ndarray) else self.values
        if self.kind not in ("number", "time") and not isinstance(self.distance, Numeric):
            return [None] * len(values)
        try:
            return sizes_of(values)
        except UnclearNumbersError:
            return [None] * len(values)


def arranged(
    name: str,
    observed: Observed,
    distance: Distance | None,
    reference: Observed | Mapping[object, Number] | None = None,
) -> tuple[Domain, Ranks]:
    """Return the domain of an attribute and the rank of each observed value (−1 where left out).

    Parameters
    ----------
    name
        The column, for messages.
    observed
        The values in the audited table.
    distance
        How far apart values are; None takes the usual distance of their kind.
    reference
        What classes are compared with: another table's values, or a share for each value; None is the
        audited table itself.
    """
    if observed.ascending and reference is None and (distance is None or distance == Ordered()):
        return _ascending(name, observed, declared=distance is not None)
    draft = drafted(name, observed, reference)
    chosen = _declared(distance, draft, observed) if distance is not None else _usual(draft, observed)
    nulls_at = _settle_nulls(draft, chosen)
    if isinstance(chosen, Ordered):
        bring_in_order(draft, chosen)
    else:
        sort_by_value(draft, quiet=True)
    if nulls_at == "first":
        draft.keep([len(draft.values) - 1, *range(len(draft.values) - 1)])
    domain = Domain(
        name=name,
        distance=chosen,
        values=tuple(draft.values),
        counts=np.array(draft.counts, dtype=np.int64),
        ground=_ground(draft, chosen),
        kind=draft.kind,
        left_out=draft.left_out,
        notes=tuple(draft.notes),
    )
    ranks = np.full(len(observed.values), -1, dtype=np.int32)
    for rank, origin in enumerate(draft.origin):
        if origin >= 0:
            ranks[origin] = rank
    return replace(domain, people=_people(domain, draft, observed, ranks, reference)), ranks


def _people(
    domain: Domain,
    draft: Draft,
    observed: Observed,
    ranks: Ranks,
    reference: Observed | Mapping[object, Number] | None,
) -> ValueSets | None:
    """Return the sets of values of the reference's people, where somebody has several values."""
    if reference is None:
        return None if observed.people is None else observed.people.renumbered(ranks)
    if not isinstance(reference, Observed) or observed.people is reference.people is None:
        return None
    if reference.people is None:
        return ValueSets.alone(domain.reference.counts)
    places = np.full(len(reference.values), -1, dtype=np.int32)
    for rank, theirs in enumerate(draft.theirs):
        places[theirs] = rank
    return reference.people.renumbered(places)


def _ascending(name: str, observed: Observed, *, declared: bool) -> tuple[Domain, Ranks]:
    """Return the domain of whole numbers that are already in their order."""
    total = int(observed.counts.sum())
    domain = Domain(
        name=name,
        distance=Ordered(),
        values=observed.values,
        counts=observed.counts,
        ground=LineGround(Distribution(observed.counts, total), None, total),
        kind=observed.kind,
        left_out=0,
        notes=() if declared else (_usual_note(name, observed.kind),),
        people=observed.people,
    )
    return domain, np.arange(len(observed.values), dtype=np.int32)


def _usual(draft: Draft, observed: Observed) -> Distance:
    """Return the distance to take where none was declared, and note it."""
    if observed.categories is not None:
        text = "Taken as ordered, in the order of its categories."
        draft.notes.append(Note("taken-by-categories", text, _choose(draft.name, "nominal"), draft.name))
        return _declared(Ordered(), draft, observed)
    draft.notes.append(_usual_note(draft.name, draft.kind))
    if draft.kind in ("number", "time"):
        return Ordered()
    if draft.kind == "text":
        _question_numbers(draft)
    return Nominal()


def _question_numbers(draft: Draft) -> None:
    """Note that texts taken as nominal are numbers or dates, all of them or but for what may stand for missing ones."""
    texts = [value for value in draft.values if isinstance(value, str)]
    if reads_as_numbers(texts):
        text = "Every value reads as a number, though the column is text."
        draft.notes.append(Note("nominal-numbers", text, _scale_hint(draft.name), draft.name))
        return
    try:
        sized = len(texts) - list(written_sizes(texts).values()).count(None)
    except UnclearNumbersError:
        return
    if 2 * sized > len(texts) > sized:
        text = f"{sized:,} of its {len(texts):,} distinct values read as numbers or dates."
        hint = Hint("If the others stand for missing values, say so with {}: it is then ordered.", null_asked())
        draft.notes.append(Note("mostly-numbers", text, hint, draft.name))


def _declared(distance: Distance, draft: Draft, observed: Observed) -> Distance:
    """Return the distance asked for; an order that the column itself declares wins over that of its texts."""
    if observed.categories is None or not isinstance(distance, Ordered) or distance.order != "value":
        return distance
    occurring = {value for value in draft.values if isinstance(value, str)}
    categories = tuple(category for category in observed.categories if category in occurring)
    return replace(distance, order=categories) if len(categories) else distance


def _usual_note(name: str, kind: Kind) -> Note:
    what = {"number": "numbers", "time": "dates or times", "truth": "truth values"}.get(kind, "text")
    word = "ordered" if kind in ("number", "time") else "nominal"
    other = "nominal" if word == "ordered" else "ordered"
    return Note("taken-by-kind", f"Taken as {word}, because it holds {what}.", _choose(name, other), name)


def _choose(name: str, other: str) -> Hint:
    return Hint("Choose ordered, numeric, nominal or hierarchical, such as {}.", Ask("distance", other, name))


def _scale_hint(name: str) -> Hint:
    return Hint("If it is a scale, say so with {}.", Ask("distance", "ordered", name))


def _settle_nulls(draft: Draft, distance: Distance) -> Literal["first", "last"] | None:
    """Move the missing value to the end, or out; return where it belongs if it stays on a scale."""
    present = [position for position, value in enumerate(draft.values) if value is not None]
    missing = [position for position, value in enumerate(draft.values) if value is None]
    if not missing:
        return None
    rows = sum(draft.counts[position] for position in missing)
    if distance.nulls == "drop":
        draft.keep(present)
        draft.left_out = rows
        text = f"{counted(rows, 'row')} without a value left out, as asked."
        draft.notes.append(Note("missing-left-out", text, column=draft.name))
        if not draft.values:
            raise DomainError(
                f"The column {draft.name!r} has no values.", column=draft.name, hint=Hint("Leave it out of the audit.")
            )
        return None
    if distance.nulls == "error":
        if not rows:
            raise DomainError(
                f"The reference of the {distance.word} column {draft.name!r} has a missing value.",
                field="reference",
                column=draft.name,
                hint=Hint("Leave it out."),
            )
        *others, last = sorted(set(distance.null_choices) - {"error"}, key=("drop", "first", "last", "category").index)
        choices = f"{', '.join(others)} or {last}" if others else last
        first = others[0] if others else last
        raise DomainError(
            f"The {distance.word} column {draft.name!r} has no value in {counted(rows, 'row')}.",
            code="missing-values",
            field="nulls",
            column=draft.name,
            hint=Hint("Say what a missing value means ({}), such as {}.", choices, Ask("nulls", first, draft.name)),
        )
    draft.keep([*present, *missing])
    return None if distance.nulls == "category" else distance.nulls  # type: ignore[return-value]


def _tree(draft: Draft, distance: Hierarchical) -> Hierarchy:
    """Return the tree of a hierarchical attribute: as it was given, or built from the values by words."""
    if not isinstance(distance.tree, str) or not is_builder(distance.tree):
        return hierarchy_of(distance.tree, draft.name)
    with named(draft.name):
        return built_hierarchy(distance.tree, draft.values, draft.counts, draft.kind)


def _ground(draft: Draft, distance: Distance) -> Ground:
    reference = Distribution.of(draft.reference)
    rows = sum(draft.counts)
    if isinstance(distance, Numeric):
        whole, _ = whole_positions(exact_numbers(draft))
        _question_range(draft, whole)
        gaps = tuple(after - before for before, after in itertools.pairwise(whole))
        return LineGround(reference, gaps, rows)
    if isinstance(distance, Ordered):
        return LineGround(reference, None, rows)
    if isinstance(distance, Hierarchical):
        tree = _tree(draft, distance)
        texts = [as_text(value) for value in draft.values]
        codes = tree.naming(texts, draft.kind, draft.spelling).codes(texts, draft.name)
        return TreeGround(reference, tuple(level.astype(np.int64) for level in codes))
    return nominal_ground(reference)


def _question_range(draft: Draft, positions: Sequence[int]) -> None:
    """Note that few large values make most of the range that the numeric distance divides by."""
    few, above = -(-sum(draft.counts) // _FEW_OF), 0
    for position, count in zip(reversed(positions), reversed(draft.counts), strict=True):
        above += count
        if above > few:
            if 2 * (positions[-1] - position) > positions[-1] - positions[0]:
                text = (
                    "The largest 0.1 % of its values make more than half of its range, which the numeric distance "
                    "divides by: t is small however far apart the other values are."
                )
                hint = Hint("Take it as ordered ({}), or round it.", Ask("distance", "ordered", draft.name))
                draft.notes.append(Note("stretched-range", text, hint, draft.name))
            return


def recounted(domain: Domain, counts: Integers) -> tuple[Domain, Ranks]:
    """Return an attribute of which other rows are counted, and the new rank of each of its values.

    Values that no row has are left out; their rank is −1, and so is the last, which stands for rows without a rank.
    """
    there = np.flatnonzero(counts)
    values = domain.values.tolist() if isinstance(domain.values, np.ndarray) else domain.values
    observed = Observed([values[rank] for rank in there.tolist()], counts[there], domain.kind)
    found, places = arranged(domain.name, observed, domain.distance)
    ranks = np.full(len(counts) + 1, -1, dtype=np.int32)
    ranks[there] = places
    return found, ranks
