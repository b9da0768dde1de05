"""The table divided at random: one half is released, and the other has people like them who are not in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tclose.attacks.answers import Answers
from tclose.attacks.scene import Scene, tallied
from tclose.attacks.seen import Seen
from tclose.counts import Integers
from tclose.domains import Observed
from tclose.engines.distinct import DistinctRows
from tclose.recoding.partition import Partition
from tclose.recoding.problem import Problem, numbered


@dataclass(frozen=True)
class Halves:
    """The distinct rows of one half, and what is needed to find the people of the other half among them."""

    whole: DistinctRows
    released: DistinctRows
    rows: Integers
    """The distinct row of the whole table that each row of the released half is."""
    others: Integers
    """How many rows of the other half each distinct row of the whole table stands for."""
    seed: int

    @staticmethod
    def of(distinct: DistinctRows, seed: int) -> Halves:
        """Return the halves of a table, drawn row by row."""
        draw = np.random.default_rng([seed, 3])
        counts = draw.multivariate_hypergeometric(distinct.counts, distinct.rows // 2, method="marginals")
        return Halves(distinct, _of_rows(distinct, counts), np.flatnonzero(counts), distinct.counts - counts, seed)

    def scenes(
        self,
        problem: Problem,
        order: Integers,
        partition: Partition,
        again: Partition | None,
        labels: Sequence[Mapping[str, str]],
    ) -> list[Scene]:
        """Return the release of the half under attack, for each sensitive attribute.

        Parameters
        ----------
        problem
            The problem of the released half.
        order
            The distinct row of the half behind each row of the problem.
        partition
            Its release.
        again
            Another release of it, if there is one.
        labels
            For each attribute the answers that its values belong to.
        """
        origin = self.rows[order]
        numbers, codes = problem.tuples
        groups = numbered(self.whole.codes)
        place = np.full(int(groups.max(initial=0)) + 1, -1, dtype=np.int64)
        place[groups[origin]] = numbers
        found = []
        for at in range(len(problem.domains)):
            seen = Seen.of(problem, partition, at, labels[at])
            shape = (len(codes), seen.answers.number)
            answer_of = _answers(self.whole.sensitive_codes[:, at], origin, problem.ranks[:, at], seen.answers)
            found.append(
                Scene(
                    seen,
                    tallied(numbers, answer_of[self.whole.sensitive_codes[origin, at]], problem.counts, shape),
                    tallied(place[groups], answer_of[self.whole.sensitive_codes[:, at]], self.others, shape),
                    *classes_of(problem, partition),
                    () if again is None else (Seen.of(problem, again, at, labels[at]),),
                    self.seed,
                )
            )
        return found


def _answers(every: NDArray[np.int32], origin: Integers, ranks: NDArray[np.int32], answers: Answers) -> Integers:
    """Return the answer of each value of the whole table's attribute; −1 where the half has it not."""
    rank_of = np.full(int(every.max(initial=0)) + 1, -1, dtype=np.int64)
    rank_of[every[origin]] = ranks
    return np.where(rank_of >= 0, answers.of_rank[np.maximum(rank_of, 0)], -1).astype(np.int64)


def classes_of(problem: Problem, partition: Partition) -> tuple[Integers, Integers]:
    """Return, for each combination, the class that holds most of its rows, and its size; those left out are one."""
    numbers, codes = problem.tuples
    kept = partition.classes >= 0
    who, which = numbers[partition.rows[kept]], partition.classes[kept]
    pairs, place = np.unique(np.stack([who, which], axis=1), axis=0, return_inverse=True)
    held = np.bincount(place.ravel(), partition.counts[kept], len(pairs))
    order = np.lexsort((held, pairs[:, 0]))
    found = np.full(len(codes), partition.number, dtype=np.int64)
    found[pairs[order, 0]] = pairs[order, 1]
    return found, np.append(partition.sizes(), 1).astype(np.int64)[found]


def _of_rows(distinct: DistinctRows, counts: Integers) -> DistinctRows:
    """Return the distinct rows that some rows of a table have, with only the values that they have."""
    kept = np.flatnonzero(counts)
    weights = counts[kept]
    quasi = [_present(seen, distinct.codes[kept, at], weights) for at, seen in enumerate(distinct.quasi)]
    sensitive = [
        _present(seen, distinct.sensitive_codes[kept, at], weights) for at, seen in enumerate(distinct.sensitive)
    ]
    return DistinctRows(
        [seen for seen, _ in quasi],
        [seen for seen, _ in sensitive],
        np.stack([codes for _, codes in quasi], axis=1),
        np.stack([codes for _, codes in sensitive], axis=1),
        weights,
        int(weights.sum()),
    )


def _present(seen: Observed, codes: NDArray[np.int32], counts: Integers) -> tuple[Observed, NDArray[np.int32]]:
    """Return the values that occur with their counts, and the code of each row among them."""
    used, new = np.unique(codes, return_inverse=True)
    values = seen.values[used] if isinstance(seen.values, np.ndarray) else [seen.values[at] for at in used.tolist()]
    sums = np.bincount(new.ravel(), counts, len(used)).astype(np.int64)
    return replace(seen, values=values, counts=sums), new.ravel().astype(np.int32)
