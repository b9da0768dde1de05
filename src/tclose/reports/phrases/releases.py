"""The sentences and phrases of a release."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tclose.anonymization.algorithms.associations import Association, Prediction, Usefulness
from tclose.anonymization.detail_costs import Advice, DetailCosts
from tclose.anonymization.releases import Binding, Obstacle, Release
from tclose.attacks.findings import Attack
from tclose.auditing.results import Audit, Verdict
from tclose.engines.pseudonyms import Revealed
from tclose.errors import Ask, in_brackets
from tclose.models.catalogue import Requirement, few, label
from tclose.policy.exact_numbers import decimal_text, written
from tclose.reports.phrases.audits import attribute_words, exposed_sentence, qualified_words
from tclose.reports.phrases.cells import WITHHELD, visible
from tclose.reports.phrases.numbers import classes, counted, everyone, joined, percent, unprotected_sentence

# What is told beside a release: nothing that says more of the original than the release and its promises do.
# Whoever has the release, the code and a register of everybody can try every original that they think possible. A
# figure that depends on who has which value, printed to many digits, leaves few of them. Such figures are the
# owner's.


CONFIDENTIAL = "Confidential: this tells of the original what its release does not"
NOT_TOLD = "not told"
ORIGINAL_WITHHELD = (
    "As rows are left out, figures against the original are not told here: they would tell the values of those rows."
)
_CLASSES_UNSAID = (
    "What the classes of the original had of sensitive values is not told here: it may give away who was in them."
)
_COSTS_UNSAID = (
    "Shares are rounded, and what follows from who has which value is not told here (slack, what a model learns, other "
    "levels and thresholds): whoever tries every original could find the one that gives just such figures."
)


def beside(release: Release) -> Release:
    """Return a release as it is told to whoever gets it; as it is where its documents are for the owner alone."""
    if release.tells_original or not release.holds:
        return release
    costs = release.costs
    return replace(
        release,
        losses={} if costs is None else costs.losses,
        column_losses={} if costs is None else costs.columns,
        slack=None,
        binding=None,
        why=None,
        notes=tuple(note for note in release.notes if not note.confidential),
        attack=None if release.attack is None else _attack(release, release.attack),
    )


def confidential(release: Release) -> str:
    """Return why a document is for few eyes, in words; empty where it is not."""
    return CONFIDENTIAL if release.tells_original else ""


def original_withheld(release: Release) -> str:
    """Return what a report does not say of the original, and why, in words."""
    if release.tells_original:
        return ""
    told = [_CLASSES_UNSAID, *([ORIGINAL_WITHHELD] if release.withholds_original else [])]
    return " ".join([*told, *([_COSTS_UNSAID] if release.losses else [])])


def _attack(release: Release, attack: Attack) -> Attack:
    """Return what attackers got: by values only where no row was left out.

    How many people of the original have each value would tell those of the rows that were left out.
    """
    if not release.withholds_original:
        return attack
    return replace(attack, outcomes=tuple(replace(each, by_value=()) for each in attack.outcomes))


# What costs the detail of a release, in sentences.


DETAIL_COSTS_TITLE = "What costs the detail"
_NO_ADVICE = "No single change that was tried keeps notably more."


def advice_sentence(costs: DetailCosts) -> str:
    """Return the one change by which more is kept, in words."""
    advice = costs.advice
    if advice is None:
        return _NO_ADVICE
    kept, before = percent(advice.kept), percent(advice.before)
    if advice.kind == "column":
        others = f"the other quasi-identifiers then keep {kept} of their detail instead of {before}"
        return f"Leave {visible(advice.column or '')} out of the release: {others}."
    return f"{_change(advice)}: {kept} of the detail is then kept instead of {before}."


def _change(advice: Advice) -> str:
    if advice.kind == "hierarchy":
        how = in_brackets(Ask("hierarchies", advice.hierarchy, advice.column))
        return f"Give {visible(advice.column or '')} the finer hierarchy {advice.hierarchy}{how}"
    if advice.kind == "method":
        return f"Search with the method {advice.method}{in_brackets(Ask('method', advice.method))}"
    if advice.suppress is not None:
        how = in_brackets(Ask("suppress", written(advice.suppress)))
        return f"Leave out up to {percent(advice.suppress)} of the rows{how}"
    return "Require less" if advice.requirement is None else f"Require no more than {required_text(advice.requirement)}"


def required_text(requirement: Requirement) -> str:
    """Return a requirement with the attribute it is of."""
    of = "" if requirement.attribute is None else f" of {visible(requirement.attribute)}"
    return f"{requirement.text}{of}"


def share(kept: float | Fraction | None) -> str:
    """Return a share of detail that a release keeps; that there is none, where none was found."""
    return "no release found" if kept is None else percent(kept)


def legend(costs: DetailCosts) -> str:
    """Return how the figures of the tables were found."""
    tried = "" if costs.advice is None else " The advice was tried with all of the effort."
    return (
        f"Changes are compared in searches with a fifth of the effort; such a search keeps {percent(costs.compared)} "
        f"with nothing changed.{tried}"
    )


# The sentences and phrases of what a release is still good for.


USEFULNESS_TITLE = "What it is still good for"
NONE = "–"
ASSOCIATIONS = "How columns go together, before and after"
ASSOCIATIONS_READ = (
    "Cramér's V of two columns, corrected for many values: 0 where one says nothing of the other, 1 where it decides "
    "it. What is published counts evenly for the values that it may stand for."
)
PREDICTIONS = "What a simple model learns, of original and release"
PREDICTIONS_READ = (
    "A naive Bayes model is asked for the sensitive value of rows that it has not seen, one fifth of the table after "
    "the other: how often it is right."
)


def pair(each: Association) -> str:
    """Return two columns by name."""
    return f"{visible(each.first)} and {visible(each.second)}"


def strength(value: float | None) -> str:
    """Return how closely two columns go together, as it is read."""
    return NONE if value is None else decimal_text(value, 3)


def learnt(each: Prediction) -> str:
    """Return what a model learns of an attribute, in words that can be quoted."""
    return (
        f"A simple model that learnt from the release is right about {visible(each.attribute)} in "
        f"{percent(each.release)} of rows, from the original in {percent(each.original)}; whoever always says the most "
        f"frequent of {each.groups} in {percent(each.guess)}."
    )


def remarks(found: Usefulness) -> list[str]:
    """Return what else to know of the numbers."""
    told = []
    if any(each.before is None or each.after is None for each in found.associations):
        told.append(f"{NONE} stands where nearly every row has a value of its own, so that nothing can be said.")
    if found.columns_left_out:
        left = counted(found.columns_left_out, "quasi-identifier")
        told.append(f"{left} were not looked at in pairs." if found.columns_left_out > 1 else f"{left} was not.")
    return told


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
    from tclose.anonymization.algorithms.catalogue import METHODS

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
