"""The release of several tables about the same people: one search for the bases of people and for their facts."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tclose.anonymization.anonymize import anonymize
from tclose.anonymization.database.facts_search import Forest, Held, Kept, Known, kept_facts
from tclose.anonymization.database.judging import Secrets, with_secrets
from tclose.anonymization.database.problem import (
    DatabaseProblem,
    FactsTable,
    least_of,
    names_of,
    read_database,
)
from tclose.anonymization.engine_release import EngineWork
from tclose.anonymization.problem_setup import attributes_of, tasks_of
from tclose.anonymization.releases import Release
from tclose.auditing.database_audit import audit_tables
from tclose.auditing.facts import Facts
from tclose.data.progress import shows_progress, silent
from tclose.data.values import as_text
from tclose.engines.base import Progress
from tclose.errors import Ask, Hint, InputError, InternalError, Note, listed
from tclose.models.catalogue import Requirement
from tclose.models.domains import arranged
from tclose.policy.policy import Policy
from tclose.policy.roles import Nominal
from tclose.policy.several_tables import TableAsked

Columns = Mapping[str, Sequence[object]]
"""A table as columns of values."""
_TRIED = 6
"""How many sizes of classes of people are tried at most."""
_MOST_SETS = 3_000_000
"""So many sets of facts, at most, are searched; a search of more would not end."""


@dataclass(frozen=True)
class KeptColumn:
    """What is kept of one column."""

    table: str
    column: str
    before: int
    """How many cells the original has, of people or of facts."""
    after: int
    """How many are published."""
    detail: float
    """Which share of their detail is kept; a cell that is left out keeps none."""


@dataclass(frozen=True)
class DatabaseRelease:
    """Tables about the same people that can be handed out together, or what stands in the way of them."""

    policies: tuple[Policy, ...]
    tables: Mapping[str, Columns]
    """The released tables by the names of their files; none where no release was found."""
    published: tuple[Policy, ...]
    """For each of them its roles and what is required of it, without where it is."""
    kept: tuple[KeptColumn, ...]
    original: Facts
    """What the original gives away."""
    base: Release
    """The release of the table of people alone."""
    notes: tuple[Note, ...]

    @property
    def holds(self) -> bool:
        """Whether there is a release."""
        return bool(self.tables)

    @property
    def detail(self) -> float:
        """Which share of the detail of all cells is kept."""
        cells = sum(each.before for each in self.kept)
        return sum(each.before * each.detail for each in self.kept) / cells if cells else 1.0


@dataclass(frozen=True)
class _Base:
    """A release of the people alone, as rows."""

    release: Release
    rows: dict[str, tuple[tuple[object, ...], tuple[object, ...]]]
    """By person: the published traits, and the other cells."""
    detail: dict[str, float]
    secrets: Secrets
    places: dict[str, int]
    """By person, the place in the secrets."""


@shows_progress
def anonymize_database(policies: Sequence[Policy], *, progress: Progress | None = None) -> DatabaseRelease:
    """Find the release of several tables about the same people that keeps most detail.

    One table has a row for each person, with their traits as quasi-identifiers. Each of the others has facts: one
    quasi-identifier, which is generalised along its hierarchy, or left out. The requirements then hold for everyone
    who knows the traits of a person and as many facts as the policies say.

    Parameters
    ----------
    policies
        One for each table, as for :func:`tclose.audit`.
    progress
        Called with a stage and a share done, from time to time.
    """
    tell = progress or silent
    names_of(policies)
    original = audit_tables([TableAsked(each) for each in policies], progress=progress)
    problem = read_database(policies, original.facts, tell)
    known = _known(problem)
    forest, places = _forest(problem)
    held = _held(problem, places)
    _check_size(held, known)
    wanted = _wanted(problem)
    best: tuple[float, _Base, dict[str, Kept], dict[str, int]] | None = None
    first: Release | None = None
    tried: list[dict[str, tuple[object, ...]]] = []
    for least in _sizes(known.k, len(held)):
        base = _base(problem, least, wanted, progress)
        if isinstance(base, Release):
            first = first or base
            break
        first = first or base.release
        traits = {person: cells for person, (cells, _) in base.rows.items()}
        if traits in tried:
            continue
        tried.append(traits)
        _check_known(problem, original.facts, base, held)
        found, spots = _facts(base, forest, held, known, wanted, effort=0.1, tell=tell)
        total = _total(problem, base, found)
        if best is None or total > best[0]:
            best = (total, base, found, spots)
    if first is None:
        raise InternalError("No base was searched.")
    notes = [note for table in problem.tables for note in table.notes]
    notes += _exposed(problem, first)
    if best is None:
        return DatabaseRelease(tuple(policies), {}, (), (), original.facts, first, tuple(notes))
    _, base, found, spots = best
    if known.facts > 1:
        longer, spots = _facts(base, forest, held, known, wanted, effort=1.0, tell=tell)
        better = _total(problem, base, longer) >= best[0]
        found = longer if better else found
    tables, published, kept = _published(problem, base, forest, places, held, found, spots, known)
    return DatabaseRelease(tuple(policies), tables, published, kept, original.facts, base.release, tuple(notes))


def _exposed(problem: DatabaseProblem, base: Release) -> list[Note]:
    """Return which columns are published as they are, which nobody measured."""
    named = {problem.people.name: [name for name in base.unprotected if name != problem.people.person]}
    named |= {table.name: list(table.carried) for table in problem.tables}
    return [
        Note(
            "published-as-they-are",
            f"{name}: published as they are, and in no figure: {listed(columns)}.",
            column=columns[0],
        )
        for name, columns in named.items()
        if columns
    ]


def _known(problem: DatabaseProblem) -> Known:
    required = problem.people.policy.required
    least = max(least_of(policy) for policy in _policies(problem))
    return Known(max(1, least), required.facts or 0, required.facts_as == "multiset")


def _policies(problem: DatabaseProblem) -> list[Policy]:
    return [problem.people.policy, *(table.policy for table in problem.tables)]


def _wanted(problem: DatabaseProblem) -> tuple[Requirement, ...]:
    """Return what is required of all tables together."""
    return tuple(dict.fromkeys(each for policy in _policies(problem) for each in policy.requirements()))


def _forest(problem: DatabaseProblem) -> tuple[Forest, dict[str, int]]:
    """Return the hierarchies of all facts, and by table the place of its first leaf."""
    places, first = {}, 0
    for table in problem.tables:
        places[table.name] = first
        first += len(table.values)
    return Forest.of([(table.tree, table.values) for table in problem.tables]), places


def _held(problem: DatabaseProblem, places: Mapping[str, int]) -> dict[str, dict[int, int]]:
    """Return by person how often each fact is true of them."""
    found: dict[str, dict[int, int]] = {}
    for table in problem.tables:
        for person, rows in table.rows.items():
            own = found.setdefault(person, {})
            for row in rows:
                leaf = places[table.name] + row.value
                own[leaf] = own.get(leaf, 0) + row.times
    return found


def _check_size(held: Mapping[str, Held], known: Known) -> None:
    """Refuse more sets of facts than a search gets through."""
    if known.facts > 1 and not _are_few(held, known):
        raise InputError(
            f"People have more sets of at most {known.facts:,} facts than a search for a release gets through "
            f"({_MOST_SETS:,}).",
            code="facts-search-too-large",
            field="facts",
            hint=Hint("Require less: {}.", Ask("facts", 1)),
        )


def _are_few(held: Mapping[str, Held], known: Known) -> bool:
    """Say whether people have few sets of facts; their number, which may have thousands of digits, is never made."""
    sets = 0
    for each in held.values():
        items = sum(min(times, known.facts) if known.repeated else 1 for times in each.values())
        of_size = 1
        for size in range(1, min(known.facts, items) + 1):
            of_size = of_size * (items - size + 1) // size
            sets += of_size
            if sets > _MOST_SETS:
                return False
    return True


def _sizes(least: int, people: int) -> list[int]:
    """Return how large classes of people are tried: larger ones leave more of the facts."""
    times = max(2.0, (people / least) ** (1 / _TRIED))
    return [least, *(round(least * times**at) for at in range(1, _TRIED) if least * times**at <= people)]


def _base(
    problem: DatabaseProblem, least: int, wanted: Sequence[Requirement], progress: Progress | None
) -> _Base | Release:
    """Return a release of the people alone in classes of at least so many, as rows; itself where there is none."""
    people = problem.people
    policy, roles = people.policy, people.policy.roles
    thresholds: dict[str, dict[str | None, str]] = {**policy.thresholds, "k": {None: str(least)}}
    required = replace(policy.required, require=thresholds, facts=None, traits={}, fact_columns=())
    open_roles = replace(roles, person=None, pseudonym=None, publish=(people.person, *roles.publish))
    asked = replace(policy, roles=open_roles, required=required)
    release = anonymize(asked, progress=progress)
    work = release.work
    if not release.holds or not isinstance(work, EngineWork):
        return release
    others = [name for name in work.table.names if name not in (people.person, *people.quasi)]
    columns = [people.person, *people.quasi, *others]
    sensitive = attributes_of(roles)
    found = work.session.distinct(work.table.keep(columns), columns, sensitive, silent)
    listed = [each.listed for each in found.quasi]
    rows, places = {}, {}
    for at, codes in enumerate(found.codes.tolist()):
        cells = [values[code] for values, code in zip(listed, codes, strict=True)]
        person = as_text(cells[0])
        rows[person] = (tuple(cells[1 : 1 + len(people.quasi)]), tuple(cells[1 + len(people.quasi) :]))
        places[person] = at
    domains, ranks = [], []
    for at, (names, observed) in enumerate(zip(sensitive, found.sensitive, strict=True)):
        distance = Nominal() if len(names) > 1 else roles.sensitive[names[0]]
        domain, rank_of = arranged(" × ".join(names), observed, distance)
        domains.append(domain)
        ranks.append(rank_of[found.sensitive_codes[:, at]])
    every = np.stack(ranks, axis=1).astype(np.int32) if ranks else np.zeros((len(rows), 0), dtype=np.int32)
    detail = {name: 1 - lost for name, lost in release.column_losses.items()}
    return _Base(release, rows, detail, Secrets(tuple(domains), every, tasks_of(wanted, domains)), places)


def _check_known(problem: DatabaseProblem, original: Facts, base: _Base, held: Mapping[str, Held]) -> None:
    """Refuse facts of people who are in no row of the table of people."""
    strangers = original.people - base.release.original_rows
    if strangers:
        raise InputError(
            f"{strangers:,} of the people with facts {'is' if strangers == 1 else 'are'} not in {problem.people.name}.",
            code="people-without-row",
            field="person",
            column=problem.people.person,
            hint=Hint("Add their rows, or leave their facts out."),
        )
    if len(held.keys() - base.rows.keys()) > base.release.suppressed:
        raise InternalError("Facts of people were lost on the way.")


def _facts(
    base: _Base,
    forest: Forest,
    held: Mapping[str, Held],
    known: Known,
    wanted: Sequence[Requirement],
    *,
    effort: float,
    tell: Progress,
) -> tuple[dict[str, Kept], dict[str, int]]:
    """Return by base what is kept of its people's facts, and by person the place among them."""
    groups: dict[tuple[object, ...], list[str]] = {}
    for person, (cells, _) in base.rows.items():
        groups.setdefault(cells, []).append(person)
    seed = base.release.recipe.seed if base.release.recipe is not None else 0
    found, spots = {}, {}
    more = any(each.model.key != "k" for each in wanted)
    for at, people in enumerate(groups.values()):
        tell("Searching for facts to keep", at / len(groups))
        kept = kept_facts([held.get(person, {}) for person in people], forest, known, seed + at, effort=effort)
        if more:
            kept = with_secrets(kept, forest, known, base.secrets.of([base.places[person] for person in people]))
        for place, person in enumerate(people):
            found[person], spots[person] = kept, place
    return found, spots


