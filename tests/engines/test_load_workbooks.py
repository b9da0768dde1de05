"""Cells of workbooks that do not hold what they show, and sheets that are not shown."""

from __future__ import annotations

import datetime as dt
import struct
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from canaries import CANARY
from engines.loading import connection, date, kept, loaded, rows
from tclose.engines.duckdb.package_reader import sheet_marks
from tclose.errors import EmptyTableError, SourceError

Connection = duckdb.DuckDBPyConnection
__all__ = ["connection"]

_LAX, _STRICT = "http://schemas.openxmlformats.org", "http://purl.oclc.org/ooxml"

openpyxl = pytest.importorskip("openpyxl")
pytest.importorskip("python_calamine")


def saved(path: Path, cells: Sequence[Sequence[object]], change: Callable[[Any, Any], object] | None = None) -> Path:
    """Write a workbook of one sheet, after a change of the book and its sheet."""
    book = openpyxl.Workbook()
    for row in cells:
        book.active.append(list(row))
    if change is not None:
        change(book, book.active)
    book.save(path)
    return path


def rewritten(path: Path, *replacements: tuple[str, str]) -> Path:
    """Replace text in the parts of a workbook, as another program would have written them."""
    with zipfile.ZipFile(path) as package:
        parts = {name: package.read(name).decode() for name in package.namelist()}
    with zipfile.ZipFile(path, "w") as package:
        for name, text in parts.items():
            for old, new in replacements:
                text = text.replace(old, new)
            package.writestr(name, text)
    return path


def test_formulas_without_results_are_not_one_missing_value(connection: Connection, tmp_path: Path) -> None:
    cells = [("q", "s"), ("=1+1", "a"), ("=1+2", "b"), (f"={CANARY}", "c")]
    table = loaded(connection, saved(tmp_path / "t.xlsx", cells))
    assert rows(table.keep(["s"])) == [("a",), ("b",), ("c",)]
    with pytest.raises(SourceError, match=r"column 'q' .* formulas whose results are not in the file") as caught:
        table.keep(["q"])
    assert CANARY not in str(caught.value)


def test_results_that_wait_to_be_computed_are_not_taken(connection: Connection, tmp_path: Path) -> None:
    path = saved(tmp_path / "t.xlsx", [("q",), ("=1+1",), ("=1+2",)])
    rewritten(path, ("<v />", "<v>0</v>"))
    with pytest.raises(SourceError, match=r"column 'q' .* formulas"):
        kept(connection, path)


def test_computed_formulas_are_their_results(connection: Connection, tmp_path: Path) -> None:
    path = saved(tmp_path / "t.xlsx", [("q", "r"), ("=1+1", "=A1&B1"), ("=1+1", "=A2&B2")])
    computed = ('fullCalcOnLoad="1"', ""), ("<f>1+1</f><v />", "<f>1+1</f><v>2</v>")
    texts = [(f'<c r="B{at}"><f>', f'<c r="B{at}" t="str"><f>') for at in (2, 3)]
    table = kept(connection, rewritten(path, *computed, *texts))
    assert rows(table) == [(2, None), (2, None)]


@pytest.mark.parametrize(
    ("numbers", "form"),
    [([-0.5, 0.5], "hh:mm"), ([-1, -5], "yyyy-mm-dd"), ([59, 60], "yyyy-mm-dd"), ([59.25, 60.25], "yyyy-mm-dd hh:mm")],
)
def test_numbers_that_stand_for_no_day_are_not_read_as_another(
    connection: Connection, tmp_path: Path, numbers: list[float], form: str
) -> None:
    """The reader takes noon for half a day before the first, and 28 February 1900 for the day after it."""

    def shown(_: Any, sheet: Any) -> None:
        for row in (2, 3):
            sheet.cell(row, 2).number_format = form

    cells = [("n", "q"), *([number, number] for number in numbers)]
    table = loaded(connection, saved(tmp_path / "t.xlsx", cells, shown))
    assert rows(table.keep(["n"])) == [(number,) for number in numbers]
    with pytest.raises(SourceError, match=r"column 'q' .* shown as dates or times that stand for none"):
        table.keep(["q"])


def test_a_formula_above_the_rows_spoils_nothing(connection: Connection, tmp_path: Path) -> None:
    assert rows(kept(connection, saved(tmp_path / "t.xlsx", [("q", "=1+1"), ("a", "b")]))) == [("a", "b")]


def test_errors_of_a_sheet_are_missing_and_said(connection: Connection, tmp_path: Path) -> None:
    cells = [(None, None, None), (None, "q", "s"), (None, "#N/A", "a"), (None, "#DIV/0!", "b"), (None, "x", "c")]
    table = kept(connection, saved(tmp_path / "t.xlsx", cells))
    assert rows(table) == [("x", "c"), (None, "a"), (None, "b")]
    assert [note for note in table.notes if note.text.startswith("2 cells of 'q' held an error")]


