"""From the distinct rows that an engine counted to the problem that methods search."""

from __future__ import annotations

import datetime as dt
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from tclose.anonymization.algorithms.interval_ends import ENOUGH
from tclose.anonymization.algorithms.partition import Partition
from tclose.anonymization.algorithms.problem import Problem, Quasi
from tclose.anonymization.algorithms.quasi_identifiers import bands_of, prepared
from tclose.anonymization.counted_people import CountedPeople
from tclose.data.hierarchies import (
    Hierarchy,
    builder_meant,
    built_hierarchy,
    hierarchy_of,
    inferred_hierarchy,
    is_builder,
    named,
)
from tclose.data.progress import Report, silent, told_each
from tclose.data.values import as_text
from tclose.engines.distinct import DistinctRows, lexicographic
from tclose.errors import (
    Ask,
    HierarchyError,
    Hint,
    InputError,
    InternalError,
    Note,
    Problems,
    RoleConflictError,
    ThresholdError,
    counted,
    listed,
)
from tclose.models.catalogue import Requirement, columns_known
from tclose.models.domains import Domain, arranged
from tclose.models.measuring import Task
from tclose.models.subsets import check_subsets
from tclose.models.value_order import Observed, null_asked
from tclose.policy.parts import GivenHierarchy
from tclose.policy.policy import ColumnOptions, Policy
from tclose.policy.profiling.proposals import proposed_hierarchy
from tclose.policy.roles import Nominal, Ordered, Roles

_NOT_LINES = ("mask", "flat")
"""Words for hierarchies that take numbers for codes, so that no interval of them is published."""


@dataclass(frozen=True)
class Frame:
    """A problem, with what is needed to speak of it: hierarchies, names, and what was assumed."""

    problem: Problem
    hierarchies: tuple[Hierarchy, ...]
    attributes: tuple[tuple[str, ...], ...]
    """The columns of each sensitive attribute; several make one joint attribute."""
    distinct: DistinctRows = field(repr=False)
    rows: np.ndarray = field(repr=False)
    """The engine's distinct row behind each row of the problem."""
    notes: tuple[Note, ...]
    people: CountedPeople | None = None
    """How many people distinct rows bring to their classes, where that is known."""

    def original(self) -> dict[tuple[str, ...], Observed]:
        """Return the distribution of each attribute in the original table."""
        return dict(zip(self.attributes, self.distinct.sensitive, strict=True))

    def by_rows(self, partition: Partition) -> tuple[Problem, Partition]:
        """Return the problem and a release of it with each distinct row counted by itself."""
        if self.people is None:
            return self.problem, partition
        counts = self.distinct.counts[self.rows]
        problem = replace(self.problem, counts=counts, masses=None, people=None)
        return problem, replace(partition, counts=counts[partition.rows])

    def settled(self, roles: Roles) -> Roles:
        """Return the roles with the order of categories that the table itself declares, which no file keeps."""
        distances = dict(roles.sensitive)
        for names, domain in zip(self.attributes, self.problem.domains, strict=True):
            if isinstance(domain.distance, Ordered) and not isinstance(domain.distance.order, str):
                distances[names[0]] = domain.distance
        return replace(roles, sensitive=distances)


def attributes_of(roles: Roles) -> tuple[tuple[str, ...], ...]:
    """Return the columns of each sensitive attribute that is judged on its own."""
    names = tuple(roles.sensitive)
    if roles.together == "quasi" and len(names) > 1:
        raise RoleConflictError(
            "A release is judged by each sensitive attribute alone or by all jointly; together='quasi' is for audits.",
            field="together",
        )
    return (names,) if roles.together == "joint" and len(names) > 1 else tuple((name,) for name in names)


