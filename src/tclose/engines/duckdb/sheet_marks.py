"""What a sheet of an ``.xlsx`` file says of its cells beside their values: results never computed, errors, odd days."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

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
