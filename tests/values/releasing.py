"""The law of values on the way out: a column that is published as it is has the cells, and the letters, that it had.

A quasi-identifier is text, which says the cell that it had.
"""

from __future__ import annotations

import csv
import datetime as dt
import itertools
import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow.feather
import pyarrow.parquet

import tclose
from values.cells import Cell, cell, cells_of_arrow
from values.files import letters
from values.law import Placed, Report, attempted

_ENDINGS = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".feather")
WAYS = tuple(f"{role} {ending}" for role in ("other", "sensitive", "quasi") for ending in _ENDINGS)
_TYPED = (".parquet", ".feather")
_TEXT_TABLES = ("csv", "csv with semicolons", "tsv")


def released(there: Placed, chosen: Sequence[str], way: str, folder: Path, report: Report) -> None:
    """Release a table with its columns as they are, read the file by other means, and compare every cell.

    Parameters
    ----------
    there
        The table.
    chosen
        The columns to release.
    way
        One of :data:`WAYS`: what the columns are (sensitive, quasi-identifiers on their finest level, or none of
        these), and the ending of the file.
    folder
        Where the file is written.
    report
        Told what differs.
    """
    role, ending = way.split()
    law = f"released {way}"
    path = folder / f"release{ending}"

    def work(names: Sequence[str]) -> dict[str, list[object]]:
        _release(there, names, role, path)
        return READERS[ending](path)  # type: ignore[no-any-return]

    def failed(name: str, said: str) -> None:
        report(law, there.format.name, there.columns[name], said)

    for names, cells in attempted(chosen, work, {}, failed):
        for name in names:
            typed = role != "quasi" and ending in _TYPED
            shown = cells[name] if typed else _texts(cells[name])
            said = _difference(there, name, cells["row"], shown, ending, typed=typed)
            if said:
                report(law, there.format.name, there.columns[name], said)


def _release(there: Placed, names: Sequence[str], role: str, path: Path) -> None:
    left_out = [name for name in there.columns if name not in names]
    if role == "quasi":
        flat, levels = dict.fromkeys(names, "flat"), dict.fromkeys(names, 0)
        roles = tclose.Roles(names, "g:nominal", left_out, publish="all")
    else:
        sensitive = {"g": tclose.Nominal()}
        sensitive |= dict.fromkeys(names, tclose.Nominal()) if role == "sensitive" else {}
        flat, levels = {"one": "flat"}, {"one": 0}
        roles = tclose.Roles("one", sensitive, left_out, publish="all")
    release = tclose.anonymize(
        there.table, roles, require={"k": 1}, hierarchies=flat, levels=levels, method="full-domain"
    )
    release.write(path, force=True)


# Readers that know nothing of ours: they give letters, or what has a type of its own.


def _read_csv(path: Path, delimiter: str) -> dict[str, list[object]]:
    with path.open(newline="", encoding="utf-8") as file:
        names, *rows = list(csv.reader(file, delimiter=delimiter))
    return {name: [row[at] for row in rows] for at, name in enumerate(names)}


def _read_json(path: Path) -> dict[str, list[object]]:
    text = path.read_text(encoding="utf-8")
    lines = text.rstrip("\n").split("\n") if path.suffix == ".jsonl" else [text]
    read = [json.loads(line, parse_float=Decimal, parse_constant=Decimal) for line in lines]
    rows = read if path.suffix == ".jsonl" else read[0]
    return {name: [row.get(name) for row in rows] for name in rows[0]}


def _read_arrow(table: Any) -> dict[str, list[object]]:
    return {
        name: table[name].to_pylist() if name == "row" else list(cells_of_arrow(table[name]))
        for name in table.column_names
    }


READERS: Mapping[str, Any] = {
    ".csv": lambda path: _read_csv(path, ","),
    ".tsv": lambda path: _read_csv(path, "\t"),
    ".json": _read_json,
    ".jsonl": _read_json,
    ".parquet": lambda path: _read_arrow(pyarrow.parquet.read_table(path)),
    ".feather": lambda path: _read_arrow(pyarrow.feather.read_table(path)),
}


