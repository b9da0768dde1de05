"""The sentences and phrases of an audit."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from tclose.auditing.composition import Composition, Difference, JointFigure, JointVerdict, Linked, LinkedAttribute
from tclose.auditing.results import AnyColumns, AttributeAudit, Audit, ColumnDecision, Figure, Value, Verdict
from tclose.auditing.verdicts import Outcome, Reason
from tclose.errors import Note
from tclose.models.catalogue import Requirement
from tclose.policy.exact_numbers import decimal_beside, decimal_text, shown, written
from tclose.policy.presets import Check
from tclose.policy.roles import Distance
from tclose.reports.phrases import numbers as phrases
from tclose.reports.phrases.cells import key_text, visible
from tclose.reports.phrases.numbers import CONFIDENTIAL, classes, counted, joined, percent, units

# The three who look for people in a table, and how likely each finds one.


TITLE = "Who could find people"
_UNKNOWN = "not measured: it needs the size of the population, or a table of it"


@dataclass(frozen=True)
class Risk:
    """One who looks for people."""

    attacker: str
    who: str
    """What this one knows and wants."""
    chance: float | None
    """The chance in the worst case, or the upper end of its estimate; None where it was not measured."""
    found: str
    """The chance as it is read."""
    more: str
    """What else was found."""


def risks(audit: Audit) -> tuple[Risk, ...]:
    """Return the prosecutor, the journalist and the marketer."""
    figures = audit.figures
    return (
        _risk(
            "prosecutor",
            "knows that someone is in the table, and looks for that person",
            figures.get("prosecutor"),
            audit.unit,
        ),
        _journalist(audit),
        _risk(
            "marketer",
            "links the whole table, and wants as many people as possible",
            figures.get("marketer"),
            audit.unit,
        ),
    )


def _risk(attacker: str, who: str, figure: Figure | None, unit: str) -> Risk:
    if figure is None:
        return Risk(attacker, who, None, "not measured", "")
    average, at_risk = figure.details.get("average"), figure.details.get("at_risk")
    more = [
        "" if average is None else f"on average {shown(average)}",
        "" if at_risk is None else f"{percent(at_risk)} of {unit} have a chance above 1 in 5",
    ]
    return Risk(attacker, who, float(figure.value), shown(figure.value), "; ".join(filter(None, more)))


def _journalist(audit: Audit) -> Risk:
    who = "does not know who is in the table, and wants to show that somebody is found"
    if "journalist" in audit.figures:
        return _risk("journalist", who, audit.figures["journalist"], audit.unit)
    if audit.population is None:
        return Risk("journalist", who, None, _UNKNOWN, "")
    low, high = audit.population.journalist
    found = f"between {decimal_text(low, 2)} and {decimal_text(high, 2)}"
    return Risk("journalist", who, high, found, f"estimated for a population of {audit.population.people:,}")


# The sentences and phrases of what several releases say together.


MEANINGS = {
    "l": "values that all of them allow, at the fewest",
    "alpha": "the chance of the best guess",
    "t": "how far what is then believed is from the reference",
}


def linked_sentence(composition: Composition, linked: Linked) -> str:
    """Return who is in several releases, and how that was told."""
    before = joined(linked.previous)
    joint = counted(linked.classes, "combination of classes", "combinations of classes")
    if linked.people is not None:
        people = "1 person is" if linked.people == 1 else f"{linked.people:,} people are"
        return f"{people} also in {before}, told by {visible(str(composition.person))}, in {joint}."
    return f"{joint[0].upper()}{joint[1:]} may hold the same person as {before}: their cells have values in common."


def agreement_sentence(attribute: LinkedAttribute, linked: Linked) -> str:
    """Return whether the sets of values stay the same, and whether some contradict each other."""
    if attribute.m:
        stays = f"Every class keeps its set of values, each once: the releases are {attribute.m}-invariant."
    elif attribute.changed:
        stays = f"The set of values is another in {attribute.changed:,} of {linked.classes:,} of them, so that the "
        stays += "releases are not m-invariant."
    else:
        stays = (
            "Every class keeps its set of values, but some class has a value twice: the releases are not m-invariant."
        )
    if not attribute.contradicting:
        return stays
    return (
        f"{stays} {attribute.contradicting:,} have no value in common: nobody is in them whose value stayed the same."
    )


def difference_sentence(found: Difference) -> str:
    """Return what the counts tell of the few who joined or left, if nobody else did."""
    changed = [
        f"{verb} by {counted(rows, 'row')}"
        for rows, verb in ((found.joined, "more"), (found.left, "fewer"))
        if 0 < rows < found.least
    ]
    parts = [f"all values together are {' and '.join(changed)}"] if changed else []
    if found.few:
        classes = f"{found.few:,} of {counted(found.same, 'class', 'classes')} with the same cells as before"
        parts.append(f"{classes} gained or lost fewer than {found.least} rows")
    if not parts:
        return ""
    told = " and ".join(parts)
    return (
        f"{told[0].upper()}{told[1:]}: to whoever knows who joined or left, and that nobody else did, the difference "
        "of the counts tells their values. Publish anew when more have joined or left."
    )


def joint_words(figure: JointFigure) -> str:
    """Return the classes that decide a figure, the audited release's last."""
    worst = figure.worst
    about = [] if worst.people is None else ["1 person" if worst.people == 1 else f"{worst.people:,} people"]
    about += [f"first of {figure.tied:,}"] if figure.tied > 1 else []
    keys = " & ".join(f"({key_text(key)}: {size:,})" for key, size in zip(worst.keys, worst.sizes, strict=True))
    return f"{', '.join(about)}: {keys}" if about else keys


