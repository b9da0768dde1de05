"""How many sets of facts people have, found by multiplying polynomials and without making a single set.

The number of sets of s facts that a person has is the coefficient of x^s in a product: for each fact that the person
has n times, a factor 1 + x + … + xⁿ.
"""

from __future__ import annotations

import math
from collections import Counter as Multiset
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate

from tclose.auditing.facts.database import Database
from tclose.engines.duckdb.sql import fresh_name

Profile = tuple[int, ...]
"""How often a person has each of their facts, in ascending order."""
_FIRST_FACTS = 4


def planned(database: Database, most: int, budget: int) -> int:
    """Return up to how many facts everybody's sets fit into a budget."""
    profiles = _profiles(database)
    total, facts, upto = database.persons, 0, min(most, _FIRST_FACTS)
    while facts < most:
        numbers = [0] * (upto + 1)
        for profile, people in profiles:
            for size, sets in enumerate(sets_by_size(profile, upto)):
                numbers[size] += people * sets
        while facts < upto:
            if total + numbers[facts + 1] > budget:
                return facts
            facts += 1
            total += numbers[facts]
        upto = min(most, 2 * upto)
    return facts


def _profiles(database: Database) -> list[tuple[Profile, int]]:
    """Return how often people have each of their facts, and how many people have them so."""
    items = database.items_name
    ((copies,),) = database.run(f"SELECT coalesce(max(copy), 0) FROM {items}").fetchall()  # noqa: S608 - our own names
    if copies <= 1:  # then the number of facts says it all
        counts = f"SELECT count(*) AS n FROM {items} GROUP BY p"  # noqa: S608
        rows = database.run(f"SELECT n, count(*) FROM ({counts}) GROUP BY n").fetchall()  # noqa: S608
        return [((1,) * facts, people) for facts, people in rows]
    rows = database.run(f"SELECT l, count(*) FROM ({_lists(items)}) GROUP BY l").fetchall()  # noqa: S608
    return [(tuple(profile), people) for profile, people in rows]


def _lists(items: str) -> str:
    """Return the SQL of everybody's profile."""
    held = f"SELECT p, count(*) AS n FROM {items} GROUP BY p, item - copy"  # noqa: S608 - our own names
    return f"SELECT p, list_sort(list(n)) AS l FROM ({held}) GROUP BY p"  # noqa: S608


@lru_cache(maxsize=1 << 12)
def sets_by_size(profile: Profile, most: int) -> list[int]:
    """Return how many sets of each size there are of facts that a person has so many times each.

    Examples
    --------
    >>> sets_by_size((1, 2), 3)  # a, b, b: nothing; a, b; ab, bb; abb
    [1, 2, 2, 1]
    """
    times = Multiset(profile)
    once = times.pop(1, 0)
    found = [math.comb(once, size) for size in range(most + 1)]
    for several, facts in times.items():
        for _ in range(facts):
            upto = list(accumulate(found))
            found = [upto[size] - (upto[size - several - 1] if size > several else 0) for size in range(most + 1)]
    return found


def more_sets_than(profile: Profile, size: int, number: int) -> bool:
    """Say whether somebody has more sets of a size than a number.

    Coefficients of such a product rise up to half of its degree and fall as they rose, so that the coefficient of a
    small power is often enough.
    """
    near = min(size, sum(profile) - size)
    early = min(near, number + 1)
    found = sets_by_size(profile, early)[early]
    return found > number if early == near or found > number else sets_by_size(profile, near)[near] > number


class SetNumbers:
    """How many sets of each number of facts everybody has: of all people, of those with a code, and with a fact."""

    def __init__(self, database: Database, most: int) -> None:
        self.database, self.most = database, most
        self._lists = fresh_name("profiles")
        database.run(f"CREATE TEMP TABLE {self._lists} AS {_lists(database.items_name)}")
        try:
            self.of_all = self._by_code("0")[0]
            self.of_people = [self._by_code(f"q.a{at}") for at in range(len(database.attributes))]
            self.of_facts = [
                {} if each.of_facts is None else self._by_fact_code(at) for at, each in enumerate(database.attributes)
            ]
        finally:
            database.run(f"DROP TABLE {self._lists}")

    def _by_code(self, code: str) -> dict[int, list[int]]:
        """Return the numbers of sets that people with each code have, by size."""
        query = (
            f"SELECT {code} AS c, l, count(*) FROM {self.database.people_name} AS q LEFT JOIN {self._lists} USING (p) "  # noqa: S608
            "GROUP BY c, l HAVING c IS NOT NULL"
        )
        rows = self.database.run(query).fetchall()
        return self._summed((code, sets_by_size(tuple(each or ()), self.most), people) for code, each, people in rows)

    def _by_fact_code(self, at: int) -> dict[int, list[int]]:
        """Return the numbers of sets with a fact in whose rows people have each code, by size."""
        held = (
            f"SELECT p, count(*) AS n, max(f{at}) AS c FROM {self.database.items_name} "  # noqa: S608
            f"GROUP BY p, item - copy HAVING max(f{at}) IS NOT NULL"
        )
        query = f"SELECT c, l, n, count(*) FROM ({held}) JOIN {self._lists} USING (p) GROUP BY ALL"  # noqa: S608
        rows = self.database.run(query).fetchall()
        return self._summed((code, self._with(tuple(each), times), people) for code, each, times, people in rows)

    def _with(self, profile: Profile, times: int) -> list[int]:
        """Return how many sets of each size have a certain fact that a person has so many times."""
        at = profile.index(times)
        without = sets_by_size(profile[:at] + profile[at + 1 :], self.most)
        return [every - other for every, other in zip(sets_by_size(profile, self.most), without, strict=True)]

    def _summed(self, rows: Iterable[tuple[int, list[int], int]]) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for code, sets, people in rows:
            before = found.get(code, [0] * (self.most + 1))
            found[code] = [number + people * each for number, each in zip(before, sets, strict=True)]
        return found
