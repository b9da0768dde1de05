"""Text in a terminal: how wide it is, how it is wrapped, aligned in columns and coloured."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence

from tclose.reports.document import Cell

Row = Sequence[Cell]
_GAP = 2
_NARROWEST = 4
_STYLES = {"": "", "code": "", "strong": "1", "soft": "2", "good": "32", "bad": "31", "care": "33"}


def painted(text: str, style: str, *, colour: bool) -> str:
    """Return text in a style, or as it is without colour."""
    code = _STYLES[style]
    return f"\x1b[{code}m{text}\x1b[0m" if colour and code else text


def width_of(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    Examples
    --------
    >>> width_of("zip"), width_of("年齢"), width_of("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def elided(text: str, width: int) -> str:
    """Return text cut to a width, with an ellipsis where something is missing.

    Examples
    --------
    >>> elided("quasi-identifier", 6)
    'quasi…'
    """
    if width_of(text) <= width:
        return text
    kept, used = [], 1
    for letter in text:
        used += width_of(letter)
        if used > width:
            break
        kept.append(letter)
    return "".join(kept) + "…"


def wrapped(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """Return text in lines of at most a width; words that are too long are broken.

    Examples
    --------
    >>> wrapped("a 年齢 of 年齢年齢年齢年齢年齢年齢", 20, rest="  ")
    ['a 年齢 of', '  年齢年齢年齢年齢年', '  齢年齢']
    """
    width = max(20, width)
    if width_of(text) != len(text):
        return _wrapped_by_width(text.split(), width, first, rest)
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=rest,
        break_on_hyphens=False,
    ) or [first.rstrip()]


def _wrapped_by_width(words: list[str], width: int, first: str, rest: str) -> list[str]:
    """Return words in lines, with letters counted by the columns they take."""
    lines: list[str] = []
    line, used = first, 0
    for word in words:
        if used and width_of(f"{line} {word}") > width:
            lines, line, used = [*lines, line], rest, 0
        line, used = f"{line} {word}" if used else line + word, used + 1
        while width_of(line) > width:
            kept = _cut(line, width)
            lines, line = [*lines, line[:kept]], rest + line[kept:]
    return [*lines, line]


def _cut(text: str, width: int) -> int:
    """Return how many letters of a text fit into a width."""
    used = 0
    for at, letter in enumerate(text):
        used += width_of(letter)
        if used > width:
            return at
    return len(text)


def fits(rows: Sequence[Row], width: int, *, indent: str = "") -> bool:
    """Say whether rows fit into a width with nothing cut."""
    return len(indent) + sum(_natural(rows)) + _GAP * (len(rows[0]) - 1) <= width if rows else True


def _natural(rows: Sequence[Row]) -> list[int]:
    return [max(width_of(cell.text) for cell in column) for column in zip(*rows, strict=True)]


def aligned(rows: Sequence[Row], width: int, *, indent: str = "", colour: bool = False) -> list[str]:
    """Return rows as lines with aligned columns; the last column gives way first when room is short."""
    if not rows:
        return []
    widths = _fitted(_natural(rows), width, indent)
    return [_line(row, widths, indent, colour=colour) for row in rows]


def _fitted(widths: list[int], width: int, indent: str) -> list[int]:
    excess = len(indent) + sum(widths) + _GAP * (len(widths) - 1) - width
    last = len(widths) - 1
    while excess > 0:
        at = last if widths[last] > 4 * _NARROWEST else max(range(len(widths)), key=lambda i: (widths[i], i))
        if widths[at] <= _NARROWEST:
            break
        widths[at] -= 1
        excess -= 1
    return widths


def _line(row: Row, widths: Sequence[int], indent: str, *, colour: bool) -> str:
    parts = []
    for cell, width in zip(row, widths, strict=True):
        text = elided(cell.text, width)
        parts.append(painted(text, cell.tone if text else "", colour=colour) + " " * (width - width_of(text)))
    return (indent + (" " * _GAP).join(parts)).rstrip()
