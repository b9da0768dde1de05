"""A workbook of one sheet, written row by row: every digit of a number, and every text as a text, never a formula."""

from __future__ import annotations

import datetime as dt
import zipfile
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_FIRST_DAY = dt.datetime(1899, 12, 30)
"""The day 0 of the days since March 1900."""
_DAY, _MOMENT = 1, 2
"""The formats of cells."""
_PARTS = {
    "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET_TYPE}.sheet.main+xml"/>'
    f'<Override PartName="/xl/styles.xml" ContentType="{_SHEET_TYPE}.styles+xml"/>'
    f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_SHEET_TYPE}.worksheet+xml"/></Types>',
    "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
    "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">'
    f'<Relationship Id="rId1" Type="{_OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>'
    f'<Relationship Id="rId2" Type="{_OFFICE}/styles" Target="styles.xml"/></Relationships>',
    "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}">'
    '<sheets><sheet name="release" sheetId="1" r:id="rId1"/></sheets></workbook>',
    "xl/styles.xml": f'<styleSheet xmlns="{_MAIN}"><numFmts count="2">'
    '<numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
    '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="1"><font/></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3">'
    '<xf xfId="0"/><xf numFmtId="164" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="165" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1">'
    '<cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>',
}  # fmt: skip
_BEGIN = (
    f'<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
    '<pane ySplit="1" topLeftCell="A2" state="frozen"/></sheetView></sheetViews><sheetData>'
)


def write_workbook(path: Path, names: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a workbook.

    Parameters
    ----------
    path
        The file.
    names
        The titles of the columns.
    rows
        The rows: texts, numbers, truths, days and points in time; None is an empty cell.
    """
    letters = [_letters(at) for at in range(len(names))]
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in _PARTS.items():
            archive.writestr(_undated(name), _HEAD + text)
        with archive.open(_undated("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as sheet:
            sheet.write(f"{_HEAD}{_BEGIN}{_row(1, letters, names)}".encode())
            for number, row in enumerate(rows, start=2):
                sheet.write(_row(number, letters, row).encode())
            sheet.write(b"</sheetData></worksheet>")


def _undated(name: str) -> zipfile.ZipInfo:
    """Return a packed part of an archive that says nothing of when it was made."""
    part = zipfile.ZipInfo(name)
    part.compress_type = zipfile.ZIP_DEFLATED
    return part


def _letters(at: int) -> str:
    """Return the letters of a column.

    Examples
    --------
    >>> _letters(0), _letters(25), _letters(26), _letters(16383)
    ('A', 'Z', 'AA', 'XFD')
    """
    above, last = divmod(at, 26)
    return (_letters(above - 1) if above else "") + chr(ord("A") + last)


def _row(number: int, letters: Sequence[str], cells: Sequence[object]) -> str:
    shown = (_cell(f"{letter}{number}", cell) for letter, cell in zip(letters, cells, strict=True) if cell is not None)
    return f'<row r="{number}">{"".join(shown)}</row>'


def _cell(place: str, value: object) -> str:
    """Return a cell of the sheet.

    Examples
    --------
    >>> _cell("A2", "=1+1")
    '<c r="A2" t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c>'
    >>> _cell("B2", 0.1 + 0.2), _cell("C2", dt.date(2020, 1, 31))
    ('<c r="B2"><v>0.30000000000000004</v></c>', '<c r="C2" s="1"><v>43861</v></c>')
    """
    if isinstance(value, str):
        return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(value, quote=False)}</t></is></c>'
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, dt.datetime):
        return f'<c r="{place}" s="{_MOMENT}"><v>{(value - _FIRST_DAY) / dt.timedelta(days=1)!r}</v></c>'
    if isinstance(value, dt.date):
        return f'<c r="{place}" s="{_DAY}"><v>{(value - _FIRST_DAY.date()).days}</v></c>'
    return f'<c r="{place}"><v>{value!r}</v></c>'
