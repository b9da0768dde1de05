"""The sentences and phrases of a release."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tclose.engines.disguises import Revealed
from tclose.errors import Ask, in_brackets
from tclose.exact import decimal_text
from tclose.models.catalogue import Requirement, few, label
from tclose.releases import Binding, Obstacle, Release
from tclose.render.words.audits import attribute_words, exposed_sentence, qualified_words
from tclose.render.words.cells import WITHHELD, visible
from tclose.render.words.phrases import classes, counted, everyone, joined, percent, unprotected_sentence
from tclose.results import Audit, Verdict

_DIGITS = 4
_NOTHING = 1e-9
"""Less detail than this is none."""


COUNTS_CAUTION = (
    "The values are fitted to counts of each column, rounded to 50 and withheld where they are of fewer than 30 "
    "people. Such counts can narrow a cell down, down to one value, and those of two months can be subtracted from "
    "each other."
)
"""What to know of counts that are published with the values of a release."""


def made_by_recipe(release: Release) -> bool:
    """Say whether a recipe was applied, rather than a release searched for."""
    return not release.losses and release.recipe is not None


def spared(release: Release) -> Fraction | None:
    """Return the share of rows that a recipe may leave out, where it leaves out more; else None."""
    recipe = release.recipe if made_by_recipe(release) else None
    too_many = recipe is not None and release.suppressed > recipe.suppress * release.original_rows
    return recipe.suppress if recipe is not None and too_many else None


def verdict(release: Release) -> str:
    """Return the verdict in words."""
    source = visible(release.source)
    met = "its requirement" if len(release.requirements) == 1 else "every requirement"
    if release.holds:
        the = "The" if release.verdict == "pass" else "the"
        return qualified_words(f"{the} release of {source} meets {met}", release.verdict)
    if release.attack is not None and release.attack.holds is False:
        return f"No release of {source} was found that withstands attackers."
    limit = spared(release)
    if limit is not None and not release.obstacles:
        lost = f"{release.suppressed:,} of {counted(release.original_rows, 'row')}"
        most = f"at most {percent(limit)}" if limit else "none"
        return f"Recoded by its recipe, {source} would lose {lost}, and {most} may be lost; it is not a release."
    if made_by_recipe(release):
        return f"Recoded by its recipe, {source} does not meet {met}; it is not a release."
    if any(each.proven for each in release.obstacles):
        return f"No release of {source} meets {met}."
    if release.obstacles:
        return f"No release of {source} was found that meets {met}."
    return f"The method {release.method!r} found no release of {source} that meets {met}."


def care_sentences(release: Release) -> list[str]:
    """Return what must not be overlooked: that nothing is kept, what is not protected, what a disguise gives away."""
    return [*filter(None, [nothing_sentence(release)]), *unprotected_sentences(release)]


def unprotected_sentences(release: Release) -> list[str]:
    """Return what a release does not protect: columns published as they are, and what a disguise gives away."""
    told = [unprotected_sentence(release.unprotected)]
    if release.holds and release.unprotected:
        told.append(exposed_sentence(release.audits()[0]))
    return [*filter(None, told), *_revealed(release.revealed)]


def _revealed(found: Revealed | None) -> Iterator[str]:
    """Give what pseudonyms and shifted dates still tell, in sentences."""
    if found is not None and found.linked is not None:
        linked = found.linked
        alone = _some_of(linked.unique, linked.people, people=True)
        yield f"Pseudonyms link the rows of a person; alone by the set of classes they are in: {alone}."
    if found is not None and found.days is not None:
        alone, known = (
            _some_of(some, found.units, people=found.linked is not None) for some in (found.alone, found.known)
        )
        yield (
            f"Dates are shifted by up to {counted(found.days, 'day')}; alone by the days between their dates: {alone}; "
            f"offset known to whoever knows the table's first and last date: {known}."
        )


def _some_of(some: int, of: int, *, people: bool) -> str:
    """Return how many of all people or rows something is said of, in words."""
    everybody = counted(of, "person", "people") if people else counted(of, "row")
    return f"{some:,} of {everybody}" if some else "nobody" if people else "none"


def nothing_sentence(release: Release) -> str:
    """Return that a release keeps no detail, which requirement binds, and what would keep some; else nothing."""
    if not keeps_nothing(release):
        return ""
    told = "Nothing of the quasi-identifiers is kept: every row is published alike."
    found = release.binding
    if found is None:
        return told
    required = joined(required_texts(each.requirement for each in found.obstacles))
    near = joined(required_texts(near_requirements(found)))
    bind = "binds" if len(found.obstacles) == 1 else "bind"
    groups = f"{visible(found.column)} would be kept in {counted(found.groups, 'group')}"
    return f"{told} {required} {bind}: with {near}, {groups}."


def keeps_nothing(release: Release) -> bool:
    """Say whether a release meets what is required by hiding every detail."""
    share = kept_share(release)
    return share is not None and share < _NOTHING and bool(release.column_losses)


def near_requirements(binding: Binding) -> list[Requirement]:
    """Return the requirements nearest to those that bind by which some detail would be kept."""
    pairs = ((each.requirement, nearest(each)) for each in binding.obstacles)
    return [replace(wanted, threshold=Fraction(near)) for wanted, near in pairs if near is not None]


def size_sentence(release: Release) -> str:
    """Return how many rows and classes are published, in words."""
    quasi = joined(release.roles.quasi)
    if not release.class_count:
        return f"{everyone(release.original_rows, release.people)} of {quasi}; nothing is released."
    left = release.suppressed
    rows = everyone(release.original_rows, release.people)
    if left and release.people is None:
        rows = f"{release.original_rows - left:,} of {rows}"
    elif left:
        rows = f"{counted(release.original_rows - left, 'row')} of the original's {rows}"
    made = f"{rows} in {classes(release.class_count)} of {quasi}"
    if not left:
        return f"{made}; no row is left out."
    are = "is" if left == 1 else "are"
    return f"{made}; {counted(left, 'row')} {are} left out ({percent(left / release.original_rows)})."


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


def slack_sentence(release: Release) -> str:
    """Return how many cells are coarser than they had to be, in words; empty where that was not measured."""
    if release.slack is None:
        return ""
    if not release.slack:
        return (
            "No published cell could be one level finer by itself with every requirement met: the release is minimal."
        )
    return (
        f"{percent(float(release.slack))} of the published cells could be one level finer by themselves with every "
        "requirement met."
    )


@dataclass(frozen=True)
class Judged:
    """A requirement of a release: whether it holds, and what was found where the release was audited."""

    holds: bool
    text: str
    of: str
    own: Verdict | None = None
    """Against the distribution of the release itself."""
    original: Verdict | None = None
    """Against the distribution of the original."""


def judged(release: Release, audits: tuple[Audit, Audit] | None) -> list[Judged]:
    """Return the requirements; they must hold against the original, and against the release itself if promised.

    Parameters
    ----------
    release
        What was found.
    audits
        The audit of the release against itself, and against the original; None where it was not audited.
    """
    if audits is None:
        return [Judged(release.holds, each.text, subject(each)) for each in release.requirements]
    promised = release.recipe is None or release.recipe.own
    pairs = zip(*(audit.verdicts for audit in audits), strict=True)
    return [
        Judged(
            original.holds and (own.holds or not promised), own.requirement.text, attribute_words(own), own, original
        )
        for own, original in pairs
    ]


def subject(requirement: Requirement) -> str:
    """Return what a requirement is about, in words."""
    if requirement.attribute is not None:
        return visible(requirement.attribute)
    return "the table" if requirement.model.scope == "table" else "each sensitive attribute"


def ways_out(release: Release) -> list[str]:
    """Return what can be done where there is no release, in sentences."""
    if release.holds:
        return []
    if made_by_recipe(release):
        how = in_brackets(Ask("widen", value=True))
        wider = [f"Give rows without a place the coarsest cells{how}."] if spared(release) is not None else []
        return [*wider, f"Make a new release of this table{in_brackets(Ask('anonymize'))}."]
    if not release.obstacles:
        return []
    return [*map(nearest_sentence, release.obstacles), _ways(release.obstacles)]


def shown_key(release: Release, obstacle: Obstacle) -> Mapping[str, object]:
    """Return the class that decides an obstacle; withheld where it shows single people."""
    hidden = 0 < obstacle.size < few(release.requirements)
    return dict.fromkeys(obstacle.key, WITHHELD) if hidden else obstacle.key


def _ways(obstacles: Sequence[Obstacle]) -> str:
    """Return what leads to a release, in a sentence."""
    one = len(obstacles) == 1
    ways = []
    if all(nearest(each) is not None for each in obstacles):
        ways.append("ask for that" if one else "ask for these")
    if all(each.coarser for each in obstacles):
        ways.append(f"allow coarser levels{in_brackets(Ask('levels'))}")
    if (share := obstacles[0].suppress) is not None and share < 1 - Fraction(1, 10**_DIGITS):
        most = decimal_text(math.ceil(share * 10**_DIGITS) / 10**_DIGITS)
        how = in_brackets(Ask("suppress", most))
        ways.append(f"suppress up to {percent(share)} of the rows{how}")
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
    which = "with all rows" if obstacle.sparing else "that can be met"
    return f"{requirement.text}{of}: the nearest {name} {which} is {near}."


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


def required_texts(requirements: Iterable[Requirement]) -> list[str]:
    """Return requirements as texts, with the attribute where one is named."""
    return [
        each.text if each.attribute is None else f"{each.text} of {visible(each.attribute)}" for each in requirements
    ]


def attack_sentence(release: Release) -> str:
    """Return which attackers were tried, in words; empty where there is no release."""
    if release.attack is not None:
        return "Attackers were tried on releases of halves of the table that were made alike."
    return "No attacker was tried, so that nobody has measured what one learns who knows the method." * release.holds
