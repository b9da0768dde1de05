"""Documents as Markdown, for the summary of a continuous-integration job, a pull request or a page of docs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import singledispatch

from tclose.reports.document import Block, Cell, Document, Formula, Heading, Notes, Paragraph, Table, Terms

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def markdown(*documents: Document, depth: int = 2) -> str:
    """Return documents as Markdown; everything that came from a table is escaped.

    Parameters
    ----------
    documents
        What to show.
    depth
        The level of their titles; the headings of their sections are one below.
    """
    return "\n".join(line for document in documents for line in _document(document, depth))


def _document(document: Document, depth: int) -> Iterator[str]:
    yield from (f"{'#' * depth} {escaped(document.marked_title)}", "")
    if document.confidential:
        yield from (f"**{escaped(document.confidential)}**", "")
    if document.lead:
        yield from (escaped(" ".join(document.lead)), "")
    for section in document.sections:
        if section.title:
            yield from (f"{'#' * (depth + 1)} {escaped(section.title)}", "")
        if section.beside:
            yield from (escaped(section.beside), "")
        for block in section.blocks:
            yield from block_lines(block)


@singledispatch
def block_lines(block: Block) -> list[str]:
    """Return a block as lines with an empty one at their end; pictures have none."""
    del block
    return []


@block_lines.register
def _(block: Heading) -> list[str]:
    return [f"**{escaped(block.text)}**", ""]


@block_lines.register
def _(block: Paragraph | Formula) -> list[str]:
    return [escaped(block.text), ""]


@block_lines.register
def _(block: Notes) -> list[str]:
    return [*(f"- {escaped(line)}" for line in block.lines), ""]


@block_lines.register
def _(block: Terms) -> list[str]:
    rows = [(term, " ".join(each.text for each in paragraphs)) for term, paragraphs in block.rows]
    return [*(f"- **{escaped(term)}** {escaped(told)}" for term, told in rows), ""]


@block_lines.register
def _(block: Table) -> list[str]:
    lines = [_cells(block.titles), ["---"] * len(block.titles), *map(_cells, block.rows)]
    caption = [f"{escaped(block.caption)}:", ""] if block.caption else []
    return [*caption, *(f"| {' | '.join(line)} |" for line in lines), ""]


def _cells(row: tuple[Cell, ...]) -> list[str]:
    return [escaped(cell.long or cell.text) for cell in row]


def escaped(text: str) -> str:
    """Return text with everything escaped that Markdown would obey."""
    return _SPECIAL.sub(r"\\\1", text)
