"""The law of values: on every way in, the same cells are the same value and different cells are different ones.

A table has the columns drawn, and beside them ``one`` (the same in every row), ``g`` (a few groups) and ``row`` (its
number). What an audit says of it is compared with what the cells say, counted here in fractions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import tclose
from tclose.errors import InputError, TcloseError
from values.cells import SORTED, Cell, Cells, cell, fits_digits, read_letters, scale, sorts
from values.columns import ROWS, Column
from values.files import Format, letters
from values.physical import families
from values.scales import orders

GROUPS = ("a", "a", "a", "b", "b", "c", "c", "c")
BASE = {
    "one": Column("base", ("x",) * ROWS),
    "g": Column("base", GROUPS),
    "row": Column("base", tuple(f"r{number}" for number in range(ROWS))),
}
_NAMED = re.compile(r"'(v[0-9]+)'")
_LABEL = re.compile(r"^(The column '[^']*') of .*? (cannot be used)|^.*? (cannot be read)")
_BY_TYPE = ("does not read its type", "finer than a microsecond", "mixes real numbers")
"""Refusals of what only one type can be: floats of 16 bits, decimals and whole numbers wider than 38 digits, …"""


@dataclass(frozen=True)
class Violation:
    """A law that a column breaks on a way in or out, and what was found instead."""

    law: str
    where: str
    column: Column
    said: str


@dataclass
class Placed:
    """Columns put into one format: their names and cells, the table, and which of them were refused, in which words."""

    format: Format
    columns: Mapping[str, Column]
    held: Mapping[str, tuple[Cells, ...]]
    table: object
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def open(self) -> list[str]:
        """The columns that have not been refused."""
        return [name for name in self.columns if name not in self.refused]


Report = Callable[[str, str, Column, str], None]


def placed(form: Format, columns: Mapping[str, Column], folder: Path, report: Report) -> list[Placed]:
    """Put those columns that a format can hold into a table of it: one that can be read where they are not used.

    A column that spoils the table for others is reported and left out; the others are then in several tables.
    """
    held = {name: cells for name, column in columns.items() if (cells := form.held(column)) is not None}
    if not held:
        return []
    kept = {name: columns[name] for name in held}
    folder.mkdir(parents=True, exist_ok=True)
    there = Placed(form, kept, held, form.put(folder, {**BASE, **kept}))
    try:
        tclose.audit(there.table, tclose.Roles("one", "g"), measure=["k"], drivers=False)
    except Exception as problem:  # noqa: BLE001 - whatever it is, it is a finding
        if len(kept) == 1:
            (spoiling,) = kept.values()
            report("spoils the table", form.name, spoiling, f"{type(problem).__name__}: {_bare(problem)}")
            return []
        names = list(kept)
        halves = (names[: len(names) // 2], names[len(names) // 2 :])
        return [
            each
            for at, half in enumerate(halves)
            for each in placed(form, {name: kept[name] for name in half}, folder / str(at), report)
        ]
    return [there]


def attempted(
    names: Sequence[str],
    work: Callable[[Sequence[str]], Any],
    refused: dict[str, str],
    failed: Callable[[str, str], None],
) -> list[tuple[list[str], Any]]:
    """Do something with columns; those that are refused are left out, and what fails any other way is reported.

    Returns
    -------
    list
        The columns done together, with what came of them.
    """
    names = list(names)
    while names:
        try:
            return [(names, work(names))]
        except InputError as problem:
            at_fault = [name for name in names if name in _NAMED.findall(str(problem))] or names
            message = _bare(problem).replace(f"'{at_fault[0]}'", "'…'")
        except (TcloseError, Exception) as problem:  # noqa: BLE001 - whatever it is, it is a finding
            if len(names) == 1:
                failed(names[0], f"{type(problem).__name__}: {str(problem)[:300]}")
                return []
            at_fault = names
            message = ""
        else:
            return []
        if len(at_fault) == len(names) > 1:
            halves = (names[: len(names) // 2], names[len(names) // 2 :])
            return [done for half in halves for done in attempted(half, work, refused, failed)]
        for name in at_fault:
            refused[name] = message if len(at_fault) == 1 else _words_of(work, name)
        names = [name for name in names if name not in at_fault]
    return []


def _words_of(work: Callable[[Sequence[str]], Any], name: str) -> str:
    """Return the words in which a column alone is refused, without its name and the table's."""
    try:
        work([name])
    except InputError as problem:
        return _bare(problem).replace(f"'{name}'", "'…'")
    except Exception as problem:  # noqa: BLE001
        return f"{type(problem).__name__}: {problem}"
    return "refused only beside other columns"


