"""A release by people: searched again with stricter thresholds until an audit of its people holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from tclose.anonymization.algorithms.catalogue import Finder
from tclose.anonymization.algorithms.partition import Partition
from tclose.anonymization.algorithms.problem import Problem
from tclose.anonymization.engine_release import EngineWork
from tclose.anonymization.points import PointsAsked
from tclose.anonymization.recipe_numbers import Numbers, numbers_of
from tclose.anonymization.releases import Obstacle, Release
from tclose.auditing.results import Audit, Value, Verdict
from tclose.engines.base import Engine, RecodedTable, Table
from tclose.engines.distinct import DistinctRows
from tclose.engines.people import Census
from tclose.engines.pseudonyms import Disguise, Disguised
from tclose.engines.recoding import Recoding
from tclose.errors import Hint, InputError, InternalError
from tclose.models.catalogue import Requirement
from tclose.models.measuring import Task
from tclose.models.value_order import Observed
from tclose.policy.roles import Roles

_TRIES = 12
"""So often thresholds are made stricter before a release by people is given up."""
_TRIES_BETWEEN = 4
"""So often thresholds between too loose and too strict ones are tried."""
_TRIES_AGAIN = 3
"""So often thresholds are tried with an effort, beginning with those that were proved with less."""
_NEARER = Fraction(9, 10)
"""Each time a threshold is this much stricter than what was missed seems to ask for."""


@dataclass(frozen=True)
class Original:
    """The table that a release is made of.

    Parameters
    ----------
    published
        Its columns that are published.
    counted
        These and the column that tells people apart, where people are counted.
    census
        How many rows and people it has, where people are counted.
    disguised
        The published columns with their rows disguised, where they are.
    numbers
        The quasi-identifiers that are published as numbers or dates too.
    points
        What values are asked for in the place of cells, where they are.
    """

    published: Table[Any]
    counted: Table[Any]
    census: Census | None = None
    disguised: Disguised | None = None
    numbers: Mapping[str, Numbers] = field(default_factory=dict)
    points: PointsAsked | None = None

    @staticmethod
    def of(
        session: Engine, opened: Table[Any], roles: Roles, published: Sequence[str], disguise: Disguise | None = None
    ) -> Original:
        """Return a table with what is published of it, disguised if asked; refuse rows that are nobody's."""
        names = [*published, *([] if roles.person is None else [roles.person])]
        alike = roles.person is None and disguise is None and set(published) == set(roles.counted)
        counted = opened.gathered(names) if alike else opened.keep(names)
        census = None
        if roles.person is not None:
            census = session.census(counted, roles.person)
            census.check(roles.person, opened.label)
        if disguise is None:
            return Original(counted if census is None else counted.keep(published), counted, census)
        disguised = session.disguise(counted, disguise)
        if census is not None and session.census(disguised.table, str(roles.person)).people != census.people:
            raise InternalError("Two people were given the same pseudonym.")
        return Original(disguised.table.keep(published), counted, census, disguised)

    def with_numbers(self, chosen: Mapping[str, str], types: Mapping[str, str]) -> Original:
        """Return it with some quasi-identifiers, of these types, published as numbers or dates too."""
        published = [column.name for column in self.published.columns]
        return replace(self, numbers=numbers_of(chosen, types, published))

    def without(self, columns: Sequence[str]) -> Original:
        """Return it without some of its columns, which are not published either."""

        def less(table: Table[Any]) -> Table[Any]:
            return table.keep([column.name for column in table.columns if column.name not in columns])

        numbers = {name: form for name, form in self.numbers.items() if name not in columns}
        return replace(self, published=less(self.published), counted=less(self.counted), numbers=numbers)

    @property
    def people(self) -> int | None:
        """How many people there are, where they are counted."""
        return None if self.census is None else self.census.people

    def recoded(
        self, session: Engine, roles: Roles, recoding: Recoding
    ) -> tuple[RecodedTable[Any], RecodedTable[Any] | None]:
        """Return the published rows, and where people are counted a witness: the same rows with whose they are.

        Quasi-identifiers alone must decide what becomes of a row, so that the witness has the same rows. Pseudonyms
        need none: what is published tells people apart.
        """
        if roles.person is None:
            return session.recode(self.published, recoding), None
        check_undivided(divided=recoding.counts is not None)
        if roles.person in recoding.columns:
            return session.recode(self.published, recoding), None
        names = [*roles.counted, *self._beside(session, roles)]
        witness = session.recode(self.counted, replace(recoding, columns=tuple(names)))
        return session.recode(self.published, recoding), witness

    def _beside(self, session: Engine, roles: Roles) -> list[str]:
        """Return the published columns that nothing protects, where the people of classes by these can be counted."""
        if not session.hands_over_people:
            return []
        return [column.name for column in self.published.columns if column.name not in roles.counted]


def check_undivided(*, divided: bool) -> None:
    """Refuse a release of people that divides rows that look alike."""
    if divided:
        raise InputError(
            "This method divides rows that look alike, which would spread the rows of a person over classes.",
            field="method",
            hint=Hint("Take another, such as {}.", repr("auto")),
        )