def composed_found_words(verdict: JointVerdict) -> str:
    """Return what was found beside a requirement."""
    if verdict.figure is None:
        return "nothing in common"
    return shown(verdict.figure.value, limit=verdict.requirement.threshold)


def verdict_sentence(audit: Audit) -> str:
    """Return the verdict in words."""
    source = visible(audit.source)
    source = source[:1].upper() + source[1:] if source.startswith(("the ", "a ", "an ", "standard ")) else source
    required, failing = len(audit.judged), audit.judged.count(False)
    exposed = phrases.withheld_columns([each.name for each in audit.failing_columns])
    if not required and exposed:
        return f"{source} holds {exposed}."
    if exposed:
        but = "and" if failing else "but"
        return f"{_judged_words(source, required, failing)}, {but} holds {exposed}."
    if not required:
        return f"{source}: nothing was required, so nothing is judged."
    return qualified_words(_judged_words(source, required, failing), audit.verdict)


def qualified_words(judged: str, verdict: Outcome | None) -> str:
    """Return a verdict in words, with what keeps it from being a pass where everything is met."""
    if verdict == "qualified":
        return f"Qualified: {judged}, but that is not true of people."
    return f"Undetermined: {judged} as far as is known." if verdict == "undetermined" else f"{judged}."


def reason_sentences(reasons: Iterable[Reason], warned: Iterable[Note] = ()) -> list[str]:
    """Return why a verdict is not true of people, and what was accepted; what a warning told is not told again."""
    told = {str(note) for note in warned}
    sentences = []
    for each in reasons:
        if each.accepted is not None:
            sentences.append(f"Accepted ({visible(each.name)}): {visible(each.accepted)}")
        if str(each) not in told:
            sentences.append(visible(str(each)))
    return sentences


def _judged_words(source: str, required: int, failing: int) -> str:
    if not failing:
        held = {1: "its requirement", 2: "both requirements"}.get(required, f"all {required} requirements")
        return f"{source} meets {held}"
    if failing == required > 1:
        return f"{source} meets {'neither requirement' if required == 2 else f'none of the {required} requirements'}"
    missed = "its requirement" if required == 1 else f"{failing} of {required} requirements"
    return f"{source} does not meet {missed}"


def care_sentences(audit: Audit) -> list[str]:
    """Return what must not be overlooked whatever the verdict is: who is named, and what nothing protects."""
    told = (
        phrases.naming_sentence(audit.naming),
        phrases.unprotected_sentence(audit.unprotected),
        exposed_sentence(audit),
    )
    return [each for each in told if each]


def exposed_sentence(audit: Audit) -> str:
    """Return how alike people look by all that is published, in words; empty where that was not counted."""
    found = audit.exposed
    if found is None:
        return ""
    alone = f", {alone_words(audit)}" if found.alone else ""
    return f"With {phrases.some_of(found.columns)}, k = {found.k:,}{alone}."


def alone_words(audit: Audit) -> str:
    """Return who is alone by all that is published, in words."""
    number = 0 if audit.exposed is None else audit.exposed.alone
    if not number:
        return "and nobody is alone" if audit.unit == "people" else "and no row stands alone"
    if audit.unit == "people":
        return f"and {counted(number, 'class', 'classes')} {'holds' if number == 1 else 'hold'} one person"
    return f"and {units(number, audit.unit)} {'stands' if number == 1 else 'stand'} alone"


