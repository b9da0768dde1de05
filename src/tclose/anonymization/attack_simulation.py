"""Trials of a release: the table divided, one half released as asked, and attackers tried on both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from tclose.anonymization.algorithms.catalogue import Finder, Found, coarsest_found, found
from tclose.anonymization.algorithms.checking import cell_codes
from tclose.anonymization.algorithms.partition import Partition, kept_detail, published
from tclose.anonymization.algorithms.problem import Problem
from tclose.anonymization.algorithms.search import Search
from tclose.anonymization.algorithms.threads import in_threads
from tclose.anonymization.person_verification import check_undivided, proof
from tclose.anonymization.problem_setup import Frame, attributes_of, framed
from tclose.attacks.answers import MISSING, answer_labels, people_of, texts_of
from tclose.attacks.attack_input import AttackInput
from tclose.attacks.attackers.history import rho_of
from tclose.attacks.catalogue import Attacker
from tclose.attacks.control_groups import Halves
from tclose.attacks.existing_release import existing_scene, seen_release
from tclose.attacks.findings import Attack, Outcome
from tclose.attacks.gains import Tally, outcome, tallied_attack
from tclose.attacks.person_rows import Crowd, Subjects
from tclose.auditing.partial_knowledge import PeopleJudge, values_of_people
from tclose.auditing.results import Figure, Value, Verdict
from tclose.data.hierarchies import inferred_hierarchy
from tclose.engines.base import Engine, Progress, Table
from tclose.engines.distinct import DistinctRows
from tclose.errors import Ask, Hint, InputError, InternalError, Note, RoleConflictError, ThresholdError, listed
from tclose.models.catalogue import FEW, Requirement, few
from tclose.models.counts import Integers, Part, Ranks
from tclose.models.domains import Domain, arranged, recounted
from tclose.models.measuring import Task, measured
from tclose.models.traits import AT_RISK, at_risk
from tclose.policy.policy import Policy
from tclose.policy.roles import Nominal, Roles

# The release of half a table: as it is made of the whole one, by people audited by people, but never recoded.


@dataclass(frozen=True)
class Made:
    """The release of a half: its classes as published, and the method that found them."""

    partition: Partition
    method: str


def half_released(frame: Frame, halves: Halves, method: str, search: Search) -> Made | None:
    """Return the release of a half, None where there is none.

    Parameters
    ----------
    frame
        The problem of the half.
    halves
        The half, with whose its rows are.
    method, search
        How it is searched for.
    """
    if halves.members is None:
        best = found(method, frame.problem, search) if frame.problem.k <= frame.problem.rows else None
        return None if best is None else Made(published(best.partition), best.method)
    if frame.problem.k > halves.members.number:
        return None
    people, finder = _People.of(frame, halves, halves.members), Finder(method, search)

    def attempt(problem: Problem, effort: float) -> _Attempt | None:
        best = finder.with_effort(problem, effort, search)
        return None if best is None else people.attempt(best)

    proven = proof(attempt, lambda: people.attempt(coarsest_found(frame.problem, search)), frame.problem, finder)
    return None if proven.best is None else proven.best.made


@dataclass(frozen=True)
class _Attempt:
    """A release of a half, judged by its people."""

    made: Made
    people: _People
    loss: float
    left_out: Fraction

    def missed(self) -> tuple[Verdict, ...]:
        """Return what its people miss: against the half's distribution, else against its own."""
        return self.people.missed(self.made.partition)