def distinct_people(
    session: Engine, table: Table[Any], roles: Roles, attributes: Sequence[tuple[str, ...]], distinct: DistinctRows
) -> DistinctRows:
    """Return distinct rows; where people are counted, with how many of them have each sensitive value in the table."""
    if roles.person is None:
        return distinct
    counted, pairs = table.counting(roles.person), zip(attributes, distinct.sensitive, strict=True)
    return replace(distinct, sensitive=[_by_people(session, counted, names, observed) for names, observed in pairs])


def places_of_people(session: Engine, table: Table[Any], roles: Roles, distinct: DistinctRows) -> DistinctRows:
    """Return distinct rows; where people are counted, with how many of them have each quasi-identifier on a line.

    An interval ends where enough people are, however many rows they have.
    """
    if roles.person is None:
        return distinct
    counted, pairs = table.counting(roles.person), zip(roles.quasi, distinct.quasi, strict=True)
    quasi = [
        _by_people(session, counted, (name,), observed) if _on_line(observed) else observed for name, observed in pairs
    ]
    return replace(distinct, quasi=quasi)


def _on_line(observed: Observed) -> bool:
    return observed.categories is not None or observed.kind in ("number", "time")


def _by_people(session: Engine, table: Table[Any], names: tuple[str, ...], observed: Observed) -> Observed:
    """Return the same values with how many people have each, and the sets of them that people have."""
    whole = session.values_of_people(table, names)
    place_of = {value: place for place, value in enumerate(observed.listed)}
    places = np.array([place_of[value] for value in whole.listed], dtype=np.int32)
    counts = np.zeros(len(place_of), dtype=np.int64)
    counts[places] = whole.counts
    sets = None if whole.people is None else whole.people.renumbered(places)
    return replace(observed, counts=counts, people=sets)


class Attempt(Protocol):
    """Something released of a problem, with its loss as it is minimised."""

    @property
    def loss(self) -> float:
        """The loss."""

    @property
    def left_out(self) -> Fraction:
        """The share of rows that are left out."""

    def missed(self) -> tuple[Verdict, ...]:
        """Return what an audit of its people found missed."""


AnAttempt = TypeVar("AnAttempt", bound=Attempt)


@dataclass(frozen=True)
class ReleaseAttempt:
    """A release, and its loss as it is minimised."""

    release: Release
    loss: float
    partition: Partition

    @property
    def left_out(self) -> Fraction:
        """The share of rows that are left out."""
        return Fraction(self.release.suppressed, max(self.release.original_rows, 1))

    def missed(self) -> tuple[Verdict, ...]:
        """Return what the audit of its people found missed."""
        work = self.release.work
        return missed_by(work.audits(), own=work.own) if isinstance(work, EngineWork) else ()


def proved(
    attempt: Callable[[Problem, float], ReleaseAttempt | None],
    coarsest: Callable[[], ReleaseAttempt],
    nothing: Callable[[], Release],
    problem: Problem,
    finder: Finder,
) -> ReleaseAttempt | Release:
    """Return the best of a few releases that the audit of their people proves, or what the last of them missed.

    Parameters
    ----------
    nothing
        Makes the release of the problem that there is where no method finds one.
    attempt, coarsest, problem, finder
        As for :func:`proof`.
    """
    found = proof(attempt, coarsest, problem, finder)
    if found.best is not None:
        return found.best
    first = nothing() if found.first is None else found.first.release
    return replace(without_rows(first), obstacles=obstacles_of(found.missed, proven=False))


@dataclass(frozen=True)
class Proof(Generic[AnAttempt]):
    """The first attempt, the best that was proved, and where none was what the coarsest release misses."""

    first: AnAttempt | None
    best: AnAttempt | None
    missed: tuple[Verdict, ...]


def proof(
    attempt: Callable[[Problem, float], AnAttempt | None],
    coarsest: Callable[[], AnAttempt],
    problem: Problem,
    finder: Finder,
) -> Proof[AnAttempt]:
    """Return the best of a few attempts that an audit of their people proves.

    A search adds up the people of distinct rows, and somebody may be in several of them. What it finds is audited by
    people, and where that fails, searched for again with thresholds as much stricter as they were missed; where nothing
    meets these, or they are met, with thresholds between. That is done without effort, which is quick; effort is then
    made at the thresholds of the best that was proved. Where that leads to nothing, the coarsest release is audited:
    added up, its people may seem to miss what they meet.

    Every effort goes on from what the smaller ones proved and keeps the best: more effort never gives a worse release.

    Parameters
    ----------
    attempt
        Makes the release of a problem with an effort, None where no method finds one.
    coarsest
        Makes the coarsest release there is.
    problem
        The problem.
    finder
        Knows the efforts to make, and when to be content with what was proved.
    """
    climb = _Climb(attempt, problem, finder.search.late)
    for effort, _ in finder.efforts():
        if climb.best is not None and finder.search.late():
            break
        before = climb.best
        climb.go_on(effort)
        if finder.in_vain(effort, gained=climb.best is not before):
            break
    if climb.best is not None:
        return Proof(climb.first, climb.best, ())
    made = coarsest()
    missing = made.missed()
    return Proof(climb.first, None if missing else made, missing)


