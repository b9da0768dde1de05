"""Where there are too many sets of facts to count: some of them, drawn at random, and what they say of everybody."""

from __future__ import annotations

import math
from collections import Counter as Multiset
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tclose.auditing.facts.counting import Counter, Histograms, Key, Level
from tclose.auditing.facts.database import Coded, Database
from tclose.auditing.facts.findings import Drawn
from tclose.auditing.facts.set_numbers import more_sets_than
from tclose.engines.duckdb.sql import fresh_name

PEOPLE, SETS = 2_000, 50
"""How many people are drawn, and at most how many sets of facts of each."""
_FACTS = 2_000_000
"""About so many facts at most are in the sets that are drawn; where sets are large, there are fewer of each person."""
_CONFIDENCE = 0.95
_SEED = 20_070_415
"""Draws are the same every time: whoever audits decides nothing by trying again."""
_STEPS = 60


@dataclass(frozen=True)
class _Sample:
    """Sets of people who were drawn, each with its base, its items and whose it is."""

    people: list[int]
    sets: list[tuple[int, int, tuple[int, ...]]]
    """Person, base and items."""
    whole: bool
    """Whether every set of everybody who was drawn is among them."""


def drawn_level(counter: Counter, most: int) -> tuple[Level, Drawn]:
    """Return groups of sets of at most so many facts that were drawn, and what they say of everybody.

    The largest sets of a person leave the fewest candidates, so that only these are drawn.
    """
    database = counter.database
    sample = _sample(database, most)
    named = fresh_name("drawn")
    alike = fresh_name("alike")
    try:
        _store(database, named, sample)
        _find(database, named, alike)
        level = _level(database, alike, sample, most)
        sizes = database.run(f"SELECT s, count(*) FROM {alike} GROUP BY s").fetchall()  # noqa: S608
        smallest: dict[int, int] = {}
        for number, size in sizes:
            person = sample.sets[number][0]
            smallest[person] = min(smallest.get(person, size), size)
        counter.mark(
            [person for person, size in smallest.items() if size == 1],
            [person for person, size in smallest.items() if size < counter.fewer_than],
        )
        fewer = counter.marked(sample.people)
    finally:
        for name in (named, alike):
            database.run(f"DROP TABLE IF EXISTS {name}")
    low, high = clopper_pearson(fewer, len(sample.people))
    return level, Drawn(len(sample.people), fewer, low, high if sample.whole else None)


