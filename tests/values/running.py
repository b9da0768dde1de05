"""Many columns drawn, written in every format and judged; what breaks the law is made as small as it can be."""

from __future__ import annotations

import itertools
import random
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, seed, settings

from values import law
from values.columns import KINDS, Column, columns
from values.files import Format
from values.law import Placed, Violation
from values.releasing import WAYS, released

AT_ONCE = 60
"""So many columns stand in one table."""
RELEASED_AT_ONCE = 8
SERVED = ("sqlite", "postgresql")


@dataclass
class Tally:
    """What was tried, and what was found."""

    kinds: Counter[str] = field(default_factory=Counter)
    formats: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    releases: Counter[str] = field(default_factory=Counter)
    comparisons: int = 0
    violations: list[Violation] = field(default_factory=list)

    def report(self, broken: str, where: str, column: Column, said: str) -> None:
        self.violations.append(Violation(broken, where, column, said))


def drawn(number: int, start: int) -> list[Column]:
    """Draw columns, about as many of each kind; the same start gives the same ones."""
    found: list[Column] = []
    for kind in KINDS:
        found += _of_kind(kind, -(-number // len(KINDS)), start)
    random.Random(start).shuffle(found)
    return found[:number]


def _of_kind(kind: str, number: int, start: int) -> list[Column]:
    """Draw columns of a kind; the first ones, which are the simplest, are left out where few are asked for."""
    found: list[Column] = []

    @seed(start)
    @settings(
        max_examples=number + 10,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(columns(kind))
    def draw(column: Column) -> None:
        found.append(column)

    draw()
    return found[-number:]


def batches(found: Sequence[Column], size: int = AT_ONCE) -> Iterator[dict[str, Column]]:
    """Give columns under names, as many at once as stand in one table."""
    for start in range(0, len(found), size):
        yield {f"v{at}": column for at, column in enumerate(found[start : start + size])}


def judge(some: Mapping[str, Column], formats: Sequence[Format], tally: Tally, choose: random.Random) -> None:
    """Judge columns in some formats, each against the next, and release some of them from one."""
    tally.kinds.update(column.kind for column in some.values())
    with tempfile.TemporaryDirectory() as place:
        tables = _placed(some, formats, Path(place), tally)
        for there in tables:
            law.figures(there, {name for name in there.open if choose.random() < 0.5}, tally.report)
            if choose.random() < 0.5:
                law.scales(there, tally.report)
            if there.open and choose.random() < 0.5:
                law.classes(there, choose.choice(there.open), tally.report)
            tally.formats[there.format.name] += len(there.columns)
            tally.refused[there.format.name] += len(there.refused)
        if len(formats) > 1:
            for there, other in itertools.pairwise([*tables, *tables[:1]]):
                _compare(there, other, tally, choose)
        if tables and "spark" not in formats[0].name:
            there, way = choose.choice(tables), choose.choice(WAYS)
            names = choose.sample(there.open, min(RELEASED_AT_ONCE, len(there.open)))
            released(there, names, way, Path(place), tally.report)
            tally.releases[way.split()[1]] += len(names)
        law.refusals(tables, tally.report)


def _placed(some: Mapping[str, Column], formats: Sequence[Format], place: Path, tally: Tally) -> list[Placed]:
    return [
        there for form in formats for there in law.placed(form, some, place / form.name.replace(" ", "-"), tally.report)
    ]


def _compare(there: Placed, other: Placed, tally: Tally, choose: random.Random) -> None:
    """Compare two tables; one in a database is no reference of one that is not."""
    if other.format.name in SERVED:
        there, other = other, there
    law.against(there, other, tally.report)
    both = law.comparable(there, other)
    tally.comparisons += len(both)
    if both and choose.random() < 0.5:
        law.among(there, other, choose.choice(both), tally.report)


def smallest(found: Violation, formats: Sequence[Format]) -> Violation:
    """Return a violation with as few different cells as still break the same law in the same place."""
    best, shrinking = found, True
    while shrinking:
        shrinking = False
        for smaller in _fewer(best.column):
            again = _again(replace(best, column=smaller), formats)
            if again is not None:
                best, shrinking = again, True
                break
    return best


def _fewer(column: Column) -> Iterator[Column]:
    """Give the column with one of its different values replaced by another."""
    different = list(dict.fromkeys(column.values))
    for gone, instead in itertools.permutations(different, 2):
        yield replace(column, values=tuple(instead if value is gone else value for value in column.values))


def _again(broken: Violation, formats: Sequence[Format]) -> Violation | None:
    """Judge one column by one law in the formats that it is about."""
    named = [form for form in formats if form.name in (broken.where, broken.law.partition(" ")[2])]
    named.sort(key=lambda form: form.name != broken.where)
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        tables = _placed({"v0": broken.column}, named, Path(folder), tally)
        for there in tables[:1]:
            if broken.law == "figures":
                law.figures(there, (), tally.report)
                law.figures(there, ("v0",), tally.report)
            elif broken.law == "scales":
                law.scales(there, tally.report)
            elif broken.law == "classes":
                law.classes(there, "v0", tally.report)
            elif broken.law.startswith("released"):
                released(there, ["v0"], broken.law.removeprefix("released "), Path(folder), tally.report)
            elif law.comparable(there, tables[-1]):
                law.against(there, tables[-1], tally.report)
                law.among(there, tables[-1], "v0", tally.report)
    return next((found for found in tally.violations if found.law == broken.law), None)


def shown(found: Violation) -> str:
    """Return a violation in a few lines."""
    cells = ", ".join(map(repr, found.column.values))
    return f"{found.law}, {found.where}, {found.column.kind} (choice {found.column.choice}): {cells}\n    {found.said}"


def grouped(tally: Tally, formats: Sequence[Format], most: int = 60) -> list[str]:
    """Return one violation of each law, place and kind, as small as it can be, with how many there were."""
    groups: dict[tuple[str, str, str], list[Violation]] = {}
    for found in tally.violations:
        groups.setdefault((found.law, found.where, found.column.kind), []).append(found)
    several = sorted(groups.values(), key=len, reverse=True)[:most]
    return [f"{len(group)} × {shown(smallest(group[0], formats))}" for group in several]