@pytest.mark.parametrize(("merged", "spoiled"), [("A2:A4", {"q"}), ("A3:B3", {"q", "s"}), ("A1:A2", {"q"})])
def test_merged_cells_are_not_missing_values(
    connection: Connection, tmp_path: Path, merged: str, spoiled: set[str]
) -> None:
    cells = [("q", "s", "r"), ("a", "x", 1), ("b", "y", 2), ("c", "z", 3)]
    table = loaded(connection, saved(tmp_path / "t.xlsx", cells, lambda _, sheet: sheet.merge_cells(merged)))
    assert len(rows(table.keep(["r"]))) == 3
    for name in ("q", "s"):
        if name in spoiled:
            with pytest.raises(SourceError, match=f"column '{name}' .* merged cells"):
                table.keep([name])
        else:
            table.keep([name])


def test_cells_merged_above_the_rows_spoil_nothing(connection: Connection, tmp_path: Path) -> None:
    cells = [("q", "s"), ("a", "x")]
    assert rows(kept(connection, saved(tmp_path / "t.xlsx", cells, lambda _, sheet: sheet.merge_cells("A1:B1")))) == [
        ("a", "x")
    ]


def test_the_first_sheet_that_is_shown_is_read_and_said(connection: Connection, tmp_path: Path) -> None:
    def change(book: Any, first: Any) -> None:
        first.sheet_state = "hidden"
        book.create_chartsheet("chart")
        for name, cell in (("data", "a"), ("more", "b")):
            sheet = book.create_sheet(name)
            sheet.append(["q"])
            sheet.append([cell])

    path = saved(tmp_path / "t.xlsx", [("q",), (CANARY,)], change)
    table = kept(connection, path)
    assert rows(table) == [("a",)]
    assert [note for note in table.notes if "sheet 'data'" in note.text and "the first of 2 shown" in note.text]
    assert rows(kept(connection, path, sheet="Sheet")) == [(CANARY,)]
    assert rows(kept(connection, path, sheet=1)) == [(CANARY,)]


def test_an_empty_first_sheet_names_the_others(connection: Connection, tmp_path: Path) -> None:
    path = saved(tmp_path / "t.xlsx", [("about this table",)], lambda book, _: book.create_sheet("data").append(["q"]))
    with pytest.raises(EmptyTableError, match=r"'Sheet' .* has no rows below its first. The workbook also has 'data'"):
        kept(connection, path)


def test_a_workbook_with_a_document_type_is_refused(connection: Connection, tmp_path: Path) -> None:
    path = saved(tmp_path / "t.xlsx", [("q",), ("=1+1",)])
    rewritten(path, ("<worksheet ", '<!DOCTYPE worksheet [<!ENTITY a "b">]><worksheet '))
    with pytest.raises(SourceError, match="not a whole Excel"):
        kept(connection, path)


def dated(path: Path, numbers: Sequence[float], form: str, book: tuple[str, str]) -> Path:
    """Write a workbook with numbers, as they are and in a form of dates, and change its description of itself."""

    def shown(_: Any, sheet: Any) -> None:
        for row in range(2, len(numbers) + 2):
            sheet.cell(row, 2).number_format = form

    return rewritten(saved(path, [("n", "q"), *([number, number] for number in numbers)], shown), book)


@pytest.mark.parametrize("mark", ['date1904="1"', 'date1904="true"'])
@pytest.mark.parametrize("strict", [False, True])
def test_days_counted_from_1904_are_not_read_as_times(
    connection: Connection, tmp_path: Path, mark: str, *, strict: bool
) -> None:
    """ECMA-376, part 1, 18.17.4.1: in the date system 1904 the number 0 is 1904-01-01, and no day is left out."""
    numbers = [0, 0.5, 1, 59, 60, 61, 1462]
    path = dated(tmp_path / "t.xlsx", numbers, "yyyy-mm-dd hh:mm", ("<workbookPr ", f"<workbookPr {mark} "))
    if strict:
        rewritten(
            path, *((f"{_LAX}/{room}/2006/", f"{_STRICT}/{room}/") for room in ("spreadsheetml", "officeDocument"))
        )
    found = dict(rows(kept(connection, path)))
    assert found == {number: dt.datetime(1904, 1, 1) + dt.timedelta(days=number) for number in numbers}


def test_whole_days_counted_from_1904_are_days(connection: Connection, tmp_path: Path) -> None:
    """Times alone stay times, whatever day they count from."""
    mark = ("<workbookPr ", '<workbookPr date1904="1" ')
    days = kept(connection, dated(tmp_path / "d.xlsx", [0, 60], "yyyy-mm-dd", mark))
    assert dict(rows(days)) == {0: date("1904-01-01"), 60: date("1904-03-01")}
    times = kept(connection, dated(tmp_path / "t.xlsx", [0, 0.5], "hh:mm", mark))
    assert dict(rows(times)) == {0: dt.time(0), 0.5: dt.time(12)}