def _sample(database: Database, most: int) -> _Sample:
    """Draw people, and sets of the facts of each."""
    random = np.random.default_rng(_SEED)
    number = min(PEOPLE, database.persons)
    people = np.sort(random.choice(database.persons, number, replace=False)).tolist()
    items: dict[int, list[tuple[int, int]]] = {}
    bases: dict[int, int] = {}
    listing = ", ".join(map(str, people))
    for person, base, item, copy in database.run(
        f"SELECT p, b, item, copy FROM {database.items_name} WHERE p IN ({listing}) ORDER BY p, item"  # noqa: S608
    ).fetchall():
        items.setdefault(person, []).append((item, copy))
        bases[person] = base
    sets, whole = [], True
    for person, mine in items.items():
        times = tuple(sorted(Multiset(item - copy for item, copy in mine).values()))
        size = min(most, len(mine))
        tries = max(1, min(SETS, _FACTS // (number * max(size, 1)))) if size < len(mine) else 1
        found = {_drawn_set(mine, size, random.permutation(len(mine))) for _ in range(tries)}
        whole = whole and not more_sets_than(times, size, len(found))
        sets += [(person, bases[person], some) for some in sorted(found)]
    return _Sample(people, sets, whole)


def _drawn_set(mine: Sequence[tuple[int, int]], size: int, order: Iterable[int]) -> tuple[int, ...]:
    """Return a set of so many items: of each fact that is drawn, the first copy that is not in it yet."""
    taken = Multiset(mine[place][0] - mine[place][1] for place in list(order)[:size])
    return tuple(sorted(fact + copy for fact, times in taken.items() for copy in range(1, times + 1)))


def _store(database: Database, named: str, sample: _Sample) -> None:
    database.run(f"CREATE TEMP TABLE {named} (s INTEGER, b INTEGER, item BIGINT, place INTEGER, size INTEGER)")
    numbers = [
        (number, base, item, place, len(items))
        for number, (_, base, items) in enumerate(sample.sets)
        for place, item in enumerate(items)
    ]
    columns = np.array(numbers, dtype=np.int64).reshape(-1, 5).T
    data = {f"x{at}": np.ascontiguousarray(column) for at, column in enumerate(columns)}
    database.connection.register("tclose_drawn", data)
    try:
        database.run(f"INSERT INTO {named} SELECT x0, x1, x2, x3, x4 FROM tclose_drawn")  # noqa: S608
    finally:
        database.connection.unregister("tclose_drawn")


def _find(database: Database, named: str, alike: str) -> None:
    """Find the candidates of every set: of those who have its rarest item, those who have all of them."""
    items = database.items_name
    database.run(
        f"CREATE TEMP TABLE {alike} AS SELECT w.s, c.p FROM {named} AS f "  # noqa: S608 - our own names
        f"JOIN {items} AS c ON c.b = f.b AND c.item = f.item JOIN {named} AS w ON w.s = f.s "
        f"JOIN {items} AS h ON h.p = c.p AND h.item = w.item WHERE f.place = 0 "
        "GROUP BY w.s, c.p, f.size HAVING count(*) = f.size"
    )


def _level(database: Database, alike: str, sample: _Sample, most: int) -> Level:
    """Return the groups as those of one level."""
    keys: list[Key] = [(base, *items) for _, base, items in sample.sets]
    rows = database.run(f"SELECT s, count(*) FROM {alike} GROUP BY s ORDER BY s").fetchall()  # noqa: S608
    sizes = np.array([size for _, size in rows], dtype=np.int64)
    attributes = []
    for at, each in enumerate(database.attributes):
        of_people = _histograms(
            database,
            f"SELECT a.s, 0, q.a{at}, count(*) FROM {alike} AS a JOIN {database.people_name} AS q USING (p) "  # noqa: S608
            f"WHERE q.a{at} IS NOT NULL GROUP BY ALL ORDER BY ALL",
            each.of_people,
            keys,
        )
        found = [of_people]
        if each.of_facts is not None:
            found.append(_of_facts(database, alike, at, each.of_facts, sample, keys))
        attributes.append(found)
    return Level(most, sizes, np.ones(len(sizes), dtype=np.int64), [keys[number] for number, _ in rows], attributes)


def _of_facts(
    database: Database, alike: str, at: int, coded: Coded, sample: _Sample, keys: Sequence[Key]
) -> Histograms:
    """Return the histograms of what people have in the rows of each fact of the sets."""
    pairs = [(number, item) for number, (_, _, items) in enumerate(sample.sets) for item in items]
    data = {"s": np.array([s for s, _ in pairs], dtype=np.int64), "item": np.array([i for _, i in pairs])}
    database.connection.register("tclose_drawn", data)
    try:
        return _histograms(
            database,
            f"SELECT a.s, h.item, h.f{at}, count(*) FROM {alike} AS a JOIN tclose_drawn AS w ON w.s = a.s "  # noqa: S608
            f"JOIN {database.items_name} AS h ON h.p = a.p AND h.item = w.item WHERE h.copy = 1 "
            f"AND h.f{at} IS NOT NULL GROUP BY ALL ORDER BY ALL",
            coded,
            keys,
        )
    finally:
        database.connection.unregister("tclose_drawn")


def _histograms(database: Database, query: str, coded: Coded, keys: Sequence[Key]) -> Histograms:
    rows = database.run(query).fetchall()
    groups = list(dict.fromkeys((number, item) for number, item, _, _ in rows))
    place = {group: at for at, group in enumerate(groups)}
    numbers, codes, counts = (
        np.array(each, dtype=np.int64)
        for each in (
            [place[number, item] for number, item, _, _ in rows],
            [code for *_, code, _ in rows],
            [count for *_, count in rows],
        )
    )
    first = [keys[number] for number, _ in groups]
    return Histograms(coded, numbers, codes, counts, np.ones(len(groups), dtype=np.int64), first)


def clopper_pearson(found: int, drawn: int) -> tuple[float, float]:
    """Return between which shares the true one is, each bound alone with a confidence of 95 %.

    The lower bound is the share with which as many or more would be found in 5 % of draws, the upper one the share with
    which as many or fewer would be.

    References
    ----------
    C. Clopper, E. Pearson: The use of confidence or fiducial limits illustrated in the case of the binomial,
    Biometrika 26(4), 1934.

    Examples
    --------
    >>> low, high = clopper_pearson(0, 59)
    >>> low, round(high, 4)
    (0.0, 0.0495)
    """
    left = 1 - _CONFIDENCE
    low = 0.0 if found == 0 else _root(lambda share: _at_least(found, drawn, share) - left)
    high = 1.0 if found == drawn else _root(lambda share: left - (1 - _at_least(found + 1, drawn, share)))
    return low, high


def _at_least(found: int, drawn: int, share: float) -> float:
    """Return the chance that as many or more of those drawn are found."""
    if share <= 0 or share >= 1:
        return float(share >= 1)
    log, other = math.log(share), math.log1p(-share)
    of_all = math.lgamma(drawn + 1)
    return math.fsum(
        math.exp(of_all - math.lgamma(n + 1) - math.lgamma(drawn - n + 1) + n * log + (drawn - n) * other)
        for n in range(found, drawn + 1)
    )


def _root(rising: Callable[[float], float]) -> float:
    """Return where a rising function of a share is 0."""
    low, high = 0.0, 1.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return (low + high) / 2
