"""Releases that withstand attackers: of stricter and stricter searches the first whose measured gain is small."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from tclose.anonymization.algorithms.local_search.annealing import usual_rounds
from tclose.anonymization.algorithms.search import Search
from tclose.anonymization.attack_simulation import Plan, Trial, check_attackable, subjects_of, tried
from tclose.anonymization.person_verification import without_rows
from tclose.anonymization.problem_setup import Frame, framed
from tclose.anonymization.releases import Release
from tclose.attacks.catalogue import attackers_named
from tclose.attacks.person_rows import Subjects
from tclose.engines.base import Engine, Table
from tclose.errors import InputError, Note
from tclose.models.catalogue import Requirement
from tclose.policy.exact_numbers import written
from tclose.policy.policy import Policy
from tclose.policy.roles import Roles

_PEOPLE = 60_000
"""Over all halves a search is tried on about so many people, as far as few halves allow."""
_FEWEST, _MOST = 4, 8
"""Between so many halves."""
_NEARER = (Fraction(19, 20), Fraction(9, 10), Fraction(3, 4), Fraction(1, 2), Fraction(1, 4))
"""By which shares of its threshold t is made stricter inside, one after the other."""
_LARGER = (2, 4, 8)
"""By how much classes are made larger where no t is required."""
_LOOKS = 3
"""So often a search is looked at, each time on as many halves more; from the second time on it may be taken."""
_ASKED, _OTHERS = 2.2, 3.1
"""So many standard deviations above its gain must be within the limit: of the search asked for, and of others."""
_LIKELY = 0.98
"""What the truth is below five times in six, in standard deviations."""


@dataclass(frozen=True)
class Withstood:
    """The search whose releases withstand, or the one that came nearest, and what was tried before it."""

    plan: Plan
    trial: Trial
    notes: tuple[Note, ...]
    holds: bool
    as_asked: bool = False
    """Whether it is the search that was asked for."""


@dataclass(frozen=True)
class Bound:
    """The largest gain allowed, None for any, and the policy of searches that it asks for."""

    limit: Fraction | None
    policy: Policy

    def released(
        self,
        make: Callable[[Frame, str, Search], Release],
        session: Engine,
        table: Table[Any],
        frame: Frame,
        roles: Roles,
        wanted: Sequence[Requirement],
        method: str,
        search: Search,
    ) -> Release:
        """Return the release of a frame; where the gain is limited, one by a search that withstands attackers.

        Halves are released by the method that made the release of the whole table, so that no other is searched for,
        and with as many rounds of moves: theirs are shorter, and more of them would take as long as the whole table.

        Parameters
        ----------
        make
            Makes the release of a frame by a method and a search.
        session, table
            The table, of which people are divided where they may have several rows.
        frame, roles, wanted, method, search
            What was asked for.
        """
        release = make(frame, method, search)
        if self.limit is None or release.recipe is None:
            return release
        following = roles.person is not None
        attackers = attackers_named(None, collecting=False, made=True, required=True, following=following)
        whole = Subjects(frame.distinct) if roles.person is None else subjects_of(session, table, roles, search.tell)
        divisions = divisions_of(whole.people)
        as_long = replace(search, rounds=usual_rounds(frame.problem, len(frame.problem.tuples[1]), release.class_count))
        plan = Plan(roles, tuple(wanted), self.policy, release.method, as_long, attackers, divisions)
        found = withstood(whole, plan, self.limit)
        if found.holds and not found.as_asked:
            stricter = framed(frame.distinct, roles, found.plan.met, self.policy, people=frame.people)
            together = replace(search, whole_classes=found.plan.search.whole_classes)
            release = make(stricter, found.plan.method, together)
        release = replace(
            release,
            attack=found.trial.attack(release.source, found.plan, self.limit),
            notes=(*release.notes, *found.notes),
        )
        return release if found.holds else without_rows(release)


def bounded(policy: Policy, roles: Roles) -> Bound:
    """Return the bound that a policy sets."""
    limit = policy.required.largest_gain
    if limit is not None:
        check_attackable(roles)
    return Bound(limit, policy)


def divisions_of(people: int) -> int:
    """Return how many halves of a table are released to look at a search, both of every division."""
    return min(max(2 * math.ceil(_PEOPLE / max(people, 1)), _FEWEST), _MOST)


def withstood(subjects: Subjects, plan: Plan, limit: Fraction) -> Withstood:
    """Return the first search, from the one of most detail on, whose releases no attacker gains more from than allowed.

    Every search is looked at up to three times, with more and more halves, so that chance has several occasions to make
    one look well that is not: so many standard deviations above its gain must be within the limit that the search that
    was asked for is let through wrongly once in 51 tables, and any of the six others once in 600, thus one of all seven
    once in 34.

    Parameters
    ----------
    subjects
        The distinct rows of the table, and whose they are.
    plan
        The search that was asked for.
    limit
        The largest gain allowed, the upper end of its interval.
    """
    tries: list[tuple[Plan, Trial]] = []
    for words, stricter in _candidates(plan):
        try:
            seen, trial, holds = _looked_at(subjects, stricter, float(limit), _OTHERS if words else _ASKED)
        except InputError:
            if not tries:
                raise
            break  # nothing that is stricter still has a release
        tries.append((seen, trial))
        if holds:
            told = (_succeeded(words, trial, tries[0][1], limit),)
            return Withstood(seen, trial, told, holds=True, as_asked=not words)
    chosen, trial = min(tries, key=lambda each: each[1].gain)
    return Withstood(chosen, trial, (_failed(trial, limit),), holds=False)


def _looked_at(subjects: Subjects, plan: Plan, limit: float, deviations: float) -> tuple[Plan, Trial, bool]:
    """Return what attackers get from a search, on more and more halves until it is decided, and whether that is little.

    It ends early where as many halves as there may be would not make it likely, if they said the same as those before.
    """
    here, trial = plan, tried(subjects, plan)
    for look in range(1, _LOOKS):
        if trial.above(_LIKELY * math.sqrt(look / _LOOKS)) > limit:
            break
        here = replace(plan, divisions=(look + 1) * plan.divisions)
        trial = tried(subjects, here, trial.divisions)
        if trial.above(deviations) <= limit:
            return here, trial, True
    return here, trial, False


def _candidates(plan: Plan) -> Iterator[tuple[str, Plan]]:
    """Give searches, each with how it differs from the one that was asked for: whole classes, stricter thresholds."""
    yield "", plan
    if not plan.search.whole_classes:
        plan = replace(plan, search=replace(plan.search, whole_classes=True), method="auto")
        yield "rows that look alike together", plan
    by_t = any(each.model.key == "t" for each in plan.wanted)
    for factor in _NEARER if by_t else _LARGER:
        wanted = tuple(_stricter(each, factor, by_t=by_t) for each in plan.wanted)
        what = "t" if by_t else "k"
        inside = ", ".join(written(each.threshold) for each in wanted if each.model.key == what)
        yield f"{what} = {inside} inside", replace(plan, stricter=wanted)


def _stricter(requirement: Requirement, factor: Fraction | int, *, by_t: bool) -> Requirement:
    if requirement.model.key != ("t" if by_t else "k"):
        return requirement
    return replace(requirement, threshold=requirement.threshold * factor)


def _failed(trial: Trial, limit: Fraction) -> Note:
    return Note(
        "attackers-not-withstood",
        f"No search withstands attackers within a gain of {written(limit)}; the nearest has an upper end of "
        f"{trial.gain:.3g}. With few rows, no release can show a small gain.",
    )


def _succeeded(words: str, trial: Trial, first: Trial, limit: Fraction) -> Note:
    allowed = f"a gain of {written(limit)}"
    kept = "" if trial.kept is None or first.kept is None else f", at {first.kept - trial.kept:.1%} of the detail"
    cost = f"the first search did not, and the release has {words}{kept}" if words else "at no cost of detail"
    return Note(
        "attackers-withstood",
        f"Attackers stay within {allowed} on halves of the table, all searches and looks at them allowed for: {cost}. "
        "The recipe alone keeps the seed.",
    )
