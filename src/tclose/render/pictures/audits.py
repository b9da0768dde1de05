"""The pictures of a report, drawn from an audit; None where there is nothing to draw."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tclose.explanations import Explanation, explained
from tclose.render.telling.classes import figure_column
from tclose.render.telling.histograms import distances_of, required, sizes_of
from tclose.render.words import audits as words
from tclose.render.words.cells import visible
from tclose.results import AttributeAudit, Audit

WORST = 3
"""So many of the worst classes are drawn against the table."""
MOST_VALUES = 20_000
"""An attribute with more values is not drawn value by value."""
_MARK = "report"


def distances_drawn(audit: Audit, attribute: str) -> str | None:
    """Return the distances of an attribute's classes against the threshold."""
    from tclose.render.pictures.distances import Distances, distances_picture

    histogram = distances_of(audit, attribute)
    if histogram is None:
        return None
    shown = Distances(
        attribute=visible(attribute),
        histogram=histogram,
        whole="the table" if audit.reference == "the audited table" else "the reference",
        required=words.threshold_text(required(audit, "t", attribute)),
        verdict=words.distances_sentence(audit, attribute),
    )
    return distances_picture(shown, mark=_MARK)


def sizes_drawn(audit: Audit) -> str | None:
    """Return the sizes of the classes."""
    from tclose.render.pictures.sizes import sizes_picture

    sizes = sizes_of(audit)
    return None if sizes is None else sizes_picture(sizes, words.sizes_sentence(audit), mark=_MARK)


def risks_drawn(audit: Audit, before: Audit | None) -> str:
    """Return who could find people, and how likely."""
    from tclose.render.pictures.risks import risks_picture

    return risks_picture(audit, before, mark=_MARK)


def drivers_drawn(attribute: AttributeAudit) -> str | None:
    """Return the share of each quasi-identifier in the disclosure."""
    from tclose.render.pictures.drivers import Drivers, drivers_picture

    if not attribute.drivers or "t" not in attribute.figures or not attribute.t:
        return None
    drivers = Drivers(visible(attribute.name), Fraction(attribute.t), attribute.drivers)
    if (averages := attribute.averages) is not None and averages.as_is:
        without = {name: Fraction(min(mean, averages.as_is)) for name, mean in averages.without.items()}
        drivers = Drivers(visible(attribute.name), Fraction(averages.as_is), without, "t on average")
    return drivers_picture(drivers, mark=_MARK)


def worst_keys(audit: Audit, attribute: str, most: int = WORST) -> list[tuple[dict[str, object], int]]:
    """Return the keys and sizes of the worst classes of an attribute, by t; none where they or t are not there."""
    table, evidence = audit.tables.get(attribute, audit.tables.get(None)), audit.evidence[attribute]
    column = None if table is None else figure_column(table, len(evidence.quasi), f"{attribute}.t")
    if table is None or column is None:
        return []
    size = table.columns[len(evidence.quasi)]
    rows = table.rows(sort=column, limit=most)
    return [({name: row[name] for name in evidence.quasi}, int(row[size])) for row in rows]


def worst_explanations(audit: Audit, attribute: str) -> list[Explanation]:
    """Return the worst classes of an attribute with their counts, but those withheld; none where they or t are not."""
    evidence = audit.evidence.get(attribute)
    if evidence is None or len(evidence.domain.values) > MOST_VALUES:
        return []
    shown = [key for key, size in worst_keys(audit, attribute) if not audit.hides(size)]
    given = audit.source, audit.reference
    return [explained(evidence, key, *given, unit=audit.unit) for key in shown if any(evidence.histogram(key))]


def distributions_drawn(explanations: Sequence[Explanation]) -> str | None:
    """Return the table's distribution against those of the worst classes."""
    from tclose.render.pictures.distributions import distributions_picture

    return distributions_picture(explanations, mark=_MARK) if explanations else None


def moves_drawn(explanations: Sequence[Explanation]) -> str | None:
    """Return the earth that is moved between the worst class and the table; None where nothing has to move."""
    from tclose.render.pictures.moves import moves_picture

    return moves_picture(explanations[0], mark=_MARK) if explanations and explanations[0].moves else None