def narrow_sentences(audit: Audit) -> list[str]:
    """Return of which attributes half of a class lies in a narrow band, where nothing is required that bounds it."""
    return [
        _narrow_sentence(attribute, audit.evidence[name].domain.unit_words)
        for name, attribute in audit.attributes.items()
        if "band" in attribute.figures and not _bounded(audit, name) and attribute["band"].details["narrow"]
    ]


def _narrow_sentence(attribute: AttributeAudit, unit: str) -> str:
    found, name = attribute["band"], visible(attribute.name)
    width = found.details.get("width")  # withheld where the class shows single people
    near = (
        "that are the same"
        if width == 0
        else "in a narrow band"
        if width is None
        else f"at most {shown(width)}{unit} apart"
    )
    share = percent(Fraction(found.value))
    return (
        f"Half of a class has values of {name} {near}; {share} of the table lies in that band. "
        f"Classes with a band below 5 % hold {percent(Fraction(found.details['narrow']))} of {found.unit}. "
        f"No proximity is required of {name}."
    )


def _bounded(audit: Audit, attribute: str) -> bool:
    """Say whether a requirement bounds how near the values of a class may be."""
    return any(
        each.attribute == attribute and each.requirement.model.key in ("band", "proximity") for each in audit.verdicts
    )


def decision_words(column: ColumnDecision) -> str:
    """Return what was decided on a column, in a word or two."""
    return column.decision or "not in the policy"


def columns_found(audit: Audit) -> str:
    """Return which columns an audit finds that are not to be published, each with what was decided on it."""
    told = [f"{visible(each.name)} ({decision_words(each)})" for each in audit.failing_columns]
    return ", ".join(told) or "no column that the policy withholds"


def table_sentences(audit: Audit) -> str:
    """Return what was counted, and what classes were compared with, in words."""
    quasi = joined(audit.roles.quasi)
    made = f"{classes(audit.class_count)} of {quasi}" if quasi else "one class, for no quasi-identifier was named"
    compared = f"Classes are compared with {visible(audit.reference).rstrip('.')}."
    return f"{everyone(audit)} in {made}. {compared}"


def withheld_sentence(audit: Audit, how: str = "") -> str:
    """Return which classes are withheld, in words; empty where none is."""
    if not audit.has_few or audit.shows_people:
        return ""
    asked = f" {how}" if how else ""
    return f"Classes of fewer than {units(audit.few, audit.unit)} are withheld: they would show single people.{asked}"


def confidential_words(audit: Audit) -> str:
    """Return that what is told shows single people; empty where it does not."""
    return CONFIDENTIAL if audit.has_few and audit.shows_people else ""


def everyone(audit: Audit) -> str:
    """Return how much was counted: ``31 rows``, or ``12 people (31 rows)``."""
    return phrases.everyone(audit.rows, audit.people)


def trajectory_sentence(audit: Audit) -> str:
    """Return by which sets of classes people are told apart, in words; empty where that was not measured."""
    found = audit.trajectories
    if found is None:
        return ""
    if not found.several:
        return "Everyone is in one class."
    are = "is" if found.several == 1 else "are"
    sharing = f"the set that fewest share is shared by {units(found.smallest, 'people')}"
    if found.unique:
        share = percent(Fraction(found.unique, found.people))
        one = "is the only one" if found.unique == 1 else "are the only ones"
        sharing = f"{units(found.unique, 'people')} ({share}) {one} with their set"
    return f"{units(found.several, 'people')} {are} in several classes. By the set of classes they are in, {sharing}."


def marked_found(verdict: Verdict | None) -> str:
    """Return what was found, marked where it misses what is required; empty where nothing was."""
    if verdict is None:
        return ""
    return found_words(verdict) if verdict.holds else f"{found_words(verdict)} ✗"


def failing_words(verdict: Verdict) -> str:
    """Return where a requirement fails: ``1 class, 3 rows``."""
    if verdict.holds:
        return "none, ever" if verdict.vacuous else "none"
    if verdict.failing_subsets is not None:
        rows = f", {_failing_units(verdict)}" if verdict.failing_rows else ""
        return f"{counted(verdict.failing_subsets, 'combination')}{rows}"
    if not verdict.failing_classes:
        return "the table"
    return f"{classes(verdict.failing_classes)}, {_failing_units(verdict)}"


def _failing_units(verdict: Verdict) -> str:
    """Return the rows or people in the classes that miss a requirement."""
    return f"{'at most ' if verdict.at_most else ''}{units(verdict.failing_rows, verdict.figure.unit)}"


def _combinations(number: int) -> str:
    return counted(number, "combination of columns", "combinations of columns")


