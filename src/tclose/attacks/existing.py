"""A release that exists, of this tool or another, laid out for attackers beside the table that it was made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tclose.attacks.answers import MISSING, Answers, texts_of
from tclose.attacks.crowds import Crowd
from tclose.attacks.published import read_cells
from tclose.attacks.scene import People, Scene
from tclose.attacks.seen import Seen
from tclose.counts import sparse_block
from tclose.engines.distinct import DistinctRows
from tclose.errors import InputError
from tclose.hierarchies import Hierarchy
from tclose.recoding.problem import Problem, numbered
from tclose.values.published import LEFT_OUT, excludes_nobody


def seen_release(
    problem: Problem,
    hierarchies: Sequence[Hierarchy],
    release: DistinctRows,
    at: int,
    labels: Mapping[str, str],
    *,
    own: bool = True,
) -> Seen:
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
    seen = Seen.laid_out(
        replace(problem, quasi=quasi), at, answers, cells, tuple(0 for _ in quasi), codes, people,
        (block.offsets, block.ranks.astype(np.int64), block.counts.astype(np.float64)),
    )  # fmt: skip
    if own:
        _check_covering(seen)
    return seen


def _left_out(text: str) -> bool:
    """Say whether a published sensitive value is none, because it was left out."""
    return text == MISSING or text in LEFT_OUT or excludes_nobody(text)


def _check_covering(seen: Seen) -> None:
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
    problem: Problem, seen: Seen, previous: Sequence[Seen], seed: int, crowd: Crowd | None = None
) -> Scene:
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
    return Scene(
        seen,
        People.of_rows(numbers, answers, problem.counts) if crowd is None else People.of_crowd(crowd, numbers, answers),
        None,
        finest,
        np.maximum(seen.sizes[finest].astype(np.int64), 1),
        seen.answers.labels,
        previous=tuple(previous),
        seed=seed,
    )
