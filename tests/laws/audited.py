"""Small tables for the laws, every model measured on them, and the ways in which rows become counts."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import strategies as st

import tclose
from laws import oracle
from plain_kernels import plainly
from tclose.engines import grouping
from tclose.engines.duckdb import codes, session
from tclose.engines.duckdb import codes as key_words
from tclose.engines.duckdb.counts import PairCounts
from tclose.models.catalogue import MODELS, Requirement
from tclose.models.closeness import NTCloseness, SmoothedJS
from tclose.models.proximity import Proximity

NT_ROWS = 4
TREE = {"*": {"one": ["a", "b"], "two": ["c", {"three": ["d", "e"]}]}}
TREE_LEVELS = {
    "a": ("a", "one", "one"),
    "b": ("b", "one", "one"),
    "c": ("c", "c", "two"),
    "d": ("d", "three", "two"),
    "e": ("e", "three", "two"),
}
"""TREE as levels below the root; a leaf that hangs higher stands for itself on the levels between."""

Cell = Any


@dataclass(frozen=True)
class Case:
    """A table with one sensitive attribute ``s``, its distance, and a population that contains it."""

    quasi: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    distance: tclose.Ordered | tclose.Numeric | tclose.Nominal | tclose.Hierarchical
    extra: tuple[tuple[Cell, ...], ...] = ()
    """Rows of the population that are not in the table."""

    @property
    def columns(self) -> dict[str, list[Cell]]:
        names = (*self.quasi, "s")
        return {name: [row[at] for row in self.rows] for at, name in enumerate(names)}

    @property
    def population(self) -> dict[str, list[Cell]]:
        people = [*(row[:-1] for row in self.rows), *self.extra]
        return {name: [row[at] for row in people] for at, name in enumerate(self.quasi)}

    @property
    def roles(self) -> tclose.Roles:
        return tclose.Roles(quasi=self.quasi, sensitive={"s": self.distance})

    @property
    def drops(self) -> bool:
        return self.distance.nulls == "drop"

    @property
    def without(self) -> Case | None:
        """The same case with missing values left out, where they count as a value beside others; None elsewhere."""
        values = {value for _, value in self.known}
        both = None in values and values != {None}
        return replace(self, distance=replace(self.distance, nulls="drop")) if both else None

    @property
    def numbers(self) -> bool:
        """Whether every value that counts is a number."""
        return all(isinstance(value, int | float) for _, value in self.known)

    @property
    def known(self) -> list[tuple[tuple[Cell, ...], Cell]]:
        """(key, value) of the rows that count."""
        return [(row[:-1], row[-1]) for row in self.rows if row[-1] is not None or not self.drops]

    @property
    def attribute(self) -> oracle.Attribute:
        present = sorted({value for _, value in self.known if value is not None})
        missing = [None] if any(value is None for _, value in self.known) else []
        first = getattr(self.distance, "nulls", "") == "first"
        order = (*missing, *present) if first else (*present, *missing)
        levels = TREE_LEVELS if self.distance.word == "hierarchical" else {}
        return oracle.Attribute(self.distance.word, order, levels)

    def classes(self) -> dict[tuple[Cell, ...], Counter[Cell]]:
        """The counts of each class, those without a value included."""
        found: dict[tuple[Cell, ...], Counter[Cell]] = {row[:-1]: Counter() for row in self.rows}
        for key, value in self.known:
            found[key][value] += 1
        return found

    def sizes(self) -> Counter[tuple[Cell, ...]]:
        return Counter(row[:-1] for row in self.rows)

    def with_rows(self, rows: Any) -> Case:
        return replace(self, rows=tuple(rows))


QUASI_CELLS = [
    st.integers(-1, 1) | st.none(),
    st.sampled_from(["", "a", "B", "é", None]),
    st.sampled_from([-0.0, 0.0, 0.5, None]),
    st.sampled_from([True, False, None]),
]
SENSITIVE = {
    "whole numbers, ordered": (st.integers(-1, 3), tclose.Ordered()),
    "whole numbers, numeric": (st.sampled_from([-7, 0, 1, 10]), tclose.Numeric()),
    "real numbers, ordered": (st.sampled_from([-1.5, 0.5, 2.0, 2.25]), tclose.Ordered()),
    "real numbers, numeric": (st.sampled_from([-1.5, 0.5, 2.0, 2.25]), tclose.Numeric()),
    "text, nominal": (st.sampled_from(["", "x", "y", "10", "9"]), tclose.Nominal()),
    "text or nothing, nominal": (st.sampled_from([None, "", "x", "y"]), tclose.Nominal()),
    "whole numbers or nothing, first": (st.integers(0, 2) | st.none(), tclose.Ordered(nulls="first")),
    "whole numbers or nothing, last": (st.integers(0, 2) | st.none(), tclose.Ordered(nulls="last")),
    "real numbers or nothing, dropped": (
        st.sampled_from([None, 0.5, 1.25, 3.0]),
        tclose.Numeric(nulls="drop"),
    ),
    "leaves of a tree": (st.sampled_from("abcde"), tclose.Hierarchical(TREE)),
}


@st.composite
def cases(draw: st.DrawFn, *, most_rows: int = 12, quasi: int | None = None, kinds: Any = None) -> Case:
    """Tables heavy with ties: 1 to 3 quasi-identifiers of few values each, every kind of attribute."""
    names = tuple(f"q{at}" for at in range(quasi if quasi is not None else draw(st.integers(1, 3))))
    cells = [draw(st.sampled_from(QUASI_CELLS)) for _ in names]
    values, distance = SENSITIVE[draw(st.sampled_from(list(kinds or SENSITIVE)))]
    rows = draw(st.lists(st.tuples(*cells, values), min_size=1, max_size=most_rows))
    if distance.nulls == "drop" and all(row[-1] is None for row in rows):
        rows.append((*rows[0][:-1], 0.5))
    empty = [all(row[at] is None for row in rows) for at in range(len(names))]
    people = [st.none() if nothing else cell for nothing, cell in zip(empty, cells, strict=True)]
    extra = draw(st.lists(st.tuples(*people), max_size=6))
    return Case(names, tuple(rows), distance, tuple(extra))


def everything(case: Case, require: Any = (), **options: Any) -> tclose.Audit:
    """Audit a case with every model of the catalogue.

    ``nt_rows=None`` leaves (n,t)-closeness out: it needs all classes in one part; without it, the parts are measured
    one by one.
    """
    rows = options.pop("nt_rows", NT_ROWS)
    asked = [Requirement(SmoothedJS(), Fraction(1)), *require]
    if case.numbers:
        asked.append(Requirement(Proximity(), Fraction(1)))
    if rows is not None:
        asked.append(Requirement(NTCloseness(rows), Fraction(1)))
    options.setdefault("drivers", False)
    options.setdefault("population", case.population)
    table = options.pop("table", case.columns)
    roles = options.pop("roles", case.roles)
    return tclose.audit(table, roles, measure="all", require=asked, **options)


def figures(audit: tclose.Audit, name: str = "s") -> dict[str, Any]:
    """The value of every model, of the table and of an attribute."""
    found = {key: figure.value for key, figure in audit.figures.items()}
    return found | {key: figure.value for key, figure in audit[name].figures.items()}


def told(audit: tclose.Audit) -> dict[str, Any]:
    """All that an audit says, comparable bit for bit."""
    each = {None: audit.figures, **{name: a.figures for name, a in audit.attributes.items()}}
    return {
        "rows": (audit.rows, audit.class_count),
        "figures": {
            (name, key): (figure.value, figure.details, figure.worst)
            for name, some in each.items()
            for key, figure in some.items()
        },
        "verdicts": [(v.requirement, v.holds, v.failing_classes, v.failing_rows, v.vacuous) for v in audit.verdicts],
        "attributes": [
            (a.name, a.values, a.left_out, a.largest_t, a.notes, a.drivers) for a in audit.attributes.values()
        ],
        "classes": list(audit.classes.rows()),
    }


def same(one: Mapping[str, Any], other: Mapping[str, Any], *, without: frozenset[str] = frozenset()) -> None:
    """Assert that figures agree: fractions exactly, logarithms but for the order of additions."""
    assert one.keys() == other.keys()
    for key in one.keys() - without:
        if isinstance(one[key], float):
            assert one[key] == pytest.approx(other[key], rel=1e-12, abs=1e-14), key
        else:
            assert one[key] == other[key], key


# ---- the ways in which rows become counts ---------------------------------------------------------


def _patched(patch: pytest.MonkeyPatch, **changes: Any) -> None:
    """Count row by row, whatever the size of the table."""
    from tclose.engines.duckdb import rows

    if "part" in changes:
        patch.setattr(grouping, "ROWS_PER_PART", changes["part"])
    if "direct" in changes:
        patch.setattr(grouping, "DIRECT_SPAN", changes["direct"])
        patch.setattr(rows, "DIRECT_SPAN", changes["direct"])
    if "table" in changes:
        patch.setattr(codes, "TABLE_SPAN", changes["table"])
    if "word" in changes:
        patch.setattr(key_words, "WORD", changes["word"])


WAYS: dict[str, dict[str, Any]] = {
    "pairs": {"pairs": True},
    "pairs, two key words": {"pairs": True, "word": 4},
    "rows": {},
    "rows in parts of two": {"part": 2},
    "rows in parts of two, keys searched": {"part": 2, "direct": 0},
    "rows, a key word for each quasi-identifier": {"word": 2, "direct": 0},
    "rows, dictionaries searched": {"table": 1},
    "rows in parts of three, kernels in Python": {"plain": True, "part": 3},
    "sets of one row or one class": {"sets": 1},
    "sets of four rows or one class": {"sets": 4, "direct": 0, "word": 2},
}


@contextlib.contextmanager
def counted(way: str) -> Iterator[None]:
    """Let audits inside count in one of the WAYS."""
    changes = dict(WAYS[way])
    python = plainly() if changes.pop("plain", False) else contextlib.nullcontext()
    with python, pytest.MonkeyPatch.context() as patch:
        if changes.pop("pairs", False):
            patch.setattr(session.DuckDBSession, "_counts", lambda _self, coded, _progress: PairCounts(coded))
            patch.setattr(key_words, "WORD", changes.get("word", key_words.WORD))
        else:
            _patched(patch, **changes)
        if "sets" in changes:
            from tclose.engines.duckdb.rows import SetCounts

            most = changes["sets"]
            patch.setattr(
                session.DuckDBSession,
                "_counts",
                lambda self, coded, _progress: SetCounts(coded, self.threads, most),
            )
        yield


__all__ = [
    "MODELS",
    "NT_ROWS",
    "WAYS",
    "Case",
    "cases",
    "counted",
    "everything",
    "figures",
    "same",
    "told",
]
