"""From the distinct rows that an engine counted to the problem that methods search."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np

from tclose.domains import Domain, Observed, arranged
from tclose.engines.interface import DistinctRows
from tclose.errors import HierarchyError, InputError, RoleConflictError, ThresholdError, counted, listed
from tclose.hierarchies import (
    Hierarchy,
    builder_meant,
    built_hierarchy,
    hierarchy_of,
    inferred_hierarchy,
    is_builder,
    named,
)
from tclose.measuring import Task
from tclose.models.catalogue import Requirement
from tclose.recoding.problem import Problem, Quasi
from tclose.recoding.quasi import prepared
from tclose.roles import Nominal, Ordered, Roles

GivenHierarchy = Hierarchy | Path | str | Mapping[str, object]
"""A hierarchy as a person gives it: itself, a file, a nested mapping, or words such as ``"intervals:5,10"``."""
_NOT_LINES = ("mask", "flat")
"""Words for hierarchies that take numbers for codes, so that no interval of them is published."""
Levels = int | tuple[int, int]
"""A level that a column must be published on, or the finest and the coarsest that it may be."""


@dataclass(frozen=True)
class Wishes:
    """What a person asks for beyond the requirements."""

    hierarchies: Mapping[str, GivenHierarchy] = field(default_factory=dict)
    levels: Mapping[str, Levels] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    suppress: Fraction = Fraction(0)
    intervals: bool = True
    seed: int = 0


@dataclass(frozen=True)
class Frame:
    """A problem, with what is needed to speak of it: hierarchies, names, and what was assumed."""

    problem: Problem
    hierarchies: tuple[Hierarchy, ...]
    attributes: tuple[tuple[str, ...], ...]
    """The columns of each sensitive attribute; several make one joint attribute."""
    distinct: DistinctRows = field(repr=False)
    to_distinct: tuple[np.ndarray, ...] = field(repr=False)
    """For each quasi-identifier, the position among the engine's values of each code of the problem."""
    rows: np.ndarray = field(repr=False)
    """The engine's distinct row behind each row of the problem."""
    notes: tuple[str, ...]

    def original(self) -> dict[tuple[str, ...], Observed]:
        """Return the distribution of each attribute in the original table."""
        return dict(zip(self.attributes, self.distinct.sensitive, strict=True))

    def settled(self, roles: Roles) -> Roles:
        """Return the roles with the order of categories that the table itself declares, which no file keeps."""
        distances = dict(roles.sensitive)
        for names, domain in zip(self.attributes, self.problem.domains, strict=True):
            if isinstance(domain.distance, Ordered) and not isinstance(domain.distance.order, str):
                distances[names[0]] = domain.distance
        return Roles(roles.quasi, distances, roles.identifiers, roles.together)


def attributes_of(roles: Roles) -> tuple[tuple[str, ...], ...]:
    """Return the columns of each sensitive attribute that is judged on its own."""
    names = tuple(roles.sensitive)
    if roles.together == "quasi" and len(names) > 1:
        raise RoleConflictError(
            "A release is judged by each sensitive attribute alone or by all jointly; together='quasi' is for audits."
        )
    return (names,) if roles.together == "joint" and len(names) > 1 else tuple((name,) for name in names)


def framed(distinct: DistinctRows, roles: Roles, wanted: Sequence[Requirement], wishes: Wishes) -> Frame:
    """Return the problem of making a release.

    Parameters
    ----------
    distinct
        The distinct rows of the table.
    roles
        Which column is what.
    wanted
        What the release must meet.
    wishes
        Hierarchies, levels, weights and limits.
    """
    _check_names(roles, wishes)
    every = [*((name,) for name in roles.quasi), *attributes_of(roles)]
    for names, observed in zip(every, [*distinct.quasi, *distinct.sensitive], strict=True):
        _check_spelled(names, observed)
    notes: list[str] = []
    columns = [
        _quasi(name, observed, wishes, notes) for name, observed in zip(roles.quasi, distinct.quasi, strict=True)
    ]
    attributes = attributes_of(roles)
    domains, ranks = [], []
    for at, (names, observed) in enumerate(zip(attributes, distinct.sensitive, strict=True)):
        distance = Nominal() if len(names) > 1 else roles.sensitive[names[0]]
        domain, rank_of = arranged(" × ".join(names), observed, distance)
        domains.append(domain)
        ranks.append(rank_of[distinct.sensitive_codes[:, at]])
    codes = np.stack([code_of[distinct.codes[:, at]] for at, (_, code_of, _) in enumerate(columns)], axis=1)
    shape = (len(codes), len(domains))
    ranked = np.stack(ranks, axis=1).astype(np.int32) if ranks else np.zeros(shape, dtype=np.int32)
    order = np.lexsort((*ranked.T[::-1], *codes.T[::-1]))
    problem = Problem(
        quasi=tuple(quasi for quasi, _, _ in columns),
        codes=np.ascontiguousarray(codes[order], dtype=np.int32),
        ranks=np.ascontiguousarray(ranked[order]),
        counts=distinct.counts[order],
        domains=tuple(domains),
        tasks=_tasks(wanted, domains),
        suppress=wishes.suppress,
        seed=wishes.seed,
    )
    notes += [f"{domain.name}: {note}" for domain in domains for note in domain.notes]
    notes += [
        f"{task.model.title}: required of every class, which is stricter than on average."
        for task in problem.tasks
        if task.model.averaged
    ]
    back = tuple(np.argsort(code_of) for _, code_of, _ in columns)
    return Frame(problem, tuple(tree for _, _, tree in columns), attributes, distinct, back, order, tuple(notes))


