"""The table divided at random: one half is released, and the other has people like them who are not in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.partition import Partition
from tclose.anonymization.algorithms.problem import Problem, numbered
from tclose.attacks.answers import Answers, texts_of
from tclose.attacks.attack_input import AttackInput, People
from tclose.attacks.person_rows import Crowd, by_rows
from tclose.attacks.release_view import ReleaseView
from tclose.engines.distinct import DistinctRows
from tclose.models.counts import Integers
from tclose.models.value_order import Observed


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
    members: Crowd | None = None
    """The people of the released half, where they may have several rows."""
    strangers: Crowd | None = None
    """Those of the other half."""

    @staticmethod
    def of(distinct: DistinctRows, seed: int, crowd: Crowd | None = None, *, turned: bool = False) -> Halves:
        """Return the halves of a table, drawn row by row, or person by person where a crowd says whose rows are.

        With ``turned`` the other half of the same division is the released one.
        """
        draw = np.random.default_rng([seed, 3])
        if crowd is None:
            counts = draw.multivariate_hypergeometric(distinct.counts, distinct.rows // 2, method="marginals")
            counts = distinct.counts - counts if turned else counts
            others = distinct.counts - counts
            return Halves(distinct, _of_rows(distinct, counts), np.flatnonzero(counts), others, seed)
        members, strangers = crowd.divided(draw)[:: -1 if turned else 1]
        number = len(distinct.counts)
        counts = members.people_of(np.arange(number), number)
        released = _of_people(_of_rows(distinct, counts), distinct, members)
        others = strangers.rows_of(number)
        return Halves(distinct, released, np.flatnonzero(counts), others, seed, members, strangers)

    @property
    def released_rows(self) -> int:
        """How many rows the released half has."""
        return self.whole.rows - int(self.others.sum())

    def scenes(
        self,
        problem: Problem,
        order: Integers,
        partition: Partition,
        again: Partition | None,
        labels: Sequence[Mapping[str, str]],
    ) -> list[AttackInput]:
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
        origins = np.zeros(len(codes), dtype=np.int64)
        origins[numbers] = groups[origin]
        seen_problem, seen_partition, classes = problem, partition, classes_of(problem, partition)
        if self.members is not None:
            counts = self.members.rows_of(len(self.whole.counts))[origin]
            seen_problem, seen_partition = by_rows(problem, counts), _by_rows(partition, counts)
            again = None if again is None else _by_rows(again, counts)
            classes = classes[0], self._people_in(place[groups], *classes)
        found = []
        for at in range(len(problem.domains)):
            seen = ReleaseView.of(seen_problem, seen_partition, at, labels[at], judged=self.members is None)
            answers, names = _answers(self.whole, origin, at, seen_problem.ranks[:, at], seen.answers, labels[at])
            found.append(
                AttackInput(
                    seen,
                    *self._people(place[groups], answers),
                    *classes,
                    names,
                    origins,
                    () if again is None else (ReleaseView.of(seen_problem, again, at, labels[at]),),
                    self.seed,
                )
            )
        return found

    def _people(self, combinations: Integers, answers: Integers) -> tuple[People, People]:
        """Return members and control, given the combination and the answer of every distinct row of the table."""
        if self.members is None or self.strangers is None:
            inside = People.of_rows(combinations, answers, self.whole.counts - self.others)
            return inside, People.of_rows(combinations, answers, self.others)
        return tuple(People.of_crowd(crowd, combinations, answers) for crowd in (self.members, self.strangers))  # type: ignore[return-value]

    def _people_in(self, combinations: Integers, classes: Integers, sizes: Integers) -> Integers:
        """Return how many people the class of each combination holds, everybody once."""
        if self.members is None:
            return sizes
        of_row = np.where(combinations >= 0, classes[np.maximum(combinations, 0)], -1)
        return self.members.people_of(of_row, int(classes.max(initial=0)) + 1)[classes]


def _answers(
    whole: DistinctRows,
    origin: Integers,
    at: int,
    ranks: NDArray[np.int32],
    answers: Answers,
    labels: Mapping[str, str],
) -> tuple[Integers, tuple[str, ...]]:
    """Return the answer of every distinct row of the whole table, and what answers are called.

    Those that nobody in the half has come after the others: no attacker gives them, so that whoever has one is claimed
    about wrongly. A row without a value that counts has none (−1).
    """
    codes = whole.sensitive_codes[:, at]
    names = {label: number for number, label in enumerate(answers.labels)}
    of_code = [
        names.setdefault(labels[text], len(names)) if text in labels else -1
        for text in texts_of(whole.sensitive[at].listed)
    ]
    rank_of = np.full(len(of_code), -1, dtype=np.int64)
    rank_of[codes[origin]] = ranks
    given = np.where(rank_of >= 0, answers.of_rank[np.maximum(rank_of, 0)], np.array(of_code, dtype=np.int64))
    return given[codes].astype(np.int64), tuple(names)


def _by_rows(partition: Partition, counts: Integers) -> Partition:
    """Return a release of people with all rows of everybody; given how many each distinct row stands for."""
    return replace(partition, counts=counts[partition.rows])


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


def _of_people(released: DistinctRows, whole: DistinctRows, members: Crowd) -> DistinctRows:
    """Return the distinct rows of a half with how many of its people have each value."""
    found = []
    for columns, some, codes in (
        (released.quasi, whole.quasi, whole.codes),
        (released.sensitive, whole.sensitive, whole.sensitive_codes),
    ):
        counts = [members.people_of(codes[:, at], len(seen.counts)) for at, seen in enumerate(some)]
        found.append([replace(seen, counts=n[n > 0]) for seen, n in zip(columns, counts, strict=True)])
    return replace(released, quasi=found[0], sensitive=found[1])


def _present(seen: Observed, codes: NDArray[np.int32], counts: Integers) -> tuple[Observed, NDArray[np.int32]]:
    """Return the values that occur with their counts, and the code of each row among them."""
    used, new = np.unique(codes, return_inverse=True)
    values = seen.values[used] if isinstance(seen.values, np.ndarray) else [seen.values[at] for at in used.tolist()]
    sums = np.bincount(new.ravel(), counts, len(used)).astype(np.int64)
    return replace(seen, values=values, counts=sums, people=None), new.ravel().astype(np.int32)
