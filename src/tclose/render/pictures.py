"""The pictures of a report, drawn from an audit and ready to stand in a page; None where there is nothing to draw."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from markupsafe import Markup

from tclose.explanations import Explanation
from tclose.render import report_words
from tclose.render.cells import visible
from tclose.render.classes import figure_column
from tclose.render.spread import distances_of, required, sizes_of
from tclose.results import AttributeAudit, Audit

WORST = 3
"""So many of the worst classes are drawn against the table."""
MOST_VALUES = 20_000
"""An attribute with more values is not drawn value by value."""
_MARK = "report"


def drawn(svg: str) -> Markup:
    """Return one of our own pictures as part of a page, without what only a file of its own needs."""
    inline = svg.replace(' xmlns="http://www.w3.org/2000/svg"', "", 1).strip()
    return Markup(inline)  # noqa: S704 - drawn and escaped by us


def distances_drawn(audit: Audit, attribute: str) -> Markup | None:
    """Return the distances of an attribute's classes against the threshold."""
    from tclose.render.figures.distances import Distances, distances_figure

    spread = distances_of(audit, attribute)
    if spread is None:
        return None
    shown = Distances(
        attribute=visible(attribute),
        spread=spread,
        whole="the table" if audit.reference == "the audited table" else "the reference",
        required=report_words.threshold_text(required(audit, "t", attribute)),
        verdict=report_words.distances_sentence(audit, attribute),
    )
    return drawn(distances_figure(shown, mark=_MARK))


def sizes_drawn(audit: Audit) -> Markup | None:
    """Return the sizes of the classes."""
    from tclose.render.figures.sizes import sizes_figure

    sizes = sizes_of(audit)
    return None if sizes is None else drawn(sizes_figure(sizes, report_words.sizes_sentence(audit), mark=_MARK))


def drivers_drawn(attribute: AttributeAudit) -> Markup | None:
    """Return the share of each quasi-identifier in the disclosure."""
    from tclose.render.figures.drivers import Drivers, drivers_figure

    if not attribute.drivers or "t" not in attribute.figures or not attribute.t:
        return None
    drivers = Drivers(visible(attribute.name), Fraction(attribute.t), attribute.drivers)
    return drawn(drivers_figure(drivers, mark=_MARK))


def worst_explanations(audit: Audit, attribute: str, most: int = WORST) -> list[Explanation]:
    """Return the worst classes of an attribute with their counts; none where they or t are not there."""
    table = audit.tables.get(attribute, audit.tables.get(None))
    evidence = audit.evidence.get(attribute)
    if table is None or evidence is None or len(evidence.domain.values) > MOST_VALUES:
        return []
    column = figure_column(table, len(evidence.quasi), f"{attribute}.t")
    rows = [] if column is None else table.rows(sort=column, limit=most)
    keys = [{name: row[name] for name in evidence.quasi} for row in rows]
    found = [(key, tuple(evidence.histogram(key))) for key in keys]
    return [
        Explanation(audit.source, audit.reference, key, evidence.domain, counts) for key, counts in found if sum(counts)
    ]


def distributions_drawn(explanations: Sequence[Explanation]) -> Markup | None:
    """Return the table's distribution against those of the worst classes."""
    from tclose.render.figures.distributions import distributions_figure

    return drawn(distributions_figure(explanations, mark=_MARK)) if explanations else None


def moves_drawn(explanations: Sequence[Explanation]) -> Markup | None:
    """Return the earth that is moved between the worst class and the table; None where nothing has to move."""
    from tclose.render.figures.moves import moves_figure

    return drawn(moves_figure(explanations[0], mark=_MARK)) if explanations and explanations[0].moves else None