@pytest.mark.parametrize("numbers", [[-0.5, 0.5], [-1, 60]])
def test_numbers_below_0_are_no_days_from_1904_either(
    connection: Connection, tmp_path: Path, numbers: list[float]
) -> None:
    path = dated(tmp_path / "t.xlsx", numbers, "yyyy-mm-dd", ("<workbookPr ", '<workbookPr date1904="1" '))
    with pytest.raises(SourceError, match=r"column 'q' .* shown as dates or times that stand for none"):
        kept(connection, path)


def xls(path: Path, cells: Sequence[Sequence[str | float]], *, from_1904: bool) -> Path:
    """Write an old workbook of one sheet, its numbers shown as dates with times, by [MS-XLS] and [MS-CFB]."""

    def record(kind: int, content: bytes) -> bytes:
        return struct.pack("<HH", kind, len(content)) + content

    forms = b"".join(record(0xE0, struct.pack("<HHH14x", 0, form, 0)) for form in (0, 22))
    book = (
        record(0x809, struct.pack("<HHHHII", 0x600, 5, 0, 1997, 0, 0))
        + record(0x22, struct.pack("<H", from_1904))
        + forms
    )
    sheet = record(0x809, struct.pack("<HHHHII", 0x600, 16, 0, 1997, 0, 0))
    for row, column, cell in (
        (row, column, cell) for row, line in enumerate(cells) for column, cell in enumerate(line)
    ):
        if isinstance(cell, str):
            sheet += record(0x204, struct.pack("<HHHHB", row, column, 0, len(cell), 0) + cell.encode())
        else:
            sheet += record(0x203, struct.pack("<HHHd", row, column, 1, cell))
    start = len(book) + len(record(0x85, bytes(9))) + len(record(0x0A, b""))
    book += record(0x85, struct.pack("<IBBBB", start, 0, 0, 1, 0) + b"S") + record(0x0A, b"")
    stream = (book + sheet + record(0x0A, b"")).ljust(4096, b"\0")
    entries = [("Root Entry", 5, 1, 0xFFFFFFFE, 0), ("Workbook", 2, 0xFFFFFFFF, 2, len(stream))]
    folder = b"".join(
        struct.pack(
            "<64sHBBIII36xIQ",
            name.encode("utf-16-le"),
            2 * len(name) + 2,
            kind,
            1,
            -1 % 2**32,
            -1 % 2**32,
            child,
            at,
            size,
        )
        for name, kind, child, at, size in entries
    ).ljust(512, b"\0")
    sectors = len(stream) // 512
    chain = [0xFFFFFFFD, 0xFFFFFFFE, *range(3, 2 + sectors), 0xFFFFFFFE]
    table = struct.pack("<128I", *chain, *[0xFFFFFFFF] * (128 - len(chain)))
    head = struct.pack(
        "<8s16xHHHHH6xIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        62,
        3,
        0xFFFE,
        9,
        6,
        0,
        1,
        1,
        0,
        4096,
        0xFFFFFFFE,
        0,
        0xFFFFFFFE,
        0,
    )
    path.write_bytes(head + struct.pack("<109I", 0, *[0xFFFFFFFF] * 108) + table + folder + stream)
    return path


@pytest.mark.parametrize("from_1904", [True, False])
def test_days_of_old_workbooks_that_cannot_be_told_apart_are_refused(
    connection: Connection, tmp_path: Path, *, from_1904: bool
) -> None:
    """Both 0 and -1 are read as midnight, whatever day the workbook counts from; 59 and 60 as 28 February 1900."""
    first = dt.datetime(1904, 1, 1) if from_1904 else dt.datetime(1899, 12, 30)
    cells = [("sure", "clock", "mixed", "twice"), (61, 0.5, 0, 59), (40000.5, 0, -1, 60), (100, 0.25, 61, 61)]
    table = loaded(connection, xls(tmp_path / "t.xls", cells, from_1904=from_1904))
    assert rows(table.keep(["sure"])) == sorted(
        [(first + dt.timedelta(days=number),) for number in (61, 40000.5, 100)], key=repr
    )
    assert rows(table.keep(["clock"])) == [(dt.time(0),), (dt.time(12),), (dt.time(6),)]
    for name in ("mixed", "twice")[: 1 if from_1904 else 2]:
        with pytest.raises(SourceError, match=rf"column '{name}' .* stand for other days too .* Save it as \.xlsx"):
            table.keep([name])


def test_only_workbooks_that_count_days_are_unsure_of_them(tmp_path: Path) -> None:
    for name, part, silent in (("t.xlsb", "xl/workbook.bin", True), ("t.ods", "content.xml", False)):
        with zipfile.ZipFile(tmp_path / name, "w") as package:
            package.writestr(part, b"")
        assert sheet_marks(str(tmp_path / name), "S", 1, days=True).silent is silent