def _bare(problem: Exception) -> str:
    """Return a message without the name of the table."""
    return _LABEL.sub(r"\1 \2\3", str(problem))[:300]


# What the cells say.


def distances(cells: Sequence[Cell], word: str) -> Fraction:
    """Return the largest distance of a group's cells from all cells: missing ones as a value and left out, the worse.

    Numeric distances leave them out.
    """
    rows = list(zip(GROUPS, cells, strict=True))
    known = [(group, cell) for group, cell in rows if cell is not None]
    return max(_largest(each, word) for each in ((known,) if word == "numeric" else (rows, known)))


def _largest(rows: Sequence[tuple[object, Cell]], word: str) -> Fraction:
    """Return the largest distance of a group's cells from all cells, by brute force."""
    ranked: list[Any] = list(scale([cell for _, cell in rows])) if word != "nominal" else []
    places = {cell: (ranked.index(cell[1]) if cell else len(ranked)) for _, cell in rows} if ranked else {}
    if word == "nominal":
        places = {cell: at for at, cell in enumerate(dict.fromkeys(cell for _, cell in rows))}
    width = max(places.values(), default=0) + 1
    gaps = [ranked[i + 1] - ranked[i] for i in range(width - 1)] if word == "numeric" else [1] * (width - 1)
    largest = Fraction(0)
    for group in {group for group, _ in rows}:
        differences = [Fraction(0)] * width
        inside = [found for own, found in rows if own == group]
        for each in inside:
            differences[places[each]] += Fraction(1, len(inside))
        for _, each in rows:
            differences[places[each]] -= Fraction(1, len(rows))
        if word == "nominal":
            largest = max(largest, sum((abs(each) for each in differences), Fraction(0)) / 2)
        elif width > 1:
            running = [abs(sum(differences[: i + 1], Fraction(0))) for i in range(width - 1)]
            moved = sum((gap * each for gap, each in zip(gaps, running, strict=True)), Fraction(0))
            largest = max(largest, moved / sum(gaps))
    return largest


def usual(cells: Sequence[Cell]) -> str:
    """Return the distance that cells of one sort take by themselves."""
    return "ordered" if sorts(cells) and sorts(cells) <= set(SORTED) and len(sorts(cells)) == 1 else "nominal"


def _declared(alternatives: tuple[Cells, ...]) -> tclose.Ordered | tclose.Nominal | None:
    if not sorts(alternatives[0]):
        return tclose.Nominal()
    missing = any(cell is None for cell in alternatives[0])
    return tclose.Ordered(nulls="last") if missing and usual(alternatives[0]) == "ordered" else None


# What an audit says.


def figures(there: Placed, by_size: Container[str], report: Report) -> None:
    """Values and t, as the cells say: by the usual distance or, for columns so named that have sizes, the numeric."""
    words = {name: "numeric" if name in by_size and _has_sizes(there, name) else "usual" for name in there.open}

    def work(names: Sequence[str]) -> tclose.Audit:
        sensitive = {
            name: tclose.Numeric(nulls="drop") if words[name] == "numeric" else _declared(there.held[name])
            for name in names
        }
        return tclose.audit(there.table, tclose.Roles("g", sensitive), measure=["t"], drivers=False)

    for names, audit in _tried(there, "figures", work, report):
        for name in names:
            found = (audit[name].values, audit[name].distance.word, audit[name].t)
            wanted = [_expected(cells, words[name]) for cells in there.held[name]]
            if found not in wanted:
                said = f"values, distance, t are {_shown(found)} and not {' or '.join(map(_shown, wanted))}"
                report("figures", there.format.name, there.columns[name], said)


