"""Rows to counts of people in one stream of codes: the quick way, for tables whose codes fit into memory."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.engines.base import Progress
from tclose.engines.duckdb.codes import SALTS, WORD, changed, hash_of, offset_coding, smallest_type
from tclose.engines.duckdb.counts import CodedTable
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.rows import RowCounts, RowStream, SetCounts
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable
from tclose.engines.grouping import Batch, GroupedRows
from tclose.engines.histories import Held
from tclose.engines.people import Census, Trajectories
from tclose.engines.person_grouping import BYTES_AN_APPEARANCE, GroupedPeople, PersonBatch
from tclose.engines.person_grouping import MOST_ROWS as MOST_ROWS
from tclose.engines.person_texts import Texts
from tclose.errors import InternalError
from tclose.models.counts import Integers
from tclose.models.value_order import Observed

# Whose a row is, in SQL: a whole number, 0 for nobody's and never the same for two people; or a text.


_NARROWEST = 1 << 32
"""Keys below this have 32 bits, others 64."""
_FAR = 1 << 64
_BYTES_A_TEXT = 20
"""Where a text begins, how long it is, before and after it is dealt, and what fills its last word."""
_SOME = 10_000
"""So many rows tell how long texts are, about."""


@dataclass(frozen=True)
class PersonKey:
    """The key of a row's person: its SQL, and one more than the largest.

    A text is no key itself, but what keys are made of; ``more_bytes`` is what a row then takes beside its key, about.
    """

    expression: str
    span: int
    text: bool = False
    more_bytes: int = 0


def person_text(table: LoadedTable, person: str) -> PersonKey | None:
    """Return the text of a row's person; None where something else tells people apart."""
    column = table.column(person)
    if column.type not in ("VARCHAR", "UUID"):
        return None
    text = f"CAST({column.alias} AS VARCHAR)"
    some = f"SELECT coalesce(avg(strlen({text})), 0) FROM (SELECT {column.alias} FROM {table.name} LIMIT {_SOME})"  # noqa: S608 - aliases
    with translated(table.label, connection=table.connection):
        ((length,),) = table.connection.execute(some).fetchall()
    return PersonKey(text, _FAR, text=True, more_bytes=_BYTES_A_TEXT + 2 * math.ceil(length))


def person_key(table: LoadedTable, person: str) -> PersonKey:
    """Return the key of a row's person.

    A whole number is its offset from the smallest. Other values are hashed; the hash is checked against the values of
    the table, so that it is exact.
    """
    coding = offset_coding(table, person, below=WORD)
    if coding is None:
        return PersonKey(_hashed(table, person), _FAR)
    offset = coding.offset(table.column(person).alias)
    return PersonKey(f"CAST({offset} AS {smallest_type(max(coding.span, _NARROWEST))})", coding.span)


def _hashed(table: LoadedTable, person: str) -> str:
    column = table.column(person)
    for salt in SALTS:
        told_apart = (
            f"SELECT count(*), count(DISTINCT nullif({hash_of([column], ['v'], salt)}, 0)) FROM "  # noqa: S608 - our own names
            f"(SELECT DISTINCT {table.telling(person)} AS v FROM {table.name} WHERE {column.alias} IS NOT NULL)"
        )
        with translated(table.label, connection=table.connection):
            ((values, hashes),) = table.connection.execute(told_apart).fetchall()
            if values == hashes:
                hashed = hash_of([column], [column.alias], salt)
                return f"CASE WHEN {column.alias} IS NULL THEN CAST(0 AS UBIGINT) ELSE {hashed} END"
    raise InternalError("No hash separates the people of a table.")


# Which values people have in the whole table, as further columns of DuckDB.


def with_histories(table: LoadedTable, attributes: Sequence[tuple[str, ...]]) -> tuple[LoadedTable, list[Held]]:
    """Return a table with the number of each person's set of values beside every row, and for which attributes.

    Parameters
    ----------
    table
        A table whose people are counted.
    attributes
        The sensitive attributes; several columns make one of their combinations.
    """
    person = table.telling(str(table.person))
    values = [f"row({', '.join(table.telling(name) for name in names)})" for names in attributes]
    missing = [f"{table.telling(names[0])} IS NULL" if len(names) == 1 else "false" for names in attributes]
    asked = [f"min({value}) <> max({value}) AS s{at}" for at, value in enumerate(values)]
    asked += [f"bool_or({each}) AS m{at}" for at, each in enumerate(missing)]
    told = ", ".join(f"coalesce(bool_or({kind}{at}), false)" for kind in "sm" for at in range(len(values)))
    with translated(table.label, connection=table.connection):
        (found,) = table.connection.execute(
            f"SELECT {told} FROM (SELECT {', '.join(asked)} FROM {table.name} GROUP BY {person})"  # noqa: S608 - aliases
        ).fetchall()
    several = [at for at in range(len(values)) if found[at]]
    if not several:
        return table, []
    held, columns, added = [], [], []
    for at in several:
        sets, valued = fresh_name("sets"), fresh_name("valued") if found[len(values) + at] else None
        held.append(Held(at, sets, valued))
        columns.append(Column(sets, f"h{at}", "BIGINT"))
        added.append(f"n.h{at}")
        if valued is not None:
            columns.append(Column(valued, f"v{at}", "BIGINT"))
            added.append(f"CAST(NOT ({missing[at]}) AS BIGINT) AS v{at}")
    numbered, name = fresh_name("numbered"), fresh_name("histories")
    lists = ", ".join(f"list_sort(list(DISTINCT {values[at]})) AS l{at}" for at in several)
    numbers = ", ".join(f"dense_rank() OVER (ORDER BY l{at}) AS h{at}" for at in several)
    kept = ", ".join(column.alias for column in table.columns)
    with translated(table.label, connection=table.connection):
        table.connection.execute(
            f"CREATE TEMP TABLE {numbered} AS SELECT p, {numbers} FROM "  # noqa: S608 - our own names
            f"(SELECT {person} AS p, {lists} FROM {table.name} GROUP BY p)"
        )
        table.connection.execute(
            f"CREATE TEMP TABLE {name} AS SELECT {kept}, {', '.join(added)} FROM {table.name} "  # noqa: S608
            f"JOIN {numbered} AS n ON n.p IS NOT DISTINCT FROM {person}"
        )
        table.connection.execute(f"DROP TABLE {numbered}")
    return replace(table, columns=(*table.columns, *columns), name=name, keeper=None, gatherer=None, counter=None), held


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
