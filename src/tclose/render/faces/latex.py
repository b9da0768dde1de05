"""Documents as LaTeX that compiles."""

from __future__ import annotations

from collections.abc import Iterator
from functools import singledispatch

from tclose.render.document import Block, Document, Formula, Heading, Notes, Paragraph, Table, Terms
from tclose.render.faces.letters import declarations, escaped

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


def latex(*documents: Document) -> str:
    """Return documents as one that pdflatex compiles; everything that came from a table is escaped."""
    body = "\n\n".join(part for document in documents for part in _document(document))
    told = next((each.confidential for each in documents if each.confidential), "")
    every_page = f"\\pagestyle{{myheadings}}\n\\markright{{{escaped(told)}}}\n" if told else ""
    return f"{_PREAMBLE}{every_page}{declarations(body)}\\begin{{document}}\n\n{body}\n\n\\end{{document}}\n"


def _document(document: Document) -> Iterator[str]:
    yield rf"\section*{{{escaped(document.marked_title)}}}"
    yield from map(escaped, document.lead)
    for section in document.sections:
        if section.title:
            yield rf"\subsection*{{{escaped(section.title)}}}"
        if section.beside:
            yield escaped(section.beside)
        yield from filter(None, map(_block, section.blocks))


@singledispatch
def _block(block: Block) -> str:
    """Return a block; pictures are left out."""
    del block
    return ""


@_block.register
def _(block: Heading) -> str:
    return rf"\subsubsection*{{{escaped(block.text)}}}"


@_block.register
def _(block: Paragraph) -> str:
    return escaped(block.text)


@_block.register
def _(block: Formula) -> str:
    return block.latex or escaped(block.text)


@_block.register
def _(block: Notes) -> str:
    return "\n".join([r"\begin{itemize}", *(rf"\item {escaped(line)}" for line in block.lines), r"\end{itemize}"])


@_block.register
def _(block: Terms) -> str:
    items = [rf"\item[{escaped(term)}] {escaped(' '.join(each.text for each in told))}" for term, told in block.rows]
    return "\n".join([r"\begin{description}", *items, r"\end{description}"])


@_block.register
def _(block: Table) -> str:
    if block.latex:
        return block.latex
    lines = [
        " & ".join(escaped(cell.long or cell.text) for cell in row) + r" \\" for row in (block.titles, *block.rows)
    ]
    inside = "\n".join([r"\hline", lines[0], r"\hline", *lines[1:], r"\hline"])
    caption = rf" {escaped(block.caption)}\\" if block.caption else ""
    tabular = f"\\begin{{tabular}}{{{'l' * len(block.titles)}}}\n{inside}\n\\end{{tabular}}"
    return f"\\begin{{center}}\\small{caption}\n{tabular}\n\\end{{center}}"
