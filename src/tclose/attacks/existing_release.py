"""A release that exists, of this tool or another, laid out for attackers beside the table that it was made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.partition import INTERVAL, Cells
from tclose.anonymization.algorithms.problem import Level, Problem, Quasi, numbered
from tclose.attacks.answers import MISSING, Answers, texts_of
from tclose.attacks.attack_input import AttackInput, People
from tclose.attacks.person_rows import Crowd
from tclose.attacks.release_view import ReleaseView
from tclose.auditing.composition.links import covering
from tclose.data.hierarchies import Hierarchy
from tclose.data.values import as_text, same_text
from tclose.data.values.published_cells import LEFT_OUT, excludes_nobody
from tclose.engines.distinct import DistinctRows
from tclose.errors import Ask, Hint, InputError
from tclose.models.counts import sparse_block
from tclose.models.value_order import Observed

# Published cells of any tool, read as the values of the original that they cover.


_NOBODY = -1
"""The node of a cell that covers no value, until all nodes of its level are numbered."""
Mask = NDArray[np.bool_]


def covered_values(name: str, values: Sequence[object], hierarchy: Hierarchy, cells: Observed) -> Mask:
    """Return which values of the original each cell of a column covers; refuse cells that mean nothing.

    Parameters
    ----------
    name
        The column.
    values
        The values of the original in their order; None is a missing value.
    hierarchy
        Its hierarchy, by whose labels cells may go.
    cells
        What the release publishes instead.
    """
    texts = [None if value is None else as_text(value) for value in values]
    labels: dict[str, list[int]] = {}
    for at, (value, text) in enumerate(zip(values, texts, strict=True)):
        if text is not None:
            above = (hierarchy.ancestor(text, level) for level in range(1, hierarchy.height + 1))
            for label in dict.fromkeys((text, same_text(value), *above)):
                labels.setdefault(label, []).append(at)
    found, strange = covering([None if cell is None else as_text(cell).strip() for cell in cells.listed], texts, labels)
    if strange.any():
        raise InputError(
            f"{int(strange.sum()):,} of {len(found):,} different cells of {name!r} in the release are neither values "
            "of the original nor intervals, sets or masks of them.",
            field="hierarchies",
            column=name,
            hint=Hint("Give the hierarchy that has them: {}.", Ask("hierarchies", "FILE", name)),
        )
    return found


def read_cells(
    quasi: Sequence[Quasi], hierarchies: Sequence[Hierarchy], published: Sequence[Observed], codes: NDArray[np.int32]
) -> tuple[tuple[Quasi, ...], Cells]:
    """Return the cells of classes as runs of values, or as nodes where they are none.

    Parameters
    ----------
    quasi, hierarchies
        The quasi-identifiers of the original.
    published
        The cells of each that the release has.
    codes
        Classes × quasi-identifiers: which of its cells each class publishes.
    """
    shape = codes.shape
    cells = Cells(np.zeros(shape, dtype=np.int16), np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32))
    columns = []
    for at, (each, tree) in enumerate(zip(quasi, hierarchies, strict=True)):
        masks = covered_values(each.name, each.values, tree, published[at])
        levels, forms = _levels(masks, len(each.values))
        form = np.array(forms)[codes[:, at]]
        cells.levels[:, at], cells.first[:, at], cells.last[:, at] = form.T
        columns.append(replace(each, levels=levels, places=np.linspace(0, 1, len(each.values)), steps=None))
    return tuple(columns), cells


def _levels(masks: Mask, values: int) -> tuple[tuple[Level, ...], list[tuple[int, int, int]]]:
    """Return levels that hold what is no run of values, and for each mask its level, first and last."""
    taken: list[NDArray[np.int32]] = []
    forms = []
    for mask in masks:
        where = np.flatnonzero(mask)
        if len(where) and where[-1] - where[0] + 1 == len(where):
            forms.append((INTERVAL, int(where[0]), int(where[-1])))
            continue
        level = next((at for at, nodes in enumerate(taken) if not nodes[mask].any()), len(taken))
        if level == len(taken):
            taken.append(np.zeros(values, dtype=np.int32))
        node = int(taken[level].max(initial=0)) + 1
        taken[level][mask] = node
        forms.append((level, node, node) if len(where) else (level, _NOBODY, _NOBODY))
    nobody = [int(nodes.max(initial=0)) + 1 for nodes in taken]
    return tuple(_level(nodes) for nodes in taken), [
        (level, nobody[level], nobody[level]) if first == _NOBODY else (level, first, last)
        for level, first, last in forms
    ]


def _level(nodes: NDArray[np.int32]) -> Level:
    number = int(nodes.max(initial=0)) + 2  # 0: every other value; the last: none
    leaves = np.bincount(nodes, minlength=number)
    return Level(nodes, tuple(map(str, range(number))), leaves, np.maximum(leaves - 1, 0) / max(len(nodes) - 1, 1))


def seen_release(
    problem: Problem,
    hierarchies: Sequence[Hierarchy],
    release: DistinctRows,
    at: int,
    labels: Mapping[str, str],
    *,
    own: bool = True,
) -> ReleaseView:
    """Return what is seen of a release by whoever knows the people of a table.

    Parameters
    ----------
    problem, hierarchies
        The table, with its hierarchies.
    release
        The distinct rows of the release, with the same columns.
    at
        The sensitive attribute.
    labels
        The answer that each of its values belongs to.
    own
        Whether everybody in the release is one of these people, so that it has no other values.
    """
    answers = Answers.of(problem.domains[at], labels)
    number_of = {label: place for place, label in enumerate(answers.labels)}
    texts = texts_of(release.sensitive[at].listed)
    unknown = sum(text not in labels and not _left_out(text) for text in texts)
    if unknown and own:
        raise InputError(
            f"The release has {unknown:,} values of {problem.domains[at].name!r} that the original has not; attackers "
            "conclude about a sensitive attribute that is published as it is."
        )
    answer_of = np.array([number_of.get(labels.get(text, ""), -1) for text in texts], dtype=np.int32)
    classes = numbered(release.codes)
    first = np.unique(classes, return_index=True)[1]
    quasi, cells = read_cells(problem.quasi, hierarchies, release.quasi, release.codes[first])
    block = sparse_block(classes, answer_of[release.sensitive_codes[:, at]], release.counts, len(first))
    numbers, codes = problem.tuples
    known = problem.ranks[:, at] >= 0
    people = np.bincount(numbers[known], problem.counts[known], len(codes)).astype(np.float64)
    seen = ReleaseView.laid_out(
        replace(problem, quasi=quasi), at, answers, cells, tuple(0 for _ in quasi), codes, people,
        (block.offsets, block.ranks.astype(np.int64), block.counts.astype(np.float64)),
    )  # fmt: skip
    if own:
        _check_covering(seen)
    return seen


def _left_out(text: str) -> bool:
    """Say whether a published sensitive value is none, because it was left out."""
    return text == MISSING or text in LEFT_OUT or excludes_nobody(text)


def _check_covering(seen: ReleaseView) -> None:
    """Refuse a release with classes that nobody of the original can be in: their cells mean something else."""
    there = np.zeros(len(seen.volumes), dtype=bool)
    there[seen.classes] = True
    alone = ~there[: seen.number]
    if alone.any() and not seen.shortened:
        rows = int(seen.sizes[: seen.number][alone].sum())
        raise InputError(
            f"{rows:,} rows of the release are in classes whose cells cover nobody of the original, so that it is not "
            "a release of it, or its cells are no generalisations: means and noise cannot be attacked so."
        )


def existing_scene(
    problem: Problem, seen: ReleaseView, previous: Sequence[ReleaseView], seed: int, crowd: Crowd | None = None
) -> AttackInput:
    """Return a release under attack, without a control group: everybody of the original is taken to be in it.

    Parameters
    ----------
    problem
        The original.
    seen, previous
        The release, and others about its people.
    seed
        Decides what is left to chance.
    crowd
        Whose the rows of the problem are, where people may have several.
    """
    numbers, _ = problem.tuples
    ranks = problem.ranks[:, seen.attribute]
    answers = np.where(ranks >= 0, seen.answers.of_rank[np.maximum(ranks, 0)], -1).astype(np.int64)
    finest = seen.classes[seen.starts[:-1]]
    return AttackInput(
        seen,
        People.of_rows(numbers, answers, problem.counts) if crowd is None else People.of_crowd(crowd, numbers, answers),
        None,
        finest,
        np.maximum(seen.sizes[finest].astype(np.int64), 1),
        seen.answers.labels,
        previous=tuple(previous),
        seed=seed,
    )
