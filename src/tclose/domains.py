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

from tclose.counts import Distribution, Integers, Ranks
from tclose.distances.ground import Ground
from tclose.distances.line import LineGround
from tclose.distances.tree import TreeGround, nominal_ground
from tclose.errors import DomainError, counted
from tclose.exact import Number, fraction
from tclose.hierarchies import hierarchy_of
from tclose.readings import as_text, exact_number, number_in, whole_positions
from tclose.roles import Distance, Hierarchical, Nominal, Numeric, Ordered

Kind = Literal["number", "time", "truth", "text", "mixed"]


@dataclass(frozen=True)
class Observed:
    """The distinct values of a column and how many rows carry each; None is a missing value.

    ``categories`` is the order that the column itself declares, if it does. ``ascending`` says that the
    values are an array of whole numbers, ascending, with none missing.
    """

    values: Sequence[object] | NDArray[Any] = field(repr=False)
    counts: Integers
    kind: Kind
    categories: tuple[str, ...] | None = None
    ascending: bool = False


@dataclass(frozen=True)
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
    notes: tuple[str, ...]

    @property
    def reference(self) -> Distribution:
        """The distribution that classes are compared with."""
        return self.ground.reference

    @cached_property
    def positions(self) -> tuple[list[int], int] | None:
        """The values as whole multiples of one unit, and how many units make 1; None if they are not numbers."""
        if self.kind not in ("number", "time") and not isinstance(self.distance, Numeric):
            return None
        values = self.values.tolist() if isinstance(self.values, np.ndarray) else self.values
        numbers = [exact_number(value) for value in values]
        return whole_positions(found) if len(found := [n for n in numbers if n is not None]) == len(numbers) else None


@dataclass
class _Draft:
    """A domain in the making: values, the table's and the reference's counts, and what was noticed."""

    name: str
    values: list[object]
    counts: list[int]
    reference: list[int]
    kind: Kind
    origin: list[int]
    """For each value its position in the observed column; −1 for values that only the reference has."""
    left_out: int = 0
    notes: list[str] = field(default_factory=list)

    def keep(self, order: Sequence[int]) -> None:
        """Rearrange to the given positions, leaving out the others."""
        self.values = [self.values[i] for i in order]
        self.counts = [self.counts[i] for i in order]
        self.reference = [self.reference[i] for i in order]
        self.origin = [self.origin[i] for i in order]

    def add(self, value: object, weight: int) -> None:
        """Add a value that does not occur in the table."""
        self.values.append(value)
        self.counts.append(0)
        self.reference.append(weight)
        self.origin.append(-1)


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
    draft = _draft(name, observed, reference)
    chosen = _declared(distance, draft, observed) if distance is not None else _usual(draft, observed)
    nulls_at = _settle_nulls(draft, chosen)
    if isinstance(chosen, Ordered):
        _order(draft, chosen)
    else:
        _sort_by_value(draft, quiet=True)
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
    return domain, ranks


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
    )
    return domain, np.arange(len(observed.values), dtype=np.int32)


def value_key(value: object) -> object:
    """Return what identifies a value across tables and types; a missing value is itself alone."""
    return None if value is None else as_text(value)


def _draft(name: str, observed: Observed, reference: Observed | Mapping[object, Number] | None) -> _Draft:
    counts = [int(count) for count in observed.counts]
    values = observed.values.tolist() if isinstance(observed.values, np.ndarray) else list(observed.values)
    draft = _Draft(name, values, counts, list(counts), observed.kind, list(range(len(counts))))
    if reference is None:
        return draft
    given = _weights(name, reference)
    at = {value_key(value): position for position, value in enumerate(draft.values)}
    draft.reference = [0] * len(counts)
    for value, weight in given:
        key = value_key(value)
        if key in at:
            draft.reference[at[key]] += weight
        else:
            at[key] = len(draft.values)
            draft.add(value, weight)
    strangers = sum(1 for count, weight in zip(draft.counts, draft.reference, strict=True) if count and not weight)
    if strangers:
        draft.notes.append(f"The reference lacks {counted(strangers, 'value')} that the table has.")
    if sum(draft.reference) == 0:
        raise DomainError(f"The reference for {name!r} holds no rows or shares; give at least one value a share.")
    return draft


