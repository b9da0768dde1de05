"""The pieces of an SVG picture: elements, escaping, patterns, and the document around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape

from tclose.render.pictures.style import STYLE

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
