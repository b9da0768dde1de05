"""Databases of people at random, and every figure of someone who knows facts by the plainest calculation."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

from tclose.auditing.facts.database import PersonTable
from tclose.engines.duckdb.session import DuckDBSession
from tclose.policy.roles import Nominal, Ordered

Person = tuple[Any, ...]
Row = dict[str, Any]


@dataclass(frozen=True)
class Plain:
    """A table about people as a list of rows."""

    rows: tuple[Row, ...]
    key: tuple[str, ...]
    traits: tuple[str, ...]
    facts: tuple[str, ...]
    sensitive: tuple[str, ...]
    ordered: bool = False

    def person(self, row: Row) -> Person:
        return tuple(row[name] for name in self.key)

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.key, *self.traits, *self.facts, *self.sensitive)


@dataclass(frozen=True)
class PlainDatabase:
    """Tables about the same people."""

    tables: tuple[Plain, ...]

    @property
    def people(self) -> list[Person]:
        return list(dict.fromkeys(table.person(row) for table in self.tables for row in table.rows))

    def base(self, person: Person) -> tuple[Any, ...]:
        found = []
        for table in self.tables:
            for trait in table.traits:
                values = {row[trait] for row in table.rows if table.person(row) == person} - {None}
                found.append(next(iter(values), None))
        return tuple(found)

    def facts(self, person: Person, *, repeated: bool) -> list[tuple[int, tuple[Any, ...]]]:
        found = [
            (at, tuple(row[name] for name in table.facts))
            for at, table in enumerate(self.tables)
            for row in table.rows
            if table.facts and table.person(row) == person
        ]
        return found if repeated else list(dict.fromkeys(found))

    def values(self, at: int, name: str, person: Person, fact: object = None) -> set[Any]:
        """The values that a person has of an attribute: anywhere, or in the rows of a fact."""
        table = self.tables[at]
        return {
            row[name]
            for row in table.rows
            if table.person(row) == person and (fact is None or (at, tuple(row[n] for n in table.facts)) == fact)
        }

    def opened(self, session: DuckDBSession) -> list[PersonTable]:
        """The tables as an engine opens them, with what each column is."""
        found = []
        for table in self.tables:
            columns = {name: [row[name] for row in table.rows] for name in table.columns}
            attributes = {(name,): Ordered() if table.ordered else Nominal() for name in table.sensitive}
            traits = dict.fromkeys(table.traits, "refuse")
            quasi = (*table.traits, *table.facts)
            found.append(
                PersonTable(session.open(columns), table.key, quasi, attributes, traits=traits, facts=table.facts)
            )
        return found


@dataclass(frozen=True)
class Figures:
    """What someone learns who knows so many facts."""

    k: int
    alone: int
    fewer: int
    t: dict[str, Fraction]
    alpha: dict[str, Fraction]
    l: dict[str, int]  # noqa: E741 - the model's own name


def figures(database: PlainDatabase, most: int, *, repeated: bool, fewer_than: int = 5) -> Figures:
    """Every figure, by looking at every set of facts of everybody."""
    people = database.people
    facts = {person: Counter(database.facts(person, repeated=repeated)) for person in people}
    bases = {person: database.base(person) for person in people}
    sizes: dict[Person, int] = {}
    worst: dict[str, list[Any]] = {}
    seen: set[Any] = set()
    for person in people:
        elements = list(facts[person].elements())
        known = {tuple(sorted(some, key=repr)) for some in combinations(elements, most)}
        for some in known:
            wanted = Counter(some)
            alike = [x for x in people if bases[x] == bases[person] and wanted <= facts[x]]
            sizes[person] = min(sizes.get(person, len(people)), len(alike))
            if (bases[person], some) not in seen:
                seen.add((bases[person], some))
                for at, table in enumerate(database.tables):
                    for name in table.sensitive:
                        worst.setdefault(name, []).extend(_measured(database, at, name, alike, some))
    return Figures(
        min(sizes.values()),
        sum(size == 1 for size in sizes.values()),
        sum(size < fewer_than for size in sizes.values()),
        {name: max(t for t, _, _ in found) for name, found in worst.items()},
        {name: max(alpha for _, alpha, _ in found) for name, found in worst.items()},
        {name: min(different for _, _, different in found) for name, found in worst.items()},
    )


def combinations(elements: list[Any], most: int) -> Iterator[tuple[Any, ...]]:
    for number in range(min(most, len(elements)) + 1):
        yield from itertools.combinations(elements, number)


def _measured(
    database: PlainDatabase, at: int, name: str, alike: list[Person], some: Iterable[Any]
) -> Iterator[tuple[Fraction, Fraction, int]]:
    """t, α and ℓ among people, by all that they have and by what they have in the rows of each fact.

    Missing values count as a value, and also as none.
    """
    everything = {person: database.values(at, name, person) for person in database.people}
    several = any(len(values) > 1 for values in everything.values())
    missing = any(None in values for values in everything.values()) and any(v - {None} for v in everything.values())
    facts = (None, *(dict.fromkeys(fact for fact in some if fact[0] == at) if several else ()))
    for fact, left_out in itertools.product(facts, [set(), {None}] if missing else [set()]):
        whole = {person: values - left_out for person, values in everything.items()}
        here = {person: database.values(at, name, person, fact) - left_out for person in alike}
        pairs = Counter(value for values in here.values() for value in values)
        valued = sum(bool(values) for values in here.values())
        if not pairs:
            continue
        alpha = Fraction(max(pairs.values()), valued)
        distinct = 1 if alpha == 1 else len(pairs)
        yield _distance(database.tables[at], pairs, whole, alike), alpha, distinct


def _distance(table: Plain, pairs: Counter[Any], whole: dict[Person, set[Any]], alike: list[Person]) -> Fraction:
    """t of people: the larger of the distance of pairs and of the differences of mean distances from each value."""
    everything = Counter(value for values in whole.values() for value in values)
    order = sorted(everything) if table.ordered else list(everything)
    shares = [
        Fraction(pairs[v], sum(pairs.values())) - Fraction(everything[v], sum(everything.values())) for v in order
    ]
    if table.ordered:
        moved = sum((abs(each) for each in itertools.accumulate(shares)), Fraction(0))
        first = moved / (len(order) - 1) if len(order) > 1 else Fraction(0)
    else:
        first = sum((abs(share) for share in shares), Fraction(0)) / 2

    def far(value: Any, values: set[Any]) -> Fraction:
        if not table.ordered:
            return Fraction(value not in values)
        return Fraction(min(abs(order.index(value) - order.index(other)) for other in values), max(len(order) - 1, 1))

    def mean(value: Any, some: Iterable[Person]) -> Fraction:
        having = [whole[person] for person in some if whole[person]]
        return sum((far(value, values) for values in having), Fraction(0)) / len(having) if having else Fraction(0)

    second = max((abs(mean(v, alike) - mean(v, whole)) for v in order), default=Fraction(0))
    return max(first, second)


@st.composite
def databases(draw: st.DrawFn, most_people: int = 7, most_tables: int = 3) -> PlainDatabase:
    """Databases with nulls, people without facts, repeated facts, several tables and composite keys."""
    composite = draw(st.booleans())
    keys = [(number // 3, "xyz"[number % 3]) if composite else (number,) for number in range(most_people)]
    names = ("clinic", "patient") if composite else ("id",)
    tables = []
    for at in range(draw(st.integers(1, most_tables))):
        traits = draw(st.sampled_from([(), (f"sex{at}",), (f"sex{at}", f"age{at}")]))
        facts = draw(st.sampled_from([(), (f"ward{at}",), (f"ward{at}", f"day{at}")]))
        if not traits and not facts:
            facts = (f"ward{at}",)
        trait_of = {(key, trait): draw(st.sampled_from([None, "a", "b"])) for key in keys for trait in traits}
        sensitive = draw(st.sampled_from([(), (f"ill{at}",), (f"grade{at}",)]))
        grades = {key: draw(st.integers(0, 2)) for key in keys}
        ordered = draw(st.booleans())
        rows = []
        for key in draw(st.lists(st.sampled_from(keys), min_size=1, max_size=12)):
            row: Row = dict(zip(names, key, strict=True))
            row |= {trait: draw(st.sampled_from([trait_of[key, trait]] * 3 + [None])) for trait in traits}
            row |= {name: draw(st.sampled_from([None, "p", "q", "r"])) for name in facts}
            for name in sensitive:
                missing = [] if ordered else [None]
                row[name] = grades[key] if name.startswith("grade") else draw(st.sampled_from([1, 2, 3, *missing]))
            rows.append(row)
        tables.append(Plain(tuple(rows), names, traits, facts, sensitive, ordered))
    return PlainDatabase(tuple(tables))
