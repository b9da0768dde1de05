"""How much room text takes, and how it is shortened, broken and turned to fit."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from tclose.render.pictures.svg import turned, words

SIZE = 13
SMALL = 11
SLANT = 40
LONGEST = 150
"""How long a slanted label may be."""
ELLIPSIS = "…"
_NARROW = frozenset("iljtfr.,:;|!'()[]/\\ ·")
_BROAD = frozenset("mwMW@%&")


def _width(letter: str) -> float:
    """Return the width of a character in ems, rather too much than too little."""
    if unicodedata.category(letter) in {"Mn", "Me", "Cf"}:
        return 0.0
    if unicodedata.east_asian_width(letter) in {"W", "F"}:
        return 1.3 if ord(letter) > 0x1F000 else 1.0
    if letter in _NARROW:
        return 0.4
    if letter in _BROAD:
        return 0.98
    return 0.72 if letter.isupper() else 0.63


def text_width(text: str, size: float = SIZE) -> float:
    """Return about how wide a text is, in pixels."""
    return size * sum(map(_width, text))


def shortened(text: str, room: float, size: float = SIZE) -> str:
    """Return a text that fits, ending in an ellipsis where something was left out.

    Examples
    --------
    >>> shortened("pulmonary embolism", 80), shortened("flu", 80)
    ('pulmonar…', 'flu')
    """
    if text_width(text, size) <= room:
        return text
    left = room - size
    kept = 0
    for letter in text:
        left -= size * _width(letter)
        if left < 0:
            break
        kept += 1
    return text[:kept].rstrip() + ELLIPSIS


def broken(text: str, room: float, most: int, size: float = SIZE) -> list[str]:
    """Return a text broken at spaces into lines that fit; what does not fit the last line is left out."""
    lines: list[str] = [""]
    pieces = text.split(" ")
    for at, piece in enumerate(pieces):
        longer = f"{lines[-1]} {piece}" if lines[-1] else piece
        if not lines[-1] or text_width(longer, size) <= room:
            lines[-1] = longer
        elif len(lines) < most:
            lines.append(piece)
        else:
            lines[-1] = " ".join([lines[-1], *pieces[at:]])
            break
    return [shortened(line, room, size) for line in lines]


@dataclass(frozen=True)
class Labels:
    """Labels under the columns of a picture, laid out so that no two overlap."""

    parts: tuple[str, ...]
    height: float


def labels_under(texts: Sequence[str], centres: Sequence[float], y: float, pitch: float, longest: float) -> Labels:
    """Return labels below a line: side by side, else broken in lines, else slanted, else shortened too.

    Parameters
    ----------
    texts
        The labels.
    centres
        Where they belong.
    y
        The line they hang under.
    pitch
        How far apart the columns are.
    longest
        How long a slanted label may be.
    """
    room = pitch - 6
    lines = [broken(text, room, 3) for text in texts]
    whole = all(
        "".join(line).replace(" ", "") == text.replace(" ", "") for line, text in zip(lines, texts, strict=True)
    )
    if whole:
        parts = [
            words(x, y + 16 + 15 * row, text)
            for x, label in zip(centres, lines, strict=True)
            for row, text in enumerate(label)
        ]
        return Labels(tuple(parts), 8 + 15 * max(map(len, lines), default=1) + 4)
    lean = math.cos(math.radians(SLANT))
    fitting = [shortened(text, min(longest, (x - 4) / lean)) for x, text in zip(centres, texts, strict=True)]
    slanted = [
        turned(x + 4, y + 14, -SLANT, short, anchor="end", hint=text)
        for x, short, text in zip(centres, fitting, texts, strict=True)
    ]
    tallest = max(text_width(text) for text in fitting)
    return Labels(tuple(slanted), 22 + tallest * math.sin(math.radians(SLANT)))
