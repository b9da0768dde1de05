"""The sentences and phrases of a report, shared by its text and its pages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePath

from tclose.exact import shown
from tclose.render.cells import key_text, visible
from tclose.results import AttributeAudit, Audit, Figure, Verdict
from tclose.roles import Distance, Nominal, Numeric, Ordered

VERDICT_TITLES = ("", "required", "of", "found", "failing", "worst class")
"""The columns of a table of requirements."""
MARKS = {True: "✓", False: "✗", None: ""}


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: ``1 class``, ``1,200 rows``.

    Examples
    --------
    >>> counted(1, "class"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 class', '1,200 rows', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def classes(number: int) -> str:
    """Return a number of classes in words."""
    return counted(number, "class", "classes")


def joined(names: Iterable[str]) -> str:
    """Return names as a readable enumeration: ``zip, age and sex``."""
    shown_names = [visible(name) for name in names]
    if len(shown_names) < 2:
        return "".join(shown_names)
    return f"{', '.join(shown_names[:-1])} and {shown_names[-1]}"


def verdict_sentence(audit: Audit) -> str:
    """Return the verdict in words."""
    source = visible(audit.source)
    source = source[:1].upper() + source[1:] if source.startswith(("the ", "a ", "an ", "standard ")) else source
    required = len(audit.verdicts)
    failing = sum(not verdict.holds for verdict in audit.verdicts)
    if not required:
        return f"{source}: nothing was required, so nothing is judged."
    if not failing:
        held = {1: "its requirement", 2: "both requirements"}.get(required, f"all {required} requirements")
        return f"{source} meets {held}."
    if failing == required > 1:
        return f"{source} meets {'neither requirement' if required == 2 else f'none of its {required} requirements'}."
    missed = "its requirement" if required == 1 else f"{failing} of {required} requirements"
    return f"{source} does not meet {missed}."


def marked_verdict(audit: Audit) -> str:
    """Return the verdict in words, behind its mark."""
    mark = MARKS[audit.holds]
    return f"{mark} {verdict_sentence(audit)}" if mark else verdict_sentence(audit)


def table_sentences(audit: Audit) -> str:
    """Return what was counted, and what classes were compared with, in words."""
    quasi = joined(audit.roles.quasi)
    made = f"{classes(audit.class_count)} of {quasi}" if quasi else "one class, for no quasi-identifier was named"
    compared = f"Classes are compared with {visible(audit.reference).rstrip('.')}."
    return f"{counted(audit.rows, 'row')} in {made}. {compared}"


def failing_words(verdict: Verdict) -> str:
    """Return where a requirement fails: ``1 class, 3 rows``."""
    if verdict.holds:
        return "none, ever" if verdict.vacuous else "none"
    if not verdict.failing_classes:
        return "the table"
    return f"{classes(verdict.failing_classes)}, {counted(verdict.failing_rows, 'row')}"


def classes_of(audit: Audit, attribute: str | None = None) -> int | None:
    """Return how many classes a figure was the worst of; None where an attribute's own were not kept."""
    if attribute is None or audit.roles.together != "quasi" or len(audit.roles.sensitive) < 2:
        return audit.class_count
    own = audit.tables.get(attribute)
    return None if own is None else len(own)


def worst_words(figure: Figure, class_count: int | None, *, sized: bool = True) -> str:
    """Return the class that decides a figure, with its size if asked, and how many share it."""
    worst = figure.worst
    if worst is None:
        return "mean over all rows" if figure.model.averaged else ""
    if class_count is not None and worst.tied >= class_count > 1:
        return "every class"
    about = [counted(worst.size, "row")] if sized else []
    about += [f"first of {worst.tied:,}"] if worst.tied > 1 else []
    return ": ".join([*([", ".join(about)] if about else []), key_text(worst.key)])


def distance_words(distance: Distance) -> str:
    """Return a distance in words, without values of the table."""
    words = _distance_words(distance)
    meant = {"drop": "left out", "first": "placed first", "last": "placed last"}.get(distance.nulls)
    return f"{words}, missing values {meant}" if meant else words


def _distance_words(distance: Distance) -> str:
    if isinstance(distance, Ordered):
        if isinstance(distance.order, str):
            return f"ordered by {distance.order}"
        return f"ordered as declared ({counted(len(distance.order), 'value')})"
    if isinstance(distance, Numeric):
        return "numeric, by difference over range"
    if isinstance(distance, Nominal):
        return "nominal, all values equally far apart"
    if isinstance(distance.tree, str | Path):
        return f"hierarchical, by {visible(PurePath(distance.tree).name)}"
    return "hierarchical"


def attribute_sentence(attribute: AttributeAudit) -> str:
    """Return how an attribute was measured, in words."""
    left_out = f", {counted(attribute.left_out, 'row')} without a value left out" if attribute.left_out else ""
    return f"{distance_words(attribute.distance)}; {counted(attribute.values, 'value')}{left_out}"


def vacuous_sentence(attribute: AttributeAudit) -> str:
    """Return from which threshold on t can fail no class; nothing where t was not measured."""
    if "t" not in attribute.figures:
        return ""
    return f"No class could have t above {shown(attribute.largest_t)}; a threshold from there on is vacuous."


def driver_of(attribute: AttributeAudit) -> str | None:
    """Return the quasi-identifier that drives the disclosure: without it t is lowest, and lower than now."""
    if not attribute.drivers or "t" not in attribute.figures:
        return None
    t, name = min((t, name) for name, t in attribute.drivers.items())
    return name if t < attribute.t else None


def ranked_drivers(attribute: AttributeAudit) -> list[tuple[str, str, bool]]:
    """Return each quasi-identifier with t without it, the lowest first, and whether it drives the disclosure."""
    most = driver_of(attribute)
    ranked = sorted((attribute.drivers or {}).items(), key=lambda item: item[1])
    return [(visible(name), shown(t), name == most) for name, t in ranked]


def attribute_words(verdict: Verdict) -> str:
    """Return the attribute that a requirement is about, or the table."""
    return "the table" if verdict.attribute is None else visible(verdict.attribute)
