"""A process of its own that reads a workbook, a package's file or an Arrow file, so that its failure is not ours.

It takes one line of JSON, the request, from standard input, ends when that is closed, and writes its answers, lines of
JSON, to a file. Each is a list: what it is, and what it holds.
"""

import contextlib
import datetime as dt
import importlib
import json
import os
import sys
import threading
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from tclose.engines.duckdb.sheet_marks import sheet_marks

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
