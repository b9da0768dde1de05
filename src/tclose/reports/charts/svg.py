"""The pieces of an SVG picture: elements, escaping, patterns, and the document around them."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape

# How pictures look: one set of rules for screen and paper, light and dark, that touches nothing but pictures.


_FONT = 'system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","Liberation Sans",Arial,sans-serif'

_SHAPES = {
    "": f"max-width:100%;height:auto;direction:ltr;font:13px/1.3 {_FONT};letter-spacing:normal",
    "text": "stroke:none;font-variant-numeric:tabular-nums;white-space:pre;unicode-bidi:isolate",
    ".tc-name": "font-size:17px;font-weight:600",
    ".tc-small": "font-size:11px",
    ".tc-strong": "font-weight:600",
    ".tc-halo": "paint-order:stroke;stroke-width:4.5px;stroke-linejoin:round",
    ".tc-stay": "stroke-width:1",
    ".tc-leave": "stroke-width:1",
    ".tc-hole": "fill:none;stroke-width:1.6;stroke-dasharray:5 3",
    ".tc-slot": "fill:none;stroke-width:1;stroke-dasharray:2 3",
    ".tc-axis": "fill:none;stroke-width:1.4",
    ".tc-grid": "fill:none;stroke-width:1",
    ".tc-move": "fill:none;stroke-width:1.8",
    ".tc-way": "fill:none",
    ".tc-under": "fill:none;stroke-width:5",
    ".tc-class": "fill:none;stroke-width:2.6;stroke-linejoin:round",
    ".tc-table": "fill:none;stroke-width:2;stroke-dasharray:6 4",
    ".tc-area": "stroke:none",
    ".tc-strip": "fill:none;stroke-width:.75",
    ".tc-branch": "fill:none;stroke-width:1",
    ".tc-up": "fill:none",
    ".tc-down": "fill:none;stroke-dasharray:7 4",
    ".tc-node": "stroke-width:1",
    ".tc-hatch-line": "stroke-width:2.4",
    ".tc-back-line": "stroke-width:2",
}

SIDES = {"middle": "tc-mid", "end": "tc-end"}
"""A class for the side of a text that stands at its place, where an attribute for each would be long."""
_SHAPES |= {f".{name}": f"text-anchor:{side}" for side, name in SIDES.items()}

_LIGHT = {
    "paper": "#ffffff",
    "ink": "#1b1f24",
    "soft": "#57606a",
    "rule": "#c9d1d9",
    "stay": "#4a6fa5",
    "move": "#9a3f0b",
    "tint": "#fbe6d6",
    "down": "#1f5e8c",
    "cool": "#dcebf7",
}
_DARK = {
    "paper": "#14171b",
    "ink": "#e8ebee",
    "soft": "#a9b2bb",
    "rule": "#3d444d",
    "stay": "#6f9bd8",
    "move": "#f2a56b",
    "tint": "#4a2c17",
    "down": "#86c1ec",
    "cool": "#17344a",
}

_PAINTED = {
    "text": "fill:{ink}",
    ".tc-soft": "fill:{soft}",
    ".tc-told": "fill:{move}",
    ".tc-sunk": "fill:{down}",
    ".tc-halo": "stroke:{paper}",
    ".tc-paper": "fill:{paper}",
    ".tc-stay": "fill:{stay};stroke:{ink}",
    ".tc-leave": "stroke:{ink}",
    ".tc-hole": "stroke:{ink}",
    ".tc-slot": "stroke:{soft}",
    ".tc-axis": "stroke:{ink}",
    ".tc-grid": "stroke:{rule}",
    ".tc-move": "stroke:{move}",
    ".tc-way": "stroke:{move}",
    ".tc-under": "stroke:{paper}",
    ".tc-head": "fill:{move}",
    ".tc-dot": "fill:{ink}",
    ".tc-class": "stroke:{ink}",
    ".tc-table": "stroke:{down}",
    ".tc-strip": "stroke:{paper}",
    ".tc-branch": "stroke:{soft}",
    ".tc-up": "stroke:{move}",
    ".tc-down": "stroke:{down}",
    ".tc-down-head": "fill:{down}",
    ".tc-node": "fill:{paper};stroke:{soft}",
    ".tc-hatch-ground": "fill:{tint}",
    ".tc-hatch-line": "stroke:{move}",
    ".tc-back-ground": "fill:{cool}",
    ".tc-back-line": "stroke:{down}",
}


def _rules(declared: Mapping[str, str]) -> str:
    return "\n".join(
        f".tclose-figure{' ' + name if name else ''}{{{declarations}}}" for name, declarations in declared.items()
    )


def _painted(colours: Mapping[str, str]) -> str:
    return _rules({name: declarations.format(**colours) for name, declarations in _PAINTED.items()})


def _under(place: str, rules: str) -> str:
    return "\n".join(f"{place} {line}" for line in rules.splitlines())


NOTEBOOK_STYLE = "\n".join(
    (
        "@media screen{",
        _under(':is([data-jp-theme-light="true"],.vscode-light)', _painted(_LIGHT)),
        _under(':is([data-jp-theme-light="false"],.vscode-dark)', _painted(_DARK)),
        "}",
    )
)
"""What makes pictures follow the theme of a notebook where it is not that of the machine."""

STYLE = "\n".join(
    (
        "",
        _rules(_SHAPES),
        _painted(_LIGHT),
        "@media screen and (prefers-color-scheme:dark){",
        _painted(_DARK),
        "}",
        "@media print{.tclose-figure,.tclose-figure *{print-color-adjust:exact;-webkit-print-color-adjust:exact}}",
        "",
    )
)
"""The rules, literal colours only: tools that know neither variables nor media queries draw the light picture."""

Number = float | int

_HATCHES = {"hatch": 45, "back": -45}
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Subject:
    """What a picture needs to know of an explanation to be told apart from every other."""

    name: str
    key: str
    attribute: str
    facts: object

    @property
    def identity(self) -> str:
        """A word that no other picture on a page has, the same each time this picture is drawn."""
        parts = repr((self.name, self.key, self.attribute, self.facts))
        return "tclose-" + sha256(parts.encode("utf-8", "backslashreplace")).hexdigest()[:10]


def escaped(text: str) -> str:
    r"""Return text that may stand in XML, whatever it holds; characters that XML forbids become �.

    Examples
    --------
    >>> print(escaped("<b> & \x00"))
    &lt;b&gt; &amp; �
    """
    return escape(_ILLEGAL.sub("\ufffd", text), quote=False).replace('"', "&quot;")


def digits(number: Number) -> str:
    """Return a coordinate with two decimals at most.

    Examples
    --------
    >>> digits(3.0), digits(2.456), digits(-0.001)
    ('3', '2.46', '0')
    """
    text = f"{number:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def element(tag: str, *content: str, **attributes: str | Number | None) -> str:
    """Return an element; content is taken as it is, attributes are escaped and ``_`` in their names is ``-``."""
    given = "".join(
        f' {name.strip("_").replace("_", "-")}="{escaped(value) if isinstance(value, str) else digits(value)}"'
        for name, value in attributes.items()
        if value is not None and value != ""
    )
    return f"<{tag}{given}>{''.join(content)}</{tag}>" if content else f"<{tag}{given}/>"


def words(x: Number, y: Number, text: str, style: str = "", *, anchor: str = "middle", hint: str = "") -> str:
    """Return a line of text at a place, with a fuller text to be read on pointing at it."""
    content = element("title", escaped(hint)) + escaped(text) if hint and hint != text else escaped(text)
    side = None if anchor == "start" else anchor
    return element("text", content, x=x, y=y, class_=style, text_anchor=side) if text else ""


def turned(x: Number, y: Number, degrees: Number, text: str, style: str = "", *, anchor: str, hint: str = "") -> str:
    """Return a line of text turned about its place."""
    return element("g", words(0, 0, text, style, anchor=anchor, hint=hint), transform=_placed(x, y, degrees))


def _placed(x: Number, y: Number, degrees: Number) -> str:
    return f"translate({digits(x)} {digits(y)}) rotate({digits(degrees)})"


def box(x: Number, y: Number, width: Number, height: Number, style: str, **attributes: str | Number | None) -> str:
    """Return a rectangle."""
    return element("rect", x=x, y=y, width=width, height=height, class_=style, **attributes)


def line(x1: Number, y1: Number, x2: Number, y2: Number, style: str, **attributes: str | Number | None) -> str:
    """Return a straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=style, **attributes)


