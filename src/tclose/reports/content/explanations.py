"""An explanation as a document: the verdict in words, then the calculation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from tclose.auditing.explanations import Explanation
from tclose.models.catalogue import label
from tclose.policy.exact_numbers import shown
from tclose.reports.content import latex_mathematics as mathematics
from tclose.reports.content.groups import (
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
from tclose.reports.document import Document, Formula, Paragraph, Picture, Section, Table, section, table
from tclose.reports.phrases import explanations as words
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.numbers import CONFIDENTIAL, amount, amounts, equals, numbered, quantity

_MOST_SHARES = 10
"""So many values are listed by the shares of people who have them."""


def explanation_documents(items: Sequence[Explanation]) -> list[Document]:
    """Return explanations as documents; one that says so where there are none."""
    if not items:
        return [Document("Explanation", words.NOTHING, (), ())]
    return [explanation_document(item) for item in items]


def explanation_document(explanation: Explanation) -> Document:
    """Return an explanation as a document; a class that equals the reference needs no calculation."""
    from tclose.reports.charts import pictures

    sections: Iterable[Section] = ()
    shown_pictures: list[Picture] = []
    if words.equal(explanation):
        sections = _people(explanation)
    else:
        bands = line_bands(explanation) if explanation.on_a_line else level_bands(explanation, 0)
        sections = (
            *_distributions(explanation, bands),
            *_definition(explanation, bands),
            *_moves(explanation),
            *_agreement(explanation),
            *_people(explanation),
            *_models(explanation),
        )
        shown_pictures = [Picture("", words.title(explanation), draw) for draw in pictures(explanation).values()]
    verdict = section("", *map(Paragraph, words.verdict(explanation)), *shown_pictures)
    return Document(
        kind="Explanation",
        title=words.title(explanation),
        lead=(),
        sections=(*verdict, *sections),
        name=f"Explanation of {visible(explanation.source)}",
        confidential=CONFIDENTIAL if explanation.shows_people else "",
    )


def _grid(titles: Sequence[str], columns: Sequence[Sequence[str]], latex: str = "") -> Table:
    """Return columns as a table; a column without a title and without a text is left out."""
    kept = [at for at, column in enumerate(columns) if titles[at] or any(column)]
    rows = zip(*(columns[at] for at in kept), strict=True)
    return table([titles[at] for at in kept], rows, latex=latex)


def _distributions(explanation: Explanation, bands: Sequence[Band]) -> tuple[Section, ...]:
    whole = words.whole_of(explanation).removeprefix("the ")
    titles = [
        "",
        visible(explanation.attribute),
        f"{explanation.unit} in class",
        f"{explanation.unit} in {whole}",
        "p, class",
        f"q, {whole}",
    ]
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
    return section(
        "The two distributions",
        _soft(words.class_sentence(explanation)),
        _soft(words.binning_sentence(explanation)),
        _grid(titles, columns),
    )


def _soft(sentence: str) -> Paragraph:
    return Paragraph(sentence, "soft")


def _definition(explanation: Explanation, bands: Sequence[Band]) -> Iterable[Section]:
    if explanation.on_a_line:
        return _line_definition(explanation, bands)
    if explanation.hierarchy is None:
        return _nominal_definition(explanation, bands)
    return [*_level_sections(explanation), *_tree_sum(explanation)]


def _line_definition(explanation: Explanation, bands: Sequence[Band]) -> tuple[Section, ...]:
    numeric = explanation.distance.in_units
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
    return section(
        "The definition, term by term",
        _soft(words.definition_sentence(explanation)),
        _grid(titles, columns),
        Formula(_scaled_sum(explanation, bands), mathematics.line_sum(explanation)),
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


def _nominal_definition(explanation: Explanation, bands: Sequence[Band]) -> tuple[Section, ...]:
    columns = [
        [band.name for band in bands],
        [band.label for band in bands],
        amounts([band.difference for band in bands]),
        amounts([band.adds for band in bands]),
        amounts([band.upto for band in bands]),
    ]
    terms = [band.adds for band in bands if band.adds]
    return section(
        "The definition, term by term",
        _soft(words.definition_sentence(explanation)),
        _grid(["", visible(explanation.attribute), "p − q", "|p − q|", "sum"], columns),
        Formula(f"E = ½ · ({_added(terms)}) {equals(explanation.value)}", mathematics.variation(explanation)),
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
        yield from section(
            f"Level {level}: {'the values' if level == 0 else 'their groups'}",
            _soft(words.definition_sentence(explanation) if level == 0 else ""),
            _grid(["", visible(explanation.attribute), "p", "q", "p − q", "|p − q|"], columns),
            Formula(
                f"{numbered('TV', level)} = ½ · ({_added(terms)}) {equals(value)}",
                mathematics.level_sum(explanation, level),
            ),
        )


def _tree_sum(explanation: Explanation) -> tuple[Section, ...]:
    text = f"E = ({_added(level_distances(explanation))}) / {explanation.scale} {equals(explanation.value)}"
    return section("The definition, level by level", Formula(text, mathematics.tree_sum(explanation)))


def _moves(explanation: Explanation) -> tuple[Section, ...]:
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
    return section(
        "The moves that turn the class into " + words.whole_of(explanation),
        _soft(words.moves_sentence(explanation)),
        _grid(titles, columns, mathematics.actions(explanation, moves)),
        Paragraph(words.rest_sentence(explanation, moves) if moves.rest else ""),
        Formula(_cost_sum(explanation, moves), mathematics.cost_sum(explanation, moves)),
    )


def _value(explanation: Explanation, position: int) -> str:
    return value_text(explanation.values[position - 1])


def _cost_sum(explanation: Explanation, moves: ShownMoves) -> str:
    """Return the sum of the costs of the moves as one line."""
    costs = [step.cost for _, step in moves.listed] + ([moves.rest_cost] if moves.rest else [])
    return f"E = {_added(costs)} {equals(explanation.value)}"


def _agreement(explanation: Explanation) -> tuple[Section, ...]:
    sentences = (words.agreement_sentence(explanation), words.vacuous_sentence(explanation))
    return section("The sum", *map(_soft, sentences))


def _people(explanation: Explanation) -> tuple[Section, ...]:
    """Return how many people have each value, and what t is made of, where somebody has several values."""
    if explanation.telling is None:
        return ()
    listed, whole = explanation.shares[:_MOST_SHARES], words.whole_of(explanation).removeprefix("the ")
    columns = [
        [value_text(share.value) for share in listed],
        amounts([share.inside for share in listed]),
        amounts([share.outside for share in listed]),
    ]
    titles = [visible(explanation.attribute), "people, class", f"people, {whole}"]
    if words.apart_by_distance(explanation):
        columns += [amounts([share.near for share in listed]), amounts([share.usual for share in listed])]
        titles += ["mean distance, class", f"mean distance, {whole}"]
    columns.append(amounts([share.apart for share in listed]))
    most = listed[0]
    inside, outside = (most.near, most.usual) if words.apart_by_distance(explanation) else (most.inside, most.outside)
    return section(
        "Shares of people",
        _soft(words.people_sentence(explanation)),
        _grid([*titles, "difference"], columns),
        Formula(
            f"D = |{amount(inside)} − {amount(outside)}| {equals(most.apart)}",
            mathematics.people_apart(inside, outside),
        ),
        Formula(
            f"t = max(E, D) = max({amount(explanation.value)}, {amount(most.apart)}) {equals(explanation.t)}",
            mathematics.larger_of(explanation.value, most.apart),
        ),
    )


def _models(explanation: Explanation) -> tuple[Section, ...]:
    rows = [(label(model), shown(value), model.title) for model, value in explanation.other_models.values()]
    return section("How other models see the same class", table(("figure", "of this class", "model"), rows))
