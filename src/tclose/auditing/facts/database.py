"""A database of people on DuckDB: one or more tables, coded as bases, facts and the values that people have.

A quasi-identifier is a *trait* if no person has two values of it; the traits of a person are their *base*. The other
quasi-identifiers of a row make a *fact*. A person who has a fact n times has n *items*, the copies of the fact, which
are numbered one after the other, so that multisets of facts are sets of items in which no copy is without the one
before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import duckdb
import numpy as np

from tclose.auditing.facts.findings import Fact, FactTable
from tclose.engines.base import Progress
from tclose.engines.duckdb.codes import smallest_type
from tclose.engines.duckdb.counts import CodedTable
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.published_types import fetched, in_zone
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable, with_one_zero
from tclose.errors import Ask, Hint, InputError, Problems, SourceError, counted
from tclose.models.counts import Integers, Ranks, ValueSets
from tclose.models.domains import Domain, arranged
from tclose.models.value_order import Observed
from tclose.policy.roles import Distance

FEW_PEOPLE, FEW_OF = 3, 100
"""A column of which so many people, or one in so many, have two values is neither surely a trait nor surely none."""
_MOST_ITEMS = 2**31


@dataclass(frozen=True)
class PersonTable:
    """A table about people, and which column is what."""

    table: LoadedTable
    person: tuple[str, ...]
    """The columns that tell people apart; of several, their combination."""
    quasi: tuple[str, ...]
    sensitive: Mapping[tuple[str, ...], Distance | None]
    """The attributes by their columns; several columns are one attribute."""
    references: Mapping[tuple[str, ...], Observed | Mapping[object, Any]] = field(default_factory=dict)
    """What the people of each attribute are compared with, where these are not all people."""
    traits: Mapping[str, str] = field(default_factory=dict)
    """The columns that were declared to be traits, each with one of :data:`~tclose.policy.parts.TRAIT_RULES`."""
    facts: tuple[str, ...] = ()
    """The columns that were declared to be parts of facts."""


@dataclass(frozen=True)
class Coded:
    """What people have of one sensitive attribute, as codes: which values anywhere, and which in some rows."""

    name: str
    domain: Domain
    codes: int
    """How many codes there are."""
    anywhere: Integers
    """The number of the set of values that a person of each code has in the whole table."""
    here: ValueSets
    """The values that count for each code."""
    sets: ValueSets | None
    """What the sets of values hold; None where everybody has one value."""


@dataclass(frozen=True)
class Attribute:
    """A sensitive attribute: the codes of people, and those of what they have in the rows of each fact."""

    of_people: Coded
    of_facts: Coded | None
    """None where everybody has one value, or where its table has no facts."""


@dataclass(frozen=True)
class Database:
    """Tables about the same people, coded.

    ``people`` has a row for each person: ``p``, the number ``b`` of their base, and ``a0``, ``a1`` … for the codes of
    attributes. ``items`` has a row for each copy of a fact of a person: the same columns, ``item``, ``copy``, and
    ``f0``, ``f1`` … for the codes of attributes in the rows of the fact. Codes are NULL where there is no value.
    """

    connection: duckdb.DuckDBPyConnection
    label: str
    tables: tuple[FactTable, ...]
    persons: int
    bases: int
    items: int
    """How many different items there are."""
    largest: int
    """How many facts the person has who has most."""
    attributes: tuple[Attribute, ...]
    people_name: str
    items_name: str
    _bases_name: str
    _base_columns: tuple[tuple[str, Column], ...]
    _kinds: tuple[tuple[int, str, tuple[Column, ...]], ...]
    """For each table with facts its place, where its different facts are, and their columns."""

    @property
    def made(self) -> list[str]:
        """The tables that were made for it."""
        return [self.people_name, self.items_name, self._bases_name, *(name for _, name, _ in self._kinds)]

    def drop(self) -> None:
        """Drop the tables that were made for it."""
        for name in self.made:
            self.connection.execute(f"DROP TABLE IF EXISTS {name}")

    def run(self, query: str, values: Sequence[object] = ()) -> Any:
        """Execute a query, with our errors."""
        with translated(self.label, connection=self.connection):
            return self.connection.execute(query, list(values))

    def base(self, number: int) -> dict[str, object]:
        """Return the traits of a base."""
        columns = [column for _, column in self._base_columns]
        values = self._cells(self._bases_name, "b", number, [replace(c, alias=alias) for alias, c in
                                                           zip(self._aliases, columns, strict=True)])  # fmt: skip
        return dict(zip((name for name, _ in self._base_columns), values, strict=True))

    @property
    def _aliases(self) -> list[str]:
        return [f"t{at}" for at in range(len(self._base_columns))]

    def fact(self, item: int) -> Fact:
        """Return the fact that an item is a copy of."""
        for place, name, columns in self._kinds:
            found = self.run(
                f"SELECT first FROM {name} WHERE first <= ? AND ? < first + copies",  # noqa: S608 - our own names
                [item, item],
            ).fetchall()
            if found:
                values = self._cells(name, "first", int(found[0][0]), columns)
                cells = dict(zip((column.name for column in columns), values, strict=True))
                return Fact(self.tables[place].label, cells)
        raise InputError(f"There is no item {item}.")

    def _cells(self, name: str, key: str, number: int, columns: Sequence[Column]) -> list[object]:
        """Return the cells of one row, points in time as their zone shows them."""
        if not columns:
            return []
        parts = [fetched(column.alias, column.type) for column in columns]
        ((*row,),) = self.run(f"SELECT {', '.join(parts)} FROM {name} WHERE {key} = ?", [number]).fetchall()  # noqa: S608
        return [in_zone([value], c.zone, c.type)[0] for value, c in zip(row, columns, strict=True)]


def coded_database(tables: Sequence[PersonTable], most: int, *, repeated: bool, progress: Progress) -> Database:
    """Return tables about the same people, coded.

    Parameters
    ----------
    tables
        The tables, all opened on one connection.
    most
        At most how many facts are known; no more copies of a fact are kept.
    repeated
        Whether it is known how often a fact is true of a person.
    progress
        Told what is being done.
    """
    return _Coder(tables, most, repeated, progress).database()


class _Coder:
    """Codes the tables of a database step by step."""

    def __init__(self, tables: Sequence[PersonTable], most: int, repeated: bool, progress: Progress) -> None:  # noqa: FBT001
        self.tables = tables
        self.most, self.repeated, self.progress = most, repeated, progress
        self.connection = tables[0].table.connection
        self.label = tables[0].table.label if len(tables) == 1 else f"{len(tables)} tables"
        self._made: list[str] = []
        self._people: list[int] = []
        """How many people each table has."""

    def _named(self, stem: str) -> str:
        """Return the name of a table to be made, which is dropped in the end unless it is handed over."""
        self._made.append(fresh_name(stem))
        return self._made[-1]

    def run(self, query: str, label: str | None = None) -> Any:
        with translated(label or self.label, connection=self.connection):
            return self.connection.execute(query)

    def database(self) -> Database:
        """Return the database; what else was made is dropped."""
        kept: list[str] = []
        try:
            found = self._database()
            kept = found.made
            return found
        finally:
            for name in self._made:
                if name not in kept:
                    self.connection.execute(f"DROP TABLE IF EXISTS {name}")

    def _database(self) -> Database:
        self.progress("Bringing rows together by person", None)
        _check_keys(self.tables)
        for each in self.tables:
            self._check_missing(each)
        persons = self._persons()
        rows = [self._rows(each, persons) for each in self.tables]
        split = self._split(rows)
        bases, people, base_columns = self._bases(rows, split, persons)
        kinds = self._facts(rows, split)
        of_people = self._of_people(rows)
        people = self._with_codes(people, [each.codes for each in of_people])
        items, attributes = self._items(people, kinds, rows, of_people)
        ((number,),) = self.run(f"SELECT count(*) FROM {people}").fetchall()  # noqa: S608 - our own names throughout
        ((several,),) = self.run(f"SELECT count(*) FROM {bases}").fetchall()  # noqa: S608
        ((largest,),) = self.run(
            f"SELECT coalesce(max(n), 0) FROM (SELECT sum(n) AS n FROM ({self._held_of_all(kinds)}) GROUP BY p)"  # noqa: S608
        ).fetchall()
        found = []
        for at, (each, (traits, facts)) in enumerate(zip(self.tables, split, strict=True)):
            ((total,),) = self.run(f"SELECT count(*) FROM {rows[at]}").fetchall()  # noqa: S608
            steady = tuple(own.coded.name for own in of_people if own.table == at and own.coded.sets is None)
            found.append(FactTable(each.table.label, int(total), self._people[at], traits, facts, steady))
        return Database(
            self.connection, self.label, tuple(found), int(number), int(several), self.item_count, int(largest),
            tuple(attributes), people, items, bases, tuple(base_columns),
            tuple((at, name, columns) for at, name, columns, _ in kinds),
        )  # fmt: skip

    def _check_missing(self, each: PersonTable) -> None:
        """Refuse rows that are nobody's."""
        missing = " OR ".join(f"{each.table.column(name).alias} IS NULL" for name in each.person)
        ((found,),) = self.run(
            f"SELECT count(*) FROM {each.table.name} WHERE {missing}",  # noqa: S608
            each.table.label,
        ).fetchall()
        if found:
            named = " and ".join(map(repr, each.person))
            raise SourceError(
                f"{each.table.label} has {counted(int(found), 'row')} without a value in {named}, which "
                f"{'tells' if len(each.person) == 1 else 'tell'} people apart.",
                code="person-missing",
                field="person",
                column=each.person[0],
                hint=Hint("Leave these rows out, or give each the value of its person."),
            )

    def _persons(self) -> str:
        """Make the table of everybody who is in any table, numbered."""
        name, keys = self._named("persons"), range(len(self.tables[0].person))
        listing = ", ".join(f"k{at}" for at in keys)
        united = " UNION ".join(
            "SELECT DISTINCT " + ", ".join(f"{telling(each, at)} AS k{at}" for at in keys) + f" FROM {each.table.name}"  # noqa: S608
            for each in self.tables
        )
        self.run(
            f"CREATE TEMP TABLE {name} AS SELECT CAST(row_number() OVER (ORDER BY {listing}) - 1 AS INTEGER) AS p, "  # noqa: S608
            f"{listing} FROM ({united}) AS u({listing})"
        )
        return name

    def _rows(self, each: PersonTable, persons: str) -> str:
        """Make the rows of a table with the numbers of their people in place of the keys."""
        name = self._named("rows")
        wanted = dict.fromkeys([*each.quasi, *(name for names in each.sensitive for name in names)])
        columns = [each.table.column(column) for column in wanted]
        cells = "".join(f", {with_one_zero(column, f'r.{column.alias}')} AS {column.alias}" for column in columns)
        same = " AND ".join(f"q.k{at} = {telling(each, at, 'r.')}" for at in range(len(each.person)))
        self.run(
            f"CREATE TEMP TABLE {name} AS SELECT q.p{cells} FROM {each.table.name} AS r JOIN {persons} AS q ON {same}",  # noqa: S608
            each.table.label,
        )
        return name

    def _split(self, rows: Sequence[str]) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Return the traits and the columns of facts of each table; refuse columns that may be either."""
        problems, found = Problems(), []
        for each, name in zip(self.tables, rows, strict=True):
            conflicts, people = self._conflicts(each, name)
            self._people.append(people)
            for column, several in conflicts.items():
                with problems.caught():
                    _check_told(each, column, several, people)
            traits = tuple(
                column
                for column, several in conflicts.items()
                if column not in each.facts and (column in each.traits or not several)
            )
            found.append((traits, tuple(column for column in each.quasi if column not in traits)))
        problems.check()
        return found

    def _conflicts(self, each: PersonTable, rows: str) -> tuple[dict[str, int], int]:
        """Return how many people have two values of each quasi-identifier, and how many there are."""
        aliases = [each.table.column(name).alias for name in each.quasi]
        ends = "".join(f", min({alias}) AS s{at}, max({alias}) AS e{at}" for at, alias in enumerate(aliases))
        asked = "".join(f", count(CASE WHEN s{at} <> e{at} THEN 1 END)" for at in range(len(aliases)))
        ((people, *several),) = self.run(
            f"SELECT count(*){asked} FROM (SELECT p{ends} FROM {rows} GROUP BY p)",  # noqa: S608
            each.table.label,
        ).fetchall()
        return dict(zip(each.quasi, map(int, several), strict=True)), int(people)

    def _bases(
        self, rows: Sequence[str], split: Sequence[tuple[tuple[str, ...], tuple[str, ...]]], persons: str
    ) -> tuple[str, str, list[tuple[str, Column]]]:
        """Make the different bases, and the people with the base of each; a person without a row has none of it."""
        columns: list[tuple[str, Column]] = []
        joins, cells = [], []
        for at, (each, name, (traits, _)) in enumerate(zip(self.tables, rows, split, strict=True)):
            if not traits:
                continue
            own = []
            for trait in traits:
                column, alias = each.table.column(trait), f"t{len(columns)}"
                own.append(f"{_one_value(column.alias, each.traits.get(trait, 'refuse'))} AS {alias}")
                cells.append(alias)
                columns.append((trait if len(self.tables) == 1 else f"{each.table.label}: {trait}", column))
            joins.append(f" LEFT JOIN (SELECT p, {', '.join(own)} FROM {name} GROUP BY p) AS o{at} USING (p)")  # noqa: S608
        based, bases, people = (self._named(stem) for stem in ("based", "bases", "people"))
        listing = "".join(f", {alias}" for alias in cells)
        order = ", ".join(f"{alias} NULLS FIRST" for alias in cells) or "1"
        same = " AND ".join(f"x.{alias} IS NOT DISTINCT FROM y.{alias}" for alias in cells) or "true"
        self.run(f"CREATE TEMP TABLE {based} AS SELECT p{listing} FROM {persons}{''.join(joins)}")  # noqa: S608
        self.run(
            f"CREATE TEMP TABLE {bases} AS SELECT "  # noqa: S608
            f"CAST(row_number() OVER (ORDER BY {order}) - 1 AS INTEGER) AS b{listing} FROM "
            f"(SELECT DISTINCT {', '.join(cells) or '1'} FROM {based})"
        )
        self.run(
            f"CREATE TEMP TABLE {people} AS SELECT x.p, y.b FROM {based} AS x JOIN {bases} AS y ON {same}"  # noqa: S608
        )
        return bases, people, columns

    def _facts(
        self, rows: Sequence[str], split: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]
    ) -> list[tuple[int, str, tuple[Column, ...], str]]:
        """Make the different facts of each table and who has them how often.

        Facts are numbered over all tables, the rarest first, so that joins begin with few people.
        """
        found, places = [], []
        for at, (each, (_, names)) in enumerate(zip(self.tables, split, strict=True)):
            if not names:
                continue
            columns = tuple(each.table.column(name) for name in names)
            cells = ", ".join(column.alias for column in columns)
            held, kinds = self._named("held"), self._named("kinds")
            copies = f"least(max(n), {max(self.most, 1)})" if self.repeated else "1"
            self.run(
                f"CREATE TEMP TABLE {held} AS SELECT p, {cells}, count(*) AS n "  # noqa: S608
                f"FROM {rows[at]} GROUP BY p, {cells}"
            )
            self.run(
                f"CREATE TEMP TABLE {kinds} AS SELECT {cells}, {copies} AS copies, count(*) AS people, "  # noqa: S608
                f"row_number() OVER (ORDER BY {cells}) AS place FROM {held} GROUP BY {cells}"
            )
            found.append((at, kinds, held, columns))
            places.append(f"SELECT {at} AS t, place, copies, people FROM {kinds}")  # noqa: S608
        self.item_count = 0
        if not found:
            return []
        numbers = self._named("numbers")
        self.run(
            f"CREATE TEMP TABLE {numbers} AS SELECT t, place, CAST(sum(copies) OVER (ORDER BY people, t, place "  # noqa: S608
            f"ROWS UNBOUNDED PRECEDING) - copies AS BIGINT) AS first FROM ({' UNION ALL '.join(places)})"
        )
        ((total,),) = self.run(
            f"SELECT sum(copies) FROM ({' UNION ALL '.join(places)})"  # noqa: S608
        ).fetchall()
        self.item_count = int(total)
        if self.item_count >= _MOST_ITEMS:
            raise InputError(f"There are {self.item_count:,} different facts, more than can be counted.", field="facts")
        made = []
        for at, kinds, held, columns in found:
            numbered, named = self._named("facts"), self._named("named")
            cells = ", ".join(f"k.{column.alias}" for column in columns)
            self.run(
                f"CREATE TEMP TABLE {numbered} AS SELECT {cells}, CAST(k.copies AS BIGINT) AS copies, n.first "  # noqa: S608
                f"FROM {kinds} AS k JOIN {numbers} AS n ON n.t = {at} AND n.place = k.place"
            )
            self.run(
                f"CREATE TEMP TABLE {named} AS SELECT r.p, k.first AS fact, r.n FROM {held} AS r "  # noqa: S608
                f"JOIN {numbered} AS k ON {_same(columns)}"
            )
            self.run(f"DROP TABLE {held}")
            made.append((at, numbered, columns, named))
        return made

    def _held_of_all(self, kinds: Sequence[tuple[int, str, tuple[Column, ...], str]]) -> str:
        """Return the SQL of everybody's facts of all tables, with how often each is counted."""
        times = "n" if self.repeated else "1 AS n"
        parts = [f"SELECT p, fact, {times} FROM {held}" for *_, held in kinds]  # noqa: S608
        return " UNION ALL ".join(parts) or "SELECT 0 AS p, 0 AS fact, 0 AS n WHERE false"

    def _of_people(self, rows: Sequence[str]) -> list[_OfPeople]:
        """Make the codes of people, attribute by attribute."""
        found, problems = [], Problems()
        for at, (each, name) in enumerate(zip(self.tables, rows, strict=True)):
            for names, distance in each.sensitive.items():
                with problems.caught():
                    found.append(self._coded(at, each, name, names, distance))
        problems.check()
        return found

    def _coded(
        self, at: int, each: PersonTable, rows: str, names: tuple[str, ...], distance: Distance | None
    ) -> _OfPeople:
        """Make the code of what each person has of an attribute: the number of their set of values."""
        own = self._own(each, rows, names)
        raw = f"SELECT p, {own.raw_attribute(0)} FROM {rows}"  # noqa: S608
        sets, lists, codes = (self._named(stem) for stem in ("sets", "lists", "codes"))
        self.run(f"CREATE TEMP TABLE {lists} AS SELECT p, list_sort(list(DISTINCT s0)) AS l FROM ({raw}) GROUP BY p")  # noqa: S608
        self.run(
            f"CREATE TEMP TABLE {sets} AS SELECT l, row_number() OVER (ORDER BY l) - 1 AS c, n FROM "  # noqa: S608
            f"(SELECT l, count(*) AS n FROM {lists} GROUP BY l)"
        )
        self.run(
            f"CREATE TEMP TABLE {codes} AS SELECT p, l, CAST(c AS INTEGER) AS c FROM {lists} JOIN {sets} USING (l)"  # noqa: S608
        )
        listed = self.run(f"SELECT l, n FROM {sets} ORDER BY c").fetchall()  # noqa: S608
        self.run(f"DROP TABLE {lists}")
        observed, places = _places(own, [values for values, _ in listed])
        people = ValueSets(places.offsets, places.ranks, np.array([number for _, number in listed], dtype=np.int64))
        several = bool((people.lengths > 1).any())
        observed = replace(observed, people=people if several else None)
        name = " × ".join(names)
        domain, ranks = arranged(name, observed, distance, each.references.get(names))
        known = people.renumbered(ranks)
        coded = Coded(name, domain, len(listed), np.arange(len(listed)), known, known if several else None)
        return _OfPeople(at, codes, coded, own, ranks)

    def _own(self, each: PersonTable, rows: str, names: tuple[str, ...]) -> CodedTable:
        """Return an attribute coded, with its people counted."""
        who = self._named("person")
        columns = (Column(who, "p", "INTEGER"), *(each.table.column(name) for name in names))
        table = replace(
            each.table, columns=columns, name=rows, rows=None, keeper=None, gatherer=None, counter=None, bare=None
        )
        return CodedTable(table.counting(who), (), [names])

    def _with_codes(self, people: str, codes: Sequence[str]) -> str:
        """Return the people with the codes of all attributes."""
        name = self._named("people")
        columns = "".join(f", v{at}.c AS a{at}" for at in range(len(codes)))
        joins = "".join(f" LEFT JOIN {code} AS v{at} ON v{at}.p = q.p" for at, code in enumerate(codes))
        self.run(f"CREATE TEMP TABLE {name} AS SELECT q.p, q.b{columns} FROM {people} AS q{joins}")  # noqa: S608
        return name

    def _items(
        self,
        people: str,
        kinds: Sequence[tuple[int, str, tuple[Column, ...], str]],
        rows: Sequence[str],
        of_people: Sequence[_OfPeople],
    ) -> tuple[str, list[Attribute]]:
        """Make the items of everybody, and return what the codes of attributes mean, of people and in rows of facts."""
        self.progress("Numbering facts", None)
        with_facts = {at: (name, columns) for at, name, columns, _ in kinds}
        attributes, columns, joins = [], "", ""
        for number, own in enumerate(of_people):
            beside = None
            if own.coded.sets is not None and own.table in with_facts:
                code, beside = self._in_rows_of_facts(own, rows[own.table], *with_facts[own.table])
                columns += f", w{number}.c AS f{number}"
                joins += f" LEFT JOIN {code} AS w{number} ON w{number}.p = h.p AND w{number}.fact = h.fact"
            attributes.append(Attribute(own.coded, beside))
        of = "".join(f", q.a{at}" for at in range(len(of_people)))
        name, kind = self._named("items"), smallest_type(self.item_count + 2)
        held, most = self._held_of_all(kinds), max(self.most, 1)
        copies = f"SELECT p, fact, 1 AS copy FROM ({held}) UNION ALL "  # noqa: S608
        copies += f"SELECT p, fact, unnest(range(2, least(n, {most}) + 1)) FROM ({held}) WHERE n > 1"  # noqa: S608
        self.run(
            f"CREATE TEMP TABLE {name} AS SELECT h.p, q.b, CAST(h.fact + h.copy - 1 AS {kind}) AS item, "  # noqa: S608
            f"CAST(h.copy AS INTEGER) AS copy{of}{columns} FROM ({copies}) AS h JOIN {people} AS q ON q.p = h.p{joins}"
        )
        return name, attributes

    def _in_rows_of_facts(self, own: _OfPeople, rows: str, kinds: str, columns: Sequence[Column]) -> tuple[str, Coded]:
        """Make the code of what each person has of an attribute in the rows of a fact, and anywhere."""
        listed_name, pairs, codes = (self._named(stem) for stem in ("listed", "pairs", "codes"))
        cells = ", ".join(f"{column.alias}" for column in columns)
        raw = f"SELECT p, {own.coding.raw_attribute(0)}, {cells} FROM {rows}"  # noqa: S608
        raw = f"SELECT r.p, r.s0, k.first AS fact FROM ({raw}) AS r JOIN {kinds} AS k ON {_same(columns)}"  # noqa: S608
        self.run(
            f"CREATE TEMP TABLE {listed_name} AS SELECT h.p, h.fact, h.l, v.c AS s FROM "  # noqa: S608
            f"(SELECT p, fact, list_sort(list(DISTINCT s0)) AS l FROM ({raw}) GROUP BY p, fact) AS h "
            f"JOIN {own.codes} AS v ON v.p = h.p"
        )
        self.run(
            f"CREATE TEMP TABLE {pairs} AS SELECT s, l, row_number() OVER (ORDER BY s, l) - 1 AS c FROM "  # noqa: S608
            f"(SELECT DISTINCT s, l FROM {listed_name})"
        )
        self.run(
            f"CREATE TEMP TABLE {codes} AS SELECT p, fact, CAST(c AS INTEGER) AS c FROM {listed_name} "  # noqa: S608
            f"JOIN {pairs} USING (s, l)"
        )
        listed = self.run(f"SELECT s, l FROM {pairs} ORDER BY c").fetchall()  # noqa: S608
        self.run(f"DROP TABLE {pairs}")
        _, places = _places(own.coding, [values for _, values in listed])
        anywhere = np.array([number for number, _ in listed], dtype=np.int64)
        coded = own.coded
        return codes, Coded(coded.name, coded.domain, len(listed), anywhere, places.renumbered(own.ranks), coded.sets)