def missed_words(check: Check) -> str:
    """Return which columns miss what a preset asks, and in how many rows."""
    return ", ".join(f"{visible(name)}: {counted(rows, 'row')}" for name, rows in check.missed.items()) or "none"


def any_sentence(found: AnyColumns, columns: int) -> str:
    """Return what was looked at for whoever knows only some of the columns, in words."""
    most = min(found.most, columns)
    known = "one" if most == 1 else f"at most {most}"
    return (
        f"The worst of {_combinations(found.subsets)}, for someone who knows {known} of the "
        f"{counted(columns, 'quasi-identifier')} and nothing else."
    )


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
        known = "" if figure.known is None else f" by {joined(figure.known)}"
        return f"mean over all {figure.unit}{known}" if figure.model.averaged else ""
    if class_count is not None and figure.known is None and worst.tied >= class_count > 1:
        return "every class"
    about = [units(worst.size, figure.unit)] if sized else []
    about += [f"first of {worst.tied:,}"] if worst.tied > 1 else []
    return ": ".join([*([", ".join(about)] if about else []), key_text(worst.key)])


def distance_words(distance: Distance) -> str:
    """Return a distance in words, without values of the table."""
    meant = {"drop": "left out", "first": "placed first", "last": "placed last"}.get(distance.nulls)
    return f"{distance.about}, missing values {meant}" if meant else distance.about


def attribute_sentence(attribute: AttributeAudit) -> str:
    """Return how an attribute was measured, in words."""
    unit = next((figure.unit for figure in attribute.figures.values()), "rows")
    left_out = f", {units(attribute.left_out, unit)} without a value left out" if attribute.left_out else ""
    return f"{distance_words(attribute.distance)}; {counted(attribute.values, 'value')}{left_out}"


def vacuous_sentence(attribute: AttributeAudit) -> str:
    """Return from which threshold on t can fail no class; nothing where t was not measured."""
    if "t" not in attribute.figures:
        return ""
    return f"No class could have t above {shown(attribute.largest_t)}; a threshold from there on is vacuous."


_LOWER = 1 - 1e-9
"""A mean is lower than another if it is below this share of it: sums of floats are off by less."""


def driver_of(attribute: AttributeAudit) -> str | None:
    """Return the quasi-identifier that drives the disclosure: without it t is lowest, and lower than now."""
    if not attribute.drivers or "t" not in attribute.figures:
        return None
    t, name = min((t, name) for name, t in attribute.drivers.items())
    if t < attribute.t:
        return name
    averages = attribute.averages
    if averages is None or not averages.without:
        return None
    mean, name = min((mean, name) for name, mean in averages.without.items())
    return name if mean < averages.as_is * _LOWER else None


def ranked_drivers(attribute: AttributeAudit) -> list[tuple[str, str, bool]]:
    """Return each quasi-identifier with t without it, the lowest first, and whether it drives the disclosure.

    Where none lowers t, they are ranked by t on average, which stands beside it.
    """
    most, averages = driver_of(attribute), attribute.averages
    means = {} if averages is None else averages.without
    ranked = sorted((attribute.drivers or {}).items(), key=lambda item: (item[1], means.get(item[0], 0.0)))
    beside = {name: f", {decimal_text(mean)} on average" for name, mean in means.items()}
    return [(visible(name), f"{shown(t)}{beside.get(name, '')}", name == most) for name, t in ranked]


def found_words(verdict: Verdict) -> str:
    """Return the figure beside its requirement, with its fraction: it reads as met just where it is met."""
    return figure_beside(verdict.figure.value, verdict.requirement, holds=verdict.holds)


def figure_beside(value: Value, requirement: Requirement, *, holds: bool) -> str:
    """Return a figure as a person reads it, on the side of the threshold that its verdict says."""
    if isinstance(value, float):
        return _rounded_beside(value, requirement, holds=holds)
    return shown(value, limit=requirement.threshold)


def found_decimal(verdict: Verdict) -> str:
    """Return the figure beside its requirement as a decimal alone."""
    value, requirement = verdict.figure.value, verdict.requirement
    if isinstance(value, float):
        return _rounded_beside(value, requirement, holds=verdict.holds)
    return decimal_beside(Fraction(value), requirement.threshold)


def _rounded_beside(value: float, requirement: Requirement, *, holds: bool) -> str:
    """Return a figure that has no fraction; where it is too near to the threshold to tell, the verdict's words do."""
    model, threshold = requirement.model, requirement.threshold
    if not math.isfinite(value):
        return decimal_text(value)
    if abs(Fraction(value) - threshold) > Fraction(model.margin) * max(Fraction(1), abs(threshold)):
        return decimal_beside(Fraction(value), threshold)
    if holds is not model.strict:
        return written(threshold)
    return f"just {'over' if holds == (model.good == 'high') else 'under'} {written(threshold)}"