@dataclass
class _Climb(Generic[AnAttempt]):
    """Attempts at stricter and stricter thresholds, and the best that was proved."""

    attempt: Callable[[Problem, float], AnAttempt | None]
    problem: Problem
    late: Callable[[], bool]
    first: AnAttempt | None = None
    best: AnAttempt | None = None
    proven: Problem | None = None
    """The problem whose release is the best that was proved."""
    looser: Problem | None = None
    """The last problem whose release was not proved."""

    def go_on(self, effort: float) -> None:
        """Try with an effort what was proved last, else the problem; then stricter ones and some between."""
        problem, looser = self.proven or self.problem, self.looser
        tries, between = (_TRIES, _TRIES_BETWEEN) if self.proven is None else (_TRIES_AGAIN, _TRIES_AGAIN)
        stricter: Problem | None = None
        for _ in range(tries):
            made = self.attempt(problem, effort)
            self.first = self.first or made
            missing = () if made is None or not self._gains(made) else made.missed()
            too_many = made is not None and made.left_out > self.problem.suppress
            if made is None or not (missing or too_many):
                stricter = problem
                if made is not None and self._gains(made):
                    self.best, self.proven = made, problem
            else:
                looser = problem
                tasks = tuple(_stricter(task, problem, missing) for task in problem.tasks)
                problem = replace(problem, tasks=tasks, suppress=problem.suppress / 2 if too_many else problem.suppress)
            if looser is None or (self.best is not None and self.late()):
                break
            if stricter is not None:
                between -= 1
                problem = _between(looser, stricter)
                if between < 0 or problem.tasks in (looser.tasks, stricter.tasks):
                    break
        self.looser = looser

    def _gains(self, made: AnAttempt) -> bool:
        """Say whether an attempt is worth its audit."""
        return self.best is None or made.loss < self.best.loss


def _between(looser: Problem, stricter: Problem) -> Problem:
    """Return a problem with thresholds in the middle of those of two."""
    pairs = zip(looser.tasks, stricter.tasks, strict=True)
    tasks = tuple(
        replace(one, requirements=tuple(map(_middle, one.requirements, other.requirements))) for one, other in pairs
    )
    return replace(looser, tasks=tasks, suppress=(looser.suppress + stricter.suppress) / 2)


def _middle(one: Requirement, other: Requirement) -> Requirement:
    middle = (one.threshold + other.threshold) / 2
    return replace(one, threshold=Fraction(math.floor(middle)) if one.model.whole else middle)


def without_rows(release: Release) -> Release:
    """Return what is said of a release that may not be published, without its rows and its recipe."""
    return replace(
        release, class_count=0, suppressed=0, levels=None, losses={}, column_losses={}, costs=None, recipe=None,
        work=None,
    )  # fmt: skip


def obstacles_of(missed: Sequence[Verdict], *, proven: bool) -> tuple[Obstacle, ...]:
    """Return the requirements that an audit found missed, and whether nothing could meet them."""
    return tuple(
        Obstacle(
            replace(verdict.requirement, attribute=verdict.attribute),
            verdict.figure.value,
            verdict.figure.worst.key if verdict.figure.worst is not None else {},
            proven=proven,
            size=verdict.figure.worst.size if verdict.figure.worst is not None else 0,
        )
        for verdict in missed
    )


def missed_by(audits: tuple[Audit, Audit], *, own: bool) -> tuple[Verdict, ...]:
    """Return the verdicts on a release that do not hold: against the original, else if asked against itself."""
    missed = [verdict for verdict in audits[1].verdicts if not verdict.holds]
    return tuple(missed or [verdict for verdict in audits[0].verdicts if own and not verdict.holds])


def _stricter(task: Task, problem: Problem, missed: Sequence[Verdict]) -> Task:
    """Return a task with its threshold stricter, by as much as it was missed and a little more."""
    name = None if task.attribute is None else problem.domains[task.attribute].name
    for verdict in missed:
        if verdict.requirement.model == task.model and verdict.attribute == name:
            limit = verdict.requirement.threshold
            nearer = [
                replace(each, threshold=_nearer(each.threshold, limit, verdict.figure.value, task))
                for each in task.requirements
            ]
            return replace(task, requirements=tuple(nearer))
    return task


def _nearer(threshold: Fraction, limit: Fraction, found: Value, task: Task) -> Fraction:
    """Return the threshold that would have asked for what was missed, and a little more."""
    missed_by_share = Fraction(found) / limit if limit and found and math.isfinite(found) else Fraction(1)
    if task.model.good == "low":
        asked = threshold * _NEARER / max(missed_by_share, Fraction(1))
        return asked.limit_denominator(10**6) or asked
    asked = threshold / (_NEARER * min(missed_by_share, Fraction(1)))
    return Fraction(max(math.ceil(asked), math.floor(threshold) + 1)) if task.model.whole else asked