@dataclass(frozen=True)
class _OfPeople:
    """An attribute whose people are coded."""

    table: int
    codes: str
    """Where the code of each person is."""
    coded: Coded
    coding: CodedTable
    ranks: Ranks
    """The rank of each observed value."""


def _places(own: CodedTable, listed: Sequence[Sequence[int]]) -> tuple[Observed, ValueSets]:
    """Return the values of an attribute, and the places among them of lists of raw codes."""
    observed, codes = own.observed[0]
    place = np.full(own.attributes[0].coding.size, -1, dtype=np.int32)
    place[codes] = np.arange(len(codes), dtype=np.int32)
    raw = np.array([code for values in listed for code in values], dtype=np.int64)
    lengths = np.array([len(values) for values in listed], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    found = place[own.attributes[0].coding.codes(raw)]
    return observed, ValueSets(offsets, found, np.ones(len(listed), dtype=np.int64))


def telling(each: PersonTable, at: int, prefix: str = "") -> str:
    """Return the SQL of one of the columns that tell people apart; the two zeros are one person."""
    column = each.table.column(each.person[at])
    return with_one_zero(column, prefix + column.alias)


def _same(columns: Sequence[Column]) -> str:
    """Return the SQL that a row, r, has the cells of a fact, k."""
    return " AND ".join(f"k.{column.alias} IS NOT DISTINCT FROM r.{column.alias}" for column in columns)


def _one_value(alias: str, rule: str) -> str:
    """Return the SQL of the one value of a trait that a person has."""
    if rule == "most-frequent":
        times = f"map_values(histogram({alias}))"
        return f"map_keys(histogram({alias}))[list_position({times}, list_max({times}))]"  # of several, the smallest
    if rule == "missing":
        return f"CASE WHEN min({alias}) = max({alias}) THEN min({alias}) END"
    return f"min({alias})"


def _check_told(each: PersonTable, column: str, several: int, people: int) -> None:
    """Refuse a column of which only few people have two values, unless somebody said what it is."""
    where = f"{several:,} of {people:,} people have two values of {column!r} in {each.table.label}"
    if several and each.traits.get(column) == "refuse":
        raise InputError(
            f"{where}, which was declared to be a trait.",
            code="trait-conflicts",
            field="traits",
            column=column,
            hint=Hint("Correct these rows, or say what to take: {}.", Ask("traits", "most-frequent", column)),
        )
    few = several > 0 and (several <= FEW_PEOPLE or several * FEW_OF <= people)
    if few and column not in each.traits and column not in each.facts:
        raise InputError(
            f"{where}: is it a trait with mistakes, or does it change?",
            code="near-trait",
            field="traits",
            column=column,
            hint=Hint(
                "Declare it: {} if it is a trait, {} if it is part of the facts.",
                Ask("traits", "most-frequent", column),
                Ask("fact_columns", [column]),
            ),
        )


def _check_keys(tables: Sequence[PersonTable]) -> None:
    """Refuse keys of different kinds, whose equal values would be nobody's or somebody else's."""
    first = tables[0]
    for each in tables[1:]:
        if len(each.person) != len(first.person):
            raise InputError(
                f"{first.table.label} tells people apart by {len(first.person)} columns and {each.table.label} by "
                f"{len(each.person)}.",
                field="person",
            )
        for mine, theirs in zip(first.person, each.person, strict=True):
            kinds = [_kind(table.table.column(name).type) for table, name in ((first, mine), (each, theirs))]
            if kinds[0] != kinds[1]:
                raise InputError(
                    f"People are told apart by {mine!r} in {first.table.label}, which holds {kinds[0]}, and by "
                    f"{theirs!r} in {each.table.label}, which holds {kinds[1]}.",
                    code="keys-of-different-types",
                    field="person",
                    column=theirs,
                    hint=Hint("Give both tables keys of one type."),
                )


def _kind(type_name: str) -> str:
    """Return what keys of a type are; only keys of one kind are compared."""
    if type_name.endswith(("INT", "INTEGER")):
        return "whole numbers"
    return "text" if type_name == "VARCHAR" else type_name
