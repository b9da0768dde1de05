"""The sentences and phrases of what several releases say together."""

from __future__ import annotations

from tclose.composing import Composition, Difference, JointFigure, JointVerdict, Linked, LinkedAttribute
from tclose.exact import shown
from tclose.render.words.cells import key_text, visible
from tclose.render.words.phrases import counted, joined

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


def found_words(verdict: JointVerdict) -> str:
    """Return what was found beside a requirement."""
    if verdict.figure is None:
        return "nothing in common"
    return shown(verdict.figure.value, limit=verdict.requirement.threshold)
