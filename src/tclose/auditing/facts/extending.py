"""Sets of many facts, each made of a set of one fact fewer that more than one person has.

Whoever has a set that nobody else has is also alone with every larger set, so that larger sets change no figure but the
number of sets, which is known without making them. For a sensitive attribute whose values differ between a person's
facts, one more fact matters: what the person has in the rows of that fact. Such sets are made larger once more.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tclose.auditing.facts.counting import (
    Counter,
    Gathered,
    HistogramQuery,
    Histograms,
    Key,
    Level,
    fits_at_once,
    joined,
    ranges_of,
)
from tclose.auditing.facts.database import Coded, Database
from tclose.auditing.facts.set_numbers import SetNumbers
from tclose.engines.base import Progress
from tclose.engines.duckdb.sql import fresh_name

_FOUND_BEFORE: Key = (1 << 63,)
"""The key of sets that were not made, after all others: whatever figure they have, a smaller set has it, too."""
_BUCKETS = 1 << 12


class Extender(Counter):
    """Counts groups as its base does, from those of one fact fewer, and only where somebody else may be told apart.

    An open set is one that is worth a further fact. Its number rises with the order of bases and items; the key of a
    group is the number of the open set that it was made of, followed by the item that was added.
    """

    def __init__(self, database: Database, fewer_than: int, most: int, progress: Progress) -> None:
        super().__init__(database, fewer_than, progress)
        self.most = most
        self._numbers = SetNumbers(database, most)
        self._once_more = any(each.of_facts is not None for each in database.attributes)
        self._named: list[str] = []
        """For each number of facts, where the keys of open sets are by their numbers."""
        self._open = ""
        """Where it is said who has which open set, by its number, and which item was added last."""
        self._open_sets = 0

    def drop(self) -> None:
        """Drop the tables that it made."""
        super().drop()
        for name in (*self._named, self._open):
            if name:
                self._run(f"DROP TABLE IF EXISTS {name}")

    @property
    def settled(self) -> bool:
        """Whether everybody is known to be singled out by fewer facts, so that more change no figure."""
        return bool(self._named) and not self._open_sets

    def key(self, key: Key, facts: int) -> tuple[int, tuple[int, ...]]:
        """Return the base and the items of a key."""
        if len(key) > 1:  # it was drawn
            return super().key(key, facts)
        (number,), items = key, []
        for name in reversed(self._named[:facts]):
            items.append(number & ((1 << self._item_bits) - 1))
            parent = number >> self._item_bits
            ((number,),) = self.database.run(f"SELECT k FROM {name} WHERE g = {parent}").fetchall()  # noqa: S608 - our own names throughout
        return number, tuple(reversed(items))

    def level(self, facts: int) -> Level:
        """Count the groups of so many facts; those of one fact fewer must have been counted."""
        if facts == 0:
            level = super().level(0)
            self._open_bases()
            return level
        gathered = Gathered(self._asked(0), facts)
        of_facts: list[list[Histograms]] = [[] for _ in self.database.attributes]
        source, shares = self._open, self._shares(facts)
        self._begin()
        for done, (low, high) in enumerate(shares):
            self.progress(f"Counting sets of {facts} facts", done / len(shares))
            self._extend(source, f"o.g BETWEEN {low} AND {high}", gathered, of_facts)
        self._run(f"DROP TABLE {source}")
        level = self._with_unmade(gathered.level(), of_facts, slice(facts, facts + 1))
        self._largest = int(level.sizes.max(initial=1))
        return level

    def rest(self, facts: int) -> Level:
        """Return the groups of so many facts and of all larger sets, where everybody is known to be singled out."""
        none = np.zeros(0, dtype=np.int64)
        nothing = Level(self.most, none, none, [], [[] for _ in self.database.attributes])
        return self._with_unmade(nothing, [[] for _ in self.database.attributes], slice(facts, None))

    def _begin(self) -> None:
        """Make the tables of the open sets of one more fact."""
        self._open, self._open_sets = fresh_name("open"), 0
        self._named.append(fresh_name("named"))
        self._run(f"CREATE TEMP TABLE {self._open} (p INTEGER, g BIGINT, last BIGINT, fresh BOOLEAN)")
        self._run(f"CREATE TEMP TABLE {self._named[-1]} (g BIGINT, k BIGINT, fresh BOOLEAN, items BIGINT[])")

    def _open_bases(self) -> None:
        """Open the sets of no facts."""
        self._begin()
        people, worth = self.database.people_name, "true" if self._once_more else "n > 1"
        self._run(
            f"INSERT INTO {self._named[0]} SELECT b, b, n = 1, [] "  # noqa: S608
            f"FROM (SELECT b, count(*) AS n FROM {people} GROUP BY b) WHERE {worth}"
        )
        self._run(
            f"INSERT INTO {self._open} SELECT q.p, q.b, -1, y.fresh "  # noqa: S608
            f"FROM {people} AS q JOIN {self._named[0]} AS y ON y.g = q.b"
        )
        self._open_sets = self.database.bases

    def _joined(self, source: str) -> str:
        """Return the SQL of open sets with one more item, which comes after all of theirs."""
        return (
            f"{source} AS o JOIN {self.database.items_name} AS i ON i.p = o.p AND i.item > o.last "
            "AND (i.copy = 1 OR i.item = o.last + 1)"
        )

    def _shares(self, facts: int) -> list[tuple[int, int]]:
        """Return ranges of open sets of which about as many sets are made as are counted at once."""
        if fits_at_once(self._numbers.of_all[facts]):
            return [(0, self._open_sets)]
        width = max(1, self._open_sets // _BUCKETS)
        rows = self.database.run(
            f"SELECT o.g // {width} AS w, count(*) FROM {self._joined(self._open)} GROUP BY w ORDER BY w"  # noqa: S608
        ).fetchall()
        ranges = [(low * width, (high + 1) * width - 1) for low, high, _ in ranges_of(rows)]
        return ranges or [(0, 0)]

    def _extend(self, source: str, which: str, gathered: Gathered, of_facts: Sequence[list[Histograms]]) -> None:
        """Count the groups of some open sets with one more fact, and open those that are worth another."""
        made, groups = fresh_name("made"), fresh_name("groups")
        codes = "".join(f", i.a{at}" for at in range(len(gathered.asked)))
        self._run(
            f"CREATE TEMP TABLE {made} AS SELECT o.p, o.g, o.fresh, CAST(i.item AS BIGINT) AS item, "  # noqa: S608
            f"(o.g << {self._item_bits}) + i.item AS k{codes} FROM {self._joined(source)} WHERE {which}"
        )
        self._run(
            f"CREATE TEMP TABLE {groups} AS SELECT k, count(*) AS n, min(i1.p) AS p, bool_or(i1.fresh) AS last"  # noqa: S608
            f"{gathered.words} FROM {made} AS i1 GROUP BY k"
        )
        self._gather(gathered, groups, "i1.k", "i1.k", f"{made} AS i1")
        for at, each in enumerate(self.database.attributes):
            if each.of_facts is not None:
                of_facts[at].append(self._in_rows_of_facts(made, f"i2.f{at}", each.of_facts))
        self._mark(groups, f"SELECT p, k FROM {made} WHERE p NOT IN (SELECT p FROM {self._fewer})")  # noqa: S608
        if gathered.facts < self.most:
            self._open_worthy(made, groups)
        for name in (made, groups):
            self._run(f"DROP TABLE {name}")

    def _in_rows_of_facts(self, made: str, code: str, coded: Coded) -> Histograms:
        """Return the histograms of what people have in the rows of each fact of the sets that were made."""
        facts = (
            f"(SELECT s.p, s.k, unnest(list_append(x.items, s.item)) AS item FROM {made} AS s "  # noqa: S608
            f"JOIN {self._named[-2]} AS x ON x.g = s.g) AS u JOIN {self.database.items_name} AS i2 "
            "ON i2.p = u.p AND i2.item = u.item AND i2.copy = 1"
        )
        query = HistogramQuery(code, coded, 1)
        return query.unlisted(self.database.run(query.listed("u.k", "u.k", facts, "u.item")).fetchall())

    def _open_worthy(self, made: str, groups: str) -> None:
        """Open the groups that are worth a further fact: those of several people, and of one person the first."""
        names, worth = self._named[-1], "n > 1 OR NOT last" if self._once_more else "n > 1"
        items = f"list_append(x.items, c.k & {(1 << self._item_bits) - 1})" if self._once_more else "[]"
        self._run(
            f"INSERT INTO {names} SELECT {self._open_sets} + row_number() OVER (ORDER BY c.k) - 1, c.k, c.n = 1, "  # noqa: S608
            f"{items} FROM {groups} AS c JOIN {self._named[-2]} AS x ON x.g = c.k >> {self._item_bits} WHERE {worth}"
        )
        self._run(
            f"INSERT INTO {self._open} SELECT s.p, y.g, s.item, y.fresh FROM {made} AS s "  # noqa: S608
            f"JOIN {names} AS y ON y.k = s.k WHERE y.g >= {self._open_sets}"
        )
        ((self._open_sets,),) = self.database.run(f"SELECT count(*) FROM {names}").fetchall()  # noqa: S608

    def _with_unmade(self, level: Level, of_facts: Sequence[list[Histograms]], sizes: slice) -> Level:
        """Return the groups that were made with those that were not: sets of one person, with that person's values."""
        numbers = self._numbers
        unmade = sum(numbers.of_all[sizes]) - int((level.sizes * level.groups).sum())
        attributes = []
        for at, each in enumerate(self.database.attributes):
            found = [_completed(each.of_people, level.attributes[at], numbers.of_people[at], sizes)]
            if each.of_facts is not None:
                found.append(_completed(each.of_facts, of_facts[at], numbers.of_facts[at], sizes))
            attributes.append(found)
        if not unmade:
            return replace(level, attributes=attributes)
        return Level(
            level.facts,
            np.append(level.sizes, 1),
            np.append(level.groups, unmade),
            [*level.first, _FOUND_BEFORE],
            attributes,
        )


def _completed(
    coded: Coded, parts: Sequence[Histograms], numbers: Mapping[int, Sequence[int]], sizes: slice
) -> Histograms:
    """Return histograms with those of the sets that were not made, of one person each."""
    unmade = np.zeros(coded.codes, dtype=np.int64)
    for code, by_size in numbers.items():
        unmade[code] = sum(by_size[sizes])
    for each in parts:
        np.subtract.at(unmade, each.codes, each.counts * each.groups[each.numbers])
    codes = np.flatnonzero(unmade)
    ones = np.ones(len(codes), dtype=np.int64)
    first = [_FOUND_BEFORE] * len(codes)
    return joined([*parts, Histograms(coded, np.arange(len(codes)), codes, ones, unmade[codes], first)])