def _texts(cells: Sequence[object]) -> list[object]:
    """Return the letters of cells that must all be text."""
    return [each[1] if isinstance(each, tuple) and each[0] == "text" else each for each in cells]


def _difference(
    there: Placed, name: str, rows: Sequence[Any], found: Sequence[object], ending: str, *, typed: bool
) -> str | None:
    """Return how the released column differs from the one that was read, or None."""
    order = [int(str(row).removeprefix("r")) for row in rows]
    column = there.columns[name]
    given = [letters(value, column.choice) for value in column.values]
    complaints = []
    for cells in there.held[name]:
        wanted = [cells[at] for at in order]
        if typed:
            same = list(found) == wanted
        elif there.format.name in _TEXT_TABLES and ending in (".csv", ".tsv"):
            same = _same_letters([given[at] or "" for at in order], found, wanted)
        else:
            same = all(map(_reads_as, found, wanted))
        if same:
            return None
        complaints.append(f"{list(found)} for {[given[at] for at in order]}")
    return complaints[0][:400]


def _same_letters(given: Sequence[str], found: Sequence[object], cells: Sequence[Cell]) -> bool:
    """Say whether texts are letter by letter the same, and other cells spelled in one way that reads as the cell."""
    written: dict[Cell, set[object]] = {}
    for each, text in zip(cells, found, strict=True):
        written.setdefault(each, set()).add(text)
    if any(each is not None and each[0] == "text" for each in cells):
        return list(given) == list(found)
    return all(len(spelled) == 1 and _reads_as(next(iter(spelled)), each) for each, spelled in written.items())


def _reads_as(found: object, wanted: Cell) -> bool:
    """Say whether letters, or a value of JSON, say a cell: exactly, and text letter by letter."""
    if wanted is None or found is None:
        return found in (None, "") and wanted in (None, ("text", ""))
    sort, value = wanted
    if isinstance(found, bool | int | Decimal):
        infinite = isinstance(found, Decimal) and not found.is_finite()
        return float(found) == value if infinite else cell(found) == wanted
    text = str(found)
    if sort == "text":
        return text == value
    if sort == "truth":
        return text.lower() == str(value).lower()
    try:
        return _sized(text, sort) == value
    except (ValueError, InvalidOperation):
        return False


def _sized(text: str, sort: str) -> object:
    if sort == "number":
        number = Decimal(text)
        return Fraction(number) if number.is_finite() else float(number)
    if sort == "day":
        return dt.date.fromisoformat(text).toordinal()
    if sort in ("moment", "zoned"):
        whole, part, zone = re.fullmatch(r"([^.]+?)(?:[.](\d+))?(Z|[+-]\d\d(?::?\d\d)?)?", text).groups()  # type: ignore[union-attr]
        moment = dt.datetime.fromisoformat(whole + (zone or "Z")).astimezone(dt.UTC).replace(tzinfo=None)
        return cell(moment)[1] + Fraction(int((part or "0").ljust(9, "0")))  # type: ignore[index]
    if sort == "clock":
        return cell(dt.time.fromisoformat(text))[1]  # type: ignore[index]
    return _span(text)


def _span(text: str) -> Fraction:
    """Return the nanoseconds of a duration written as days, hours, minutes and seconds."""
    words = text.split()
    days = sum(int(before) for before, word in itertools.pairwise(words) if word in ("day", "days"))
    clock = next((word for word in words if ":" in word), "0:0:0")
    sign = -1 if clock.startswith("-") else 1
    hours, minutes, seconds = clock.lstrip("-").split(":")
    size = (int(hours) * 60 + int(minutes)) * 60 + Fraction(Decimal(seconds))
    return (days * 86_400 + sign * size) * 10**9
