"""What a picture says in words: its heading, how to read it, and its text alternative."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, repeat

from tclose.auditing.explanations import Explanation
from tclose.data.values import as_text
from tclose.reports.charts.columns import Arrow, Columns, alike, amount, exactly, result, shared_denominator
from tclose.reports.charts.svg import Subject
from tclose.reports.phrases.cells import key_text, visible
from tclose.reports.phrases.explanations import mass_of, not_moved_sentence, whole_of
from tclose.reports.phrases.numbers import counted, numbered, percent

SAME = "The class is distributed exactly as {whole}: nothing has to be moved."
ALONE = "There is only one value: nobody learns anything from it, and nothing has to be moved."


def subject_of(explanation: Explanation, name: str, mark: str) -> Subject:
    """Return what tells a picture apart from every other."""
    facts = (
        mark,
        explanation.source,
        explanation.rule,
        explanation.counts,
        explanation.reference_counts,
        [as_text(value) for value in explanation.values],
    )
    return Subject(name, key_text(explanation.key), explanation.attribute, facts)


def heading(explanation: Explanation) -> str:
    """Return what the picture is about: the attribute and the class."""
    key = "the whole table" if not explanation.key else f"the class {key_text(explanation.key)}"
    return f"{visible(explanation.attribute)} in {key}"


def verdict(explanation: Explanation) -> str:
    """Return the result: the distance from the table."""
    return f"distance {result(explanation.value)} from {whole_of(explanation)}"


def name(explanation: Explanation, shown: str = "") -> str:
    """Return the name of a picture, with the exact result."""
    how = f", {shown}" if shown else ""
    return f"{heading(explanation)}{how}: distance {exactly(explanation.value)} from {whole_of(explanation)}"


def nothing_to_move(explanation: Explanation) -> str:
    """Return the one sentence that explains a distance of nothing; empty where there is something to explain."""
    if len(explanation.values) == 1:
        return ALONE
    return "" if explanation.value else SAME.format(whole=whole_of(explanation))


def how_to_read_moves(explanation: Explanation) -> str:
    """Return what somebody must know who has never seen such a picture."""
    if same := nothing_to_move(explanation):
        return same
    rows, whole = mass_of(explanation, explanation.size), whole_of(explanation)
    return (
        f"Bars are what the class ({rows}) has, dashed outlines what {whole} ({explanation.total:,}) has. "
        f"The arrows move what is too much into the holes until both are alike. "
        f"A move costs the share moved times the distance; {_apart(explanation)}. {not_moved_sentence(explanation)}"
    ).strip()


def _apart(explanation: Explanation) -> str:
    if explanation.on_a_line and not explanation.distance.in_units and explanation.scale == 1:
        return "the two values are 1 apart"
    return explanation.distance.apart.format(steps=explanation.scale)


def left_over(columns: Columns, drawn: Sequence[Arrow]) -> str:
    """Return how many moves are not drawn, and their share of the cost; nothing where all are."""
    explanation = columns.explanation
    missing = len(explanation.moves) - sum(arrow.moves for arrow in drawn)
    if not missing:
        return ""
    cost = explanation.value - sum(arrow.cost for arrow in drawn)
    within = " or moves within a group" if columns.grouped else ""
    return f"… and {counted(missing, 'smaller move')}{within}, {percent(cost / explanation.value)} of the cost."


def sums(explanation: Explanation) -> str:
    """Return how the result is reached, by moves and by flows."""
    if not explanation.value:
        return ""
    one = len(explanation.moves) == 1
    moves = "The move costs" if one else f"The {len(explanation.moves):,} moves, each its share × its distance, cost"
    moves = f"{moves} {result(explanation.value)}"
    if not explanation.on_a_line or len(explanation.flows) < 2:
        return moves + "."
    if explanation.distance.in_units:
        return f"{moves}; so do the flows, each × the gap it crosses, over the range."
    total, common = explanation.terms[-1].total, shared_denominator(explanation.flows)
    added = f"{total * common}/{common}" if common > 1 else amount(total)
    last = numbered("A", len(explanation.flows))
    return f"{moves}; so do the flows, A₁ + … + {last} = {added}, divided by the {explanation.scale:,} steps."


def shares(columns: Columns) -> str:
    """Return both distributions in words."""
    whole = whole_of(columns.explanation)
    told = [
        f"{column.label}: class {amount(column.inside)}, {whole.split()[-1]} {amount(column.outside)}"
        for column in columns.items
    ]
    return "; ".join(told) + "."


def moves_description(columns: Columns, drawn: Sequence[Arrow], masses: Sequence[str]) -> str:
    """Return the picture of the moves in words."""
    explanation = columns.explanation
    told = [
        f"{result_sentence(explanation)} {how_to_read_moves(explanation)}",
        columns.note,
        f"Shares: {shares(columns)}",
    ]
    if drawn:
        told.append("Moves: " + "; ".join(map(arrow_words, repeat(columns), drawn, masses)) + ".")
    told.append(left_over(columns, drawn))
    if explanation.on_a_line and not columns.grouped and explanation.value:
        told.append(f"Flows to the next value: {flow_words(explanation)}.")
    return " ".join(part for part in told if part)


def result_sentence(explanation: Explanation) -> str:
    """Return the exact result as a sentence."""
    return f"Distance {exactly(explanation.value)} from {whole_of(explanation)}."


def arrow_words(columns: Columns, arrow: Arrow, mass: str) -> str:
    """Return a move in words, with its cost."""
    start, end = columns.items[arrow.start].label, columns.items[arrow.end].label
    name = f"{arrow.name} " if arrow.name else ""
    several = f" in {counted(arrow.moves, 'move')}" if arrow.moves > 1 else ""
    return f"{name}moves {mass} from {start} to {end}{several} at a cost of {amount(arrow.cost)}"


def flow_words(explanation: Explanation) -> str:
    """Return the flows over the edges of a line in words."""
    told = []
    masses = alike([abs(flow) for flow in explanation.flows])
    for at, (flow, mass) in enumerate(zip(explanation.flows, masses, strict=True), start=1):
        way = "" if not flow else " to the right" if flow > 0 else " to the left"
        told.append(f"{numbered('A', at)} {mass}{way}")
    return ", ".join(told)


def cumulative_description(columns: Columns) -> str:
    """Return the picture of the cumulative curves in words."""
    explanation = columns.explanation
    told = [result_sentence(explanation), how_to_read_curves(explanation), columns.note]
    inside = accumulate(column.inside for column in columns.items)
    outside = accumulate(column.outside for column in columns.items)
    whole = whole_of(explanation).split()[-1]
    curves = [
        f"up to {column.label}: class {amount(ours)}, {whole} {amount(theirs)}"
        for column, ours, theirs in zip(columns.items, inside, outside, strict=True)
    ]
    return " ".join(part for part in [*told, "; ".join(curves) + "."] if part)


def how_to_read_curves(explanation: Explanation) -> str:
    """Return how the cumulative curves are read."""
    if same := nothing_to_move(explanation):
        return same
    whole = whole_of(explanation)
    return (
        f"Each curve says how much of the class, or of {whole}, lies at or below a value. "
        "Where they part, the difference must be carried on to the next value: "
        "the shaded area between them is the distance."
    )


def how_to_read_tree(explanation: Explanation) -> str:
    """Return how the tree is read."""
    if same := nothing_to_move(explanation):
        return same
    return (
        "What a branch has too much of goes up, what it lacks comes down; thick lines carry it. "
        f"On each level the mass that goes up is counted once, and their sum divided by the {explanation.scale} "
        "levels is the distance."
    )