def _expected(cells: Cells, word: str) -> tuple[int, str, Fraction]:
    different = set(cells) - {None} if word == "numeric" else set(cells)
    word = word if word == "numeric" else usual(cells)
    return len(different), word, distances(cells, word)


def _has_sizes(there: Placed, name: str) -> bool:
    """Say whether differences of cells are finite numbers."""
    return all(
        usual(cells) == "ordered" and all(not isinstance(value, float) for value in scale(cells))
        for cells in there.held[name]
    )


def scales(there: Placed, report: Report) -> None:
    """Text that is declared ordered: by its numbers under one decimal mark for the column, by letters, or refused."""
    chosen = [
        name for name in there.open if all(sorts(cells) == {"text"} and _orders(cells) for cells in there.held[name])
    ]

    def work(names: Sequence[str]) -> tclose.Audit:
        sensitive = dict.fromkeys(names, tclose.Ordered(nulls="last"))
        return tclose.audit(there.table, tclose.Roles("g", sensitive), measure=["t"], drivers=False)

    for names, audit in _tried(there, "scales", work, report, chosen, refusable=True):
        for name in names:
            wanted = [_placed_by(cells, order) for cells in there.held[name] for order in _orders(cells)]
            if wanted and audit[name].t not in wanted:
                report("scales", there.format.name, there.columns[name], f"t is {audit[name].t} and not {wanted}")


def _orders(cells: Cells) -> list[list[str]]:
    return orders([cell[1] for cell in cells if cell is not None])


def _placed_by(cells: Cells, order: Sequence[str]) -> Fraction:
    return distances([None if cell is None else ("number", order.index(cell[1])) for cell in cells], "ordered")


def classes(there: Placed, name: str, report: Report) -> None:
    """The classes of a column as a quasi-identifier: as many, and as large, as the cells say."""

    def work(names: Sequence[str]) -> tclose.Audit:
        return tclose.audit(there.table, tclose.Roles(names, "g:nominal"), measure=["k"], drivers=False)

    for _, audit in _tried(there, "classes", work, report, [name]):
        found = sorted(row["size"] for row in audit.classes.rows())
        wanted = [sorted(Counter(cells).values()) for cells in there.held[name]]
        if found not in wanted or audit.k != found[0] or audit.class_count != len(found):
            report("classes", there.format.name, there.columns[name], f"sizes are {found} and not {wanted}")


def against(there: Placed, other: Placed, report: Report) -> None:
    """Against a reference of the same cells in another format t is 0, or the two cannot be compared."""
    chosen = comparable(there, other)

    def work(names: Sequence[str]) -> tclose.Audit:
        sensitive = {name: _declared(there.held[name]) for name in names}
        roles = tclose.Roles("one", sensitive)
        return tclose.audit(there.table, roles, reference=other.table, measure=["t"], drivers=False)

    for names, audit in _tried(there, f"against {other.format.name}", work, report, chosen, refusable=True):
        for name in names:
            distinct = {len(set(cells)) for cells in there.held[name]}
            if audit[name].t != 0 or audit[name].values not in distinct:
                said = f"t is {audit[name].t} with {audit[name].values} values"
                report(f"against {other.format.name}", there.format.name, there.columns[name], said)


