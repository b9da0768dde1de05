"""A frontier as a document: thresholds against methods, the best of each marked."""

from __future__ import annotations

from fractions import Fraction

from tclose.anonymization.frontier_points import Frontier
from tclose.policy.exact_numbers import decimal_text
from tclose.reports.content.audits import notes
from tclose.reports.document import Cell, Document, Paragraph, Picture, Table, section, table
from tclose.reports.phrases import frontiers as words
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.numbers import percent


def frontier_document(frontier: Frontier) -> Document:
    """Return a frontier as a document."""
    from tclose.reports.charts.frontier import frontier_picture

    return Document(
        kind="Frontier of a table",
        title=words.title(frontier),
        lead=(words.about(frontier),),
        sections=(
            *section("", Picture("", "Frontier", lambda: frontier_picture(frontier)), frontier_table(frontier)),
            *section("", Paragraph(words.legend(frontier)), notes(frontier.notes)),
        ),
        name=f"Frontier of {visible(frontier.source)}",
    )


def frontier_table(frontier: Frontier) -> Table:
    """Return the numbers of a frontier: a row for each threshold, a column for each method."""
    titles = ("required", *frontier.methods, "the best has")
    rows = [_row(frontier, threshold) for threshold in frontier.thresholds]
    return table(titles, rows, name="Frontier in numbers", last="drop")


def _row(frontier: Frontier, threshold: Fraction) -> list[str | Cell]:
    best = frontier.best(threshold)
    found = {point.method: point for point in frontier.points if point.threshold == threshold}
    cells: list[str | Cell] = [Cell(words.threshold_text(frontier, threshold), "strong")]
    for method in frontier.methods:
        point = found.get(method)
        if point is None or point.loss is None:
            cells.append(words.NONE)
            continue
        text = percent(point.kept or 0.0) if words.kept_is_shown(frontier) else decimal_text(point.loss)
        cells.append(Cell(f"{text} {words.BEST}", "good") if point == best else text)
    return [*cells, words.best_words(best)]
