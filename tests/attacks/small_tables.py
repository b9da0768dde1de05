"""Small tables, their releases by every assignment of sensitive values, and what whoever tries them all concludes."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from tclose import Roles
from tclose.anonymization.algorithms.catalogue import found
from tclose.anonymization.algorithms.partition import Partition, published
from tclose.anonymization.algorithms.search import Search
from tclose.anonymization.problem_setup import Frame, framed
from tclose.attacks.answers import answer_labels
from tclose.attacks.attack_input import AttackInput, People
from tclose.attacks.release_view import ReleaseView
from tclose.engines.distinct import DistinctRows
from tclose.models.catalogue import requirements
from tclose.models.value_order import Observed
from tclose.policy.policy import Policy

Combinations = tuple[tuple[int | str, ...], ...]


def distinct_rows(people: Combinations, values: Sequence[str]) -> DistinctRows:
    """Return the distinct rows of people with their sensitive values."""
    rows = Counter(zip(people, values, strict=True))
    columns = [*zip(*(person for person, _ in rows), strict=True), [value for _, value in rows]]
    counts = np.array(list(rows.values()), dtype=np.int64)
    attributes = []
    for column in columns:
        known = sorted(set(column))
        codes = np.array([known.index(cell) for cell in column], dtype=np.int32)
        kind = "number" if isinstance(known[0], int) else "text"
        sums = np.bincount(codes, counts, len(known)).astype(np.int64)
        attributes.append((Observed(known, sums, kind), codes))
    return DistinctRows.of(attributes, len(columns) - 1, counts)


def frame_of(people: Combinations, values: Sequence[str], require: Mapping[str, object]) -> Frame:
    """Return the problem of releasing people; columns of text are flat."""
    names = [f"q{at}" for at in range(len(people[0]))]
    flat = {name: "flat" for name, cell in zip(names, people[0], strict=True) if isinstance(cell, str)}
    return framed(
        distinct_rows(people, values),
        Roles(names, ["s:nominal"]),
        requirements(require),
        Policy().with_options({"hierarchies": flat}),
    )


def scene_of(frame: Frame, partition: Partition) -> AttackInput:
    """Return a release under attack, without a control group."""
    seen = ReleaseView.of(frame.problem, partition, 0, answer_labels(frame.problem.domains[0]))
    answers = seen.answers.of_rank[frame.problem.ranks[:, 0]].astype(np.int64)
    members = People.of_rows(frame.problem.tuples[0], answers, frame.problem.counts)
    alone = np.arange(len(seen.people))
    return AttackInput(seen, members, None, alone, np.ones_like(alone), seen.answers.labels)


def table_of(scene: AttackInput) -> np.ndarray:
    """Return how many members have each combination and answer."""
    return scene.members.rows_by(scene.members.number, (len(scene.seen.people), scene.seen.answers.number))


def published_view(frame: Frame, partition: Partition) -> frozenset[object]:
    """Return what everybody sees of a release: cells with how many rows of each value."""
    cells, seen = partition.cells, Counter()
    values = [str(value) for value in frame.problem.domains[0].values]
    for row, number, count in zip(partition.rows, partition.classes, partition.counts, strict=True):
        if number >= 0:
            key = tuple(tuple(part[number].tolist()) for part in (cells.levels, cells.first, cells.last))
            seen[key, values[frame.problem.ranks[row, 0]]] += int(count)
    return frozenset(seen.items())


@dataclass(frozen=True)
class Truth:
    """A release, how likely it is among those of all assignments, and the exact posterior of the insider."""

    scene: AttackInput
    share: float
    posterior: np.ndarray


@cache
def truths(people: Combinations, values: str, k: int, t: str, method: str, *, whole: bool) -> tuple[Truth, ...]:
    """Return every release that some assignment of the values to the people gives, with the exact posteriors."""
    seen: dict[frozenset[object], list[tuple[str, ...]]] = defaultdict(list)
    made = {}
    assignments = sorted(set(itertools.permutations(values)))
    for assigned in assignments:
        frame = frame_of(people, assigned, {"k": k, "t": t})
        best = found(method, frame.problem, Search(whole_classes=whole))
        if best is not None:
            partition = published(best.partition)
            view = published_view(frame, partition)
            seen[view].append(assigned)
            made.setdefault(view, (frame, partition))
    told = []
    for view, fitting in seen.items():
        scene = scene_of(*made[view])
        combinations = sorted(set(people))
        posterior = np.zeros((len(combinations), scene.seen.answers.number))
        for assigned in fitting:
            for person, value in zip(people, assigned, strict=True):
                posterior[combinations.index(person), scene.seen.answers.labels.index(value)] += 1
        told.append(Truth(scene, len(fitting) / len(assignments), posterior / posterior.sum(axis=1, keepdims=True)))
    return tuple(told)