def among(there: Placed, other: Placed, name: str, report: Report) -> None:
    """In a population of the same cells in another format each class is as large as in the table."""

    def work(names: Sequence[str]) -> tclose.Audit:
        roles = tclose.Roles(names, "g:nominal")
        return tclose.audit(there.table, roles, population=other.table, measure=["k", "k_map"], drivers=False)

    for _, audit in _tried(there, f"among {other.format.name}", work, report, [name], refusable=True):
        if audit.figures["k_map"].value != audit.k:
            said = f"k-map is {audit.figures['k_map'].value} where k is {audit.k}"
            report(f"among {other.format.name}", there.format.name, there.columns[name], said)


def comparable(there: Placed, other: Placed) -> list[str]:
    """Return the columns of which two tables say the same, in cells or by letters."""
    both = [name for name in there.open if name in other.open]
    return [name for name in both if _comparable(there.columns[name], there.held[name], other.held[name])]


def _comparable(column: Column, mine: tuple[Cells, ...], theirs: tuple[Cells, ...]) -> bool:
    """Say whether a column has the same cells in both, or is text in one and just what the letters say in the other."""
    if any(own in theirs for own in mine):
        return True
    if len(mine) > 1 or len(theirs) > 1 or column.kind.startswith("span"):
        return False  # there is no usual way to write a duration
    texts = [letters(value, column.choice) for value in column.values]
    said = [tuple(map(cell, column.values)), *(read_letters(texts, commas=commas) for commas in (False, True))]
    typed = [cells for (cells,) in (mine, theirs) if sorts(cells) != {"text"}]
    return len(typed) == 1 and typed[0] in said and _pattern(mine[0]) == _pattern(theirs[0])


def _pattern(cells: Cells) -> list[int | None]:
    """Return which rows have the same cell, and which have none."""
    return [None if cell is None else cells.index(cell) for cell in cells]


def _tried(
    there: Placed,
    law: str,
    work: Callable[[Sequence[str]], tclose.Audit],
    report: Report,
    chosen: Sequence[str] | None = None,
    *,
    refusable: bool = False,
) -> list[tuple[list[str], Any]]:
    """Audit the columns that are not refused; a refusal is remembered, unless it is of the comparison alone."""

    def failed(name: str, said: str) -> None:
        report(law, there.format.name, there.columns[name], said)

    refused = {} if refusable else there.refused
    names = there.open if chosen is None else [name for name in chosen if name not in there.refused]
    return attempted(names, work, refused, failed)


def refusals(tables: Sequence[Placed], report: Report) -> None:
    """A column that every format can hold is refused nowhere; one that is refused is so in the same words."""
    for name in dict.fromkeys(name for there in tables for name in there.refused):
        said: dict[Cells, dict[str, str]] = {}
        for there in tables:
            if name in there.refused:
                cells = there.held[name][0]
                said.setdefault(cells, {})[there.refused[name]] = there.format.name
                if _must_be_read(there.columns[name], cells) and not any(
                    words in there.refused[name] for words in _BY_TYPE
                ):
                    report("refused", there.format.name, there.columns[name], there.refused[name])
        for by_words in said.values():
            words = {said: where for said, where in by_words.items() if not any(each in said for each in _BY_TYPE)}
            if len(words) > 1:
                where = " / ".join(sorted(words.values()))
                report("words of a refusal", where, tables[0].columns.get(name) or _column(tables, name), str(words))


def _column(tables: Sequence[Placed], name: str) -> Column:
    return next(there.columns[name] for there in tables if name in there.columns)


def _must_be_read(column: Column, cells: Cells) -> bool:
    """Say whether cells are all of one sort, made of values that go together, and numbers of at most 38 digits."""
    if len(sorts(cells)) > 1 or len(families(column.values) - {"whole"}) > 1:
        return False
    numbers = [each[1] for each in cells if each is not None and each[0] == "number"]
    if families(column.values) & {"real", "text"}:
        return all(isinstance(number, float) or abs(number) < 10**16 for number in numbers)
    return fits_digits(numbers)


def _shown(found: tuple[int, str, Any]) -> str:
    return f"({found[0]}, {found[1]}, {found[2]})"