def framed(
    distinct: DistinctRows,
    roles: Roles,
    wanted: Sequence[Requirement],
    policy: Policy,
    tell: Report = silent,
    people: CountedPeople | None = None,
) -> Frame:
    """Return the problem of making a release.

    Parameters
    ----------
    distinct
        The distinct rows of the table.
    roles
        Which column is what.
    wanted
        What the release must meet.
    policy
        Hierarchies, levels, weights, limits and the seed.
    tell
        Told how far the work is.
    people
        How many people distinct rows bring to their classes, where that is known.
    """
    check_names(roles, policy.columns)
    problems = Problems()
    every = [*((name,) for name in roles.quasi), *attributes_of(roles)]
    for names, observed in zip(every, [*distinct.quasi, *distinct.sensitive], strict=True):
        with problems.caught():
            _check_spelled(names, observed)
    notes: list[Note] = []
    columns = _columns(roles.quasi, distinct.quasi, policy, least_cell(wanted), notes, tell, problems)
    tell("Putting rows in order", 0.0)
    attributes = attributes_of(roles)
    domains, ranks, held = [], [], []
    for at, (names, observed) in enumerate(zip(attributes, distinct.sensitive, strict=True)):
        distance = Nominal() if len(names) > 1 else roles.sensitive[names[0]]
        with problems.caught():
            # A search adds up distinct rows: which of them are one person's is for the audit of what it finds.
            domain, rank_of = arranged(" × ".join(names), replace(observed, people=None), distance)
            domains.append(domain)
            known = None if people is None or people.held is None else people.held[at]
            held.append(None if known is None else known.ranked(rank_of))
            ranks.append(rank_of[distinct.sensitive_codes[:, at]])
    tasks: tuple[Task, ...] = ()
    if len(domains) == len(attributes):
        with problems.caught():
            tasks = tasks_of(wanted, domains)
    problems.check()
    codes = np.stack([code_of[distinct.codes[:, at]] for at, (_, code_of, _) in enumerate(columns)], axis=1)
    shape = (len(codes), len(domains))
    ranked = np.stack(ranks, axis=1).astype(np.int32) if ranks else np.zeros(shape, dtype=np.int32)
    spans = [*(len(quasi.values) for quasi, _, _ in columns), *(len(domain.counts) + 1 for domain in domains)]
    order = lexicographic(np.concatenate([codes, ranked + 1], axis=1), spans)
    check_subsets(len(roles.quasi), columns_known(wanted) or 1)
    problem = Problem(
        quasi=tuple(quasi for quasi, _, _ in columns),
        codes=np.ascontiguousarray(codes[order], dtype=np.int32),
        ranks=np.ascontiguousarray(ranked[order]),
        counts=(distinct.counts if people is None else people.heads)[order],
        masses=None if people is None else people.masses[order],
        people=None if people is None or people.held is None else tuple(each and each.only(order) for each in held),
        domains=tuple(domains),
        tasks=tasks,
        suppress=policy.release.suppressed_share,
        seed=policy.release.seed or 0,
        adds_up=roles.person is None,
    )
    notes += [replace(note, text=f"{domain.name}: {note.text}") for domain in domains for note in domain.notes]
    notes += [
        Note(
            "average-of-every-class", f"{task.model.title}: required of every class, which is stricter than on average."
        )
        for task in problem.tasks
        if task.model.averaged
    ]
    return Frame(problem, tuple(tree for _, _, tree in columns), attributes, distinct, order, tuple(notes), people)


_FIELDS = {"hierarchy": "hierarchies", "level": "levels", "weight": "weights"}


def check_names(roles: Roles, columns: ColumnOptions) -> None:
    """Refuse hierarchies, levels and weights of columns that are no quasi-identifiers."""
    problems = Problems()
    for what, given in (("hierarchy", columns.hierarchies), ("level", columns.levels), ("weight", columns.weights)):
        unmatched = [name for name in given if name not in roles.quasi]
        if unmatched:
            with problems.caught():
                raise InputError(
                    f"A {what} is given for {listed(unmatched)}, which is no quasi-identifier.",
                    field=_FIELDS[what],
                    column=unmatched[0],
                )
    problems.check()


def _check_spelled(names: tuple[str, ...], observed: Observed) -> None:
    """Refuse values that a recipe cannot spell so that they read as the same values again."""
    values = observed.listed
    for at, name in enumerate(names):
        parts = (value[at] if len(names) > 1 else value for value in values)  # type: ignore[index]
        if any(isinstance(part, dt.timedelta | bytes | bytearray) for part in parts):
            raise InputError(
                f"The column {name!r} holds durations or bytes, which cannot be recoded.",
                column=name,
                hint=Hint("Make it text or a number, or give it no role."),
            )


