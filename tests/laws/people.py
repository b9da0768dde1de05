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

    def figures(self, other: People | None = None) -> dict[tuple[Any, ...], dict[str, Any]]:
        """The figures of each class, by its key; with another table, compared with that one."""
        found = self._figures_of_values(other)
        for key, counts in self.classes().items():
            self._by_people(key, counts, found[key], other or self)
        if (fewer := self.without) is not None:
            there = {key for key, counts in fewer.classes().items() if counts}
            others = fewer.figures(None if other is None else other.without)
            oracle.in_both_ways(found, {key: others[key] if key in there else {} for key in found})
        return found

    @property
    def without(self) -> People | None:
        """The same people with missing values left out, where they count as a value beside others."""
        return None if self.case.without is None else People(self.case.without, self.persons)

    def figures_of_values(self) -> dict[tuple[Any, ...], dict[str, Any]]:
        """The figures of each class in which everybody counts once for each value."""
        found = self._figures_of_values(None)
        if self.without is not None:
            oracle.in_both_ways(found, self.without.figures_of_values())
        return found

    def _figures_of_values(self, other: People | None) -> dict[tuple[Any, ...], dict[str, Any]]:
        reference, attribute = (other or self).reference(), self.case.attribute
        return {
            key: {"k": self.sizes()[key], "prosecutor": Fraction(1, self.sizes()[key])}
            | (oracle.attribute_figures(counts, reference, attribute) if counts else {})
            for key, counts in self.classes().items()
        }

    def values_of(self, *, nothing: bool = False) -> dict[Any, set[Any]]:
        """All values that each person has, in whatever classes; with ``nothing``, a value left out is one, too."""
        found: dict[Any, set[Any]] = {}
        for row, who in self._rows if nothing else self._known:
            found.setdefault(who, set()).add(row[-1])
        return found

    def _by_people(self, key: tuple[Any, ...], counts: Counter[Any], figures: dict[str, Any], other: People) -> None:
        """Make figures of a class what they are of people, who may have several values."""
        attribute, everybody = self.case.attribute, self.values_of()
        if counts:
            valued = {who for row, who in self._known if row[:-1] == key}
            figures["alpha"] = Fraction(max(counts.values()), len(valued))
            if figures["alpha"] == 1:
                figures["l"] = figures["p"] = 1
        here = [everybody[who] for who in {who for row, who in self._rows if row[:-1] == key} if who in everybody]
        if not here:
            return
        everyone = list(other.values_of().values())
        rank = {value: at for at, value in enumerate(attribute.order)}

        def far(value: Any, people: list[set[Any]]) -> Fraction:
            nearest = [min(attribute.apart(rank[value], rank[other]) for other in held) for held in people]
            return sum(nearest, Fraction(0)) / len(people)

        shares = [
            tuple(Fraction(sum(value in held for held in some), len(some)) for some in (here, everyone))
            for value in attribute.order
        ]
        figures["t"] = max(
            figures.get("t", Fraction(0)), *(abs(far(value, here) - far(value, everyone)) for value in attribute.order)
        )
        if not counts:
            return
        by_people = oracle.prevalence_figures(shares)
        for name, figure in by_people.items():
            figures[name] = max(figures[name], figure)

    @property
    def _rows(self) -> list[tuple[tuple[Any, ...], Any]]:
        return list(zip(self.case.rows, self.persons, strict=True))

    @property
    def _known(self) -> list[tuple[tuple[Any, ...], Any]]:
        return [pair for pair in self._rows if pair[0][-1] is not None or not self.case.drops]


def counting_at_most(audit: tclose.Audit, elsewhere: tclose.Audit) -> tclose.Audit:
    """An audit that says of failing people what one elsewhere says, where that knows only how many are at most."""
    verdicts = []
    for here, there in zip(audit.verdicts, elsewhere.verdicts, strict=True):
        if there.at_most:
            assert audit.people is not None
            assert here.failing_rows <= there.failing_rows <= audit.people
        as_there = replace(here, failing_rows=there.failing_rows, at_most=True)
        verdicts.append(as_there if there.at_most else here)
    return replace(audit, verdicts=tuple(verdicts))


@st.composite
def peopled(draw: st.DrawFn, *, most_rows: int = 14, quasi: int | None = None, persons: Any = None) -> People:
    """Tables heavy with ties in which people have several rows, classes and values."""
    case = draw(cases(most_rows=most_rows, quasi=quasi))
    who = persons if persons is not None else PERSONS[draw(st.sampled_from(list(PERSONS)))]
    return People(case, tuple(draw(who) for _ in case.rows))