@dataclass(frozen=True)
class _People:
    """The people of a half beside the rows of its problem."""

    problem: Problem
    crowd: Crowd
    """Whose the rows of the problem are."""

    @staticmethod
    def of(frame: Frame, halves: Halves, crowd: Crowd) -> _People:
        origin = halves.rows[frame.rows]
        place = np.full(len(halves.whole.counts), -1, dtype=np.int64)
        place[origin] = np.arange(len(origin))
        return _People(frame.problem, replace(crowd, rows=place[crowd.rows]))

    def attempt(self, best: Found) -> _Attempt:
        """Return what a search found as an attempt."""
        partition = published(best.partition)
        check_undivided(divided=len(np.unique(partition.rows)) < len(partition.rows))
        rows = self.crowd.rows_of(len(self.problem.counts))
        left_out = Fraction(int(rows[partition.rows[partition.classes < 0]].sum()), max(int(rows.sum()), 1))
        return _Attempt(Made(partition, best.method), self, best.loss, left_out)

    def missed(self, partition: Partition) -> tuple[Verdict, ...]:
        """Return the requirements that a release misses by people."""
        classes = np.full(len(self.problem.counts), -1, dtype=np.int64)
        classes[partition.rows] = partition.classes
        kept = classes[self.crowd.rows] >= 0
        persons, rows = self.crowd.persons[kept], self.crowd.rows[kept]
        ranks = [self.problem.ranks[rows, at] for at in range(len(self.problem.domains))]
        judged = self._verdicts(partition, classes[rows], persons, ranks, self._domains)
        if judged or kept.all():
            return judged
        own = [_own(domain, persons, held) for domain, held in zip(self.problem.domains, ranks, strict=True)]
        return self._verdicts(partition, classes[rows], persons, [held for _, held in own], [each for each, _ in own])

    @cached_property
    def _domains(self) -> list[Domain]:
        """The attributes of the half, with the values of its people."""
        return [
            replace(domain, people=values_of_people(self.crowd.persons, self.problem.ranks[self.crowd.rows, at]))
            for at, domain in enumerate(self.problem.domains)
        ]

    def _verdicts(
        self,
        partition: Partition,
        classes: Integers,
        persons: Integers,
        ranks: Sequence[Ranks],
        domains: Sequence[Domain],
    ) -> tuple[Verdict, ...]:
        tasks = [task for task in self.problem.tasks if not _for_any(task)]
        some = [task for task in self.problem.tasks if _for_any(task)]
        whole = Part(np.arange(len(persons))[:, np.newaxis], np.ones(len(persons), dtype=np.int64), ())
        codes = cell_codes(partition)[classes]
        judge = PeopleJudge(whole, codes, self.problem.any or 1, some, domains, persons, tuple(ranks))
        part = judge.part(classes, partition.number, 0)
        verdicts = []
        for task, tally in zip(tasks, measured(part, tasks, domains).tallies, strict=True):
            averaged = task.model.averaged
            failing = (
                [not each.met_by(tally.average) for each in task.requirements] if averaged else tally.failing_classes
            )
            verdicts += self._missed(task, tally.average if averaged else tally.value, failing)
        for task, total in zip(some, judge.judged(lambda _stage, _share: None) if some else (), strict=True):
            verdicts += self._missed(task, total.value, total.failing_subsets)
        return tuple(verdicts)

    def _missed(self, task: Task, value: Value | None, failing: Sequence[int]) -> list[Verdict]:
        name = None if task.attribute is None else self.problem.domains[task.attribute].name
        figure = Figure(task.model, 0 if value is None else value, None, unit="people")
        return [
            Verdict(replace(each, attribute=name), False, figure, int(count), 0, vacuous=False)  # noqa: FBT003 - a field
            for each, count in zip(task.requirements, failing, strict=True)
            if count
        ]


def _for_any(task: Task) -> bool:
    return any(requirement.any is not None for requirement in task.requirements)


def _own(domain: Domain, persons: Integers, ranks: Ranks) -> tuple[Domain, Ranks]:
    """Return an attribute as the release alone shows it, everybody counted once for each value, and its ranks."""
    number = len(domain.counts)
    held = np.unique(persons[ranks >= 0] * number + ranks[ranks >= 0]) % number
    own, new_rank = recounted(domain, np.bincount(held, minlength=number).astype(np.int64))
    return replace(own, people=values_of_people(persons, new_rank[ranks])), new_rank[ranks]


USUAL_T = Fraction(1, 5)
"""What a claim must exceed where no t is required."""
_UNDECIDED, _FEW_UNDECIDED = 100, 3
"""Where one person in so many has several values, or so few have, an attribute is the same in everybody's rows."""
_LEAST = 4
"""Fewer people cannot be divided."""


