"""Tables in which people have several rows, and every figure of people by the plainest calculation."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

import tclose
from laws import oracle
from laws.audited import Case, cases

PERSONS: dict[str, Any] = {
    "whole numbers": st.integers(-2, 2),
    "whole numbers of 64 bits": st.sampled_from([-(2**63), -1, 0, 2**62, 2**63 - 1]),
    "texts that look alike": st.sampled_from(["a", "A", "a ", " a", "", "á", "a\u0301", "1", "01", "1.0"]),
    "real numbers, and both zeros": st.sampled_from([-0.0, 0.0, 0.1, 0.30000000000000004, 0.3]),
    "truths": st.booleans(),
}
"""The values of columns that tell people apart."""


@dataclass(frozen=True)
class People:
    """A case, and whose each of its rows is."""

    case: Case
    persons: tuple[Any, ...]

    @property
    def columns(self) -> dict[str, list[Any]]:
        return {**self.case.columns, "who": list(self.persons)}

    @property
    def roles(self) -> tclose.Roles:
        return replace(self.case.roles, person="who")

    def with_rows(self, places: list[int]) -> People:
        rows = tuple(self.case.rows[at] for at in places)
        return People(self.case.with_rows(rows), tuple(self.persons[at] for at in places))

    def sizes(self) -> Counter[tuple[Any, ...]]:
        """The number of different people in each class."""
        return Counter(key for key, _ in {(row[:-1], who) for row, who in self._rows})

    def classes(self) -> dict[tuple[Any, ...], Counter[Any]]:
        """The number of different people who have each value, in each class."""
        found: dict[tuple[Any, ...], Counter[Any]] = {row[:-1]: Counter() for row in self.case.rows}
        for row, _ in set(self._known):
            found[row[:-1]][row[-1]] += 1
        return found

    def reference(self) -> Counter[Any]:
        """The number of different people who have each value."""
        return Counter(value for value, _ in {(row[-1], who) for row, who in self._known})

    def united(self, kept: tuple[int, ...], key: tuple[Any, ...]) -> Counter[Any]:
        """The number of different people who have each value among all who share some columns of a key."""
        some = {(row[-1], who) for row, who in self._known if all(row[at] == key[at] for at in kept)}
        return Counter(value for value, _ in some)

    def trajectories(self) -> Counter[frozenset[tuple[Any, ...]]]:
        """How many people appear in each set of classes."""
        return Counter(frozenset(row[:-1] for row, who in self._rows if who == one) for one in set(self.persons))

    def figures(self) -> dict[tuple[Any, ...], dict[str, Any]]:
        """The figures of each class, by its key."""
        reference, attribute = self.reference(), self.case.attribute
        return {
            key: {"k": self.sizes()[key], "prosecutor": Fraction(1, self.sizes()[key])}
            | (oracle.attribute_figures(counts, reference, attribute) if counts else {})
            for key, counts in self.classes().items()
        }

    @property
    def _rows(self) -> list[tuple[tuple[Any, ...], Any]]:
        return list(zip(self.case.rows, self.persons, strict=True))

    @property
    def _known(self) -> list[tuple[tuple[Any, ...], Any]]:
        return [pair for pair in self._rows if pair[0][-1] is not None or not self.case.drops]


@st.composite
def peopled(draw: st.DrawFn, *, most_rows: int = 14, quasi: int | None = None, persons: Any = None) -> People:
    """Tables heavy with ties in which people have several rows, classes and values."""
    case = draw(cases(most_rows=most_rows, quasi=quasi))
    who = persons if persons is not None else PERSONS[draw(st.sampled_from(list(PERSONS)))]
    return People(case, tuple(draw(who) for _ in case.rows))