def head(x: Number, y: Number, toward: tuple[int, int], style: str, size: Number = 4) -> str:
    """Return an arrow's head whose tip is at a place, pointing along one of the axes."""
    dx, dy = toward
    back_x, back_y = x - 2 * size * dx, y - 2 * size * dy
    corners = [(x, y), (back_x + size * dy, back_y + size * dx), (back_x - size * dy, back_y - size * dx)]
    return element("path", d="M" + "L".join(f"{digits(a)},{digits(b)}" for a, b in corners) + "Z", class_=style)


def hatch(identity: str, name: str, degrees: int) -> str:
    """Return a pattern of slanted lines, to be used as ``url(#identity-name)``."""
    content = box(0, 0, 7, 7, f"tc-{name}-ground") + line(0, 0, 0, 7, f"tc-{name}-line")
    return element(
        "pattern",
        content,
        id=f"{identity}-{name}",
        width=7,
        height=7,
        patternUnits="userSpaceOnUse",
        patternTransform=f"rotate({degrees})",
    )


def _hatches(identity: str, drawn: str) -> list[str]:
    """Return the patterns that a picture uses."""
    used = [hatch(identity, name, turn) for name, turn in _HATCHES.items() if f"url(#{identity}-{name})" in drawn]
    return [element("defs", *used)] if used else []


def document(subject: Subject, title: str, description: str, size: tuple[Number, Number], parts: Sequence[str]) -> str:
    """Return a complete picture that stands alone or inline in a page, and says in words what it shows.

    Parameters
    ----------
    subject
        What the picture shows, for its ids.
    title
        Its name.
    description
        The text alternative.
    size
        Width and height.
    parts
        The elements, from the back to the front.
    """
    identity = subject.identity
    width, height = size
    content = (
        element("title", escaped(title), id=f"{identity}-title"),
        element("desc", escaped(description), id=f"{identity}-desc"),
        element("style", STYLE),
        *_hatches(identity, "".join(parts)),
        box(0, 0, width, height, "tc-paper"),
        *(part for part in parts if part),
    )
    return (
        element(
            "svg",
            "\n" + "\n".join(content) + "\n",
            xmlns="http://www.w3.org/2000/svg",
            class_=f"tclose-figure tclose-{subject.name}",
            role="img",
            lang="en",
            aria_labelledby=f"{identity}-title {identity}-desc",
            viewBox=f"0 0 {digits(width)} {digits(height)}",
            width=width,
            height=height,
        )
        + "\n"
    )


# How much room text takes, and how it is shortened, broken and turned to fit.


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