@dataclass(frozen=True)
class Plan:
    """How releases are made and attacked, again and again alike."""

    roles: Roles
    wanted: tuple[Requirement, ...]
    policy: Policy
    """Hierarchies, levels, limits and the seed of releases."""
    method: str
    search: Search
    attackers: tuple[Attacker, ...]
    divisions: int
    """How many halves are released, both of one division and then those of the next."""
    twice: bool = False
    """Whether each half is released a second time, with another seed, for whoever has both."""
    stricter: tuple[Requirement, ...] | None = None
    """What releases are made to meet, where that is more than was asked for, by which claims are decided."""

    @property
    def met(self) -> tuple[Requirement, ...]:
        """What releases are made to meet."""
        return self.wanted if self.stricter is None else self.stricter

    @property
    def seed(self) -> int:
        """What decides how the table is divided."""
        return self.policy.release.seed or 0


@dataclass(frozen=True)
class Division:
    """What attackers got on one half of a table."""

    tallies: Mapping[tuple[str, str], Tally]
    """By attribute and attacker."""
    kept: float
    method: str
    rows: int
    """How many rows the half has."""
    shortened: int
    """Of how many combinations only the finest classes were weighed."""
    rho: Mapping[str, float] = field(default_factory=dict)
    """How much classes publish together of each attribute that is the same in all rows of a person."""


@dataclass(frozen=True)
class Trial:
    """What attackers got on all divisions, and what the attacked releases keep."""

    outcomes: tuple[Outcome, ...]
    kept: float | None
    rows: int
    people: int | None
    """How many people an attacked release is of, where they may have several rows."""
    method: str | None
    beyond: Mapping[str, Fraction]
    notes: tuple[Note, ...]
    divisions: tuple[Division, ...] = field(default=(), repr=False)
    rho: Mapping[str, float] = field(default_factory=dict)
    """As of a division, on average."""

    @property
    def gain(self) -> float:
        """The largest upper end of any attacker's gain."""
        return max((each.gain.high for each in self.outcomes if each.gain is not None), default=1.0)

    def above(self, deviations: float) -> float:
        """Return the largest of what lies so many standard deviations above any attacker's gain."""
        return max((each.gain.above(deviations) for each in self.outcomes if each.gain is not None), default=1.0)

    def attack(self, source: str, plan: Plan, limit: Fraction | None, notes: Sequence[Note] = ()) -> Attack:
        """Return the trial as people are told of it."""
        risks = [at_risk(name, each) for name, each in self.rho.items() if each >= AT_RISK]
        return Attack(
            source, plan.roles, plan.wanted, self.method, self.rows, plan.divisions, self.kept, dict(self.beyond),
            limit, self.outcomes, (*notes, *self.notes, *risks), max(few(plan.wanted), FEW), people=self.people,
            rho=dict(self.rho),
        )  # fmt: skip


def check_attackable(roles: Roles) -> None:
    """Refuse roles without a sensitive attribute, or without anything that an attacker knows."""
    if not roles.sensitive:
        raise RoleConflictError(
            "An attack is on a sensitive attribute, and none is named.",
            field="sensitive",
            hint=Hint("Name one: {}.", Ask("sensitive")),
        )
    if not roles.quasi:
        raise RoleConflictError(
            "An attacker knows quasi-identifiers, and none is named.",
            field="quasi",
            hint=Hint("Name one: {}.", Ask("quasi")),
        )


def subjects_of(session: Engine, table: Table[Any], roles: Roles, tell: Progress) -> Subjects:
    """Return the distinct rows of what attackers know of a table, and whose they are where people are counted."""
    attributes = attributes_of(roles)
    if roles.person is None:
        kept = table.keep([*roles.quasi, *roles.sensitive])
        return Subjects(session.distinct(kept, roles.quasi, attributes, tell))
    kept = table.keep(roles.counted)
    census = session.census(kept, roles.person)
    census.check(roles.person, table.label)
    found = Crowd.of(session.distinct(kept, [*roles.quasi, roles.person], attributes, tell))
    if found.people != census.people:
        raise InternalError("Two ways to count people differ.")
    return found