def attribute_words(verdict: Verdict) -> str:
    """Return the attribute that a requirement is about, or the table."""
    return "the table" if verdict.attribute is None else visible(verdict.attribute)


def exact(value: Value) -> str:
    """Return a figure as it is: a fraction or whole number; a dash where it has none."""
    return str(value) if isinstance(value, Fraction | int) else "–"


def failing(audit: Audit, verdict: Verdict) -> str:
    """Return where a requirement fails: ``1 of 3 classes, 3 of 9 rows (33.3 %)``."""
    if verdict.holds:
        return "none"
    if verdict.failing_subsets is not None and audit.any is not None:
        share = f", {_rows(audit, verdict)}" if verdict.failing_rows else ""
        return f"{verdict.failing_subsets:,} of {_combinations(audit.any.subsets)}{share}"
    if not verdict.failing_classes:
        return "the table as a whole"
    all_classes = classes_of(audit, verdict.attribute)
    of_all = f" of {all_classes:,}" if all_classes is not None else ""
    word = "class" if (all_classes or verdict.failing_classes) == 1 else "classes"
    return f"{verdict.failing_classes:,}{of_all} {word}, {_rows(audit, verdict)}"


def _rows(audit: Audit, verdict: Verdict) -> str:
    """Return the rows that miss a requirement, of all; people, who may be in several classes, without a share."""
    if audit.people is not None:
        return _failing_units(verdict)
    return f"{verdict.failing_rows:,} of {counted(audit.rows, 'row')} ({percent(verdict.failing_rows / audit.rows)})"


def failing_sentences(audit: Audit) -> list[str]:
    """Return a sentence for each requirement that is missed."""
    return [
        f"{verdict.requirement.text} of {attribute_words(verdict)} fails: found {found_words(verdict)}, "
        f"in {failing(audit, verdict)}."
        for verdict in audit.verdicts
        if not verdict.holds
    ]


def threshold_text(threshold: Fraction | None) -> str:
    """Return a threshold of t as it was required; empty without one."""
    return "" if threshold is None else f"t ≤ {written(threshold)}"


def distances_sentence(audit: Audit, attribute: str) -> str:
    """Return how many classes miss the strictest t, in words."""
    found = _of_all_columns(audit, "t", attribute)
    if not found:
        return f"No t was required; the farthest class is at {shown(audit.attributes[attribute].t)}."
    verdict = min(found, key=lambda each: each.requirement.threshold)
    worst = found_words(verdict)
    if verdict.holds:
        return f"{verdict.requirement.text} is required, and every class holds; the farthest is at {worst}."
    return (
        f"{verdict.requirement.text} is required, and fails in {failing(audit, verdict)}. The farthest is at {worst}."
    )


def _of_all_columns(audit: Audit, model: str, attribute: str | None) -> list[Verdict]:
    """Return the verdicts about a model where all columns are taken to be known."""
    mine = [each for each in audit.verdicts if each.attribute == attribute and each.requirement.model.key == model]
    return [each for each in mine if each.requirement.any is None]


def driver_sentence(attribute: AttributeAudit) -> str:
    """Return which quasi-identifier drives the disclosure, in words; empty where none does or that was not measured."""
    if not attribute.drivers or "t" not in attribute.figures or not attribute.t:
        return ""
    name = driver_of(attribute)
    if name is None:
        return "Leaving out any one quasi-identifier would not bring t down."
    averages = attribute.averages
    if averages is not None:
        return (
            f"Leaving out any one quasi-identifier would not bring the largest t down. On average over rows t is "
            f"{decimal_text(averages.as_is)}; {visible(name)} gives away most: without it, it would be "
            f"{decimal_text(averages.without[name])}."
        )
    return f"{visible(name)} gives away most: without it t would be {shown(attribute.drivers[name])}."


def sizes_sentence(audit: Audit) -> str:
    """Return how large classes are, in words."""
    mean = "" if audit.people is not None else f", the mean is {decimal_text(audit.rows / audit.class_count, 1)}"
    told = f"{classes(audit.class_count)}: the smallest has {units(audit.k, audit.unit)}{mean}."
    found = _of_all_columns(audit, "k", None)
    if not found:
        return told
    verdict = max(found, key=lambda each: each.requirement.threshold)
    if verdict.holds:
        return f"{told} {verdict.requirement.text} is required, and every class holds."
    return f"{told} {verdict.requirement.text} is required, and fails in {failing(audit, verdict)}."
