"""The report of an audit that somebody can sign: one page that stands alone, for the screen and for paper."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from tclose.explanations import Explanations
from tclose.render import pictures, report_words, words
from tclose.render.cells import visible
from tclose.render.classes import worst_classes
from tclose.render.explanation_html import explanations_html
from tclose.render.folders import unfoldered
from tclose.render.html import figure_rows, rendered
from tclose.render.limits import NEVER_PROMISED
from tclose.render.redact import redacted
from tclose.results import Audit

SHOWN_CLASSES = 5


def report_html(
    audit: Audit,
    *,
    show_classes: int = SHOWN_CLASSES,
    redact: bool = False,
    explained: Explanations | None = None,
    made: datetime | None = None,
) -> str:
    """Return the report of an audit as a page that asks for nothing from outside.

    Parameters
    ----------
    audit
        What was found.
    show_classes
        How many of the worst classes to list.
    redact
        Whether to leave out every class key and every value of the table, and the fingerprint.
    explained
        Explanations to add at the end.
    made
        When the report is made; now if left out.
    """
    audit = unfoldered(audit)
    shown = redacted(audit) if redact else audit
    return rendered(
        "report.html",
        kind="Privacy audit",
        title=f"Privacy audit of {visible(audit.source)}",
        holds=shown.holds,
        verdict=words.verdict_sentence(shown),
        sentences=[words.table_sentences(shown), *report_words.failing_sentences(shown)],
        requirements=[report_words.requirement_row(shown, verdict) for verdict in shown.verdicts],
        release=None,
        audited_twice=False,
        **audit_parts(audit, show_classes=show_classes, redact=redact),
        assumed=[
            *report_words.assumed_rows(shown, source=audit.source),
            *report_words.made_rows(audit, made or datetime.now(UTC), withheld=redact),
        ],
        models=report_words.model_rows([shown]),
        never=NEVER_PROMISED.items(),
        explained=Markup(explanations_html(list(map(unfoldered, explained)))) if explained else "",  # noqa: S704 - escaped
    )


def audit_parts(audit: Audit, *, show_classes: int = SHOWN_CLASSES, redact: bool = False) -> dict[str, Any]:
    """Return what a report shows of an audit's attributes and class sizes."""
    shown = redacted(audit) if redact else audit
    return {
        "attributes": [_attribute(audit, name, show_classes, redact=redact) for name in shown.attributes],
        "sizes": {
            "sentence": report_words.sizes_sentence(shown),
            "picture": pictures.sizes_drawn(audit),
            "figures": figure_rows(shown.figures, shown.class_count),
        },
        "redacted": redact,
    }


def _attribute(audit: Audit, name: str, show_classes: int, *, redact: bool) -> dict[str, Any]:
    """Return what a report shows of an attribute; what shows keys or values is left out if asked."""
    shown = redacted(audit) if redact else audit
    attribute = shown.attributes[name]
    class_count = words.classes_of(audit, name)
    worst = [] if redact else pictures.worst_explanations(audit, name)
    return {
        "name": visible(name),
        "sentence": words.attribute_sentence(attribute),
        "told": report_words.distances_sentence(shown, name) if "t" in attribute.figures else "",
        "vacuous": words.vacuous_sentence(attribute),
        "figures": figure_rows(attribute.figures, class_count),
        "distances": pictures.distances_drawn(audit, name),
        "distributions": pictures.distributions_drawn(worst),
        "moves": pictures.moves_drawn(worst),
        "drivers": pictures.drivers_drawn(attribute),
        "driver": report_words.driver_sentence(attribute),
        "classes": worst_classes(shown, name, show_classes),
        "too_many": not redact and len(audit.evidence[name].domain.values) > pictures.MOST_VALUES,
    }