def tried(subjects: Subjects, plan: Plan, before: Sequence[Division] = ()) -> Trial:
    """Return what the attackers of a plan get on releases of halves of a table.

    Parameters
    ----------
    subjects
        The distinct rows of the table, and whose they are.
    plan
        How halves are released, and who attacks.
    before
        The first of the plan's halves, where they were released before.
    """
    if not plan.wanted:
        raise ThresholdError(
            "Nothing is required of the attacked release.",
            code="no-requirements",
            field="require",
            hint=Hint("Require something, such as {}.", Ask("k", 5)),
        )
    if subjects.people < _LEAST:
        unit = "rows" if subjects.crowd is None else "people"
        raise InputError(f"A table of {subjects.people} {unit} cannot be divided; attack one of {_LEAST} or more.")
    domains = whole_domains(subjects.distinct, plan.roles)
    labels = [answer_labels(domain) for domain in domains]
    more = [divided(subjects, plan, labels, at) for at in range(len(before), plan.divisions)]
    divisions = (*before, *more)
    outcomes = tuple(
        outcome(
            attacker, domain.name, *_having(subjects, at, domain, labels[at]),
            [division.tallies[domain.name, attacker.key] for division in divisions], control=True,
        )
        for at, domain in enumerate(domains)
        for attacker in facing(plan.attackers, subjects, at, labels[at])
    )  # fmt: skip
    methods = [division.method for division in divisions]
    return Trial(
        outcomes,
        float(np.mean([division.kept for division in divisions])),
        round(float(np.mean([division.rows for division in divisions]))),
        None if subjects.crowd is None else subjects.people // 2,
        max(set(methods), key=methods.count),
        {domain.name: claimed_beyond(plan.wanted, domain.name) for domain in domains},
        tuple(_notes(plan.roles, sum(division.shortened for division in divisions), outcomes)),
        divisions,
        {name: float(np.mean([division.rho[name] for division in divisions])) for name in divisions[0].rho},
    )


def divided(subjects: Subjects, plan: Plan, labels: Sequence[Mapping[str, str]], at: int) -> Division:
    """Return what attackers got on one division of a table.

    Parameters
    ----------
    subjects, plan
        As for :func:`tried`.
    labels
        For each sensitive attribute the answers that its values belong to.
    at
        Which of the plan's divisions it is, from 0.
    """
    which = f"division {at + 1} of {plan.divisions}"
    division, turned = divmod(at, 2)
    halves = Halves.of(subjects.distinct, plan.seed + division, subjects.crowd, turned=bool(turned))
    frame = framed(halves.released, plan.roles, plan.met, plan.policy)
    made = _released(frame, halves, plan, which)
    again = None
    if plan.twice:
        other = replace(frame, problem=replace(frame.problem, seed=frame.problem.seed + 1))
        again = _released(other, halves, plan, f"{which}, again").partition
    scenes = halves.scenes(frame.problem, frame.rows, made.partition, again, labels)
    tallies = {}
    for place, (domain, scene) in enumerate(zip(frame.problem.domains, scenes, strict=True)):
        limit = float(claimed_beyond(plan.wanted, domain.name))
        attackers = facing(plan.attackers, subjects, place, labels[place])
        for attacker, tally in zip(attackers, _side_by_side(plan, attackers, scene, limit, at), strict=True):
            tallies[domain.name, attacker.key] = tally
    shortened = max(scene.seen.shortened for scene in scenes)
    kept = kept_detail(frame.problem, made.partition)
    rho = {
        domain.name: rho_of(scene)
        for place, (domain, scene) in enumerate(zip(frame.problem.domains, scenes, strict=True))
        if same_in_all_rows(subjects, place, labels[place])
    }
    return Division(tallies, kept, made.method, halves.released_rows, shortened, rho)