def least_cell(wanted: Sequence[Requirement]) -> int:
    """Return how many people a cell beside a cut must hold: as many as a class, or enough where no size is required."""
    sizes = [requirement.model.least_size(requirement.threshold) for requirement in wanted]
    least = max([1, *(math.ceil(size) for size in sizes if size is not None and size != math.inf)])
    return least if least > 1 else ENOUGH


@dataclass(frozen=True)
class _Tree:
    """The hierarchy of a quasi-identifier, None where there is none, and how it came about."""

    hierarchy: Hierarchy | None
    inferred: bool
    on_line: bool = True


def _tree(name: str, observed: Observed, given: GivenHierarchy | None, least: int, notes: list[Note]) -> _Tree:
    if given is None:
        return _Tree(_inferred(name, observed, least, notes), inferred=True)
    if isinstance(given, str) and is_builder(given):
        with named(name):
            tree = built_hierarchy(
                given,
                observed.listed,
                observed.counts,
                observed.kind,
                observed.categories,
                partial(bands_of, observed, least),
            )
        line = given.partition(":")[0].strip() not in _NOT_LINES
        return _Tree(tree, inferred=line, on_line=line)
    texts = [as_text(value) for value in observed.listed if value is not None]
    tree = _given(name, given).naming(texts, observed.kind, observed.spelling)
    return _Tree(tree, inferred=False)


def _columns(
    names: Sequence[str],
    observed: Sequence[Observed],
    policy: Policy,
    least: int,
    notes: list[Note],
    tell: Report,
    problems: Problems,
) -> list[tuple[Quasi, np.ndarray, Hierarchy]]:
    """Return the quasi-identifiers, the code of each of their values, and their hierarchies, but for problems."""
    seen = dict(zip(names, observed, strict=True))
    given = policy.columns.hierarchies
    trees: dict[str, _Tree] = {}
    for name in told_each(seen, tell, "Making hierarchies"):
        with problems.caught():
            trees[name] = _tree(name, seen[name], given.get(name), least, notes)
    with problems.caught():
        _check_trees(trees, [seen[name] for name in trees])
    columns = []
    for name in told_each(seen, tell, "Reading hierarchies"):
        if name in trees and trees[name].hierarchy is not None:
            with problems.caught():
                columns.append(_quasi(name, seen[name], trees[name], policy, least, notes))
    return columns


def _check_trees(trees: Mapping[str, _Tree], observed: Sequence[Observed]) -> None:
    """Refuse columns that nothing says how to generalise, all of them at once."""
    names = [name for name, tree in trees.items() if tree.hierarchy is None]
    if not names:
        return
    one, first = len(names) == 1, names[0]
    values = len(observed[list(trees).index(first)].listed)
    what = f"{first!r} is text of {counted(values, 'value')} and has" if one else f"{listed(names)} are text and have"
    words = _words_among_codes(trees, observed)
    seen = dict(zip(trees, observed, strict=True))
    proposed = {name: proposed_hierarchy(seen[name]) or "flat" for name in names}
    missing = " If the others stand for missing values, say so with {}; codes then need no hierarchy." if words else ""
    raise HierarchyError(
        f"The quasi-identifier{'' if one else 's'} {what} no hierarchy, so nothing says how to generalise "
        f"{'it' if one else 'them'}.{words}",
        code="no-hierarchy",
        field="hierarchies",
        column=first,
        hint=Hint(
            f"Give {{}}, such as {{}}, or start from {{}}.{missing}",
            "one" if one else "one for each",
            Ask("hierarchies", "FILE", first),
            Ask("hierarchies", proposed[first], first) if one else Ask("hierarchies", proposed),
            *([null_asked()] if words else []),
        ),
    )


def _words_among_codes(trees: Mapping[str, _Tree], observed: Sequence[Observed]) -> str:
    """Return which columns without a hierarchy have values with digits, but for a few such as ``NA``."""
    columns: list[str] = []
    for (name, tree), values in zip(trees.items(), observed, strict=True):
        texts = [value for value in values.listed if isinstance(value, str)]
        words = sum(not any(map(str.isdigit, text)) for text in texts)
        if tree.hierarchy is None and 0 < 2 * words < len(texts):
            columns.append(f"{name!r} (all but {words:,} of {len(texts):,})")
    if not columns:
        return ""
    return f" Most values have digits in {', '.join(columns)}."


