"""The sentences and phrases of a frontier."""

from __future__ import annotations

from fractions import Fraction

from tclose.anonymization.algorithms.losses.catalogue import LOSSES
from tclose.anonymization.frontier_points import Frontier, Point
from tclose.models.catalogue import MODELS, requirements
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.numbers import classes, counted, everyone, joined
from tclose.reports.phrases.releases import required_texts

NONE = "–"
BEST = "*"


def title(frontier: Frontier) -> str:
    """Return what the frontier is about."""
    return f"What {MODELS[frontier.sweep].title} costs in {visible(frontier.source)}"


def about(frontier: Frontier) -> str:
    """Return the table and what every release meets besides, in words."""
    quasi = joined(frontier.roles.quasi)
    besides = joined(required_texts(frontier.requirements))
    besides = f" Every release also meets {besides}." if besides else ""
    return f"{everyone(frontier.rows, frontier.people)}, recoded in {quasi}.{besides}"


def legend(frontier: Frontier) -> str:
    """Return what the numbers mean, in words."""
    best = f"{BEST} is the best of a row; {NONE} means that the method found no release."
    if kept_is_shown(frontier):
        return f"Shown is the detail that a release keeps, 1 − lm; more is better. {best}"
    return f"Shown is the loss {frontier.loss} ({LOSSES[frontier.loss].title}); less is better. {best}"


def kept_is_shown(frontier: Frontier) -> bool:
    """Say whether kept detail stands for the loss, which it does where that is lm."""
    return frontier.loss == "lm"


def threshold_text(frontier: Frontier, threshold: Fraction) -> str:
    """Return a threshold as a person reads it: ``t ≤ 0.2``."""
    (requirement,) = requirements({frontier.sweep: threshold})
    return requirement.text


def best_words(best: Point | None) -> str:
    """Return the best release of a threshold, in words; empty where there is none."""
    if best is None:
        return ""
    out = f", {counted(best.suppressed, 'row')} left out" if best.suppressed else ""
    return f"{classes(best.classes)}{out}"
