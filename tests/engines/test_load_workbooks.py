"""Cells of workbooks that do not hold what they show, and sheets that are not shown."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from canaries import CANARY
from engines.loading import connection, kept, loaded, rows
from tclose.errors import EmptyTableError, SourceError

Connection = duckdb.DuckDBPyConnection
__all__ = ["connection"]

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
    assert [note for note in table.notes if note.startswith("2 cells of 'q' held an error")]


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
    assert [note for note in table.notes if "sheet 'data'" in note and "the first of 2 that are shown" in note]
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
