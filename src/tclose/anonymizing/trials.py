"""Trials of a release: the table divided, one half released as asked, and attackers tried on both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tclose.anonymizing.framing import Frame, RecodingOptions, attributes_of, framed
from tclose.attacks.answers import answer_labels, people_of
from tclose.attacks.catalogue import Attacker
from tclose.attacks.existing import existing_scene, seen_release
from tclose.attacks.findings import Attack, Outcome
from tclose.attacks.halves import Halves
from tclose.attacks.measures import Tally, outcome, tallied_attack
from tclose.domains import Domain, arranged
from tclose.engines.distinct import DistinctRows
from tclose.errors import InputError, RoleConflictError, ThresholdError, either
from tclose.hierarchies import inferred_hierarchy
from tclose.models.catalogue import FEW, Requirement, few
from tclose.recoding.methods import found
from tclose.recoding.partition import Partition, kept_detail, published
from tclose.recoding.search import Search
from tclose.roles import Nominal, Roles

USUAL_T = Fraction(1, 5)
"""What a claim must exceed where no t is required."""
_LEAST_ROWS = 4


@dataclass(frozen=True)
class Plan:
    """How releases are made and attacked, again and again alike."""

    roles: Roles
    wanted: tuple[Requirement, ...]
    options: RecodingOptions
    method: str
    search: Search
    attackers: tuple[Attacker, ...]
    divisions: int
    begin: int = 0
    """How many divisions others have made of the table: a division is made anew for everyone who looks at it."""
    twice: bool = False
    """Whether each half is released a second time, with another seed, for whoever has both."""
    stricter: tuple[Requirement, ...] | None = None
    """What releases are made to meet, where that is more than was asked for, by which claims are decided."""

    @property
    def met(self) -> tuple[Requirement, ...]:
        """What releases are made to meet."""
        return self.wanted if self.stricter is None else self.stricter


@dataclass(frozen=True)
class Division:
    """What attackers got on one half of a table."""

    tallies: Mapping[tuple[str, str], Tally]
    """By attribute and attacker."""
    kept: float
    method: str
    shortened: int
    """Of how many combinations only the finest classes were weighed."""


@dataclass(frozen=True)
class Trial:
    """What attackers got on all divisions, and what the attacked releases keep."""

    outcomes: tuple[Outcome, ...]
    kept: float | None
    rows: int
    method: str | None
    beyond: Mapping[str, Fraction]
    notes: tuple[str, ...]

    @property
    def gain(self) -> float:
        """The largest upper end of any attacker's gain."""
        return max((each.gain.high for each in self.outcomes if each.gain is not None), default=1.0)

    @property
    def likely(self) -> float:
        """What every attacker's gain is below five times in six."""
        return max((each.gain.likely for each in self.outcomes if each.gain is not None), default=1.0)

    def attack(self, source: str, plan: Plan, limit: Fraction | None, notes: Sequence[str] = ()) -> Attack:
        """Return the trial as people are told of it."""
        return Attack(
            source, plan.roles, plan.wanted, self.method, self.rows, plan.divisions, self.kept, dict(self.beyond),
            limit, self.outcomes, (*notes, *self.notes), max(few(plan.wanted), FEW),
        )  # fmt: skip


def check_attackable(roles: Roles) -> None:
    """Refuse roles without a sensitive attribute, and people of several rows, whom no half would hold whole."""
    if not roles.sensitive:
        raise RoleConflictError("An attack is on a sensitive attribute, and none is named (-s NAME).")
    if not roles.quasi:
        raise RoleConflictError("An attacker knows quasi-identifiers, and none is named (-q NAME).")
    if roles.person is not None:
        rows = either("Roles without person", "--rows")
        raise InputError(f"Attackers take every row for a person of its own; attack rows instead of people: {rows}.")


def tried(distinct: DistinctRows, plan: Plan) -> Trial:
    """Return what the attackers of a plan get on releases of halves of a table.

    Parameters
    ----------
    distinct
        The distinct rows of the table.
    plan
        How halves are released, and who attacks.
    """
    if not plan.wanted:
        such = either("require={'k': 5, 't': '0.2'}", "--k 5 --t 0.2")
        raise ThresholdError(f"Say what the attacked release must meet, such as {such}.")
    if distinct.rows < _LEAST_ROWS:
        raise InputError(f"A table of {distinct.rows} rows cannot be divided; attack one of {_LEAST_ROWS} or more.")
    domains = whole_domains(distinct, plan.roles)
    labels = [answer_labels(domain) for domain in domains]
    divisions = [divided(distinct, plan, labels, at) for at in range(plan.divisions)]
    outcomes = tuple(
        outcome(
            attacker, domain.name, people_of(domain, labels[at]), commonest(domain),
            [division.tallies[domain.name, attacker.key] for division in divisions], control=True,
        )
        for at, domain in enumerate(domains)
        for attacker in plan.attackers
    )  # fmt: skip
    methods = [division.method for division in divisions]
    return Trial(
        outcomes,
        float(np.mean([division.kept for division in divisions])),
        distinct.rows // 2,
        max(set(methods), key=methods.count),
        {domain.name: claimed_beyond(plan.wanted, domain.name) for domain in domains},
        tuple(_notes(sum(division.shortened for division in divisions), outcomes)),
    )


