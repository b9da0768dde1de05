"""What a release is still good for, as pictures: pairs of columns before and after, and what a model learns of each."""

from __future__ import annotations

from tclose.anonymization.algorithms.associations import Association, Prediction, Usefulness
from tclose.reports.charts.bars import PAIRS_WIDTH as WIDTH
from tclose.reports.charts.bars import Compared, Group, groups_drawn, heading, sample
from tclose.reports.charts.frame import legend, notes
from tclose.reports.charts.svg import Subject, document
from tclose.reports.phrases import releases as words
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.numbers import percent

MOST_PAIRS = 12
_LEFT = 260


def associations_picture(found: Usefulness, *, mark: str = "") -> str | None:
    """Return how closely columns go together before and after, the closest first; None where there are no pairs.

    Parameters
    ----------
    found
        What to draw.
    mark
        Any word, to tell the picture apart where the same one stands on a page twice.
    """
    pairs = [pair for pair in found.associations if pair.before is not None]
    shown = pairs[:MOST_PAIRS]
    if not shown:
        return None
    left_out = len(pairs) - len(shown)
    remarks = [f"… and {left_out} more pairs, which go together less." if left_out else ""]
    groups = [Group(words.pair(pair), _associated(pair)) for pair in shown]
    return _picture("associations", words.ASSOCIATIONS, words.ASSOCIATIONS_READ, groups, (mark, remarks), 1.0)


def predictions_picture(found: Usefulness, *, mark: str = "") -> str | None:
    """Return how often a simple model is right, by what it learnt from; None where there is nothing to learn."""
    groups = [Group(visible(each.attribute), _learnt(each)) for each in found.predictions]
    if not groups:
        return None
    return _picture("predictions", words.PREDICTIONS, words.PREDICTIONS_READ, groups, (mark, []), 1.0)


def _associated(pair: Association) -> tuple[Compared, ...]:
    values = ((pair.before, False, "before"), (pair.after, True, "after"))
    name = words.pair(pair)
    return tuple(
        Compared(value or 0.0, words.strength(value), marked, f"{name}, {when}: {words.strength(value)}")
        for value, marked, when in values
    )


def _learnt(each: Prediction) -> tuple[Compared, ...]:
    values = ((each.original, False, "the original"), (each.release, True, "the release"))
    bars = [Compared(value, percent(value), marked, f"learnt from {what}") for value, marked, what in values]
    return (*bars, Compared(each.guess, f"{percent(each.guess)} by guessing", marked=None, hint="without any table"))


def _picture(
    name: str, title: str, reading: str, groups: list[Group], facts: tuple[str, list[str]], most: float
) -> str:
    subject = Subject(name, "", "", (facts, groups))
    head, y = heading(title, reading, WIDTH)
    entries = [
        (sample(subject.identity, marked=False), "the original"),
        (sample(subject.identity, marked=True), "the release"),
    ]
    key, y = legend(entries, y + 12, WIDTH)
    drawn, floor = groups_drawn(groups, y + 14, most, subject.identity, _LEFT)
    foot, floor = notes(facts[1], floor + 6, WIDTH)
    told = "; ".join(f"{group.label}: {', '.join(bar.shown for bar in group.bars)}" for group in groups)
    return document(subject, title, f"{reading} {told}.", (WIDTH, floor + 10), [*head, *key, *drawn, *foot])
