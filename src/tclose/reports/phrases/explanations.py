"""The sentences of an explanation, for someone who never heard of the earth mover's distance."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tclose.auditing.explanations import Explanation, Shift
from tclose.policy.exact_numbers import shown
from tclose.reports.content.groups import MOST_MOVES, ShownMoves, binned, divisor, value_text
from tclose.reports.phrases.audits import distance_words
from tclose.reports.phrases.cells import key_text, visible
from tclose.reports.phrases.numbers import chance, counted, decimal, equals, percent, quantity

NOTHING = "There is nothing to explain: no class holds a value."
_VALUES = "values of people"
"""What the shares of a distribution by people are of: somebody may have several values, and counts for each."""
_NAMED = 4
"""So many values are named in a sentence, or one less and how many others."""
_RULES = {
    "stay": "What can stay stays, and the rest moves in order: as little mass as can be is moved.",
    "monotone": "The distributions are matched in order, from the lowest value to the highest.",
    "tutorial": "Waiting holes are filled first, then a value's own, as in the tutorial's lists.",
}


def whole_of(explanation: Explanation) -> str:
    """Return what the class is compared with, in two words."""
    return "the table" if explanation.reference == "the audited table" else "the reference"


def title(explanation: Explanation) -> str:
    """Return what is explained."""
    return f"{visible(explanation.attribute)} in the class {key_text(explanation.key)}"


def equal(explanation: Explanation) -> bool:
    """Say whether the class has the distribution of the reference, so that one sentence explains it."""
    return not explanation.shifts


def verdict(explanation: Explanation) -> list[str]:
    """Return what the class gives away, in words; where missing values count as a value, whether it has them first."""
    way = missing_sentence(explanation)
    return [*([way] if way else []), *_given_away(explanation)]


def missing_sentence(explanation: Explanation) -> str:
    """Return which of the two ways of judging is shown where missing values count as a value; nothing elsewhere."""
    other = explanation.beside
    if other is None:
        return ""
    name, this, that = visible(explanation.attribute), shown(explanation.t), shown(other.t)
    if explanation.domain.missing is not None:
        return f"Missing values count as a value of {name} here: t = {this}. Without them, t = {that}."
    whose = "People" if explanation.unit == "people" else "Rows"
    return (
        f"{whose} without a value of {name} are left out here: t = {this}. With missing values as one of their own, "
        f"t = {that}."
    )


def _given_away(explanation: Explanation) -> list[str]:
    told = _people_sentence(explanation)
    if equal(explanation):
        return (
            [told, _values_alike_sentence(explanation), _t_sentence(explanation)]
            if told
            else [_equal_sentence(explanation)]
        )
    sentences = [told] if told else []
    sentences += [_shift_sentence(explanation), _learning_sentence(explanation)]
    sentences += [sentence for sentence in [_ruled_out_sentence(explanation)] if sentence]
    return [*sentences, _distance_sentence(explanation), *([_t_sentence(explanation)] if explanation.shares else [])]


def _people_sentence(explanation: Explanation) -> str:
    """Return how many people of the class have the value that tells most; nothing where nobody has several."""
    told = explanation.telling
    if told is None:
        return ""
    name, value, table = visible(explanation.attribute), value_text(told.value), whole_of(explanation)
    here = f"the class {key_text(explanation.key)}"
    if told.inside == 1:
        return (
            f"Everybody in {here} has the {name} {value}, and {_of_people(told.outside)} of {table}: of a person in "
            "the class it is known for certain."
        )
    return (
        f"{_capital(_of_people(told.inside))} in {here} {_has(told.inside)} the {name} {value}, and "
        f"{_of_people(told.outside)} of {table}."
    )


def _of_people(share: Fraction) -> str:
    return "nobody" if not share else "everybody" if share == 1 else f"{chance(share)} people"


def _has(share: Fraction) -> str:
    return "has" if share in (0, 1) else "have"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _values_alike_sentence(explanation: Explanation) -> str:
    return (
        f"The values of people are distributed as in {whole_of(explanation)}, but not among people: "
        "somebody may have several."
    )


def people_sentence(explanation: Explanation) -> str:
    """Return what the comparison of people is."""
    what = (
        "the share of people who have it"
        if not apart_by_distance(explanation)
        else ("the mean distance from it to the nearest value of a person")
    )
    return (
        f"Somebody may have several values, wherever they have them in the table. So for each value, {what} is "
        f"compared in the class and in {whole_of(explanation)}; the largest difference counts."
    )


def apart_by_distance(explanation: Explanation) -> bool:
    """Say whether some values are nearer to each other than others, so that shares are not distances."""
    return explanation.on_a_line or explanation.scale > 1


def _t_sentence(explanation: Explanation) -> str:
    by_people = explanation.shares[0].apart
    larger = "the distance of the values" if explanation.value >= by_people else "the difference between people"
    return (
        f"t is the larger of the two, {larger}: the earth mover's distance is {result_text(explanation.value)}, and "
        f"people differ by {result_text(by_people)}."
    )


def _equal_sentence(explanation: Explanation) -> str:
    name, table = visible(explanation.attribute), whole_of(explanation)
    rows = mass_of(explanation, explanation.size)
    if len(explanation.values) == 1:
        only = f"{name} has a single value, so there is nothing to learn from"
        return f"{only} the class {key_text(explanation.key)} ({rows}): its distance from {table} is 0."
    return (
        f"In the class {key_text(explanation.key)} ({rows}), {name} is distributed exactly as in {table}: "
        "its distance is 0, and knowing that a person is in it tells nothing new."
    )


def _shift_sentence(explanation: Explanation) -> str:
    over = [shift for shift in explanation.shifts if shift.difference > 0]
    under = [shift for shift in explanation.shifts if shift.difference < 0]
    of, has = ("people", "has") if explanation.unit == "rows" else (_VALUES, "is")
    return (
        f"In the class {key_text(explanation.key)}, a larger share of {of} than in {whole_of(explanation)} {has} the "
        f"{visible(explanation.attribute)} {_named(over)}, and a smaller share {has} {_named(under)}."
    )


def mass_of(explanation: Explanation, number: int) -> str:
    """Return how much a distribution is made of: rows, or the values of people, who count once for each they have."""
    if explanation.unit == "rows":
        return counted(number, "row")
    return counted(number, "value of people", _VALUES)


def _named(shifts: Sequence[Shift]) -> str:
    """Return values in words, the most different by name."""
    names = [value_text(shift.value) for shift in shifts]
    if len(names) > _NAMED:
        names = [*names[: _NAMED - 1], f"one of {len(names) - _NAMED + 1:,} others"]
    return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]


def _learning_sentence(explanation: Explanation) -> str:
    most = next(shift for shift in explanation.shifts if shift.difference > 0)
    name, value, table = visible(explanation.attribute), value_text(most.value), whole_of(explanation)
    of, have, it = ("people", "have", "have it") if explanation.unit == "rows" else (_VALUES, "are", "are")
    before = "nobody has" if not most.outside else f"{chance(most.outside)} {of} {have}"
    after = f"{chance(most.inside)} {it}"
    if most.inside == 1:
        after = f"everybody has it, so that the {name} of a person in it is known for certain"
    return (
        f"Someone who knows that a person is in this class learns from that: "
        f"in {table}, {before} the {name} {value}; in the class, {after}."
    )


def _ruled_out_sentence(explanation: Explanation) -> str:
    absent = [shift for shift in explanation.shifts if not shift.inside]
    if not absent or len(absent) == len(explanation.values) - 1:
        return ""
    of, have = ("people", "have") if explanation.unit == "rows" else (_VALUES, "are")
    share = chance(sum((shift.outside for shift in absent), Fraction(0)))
    that = f"{share} {of} in {whole_of(explanation)} {have}"
    if len(absent) == 1:
        value = f"The {visible(explanation.attribute)} {value_text(absent[0].value)}"
        return f"{value}, which {that}, is ruled out: nobody in the class has it."
    values = f"{len(absent):,} of the {len(explanation.values):,} values"
    return f"{values}, which {that}, are ruled out: nobody in the class has one of them."


def _distance_sentence(explanation: Explanation) -> str:
    sign = "" if explanation.shares else "t = "
    result = f"that is its earth mover's distance, {sign}{result_text(explanation.value)}"
    return f"To become like {whole_of(explanation)}, {_work(explanation)}: {result}.{_lean(explanation)}"


def _work(explanation: Explanation) -> str:
    """Return how much would have to change, in the terms of the distance."""
    value, length = explanation.value, divisor(explanation)
    return explanation.distance.work.format(
        moved=decimal(value * length, 2),
        counted_steps=counted(explanation.scale, "step"),
        length=decimal(length, 2),
        share=percent(value),
        whose="people" if explanation.unit == "rows" else "values",
        changed=f"{chance(value)} people of the class would have to change their value"
        if explanation.unit == "rows"
        else f"{chance(value)} {_VALUES} of the class would have to be another",
    )


def result_text(value: Fraction) -> str:
    """Return a result as fraction and decimal, without a sign before it."""
    return equals(value).removeprefix("= ").removeprefix("≈ ")


def _lean(explanation: Explanation) -> str:
    """Say that the class lies lower or higher, where it does so throughout and the order has a meaning."""
    if not explanation.distance.has_direction:
        return ""
    if all(flow >= 0 for flow in explanation.flows):
        return " All of it moves up: this class lies lower on the scale."
    if all(flow <= 0 for flow in explanation.flows):
        return " All of it moves down: this class lies higher on the scale."
    return ""


def class_sentence(explanation: Explanation) -> str:
    """Return the class, its size and what it is compared with."""
    value = " with a value" if explanation.domain.left_out and explanation.unit == "rows" else ""
    once = ": everyone counts once for every value that they have there" if explanation.unit == "people" else ""
    compared = visible(explanation.reference).rstrip(".")
    size = "" if given_shares(explanation) else f" of {mass_of(explanation, explanation.total)}{value}"
    rows = mass_of(explanation, explanation.size)
    return (
        f"The class {key_text(explanation.key)} has {rows}{value}{once}. It is compared with {compared}{size}, "
        f"where {visible(explanation.attribute)} has {counted(len(explanation.values), 'value')} "
        f"({distance_words(explanation.distance)})."
    )


def given_shares(explanation: Explanation) -> bool:
    """Say whether the reference is a list of shares, so that its counts mean nothing."""
    return explanation.reference == "a given distribution"


def binning_sentence(explanation: Explanation) -> str:
    """Say that values are taken together for display; nothing where they are few."""
    if not binned(explanation):
        return ""
    many = f"{len(explanation.values):,} values are too many to list"
    together = "neighbours are" if explanation.on_a_line else "the least different are"
    return f"{many}; {together} shown together here. The calculation uses each by itself and is exact."


def definition_sentence(explanation: Explanation) -> str:
    """Return the definition of the distance in one line."""
    return explanation.distance.definition.format(steps=explanation.scale, length=quantity(divisor(explanation)))


def moves_sentence(explanation: Explanation) -> str:
    """Return what the list of moves is."""
    least = "No list of moves costs less."
    rule = explanation.distance.matching or _RULES[explanation.rule]
    order = " The costliest come first." if len(explanation.moves) > MOST_MOVES else ""
    told = f"Each move takes a share of the class to another value and costs mass · distance. {rule} {least}{order}"
    return " ".join([told, *([people] if (people := not_moved_sentence(explanation)) else [])])


def not_moved_sentence(explanation: Explanation) -> str:
    """Say that moves are of values, and t is between people, where somebody has several values."""
    if not explanation.shares:
        return ""
    if explanation.t == explanation.value:
        return "What moves are values of people: everyone counts once for each."
    return (
        "What moves are values of people: everyone counts once for each. t is larger than their distance, "
        f"{result_text(explanation.t)}: people differ by so much in {value_text(explanation.shares[0].value)}."
    )


def rest_sentence(explanation: Explanation, moves: ShownMoves) -> str:
    """Return the moves that are not listed, as one line."""
    share = moves.rest_cost / explanation.value
    return f"… and {counted(moves.rest, 'smaller move')}, {percent(share)} of the cost."


def agreement_sentence(explanation: Explanation) -> str:
    """Say that the three ways to the distance agree; computing the value checks it."""
    value = shown(explanation.value)
    ways = explanation.distance.flows
    audits = "distance" if explanation.shares else "figure"
    return f"The cost of the moves, the sum of {ways} and the {audits} that an audit computes agree exactly: {value}."


def vacuous_sentence(explanation: Explanation) -> str:
    """Return the largest distance that any class could have."""
    largest = result_text(explanation.domain.largest_t)
    return f"No class could be further from {whole_of(explanation)} than {largest}."
