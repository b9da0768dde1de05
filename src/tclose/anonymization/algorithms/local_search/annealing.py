"""The improvement of a release: units move by annealing, and the best of what holds exactly is kept.

Limits on sizes and distances are known to the loops, and a class may be beyond them for a while. Whatever else is
required is judged by the models themselves: then each class takes part in one move at a time, and moves that
the models refuse are undone. A release is never made worse.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from tclose.anonymization.algorithms.checking import Checker, failing_classes
from tclose.anonymization.algorithms.closeness import Closeness, closeness
from tclose.anonymization.algorithms.hyperrectangles import Boxes
from tclose.anonymization.algorithms.local_search.costs import Plan, columns_of
from tclose.anonymization.algorithms.local_search.regions import MOST_CLASSES, Field
from tclose.anonymization.algorithms.local_search.units import Masses, Units
from tclose.anonymization.algorithms.merge import repaired
from tclose.anonymization.algorithms.partition import Partition, kept_detail
from tclose.anonymization.algorithms.problem import Floats, Problem
from tclose.anonymization.algorithms.search import Search
from tclose.models.counts import Integers

WORK = 8_000_000_000
"""So many cells are compared at the most, about, for an effort of 1."""
MOST_ROUNDS = 400
LEAST_ROUNDS = 10
"""How often every unit is looked at, for an effort of 1, if the work allows."""
_COLD = (5, 0.0, 5)
"""The rounds, the heat and the strict rounds of a search that loses nothing on the way, as where no more than the least
rounds are paid for: what is hot needs more rounds to cool down."""
UNITS_APART = 200
"""A table of few units has so many rounds, and one more for each."""
ROUNDS_A_STAGE = 5
"""After so many rounds regions are drawn anew, if there are several."""
STAGE = 200_000_000
"""After so many cells are compared, about, people are told how far the search is, and may stop it."""
HEAT = 1.0
"""How much may be lost by a move in the beginning, in rows whose column is lost, where the start is good."""
MODEST = 10.0
"""Where a class loses less than so many rows and columns, less may be lost in proportion."""
LENIENCE = (10.0, 40.0)
"""What a row beyond a limit costs in the beginning, in columns lost, at least and at the most: four times as much as
a unit has rows, because heavy units are hard to place otherwise. A hundredfold in the end."""
FORBIDDEN = 1e6
_KNOWN = ("k", "t", "prosecutor", "marketer")


@dataclass(frozen=True)
class Course:
    """How long and how hot the search is."""

    rounds: int
    heat: float
    strict_rounds: int = 10
    """In how many rounds after these nothing may stay beyond its limits."""
    lenience: float = LENIENCE[0]
    stage: str = "Gathering"
    """What people are told is being done."""

    def plan(self, begin: int, end: int) -> tuple[Floats, Floats]:
        """Return the heat and the strictness of some rounds; those beyond the last are cold and strict."""
        return self._at(np.arange(begin, end) / max(self.rounds - 1, 1))

    def hurried(self, begin: int) -> tuple[Floats, Floats]:
        """Return the heat and the strictness of a few rounds that stand for all from ``begin`` on."""
        rest = np.linspace(min(begin / max(self.rounds - 1, 1), 1.0), 1.0, ROUNDS_A_STAGE)
        return self._at(np.append(rest, [2.0, 2.0]))

    def _at(self, passed: Floats) -> tuple[Floats, Floats]:
        cold = passed > 1
        return np.where(cold, 0.0, self.heat * (1 - passed)), np.where(cold, FORBIDDEN, self.lenience * 100.0**passed)


def improved(problem: Problem, partition: Partition, search: Search, *, cold: bool = False) -> Partition:
    """Return a release of no more loss than the given one, which holds, by moving its units.

    Parameters
    ----------
    problem
        The rows and the requirements.
    partition
        Where to begin.
    search
        What to minimise, whether look-alikes stay together, and how much effort may be taken.
    cold
        Whether to lose nothing on the way, because the start is so good that heat would lose more than it gains.
    """
    rounds, start = rounds_paid(problem, partition, search), search.loss(problem, partition)
    if not rounds or not partition.number or not start > 0:
        return partition
    stage = f"Improving; {kept_detail(problem, partition):.1%} of the detail kept so far"
    course = Course(*_COLD, stage=stage) if cold or rounds <= LEAST_ROUNDS else Course(rounds, HEAT, stage=stage)
    moved = annealed(problem, partition, search, course)
    return partition if moved is None or not search.loss(problem, moved) < start else moved


def anneals(problem: Problem, search: Search) -> bool:
    """Say whether the effort, the usual one at the least, pays for enough rounds to anneal a table of many classes."""
    units = len(problem.tuples[1]) if search.whole_classes else len(problem.counts)
    return int(usual_rounds(problem, units, MOST_CLASSES) * max(search.effort, 1.0)) > LEAST_ROUNDS


def rounds_paid(problem: Problem, partition: Partition, search: Search, searches: int = 1) -> int:
    """Return how many rounds the effort pays for, in each of so many searches."""
    units = len(problem.tuples[1]) if search.whole_classes else len(partition.rows)
    paid = usual_rounds(problem, units, partition.number, searches)
    return int(min(paid, search.rounds or paid) * search.effort)


def usual_rounds(problem: Problem, units: int, classes: int, searches: int = 1) -> int:
    """Return how many rounds an effort of 1 pays for where so many units move between so many classes."""
    a_round = units * min(classes, MOST_CLASSES) * len(problem.quasi)
    return min(MOST_ROUNDS, UNITS_APART + units, max(LEAST_ROUNDS, WORK // max(a_round * searches, 1)))


def annealed(
    problem: Problem, partition: Partition, search: Search, course: Course, close: Closeness | None = None
) -> Partition | None:
    """Return the release that moves lead to from a partition, which need not hold, or None if they lead to none.

    Parameters
    ----------
    problem, partition, search
        As for :func:`improved`.
    course
        How long and how hot to search.
    close
        The limits on distances; those of the requirements if left out.
    """
    boxes = Boxes.of(problem)
    units = Units.of(problem, boxes, partition, whole=search.whole_classes)
    loss = getattr(search.loss, "key", "lm")
    field = Field(
        units, columns_of(problem, boxes, loss, partition), Masses.of(problem, close or closeness(problem)),
        search.workers,
    )  # fmt: skip
    course = replace(
        course,
        heat=course.heat * min(1.0, _lost_by_class(problem, partition) / MODEST),
        lenience=float(np.clip(4.0 * units.weights.mean(), *LENIENCE)),
    )

    def tell(share: float) -> None:
        search.tell(course.stage, share)

    moving = _Moving(problem, field, course, np.random.default_rng([problem.seed, 7]), tell, search.late)
    free = close is not None or known_to_moves(problem)
    classes = moving.freely(units.classes) if free else moving.judged(units.classes)
    found = units.partitioned(classes)
    if found.suppressed() <= problem.most_suppressed and not failing_classes(problem, found, own=search.own).any():
        return found
    return repaired(problem, found, search)


def known_to_moves(problem: Problem) -> bool:
    """Return whether the loops know all that is required, so that classes may be beyond it for a while."""
    return all(task.model.key in _KNOWN for task in problem.tasks)


def _lost_by_class(problem: Problem, partition: Partition) -> float:
    """Return how many rows' columns a class has lost on average."""
    lost = (1.0 - kept_detail(problem, partition)) * problem.rows * len(problem.quasi)
    return lost / max(partition.number, 1)


