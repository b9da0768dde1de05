"""The moving of the earth, move by move: what each column holds after each move, as exact fractions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tclose.explanations import Explanation
from tclose.render.explanation_json import explanation_data
from tclose.render.figures.columns import arrows_of, columns_of

MOST_MOVES = 400
"""So many single moves are listed; the plan itself may have more."""


def staged(explanation: Explanation) -> dict[str, Any]:
    """Return an explanation as a page plays it.

    The columns are those of the figure: single values, or groups where there are many. A step is a move between two
    columns; after the last one every column holds what the reference holds.
    """
    columns = columns_of(explanation)
    held = [column.inside for column in columns.items]
    spent = Fraction(0)
    steps = []
    for arrow in arrows_of(columns):
        held[arrow.start] -= arrow.mass
        held[arrow.end] += arrow.mass
        spent += arrow.cost
        steps.append(
            {
                "name": arrow.name,
                "from": arrow.start,
                "to": arrow.end,
                "moves": arrow.moves,
                "mass": _exact(arrow.mass),
                "cost": _exact(arrow.cost),
                "from_holds": _exact(held[arrow.start]),
                "to_holds": _exact(held[arrow.end]),
                "spent": _exact(spent),
            }
        )
    return {
        **_told(explanation),
        "columns": [
            {"label": column.label, "class": _exact(column.inside), "reference": _exact(column.outside)}
            for column in columns.items
        ],
        "steps": steps,
        "within_groups": _exact(explanation.value - spent),
        "grouped": columns.grouped,
        "note": columns.note,
    }


def _told(explanation: Explanation) -> dict[str, Any]:
    """Return what the explanation says besides, without what grows with every value of the table."""
    data = explanation_data(explanation)
    kept = ("class", "size", "total", "attribute", "measured", "distance", "largest", "words", "rule", "agreement")
    return {**{key: data[key] for key in kept}, "move_count": len(data["moves"]), "moves": data["moves"][:MOST_MOVES]}


def _exact(value: Fraction) -> dict[str, Any]:
    return {"value": float(value), "exact": str(value)}