def _weights(name: str, reference: Observed | Mapping[object, Number]) -> list[tuple[object, int]]:
    """Return values with whole-number weights; given shares are scaled by their common denominator."""
    if isinstance(reference, Observed):
        values = reference.values.tolist() if isinstance(reference.values, np.ndarray) else reference.values
        return list(zip(values, (int(count) for count in reference.counts), strict=True))
    shares = [fraction(share, f"The reference share of a value of {name!r}") for share in reference.values()]
    if any(share < 0 for share in shares):
        raise DomainError(f"The reference for {name!r} has a negative share; shares are counts or proportions.")
    whole, _ = whole_positions(shares)
    return list(zip(reference, whole, strict=True))


def _usual(draft: _Draft, observed: Observed) -> Distance:
    """Return the distance to take where none was declared, and note it."""
    if observed.categories is not None:
        draft.notes.append(f"Taken as ordered, in the order its categories declare; {_choose(draft.name)}")
        return _declared(Ordered(), draft, observed)
    draft.notes.append(_usual_note(draft.name, draft.kind))
    if draft.kind in ("number", "time"):
        return Ordered()
    texts = [value for value in draft.values if isinstance(value, str)]
    if texts and draft.kind == "text" and all(number_in(text) is not None for text in texts):
        draft.notes.append("Every value reads as a number, though the column is text: is it a scale?")
    return Nominal()


def _declared(distance: Distance, draft: _Draft, observed: Observed) -> Distance:
    """Return the distance asked for; an order that the column itself declares wins over that of its texts."""
    if observed.categories is None or not isinstance(distance, Ordered) or distance.order != "value":
        return distance
    occurring = {value for value in draft.values if isinstance(value, str)}
    categories = tuple(category for category in observed.categories if category in occurring)
    return replace(distance, order=categories) if len(categories) else distance


def _usual_note(name: str, kind: Kind) -> str:
    what = {"number": "numbers", "time": "dates or times", "truth": "truth values"}.get(kind, "text")
    word = "ordered" if kind in ("number", "time") else "nominal"
    return f"Taken as {word}, because it holds {what}; {_choose(name)}"


def _choose(name: str) -> str:
    return f"say {name}:ordered, :numeric, :nominal or :hierarchical to choose."


def _settle_nulls(draft: _Draft, distance: Distance) -> Literal["first", "last"] | None:
    """Move the missing value to the end, or out; return where it belongs if it stays on a scale."""
    present = [position for position, value in enumerate(draft.values) if value is not None]
    missing = [position for position, value in enumerate(draft.values) if value is None]
    if not missing:
        return None
    rows = sum(draft.counts[position] for position in missing)
    if distance.nulls == "drop":
        draft.keep(present)
        draft.left_out = rows
        draft.notes.append(f"{counted(rows, 'row')} without a value left out, as nulls='drop' says.")
        if not draft.values:
            raise DomainError(f"The column {draft.name!r} has no values at all; leave it out of the audit.")
        return None
    if distance.nulls == "error":
        if not rows:
            raise DomainError(
                f"The reference of the {distance.word} column {draft.name!r} has a missing value; leave it out."
            )
        choices = {"ordered": "drop, first or last", "nominal": "drop or category"}.get(distance.word, "drop")
        raise DomainError(
            f"The {distance.word} column {draft.name!r} has no value in {counted(rows, 'row')}; "
            f"say what a missing value means: --nulls {draft.name}={choices.split(',')[0]} (choices: {choices})."
        )
    draft.keep([*present, *missing])
    return None if distance.nulls == "category" else distance.nulls  # type: ignore[return-value]


def _order(draft: _Draft, distance: Ordered) -> None:
    """Bring the values into their order; a missing value, if it is still there, stays last."""
    if distance.order == "value":
        _sort_by_value(draft, quiet=False)
    elif distance.order == "frequency":
        _sort_by_value(draft, quiet=True)
        present = sum(1 for value in draft.values if value is not None)
        often = sorted(range(present), key=lambda position: -draft.reference[position])
        draft.keep([*often, *range(present, len(draft.values))])
    else:
        _follow(draft, distance.order)