@dataclass
class _Moving:
    """The moves of a field's units, stage by stage."""

    problem: Problem
    field: Field
    course: Course
    draw: np.random.Generator
    tell: Callable[[float], None]
    late: Callable[[], bool]

    def freely(self, classes: Integers) -> Integers:
        """Return the classes after all rounds, and some in which nothing may stay beyond its limits."""
        a_round = len(classes) * (int(classes.max(initial=-1)) + 1) * len(self.field.columns)
        step = ROUNDS_A_STAGE if self.field.divided(classes) else max(STAGE // max(a_round, 1), ROUNDS_A_STAGE)
        end = self.course.rounds + self.course.strict_rounds
        for begin in range(0, end, step):
            share = (begin / end, min(begin + step, end) / end)
            if self.late():
                return self._stage(classes, *self.course.hurried(begin), (share[0], 1.0), once=False)
            classes = self._stage(classes, *self.course.plan(begin, min(begin + step, end)), share, once=False)
        return classes

    def judged(self, classes: Integers) -> Integers:
        """Return the classes after some rounds, in each of which every move is judged by the models."""
        checker = Checker.of(self.problem)
        for begin in range(0, self.course.rounds, ROUNDS_A_STAGE):
            if self.late():
                break
            heat, _ = self.course.plan(begin, begin + 1)
            share = (begin / self.course.rounds, min((begin + ROUNDS_A_STAGE) / self.course.rounds, 1.0))
            after = self._stage(classes, heat, np.full(1, FORBIDDEN), share, once=True)
            classes = self._without_refused(classes, after, checker)
        return classes

    def _stage(
        self, classes: Integers, heat: Floats, strictness: Floats, share: tuple[float, float], *, once: bool
    ) -> Integers:
        """Return the classes after some rounds, which are this share of all."""
        self.tell(share[0])
        numbers = np.unique(classes[classes >= 0])
        classes = np.where(classes >= 0, np.searchsorted(numbers, classes), -1)
        seed = int(self.draw.integers(2**31))
        room = self.problem.most_suppressed - int(self.field.units.weights[classes < 0].sum())
        full = float(sum(column.costs[-1].max(initial=0.0) for column in self.field.columns))

        def plan(region: int) -> Plan:
            return Plan(heat, strictness, (seed + region) % 2**31, once, full)

        def tell(done: float) -> None:
            self.tell(share[0] + done * (share[1] - share[0]))

        return self.field.searched(classes, plan, max(room, 0), self.draw, tell)

    def _without_refused(self, before: Integers, after: Integers, checker: Checker) -> Integers:
        """Return the classes without the moves after which one of the two classes misses a requirement."""
        numbers = np.unique(before[before >= 0])
        before = np.where(before >= 0, np.searchsorted(numbers, before), -1)
        units = self.field.units
        moved = np.flatnonzero(before != after)
        if not len(moved):
            return after
        inside = np.flatnonzero(np.isin(after, np.append(before[moved], after[moved])) & (after >= 0))
        names, own = np.unique(after[inside], return_inverse=True)
        pieces, places = units.pieces_of(inside)
        rows, counts = units.partition.rows[pieces], units.partition.counts[pieces]
        failing = names[checker.failing(rows, own[places], counts, len(names))]
        refused = np.isin(before[moved], failing) | np.isin(after[moved], failing)
        after = after.copy()
        after[moved[refused]] = before[moved[refused]]
        return after
