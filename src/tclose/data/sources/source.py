"""What a source of rows is, and how its file is to be read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal

from tclose.data.labels import quoted
from tclose.data.sources.examples import Example
from tclose.errors import Note, SourceError
from tclose.policy.options import Choice, Kind, Many, Part, Schema, Switch, Text, UnfitError, option, spelled, words

FORMATS = ("csv", "tsv", "parquet", "json", "jsonl", "arrow", "excel", "spss", "sas", "stata")
"""Every file format that can be read."""

_USUALLY_UNPACKED = "64GB"
_LONGEST_SHEET_NUMBER = 10
_SIZE = re.compile(r"\s*([0-9]{1,9})\s*([KMGT]?)B\s*", re.IGNORECASE)

FrameKind = Literal["pandas", "polars", "arrow", "stream", "duckdb"]
"""How a frame held by the caller is handed over."""


class Sheet(Kind):
    """The name of a sheet, or its number."""

    metavar = "SHEET"

    def read(self, value: object) -> Any:
        """Return a name or a number."""
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise UnfitError("must be the name or the number of a sheet.")
        return value

    def parse(self, text: str) -> object:
        """Return the number that a text is, else the text."""
        return int(text) if text.isdecimal() and len(text) < _LONGEST_SHEET_NUMBER else text

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {"type": ["string", "integer"]}


class NullTexts(Many):
    """Texts for missing values, besides the empty one."""

    def __init__(self) -> None:
        super().__init__(Text())

    def parse(self, text: str) -> object:
        """Return the text; the empty one stands for a missing value too."""
        return ["", text]


@dataclass(frozen=True)
class ReadOptions(Part):
    r"""How a file is to be read; what is left out is found by looking at the file.

    Parameters
    ----------
    delimiter
        The character between two cells of a text table; ``"tab"`` stands for a tabulator.
    quote
        The character around cells that hold a delimiter or a line end; an empty text for none.
    encoding
        The encoding of a text file, such as ``"utf-8"`` or ``"windows-1252"``.
    decimal
        The decimal mark: ``"."`` or ``","``.
    header
        Whether the first line names the columns.
    null
        The texts that stand for a missing value.
    sheet
        The sheet of a workbook, by name or by position counted from 1; the first by default.
    input_format
        One of :data:`FORMATS`; by name and content of the file when left out.
    unpacked
        The most that a compressed file may unpack to, such as ``"200GB"``; 64 GB by default.

    Examples
    --------
    >>> ReadOptions(delimiter="tab").delimiter
    '\t'
    """

    SECTION: ClassVar[str] = "Reading"
    PLACE: ClassVar[str] = "table"

    delimiter: str | None = option(
        None, kind=Text("CHAR"), label="Between two cells", help="The character between two cells, or 'tab'."
    )
    quote: str | None = option(
        None, kind=Text("CHAR"), label="Around cells", help="The character around cells; '' for none."
    )
    encoding: str | None = option(
        None, kind=Text("NAME"), label="Letters", help="The encoding, such as utf-8 or windows-1252."
    )
    decimal: str | None = option(
        None, kind=words(".", ","), label="Decimal mark", help="The decimal mark: a point or a comma."
    )
    header: bool | None = option(
        None, kind=Switch(), label="The first line", help="Whether the first line names the columns."
    )
    null: tuple[str, ...] = option(
        ("",), kind=NullTexts(), label="Missing, besides empty cells",
        help="A text that stands for a missing value, besides the empty one. Repeatable.",
    )  # fmt: skip
    sheet: str | int | None = option(
        None, kind=Sheet(), help="The sheet of a workbook, by name or number; the first by default."
    )
    input_format: str | None = option(
        None, kind=Choice(lambda: FORMATS, metavar="FORMAT"),
        help=f"The format of the file: {', '.join(FORMATS)}; recognised by default.",
    )  # fmt: skip
    unpacked: str | None = option(
        None, kind=Text("SIZE"),
        help="The most that a compressed file may unpack to, such as 200GB; 64GB by default.",
    )  # fmt: skip

    def __post_init__(self) -> None:
        """Check how a file is to be read."""
        super().__post_init__()
        if self.delimiter in {"tab", "\\t"}:
            object.__setattr__(self, "delimiter", "\t")
        self._check_marks()
        _ = self.most_unpacked

    @property
    def most_unpacked(self) -> int:
        """The most bytes that a compressed file may unpack to."""
        match = _SIZE.fullmatch(self.unpacked or _USUALLY_UNPACKED)
        if match is None:
            raise SourceError(
                "The most that a file may unpack to is a size such as '500MB' or '64GB'.", field="unpacked"
            )
        return int(match[1]) * int(1000 ** " KMGT".index(match[2].upper() or " "))

    def _check_marks(self) -> None:
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in "\r\n\"'"):
            raise SourceError(
                "The delimiter must be one character, not a quote or a line end, or the word 'tab'.", field="delimiter"
            )
        if self.quote is not None and (len(self.quote) > 1 or self.quote in {"\r", "\n", self.delimiter}):
            raise SourceError(
                "The quote must be one character other than the delimiter, or empty for none.", field="quote"
            )


spelled(ReadOptions, "ReadOptions(NAME={})")


@dataclass(frozen=True)
class Source:
    """Where the rows of a table are; ``label`` is how reports name it."""

    label: str


@dataclass(frozen=True)
class FileSource(Source):
    """One table in one or more files of the same format.

    Parameters
    ----------
    paths
        The files, sorted.
    format
        One of :data:`FORMATS`.
    options
        How the files are to be read.
    partitions
        Names and values that folders such as ``year=2020`` give to each file.
    shown_as
        How messages name a file that is a private copy, of standard input for instance.
    notes
        What was made of the names that were given.
    """

    paths: tuple[Path, ...]
    format: str
    options: ReadOptions = field(default_factory=ReadOptions)
    partitions: tuple[Mapping[str, str | None], ...] = ()
    shown_as: str | None = None
    notes: tuple[Note, ...] = ()

    def name_of(self, path: Path) -> str:
        """Return how messages name one of the files."""
        return self.shown_as or quoted(path)


@dataclass(frozen=True)
class StreamSource(Source):
    """Bytes that can be read once: standard input, or a named pipe."""

    path: Path | None = None
    options: ReadOptions = field(default_factory=ReadOptions)


@dataclass(frozen=True)
class SparkSource(Source):
    """What a Spark session that is started for it reads under a path.

    Parameters
    ----------
    path
        A file, a folder or a pattern.
    master
        Where Spark runs; None leaves it to Spark's own configuration.
    conf
        Settings of Spark.
    options
        How the files are to be read.
    """

    path: str
    master: str | None = None
    conf: tuple[tuple[str, str], ...] = ()
    options: ReadOptions = field(default_factory=ReadOptions)


@dataclass(frozen=True)
class FrameSource(Source):
    """A frame in the caller's memory."""

    frame: object = field(repr=False)
    kind: FrameKind


@dataclass(frozen=True)
class ValuesSource(Source):
    """Columns of Python values or NumPy arrays."""

    columns: Mapping[str, object] = field(repr=False)


@dataclass(frozen=True)
class ExampleSource(Source):
    """A table built into tclose."""

    example: Example
