"""A frame recoded row by row: every row stays where it is, and nothing is judged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tclose.anonymization.points import recoding_by_rows
from tclose.anonymization.recipe_matching import fitted_throughout
from tclose.anonymization.recipe_numbers import Ends, ends_by_label, kind_of_values
from tclose.anonymization.recipes import Recipe
from tclose.engines.base import RecodedTable
from tclose.engines.dispatch import working_session
from tclose.engines.errors import imported
from tclose.errors import ColumnNotFoundError, InputError, listed

# Quasi-identifiers of a release as intervals of pandas.


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


_USE = "Recoding a frame"


def recoded_frame(recipe: Recipe, frame: Any) -> Any:
    """Return a frame with its quasi-identifiers as texts of the cells that a recipe has for them, and numbers rounded.

    Parameters
    ----------
    recipe
        A recipe; one that divides rows by their sensitive values sends them to the cell of most detail.
    frame
        A frame of pandas or polars, which is returned in kind, or anything with an Arrow stream, which becomes a
        pyarrow table.
    """
    kind = type(frame).__module__.partition(".")[0]
    if kind not in ("pandas", "polars"):
        kind, frame = "pyarrow", _arrow(frame)
    quasi = [column.name for column in recipe.columns]
    names = frame.column_names if kind == "pyarrow" else list(frame.columns)
    for name in quasi:
        if name not in names:
            raise ColumnNotFoundError(name, map(str, names), "recoded")
    if not len(frame):
        return _replaced(frame, kind, {name: [] for name in quasi})
    rounded = [name for name in recipe.roles.steps if name in names]
    number = "row"
    while number in (*quasi, *rounded):
        number += "_"
    made = _recoded(recipe, _numbered(frame, kind, [*quasi, *rounded], number), rounded, number)
    if recipe.points is not None:
        return _with_values(frame, kind, made, [*quasi, *rounded], number)
    cells = made.to_arrow().sort_by(number)
    frame = _replaced(frame, kind, {name: cells.column(name).to_pylist() for name in quasi})
    return _with_values(frame, kind, made, rounded, number) if rounded else frame


def rows_numbered(table: object) -> tuple[object, str | None]:
    """Return a frame of pandas, polars or Arrow with the numbers of its rows, and how these are called.

    Anything else stays as it is.
    """
    kind, frame = f"{type(table).__module__.partition('.')[0]}.{type(table).__name__}", table
    if kind not in ("pandas.DataFrame", "polars.DataFrame", "pyarrow.Table"):
        return table, None
    names = [str(name) for name in getattr(frame, "column_names", getattr(frame, "columns", ()))]
    number = "row"
    while number in names:
        number += "_"
    return _with_numbers(frame, kind.partition(".")[0], number), number


def _with_numbers(frame: Any, kind: str, number: str) -> Any:
    """Return a frame with a further column of the numbers of its rows."""
    if kind == "pandas":
        return frame.reset_index(drop=True).assign(**{number: range(len(frame))})
    if kind == "polars":
        return frame.with_row_index(number)
    return frame.append_column(number, [list(range(len(frame)))])


def _arrow(frame: Any) -> Any:
    if not hasattr(frame, "__arrow_c_stream__"):
        raise InputError(f"A frame of pandas, polars or Arrow can be recoded row by row, not {type(frame).__name__}.")
    return imported("pyarrow", _USE).table(frame)


def _numbered(frame: Any, kind: str, names: Sequence[str], number: str) -> Any:
    """Return some columns of a frame, and beside them the numbers of its rows."""
    return _with_numbers(frame[list(names)] if kind == "pandas" else frame.select(names), kind, number)


def _recoded(recipe: Recipe, numbered: Any, rounded: Sequence[str], number: str) -> RecodedTable[Any]:
    """Return the cells of each quasi-identifier and the rounded numbers, with the numbers of the rows."""
    quasi = [column.name for column in recipe.columns]
    with working_session(numbered) as session:
        table = session.rounded(session.open(numbered), recipe.roles.steps).keep([*quasi, *rounded, number])
        distinct = session.distinct(table.keep(quasi), quasi, (), lambda _stage, _share: None)
        fit = replace(fitted_throughout(recipe, distinct, "the frame").recipe, published=(*quasi, *rounded, number))
        return session.recode(table, recoding_by_rows(fit, distinct))


def _with_values(frame: Any, kind: str, made: RecodedTable[Any], rounded: Sequence[str], number: str) -> Any:
    """Return a frame with rounded numbers or points in some columns, each of them in the place of its own."""
    if kind == "pandas":
        own = made.to_pandas().sort_values(number).set_axis(frame.index)
        return frame.assign(**{name: own[name] for name in rounded})
    if kind == "polars":
        return frame.with_columns(made.to_polars().sort(number).select(rounded))
    own = made.to_arrow().sort_by(number)
    for name in rounded:
        frame = frame.set_column(frame.column_names.index(name), name, own.column(name))
    return frame


def _replaced(frame: Any, kind: str, cells: Mapping[str, Sequence[str | None]]) -> Any:
    """Return a frame with other cells in some columns."""
    if kind == "pandas":
        pandas = imported("pandas", _USE)
        return frame.assign(**{name: pandas.Series(own, frame.index, "str") for name, own in cells.items()})
    if kind == "polars":
        polars = imported("polars", _USE)
        return frame.with_columns([polars.Series(name, own, polars.String) for name, own in cells.items()])
    arrow = imported("pyarrow", _USE)
    for name, own in cells.items():
        frame = frame.set_column(frame.column_names.index(name), name, arrow.array(own, arrow.string()))
    return frame