def _check_names(roles: Roles, wishes: Wishes) -> None:
    for what, given in (("hierarchy", wishes.hierarchies), ("level", wishes.levels), ("weight", wishes.weights)):
        strangers = [name for name in given if name not in roles.quasi]
        if strangers:
            raise InputError(f"A {what} is given for {listed(strangers)}, which is no quasi-identifier.")


def _check_spelled(names: tuple[str, ...], observed: Observed) -> None:
    """Refuse values that a recipe cannot spell so that they read as the same values again."""
    values = _values(observed)
    for at, name in enumerate(names):
        parts = (value[at] if len(names) > 1 else value for value in values)  # type: ignore[index]
        if any(isinstance(part, dt.timedelta | bytes | bytearray) for part in parts):
            raise InputError(
                f"The column {name!r} holds durations or bytes, which cannot be recoded; make it text or a number, or "
                "leave it without a role."
            )


def _quasi(name: str, observed: Observed, wishes: Wishes, notes: list[str]) -> tuple[Quasi, np.ndarray, Hierarchy]:
    given = wishes.hierarchies.get(name)
    inferred, intervals = True, wishes.intervals
    if given is None:
        tree = _inferred(name, observed, notes)
    elif isinstance(given, str) and is_builder(given):
        with named(name):
            tree = built_hierarchy(given, _values(observed), observed.counts, observed.kind, observed.categories)
        if given.partition(":")[0].strip() in _NOT_LINES:
            inferred = intervals = False
    else:
        tree, inferred = _given(name, given), False
    if _ambiguous(tree):
        notes.append(f"{name}: a label of its hierarchy stands on two levels for different values; readers see one.")
    weight = _weight(name, wishes)
    span = _span(name, wishes.levels.get(name))
    quasi, codes = prepared(name, observed, tree, inferred=inferred, intervals=intervals, levels=span, weight=weight)
    return quasi, codes, tree


def _values(observed: Observed) -> list[object]:
    return observed.values.tolist() if isinstance(observed.values, np.ndarray) else list(observed.values)


def _inferred(name: str, observed: Observed, notes: list[str]) -> Hierarchy:
    """Return the hierarchy that the values of a column show, or say how to give one."""
    values = _values(observed)
    with named(name):
        tree = inferred_hierarchy(values, observed.counts, observed.kind, observed.categories)
    if tree is None:
        raise HierarchyError(
            f"The quasi-identifier {name!r} is text of {counted(len(values), 'value')} and has no hierarchy, so "
            f"nothing says how to generalise it. Give one, --hierarchy {name}=FILE, or say that its values are "
            f"kept or replaced by * as a whole, --hierarchy {name}=flat."
        )
    if tree.height > 1:
        notes.append(f"{name}: a hierarchy of {tree.height + 1} levels was made from its values.")
    return tree


def _given(name: str, given: GivenHierarchy) -> Hierarchy:
    """Return the hierarchy that a person gave, or ask whether words were meant instead of a file that is not there."""
    try:
        return hierarchy_of(given, name)
    except HierarchyError as error:
        meant = builder_meant(given) if isinstance(given, str) else None
        if meant is None:
            raise
        raise HierarchyError(f"{error} Did you mean {meant!r}?") from None


def _weight(name: str, wishes: Wishes) -> float:
    given = wishes.weights.get(name, 1.0)
    try:
        weight = float(given)
    except (TypeError, ValueError):
        weight = 0.0
    if not 0 < weight <= 1e9:
        raise InputError(f"The weight of {name!r} must be a number of more than 0.")
    return weight


def _ambiguous(tree: Hierarchy) -> bool:
    """Say whether a label stands for more values on one level than on another."""
    sizes: dict[str, int] = {}
    for level in range(tree.height + 1):
        for label, values in Counter(row[level] for row in tree.rows).items():
            if sizes.setdefault(label, values) != values:
                return True
    return False


def _span(name: str, given: object) -> tuple[int, int] | None:
    """Return the finest and the coarsest level that were given, if any."""
    if given is None:
        return None
    levels = [given, given] if isinstance(given, int) else list(given) if isinstance(given, tuple | list) else []
    if len(levels) != 2 or not all(isinstance(level, int) and not isinstance(level, bool) for level in levels):
        raise InputError(
            f"The level of {name!r} is a whole number, or two: the finest and the coarsest, such as (0, 2)."
        )
    return levels[0], levels[1]


def _tasks(wanted: Sequence[Requirement], domains: Sequence[Domain]) -> tuple[Task, ...]:
    """Return what is judged: table requirements once, attribute requirements for each attribute they name."""
    tasks = []
    for requirement in wanted:
        model = requirement.model
        if model.needs_population or model.needs_supersets:
            raise ThresholdError(
                f"{model.title} cannot be enforced: it depends on more than the class itself. Audit the release for it."
            )
        if model.scope == "table":
            tasks.append(Task(model, None, (requirement,)))
            continue
        fitting = [at for at, domain in enumerate(domains) if requirement.attribute in (None, domain.name)]
        if not fitting:
            raise RoleConflictError(f"{model.title} is required, but there is no sensitive attribute (-s NAME).")
        for at in fitting:
            refusal = model.refusal(domains[at])
            if refusal:
                raise InputError(f"{model.title} cannot be required of {domains[at].name!r}: it {refusal}.")
            tasks.append(Task(model, at, (requirement,)))
    return tuple(tasks)