def _total(problem: DatabaseProblem, base: _Base, found: Mapping[str, Kept]) -> float:
    """Return how much detail is kept, in cells: of the traits of people, and of their facts."""
    facts = sum(each.detail for each in {id(kept): kept for kept in found.values()}.values())
    traits = sum(base.detail[name] for name in problem.people.quasi) * base.release.original_rows
    return facts + traits


def _published(
    problem: DatabaseProblem,
    base: _Base,
    forest: Forest,
    places: Mapping[str, int],
    held: Mapping[str, Held],
    found: Mapping[str, Kept],
    spots: Mapping[str, int],
    known: Known,
) -> tuple[dict[str, Columns], tuple[Policy, ...], tuple[KeptColumn, ...]]:
    """Return the released tables, what is said of each, and what is kept of each column."""
    fresh = _pseudonyms(base.rows)
    people = problem.people
    work = base.release.work
    names = [] if work is None else [n for n in work.table.names if n not in (people.person, *people.quasi)]
    order = sorted(base.rows, key=lambda person: fresh[person])
    cells: dict[str, Sequence[object]] = {people.person: [fresh[person] for person in order]}
    cells |= {name: [base.rows[person][0][at] for person in order] for at, name in enumerate(people.quasi)}
    cells |= {name: [base.rows[person][1][at] for person in order] for at, name in enumerate(names)}
    tables: dict[str, Columns] = {people.name: cells}
    rows = base.release.original_rows
    kept = [KeptColumn(people.name, name, rows, len(order), base.detail[name]) for name in people.quasi]
    facts = tuple(table.fact for table in problem.tables)
    policies = {people.name: _said(people.policy, people.person, people.quasi, people.quasi, facts)}
    for table in problem.tables:
        tables[table.name], after = _facts_cells(table, places[table.name], order, fresh, found, spots, forest)
        before, detail = _detail(table, places[table.name], held, found, spots, forest, known)
        kept.append(KeptColumn(table.name, table.fact, before, after if known.repeated else detail[1], detail[0]))
        policies[table.name] = _said(table.policy, table.person, (table.fact,), people.quasi, facts)
    return (
        {name: tables[name] for name in problem.order if tables[name]},
        tuple(policies[name] for name in problem.order),
        tuple(kept),
    )


