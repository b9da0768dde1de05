"""Documents as LaTeX that compiles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import singledispatch

from tclose.reports.document import Block, Document, Formula, Heading, Notes, Paragraph, Table, Terms

# Text and numbers as LaTeX takes them, whatever letters a table holds.


_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}", "-": r"-{}",
    "[": r"{[}", "]": r"{]}",
}  # fmt: skip
_MATHEMATICS = {
    "−": "-", "·": r"\cdot", "→": r"\rightarrow", "≤": r"\leq", "≥": r"\geq", "≈": r"\approx", "∞": r"\infty",
    "Σ": r"\Sigma", "∅": r"\varnothing", "α": r"\alpha", "β": r"\beta", "δ": r"\delta", "ε": r"\varepsilon",
    "ℓ": r"\ell", "×": r"\times", "½": r"\tfrac{1}{2}", "ᵢ": "_i", "•": r"\bullet",
    **{small: f"_{{{digit}}}" for digit, small in enumerate("₀₁₂₃₄₅₆₇₈₉")},
}  # fmt: skip
_PLAIN = {"–": "--", "—": "---", "…": r"\dots{}", "’": "'", "\u00a0": "~"}
_FRACTION = re.compile(r"(?P<sign>−?)(?P<above>\d+)/(?P<below>\d+)")
_POWER = re.compile(r"(?P<digits>[−\d.]+)e(?P<power>[+-]?\d+)")


def escaped(text: str) -> str:
    r"""Return text that LaTeX sets letter by letter; letters it may lack are left to :func:`declarations`.

    Examples
    --------
    >>> print(escaped("50% of A_1 & {x} → y"))
    50\% of A\_1 \& \{x\} $\rightarrow$ y
    """
    return "".join(_letter(letter) for letter in text)


def _letter(letter: str) -> str:
    if letter in _MATHEMATICS:
        return f"${_MATHEMATICS[letter]}$"
    return _SPECIAL.get(letter) or _PLAIN.get(letter) or letter


def declarations(body: str) -> str:
    """Return what pdflatex must be told of the letters that its fonts lack: it shows their code points."""
    strange = sorted({letter for letter in body if ord(letter) > 127 and not _in_the_font(letter)})
    lines = [rf"  \DeclareUnicodeCharacter{{{ord(letter):04X}}}{{[U+{ord(letter):04X}]}}" for letter in strange]
    return "\n".join([r"\ifdefined\pdfoutput", *lines, r"\fi", ""]) if lines else ""


def _in_the_font(letter: str) -> bool:
    """Say whether the T1 fonts have a letter: those of western and central European languages."""
    return "\u00a1" <= letter <= "\u00ff" or ("\u0100" <= letter <= "\u017e" and letter not in "ĦħĸŉŦŧĿŀ")


def number(text: str) -> str:
    r"""Return a number as mathematics.

    Examples
    --------
    >>> print(number("−2/9"), number("0.375"), number("3.315e-05"))
    -\tfrac{2}{9} 0.375 3.315\cdot 10^{-5}
    """
    if found := _FRACTION.fullmatch(text):
        return rf"{'-' if found['sign'] else ''}\tfrac{{{found['above']}}}{{{found['below']}}}"
    if found := _POWER.fullmatch(text):
        return rf"{found['digits'].replace('−', '-')}\cdot 10^{{{int(found['power'])}}}"
    return text.replace("−", "-")


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
