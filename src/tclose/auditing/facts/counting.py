"""Sets of facts that people have, and how many candidates each leaves: joins and groups of DuckDB, a share at a time.

Every different set of a base and some items is one group, and everybody who has it is one row of it. A group is judged
by how many of its people have each code, and groups that agree in that are told apart no further.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.auditing.facts.database import Coded, Database
from tclose.engines.base import Progress
from tclose.engines.duckdb.sql import fresh_name
from tclose.models.counts import Integers

Key = tuple[int, ...]
"""A group, by one number that holds its base and its items, or by each of them; a smaller one is named first."""
_BITS = 62
"""A key, and a word of counts, is a number of so many bits where it fits, else a list."""
_MOST_WORDS = 3
_ROWS_AT_ONCE = 1 << 24
"""About so many sets of facts are grouped at once, so that their groups fit into memory."""


@dataclass
class Histograms:
    """Groups of people by how many have each code: the different histograms, and how many groups have each."""

    coded: Coded
    numbers: Integers
    """For each entry, which histogram it is of."""
    codes: Integers
    counts: Integers
    groups: Integers
    """How many groups have each histogram."""
    first: list[Key]
    """The first key of a group with each."""


@dataclass
class Level:
    """The groups of one number of facts."""

    facts: int
    sizes: Integers
    """The different sizes of groups."""
    groups: Integers
    """How many groups have each size."""
    first: list[Key]
    """The first key of a group of each size."""
    attributes: list[list[Histograms]] = field(default_factory=list)
    """For each attribute its histograms: of all that people have, then in the rows of each of the facts."""


@dataclass(frozen=True)
class _Share:
    """A share of the groups of one level: those of some bases, and of some first items."""

    bases: tuple[int, int] | None = None
    items: tuple[int, int] | None = None

    def of(self, place: int) -> str:
        """Return the SQL of the condition on the item of a place; each has one, so that joins are of few rows."""
        found = []
        if self.bases is not None:
            found.append(f"i{place}.b BETWEEN {self.bases[0]} AND {self.bases[1]}")
        if self.items is not None:
            found.append(f"i{place}.item {'BETWEEN' if place == 1 else '>'} {self.items[0]}")
            found[-1] += f" AND {self.items[1]}" if place == 1 else ""
        return " AND ".join(found) or "true"


class Counter:
    """Counts the groups of a database, one number of facts after the other, and marks whom few share them with.

    Sets of facts are joins of facts with themselves, which is fastest for few facts.
    """

    def __init__(self, database: Database, fewer_than: int, progress: Progress) -> None:
        self.database, self.fewer_than, self.progress = database, fewer_than, progress
        self._alone, self._fewer = fresh_name("alone"), fresh_name("fewer")
        self._run(f"CREATE TEMP TABLE {self._alone} (p INTEGER)")
        self._run(f"CREATE TEMP TABLE {self._fewer} (p INTEGER)")
        self._item_bits = max(1, max(database.items - 1, 1).bit_length())
        self._largest = database.persons

    def _run(self, query: str) -> object:
        return self.database.run(query)

    def drop(self) -> None:
        """Drop the tables that it made."""
        for name in (self._alone, self._fewer):
            self._run(f"DROP TABLE IF EXISTS {name}")

    @property
    def alone(self) -> int:
        """How many people are the only ones of some group so far."""
        return self._number(self._alone)

    @property
    def fewer(self) -> int:
        """How many people are in a group of too few so far."""
        return self._number(self._fewer)

    def _number(self, name: str) -> int:
        ((found,),) = self.database.run(f"SELECT count(*) FROM {name}").fetchall()  # noqa: S608 - our own names throughout
        return int(found)

    def mark(self, alone: Sequence[int], fewer: Sequence[int]) -> None:
        """Mark people who are alone, and people among too few candidates."""
        for marked, people in ((self._alone, alone), (self._fewer, fewer)):
            if people:
                self._run(
                    f"INSERT INTO {marked} SELECT p FROM (SELECT unnest([{', '.join(map(str, people))}]) AS p) "  # noqa: S608
                    f"WHERE p NOT IN (SELECT p FROM {marked})"
                )

    def marked(self, people: Sequence[int]) -> int:
        """Return how many of some people are known to be among too few candidates."""
        listing = ", ".join(map(str, people))
        ((found,),) = self.database.run(f"SELECT count(*) FROM {self._fewer} WHERE p IN ({listing})").fetchall()  # noqa: S608
        return int(found)

    def key(self, key: Key, facts: int) -> tuple[int, tuple[int, ...]]:
        """Return the base and the items of a key."""
        if len(key) > 1:
            return key[0], key[1:]
        number, items = key[0], []
        for _ in range(facts):
            items.append(number & ((1 << self._item_bits) - 1))
            number >>= self._item_bits
        return number, tuple(reversed(items))

    def level(self, facts: int) -> Level:
        """Count the groups of so many facts; those of fewer facts must have been counted."""
        gathered = Gathered(self._asked(facts), facts)
        chunks = self._chunks(facts)
        for done, chunk in enumerate(chunks):
            self.progress(f"Counting sets of {facts} facts" if facts else "Counting bases", done / len(chunks))
            self._count(chunk, gathered)
        level = gathered.level()
        self._largest = int(level.sizes.max(initial=1))
        return level

    def _coded(self) -> list[tuple[Coded, Coded | None]]:
        return [(each.of_people, each.of_facts) for each in self.database.attributes]

    def _asked(self, facts: int) -> list[list[HistogramQuery]]:
        """Return what is asked of each attribute: a histogram of people, and one for the rows of each fact."""
        bits = max(1, self._largest.bit_length())
        return [
            [
                HistogramQuery(f"i1.a{at}", people, bits),
                *(
                    HistogramQuery(f"CASE WHEN i{place}.copy = 1 THEN i{place}.f{at} END", rows, bits)
                    for place in range(1, facts + 1)
                    if rows is not None
                ),
            ]
            for at, (people, rows) in enumerate(self._coded())
        ]

    def _chunks(self, facts: int) -> list[_Share]:
        """Return shares of the groups: by base, and large bases by their first item."""
        if facts == 0:
            return [_Share()]
        items = self.database.items_name
        by_base: dict[int, int] = {}
        for base, held, people in self.database.run(
            f"SELECT b, n, count(*) FROM (SELECT b, count(*) AS n FROM {items} GROUP BY b, p) GROUP BY b, n"  # noqa: S608
        ).fetchall():
            by_base[base] = by_base.get(base, 0) + people * math.comb(held, facts)
        found: list[_Share] = []
        for low, high, rows in ranges_of(sorted(by_base.items())):
            if fits_at_once(rows) or facts == 1:
                found.append(_Share((low, high)))
                continue
            after = "row_number() OVER (PARTITION BY p ORDER BY item DESC) - 1"
            by_item: dict[int, int] = {}
            for item, following, people in self.database.run(
                f"SELECT item, n, count(*) FROM (SELECT item, {after} AS n FROM {items} "  # noqa: S608
                f"WHERE b BETWEEN {low} AND {high}) GROUP BY item, n"
            ).fetchall():
                by_item[item] = by_item.get(item, 0) + people * math.comb(following, facts - 1)
            found += [_Share((low, high), (first, last)) for first, last, _ in ranges_of(sorted(by_item.items()))]
        return found

    def _sets(self, facts: int, chunk: _Share, but: str = "") -> str:
        """Return the SQL of the sets of so many facts of everybody but some; the items of each are i1, i2 …."""
        first = self.database.items_name if facts else self.database.people_name
        some = f"(SELECT * FROM {first} WHERE p NOT IN (SELECT p FROM {but}))" if but else first  # noqa: S608
        source = f"{some} AS i1"
        for place in range(2, facts + 1):
            before = f"i{place - 1}.item"
            source += (
                f" JOIN {self.database.items_name} AS i{place} ON i{place}.p = i1.p AND i{place}.item > {before} "
                f"AND (i{place}.copy = 1 OR i{place}.item = {before} + 1)"
            )
        told = " AND ".join(chunk.of(place) for place in range(1, max(facts, 1) + 1))
        return f"{source} WHERE {told}{' AND i1.copy = 1' if facts else ''}"

    def _fits(self, facts: int) -> bool:
        """Say whether a key is one number."""
        return max(self.database.bases - 1, 1).bit_length() + facts * self._item_bits <= _BITS

    def _key(self, facts: int) -> str:
        """Return the SQL of the key of a set."""
        items = [f"i{place}.item" for place in range(1, facts + 1)]
        if not self._fits(facts):
            return f"[CAST(i1.b AS BIGINT), {', '.join(items)}]"
        found = "CAST(i1.b AS BIGINT)"
        for item in items:
            found = f"({found} << {self._item_bits}) + {item}"
        return found

    def _grouped(self, facts: int) -> str:
        """Return the SQL of what sets are grouped by: the key where it is a number, else what it is made of."""
        items = [f"i{place}.item" for place in range(1, facts + 1)]
        return self._key(facts) if self._fits(facts) else ", ".join(["i1.b", *items])

    def _count(self, chunk: _Share, gathered: Gathered) -> None:
        facts, groups = gathered.facts, fresh_name("groups")
        sets = self._sets(facts, chunk)
        self._run(
            f"CREATE TEMP TABLE {groups} AS SELECT {self._key(facts)} AS k, count(*) AS n, min(i1.p) AS p"  # noqa: S608
            f"{gathered.words} FROM {sets} GROUP BY {self._grouped(facts)}"
        )
        self._gather(gathered, groups, self._key(facts), self._grouped(facts), sets)
        self._mark(groups, f"SELECT i1.p, {self._key(facts)} AS k FROM {self._sets(facts, chunk, self._fewer)}")  # noqa: S608
        self._run(f"DROP TABLE {groups}")

    def _gather(self, gathered: Gathered, groups: str, key: str, grouped: str, sets: str) -> None:
        """Gather the sizes and the histograms of groups, which were made of sets."""
        gathered.sizes.append(
            self.database.run(f"SELECT n, count(*), min(k) FROM {groups} GROUP BY n").fetchall()  # noqa: S608
        )
        for at, (some, found) in enumerate(zip(gathered.asked, gathered.histograms, strict=True)):
            for place, (each, parts) in enumerate(zip(some, found, strict=True)):
                if each.packed:
                    columns = [f"w{at}_{place}_{part}" for part in range(len(each.words))]
                    listing = ", ".join(columns)
                    query = f"SELECT {listing}, count(*) AS n, min(k) AS k FROM {groups} GROUP BY {listing}"  # noqa: S608
                    parts.append(each.unpacked(self.database.run(query).fetchnumpy(), columns))
                else:
                    query = each.listed(key, grouped, sets)
                    parts.append(each.unlisted(self.database.run(query).fetchall()))

    def _mark(self, groups: str, members: str) -> None:
        """Mark the people who are alone in a group, and those in groups of too few.

        ``members`` is the SQL that says who is in which group.
        """
        for marked, size in ((self._alone, 1), (self._fewer, min(1, self.fewer_than - 1))):
            self._run(
                f"INSERT INTO {marked} SELECT DISTINCT p FROM {groups} WHERE n <= {size} "  # noqa: S608
                f"AND p NOT IN (SELECT p FROM {marked})"
            )
        small = f"SELECT k FROM {groups} WHERE n BETWEEN 2 AND {self.fewer_than - 1}"  # noqa: S608
        if self.database.run(f"{small} LIMIT 1").fetchall():
            self._run(
                f"INSERT INTO {self._fewer} SELECT DISTINCT p FROM ({members}) WHERE k IN ({small})"  # noqa: S608
            )


class HistogramQuery:
    """How one histogram of a group is made: a few bits of a word for each code where that fits, else a list."""

    def __init__(self, code: str, coded: Coded, bits: int) -> None:
        self.code, self.coded, self.bits = code, coded, bits
        self.each = _BITS // bits
        """How many codes a word has room for."""
        needed = -(-coded.codes // self.each) if self.each else _MOST_WORDS + 1
        self.packed = needed <= _MOST_WORDS
        self.words = [self._word(at) for at in range(needed)] if self.packed else []

    def _word(self, at: int) -> str:
        low, high = at * self.each, min((at + 1) * self.each, self.coded.codes) - 1
        power = f"CAST(1 AS BIGINT) << CAST({self.bits} * ({self.code} - {low}) AS BIGINT)"
        inside = f"{self.code} BETWEEN {low} AND {high}"
        return f"CAST(coalesce(sum(CASE WHEN {inside} THEN {power} END), 0) AS BIGINT)"

    def listed(self, key: str, grouped: str, sets: str, place: str = "1") -> str:
        """Return the SQL of histograms as lists: codes, each followed by how many people have it.

        ``place`` tells the histograms of one group apart.
        """
        counts = (
            f"SELECT {key} AS k, {place} AS f, {self.code} AS c, count(*) AS n FROM {sets} "  # noqa: S608
            f"GROUP BY {grouped}, f, c"
        )
        lists = (
            f"SELECT k, flatten(list([CAST(c AS BIGINT), n] ORDER BY c)) AS h FROM ({counts}) "  # noqa: S608
            "WHERE c IS NOT NULL GROUP BY k, f"
        )
        return f"SELECT h, count(*), min(k) FROM ({lists}) GROUP BY h"  # noqa: S608

    def unpacked(self, found: Mapping[str, NDArray[Any]], columns: Sequence[str]) -> Histograms:
        """Return the histograms that words hold."""
        mask = np.int64((1 << self.bits) - 1)
        numbers, codes, counts = [], [], []
        for at, column in enumerate(columns):
            words = found[column].astype(np.int64)
            for place in range(min(self.each, self.coded.codes - at * self.each)):
                held = (words >> np.int64(self.bits * place)) & mask
                there = np.flatnonzero(held)
                numbers.append(there)
                codes.append(np.full(len(there), at * self.each + place, dtype=np.int64))
                counts.append(held[there])
        held_by, held, number = (np.concatenate(each) for each in (numbers, codes, counts))
        return Histograms(self.coded, held_by, held, number, found["n"].astype(np.int64), list(map(key_of, found["k"])))

    def unlisted(self, found: Sequence[tuple[Sequence[int], int, object]]) -> Histograms:
        """Return the histograms that lists hold."""
        lengths = np.array([len(row) // 2 for row, *_ in found], dtype=np.int64)
        flat = np.array([number for row, *_ in found for number in row], dtype=np.int64)
        groups = np.array([number for _, number, _ in found], dtype=np.int64)
        numbers = np.repeat(np.arange(len(found)), lengths)
        return Histograms(self.coded, numbers, flat[::2], flat[1::2], groups, [key_of(key) for *_, key in found])


def key_of(key: Any) -> Key:
    """Return a key as it is kept: one number, or the base and the items."""
    return tuple(int(each) for each in key) if isinstance(key, list | np.ndarray) else (int(key),)


@dataclass
class Gathered:
    """What was found of one level, share by share."""

    asked: list[list[HistogramQuery]]
    facts: int
    sizes: list[list[tuple[int, int, object]]] = field(default_factory=list)
    histograms: list[list[list[Histograms]]] = field(init=False)

    def __post_init__(self) -> None:
        self.histograms = [[[] for _ in some] for some in self.asked]

    @property
    def words(self) -> str:
        """The SQL of the words that hold histograms."""
        return "".join(
            f", {word} AS w{at}_{place}_{part}"
            for at, some in enumerate(self.asked)
            for place, each in enumerate(some)
            for part, word in enumerate(each.words)
        )

    def level(self) -> Level:
        """Return the level."""
        rows = [row for chunk in self.sizes for row in chunk]
        sizes, groups = (np.array([row[at] for row in rows], dtype=np.int64) for at in range(2))
        attributes = [[joined(parts) for parts in found] for found in self.histograms]
        return Level(self.facts, sizes, groups, [key_of(key) for *_, key in rows], attributes)


def joined(parts: Sequence[Histograms]) -> Histograms:
    """Return the histograms of all shares."""
    before = np.cumsum([0, *(len(each.groups) for each in parts)])
    return Histograms(
        parts[0].coded,
        np.concatenate([each.numbers + first for each, first in zip(parts, before, strict=False)]),
        np.concatenate([each.codes for each in parts]),
        np.concatenate([each.counts for each in parts]),
        np.concatenate([each.groups for each in parts]),
        [key for each in parts for key in each.first],
    )


def fits_at_once(rows: int) -> bool:
    """Say whether so many sets of facts are grouped at once."""
    return rows <= _ROWS_AT_ONCE


def ranges_of(amounts: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Give ranges of numbers that hold about as much as is counted at once, each with what it holds."""
    low, high, held = None, 0, 0
    for number, amount in amounts:
        if low is not None and held + amount > _ROWS_AT_ONCE:
            yield low, high, held
            low, held = None, 0
        low = number if low is None else low
        high, held = number, held + amount
    if low is not None:
        yield low, high, held