def _pseudonyms(people: Mapping[str, object]) -> dict[str, str]:
    """Return a fresh pseudonym for each person, which nobody can make again."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for person in people:
        name = f"p{secrets.token_hex(8)}"
        while name in taken:
            name = f"p{secrets.token_hex(8)}"
        taken.add(name)
        found[person] = name
    return found


def _said(policy: Policy, person: str, quasi: Sequence[str], traits: Sequence[str], facts: Sequence[str]) -> Policy:
    """Return what must hold of a released table, whose columns are what they were: traits, or facts."""
    roles = replace(
        policy.roles, quasi=tuple(quasi), identifiers=(), person=person, pseudonym=person, remove=(), undecided=(),
        others="publish",
    )  # fmt: skip
    declared = {"traits": dict.fromkeys(traits, "refuse"), "fact_columns": tuple(facts), "unprotected": "tell"}
    required = replace(policy.required, **declared)  # type: ignore[arg-type]
    return Policy(roles=roles, required=required, resources=policy.resources, about=policy.about)


def _facts_cells(
    table: FactsTable,
    first: int,
    order: Sequence[str],
    fresh: Mapping[str, str],
    found: Mapping[str, Kept],
    spots: Mapping[str, int],
    forest: Forest,
) -> tuple[Columns, int]:
    """Return the rows of a table of facts that are published, in an order that tells nothing."""
    rows: list[tuple[object, ...]] = []
    for person in order:
        kept, spot = found[person], spots[person]
        nodes, left = kept.nodes[spot], dict(kept.times[spot])
        own: list[tuple[object, ...]] = []
        for row in table.rows.get(person, ()):
            node = nodes.get(first + row.value)
            if node is None:
                continue
            times = min(row.times, left.get(node, 0))
            left[node] = left.get(node, 0) - times
            own += [(fresh[person], forest.labels[node], *row.carried)] * times
        secrets.SystemRandom().shuffle(own)
        rows += own
    names = [table.person, table.fact, *table.carried]
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}, len(rows)


def _detail(
    table: FactsTable,
    first: int,
    held: Mapping[str, Held],
    found: Mapping[str, Kept],
    spots: Mapping[str, int],
    forest: Forest,
    known: Known,
) -> tuple[int, tuple[float, int]]:
    """Return how many facts a table has, which share of their detail is kept, and how many stay."""
    inside = range(first, first + len(table.values))
    before, detail, after = 0, 0.0, 0
    for person, facts in held.items():
        before += sum(times if known.repeated else 1 for leaf, times in facts.items() if leaf in inside)
        if person not in found:
            continue
        nodes, left = found[person].nodes[spots[person]], dict(found[person].times[spots[person]])
        for leaf in sorted(facts):
            if leaf in inside and leaf in nodes:
                stay = min(facts[leaf], left.get(nodes[leaf], 0))
                left[nodes[leaf]] = left.get(nodes[leaf], 0) - stay
                number = stay if known.repeated else min(stay, 1)
                after += number
                detail += number * (1 - forest.loss[nodes[leaf]])
    return before, (detail / before if before else 1.0, after)
