"""An audit as HTML: a fragment for notebooks, or a page of its own; no script, nothing from outside."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tclose.exact import shown
from tclose.models.catalogue import label
from tclose.render import words
from tclose.render.cells import visible
from tclose.render.classes import worst_classes
from tclose.render.figures.style import NOTEBOOK_STYLE
from tclose.render.pictures import distances_drawn
from tclose.results import AttributeAudit, Audit, Figure


def audit_html(audit: Audit, *, show_classes: int = 5) -> str:
    """Return an audit as an HTML fragment that brings its own styles."""
    return rendered("audit.html", audit=_audit(audit, show_classes))


def page_html(title: str, fragment: str) -> str:
    """Return a fragment as a complete page that asks for nothing from outside."""
    return rendered("page.html", title=visible(title), fragment=fragment)


def rendered(template: str, **variables: Any) -> str:
    """Return a template of this room filled in, with every variable escaped but what is marked as safe."""
    return _environment().get_template(template).render(**variables).strip() + "\n"


@cache
def _environment() -> Environment:
    found = Environment(
        loader=PackageLoader("tclose.render"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals["notebook_figures"] = Markup(NOTEBOOK_STYLE)  # noqa: S704 - rules of our own
    return found


def _audit(audit: Audit, show_classes: int) -> dict[str, Any]:
    """Return what the template shows of an audit."""
    return {
        "holds": audit.holds,
        "verdict": words.verdict_sentence(audit),
        "table": words.table_sentences(audit),
        "requirements": [
            {
                "holds": verdict.holds,
                "text": verdict.requirement.text,
                "of": words.attribute_words(verdict),
                "found": shown(verdict.figure.value),
                "failing": words.failing_words(verdict),
                "worst": words.worst_words(verdict.figure, words.classes_of(audit, verdict.attribute)),
            }
            for verdict in audit.verdicts
        ],
        "figures": figure_rows(audit.figures, audit.class_count),
        "attributes": [_attribute(audit, attribute, show_classes) for attribute in audit.attributes.values()],
        "notes": [visible(note) for note in audit.notes],
    }


def _attribute(audit: Audit, attribute: AttributeAudit, show_classes: int) -> dict[str, Any]:
    return {
        "name": visible(attribute.name),
        "sentence": words.attribute_sentence(attribute),
        "distances": distances_drawn(audit, attribute.name),
        "figures": figure_rows(attribute.figures, words.classes_of(audit, attribute.name)),
        "vacuous": words.vacuous_sentence(attribute),
        "drivers": [{"name": name, "t": t, "most": most} for name, t, most in words.ranked_drivers(attribute)],
        "classes": worst_classes(audit, attribute.name, show_classes),
        "notes": [visible(note) for note in attribute.notes],
    }


def figure_rows(figures: Mapping[str, Figure], class_count: int | None) -> list[dict[str, Any]]:
    """Return figures as rows of a table: what it is, its value, and the class that decides it."""
    return [
        {
            "label": label(figure.model),
            "title": figure.model.title,
            "meaning": figure.model.meaning,
            "value": shown(figure.value),
            "worst": words.worst_words(figure, class_count),
            "details": [(name.replace("_", " "), shown(value)) for name, value in figure.details.items()],
        }
        for figure in figures.values()
    ]
