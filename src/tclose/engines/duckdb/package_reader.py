"""A process of its own that reads a workbook, a package's file or an Arrow file, so that its failure is not ours.

It takes one line of JSON, the request, from standard input, ends when that is closed, and writes its answers, lines of
JSON, to a file. Each is a list: what it is, and what it holds.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import importlib
import json
import os
import posixpath
import re
import sys
import threading
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any
from xml.parsers import expat

# What a sheet of an ``.xlsx`` file says of its cells beside their values: results never computed, errors, odd days.


_BOOK = "xl/workbook.xml"
_MARKED = re.compile(rb"""<(?:\w+:)?f[\s/>]|\bt\s*=\s*["']e["']""")
_NO_DAY = re.compile(r"-|60(\.|$)")
"""The numbers of days count from 1900, whose 29 February, the 60th, never was."""
_NO_DAY_FROM_1904 = re.compile(r"-")
_BINARY_BOOK = "xl/workbook.bin"
_TRUE = ("1", "true")
_CHUNK = 2**20
_OVERLAP = 64
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STRICT_RELATION = "http://purl.oclc.org/ooxml/officeDocument/relationships"


@dataclass
class Marks:
    """The columns of a sheet, counted from 0, with formulas without a result, errors or numbers of no day."""

    uncomputed: set[int] = field(default_factory=set)
    errors: Counter[int] = field(default_factory=Counter)
    """How many errors each has."""
    no_days: set[int] = field(default_factory=set)
    """Those with a number that stands for no day, below 0 or of 29 February 1900; a reader gives it another day's."""
    from_1904: bool = False
    """Whether days are counted from 1904-01-01, the number 0, of which a reader gives the time alone."""
    silent: bool = False
    """Whether the file may have such days and is of a kind that is not looked into, as ``.xls`` and ``.xlsb`` are."""


def sheet_marks(path: str, sheet: str, first_row: int, *, days: bool) -> Marks:
    """Return what a sheet says of the cells from a row on, counted from 0; a sheet of other kinds says nothing.

    A program that computes nothing writes formulas without results, or with results that it asks to have computed
    when the workbook is opened; a reader of values would take all of them for the same. Numbers that stand for no day
    are looked for where ``days`` says that there are days or times.
    """
    if not zipfile.is_zipfile(path):
        return Marks(silent=True)
    with zipfile.ZipFile(path) as package:
        parts = {_plain(name): name for name in package.namelist()}
        if _BOOK not in parts:
            return Marks(silent=_BINARY_BOOK in parts)
        book = _Book()
        book.read(package.read(parts[_BOOK]))
        book.read(package.read(parts["xl/_rels/workbook.xml.rels"]))
        part = parts[_plain(posixpath.join("xl", book.targets[book.sheets[sheet]]))]
        if not days and not _is_marked(package, part):
            return Marks()
        cells = _Cells(first_row, trusted=not book.to_be_computed, from_1904=book.from_1904)
        with package.open(part) as text:
            cells.parser.ParseFile(text)
        return cells.marks


def _plain(name: str) -> str:
    return posixpath.normpath(name.replace("\\", "/")).lstrip("/").casefold()


def _is_marked(package: zipfile.ZipFile, part: str) -> bool:
    """Say whether a sheet has a formula or an error at all, which is quickly seen."""
    with package.open(part) as text:
        before = b""
        while chunk := text.read(_CHUNK):
            if _MARKED.search(before + chunk):
                return True
            before = chunk[-_OVERLAP:]
    return False


def _parser(start: Any, end: Any = None) -> Any:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = lambda name, attributes: start(name.rpartition(" ")[2], attributes)
    parser.StartDoctypeDeclHandler = _refuse
    if end is not None:
        parser.EndElementHandler = lambda name: end(name.rpartition(" ")[2])
    return parser


def _refuse(*_: object) -> None:
    raise ValueError


class _Book:
    """A workbook: each sheet's relation, each relation's target, whether results are to come, where days begin."""

    def __init__(self) -> None:
        self.sheets: dict[str, str] = {}
        self.targets: dict[str, str] = {}
        self.to_be_computed = self.from_1904 = False

    def read(self, text: bytes) -> None:
        """Take what a part of the package says."""
        _parser(self._element).Parse(text, 1)

    def _element(self, name: str, attributes: dict[str, str]) -> None:
        if name == "sheet":
            self.sheets[attributes["name"]] = attributes.get(f"{_RELATION} id") or attributes[f"{_STRICT_RELATION} id"]
        elif name == "Relationship":
            self.targets[attributes["Id"]] = attributes["Target"]
        elif name == "calcPr":
            self.to_be_computed = attributes.get("fullCalcOnLoad") in _TRUE
        elif name == "workbookPr":
            self.from_1904 = attributes.get("date1904") in _TRUE


class _Cells:
    """The cells of a sheet, one after the other; a row or cell that does not say where it is follows the one before."""

    def __init__(self, first_row: int, *, trusted: bool, from_1904: bool) -> None:
        self.marks = Marks(from_1904=from_1904)
        self._no_day = _NO_DAY_FROM_1904 if from_1904 else _NO_DAY
        self.parser = _parser(self._start, self._end)
        self.parser.CharacterDataHandler = self._text
        self._first_row, self._trusted = first_row, trusted
        self._row = self._column = -1
        self._kind, self._formula, self._value, self._inside = "", False, "", False

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "row":
            self._row = int(attributes["r"]) - 1 if "r" in attributes else self._row + 1
            self._column = -1
        elif name == "c":
            self._column = _column(attributes["r"]) if "r" in attributes else self._column + 1
            self._kind, self._formula, self._value = attributes.get("t", "n"), False, ""
        self._formula = self._formula or name == "f"
        self._inside = name == "v"

    def _text(self, text: str) -> None:
        if self._inside:
            self._value += text

    def _end(self, name: str) -> None:
        self._inside = False
        if name == "c" and self._row >= self._first_row:
            if self._formula and not (self._trusted and (self._value or self._kind == "str")):
                self.marks.uncomputed.add(self._column)
            elif self._kind == "e":
                self.marks.errors[self._column] += 1
            elif self._kind == "n" and self._no_day.match(self._value.strip()):
                self.marks.no_days.add(self._column)


def _column(reference: str) -> int:
    """Return the column of a cell's name.

    Examples
    --------
    >>> _column("A1"), _column("Z9"), _column("AB12")
    (0, 25, 27)
    """
    number = 0
    for letter in reference.rstrip("0123456789"):
        number = 26 * number + ord(letter.upper()) - ord("A") + 1
    return number - 1


_VALUES_AT_ONCE = 100_000
_DAY_READ_TWICE = (1900, 2, 28)
"""Read for the day after it too, which workbooks have and no calendar has."""
_TELLS_KINDS_OF_MISSING = ("read_sav", "read_dta", "read_sas7bdat")
_FROM_TEXT: dict[str, Any] = {
    "datetime": dt.datetime.fromisoformat,
    "date": dt.date.fromisoformat,
    "time": dt.time.fromisoformat,
    "timedelta": lambda microseconds: dt.timedelta(microseconds=microseconds),
    "Decimal": Decimal,
    "bytes": bytes.fromhex,
}


def line_of(answer: list[Any]) -> str:
    """Return an answer as a line of JSON that gives back the same values."""
    return json.dumps(answer, default=_marked, separators=(",", ":")) + "\n"


def answer_of(line: str) -> list[Any]:
    """Return the answer that a line holds.

    Examples
    --------
    >>> answer_of(line_of(["row", [1, 1.0, None, "ä", dt.date(2020, 1, 31), dt.timedelta(seconds=1)]]))[1][2:]
    [None, 'ä', datetime.date(2020, 1, 31), datetime.timedelta(seconds=1)]
    """
    found: list[Any] = json.loads(line, object_hook=_value)
    return found


def _marked(value: object) -> dict[str, object]:
    kind = type(value).__name__
    if isinstance(value, dt.timedelta):
        return {kind: value // dt.timedelta(microseconds=1)}
    if isinstance(value, bytes):
        return {kind: value.hex()}
    return {kind: value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)}


def _value(marked: dict[str, Any]) -> object:
    ((kind, text),) = marked.items()
    return _FROM_TEXT.get(kind, str)(text)


def main() -> None:
    """Answer the one request."""
    request = json.loads(sys.stdin.readline())
    threading.Thread(target=_leave_when_alone, daemon=True).start()
    for spared in request.get("without", ()):
        sys.modules[spared] = None  # type: ignore[assignment] # Python's own way to say that it is not there
    package = importlib.import_module(request["package"])
    _limit(request["memory"], request["seconds"], 2 * request.get("room", request["memory"] // 16))
    with open(request["answers"], "x", encoding="ascii") as answers:  # noqa: PTH123 - nothing more is imported
        try:
            read = _READERS.get(request["package"], _statistics)
            answers.writelines(map(line_of, read(package, request)))
            answers.write(line_of(["end"]))
        except MemoryError:
            raise
        except Exception:  # noqa: BLE001 - whatever a reader of damaged files raises; its words may quote cells
            answers.write(line_of(["damaged"]))


def _leave_when_alone() -> None:
    sys.stdin.read()
    os._exit(1)


def _limit(memory: int, seconds: int, room: int) -> None:
    """Bound what this process may take, where the system can."""
    with contextlib.suppress(ImportError):
        import resource

        bounds = {"RLIMIT_AS": memory, "RLIMIT_FSIZE": room, "RLIMIT_CPU": seconds, "RLIMIT_CORE": 0}
        for name, most in bounds.items():
            with contextlib.suppress(ValueError, OSError, AttributeError):
                resource.setrlimit(getattr(resource, name), (most, most))


def _workbook(calamine: Any, request: dict[str, Any]) -> Iterator[list[Any]]:
    with calamine.CalamineWorkbook.from_path(request["path"]) as workbook:
        sheets, wanted = list(workbook.sheet_names), request["sheet"]
        shown = [about.name for about in workbook.sheets_metadata if _is_shown(calamine, about)] or sheets
        yield ["sheets", sheets, shown]
        if isinstance(wanted, int) and 1 <= wanted <= len(sheets):
            wanted = sheets[wanted - 1]
        name = shown[0] if wanted is None and sheets else wanted
        if name not in sheets:
            return
        sheet = workbook.get_sheet_by_name(name)
        titled, first, days = request["header"] is not False, None, _Days()
        for at, row in enumerate(sheet.to_python(skip_empty_area=True)):
            if any(cell not in ("", None) for cell in row):
                if first is not None or not titled:
                    days.look(row)
                first = at if first is None else first
                yield ["row", row]
        if first is not None:
            top, left = sheet.start
            yield from _marks(request, sheet, top + first + titled, left, days)


def _is_shown(calamine: Any, about: Any) -> bool:
    return bool(about.visible == calamine.SheetVisibleEnum.Visible and about.typ == calamine.SheetTypeEnum.WorkSheet)


class _Days:
    """The columns with what the reader makes of a number that stands for no day, among others, and those with days."""

    def __init__(self) -> None:
        self.times, self.twice, self.days = set[int](), set[int](), set[int]()

    def look(self, row: list[Any]) -> None:
        """Take what a row has."""
        for place, cell in enumerate(row):
            if isinstance(cell, dt.time):
                self.times.add(place)
            elif isinstance(cell, dt.date):
                self.days.add(place)
                if (cell.year, cell.month, cell.day) == _DAY_READ_TWICE:
                    self.twice.add(place)


def _marks(request: dict[str, Any], sheet: Any, first_row: int, left: int, days: _Days) -> Iterator[list[Any]]:
    """Give the places of columns that do not hold what their cells show, from a row on."""
    doubtful = days.times | days.twice
    found = sheet_marks(request["path"], sheet.name, first_row, days=bool(doubtful))
    merged = {
        column
        for (top, start), (bottom, end) in sheet.merged_cell_ranges or ()
        if bottom >= first_row and (top, start) != (bottom, end)
        for column in range(start, min(end, left + sheet.width) + 1)
    }
    yield ["merged", [column - left for column in sorted(merged)]]
    yield ["uncomputed", [column - left for column in sorted(found.uncomputed)]]
    yield ["no days", sorted(doubtful & {column - left for column in found.no_days})]
    yield ["unsure days", sorted(days.twice | (days.times & days.days)) if found.silent else []]
    yield ["days of 1904", sorted(days.times & days.days) if found.from_1904 else []]
    yield ["errors", [[column - left, count] for column, count in sorted(found.errors.items())]]


def _statistics(pyreadstat: Any, request: dict[str, Any]) -> Iterator[list[Any]]:
    told = {"user_missing": True} if request["reader"] in _TELLS_KINDS_OF_MISSING else {}
    columns, about = getattr(pyreadstat, request["reader"])(request["path"], output_format="dict", **told)
    for name, labels in about.variable_value_labels.items():
        yield ["labels", name, [[code, str(label)] for code, label in labels.items() if isinstance(code, int | float)]]
    for name, values in columns.items():
        if not isinstance(name, str):
            raise ValueError
        plain = values.tolist() if hasattr(values, "tolist") else list(values)
        declared = _declared_missing(plain, about.missing_ranges.get(name), about.missing_user_values.get(name))
        if declared:
            absent = [value for value in plain if value in declared or value is None or value != value]
            yield ["missing", name, [len({None if value not in declared else value for value in absent}), len(absent)]]
            plain = [None if value in declared else value for value in plain]
        if about.readstat_variable_types.get(name) == "float":
            plain = _shortest(plain)
        for start in range(0, max(1, len(plain)), _VALUES_AT_ONCE):
            yield ["column", name, plain[start : start + _VALUES_AT_ONCE]]


def _declared_missing(values: list[Any], ranges: Any, letters: Any) -> set[Any]:
    """Return the values that their column declares missing, by ranges (SPSS) or as letters (Stata, SAS)."""
    found = set(values) if ranges or letters else set()
    return {
        value
        for value in found
        if (letters and value in letters)
        or any(isinstance(value, type(each["lo"])) and each["lo"] <= value <= each["hi"] for each in ranges or ())
    }


def _shortest(values: list[Any]) -> list[Any]:
    """Return floats that a file keeps in 32 bits as their shortest decimals, as they are read elsewhere."""
    narrow = importlib.import_module("numpy").float32
    return [float(str(narrow(value))) if isinstance(value, float) else value for value in values]


def _arrow(pa: Any, request: dict[str, Any]) -> Iterator[list[Any]]:
    """Copy an Arrow file into a stream that is known to be whole, one batch after the other."""
    with pa.OSFile(request["path"]) as file:
        first = file.read(6)
        file.seek(0)
        if first.startswith(b"FEA1"):
            table = importlib.import_module("pyarrow.feather").read_table(file)
            schema, batches = table.schema, table.to_batches()
        elif first.startswith(b"ARROW1"):
            reader = pa.ipc.open_file(file)
            schema, batches = reader.schema, map(reader.get_batch, range(reader.num_record_batches))
        else:
            batches = pa.ipc.open_stream(file)
            schema = batches.schema
        taken = 0
        with pa.ipc.new_stream(request["copy"], schema) as copy:
            for batch in batches:
                batch.validate(full=True)
                taken += batch.nbytes
                if taken > request["room"]:
                    break
                copy.write_batch(batch)
    yield ["copied", taken]


_READERS = {"python_calamine": _workbook, "pyarrow": _arrow}


if __name__ == "__main__":
    main()
