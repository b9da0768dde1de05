"""Quasi-identifiers of a release as intervals of pandas."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any  # frames come from packages that tclose does not depend on

from tclose.engines.optional import imported
from tclose.errors import InputError, listed
from tclose.recipe_numbers import Ends, ends_by_label, kind_of_values
from tclose.recipes import Recipe


def with_intervals(frame: Any, recipe: Recipe, names: Sequence[str]) -> Any:
    """Return a frame of pandas with the text of some quasi-identifiers as intervals, closed on both sides.

    A value by itself is an interval of nothing else; a label that names no end is missing.

    Parameters
    ----------
    frame
        The rows of the release.
    recipe
        How it was made.
    names
        The quasi-identifiers; they are numbers or dates in the original.
    """
    pandas = imported("pandas", "A frame with intervals")
    columns = {column.name: column for column in recipe.columns}
    made = {}
    for name in names:
        if name not in columns:
            raise InputError(
                f"Intervals are asked for of {name!r}, which is no quasi-identifier; these are {listed(columns)}."
            )
        kind = kind_of_values(columns[name])
        if kind is None:
            raise InputError(f"The column {name!r} holds no numbers or dates, and has no intervals.")
        ends = ends_by_label(columns[name], kind)
        pairs = [_pair(ends.get(None if pandas.isna(cell) else cell, (None, None)), kind) for cell in frame[name]]
        low, high = ([pair[at] for pair in pairs] for at in range(2))
        if kind == "DOUBLE":
            low, high = (pandas.array(some, dtype="float64") for some in (low, high))
        else:
            low, high = (pandas.to_datetime(some, format="ISO8601") for some in (low, high))
        made[name] = pandas.arrays.IntervalArray.from_arrays(low, high, closed="both")
    return frame.assign(**made)


def _pair(ends: Ends, kind: str) -> tuple[Any, Any]:
    """Return the ends of an interval: numbers, infinite where one is not named, or dates, which have both or none."""
    low, high = ends
    if kind != "DOUBLE":
        return (None, None) if low is None or high is None else (low, high)
    if low is high is None:
        return math.nan, math.nan
    return -math.inf if low is None else float(low), math.inf if high is None else float(high)
