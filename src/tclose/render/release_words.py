"""The sentences and rows of a release, shared by its text and its pages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tclose.exact import decimal_text, shown
from tclose.models.catalogue import Requirement, label
from tclose.releases import Obstacle, Release, Written
from tclose.render.cells import key_text, visible
from tclose.render.words import attribute_words, classes, counted, joined
from tclose.results import Value, Verdict

MAIN_LOSSES = ("lm", "gcp", "nue_share", "aecs", "query")
"""The losses that a report shows; the JSON has all."""
_DIGITS = 4


@dataclass(frozen=True)
class RequirementRow:
    """A requirement as a line of a table; found figures are empty where nothing was audited."""

    holds: bool
    text: str
    of: str
    found: str = ""
    against_original: str = ""


def made_by_recipe(release: Release) -> bool:
    """Say whether a recipe was applied, rather than a release searched for."""
    return not release.losses and release.recipe is not None


def verdict(release: Release) -> str:
    """Return the verdict in words."""
    source = visible(release.source)
    met = "its requirement" if len(release.requirements) == 1 else "every requirement"
    if release.holds:
        return f"The release of {source} meets {met}."
    if made_by_recipe(release):
        return f"Recoded by its recipe, {source} does not meet {met}; it is not a release."
    if release.obstacles:
        return f"No release of {source} meets {met}."
    return f"The method {release.method!r} found no release of {source} that meets {met}."


def size_sentence(release: Release) -> str:
    """Return how many rows and classes are published, in words."""
    quasi = joined(release.roles.quasi)
    if not release.classes:
        return f"{counted(release.rows, 'row')} of {quasi}; nothing is released."
    left = release.suppressed
    rows = f"{release.rows - left:,} of {counted(release.rows, 'row')}" if left else counted(release.rows, "row")
    made = f"{rows} in {classes(release.classes)} of {quasi}"
    if not left:
        return f"{made}; no row is left out."
    are = "is" if left == 1 else "are"
    return f"{made}; {counted(left, 'row')} {are} left out ({percent(left / release.rows)})."


def method_sentence(release: Release) -> str:
    """Return the method and what it does, in words; empty where there is no release."""
    from tclose.recoding.methods import METHODS

    if not release.holds:
        return ""
    way = METHODS.get(release.method)
    told = (
        f"Method {release.method}: {way.meaning[:1].lower()}{way.meaning[1:]}" if way else f"Method {release.method}."
    )
    if release.levels is None:
        return told
    levels = ", ".join(f"{visible(name)} {level}" for name, level in release.levels.items())
    return f"{told} Levels: {levels}."


def kept_share(release: Release) -> float | None:
    """Return the share of detail that was kept; None where it was not measured."""
    return release.kept if release.holds and release.losses.get("lm") is not None else None


def kept_sentence(release: Release) -> str:
    """Return how much detail is kept, in words; empty where that was not measured."""
    share = kept_share(release)
    return "" if share is None else f"{percent(share)} of the detail of the quasi-identifiers is kept."


def requirement_rows(release: Release, written: Written | None) -> list[RequirementRow]:
    """Return the requirements; with the figures of the release where it was written and audited."""
    if written is None:
        return [
            RequirementRow(release.holds, requirement.text, _of(requirement)) for requirement in release.requirements
        ]
    promised = release.recipe is None or release.recipe.own
    pairs = zip(written.audit.verdicts, written.against_original.verdicts, strict=True)
    return [
        RequirementRow(
            original.holds and (own.holds or not promised),
            own.requirement.text,
            attribute_words(own),
            _found(own),
            _found(original),
        )
        for own, original in pairs
    ]


def _of(requirement: Requirement) -> str:
    if requirement.attribute is not None:
        return visible(requirement.attribute)
    return "the table" if requirement.model.scope == "table" else "each sensitive attribute"


def _found(judged: Verdict) -> str:
    found = shown(judged.figure.value)
    return found if judged.holds else f"{found} ✗"


def column_rows(release: Release) -> list[tuple[str, float]]:
    """Return each quasi-identifier with the share of its detail that is lost, the largest first."""
    ranked = sorted(release.column_losses.items(), key=lambda item: -item[1])
    return [(visible(name), lost) for name, lost in ranked]


def loss_rows(release: Release) -> list[tuple[str, str, str]]:
    """Return the main losses: key, value and title."""
    from tclose.recoding.losses.catalogue import LOSSES

    found = ((key, release.losses.get(key)) for key in MAIN_LOSSES)
    return [(key, decimal_text(value), LOSSES[key].title) for key, value in found if value is not None]


def obstacle_rows(release: Release) -> list[tuple[str, str, str, str]]:
    """Return what stands in the way: required, of what, the figure, and the class that decides it."""
    return [
        (each.requirement.text, _of(each.requirement), shown(each.value), key_text(each.key))
        for each in release.obstacles
    ]


def ways_out(release: Release) -> list[str]:
    """Return what can be done where there is no release, in sentences."""
    if release.holds:
        return []
    if made_by_recipe(release):
        return ["Make a new release of this table with 'tclose anonymize'."]
    if not release.obstacles:
        return []
    return [*map(nearest_sentence, release.obstacles), _ways(release.obstacles)]


def _ways(obstacles: Sequence[Obstacle]) -> str:
    """Return what leads to a release, in a sentence."""
    one = len(obstacles) == 1
    ways = []
    if all(nearest(each) is not None for each in obstacles):
        ways.append("ask for that" if one else "ask for these")
    if all(each.coarser for each in obstacles):
        ways.append("allow coarser levels (--levels)")
    if (share := obstacles[0].suppress) is not None and share < 1 - Fraction(1, 10**_DIGITS):
        most = decimal_text(math.ceil(share * 10**_DIGITS) / 10**_DIGITS)
        ways.append(f"let up to {percent(float(share))} of the rows be left out (--suppress {most})")
    ways = ways or ["leave that requirement out" if one else "leave what cannot be met out of the requirements"]
    *before, last = ways
    sentence = f"{', '.join(before)}{',' * (len(before) > 1)} or {last}" if before else last
    return f"{sentence[0].upper()}{sentence[1:]}."


def nearest_sentence(obstacle: Obstacle) -> str:
    """Return the threshold that can be met instead of a required one, in words."""
    requirement = obstacle.requirement
    of = "" if requirement.attribute is None else f" of {visible(requirement.attribute)}"
    name, near = label(requirement.model), nearest(obstacle)
    if near is None:
        return f"{requirement.text}{of}: there is no {name} that can be met."
    return f"{requirement.text}{of}: the nearest {name} that can be met is {near}."


def nearest(obstacle: Obstacle) -> str | None:
    """Return the threshold nearest to the required one that can be met, rounded so that it can; None if there is none.

    Examples
    --------
    >>> from tclose.models.catalogue import requirements
    >>> (wanted,) = requirements({"t": "0.1"})
    >>> nearest(Obstacle(wanted, Fraction(1, 3), {})), nearest(Obstacle(wanted, Fraction(3, 8), {}))
    ('0.3334', '0.375')
    """
    model, value = obstacle.requirement.model, obstacle.value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    steps = Fraction(value) * 10**_DIGITS
    towards_worse = math.floor(steps) if model.good == "high" else math.ceil(steps)
    if model.strict and towards_worse == steps:
        towards_worse += -1 if model.good == "high" else 1
    return decimal_text(float(Fraction(towards_worse, 10**_DIGITS)))


def percent(share: float) -> str:
    """Return a share in per cent, never rounded to a false none or all.

    Examples
    --------
    >>> percent(0.628), percent(1.0), percent(0.99999), percent(0.00001), percent(0.0)
    ('62.8 %', '100 %', 'over 99.9 %', 'under 0.1 %', '0 %')
    """
    if 0 < share < 0.001:
        return "under 0.1 %"
    if 0.999 < share < 1:
        return "over 99.9 %"
    return f"{decimal_text(100 * share, 1)} %"


def file_rows(written: Written) -> list[tuple[str, str, str]]:
    """Return the files that were written, with what to know of each."""
    rows = [("release", visible(str(written.path)), "the table to publish")]
    if written.report is not None:
        rows.append(("report", visible(written.report.name), "beside it: what was promised and measured"))
    if written.recipe is not None:
        rows.append(("recipe", visible(written.recipe.name), "stays with the original, whose values it has"))
    return rows


def required_texts(requirements: Iterable[Requirement]) -> list[str]:
    """Return requirements as texts, with the attribute where one is named."""
    return [
        each.text if each.attribute is None else f"{each.text} of {visible(each.attribute)}" for each in requirements
    ]


def finite(value: Value | None) -> float | None:
    """Return a number as JSON can hold it."""
    return None if value is None or not math.isfinite(value) else float(value)
