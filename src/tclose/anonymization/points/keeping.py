"""Points as a recipe keeps them, and read from one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tclose.anonymization.points.drawing import Points, PointsColumn
from tclose.anonymization.points.lines import Line
from tclose.models.counts import Ranks
from tclose.policy.exact_numbers import fraction, written


def points_data(points: Points) -> dict[str, Any]:
    """Return points as a recipe keeps them."""
    return {
        "form": points.form,
        "attempt": points.attempt,
        "columns": [
            {
                "line": None if each.line is None else _line_data(each.line),
                "declared": each.declared,
                "texts": each.texts,
                "shown": [list(cell) for cell in each.shown],
                "labels": list(labels),
                "values": list(values),
                "counts": [list(count) for count in each.counts],
            }
            for each, labels, values in zip(points.columns, points.labels, points.values, strict=True)
        ],
        "cells": points.cells.T,
        "drawn": points.drawn.T,
    }


def points_of(data: Mapping[str, Any]) -> Points:
    """Return points that were kept; raise some error where they are none."""
    columns = data["columns"]
    points = Points(
        data["form"],
        int(data["attempt"]),
        tuple(
            PointsColumn(
                None if each["line"] is None else _line(*each["line"]),
                bool(each["declared"]),
                bool(each["texts"]),
                tuple((_text(label), None if level is None else int(level)) for label, level in each["shown"]),
                tuple((str(_text(name)), _count(count)) for name, count in each["counts"]),
            )
            for each in columns
        ),
        tuple(tuple(map(_text, each["labels"])) for each in columns),
        _matrix(data["cells"], len(columns)),
        tuple(tuple(map(_text, each["values"])) for each in columns),
        _matrix(data["drawn"], len(columns)),
    )
    if points.form not in ("class", "row") or not _fits(points):
        raise ValueError("no points")
    return points


def _fits(points: Points) -> bool:
    """Say whether every position points somewhere."""
    spans = [[len(some) for some in each] for each in (points.labels, points.values)]
    return points.cells.shape == points.drawn.shape and all(
        bool(((codes >= 0) & (codes < np.array(span))).all())
        for codes, span in zip((points.cells, points.drawn), spans, strict=True)
    )


def _line_data(line: Line) -> list[object]:
    return [line.name, written(line.unit), line.type, line.zoned]


def _line(name: str, unit: str, kind: str, zoned: object) -> Line:
    return Line(name, fraction(unit), kind, bool(zoned))


def _text(given: object) -> str | None:
    if given is not None and not isinstance(given, str):
        raise TypeError("no text")
    return given


def _count(given: object) -> int | None:
    if given is not None and (not isinstance(given, int) or isinstance(given, bool) or given < 0):
        raise ValueError("no count")
    return given


def _matrix(columns: Sequence[Sequence[int]], width: int) -> Ranks:
    matrix = np.array(columns, dtype=np.int64).reshape(width, -1)
    if matrix.size and not 0 <= int(matrix.min()) <= int(matrix.max()) < 2**31:
        raise ValueError("numbers that are too large")
    return np.ascontiguousarray(matrix.T, dtype=np.int32)
