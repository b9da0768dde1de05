"""Rows to counts of people in one stream of codes: the quick way, for tables whose codes fit into memory."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.domains import Observed
from tclose.engines.base import Progress
from tclose.engines.duckdb.codes import changed
from tclose.engines.duckdb.counts import CodedTable
from tclose.engines.duckdb.person_keys import PersonKey
from tclose.engines.duckdb.rows import RowCounts, SetCounts
from tclose.engines.duckdb.stream import RowStream
from tclose.engines.people import Census, Trajectories
from tclose.grouping import Batch, GroupedRows
from tclose.person_grouping import BYTES_AN_APPEARANCE, MOST_ROWS, GroupedPeople, PersonBatch
from tclose.person_texts import Texts

__all__ = ["MOST_ROWS", "PeopleCounts", "PeopleSets"]


class PeopleCounts(RowCounts):
    """Counts of people made from the codes of every row and the key of its person, held in memory."""

    sets_known = True
    _grouped: GroupedPeople

    def __init__(
        self,
        coded_table: CodedTable,
        stream: RowStream,
        threads: int,
        person: PersonKey,
        allowed: int,
        *,
        whole: bool = True,
    ) -> None:
        self._person = person
        self._whole = whole
        self._allowed = allowed
        super().__init__(coded_table, stream, threads)
        found = self._grouped
        self.census = Census(found.rows, found.people, found.several, found.missing)

    @property
    def tells_people(self) -> bool:
        """Whether it can say how many different people some classes have together, in the memory that is allowed."""
        return self._whole and self._grouped.appearances * BYTES_AN_APPEARANCE <= self._allowed

    def people_in(self, classes: NDArray[np.bool_]) -> int:
        """Return how many different people are in some classes."""
        return self._grouped.people_in(classes)

    def trajectories(self) -> Trajectories | None:
        """Return by which sets of classes people are told apart; None where that takes more memory than is allowed."""
        if not self.tells_people:
            return None
        people, classes = self._grouped.shared_sets()
        return Trajectories(
            people=int(people.sum()),
            several=int(people[classes > 1].sum()),
            different=len(people),
            unique=int(np.count_nonzero(people == 1)),
            smallest=int(people.min()),
        )

    @cached_property
    def _observed(self) -> list[tuple[Observed, Integers]]:
        return [self._with_sets(at, *found) for at, found in enumerate(super()._observed)]

    def _with_sets(self, at: int, observed: Observed, codes: Integers) -> tuple[Observed, Integers]:
        """Add the sets of values that people have, where somebody has several."""
        missing = next((code for value, code in zip(observed.listed, codes, strict=True) if value is None), None)
        if missing is not None:
            self._grouped.nothing[at] = int(missing)
        held = self._grouped.held(at)
        if held is None:
            return observed, codes
        places = np.full(len(self._grouped.code_counts[at]), -1, dtype=np.int32)
        places[codes] = np.arange(len(codes), dtype=np.int32)
        return replace(observed, people=held.sets.renumbered(places)), codes

    def _group(self, **taken: Any) -> GroupedRows:
        return GroupedPeople(**taken, person_span=self._person.span, whole=self._whole)

    def _batch(self, array: Any) -> Batch:
        *others, last = (array.child(at) for at in range(array.n_children))
        rows = self._coded_rows([self._column(child, array.length) for child in others], array.length)
        if self._person.text:
            valid, bounds, data = (np.asarray(last.view().buffer(at)) for at in range(3))
            bounds = bounds[last.offset : last.offset + array.length + 1]
            keys, texts = Texts.hashed(bounds, data.view(np.uint8), valid.view(np.uint8), last.offset)
            return PersonBatch(rows.words, rows.codes, keys, texts)
        persons = self._column(last, array.length)
        if len(persons) and int(persons.max()) >= self._person.span:
            raise changed()
        return PersonBatch(rows.words, rows.codes, persons)


class PeopleSets(SetCounts):
    """Counts of people in a table beyond memory: one set of whole classes after the other, each read anew."""

    def __init__(self, coded_table: CodedTable, threads: int, most_rows: int, person: PersonKey) -> None:
        super().__init__(coded_table, threads, most_rows)
        self._person = person

    def _row_counts(self, rows: int, progress: Progress, where: str) -> RowCounts:
        stream = RowStream(self._coded, rows, progress, where, self._person.expression)
        return PeopleCounts(self._coded, stream, self._threads, self._person, 0, whole=False)
