"""Documents as text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatchmethod

from tclose.reports.document import (
    Block,
    Cell,
    Document,
    Formula,
    Heading,
    Notes,
    Paragraph,
    Picture,
    Section,
    Table,
    Terms,
)
from tclose.reports.formats.layout import Row, aligned, elided, fits, painted, wrapped

WIDTH = 80
_NARROWEST = 40
_BAR = 24


def text(*documents: Document, width: int | None = None, colour: bool = False) -> str:
    """Return documents as text, a line between them.

    Parameters
    ----------
    documents
        What to show.
    width
        Columns of the terminal; 80 if left out.
    colour
        Whether to colour it, by ANSI escape sequences.
    """
    width = max(_NARROWEST, width or WIDTH)
    pages = [_Page(width, colour=colour).document(each) for each in documents]
    return f"\n\n{'─' * width}\n\n".join("\n".join(page) for page in pages)


class _Page:
    """Lines of a document in the making."""

    def __init__(self, width: int, *, colour: bool) -> None:
        self.width = width
        self.colour = colour
        self.lines: list[str] = []

    def document(self, document: Document) -> list[str]:
        if document.confidential:
            self.paragraph(document.confidential.upper(), "bad")
        self.title(document)
        for sentence in document.lead:
            self.paragraph(sentence)
        for section in document.sections:
            self.section(section)
        return self.lines

    def title(self, document: Document) -> None:
        """Write the verdict; what must not be overlooked is coloured as such, whatever the verdict is."""
        left = len(document.marked_title.removesuffix(document.care).split()) if document.care else 10**9
        for line in wrapped(document.marked_title, self.width):
            words = line.split(" ")
            parts = (words[:left], document.tone), (words[left:], "care")
            self.lines.append(
                " ".join(painted(" ".join(some), tone, colour=self.colour) for some, tone in parts if some)
            )
            left = max(0, left - len(words))

    def section(self, section: Section) -> None:
        self.lines.append("")
        if section.title:
            self.heading(section.title, section.beside)
        for block in section.blocks:
            self.block(block, "  " if section.title else "")

    def heading(self, title: str, beside: str) -> None:
        first, *others = wrapped(f"{title}  {beside}".rstrip(), self.width, rest="  ")
        named = first[: len(title)]
        self.lines += [painted(named, "strong", colour=self.colour) + first[len(title) :], *others]

    def paragraph(self, sentence: str, tone: str = "", first: str = "", rest: str = "") -> None:
        lines = wrapped(sentence, self.width, first=first, rest=rest)
        self.lines += [painted(line, tone, colour=self.colour) for line in lines]

    @singledispatchmethod
    def block(self, block: Block, indent: str) -> None:
        """Write a block; pictures are not for a terminal."""

    @block.register
    def _(self, block: Heading, indent: str) -> None:
        self.lines.append("")
        self.paragraph(block.text, "strong", indent, indent)

    @block.register
    def _(self, block: Paragraph, indent: str) -> None:
        self.paragraph(block.text, block.tone, indent, indent)

    @block.register
    def _(self, block: Formula, indent: str) -> None:
        self.paragraph(block.text, first=indent, rest=f"{indent}    ")

    @block.register
    def _(self, block: Notes, indent: str) -> None:
        del indent
        for line in block.lines:
            self.paragraph(line, first="  • ", rest="    ")

    @block.register
    def _(self, block: Terms, indent: str) -> None:
        for term, paragraphs in block.rows:
            self.paragraph(term, "strong", indent, indent)
            for each in paragraphs:
                self.paragraph(each.text, each.tone, f"{indent}  ", f"{indent}  ")

    @block.register
    def _(self, block: Table, indent: str) -> None:
        if block.caption:
            self.paragraph(f"{block.caption}:", first=indent, rest=indent)
            indent += "  "
        titles = [] if block.untitled else [[Cell(title.text, "soft") for title in block.titles]]
        rows = [*titles, *([_shown(cell) for cell in row] for row in block.rows)]
        if block.last != "shorten" and not fits(rows, self.width, indent=indent):
            if block.last == "below":
                self.below(block, rows, indent)
                return
            rows = [row[:-1] for row in rows]
        self.lines += aligned(rows, self.width, indent=indent, colour=self.colour)

    def below(self, block: Table, rows: Sequence[Row], indent: str) -> None:
        """Write a table with its last column on lines of their own."""
        width = self.width if not block.uncut else 10**6
        lines = aligned([row[:-1] for row in rows], width, indent=indent, colour=self.colour)
        title = "" if block.untitled else f"{block.titles[-1].text}: "
        for line, row in zip(lines, rows, strict=True):
            self.lines.append(line)
            if row[-1].text and row[-1].text != block.titles[-1].text:
                told = elided(f"{indent}     {title}{row[-1].text}", width)
                self.lines.append(painted(told, "soft", colour=self.colour))

    @block.register
    def _(self, block: Picture, indent: str) -> None:
        """Leave pictures to the faces that can show them."""


def _shown(cell: Cell) -> Cell:
    if cell.share is None:
        return cell
    full = max(0, min(_BAR, round(cell.share * _BAR)))
    return Cell("█" * full + "░" * (_BAR - full), "soft")
