"""A domain in the making: the values of the table and of its reference under one roof."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tclose.domains.observed import Kind, Observed
from tclose.errors import DomainError, counted
from tclose.exact import Number, fraction
from tclose.notes import Note
from tclose.values import line_of, named_texts, respelled, same_text, whole_positions


@dataclass
class Draft:
    """A domain in the making: values, the table's and the reference's counts, and what was noticed."""

    name: str
    values: list[object]
    counts: list[int]
    reference: list[int]
    kind: Kind
    origin: list[int]
    """For each value its position in the observed column; −1 for values that only the reference has."""
    spelling: str
    theirs: list[list[int]]
    """For each value its positions in the reference's column, where the reference is one."""
    left_out: int = 0
    notes: list[Note] = field(default_factory=list)

    def keep(self, order: Sequence[int]) -> None:
        """Rearrange to the given positions, leaving out the others."""
        self.values = [self.values[i] for i in order]
        self.counts = [self.counts[i] for i in order]
        self.reference = [self.reference[i] for i in order]
        self.origin = [self.origin[i] for i in order]
        self.theirs = [self.theirs[i] for i in order]

    def add(self, value: object, weight: int, place: int | None = None) -> None:
        """Add a value that does not occur in the table; ``place`` is its position in the reference's column."""
        self.values.append(value)
        self.counts.append(0)
        self.reference.append(weight)
        self.origin.append(-1)
        self.theirs.append([] if place is None else [place])


def drafted(name: str, observed: Observed, reference: Observed | Mapping[object, Number] | None) -> Draft:
    """Return the values of a table, with the weights that the reference gives them and those that only it has."""
    counts = [int(count) for count in observed.counts]
    theirs: list[list[int]] = [[] for _ in counts]
    draft = Draft(
        name, observed.listed, counts, list(counts), observed.kind, list(range(len(counts))), observed.spelling, theirs
    )
    if reference is None:
        return draft
    if isinstance(reference, Observed):
        _check_comparable(name, draft.values, reference.listed)
    at = _places_in(draft, reference)
    draft.reference = [0] * len(counts)
    for place, (value, weight) in enumerate(_weights(name, reference)):
        texts = (None,) if value is None else named_texts(value, draft.kind, draft.spelling)
        known = next((at[text] for text in texts if text in at), None)
        if known is None:
            at[texts[0]] = len(draft.values)
            draft.add(value, weight, place)
        else:
            draft.reference[known] += weight
            draft.theirs[known].append(place)
    unmatched = sum(1 for count, weight in zip(draft.counts, draft.reference, strict=True) if count and not weight)
    if unmatched:
        text = f"The reference lacks {counted(unmatched, 'value')} that the table has."
        draft.notes.append(Note("reference-lacks-values", text, column=name))
    if sum(draft.reference) == 0:
        raise DomainError(
            f"The reference for {name!r} holds no rows or shares; give at least one value a share.",
            field="reference",
            column=name,
        )
    return draft


def _places_in(draft: Draft, reference: Observed | Mapping[object, Number]) -> dict[str | None, int]:
    """Return the position of each value by the texts under which the reference may have it."""
    at = by_text(draft.values)
    if draft.kind != "text" or not isinstance(reference, Observed):
        return at
    names = respelled((text for text in at if text is not None), reference.kind, reference.spelling)
    return at | {text: at[name] for text, name in names.items()}


def _check_comparable(name: str, values: Sequence[object], others: Sequence[object]) -> None:
    """Refuse a reference whose values lie on another line than the table's, such as dates beside points in time."""
    lines, theirs = ({line_of(value) for value in some if value is not None} - {"text"} for some in (values, others))
    if lines and theirs and lines != theirs:
        mine, other = (" and ".join(sorted(some)) for some in (lines, theirs))
        raise DomainError(
            f"The column {name!r} holds {mine} and in the reference {other}, which cannot be compared; "
            "give both tables the same type."
        )


def _weights(name: str, reference: Observed | Mapping[object, Number]) -> list[tuple[object, int]]:
    """Return values with whole-number weights; given shares are scaled by their common denominator."""
    if isinstance(reference, Observed):
        return list(zip(reference.listed, (int(count) for count in reference.counts), strict=True))
    shares = [fraction(share, f"The reference share of a value of {name!r}") for share in reference.values()]
    if any(share < 0 for share in shares):
        raise DomainError(f"The reference for {name!r} has a negative share; shares are counts or proportions.")
    whole, _ = whole_positions(shares)
    return list(zip(reference, whole, strict=True))


def by_text(values: Sequence[object]) -> dict[str | None, int]:
    """Return the position of each value by what identifies it across tables and types; None is a missing value."""
    return {None if value is None else same_text(value): position for position, value in enumerate(values)}
