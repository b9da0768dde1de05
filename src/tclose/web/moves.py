"""The moving of the earth, move by move: what columns hold after each as exact fractions, and its pictures."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tclose.explanations import Explanation
from tclose.render.data.explanations import explanation_data
from tclose.render.pictures.columns import Arrow, Columns, arrows_of, columns_of
from tclose.render.pictures.earth import earth_picture
from tclose.render.pictures.moves import moves_picture
from tclose.render.pictures.stages import carried, held, spent
from tclose.web.pictures import played

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