def divided(distinct: DistinctRows, plan: Plan, labels: Sequence[Mapping[str, str]], at: int) -> Division:
    """Return what attackers got on one division of a table.

    Parameters
    ----------
    distinct, plan
        As for :func:`tried`.
    labels
        For each sensitive attribute the answers that its values belong to.
    at
        Which of the plan's divisions it is, from 0.
    """
    which = f"division {at + 1} of {plan.divisions}"
    halves = Halves.of(distinct, plan.options.seed + plan.begin + at)
    frame = framed(halves.released, plan.roles, plan.met, plan.options)
    partition, method = _released(frame, plan, which)
    again = None
    if plan.twice:
        other = replace(frame, problem=replace(frame.problem, seed=frame.problem.seed + 1))
        again, _ = _released(other, plan, f"{which}, again")
    scenes = halves.scenes(frame.problem, frame.rows, partition, again, labels)
    tallies = {}
    for domain, scene in zip(frame.problem.domains, scenes, strict=True):
        limit = float(claimed_beyond(plan.wanted, domain.name))
        for attacker in plan.attackers:
            plan.search.tell(f"{attacker.key}, {which}", at / plan.divisions)
            tallies[domain.name, attacker.key] = tallied_attack(attacker, scene, limit)
    shortened = max(scene.seen.shortened for scene in scenes)
    return Division(tallies, kept_detail(frame.problem, partition), method, shortened)


def tried_on(distinct: DistinctRows, releases: Sequence[DistinctRows], plan: Plan) -> Trial:
    """Return what the attackers of a plan get on a release that exists.

    Parameters
    ----------
    distinct
        The distinct rows of the original.
    releases
        Those of the release, and of other releases about its people.
    plan
        Who attacks.
    """
    release = releases[0]
    if release.rows > distinct.rows:
        raise InputError(
            f"The release has {release.rows:,} rows and the original {distinct.rows:,}: it is not a release of it."
        )
    frame = framed(distinct, plan.roles, plan.wanted, _readable(distinct, plan))
    outcomes, shortened = [], 0
    for at, domain in enumerate(frame.problem.domains):
        labels = answer_labels(domain)
        seen, *others = (
            seen_release(frame.problem, frame.hierarchies, each, at, labels, own=each is release) for each in releases
        )
        scene = existing_scene(frame.problem, seen, others, plan.options.seed)
        shortened = max(shortened, seen.shortened)
        limit = float(claimed_beyond(plan.wanted, domain.name))
        for attacker in plan.attackers:
            plan.search.tell(attacker.key, None)
            tallies = [tallied_attack(attacker, scene, limit)]
            persons = people_of(domain, labels)
            outcomes.append(outcome(attacker, domain.name, persons, commonest(domain), tallies, control=False))
    beyond = {domain.name: claimed_beyond(plan.wanted, domain.name) for domain in frame.problem.domains}
    return Trial(tuple(outcomes), None, release.rows, None, beyond, tuple(_notes(shortened, ())))


def _readable(distinct: DistinctRows, plan: Plan) -> RecodingOptions:
    """Return the options with a flat hierarchy for every column that shows none, as only its labels are read."""
    given = dict(plan.options.hierarchies)
    for name, seen in zip(plan.roles.quasi, distinct.quasi, strict=True):
        if name not in given and inferred_hierarchy(seen.listed, seen.counts, seen.kind, seen.categories) is None:
            given[name] = "flat"
    return replace(plan.options, hierarchies=given)


def whole_domains(distinct: DistinctRows, roles: Roles) -> list[Domain]:
    """Return the sensitive attributes of a table."""
    found = []
    for names, observed in zip(attributes_of(roles), distinct.sensitive, strict=True):
        distance = Nominal() if len(names) > 1 else roles.sensitive[names[0]]
        found.append(arranged(" × ".join(names), observed, distance)[0])
    return found


def commonest(domain: Domain) -> float:
    """Return how often anybody is right who names the commonest value."""
    return float(domain.counts.max() / domain.counts.sum())


def claimed_beyond(wanted: Sequence[Requirement], attribute: str) -> Fraction:
    """Return t of an attribute: as required, for it or for every attribute, else the usual one."""
    fitting = [each for each in wanted if each.model.key == "t" and each.attribute in (None, attribute)]
    own = [each.threshold for each in fitting if each.attribute == attribute]
    return min(own or [each.threshold for each in fitting], default=USUAL_T)


def _released(frame: Frame, plan: Plan, which: str) -> tuple[Partition, str]:
    def tell(stage: str, share: float | None) -> None:
        plan.search.tell(f"{stage}, {which}", share)

    if frame.problem.k <= frame.problem.rows:
        best = found(plan.method, frame.problem, replace(plan.search, tell=tell))
        if best is not None:
            return published(best.partition), best.method
    release = either("release=…, original=…", "--release FILE --original TABLE")
    raise InputError(
        "A half of the table has no release that meets the requirements, so that there is none to attack. Require "
        f"less, allow rows to be left out, or attack a release of the whole table: {release}."
    )


def _notes(shortened: int, outcomes: Sequence[Outcome]) -> list[str]:
    notes = []
    if shortened:
        notes.append(f"Of {shortened:,} combinations of quasi-identifiers only the finest classes were weighed.")
    if outcomes and not outcomes[0].control_people:
        notes.append(
            "Nobody outside the released half looks just like somebody in it, so that there is nobody to compare with, "
            "and how much of what is right was learnt about the population is not known."
        )
    return notes