def _sort_by_value(draft: _Draft, *, quiet: bool) -> None:
    """Sort by value: numbers and dates by size, text that reads as numbers too, other text by alphabet."""
    present = [position for position, value in enumerate(draft.values) if value is not None]
    rest = [position for position, value in enumerate(draft.values) if value is None]
    if (order := _native_order([draft.values[position] for position in present], draft.kind)) is not None:
        draft.keep([*(present[i] for i in order), *rest])
        return
    sizes = [exact_number(draft.values[position]) for position in present]
    if all(size is not None for size in sizes):
        order = sorted(range(len(present)), key=lambda i: (sizes[i], as_text(draft.values[present[i]])))
        if draft.kind == "text" and not quiet and present:
            draft.notes.append("The column is text that reads as numbers; it is ordered by those numbers.")
    elif quiet or all(size is None for size in sizes):
        order = sorted(range(len(present)), key=lambda i: as_text(draft.values[present[i]]))
        if not quiet:
            draft.notes.append(
                f"The column is text in alphabetical order; give the scale with --order {draft.name}=first,second,…"
            )
    else:
        some = sum(1 for size in sizes if size is not None)
        raise DomainError(
            f"The ordered column {draft.name!r} mixes numbers and text ({some} of {len(sizes)} distinct values read "
            f"as numbers); give the scale with --order {draft.name}=first,second,… or make it nominal."
        )
    draft.keep([*(present[i] for i in order), *rest])


def _native_order(values: list[Any], kind: Kind) -> list[int] | None:
    """Return the order of values that Python itself can compare, or None where it cannot."""
    if kind not in ("number", "time", "truth"):
        return None
    try:
        return sorted(range(len(values)), key=values.__getitem__)
    except TypeError:  # numbers beside texts, from a reference of another type
        return None


def _follow(draft: _Draft, order: str | tuple[object, ...]) -> None:
    """Bring the values into a given order; values that only the order names count as possible."""
    wanted = [as_text(value) for value in order]
    if len(set(wanted)) < len(wanted):
        raise DomainError(f"The order given for {draft.name!r} names a value twice; name each once.")
    at = {value_key(value): position for position, value in enumerate(draft.values)}
    known = set(wanted)
    strangers = sum(1 for value in draft.values if value is not None and as_text(value) not in known)
    if strangers:
        raise DomainError(
            f"{strangers} of the {len(draft.values)} distinct values of {draft.name!r} are not in the order given for "
            "it; name every value once, from lowest to highest."
        )
    positions = []
    unused = 0
    for text in wanted:
        if text not in at:
            unused += 1
            at[text] = len(draft.values)
            draft.add(text, 0)
        positions.append(at[text])
    if unused:
        draft.notes.append(f"The order names {counted(unused, 'value')} that never occur and count as possible.")
    draft.keep([*positions, *([at[None]] if None in at else [])])


def _numbers(draft: _Draft) -> list[Fraction]:
    numbers = [exact_number(value) for value in draft.values]
    found = [number for number in numbers if number is not None]
    if len(found) < len(numbers):
        raise DomainError(
            f"The numeric column {draft.name!r} has {len(numbers) - len(found)} distinct values that are not finite "
            "numbers or dates; make it ordered with --order, or nominal."
        )
    if len(set(found)) < len(found):
        raise DomainError(
            f"The numeric column {draft.name!r} writes the same number in several ways; clean it, or make it nominal."
        )
    return found


def _ground(draft: _Draft, distance: Distance) -> Ground:
    reference = Distribution.of(draft.reference)
    rows = sum(draft.counts)
    if isinstance(distance, Numeric):
        whole, _ = whole_positions(_numbers(draft))
        gaps = tuple(after - before for before, after in itertools.pairwise(whole))
        return LineGround(reference, gaps, rows)
    if isinstance(distance, Ordered):
        return LineGround(reference, None, rows)
    if isinstance(distance, Hierarchical):
        tree = hierarchy_of(distance.tree, draft.name)
        codes = tree.codes([as_text(value) for value in draft.values], draft.name)
        return TreeGround(reference, tuple(level.astype(np.int64) for level in codes))
    return nominal_ground(reference)
