"""An explanation in its parts: sentences and tables in the order in which every rendering tells them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from tclose.exact import shown
from tclose.explanations import Explanation
from tclose.models.catalogue import label
from tclose.render import explanation_words as words
from tclose.render.cells import visible
from tclose.render.explanation_numbers import amounts, equals, numbered, quantity
from tclose.render.explanation_rows import (
    Band,
    ShownMoves,
    binned,
    divisor,
    level_bands,
    level_distances,
    line_bands,
    shown_moves,
    unit,
    value_text,
)
from tclose.roles import Numeric

Kind = Literal["distributions", "definition", "level", "moves", "sum", "models"]


@dataclass(frozen=True)
class Grid:
    """A table of texts."""

    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Section:
    """A heading with sentences before and after a table."""

    kind: Kind
    title: str
    before: tuple[str, ...] = ()
    grid: Grid | None = None
    after: tuple[str, ...] = ()


@dataclass(frozen=True)
class Told:
    """An explanation as it is told: the verdict in words, then the calculation."""

    title: str
    verdict: tuple[str, ...]
    sections: tuple[Section, ...]


def told(explanation: Explanation) -> Told:
    """Return an explanation in its parts; a class that equals the reference needs no calculation."""
    sections: Iterable[Section] = ()
    if not words.equal(explanation):
        bands = line_bands(explanation) if explanation.on_a_line else level_bands(explanation, 0)
        sections = (
            _distributions(explanation, bands),
            *_definition(explanation, bands),
            _moves(explanation),
            _agreement(explanation),
            _models(explanation),
        )
    return Told(words.title(explanation), tuple(words.verdict(explanation)), tuple(sections))


def _grid(titles: Sequence[str], columns: Sequence[Sequence[str]]) -> Grid:
    """Return columns as a table; a column without a title and without a text is left out."""
    kept = [at for at, column in enumerate(columns) if titles[at] or any(column)]
    rows = zip(*(columns[at] for at in kept), strict=True)
    return Grid(tuple(titles[at] for at in kept), tuple(rows))


def _distributions(explanation: Explanation, bands: Sequence[Band]) -> Section:
    whole = words.whole_of(explanation).removeprefix("the ")
    titles = ["", visible(explanation.attribute), "rows in class", f"rows in {whole}", "p, class", f"q, {whole}"]
    columns = [
        [band.name for band in bands],
        [band.label for band in bands],
        [f"{band.count:,}" for band in bands],
        [f"{band.total:,}" for band in bands],
        amounts([band.inside for band in bands]),
        amounts([band.outside for band in bands]),
    ]
    if words.given_shares(explanation):
        del titles[3], columns[3]
    before = (words.class_sentence(explanation), words.binning_sentence(explanation))
    return Section("distributions", "The two distributions", tuple(filter(None, before)), _grid(titles, columns))


def _definition(explanation: Explanation, bands: Sequence[Band]) -> Iterable[Section]:
    if explanation.on_a_line:
        return [_line_definition(explanation, bands)]
    if explanation.hierarchy is None:
        return [_nominal_definition(explanation, bands)]
    return [*_level_sections(explanation), _tree_sum(explanation)]


def _line_definition(explanation: Explanation, bands: Sequence[Band]) -> Section:
    numeric = isinstance(explanation.distance, Numeric)
    together = binned(explanation)
    last = len(explanation.values)
    adds = "Σ |S| · gap" if numeric and together else "|S| · gap" if numeric else "Σ |S|" if together else "|S|"
    columns = [
        ["" if band.name == str(last) else numbered("A", band.name) for band in bands],
        [band.label for band in bands],
        amounts([band.difference for band in bands]),
        amounts([band.running for band in bands]),
        _gaps(explanation) if numeric and not together else [],
        amounts([band.adds for band in bands]),
        amounts([band.upto for band in bands]),
    ]
    titles = ["", visible(explanation.attribute), "p − q", "S", "gap", adds, "sum"]
    if not columns[4]:
        del titles[4], columns[4]
    return Section(
        "definition",
        "The definition, term by term",
        (words.definition_sentence(explanation),),
        _grid(titles, columns),
        (_scaled_sum(explanation, bands),),
    )


def _added(terms: Sequence[Fraction]) -> str:
    return " + ".join(amounts(terms))


def _gaps(explanation: Explanation) -> list[str]:
    """Return how far each value is from the next one, in the units of the attribute."""
    step = unit(explanation)
    return [*(quantity(gap * step) for gap in explanation.gaps), "–"]


def _scaled_sum(explanation: Explanation, bands: Sequence[Band]) -> str:
    """Return the sum of the definition as one line."""
    terms = [band.adds for band in bands if band.adds]
    return f"E = ({_added(terms)}) / {quantity(divisor(explanation))} {equals(explanation.value)}"


def _nominal_definition(explanation: Explanation, bands: Sequence[Band]) -> Section:
    columns = [
        [band.name for band in bands],
        [band.label for band in bands],
        amounts([band.difference for band in bands]),
        amounts([band.adds for band in bands]),
        amounts([band.upto for band in bands]),
    ]
    terms = [band.adds for band in bands if band.adds]
    return Section(
        "definition",
        "The definition, term by term",
        (words.definition_sentence(explanation),),
        _grid(["", visible(explanation.attribute), "p − q", "|p − q|", "sum"], columns),
        (f"E = ½ · ({_added(terms)}) {equals(explanation.value)}",),
    )


def _level_sections(explanation: Explanation) -> Iterable[Section]:
    """Give the terms of each level of a hierarchy, from the values up."""
    for level in range(explanation.scale):
        bands = level_bands(explanation, level)
        columns = [
            [band.name for band in bands],
            [band.label for band in bands],
            amounts([band.inside for band in bands]),
            amounts([band.outside for band in bands]),
            amounts([band.difference for band in bands]),
            amounts([band.adds for band in bands]),
        ]
        terms = [band.adds for band in bands if band.adds] or [Fraction(0)]
        value = sum(terms, Fraction(0)) / 2
        yield Section(
            "level",
            f"Level {level}: {'the values' if level == 0 else 'their groups'}",
            (words.definition_sentence(explanation),) if level == 0 else (),
            _grid(["", visible(explanation.attribute), "p", "q", "p − q", "|p − q|"], columns),
            (f"{numbered('TV', level)} = ½ · ({_added(terms)}) {equals(value)}",),
        )


def _tree_sum(explanation: Explanation) -> Section:
    return Section(
        "definition",
        "The definition, level by level",
        after=(f"E = ({_added(level_distances(explanation))}) / {explanation.scale} {equals(explanation.value)}",),
    )


def _moves(explanation: Explanation) -> Section:
    moves = shown_moves(explanation)
    steps = [step for _, step in moves.listed]
    columns = [
        [numbered("B", number) for number, _ in moves.listed],
        [f"{step.start} → {step.end}" for step in steps],
        amounts([step.mass for step in steps]),
        amounts([step.distance for step in steps]),
        amounts([step.cost for step in steps]),
        amounts([step.remainder for step in steps]),
        [f"{_value(explanation, step.start)} → {_value(explanation, step.end)}" for step in steps],
    ]
    titles = ["", "from → to", "mass", "distance", "cost", "remainder", visible(explanation.attribute)]
    rest = (words.rest_sentence(explanation, moves),) if moves.rest else ()
    return Section(
        "moves",
        "The moves that turn the class into " + words.whole_of(explanation),
        (words.moves_sentence(explanation),),
        _grid(titles, columns),
        (*rest, _cost_sum(explanation, moves)),
    )


def _value(explanation: Explanation, position: int) -> str:
    return value_text(explanation.values[position - 1])


def _cost_sum(explanation: Explanation, moves: ShownMoves) -> str:
    """Return the sum of the costs of the moves as one line."""
    costs = [step.cost for _, step in moves.listed] + ([moves.rest_cost] if moves.rest else [])
    return f"E = {_added(costs)} {equals(explanation.value)}"


def _agreement(explanation: Explanation) -> Section:
    return Section("sum", "The sum", (words.agreement_sentence(explanation), words.vacuous_sentence(explanation)))


def _models(explanation: Explanation) -> Section:
    rows = [(label(model), shown(value), model.title) for model, value in explanation.other_models.values()]
    return Section(
        "models", "How other models see the same class", (), Grid(("figure", "of this class", "model"), tuple(rows))
    )
