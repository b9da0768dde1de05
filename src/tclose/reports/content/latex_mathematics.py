"""The mathematics of an explanation in LaTeX, as the tutorial sets it: terms under braces, moves as a list."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tclose.auditing.explanations import Explanation, Step
from tclose.reports.content.groups import (
    Band,
    ShownMoves,
    binned,
    divisor,
    level_bands,
    level_distances,
    line_bands,
    unit,
    value_text,
)
from tclose.reports.formats.latex import escaped, number
from tclose.reports.phrases.numbers import amount, amounts, equals, quantity

_PER_LINE = 6
_EXPANDED = 4
"""So many terms of the definition are written out in full."""


def line_sum(explanation: Explanation) -> str:
    """Return the definition on a line: its first terms with all their differences, and every term by its value."""
    bands = line_bands(explanation)
    head = rf"E(P,Q)=\frac{{1}}{{{number(quantity(divisor(explanation)))}}}\Bigl["
    expanded = ""
    if not binned(explanation):
        expanded = _display(head, _expanded_terms(explanation, bands), r"\Bigr]", per_line=1) + "\n\n"
        head = head.replace("E(P,Q)", "", 1)
    terms = [
        _braced(term, f"A_{{{band.name.replace('–', chr(92) + 'text{--}')}}}")
        for band, term in zip(bands, _numbers([band.adds for band in bands]), strict=True)
        if band.name != str(len(explanation.values))
    ]
    return expanded + _display(head, terms, rf"\Bigr]{_result(explanation.value)}")


def _expanded_terms(explanation: Explanation, bands: Sequence[Band]) -> list[str]:
    """Return the first terms of the definition as the tutorial writes them, with all their differences."""
    shares = zip(_numbers(explanation.inside), _numbers(explanation.outside), strict=True)
    differences = [f"({p}-{q})" for p, q in shares]
    gaps = [number(quantity(gap * unit(explanation))) for gap in explanation.gaps]
    terms = []
    for at in range(min(len(bands) - 1, _EXPANDED)):
        gap = rf"\cdot {gaps[at]}" if explanation.distance.in_units else ""
        terms.append(rf"\bigl|{'+'.join(differences[: at + 1])}\bigr|{gap}")
    return [*terms, *([r"\cdots"] if len(bands) - 1 > _EXPANDED else [])]


def people_apart(inside: Fraction, outside: Fraction) -> str:
    """Return the largest difference between people of a class and of its reference."""
    difference = f"{number(amount(inside))}-{number(amount(outside))}"
    return _display(r"D=\Bigl|", [difference], rf"\Bigr|{_result(abs(inside - outside))}")


def larger_of(distance: Fraction, apart: Fraction) -> str:
    """Return t as the larger of the distance of values and the difference between people."""
    both = f"{number(amount(distance))},{number(amount(apart))}"
    return _display(r"t=\max(E,D)=\max\Bigl(", [both], rf"\Bigr){_result(max(distance, apart))}")


def variation(explanation: Explanation) -> str:
    """Return half the sum of the differences; written out where every value is shown by itself."""
    bands = level_bands(explanation, 0)
    terms = _numbers([band.adds for band in bands])
    if not binned(explanation):
        shares = zip(_numbers(explanation.inside), _numbers(explanation.outside), strict=True)
        terms = [rf"\bigl|{p}-{q}\bigr|" for p, q in shares]
    return _display(r"E'(P,Q)=\frac{1}{2}\Bigl[", terms, rf"\Bigr]{_result(explanation.value)}")


def level_sum(explanation: Explanation, level: int) -> str:
    """Return the total variation on a level of a tree."""
    bands = level_bands(explanation, level)
    terms = _numbers([band.adds for band in bands])
    value = sum((band.adds for band in bands), Fraction(0)) / 2
    return _display(rf"TV_{{{level}}}=\frac{{1}}{{2}}\Bigl[", terms, rf"\Bigr]{_result(value)}")


def tree_sum(explanation: Explanation) -> str:
    """Return the distance in a tree as the mean over its levels."""
    levels = _numbers(level_distances(explanation))
    terms = [_braced(term, f"TV_{{{level}}}") for level, term in enumerate(levels)]
    return _display(rf"E(P,Q)=\frac{{1}}{{{explanation.scale}}}\Bigl[", terms, rf"\Bigr]{_result(explanation.value)}")


def actions(explanation: Explanation, moves: ShownMoves) -> str:
    """Return the moves as the tutorial lists its actions."""
    items = [rf"\item[$B_{{{place}}}$.] {_action(explanation, step)}" for place, step in moves.listed]
    return "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])


def cost_sum(explanation: Explanation, moves: ShownMoves) -> str:
    """Return the sum of the costs of the moves."""
    steps = [step for _, step in moves.listed]
    masses, distances = _numbers([step.mass for step in steps]), _numbers([step.distance for step in steps])
    terms = [
        _braced(rf"{mass}\cdot {distance}", f"B_{{{place}}}")
        for (place, _), mass, distance in zip(moves.listed, masses, distances, strict=True)
    ]
    if moves.rest:
        terms.append(_braced(number(amount(moves.rest_cost)), rf"\text{{{moves.rest:,} more}}"))
    return _display("E(P,Q)=", terms, _result(explanation.value))


def _action(explanation: Explanation, step: Step) -> str:
    """Return a move in words: what is taken from where to where, and what it leaves."""
    start, end = step.start, step.end
    before, mass, after = _numbers([step.remainder + step.mass, step.mass, step.remainder])
    values = [escaped(value_text(explanation.values[at - 1])) for at in (start, end)]
    return (
        rf"Move $w_{{{start},{end}}}={mass}$ from $p_{{{start}}}={before}$ "
        rf"of $v_{{{start}}}=\text{{{values[0]}}}$ to $v_{{{end}}}=\text{{{values[1]}}}$, from index $i={start}$ to "
        rf"$j={end}$, leaving a remainder of $p_{{{start}}}={before}-{mass}={after}$."
    )


def _numbers(values: Sequence[Fraction]) -> list[str]:
    """Return numbers as mathematics, all written in one way."""
    return [number(text) for text in amounts(values)]


def _braced(term: str, name: str) -> str:
    return rf"\underbrace{{{term}}}_{{{name}}}"


def _result(value: Fraction) -> str:
    """Return the result as mathematics: the fraction, if it is short, and the decimal."""
    signs = {"=": "=", "≈": r"\approx"}
    return " ".join(signs[part] if part in signs else number(part) for part in equals(value).split(" "))


def _display(head: str, terms: Sequence[str], tail: str, *, per_line: int = _PER_LINE) -> str:
    """Return a sum as displayed mathematics, broken into lines."""
    lines = ["+".join(terms[at : at + per_line]) for at in range(0, len(terms), per_line)]
    joined = " +\\\\\n{}".join(lines)
    return f"\\begin{{gather*}}\n{head}{joined}{tail}\n\\end{{gather*}}"