def facing(
    attackers: Sequence[Attacker], subjects: Subjects, at: int, labels: Mapping[str, str]
) -> tuple[Attacker, ...]:
    """Return the attackers who can conclude something about a sensitive attribute.

    Some need people of several rows, and a value that is the same in all rows of a person. A few people who have
    several values all the same, by mistake perhaps, are no obstacle to them.

    Parameters
    ----------
    attackers, subjects
        Who attacks whom.
    at
        Which of the sensitive attributes it is.
    labels
        The answer that each of its values belongs to.
    """
    followed = same_in_all_rows(subjects, at, labels)
    return tuple(each for each in attackers if followed or not each.follows)


def same_in_all_rows(subjects: Subjects, at: int, labels: Mapping[str, str]) -> bool:
    """Say whether people have several rows, and the same value in all of theirs; arguments as for :func:`facing`."""
    crowd = subjects.crowd
    if crowd is None or not crowd.repeats_people:
        return False
    several = crowd.undecided(_answers_of(subjects, at, {**labels, MISSING: None})[1])
    return several <= max(_FEW_UNDECIDED, crowd.number // _UNDECIDED)


def check_followed(attackers: Sequence[Attacker], subjects: Subjects, roles: Roles) -> None:
    """Refuse attackers who follow people where no sensitive attribute is the same in all of somebody's rows."""
    domains = whole_domains(subjects.distinct, roles)
    useful = {
        attacker.key
        for at, domain in enumerate(domains)
        for attacker in facing(attackers, subjects, at, answer_labels(domain))
    }
    for attacker in attackers:
        if attacker.key not in useful:
            raise InputError(
                f"The attacker {attacker.key!r} follows people who have several rows and a sensitive value that is the "
                f"same in all of them; {listed([domain.name for domain in domains])} cannot be attacked so.",
                field="attackers",
            )


def _side_by_side(
    plan: Plan, attackers: Sequence[Attacker], scene: AttackInput, limit: float, division: int
) -> list[Tally]:
    """Return what each of some attackers gets; threads share them."""

    def attacked(at: int) -> Tally:
        return tallied_attack(attackers[at], scene, limit)

    def tell(share: float) -> None:
        plan.search.tell(f"Attacking, division {division + 1} of {plan.divisions}", (division + share) / plan.divisions)

    tell(0.0)
    return in_threads(attacked, [1] * len(attackers), plan.search.workers, tell)


def tried_on(subjects: Subjects, releases: Sequence[DistinctRows], plan: Plan) -> Trial:
    """Return what the attackers of a plan get on a release that exists.

    Parameters
    ----------
    subjects
        The distinct rows of the original, and whose they are.
    releases
        Those of the release, and of other releases about its people.
    plan
        Who attacks.
    """
    release, distinct = releases[0], subjects.distinct
    if release.rows > distinct.rows:
        raise InputError(
            f"The release has {release.rows:,} rows and the original {distinct.rows:,}: it is not a release of it."
        )
    frame = framed(distinct, plan.roles, plan.wanted, _readable(distinct, plan))
    crowd = None if subjects.crowd is None else subjects.crowd.placed(frame.rows)
    outcomes, shortened, rho = [], 0, {}
    for at, domain in enumerate(frame.problem.domains):
        labels = answer_labels(domain)
        seen, *others = (
            seen_release(frame.problem, frame.hierarchies, each, at, labels, own=each is release) for each in releases
        )
        scene = existing_scene(frame.problem, seen, others, plan.seed, crowd)
        shortened = max(shortened, seen.shortened)
        limit = float(claimed_beyond(plan.wanted, domain.name))
        if same_in_all_rows(subjects, at, labels):
            rho[domain.name] = rho_of(scene)
        for attacker in facing(plan.attackers, subjects, at, labels):
            plan.search.tell(attacker.key, None)
            tallies = [tallied_attack(attacker, scene, limit)]
            having = _having(subjects, at, domain, labels)
            outcomes.append(outcome(attacker, domain.name, *having, tallies, control=False))
    beyond = {domain.name: claimed_beyond(plan.wanted, domain.name) for domain in frame.problem.domains}
    people = None if crowd is None else crowd.number
    told = tuple(_notes(plan.roles, shortened, ()))
    return Trial(tuple(outcomes), None, release.rows, people, None, beyond, told, rho=rho)


def _readable(distinct: DistinctRows, plan: Plan) -> Policy:
    """Return the policy with a flat hierarchy for every column that shows none, as only its labels are read."""
    given = dict(plan.policy.columns.hierarchies)
    for name, seen in zip(plan.roles.quasi, distinct.quasi, strict=True):
        if name not in given and inferred_hierarchy(seen.listed, seen.counts, seen.kind, seen.categories) is None:
            given[name] = "flat"
    return plan.policy.with_options({"hierarchies": given})


def whole_domains(distinct: DistinctRows, roles: Roles) -> list[Domain]:
    """Return the sensitive attributes of a table."""
    found = []
    for names, observed in zip(attributes_of(roles), distinct.sensitive, strict=True):
        distance = Nominal() if len(names) > 1 else roles.sensitive[names[0]]
        found.append(arranged(" × ".join(names), replace(observed, people=None), distance)[0])
    return found


def _having(subjects: Subjects, at: int, domain: Domain, labels: Mapping[str, str]) -> tuple[dict[str, int], float]:
    """Return how many people have each answer, and how often anybody is right who names the commonest value."""
    if subjects.crowd is None:
        return people_of(domain, labels), float(domain.counts.max() / domain.counts.sum())
    names, answers = _answers_of(subjects, at, labels)
    codes = subjects.distinct.sensitive_codes[:, at]
    having = subjects.crowd.people_of(answers, len(names))
    known = subjects.crowd.people_of(np.where(answers >= 0, 0, -1), 1)
    values = subjects.crowd.people_of(np.where(answers >= 0, codes, -1), int(codes.max(initial=-1)) + 1)
    return dict(zip(names, having.tolist(), strict=True)), float(values.max() / max(int(known[0]), 1))


def _answers_of(subjects: Subjects, at: int, labels: Mapping[str, str | None]) -> tuple[dict[str, int], Integers]:
    """Return the number of each answer, and the answer of each distinct row of a table; −1 without one."""
    names: dict[str, int] = {}
    answers = []
    for text in texts_of(subjects.distinct.sensitive[at].listed):
        label = labels.get(text)
        answers.append(-1 if label is None else names.setdefault(label, len(names)))
    return names, np.array(answers, dtype=np.int64)[subjects.distinct.sensitive_codes[:, at]]


def claimed_beyond(wanted: Sequence[Requirement], attribute: str) -> Fraction:
    """Return t of an attribute: as required, for it or for every attribute, else the usual one."""
    fitting = [each for each in wanted if each.model.key == "t" and each.attribute in (None, attribute)]
    own = [each.threshold for each in fitting if each.attribute == attribute]
    return min(own or [each.threshold for each in fitting], default=USUAL_T)


def _released(frame: Frame, halves: Halves, plan: Plan, which: str) -> Made:
    def tell(stage: str, share: float | None) -> None:
        plan.search.tell(f"{stage}, {which}", share)

    made = half_released(frame, halves, plan.method, replace(plan.search, tell=tell))
    if made is not None:
        return made
    raise InputError(
        "Half of the table has no release that meets the requirements, so there is none to attack.",
        code="no-half-release",
        hint=Hint(
            "Require less, suppress rows ({}), or attack a release of the whole table: {} and {}.",
            Ask("suppress"),
            Ask("release"),
            Ask("original"),
        ),
    )


def _notes(roles: Roles, shortened: int, outcomes: Sequence[Outcome]) -> list[Note]:
    notes = []
    if roles.pseudonym is not None:
        text = (
            "Pseudonyms tell which rows of a release are the same person's. No attacker here finds people by that; an "
            "audit says how many people are unique by the classes that they are in."
        )
        notes.append(Note("pseudonyms-unused", text, column=roles.pseudonym))
    if shortened:
        text = f"Of {shortened:,} combinations of quasi-identifiers only the finest classes were weighed."
        notes.append(Note("finest-classes-weighed", text))
    if outcomes and not outcomes[0].control_people:
        text = (
            "No person outside the released half has the same quasi-identifiers as one in it. There is no control "
            "group, so it is not known how much attackers learnt about the population alone."
        )
        notes.append(Note("no-control", text))
    return notes
