"""The moving of the earth, move by move: what columns hold after each as exact fractions, and its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any
from xml.etree import ElementTree as ET

from tclose.auditing.explanations import Explanation
from tclose.reports.charts.columns import Arrow, Columns, arrows_of, columns_of
from tclose.reports.charts.earth import carried, earth_picture, held, spent
from tclose.reports.charts.moves import moves_picture
from tclose.reports.document import Table
from tclose.reports.machine_readable.explanations import explanation_data

# Pictures and tables of documents as data that a page builds elements of: it makes none of a text.


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


MOST_MOVES = 400
"""So many single moves are listed; the plan itself may have more."""


def staged(explanation: Explanation, threshold: Fraction | None = None) -> dict[str, Any]:
    """Return an explanation as a page plays it.

    The columns are those of the figure: single values, or groups where there are many. A step is a move between two
    columns; after the last one every column holds what the reference holds.

    Parameters
    ----------
    explanation
        What to play.
    threshold
        What its distance must not exceed, if that was required.
    """
    columns = columns_of(explanation)
    stages, edges = arrows_of(columns), carried(columns)
    return {
        **_told(explanation),
        "columns": [
            {"label": column.label, "class": _exact(column.inside), "reference": _exact(column.outside)}
            for column in columns.items
        ],
        "steps": _steps(columns, stages),
        "carried": _steps(columns, edges),
        "within_groups": _exact(explanation.value - spent(stages)[-1]),
        "within_carried": _exact(explanation.value - spent(edges)[-1]) if edges else None,
        "grouped": columns.grouped,
        "note": columns.note,
        "confidential": explanation.shows_people,
        "pictures": {
            "still": {"text": moves_picture(explanation)},
            "moved": played(earth_picture(explanation, threshold=threshold)),
            "carried": played(earth_picture(explanation, threshold=threshold, edges=True)) if edges else None,
        },
    }


def _steps(columns: Columns, stages: Sequence[Arrow]) -> list[dict[str, Any]]:
    states, paid = held(columns, stages), spent(stages)
    return [
        {
            "name": stage.name,
            "from": stage.start,
            "to": stage.end,
            "moves": stage.moves,
            "mass": _exact(stage.mass),
            "distance": None if columns.grouped else _exact(stage.distance),
            "cost": _exact(stage.cost),
            "from_holds": _exact(state[stage.start]),
            "to_holds": _exact(state[stage.end]),
            "spent": _exact(so_far),
        }
        for stage, state, so_far in zip(stages, states[1:], paid[1:], strict=True)
    ]


def _told(explanation: Explanation) -> dict[str, Any]:
    """Return what the explanation says besides, without what grows with every value of the table."""
    data = explanation_data(explanation)
    kept = ("class", "size", "total", "attribute", "measured", "distance", "t", "largest", "words", "rule", "agreement")
    told = {key: data[key] for key in kept} | {"shares": data["shares"][:MOST_MOVES]}
    return {**told, "move_count": len(data["moves"]), "moves": data["moves"][:MOST_MOVES]}


def _exact(value: Fraction) -> dict[str, Any]:
    return {"value": float(value), "exact": str(value)}
