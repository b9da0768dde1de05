"""What costs the detail of a release, as parts of a document for its owner: by column, by requirement, and advice."""

from __future__ import annotations

from collections.abc import Iterator

from tclose.detail_costs import ColumnCost, DetailCosts, RequirementCost
from tclose.render.document import Block, Cell, Paragraph, table
from tclose.render.words import detail_costs as words
from tclose.render.words.cells import visible
from tclose.render.words.phrases import percent


def why_blocks(costs: DetailCosts | None) -> Iterator[Block]:
    """Give what costs the detail; nothing where that was not measured."""
    if costs is None:
        return
    yield Paragraph(words.advice_sentence(costs), "strong")
    yield table(
        ("column", "keeps", "others keep", "others without it"),
        [_column(each) for each in costs.columns],
        name="By column",
        caption="By column: what it keeps, and what the others keep with it and without it",
    )
    yield table(
        ("required", "binds", "without it", "looser", "with that", "classes"),
        [_requirement(each) for each in costs.requirements],
        name="By requirement",
        caption="By requirement: what is kept without it and with a looser one, and the most classes of any release",
    )
    yield Paragraph(words.legend(costs), "soft")


def _column(cost: ColumnCost) -> list[str | Cell]:
    others = "" if cost.others is None else percent(cost.others)
    return [visible(cost.column), percent(cost.kept), others, Cell(words.share(cost.others_without), "strong")]


def _requirement(cost: RequirementCost) -> list[str | Cell]:
    looser = cost.looser
    return [
        words.required_text(cost.requirement),
        "yes" if cost.binds else "no",
        Cell(words.share(cost.kept_without), "strong"),
        "" if looser is None else looser.text,
        "" if looser is None else words.share(cost.kept_looser),
        "" if cost.most_classes is None else f"{cost.most_classes:,}",
    ]
