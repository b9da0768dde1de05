"""What costs the detail of a release: releases of the same table that are asked for a little otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from tclose.anonymization.algorithms.catalogue import AUTO, SIZES, found
from tclose.anonymization.algorithms.limits import Limit, limits, notable_limits
from tclose.anonymization.algorithms.losses.catalogue import losses_by_column
from tclose.anonymization.algorithms.partition import finest, kept_detail, published
from tclose.anonymization.algorithms.problem import Problem
from tclose.anonymization.algorithms.search import Search
from tclose.anonymization.algorithms.threshold_sweep import SHARE
from tclose.anonymization.detail_costs import Advice, ColumnCost, DetailCosts, RequirementCost
from tclose.anonymization.person_verification import Original
from tclose.anonymization.problem_setup import Frame, framed, tasks_of
from tclose.anonymization.release_search import framed_table, released
from tclose.anonymization.releases import Release
from tclose.data.progress import Report
from tclose.engines.base import Engine
from tclose.errors import Ask, Hint, InputError, Note
from tclose.models.catalogue import Requirement
from tclose.models.measuring import vacuous
from tclose.policy.policy import Policy
from tclose.policy.roles import Roles
from tclose.reports.phrases.numbers import percent

NOTABLE = 0.02
"""A change is advised where so much more of the detail is kept."""
QUICK_UP_TO = 5_000
"""Up to so many distinct rows it is said at once what could be kept without a requirement that limits releases."""
_LITTLE = 0.005
"""A requirement binds where so much more is kept without it."""
_MOST_PROVED = 3
"""So many changes are made with all of the effort, before none is advised."""
_SHARES = tuple(Fraction(each) for each in ("0.05", "0.1", "0.15", "0.2", "0.3", "0.4", "0.5", "0.75"))
"""The usual thresholds of shares and distances."""
_SUPPRESS, _MOST_SUPPRESSED = Fraction(1, 100), Fraction(1, 20)
_COARSE = 0.2
"""A finer hierarchy is looked for where a column loses more than this."""
_FEW_VALUES = 4
_FINER = {"text": "groups:2,4", "number": "quantiles:8,4,2", "time": "quantiles:8,4,2"}
"""What is finer than a hierarchy with nothing between the values and the root."""
Losses = Mapping[str, float]
"""The share of its detail that each quasi-identifier loses."""


@dataclass(frozen=True)
class _Asked:
    """A release as it is asked for."""

    roles: Roles
    wanted: tuple[Requirement, ...]
    policy: Policy

    def with_options(self, **said: Any) -> _Asked:
        return replace(self, policy=self.policy.with_options(said))

    def without_column(self, name: str) -> _Asked:
        """Return the same without a quasi-identifier, which is not published either."""
        options = ("hierarchies", "levels", "weights", "numbers")
        given = {option: getattr(self.policy.columns, option) for option in options}
        said = {option: {key: each[key] for key in each if key != name} for option, each in given.items()}
        roles = replace(self.roles, quasi=tuple(each for each in self.roles.quasi if each != name))
        return replace(self.with_options(**said), roles=roles)


class _Change(NamedTuple):
    """A release asked for otherwise, what is gained by it with a share of the effort, and how it is told."""

    gain: float
    asked: _Asked
    advice: Advice


@dataclass(frozen=True)
class Costing:
    """Finds what costs the detail of a release.

    Parameters
    ----------
    session, original
        The engine and the table.
    frame
        The distinct rows of the table, and what the release was searched by.
    roles, wanted, policy, search
        What was asked for.
    """

    session: Engine
    original: Original
    frame: Frame
    roles: Roles
    wanted: tuple[Requirement, ...]
    policy: Policy
    search: Search

    def costs(self, release: Release, tell: Report) -> DetailCosts:
        """Return what costs the detail of a release that was asked for so.

        Changes are compared in searches of a share of the effort. What is advised is searched for with all of it.
        """
        whole = replace(self.search, limit=None, tell=tell)
        quick = replace(whole, effort=whole.effort * SHARE)
        tell("Finding what costs detail", None)
        lost = release.column_losses
        compared = self._losses(self._asked, quick) or lost
        columns = [self._column(name, lost, compared, quick) for name in self.roles.quasi]
        required = [self._requirement(each, compared, quick) for each in self._required]
        changes = [*self._without(lost, compared, columns), *self._changed(lost, compared, quick)]
        loosened = self._loosened(lost, compared, required)
        advice = self._proved(changes, lost, whole) or self._proved(loosened, lost, whole)
        columns.sort(key=lambda each: (each.others or 0.0) - (each.others_without or 0.0))
        kept, base = self._kept(lost), self._kept(compared)
        return DetailCosts(kept, base, tuple(columns), tuple(required), advice)

    @property
    def _asked(self) -> _Asked:
        return _Asked(self.roles, self._required, self.policy)

    @cached_property
    def _required(self) -> tuple[Requirement, ...]:
        """The requirements, each of one attribute."""
        return tuple(_each_of(self.wanted, self.frame))

    def _kept(self, lost: Losses, without: str | None = None) -> float:
        """Return the share of detail that is kept, by the weights of the columns."""
        weights = {name: self.policy.columns.weights.get(name, 1.0) for name in self.roles.quasi if name != without}
        return sum(weight * (1.0 - lost[name]) for name, weight in weights.items()) / sum(weights.values())

    def _losses(self, asked: _Asked, search: Search) -> Losses | None:
        """Return what the release loses that is asked for; None where there is none."""
        try:
            frame, original = self._framed(asked, search)
        except InputError:  # a hierarchy that does not suit the values
            return None
        method = asked.policy.release.method
        if self.original.people is None:
            best = found(method, frame.problem, search)
            return None if best is None else losses_by_column(frame.problem, published(best.partition))
        roles = frame.settled(asked.roles)
        made = released(self.session, original, roles, asked.wanted, frame, method, search)
        return made.column_losses if made.holds else None

    def _framed(self, asked: _Asked, search: Search) -> tuple[Frame, Original]:
        """Return the problem that is asked for, and the table without the columns that are left out of it."""
        gone = [name for name in self.roles.quasi if name not in asked.roles.quasi]
        if not gone:
            people = self.frame.people
            return framed(self.frame.distinct, asked.roles, asked.wanted, asked.policy, people=people), self.original
        if self.original.people is None:
            distinct = self.frame.distinct
            for name in gone:
                distinct = distinct.without(self.roles.quasi.index(name))
            return framed(distinct, asked.roles, asked.wanted, asked.policy), self.original
        original = self.original.without(gone)
        return framed_table(self.session, original.counted, asked.roles, asked.wanted, asked.policy, search), original

    def _column(self, name: str, lost: Losses, compared: Losses, quick: Search) -> ColumnCost:
        if len(self.roles.quasi) == 1:
            return ColumnCost(name, 1.0 - lost[name], None, None)
        without = self._losses(self._asked.without_column(name), quick)
        return ColumnCost(
            name, 1.0 - lost[name], self._kept(compared, name), None if without is None else self._kept(without, name)
        )

    def _requirement(self, requirement: Requirement, compared: Losses, quick: Search) -> RequirementCost:
        """Return what a requirement costs; what meets more meets less, so that no less is kept without it."""
        others = tuple(each for each in self._required if each is not requirement)
        problem = replace(self.frame.problem, tasks=tasks_of(self._required, self.frame.problem.domains))
        base = self._kept(compared)
        if others:
            without = self._kept_of(replace(self._asked, wanted=others), quick) or base
        else:  # nothing is required any more, so that nothing has to be coarser than it may be
            without = kept_detail(problem, finest(problem))
        looser = _looser(requirement, problem)
        milder = base if looser is None else self._kept_of(self._with(requirement, looser), quick) or base
        kept_looser = max(milder, base)
        kept_without = max(without, kept_looser)
        return RequirementCost(
            requirement,
            binds=kept_without > base + _LITTLE,
            kept_without=kept_without,
            looser=looser,
            kept_looser=None if looser is None else kept_looser,
            most_classes=_most_classes(requirement, problem),
        )

    def _kept_of(self, asked: _Asked, search: Search) -> float | None:
        losses = self._losses(asked, search)
        return None if losses is None else self._kept(losses)

    def _with(self, requirement: Requirement, other: Requirement) -> _Asked:
        wanted = tuple(other if each is requirement else each for each in self._required)
        return replace(self._asked, wanted=wanted)

    def _part(self, without: str | None) -> float:
        """Return the share of all detail that the other quasi-identifiers have without one."""
        weights = {name: self.policy.columns.weights.get(name, 1.0) for name in self.roles.quasi}
        return 1.0 - (0.0 if without is None else weights[without] / sum(weights.values()))

    def _without(self, lost: Losses, compared: Losses, columns: Sequence[ColumnCost]) -> Iterator[_Change]:
        """Give the release without each column; what that column has is lost."""
        base = self._kept(compared)
        for each in columns:
            if each.others_without is not None:
                before = self._kept(lost, each.column)
                advice = Advice("column", each.others_without, before, column=each.column)
                asked = self._asked.without_column(each.column)
                yield _Change(each.others_without * self._part(each.column) - base, asked, advice)

    def _changed(self, lost: Losses, compared: Losses, quick: Search) -> Iterator[_Change]:
        """Give releases with a finer hierarchy, by another method, and with some rows left out."""
        before, base = self._kept(lost), self._kept(compared)
        for advice, asked in self._alternatives(lost, before):
            if (kept := self._kept_of(asked, quick)) is not None:
                yield _Change(kept - base, asked, advice)

    def _alternatives(self, lost: Losses, before: float) -> Iterator[tuple[Advice, _Asked]]:
        """Give what may keep more although it asks for the same, and a share of rows to leave out."""
        asked, columns = self._asked, self.policy.columns
        for name, tree, seen in zip(self.roles.quasi, self.frame.hierarchies, self.frame.distinct.quasi, strict=True):
            words = _FINER.get(seen.kind)
            if words and tree.height == 1 and len(tree.leaves) > _FEW_VALUES and lost[name] > _COARSE:
                levels = {key: level for key, level in columns.levels.items() if key != name}
                finer = asked.with_options(hierarchies={**columns.hierarchies, name: words}, levels=levels)
                yield Advice("hierarchy", before, before, column=name, hierarchy=words), finer
        if self.policy.release.method != AUTO:
            yield Advice("method", before, before, method=AUTO), asked.with_options(method=AUTO)
        share = max(2 * self.policy.release.suppressed_share, _SUPPRESS)
        if share <= _MOST_SUPPRESSED:
            advice = Advice("suppress", before, before, suppress=share)
            yield advice, asked.with_options(suppress=str(float(share)))

    def _loosened(self, lost: Losses, compared: Losses, required: Sequence[RequirementCost]) -> Iterator[_Change]:
        """Give the release at each next looser threshold."""
        before, base = self._kept(lost), self._kept(compared)
        for each in required:
            if each.looser is not None and each.kept_looser is not None:
                advice = Advice("threshold", each.kept_looser, before, requirement=each.looser)
                yield _Change(each.kept_looser - base, self._with(each.requirement, each.looser), advice)

    def _proved(self, changes: Iterable[_Change], lost: Losses, whole: Search) -> Advice | None:
        """Return the change that gains most, with what it keeps with all of the effort; None if it is little."""
        best = sorted((each for each in changes if each.gain >= NOTABLE), key=lambda each: -each.gain)
        for change in best[:_MOST_PROVED]:
            losses = self._losses(change.asked, whole)
            without = change.advice.column if change.advice.kind == "column" else None
            kept = 0.0 if losses is None else self._kept(losses, without)
            if kept * self._part(without) >= self._kept(lost) + NOTABLE:
                return replace(change.advice, kept=kept)
        return None


def _each_of(wanted: Sequence[Requirement], frame: Frame) -> Iterator[Requirement]:
    """Give requirements, each of one attribute where several are judged by it; all jointly are one."""
    for requirement in wanted:
        names = [name for attribute in frame.attributes if len(attribute) == 1 for name in attribute]
        if requirement.model.scope == "table" or requirement.attribute is not None or not names:
            yield requirement
        else:
            yield from (replace(requirement, attribute=name) for name in names)


def _looser(requirement: Requirement, problem: Problem) -> Requirement | None:
    """Return the requirement at the next looser usual threshold, which allows more classes; None without any."""
    now = _most_classes(requirement, problem)
    domain = next((each for each in problem.domains if each.name == requirement.attribute), None)
    least, most = requirement.model.bounds
    looser = [
        replace(requirement, threshold=threshold)
        for threshold in _looser_thresholds(requirement)
        if least <= threshold <= most and not vacuous(replace(requirement, threshold=threshold), domain)
    ]
    if now is None:
        return looser[0] if looser else None
    return next((each for each in looser if (_most_classes(each, problem) or now + 1) > now), None)


def _looser_thresholds(requirement: Requirement) -> list[Fraction]:
    """Return usual thresholds that are looser than one, the nearest first."""
    model, threshold = requirement.model, requirement.threshold
    if model.key == "k":
        return sorted((Fraction(size) for size in SIZES if size < threshold), reverse=True)
    if model.bounds == (0, 1):
        return [share for share in _SHARES if share > threshold]
    if model.good == "low":
        return [threshold * 2] if threshold else []
    return [threshold - 1 if model.whole else threshold * Fraction(2, 3)]


def _most_classes(requirement: Requirement, problem: Problem) -> int | None:
    """Return in how many classes a release that meets a requirement of one attribute has its rows at the most."""
    posed = replace(problem, tasks=tasks_of([requirement], problem.domains))
    return min((each.most.number for each in limits(posed)), default=None)


def limit_notes(release: Release, frame: Frame, method: str, search: Search) -> Iterator[Note]:
    """Give a note on each requirement that leaves far fewer classes than all else does, for the owner alone."""
    problem = frame.problem
    for limit in notable_limits(problem):
        name = problem.domains[limit.task.attribute or 0].name
        most = "1 class" if limit.most.number == 1 else f"{limit.most.number:,} classes"
        why = f": {limit.most.reason}" if problem.adds_up and limit.most.reason else ""
        told = f"{limit.requirement.text} of {name} limits any release to at most {most}{why}."
        kept = _kept_without(limit, problem, method, search) if release.holds else None
        if kept is not None and release.kept is not None and kept >= release.kept + NOTABLE:
            told += f" Without it, {percent(kept)} of the detail could be kept; now it is {percent(release.kept)}."
        hint = Hint("See what else costs detail: {}.", Ask("why", value=True))
        yield Note("requirement-limits", told, hint, name, confidential=True)


def _kept_without(limit: Limit, problem: Problem, method: str, search: Search) -> float | None:
    """Return what a short search keeps without a requirement of one attribute, where that takes little time."""
    if not problem.adds_up or len(problem.counts) > QUICK_UP_TO:
        return None
    kept_tasks = tuple(task for task in problem.tasks if task is not limit.task)
    short = replace(search, effort=search.effort * SHARE, limit=None)
    best = found(method, replace(problem, tasks=kept_tasks), short) if kept_tasks else None
    return None if best is None else kept_detail(problem, published(best.partition))