def _quasi(
    name: str, observed: Observed, found: _Tree, policy: Policy, least: int, notes: list[Note]
) -> tuple[Quasi, np.ndarray, Hierarchy]:
    tree = found.hierarchy
    if tree is None:
        raise InternalError(f"The column {name!r} was framed without a hierarchy.")
    check_labels(name, tree)
    if _ambiguous(tree):
        text = f"{name}: its hierarchy has the same label on two levels for different values."
        notes.append(Note("label-on-two-levels", text, column=name))
    level = policy.columns.levels.get(name)
    quasi, codes = prepared(
        name,
        observed,
        tree,
        inferred=found.inferred,
        intervals=policy.release.intervals,
        on_line=found.on_line,
        levels=(level, level) if isinstance(level, int) else level,
        weight=policy.columns.weights.get(name, 1.0),
        least=least,
    )
    return quasi, codes, tree


def _inferred(name: str, observed: Observed, least: int, notes: list[Note]) -> Hierarchy | None:
    """Return the hierarchy that the values of a column show; None where they show none."""
    values = observed.listed
    with named(name):
        tree = inferred_hierarchy(
            values, observed.counts, observed.kind, observed.categories, partial(bands_of, observed, least)
        )
    if tree is None:
        return None
    if tree.height > 1:
        notes.append(Note("hierarchy-inferred", f"{name}: a hierarchy was made from its values.", column=name))
    return tree


def _given(name: str, given: GivenHierarchy) -> Hierarchy:
    """Return the hierarchy that a person gave, or ask whether words were meant instead of a file that is not there."""
    try:
        return hierarchy_of(given, name)
    except HierarchyError as error:
        meant = builder_meant(given) if isinstance(given, str) else None
        if meant is None:
            raise
        error.hint = Hint("Did you mean {}?", repr(meant))
        raise


def check_labels(name: str, tree: Hierarchy) -> None:
    """Refuse a label that means other values on a level below: a reader would take the ones for the others.

    What is on a level lies within one node of each level above, so that one value of a node tells where all of it is.
    """
    below: dict[str, int] = {}
    for level in range(tree.height + 1):
        first = {row[level]: at for at, row in reversed(list(enumerate(tree.rows)))}
        for label in first.keys() & below.keys():
            if tree.rows[below[label]][level] != label:
                raise HierarchyError(
                    f"The hierarchy of {name!r} has a label on level {level} that stands for other values on a lower "
                    "level: readers of a release could not tell which.",
                    field="hierarchies",
                    column=name,
                    hint=Hint("Rename it."),
                )
        below = {**first, **below}


def _ambiguous(tree: Hierarchy) -> bool:
    """Say whether a label stands for more values on one level than on another."""
    sizes: dict[str, int] = {}
    for level in range(tree.height + 1):
        for label, values in Counter(row[level] for row in tree.rows).items():
            if sizes.setdefault(label, values) != values:
                return True
    return False


def tasks_of(wanted: Sequence[Requirement], domains: Sequence[Domain]) -> tuple[Task, ...]:
    """Return what is judged: table requirements once, attribute requirements for each attribute they name."""
    tasks = []
    for requirement in wanted:
        model = requirement.model
        if model.needs_population or model.needs_supersets:
            raise ThresholdError(
                f"{model.title} cannot be enforced: it depends on more than the class itself.",
                field=model.key,
                hint=Hint("Audit the release for it."),
            )
        if model.scope == "table":
            tasks.append(Task(model, None, (requirement,)))
            continue
        fitting = [at for at, domain in enumerate(domains) if requirement.attribute in (None, domain.name)]
        if not fitting:
            raise RoleConflictError(
                f"{model.title} is required, but there is no sensitive attribute.",
                field="sensitive",
                hint=Hint("Name one: {}.", Ask("sensitive")),
            )
        for at in fitting:
            refusal = model.refusal(domains[at])
            if refusal:
                raise InputError(
                    f"{model.title} cannot be required of {domains[at].name!r}: it {refusal}.",
                    field=model.key,
                    column=domains[at].name,
                )
            tasks.append(Task(model, at, (requirement,)))
    return tuple(tasks)
