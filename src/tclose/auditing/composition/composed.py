"""The audited release together with previous ones: joint classes, what they say, and whether that is too much."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tclose.auditing.composition.findings import (
    Composition,
    Difference,
    JointClass,
    JointFigure,
    JointVerdict,
    Linked,
    LinkedAttribute,
)
from tclose.auditing.composition.links import Classes, Entries, Joint, Trees, joined, read_classes
from tclose.auditing.composition.posteriors import Posteriors
from tclose.data.hierarchies import Hierarchy, hierarchy_of, is_builder
from tclose.engines.base import Engine, Progress, Table
from tclose.errors import InputError, RoleConflictError, listed
from tclose.models.catalogue import Requirement, few
from tclose.models.counts import Integers
from tclose.models.domains import Domain
from tclose.policy.roles import Roles

# What somebody learns who takes the counts of one release from those of the next: who joined, who left.


def difference(before: Classes, last: Classes, at: int, least: int) -> Difference:
    """Return by how much the counts of a release differ from those of the one before.

    Parameters
    ----------
    before, last
        The two releases.
    at
        The sensitive attribute.
    least
        Fewer rows than so many are few.
    """
    names = dict.fromkeys([*before.held[at].values, *last.held[at].values])
    rank_of = {value: rank for rank, value in enumerate(names)}
    number_of = {key: number for number, key in enumerate(before.texts)}
    there = [number_of.get(key, -1) for key in last.texts]
    same = [number for number, other in enumerate(there) if other >= 0]
    units, earlier = np.full(len(last.sizes), -1), np.full(len(before.sizes), -1)
    units[same] = np.arange(len(same))
    earlier[[there[number] for number in same]] = np.arange(len(same))
    taken, added = before.held[at].entries(earlier, rank_of), last.held[at].entries(units, rank_of)
    gained, lost = _changes(taken, added, len(same), len(names))
    few = ((gained > 0) & (gained < least)) | ((lost > 0) & (lost < least))
    all_before, all_last = (
        each.held[at].entries(np.zeros(len(each.sizes), dtype=np.int64), rank_of) for each in (before, last)
    )
    joined, left = _changes(all_before, all_last, 1, len(names))
    return Difference(len(same), int(few.sum()), int(joined[0]), int(left[0]), least)


def _changes(taken: Entries, added: Entries, units: int, width: int) -> tuple[Integers, Integers]:
    """Return how many rows of some value each unit gained, and how many it lost."""
    keys = np.concatenate([taken[0] * width + taken[1], added[0] * width + added[1]])
    pairs, place = np.unique(keys, return_inverse=True)
    change = np.bincount(place.ravel(), np.concatenate([-taken[2], added[2]]), len(pairs)).astype(np.int64)
    unit = pairs // max(width, 1)
    gained, lost = (np.bincount(unit, np.maximum(each, 0), units).astype(np.int64) for each in (change, -change))
    return gained, lost


JUDGED = {"l": "l", "p": "l", "alpha": "alpha", "t": "t"}
"""The models that joint classes are judged by, and the figure of each."""


def composed(
    session: Engine,
    table: Table[Any],
    after: object,
    roles: Roles,
    domains: Mapping[str, Domain],
    wanted: Sequence[Requirement],
    hierarchies: Mapping[str, object],
    progress: Progress,
) -> Composition:
    """Return what a release and previous ones say together of whoever is in all of them.

    Parameters
    ----------
    session
        The engine that opened the tables.
    table
        The audited release.
    after
        A previous release, or a list of them, as an engine opens it.
    roles
        Which column is what, in all of them.
    domains
        The domain of each sensitive attribute, with the reference.
    wanted
        What is required; of l, p, alpha and t it must hold for joint classes too.
    hierarchies
        Of quasi-identifiers: what their published cells are labels of.
    progress
        Told how far the work is.
    """
    if not domains or (roles.together == "quasi" and len(roles.sensitive) > 1):
        raise RoleConflictError(
            "Releases are composed by sensitive attributes, each alone or all jointly; name them so."
        )
    given = after if isinstance(after, list | tuple) else [after]
    previous = [session.rounded(session.open(each), roles.steps) for each in given]
    joint = len(domains) < len(roles.sensitive)
    attributes = [tuple(roles.sensitive)] if joint else [(name,) for name in domains]
    trees = _trees(hierarchies, roles)
    person = roles.person if all(_has(each, roles.person) for each in (table, *previous)) else None
    signs: list[dict[frozenset[object], int]] = [{} for _ in domains]
    releases = [
        read_classes(session, each, roles.quasi, person, attributes, list(domains.values()), signs, progress)
        for each in (*previous, table)
    ]
    *before, last = releases
    groups = [[each] for each in before] + ([before] if len(before) > 1 else [])
    linked, verdicts = [], []
    for group in groups:
        progress("Comparing classes of releases", None)
        found, judged = _linked([*group, last], trees, list(domains.values()), wanted)
        linked.append(found)
        verdicts += judged
    return Composition(person, tuple(linked), tuple(verdicts))


def _has(table: Table[Any], name: str | None) -> bool:
    return name is not None and any(column.name == name for column in table.columns)


def _trees(hierarchies: Mapping[str, object], roles: Roles) -> Trees:
    strange = [name for name in hierarchies if name not in roles.quasi]
    if strange:
        problem = f"A hierarchy is given for {listed(strange)}, which is no quasi-identifier."
        raise InputError(problem, field="hierarchies", column=next(iter(strange)))
    found: dict[str, Hierarchy | str] = {}
    for name, given in hierarchies.items():
        if not isinstance(given, str) or not is_builder(given):
            found[name] = hierarchy_of(given, name)  # type: ignore[arg-type]
        elif given.strip() == "flat":
            found[name] = "flat"
    return found


def _linked(
    releases: Sequence[Classes], trees: Trees, domains: Sequence[Domain], wanted: Sequence[Requirement]
) -> tuple[Linked, list[JointVerdict]]:
    joint = joined(releases, trees)
    labels = tuple(each.label for each in releases[:-1])
    attributes, verdicts = {}, []
    for at, domain in enumerate(domains):
        said = Posteriors(domain, tuple(each.blocks[at] for each in releases), joint.classes)
        figures = _figures(said, releases, joint)
        left = said.found[0]
        signs = np.stack([each.signatures[at][joint.classes[:, place]] for place, each in enumerate(releases)])
        changed = int((signs != signs[0]).any(axis=0).sum())
        one = len(releases) == 2
        told = difference(releases[0], releases[1], at, few(wanted)) if one else None
        attributes[domain.name] = LinkedAttribute(figures, int((left == 0).sum()), changed, _m(releases, changed), told)
        for requirement in wanted:
            judged = requirement.model.key in JUDGED and requirement.any is None
            if judged and requirement.attribute in (None, domain.name):
                key = JUDGED[requirement.model.key]
                missed = len(said.failing(key, requirement.met_by, requirement.threshold))
                named = replace(requirement, attribute=domain.name)
                verdicts.append(JointVerdict(named, missed == 0, labels, figures.get(key), missed))
    people = None if joint.people is None else int(joint.people.sum())
    return Linked(labels, len(joint.classes), people, attributes), verdicts


def _m(releases: Sequence[Classes], changed: int) -> int:
    """Return the m by which releases are m-invariant: each class has m rows of different values, and keeps its set."""
    if changed or not all(each.unique for each in releases):
        return 0
    return min(int(each.sizes.min()) for each in releases)


def _figures(said: Posteriors, releases: Sequence[Classes], joint: Joint) -> dict[str, JointFigure]:
    found = {}
    for key in ("l", "alpha", "t"):
        worst = said.worst(key) if len(joint.classes) else None
        if worst is not None:
            value, tied = worst
            found[key] = JointFigure(key, value, _first(tied, releases, joint), len(tied))
    return found


def _first(tied: Integers, releases: Sequence[Classes], joint: Joint) -> JointClass:
    """Return, of joint classes that are equally bad, the first in the order of their classes."""
    number = int(tied[0])
    numbers = joint.classes[number].tolist()
    return JointClass(
        tuple(release.key(at) for release, at in zip(releases, numbers, strict=True)),
        tuple(int(release.sizes[at]) for release, at in zip(releases, numbers, strict=True)),
        None if joint.people is None else int(joint.people[number]),
    )
