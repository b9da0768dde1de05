"""How a text table is written: its delimiter, its quote, its header, the names of its columns."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tclose.data.labels import naming
from tclose.data.sources.source import ReadOptions
from tclose.data.sources.text_files import Utf8File
from tclose.errors import Ask, EmptyTableError, Hint, Note, SourceError, alike, header_hint, listed

_HEAD_BYTES = (1 << 18, 1 << 22)
"""How much is looked at: more where the first line does not end."""
_MOST_RECORDS = 1000
_DELIMITERS = (",", ";", "\t", "|")
_SEPARATOR_LINE = re.compile(r"\ufeff?sep=(.)(\r\n|\n|\r)", re.IGNORECASE)
_BLANK_LINES = re.compile(r"[\r\n]+")
_DATUM = re.compile(r"\s*[-+]?[0-9]+([.,][0-9]+)?([eE][-+]?[0-9]+)?\s*|\s*[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}.*")


@dataclass(frozen=True)
class Dialect:
    """The marks of a text table and the names of its columns."""

    delimiter: str
    quote: str
    header: bool
    names: tuple[str, ...]
    skipped: int = 0
    notes: tuple[Note, ...] = ()


def dialect_of(file: Utf8File, options: ReadOptions) -> Dialect:
    """Return how a text table is written, found by looking at its beginning."""
    for size in _HEAD_BYTES:
        head, whole = file.head(size)
        dialect = _dialect_in(file, options, head, whole=whole)
        if dialect is not None:
            return dialect
    raise SourceError(
        f"The first line of {file.name} is longer than {_HEAD_BYTES[-1]:,} bytes. Check how its lines end, and that no "
        "quote is open; name the quote of the file."
    )


def _dialect_in(file: Utf8File, options: ReadOptions, head: str, *, whole: bool) -> Dialect | None:
    """Return how a text table is written by its beginning; None where that does not hold its first line."""
    skipped = 0
    if line := _SEPARATOR_LINE.match(head):
        options = options if options.delimiter else replace(options, delimiter=line[1])
        head, skipped = head[line.end() :], 1
    blank = _BLANK_LINES.match(head)
    if blank:
        head, skipped = head[blank.end() :], skipped + len(blank[0].splitlines())
    if not head.strip("\r\n \t"):
        raise EmptyTableError(f"{file.name} is empty: it has neither a header nor rows.")
    cut = _best(head, options, whole=whole)
    if len(cut.records) == 1 and not whole:
        return None
    header = _has_header(cut.records) if options.header is None else options.header
    names, notes = _names(cut.records[0], file.name, header=header, guessed=options.header is None)
    if not header and options.header is None:
        guess = "The first line of {} looks like data, so the columns are named column_1, column_2, ..."
        hint = Hint("If it is a header, say so: {}.", Ask("header", value=True))
        notes += (Note("no-header", naming(guess, file.name), hint),)
    return Dialect(cut.delimiter, cut.quote, header, names, skipped, notes)


@dataclass(frozen=True)
class _Cut:
    """One way to cut the first lines into cells."""

    delimiter: str
    quote: str
    records: list[list[str]]
    clean: bool

    @property
    def score(self) -> tuple[bool, bool, float, int]:
        """Rate it: several columns, quotes in place, the share of lines as wide as the first, the width."""
        width = len(self.records[0]) if self.records else 0
        alike = sum(len(record) == width for record in self.records) / max(1, len(self.records))
        return width > 1, self.clean, round(alike, 2), width


def _best(head: str, options: ReadOptions, *, whole: bool) -> _Cut:
    delimiters = [options.delimiter] if options.delimiter else [sign for sign in _DELIMITERS if sign != options.quote]
    cuts = [
        _cut(head, delimiter, quote, whole=whole)
        for quote in (('"', "'") if options.quote is None else (options.quote,))
        for delimiter in delimiters
        if quote != "'" or options.quote or _is_quoted_by_apostrophe(head, delimiter)
    ]
    best = max(cuts, key=lambda cut: cut.score)
    if len(best.records[0]) == 1 and options.delimiter is None:
        unused = next((delimiter for delimiter in delimiters if delimiter not in head), delimiters[0])
        return _cut(head, unused, best.quote, whole=whole)
    return best


def _cut(head: str, delimiter: str, quote: str, *, whole: bool) -> _Cut:
    reader = csv.reader(
        io.StringIO(head, newline=""),
        delimiter=delimiter,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        strict=True,
    )
    records: list[list[str]] = []
    clean = True
    try:
        records.extend(itertools.islice((record for record in reader if record), _MOST_RECORDS))
    except csv.Error as problem:
        clean = not whole and "unexpected end" in str(problem)
    if not whole and clean and 1 < len(records) < _MOST_RECORDS:
        records.pop()
    return _Cut(delimiter, quote, records or [[head.splitlines()[0]]], clean)


def _is_quoted_by_apostrophe(head: str, delimiter: str) -> bool:
    """Say whether apostrophes stand around cells, and no cell has only one of them."""
    if '"' in head:
        return False
    edge = re.escape(delimiter)
    opening = len(re.findall(rf"(?:^|{edge})'", head, re.MULTILINE))
    closing = len(re.findall(rf"'(?:{edge}|\r?$)", head, re.MULTILINE))
    return opening > 0 and opening == closing


def _has_header(records: Sequence[Sequence[str]]) -> bool:
    """Say whether the first line names the columns: no cell of it is a datum like those below it."""
    first, rest = records[0], records[1:]
    for at, cell in enumerate(first):
        below = [record[at] for record in rest if at < len(record) and record[at]]
        if _DATUM.fullmatch(cell) and all(_DATUM.fullmatch(other) for other in below):
            return False
    return True


def _names(first: Sequence[str], name: str, *, header: bool, guessed: bool) -> tuple[tuple[str, ...], tuple[Note, ...]]:
    if not header:
        return tuple(f"column_{at}" for at in range(1, len(first) + 1)), ()
    twice = [cell for cell, times in Counter(first).items() if cell and times > 1]
    if twice:
        said = f"{alike(first)} alike" if guessed else f"the column {listed(twice)} more than once"
        hint = header_hint() if guessed else Hint("Rename one of each.")
        raise SourceError(f"{name} names {said}.", code="same-name-twice", field="header", hint=hint)
    taken = set(first)
    names: list[str] = []
    for at, cell in enumerate(first, start=1):
        invented = f"column_{at}"
        while not cell and invented in taken:
            invented += "_"
        names.append(cell or invented)
    unnamed = [new for new, cell in zip(names, first, strict=True) if not cell]
    if not unnamed:
        return tuple(names), ()
    return tuple(names), (unnamed_columns(name, unnamed),)


def unnamed_columns(table: str, names: Sequence[str]) -> Note:
    """Return the note on columns that have no name in a file."""
    return Note(
        "unnamed-columns",
        naming("{} has columns without a name, called {} here.", table, listed(names)),
        column=names[0],
    )
