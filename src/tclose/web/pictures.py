"""Pictures and tables of documents as data that a page builds elements of: it makes none of a text."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

from tclose.render.document import Table


def played(picture: str) -> dict[str, Any]:
    """Return a picture as a file holds it, and as elements: a page makes none of a text, whatever it says."""
    return {"text": picture, "element": _element(ET.fromstring(picture))}  # noqa: S314 - a picture of our own


def drawn(picture: str | None) -> dict[str, Any] | None:
    """Return a picture likewise; None where there is none."""
    return None if picture is None else played(picture)


def _element(element: ET.Element) -> list[Any]:
    """Return an element as its name, its attributes and what is in it; the page has the style already."""
    inside: list[Any] = [text for text in [(element.text or "").strip()] if text]
    for child in element:
        if not child.tag.endswith("}style"):
            inside.append(_element(child))
        if tail := (child.tail or "").strip():
            inside.append(tail)
    return [element.tag.split("}")[-1], dict(element.attrib), *inside]


def listed(table: Table) -> dict[str, Any]:
    """Return a table of a document as texts."""
    return {
        "caption": table.caption or table.name,
        "titles": [title.long or title.text for title in table.titles],
        "rows": [[{"text": cell.long or cell.text, "about": cell.about} for cell in row] for row in table.rows],
    }
