"""Explanations as a LaTeX document in the style of the tutorial: terms under braces, moves as a list, their sum."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from tclose.explanations import Explanation, Step
from tclose.render.explanation_letters import declarations, escaped, number
from tclose.render.explanation_numbers import amount, amounts, equals, quantity
from tclose.render.explanation_parts import Grid, Section, told
from tclose.render.explanation_rows import (
    Band,
    binned,
    divisor,
    level_bands,
    level_distances,
    line_bands,
    shown_moves,
    unit,
    value_text,
)
from tclose.render.explanation_words import NOTHING
from tclose.roles import Numeric

_PREAMBLE = r"""\documentclass[10pt]{article}
\usepackage[T1]{fontenc}
\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\usepackage{textcomp}
\usepackage[margin=1in]{geometry}
\usepackage{amsmath}
\usepackage{amssymb}
\setlength{\parindent}{0pt}
\setlength{\parskip}{.5em}
\raggedright
\allowdisplaybreaks
"""
_PER_LINE = 6
_EXPANDED = 4
"""So many terms of the definition are written out in full."""


def explanations_latex(items: Sequence[Explanation]) -> str:
    """Return explanations as a complete document that pdflatex compiles."""
    body = "\n\n".join(part for item in items for part in _explanation(item)) or NOTHING
    return f"{_PREAMBLE}{declarations(body)}\\begin{{document}}\n\n{body}\n\n\\end{{document}}\n"


def _explanation(explanation: Explanation) -> Iterator[str]:
    parts = told(explanation)
    yield rf"\section*{{{escaped(parts.title)}}}"
    yield " ".join(escaped(sentence) for sentence in parts.verdict)
    level = 0
    for section in parts.sections:
        yield rf"\subsection*{{{escaped(section.title)}}}"
        yield from (escaped(sentence) for sentence in section.before)
        if section.kind == "moves":
            yield from _moves(explanation, section)
        elif section.grid is not None:
            yield _table(section.grid)
        if section.kind == "definition":
            yield from _definition(explanation)
        if section.kind == "level":
            yield _level(explanation, level)
            level += 1


def _table(grid: Grid) -> str:
    lines = [" & ".join(escaped(cell) for cell in row) + r" \\" for row in (grid.titles, *grid.rows)]
    inside = "\n".join([r"\hline", lines[0], r"\hline", *lines[1:], r"\hline"])
    columns = "l" * len(grid.titles)
    return f"\\begin{{center}}\\small\n\\begin{{tabular}}{{{columns}}}\n{inside}\n\\end{{tabular}}\n\\end{{center}}"


def _definition(explanation: Explanation) -> Iterator[str]:
    if not explanation.on_a_line:
        yield _tree_sum(explanation) if explanation.hierarchy is not None else _variation(explanation)
        return
    bands = line_bands(explanation)
    head = rf"E(P,Q)=\frac{{1}}{{{number(quantity(divisor(explanation)))}}}\Bigl["
    if not binned(explanation):
        yield _display(head, _expanded_terms(explanation, bands), r"\Bigr]", per_line=1)
        head = head.replace("E(P,Q)", "", 1)
    terms = [
        _braced(term, f"A_{{{band.name.replace('–', chr(92) + 'text{--}')}}}")
        for band, term in zip(bands, _numbers([band.adds for band in bands]), strict=True)
        if band.name != str(len(explanation.values))
    ]
    yield _display(head, terms, rf"\Bigr]{_result(explanation.value)}")


def _expanded_terms(explanation: Explanation, bands: Sequence[Band]) -> list[str]:
    """Return the first terms of the definition as the tutorial writes them, with all their differences."""
    shares = zip(_numbers(explanation.inside), _numbers(explanation.outside), strict=True)
    differences = [f"({p}-{q})" for p, q in shares]
    gaps = [number(quantity(gap * unit(explanation))) for gap in explanation.gaps]
    terms = []
    for at in range(min(len(bands) - 1, _EXPANDED)):
        gap = rf"\cdot {gaps[at]}" if isinstance(explanation.distance, Numeric) else ""
        terms.append(rf"\bigl|{'+'.join(differences[: at + 1])}\bigr|{gap}")
    return [*terms, *([r"\cdots"] if len(bands) - 1 > _EXPANDED else [])]


def _variation(explanation: Explanation) -> str:
    """Return half the sum of the differences; written out where every value is shown by itself."""
    bands = level_bands(explanation, 0)
    terms = _numbers([band.adds for band in bands])
    if not binned(explanation):
        shares = zip(_numbers(explanation.inside), _numbers(explanation.outside), strict=True)
        terms = [rf"\bigl|{p}-{q}\bigr|" for p, q in shares]
    return _display(r"E'(P,Q)=\frac{1}{2}\Bigl[", terms, rf"\Bigr]{_result(explanation.value)}")


def _level(explanation: Explanation, level: int) -> str:
    bands = level_bands(explanation, level)
    terms = _numbers([band.adds for band in bands])
    value = sum((band.adds for band in bands), Fraction(0)) / 2
    return _display(rf"TV_{{{level}}}=\frac{{1}}{{2}}\Bigl[", terms, rf"\Bigr]{_result(value)}")


def _tree_sum(explanation: Explanation) -> str:
    levels = _numbers(level_distances(explanation))
    terms = [_braced(term, f"TV_{{{level}}}") for level, term in enumerate(levels)]
    return _display(rf"E(P,Q)=\frac{{1}}{{{explanation.scale}}}\Bigl[", terms, rf"\Bigr]{_result(explanation.value)}")


def _moves(explanation: Explanation, section: Section) -> Iterator[str]:
    """Give the moves as the tutorial lists its actions, then the sum of their costs."""
    moves = shown_moves(explanation)
    items = [rf"\item[$B_{{{place}}}$.] {_action(explanation, step)}" for place, step in moves.listed]
    yield "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])
    steps = [step for _, step in moves.listed]
    masses, distances = _numbers([step.mass for step in steps]), _numbers([step.distance for step in steps])
    terms = [
        _braced(rf"{mass}\cdot {distance}", f"B_{{{place}}}")
        for (place, _), mass, distance in zip(moves.listed, masses, distances, strict=True)
    ]
    if moves.rest:
        yield escaped(section.after[0])
        terms.append(_braced(number(amount(moves.rest_cost)), rf"\text{{{moves.rest:,} more}}"))
    yield _display("E(P,Q)=", terms, _result(explanation.value))


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
