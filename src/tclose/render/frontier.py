"""A frontier as JSON, text, CSV and HTML: thresholds against methods, the best of each marked."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from typing import Any

from tclose._version import __version__
from tclose.exact import decimal_text
from tclose.frontiers import Frontier, Point
from tclose.models.catalogue import MODELS, requirements, short
from tclose.render.cells import visible
from tclose.render.html import rendered
from tclose.render.json import SCHEMA_VERSION, value_data
from tclose.render.layout import Cell, aligned, fits, painted, wrapped
from tclose.render.pictures import drawn
from tclose.render.release_words import finite, percent, required_texts
from tclose.render.words import classes, counted, joined

WIDTH = 80
NONE = "–"
BEST = "*"


def frontier_data(frontier: Frontier) -> dict[str, Any]:
    """Return a frontier as JSON-ready data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "tclose": __version__,
        "kind": "frontier",
        "source": frontier.source,
        "rows": frontier.rows,
        "requirements": required_texts(frontier.requirements),
        "sweep": frontier.sweep,
        "loss": frontier.loss,
        "methods": list(frontier.methods),
        "points": [_point_data(frontier, point) for point in frontier.points],
        "notes": list(frontier.notes),
    }


def _point_data(frontier: Frontier, point: Point) -> dict[str, Any]:
    return {
        "method": point.method,
        "threshold": value_data(point.threshold),
        "holds": point.holds,
        "loss": finite(point.loss),
        "kept": finite(point.kept),
        "classes": point.classes,
        "suppressed": point.suppressed,
        "best": point == frontier.best(point.threshold),
    }


def frontier_csv(frontier: Frontier) -> str:
    """Return a frontier as CSV, a line for each search."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["method", frontier.sweep, "holds", "loss", "kept", "classes", "suppressed"])
    for point in frontier.points:
        measured = ["" if value is None else repr(value) for value in (point.loss, point.kept)]
        holds = str(point.holds).lower()
        writer.writerow([point.method, short(point.threshold), holds, *measured, point.classes, point.suppressed])
    return text.getvalue()


def frontier_text(frontier: Frontier, width: int | None = None, *, colour: bool = False) -> str:
    """Return a frontier as text.

    Parameters
    ----------
    frontier
        What was found.
    width
        Columns of the terminal; 80 if left out.
    colour
        Whether to colour it, by ANSI escape sequences.
    """
    width = max(40, width or WIDTH)
    lines = [painted(line, "bold", colour=colour) for line in wrapped(title(frontier), width)]
    lines += [*wrapped(about(frontier), width), ""]
    rows = [[Cell(text, "dim") for text in (*_titles(frontier), "the best has")]]
    for threshold in frontier.thresholds:
        best = frontier.best(threshold)
        cells = [Cell(threshold_text(frontier, threshold), "bold")]
        for method in frontier.methods:
            found = _found(frontier, method, threshold)
            cells.append(Cell(_shown(frontier, found, best), "good" if found == best and best else ""))
        rows.append([*cells, Cell(_best_words(best))])
    whole = fits(rows, width)
    lines += aligned(rows if whole else [row[:-1] for row in rows], width, colour=colour)
    lines += ["", *wrapped(legend(frontier), width)]
    for note in frontier.notes:
        lines += wrapped(visible(note), width, first="  • ", rest="    ")
    return "\n".join(lines)


def frontier_html(frontier: Frontier) -> str:
    """Return a frontier as an HTML fragment: the figure, and its numbers as a table."""
    from tclose.render.figures.frontier import frontier_figure

    return rendered(
        "frontier.html",
        title=title(frontier),
        figure=drawn(frontier_figure(frontier)),
        **frontier_table(frontier),
        notes=[visible(note) for note in frontier.notes],
    )


def frontier_table(frontier: Frontier) -> dict[str, Any]:
    """Return the numbers of a frontier as a page shows them: titles, rows, and what they mean."""
    rows = []
    for threshold in frontier.thresholds:
        best = frontier.best(threshold)
        found = [_found(frontier, method, threshold) for method in frontier.methods]
        rows.append(
            {
                "threshold": threshold_text(frontier, threshold),
                "cells": [{"text": _shown(frontier, point, best), "best": point == best and best} for point in found],
                "best": _best_words(best),
            }
        )
    return {"titles": _titles(frontier), "rows": rows, "legend": legend(frontier)}


def title(frontier: Frontier) -> str:
    """Return what the frontier is about."""
    return f"What {MODELS[frontier.sweep].title} costs in {visible(frontier.source)}"


def about(frontier: Frontier) -> str:
    """Return the table and what every release meets besides, in words."""
    quasi = joined(frontier.roles.quasi)
    besides = joined(required_texts(frontier.requirements))
    besides = f" Every release also meets {besides}." if besides else ""
    return f"{counted(frontier.rows, 'row')}, recoded in {quasi}.{besides}"


def legend(frontier: Frontier) -> str:
    """Return what the numbers mean, in words."""
    best = f"{BEST} is the best of a row; {NONE} means that the method found no release."
    if kept_is_shown(frontier):
        return f"Shown is the detail that a release keeps, 1 − lm; more is better. {best}"
    from tclose.recoding.losses.catalogue import LOSSES

    return f"Shown is the loss {frontier.loss} ({LOSSES[frontier.loss].title}); less is better. {best}"


def kept_is_shown(frontier: Frontier) -> bool:
    """Say whether kept detail stands for the loss, which it does where that is lm."""
    return frontier.loss == "lm"


def threshold_text(frontier: Frontier, threshold: Fraction) -> str:
    """Return a threshold as a person reads it: ``t ≤ 0.2``."""
    (requirement,) = requirements({frontier.sweep: threshold})
    return requirement.text


def _titles(frontier: Frontier) -> list[str]:
    return ["required", *frontier.methods]


def _found(frontier: Frontier, method: str, threshold: Fraction) -> Point | None:
    return next((each for each in frontier.points if each.method == method and each.threshold == threshold), None)


def _shown(frontier: Frontier, point: Point | None, best: Point | None) -> str:
    if point is None or point.loss is None:
        return NONE
    text = percent(point.kept or 0.0) if kept_is_shown(frontier) else decimal_text(point.loss)
    return f"{text} {BEST}" if point == best else text


def _best_words(best: Point | None) -> str:
    if best is None:
        return ""
    out = f", {counted(best.suppressed, 'row')} left out" if best.suppressed else ""
    return f"{classes(best.classes)}{out}"
