"""The sentences and rows of a report that somebody signs."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from tclose._version import __version__
from tclose.exact import as_float, decimal_text, shown
from tclose.models.catalogue import label, short
from tclose.render.cells import visible
from tclose.render.fingerprint import COVERS, MOST_CLASSES, fingerprint
from tclose.render.limits import LIMITS
from tclose.render.release_words import percent
from tclose.render.words import (
    attribute_words,
    classes,
    classes_of,
    counted,
    distance_words,
    driver_of,
    joined,
    worst_words,
)
from tclose.results import AttributeAudit, Audit, Value, Verdict

_NULLS = {
    "error": "none, else the table would have been refused",
    "drop": "left out",
    "first": "the lowest value",
    "last": "the highest value",
    "category": "a value of their own",
}
_TOGETHER = {
    "each": "each by itself",
    "joint": "together, their combinations as values",
    "quasi": "each with the others among the quasi-identifiers",
}


@dataclass(frozen=True)
class RequirementRow:
    """A requirement as a row of the report."""

    holds: bool
    vacuous: bool
    text: str
    of: str
    found: str
    exact: str
    failing: str
    worst: str
    against_original: str = ""

    @property
    def verdict(self) -> str:
        """The verdict in a word."""
        return "✗ fails" if not self.holds else "✓ holds, as it always would" if self.vacuous else "✓ holds"


def requirement_row(audit: Audit, verdict: Verdict, original: Verdict | None = None) -> RequirementRow:
    """Return a requirement with what was found, and what was found against the original where there is one."""
    value = verdict.figure.value
    return RequirementRow(
        holds=verdict.holds,
        vacuous=verdict.vacuous,
        text=verdict.requirement.text,
        of=attribute_words(verdict),
        found=decimal(value),
        exact=exact(value),
        failing=failing(audit, verdict),
        worst=worst_words(verdict.figure, classes_of(audit, verdict.attribute)),
        against_original="" if original is None else shown(original.figure.value),
    )


def decimal(value: Value) -> str:
    """Return a figure as a decimal, rounded for reading."""
    if isinstance(value, int):
        return str(value)
    return decimal_text(as_float(value) if isinstance(value, Fraction) else value)


def exact(value: Value) -> str:
    """Return a figure as it is: a fraction or whole number; a dash where it has none."""
    return str(value) if isinstance(value, Fraction | int) else "–"


def failing(audit: Audit, verdict: Verdict) -> str:
    """Return where a requirement fails: ``1 of 3 classes, 3 of 9 rows (33.3 %)``."""
    if verdict.holds:
        return "none"
    if not verdict.failing_classes:
        return "the table as a whole"
    all_classes = classes_of(audit, verdict.attribute)
    of_all = f" of {all_classes:,}" if all_classes is not None else ""
    word = "class" if (all_classes or verdict.failing_classes) == 1 else "classes"
    rows = f"{verdict.failing_rows:,} of {counted(audit.rows, 'row')} ({percent(verdict.failing_rows / audit.rows)})"
    return f"{verdict.failing_classes:,}{of_all} {word}, {rows}"


def failing_sentences(audit: Audit) -> list[str]:
    """Return a sentence for each requirement that is missed."""
    return [
        f"{verdict.requirement.text} of {attribute_words(verdict)} fails: found {shown(verdict.figure.value)}, "
        f"in {failing(audit, verdict)}."
        for verdict in audit.verdicts
        if not verdict.holds
    ]


def threshold_text(threshold: Fraction | None) -> str:
    """Return a threshold of t as it was required; empty without one."""
    return "" if threshold is None else f"t ≤ {short(threshold)}"


def distances_sentence(audit: Audit, attribute: str) -> str:
    """Return how many classes miss the strictest t, in words."""
    found = [
        verdict for verdict in audit.verdicts if verdict.attribute == attribute and verdict.requirement.model.key == "t"
    ]
    worst = shown(audit.attributes[attribute].t)
    if not found:
        return f"No t was required; the farthest class is at {worst}."
    verdict = min(found, key=lambda each: each.requirement.threshold)
    if verdict.holds:
        return f"{verdict.requirement.text} is required, and every class holds; the farthest is at {worst}."
    return (
        f"{verdict.requirement.text} is required, and fails in {failing(audit, verdict)}. The farthest is at {worst}."
    )


def driver_sentence(attribute: AttributeAudit) -> str:
    """Return which quasi-identifier drives the disclosure, in words; empty where none does or that was not measured."""
    if not attribute.drivers or "t" not in attribute.figures or not attribute.t:
        return ""
    name = driver_of(attribute)
    if name is None:
        return "Leaving out any one quasi-identifier would not bring t down."
    return f"{visible(name)} gives away most: without it t would be {shown(attribute.drivers[name])}."


def sizes_sentence(audit: Audit) -> str:
    """Return how large classes are, in words."""
    mean = decimal_text(audit.rows / audit.class_count, 1)
    told = f"{classes(audit.class_count)}: the smallest has {counted(audit.k, 'row')}, the mean is {mean}."
    found = [verdict for verdict in audit.verdicts if verdict.requirement.model.key == "k"]
    if not found:
        return told
    verdict = max(found, key=lambda each: each.requirement.threshold)
    if verdict.holds:
        return f"{told} {verdict.requirement.text} is required, and every class holds."
    return f"{told} {verdict.requirement.text} is required, and fails in {failing(audit, verdict)}."


def assumed_rows(audit: Audit, *, source: str) -> list[tuple[str, list[str]]]:
    """Return what was audited and how, each as a term and its lines."""
    roles = audit.roles
    rows: list[tuple[str, list[str]]] = [
        ("Table", [f"{visible(source)}: {counted(audit.rows, 'row')}, {classes(audit.class_count)}"]),
        ("Quasi-identifiers", [joined(roles.quasi)]),
    ]
    rows += [(f"Sensitive: {visible(name)}", list(_measured(audit, name))) for name in audit.attributes]
    if len(roles.sensitive) > 1:
        rows.append(("Several sensitive attributes", [_TOGETHER.get(roles.together, roles.together)]))
    if roles.identifiers:
        rows.append(("Identifiers", [joined(roles.identifiers)]))
    rows.append(("Classes are compared with", [visible(audit.reference)]))
    if audit.notes:
        rows.append(("While reading", [visible(note) for note in audit.notes]))
    return rows


def _measured(audit: Audit, name: str) -> Iterable[str]:
    attribute = audit.attributes[name]
    yield f"{distance_words(attribute.distance)}; {counted(attribute.values, 'value')}"
    left = f" ({counted(attribute.left_out, 'row')})" if attribute.left_out else ""
    yield f"missing values: {_NULLS[attribute.distance.nulls]}{left}"
    yield from map(visible, attribute.notes)


def made_rows(audit: Audit | None, made: datetime, *, withheld: bool = False) -> list[tuple[str, list[str]]]:
    """Return by what and when a report was made, and the fingerprint of the table."""
    rows = [
        ("Report made", [f"{made.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"]),
        ("Made by", [f"tclose {__version__}, Python {platform.python_version()}"]),
    ]
    if audit is None:
        return rows
    if withheld:
        return [*rows, ("Fingerprint", ["withheld, as class keys and values are: it could be used to try guesses"])]
    found = fingerprint(audit)
    lines = [found, COVERS] if found is not None else [f"none: there are more than {MOST_CLASSES:,} classes"]
    return [*rows, ("Fingerprint of the table", lines)]


def model_rows(audits: Iterable[Audit]) -> list[dict[str, Any]]:
    """Return every model that was measured: its name, what it means, what it does not stop, and its source."""
    found: dict[str, dict[str, Any]] = {}
    for audit in audits:
        figures = [*audit.figures.values(), *(f for each in audit.attributes.values() for f in each.figures.values())]
        for figure in figures:
            model = figure.model
            found.setdefault(
                label(model),
                {
                    "label": label(model),
                    "title": model.title,
                    "meaning": model.meaning,
                    "limit": LIMITS[model.key],
                    "source": model.source,
                },
            )
    return list(found.values())
