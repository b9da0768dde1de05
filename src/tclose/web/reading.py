"""How a text file is read: its first lines, and the marks that a person chooses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tclose.data.sources import is_database, locate
from tclose.data.sources.formats import COMPRESSION_OF_SUFFIX
from tclose.data.sources.source import FileSource
from tclose.errors import InputError
from tclose.web.workspace import Opened

LINES = 8
_BYTES = 20_000
_MARKS = ("delimiter", "quote", "encoding", "decimal", "header")
MARKS = (*_MARKS, "null")
"""What the page lets a person choose of how a text file is read."""


def text_file(opened: Opened) -> FileSource | None:
    """Return the text file that a table is read from; None where it is something else."""
    if is_database(opened.table):
        return None
    source = locate(opened.table, options=opened.policy.read)
    return source if isinstance(source, FileSource) and source.format in ("csv", "tsv") else None


def reading(opened: Opened) -> dict[str, Any]:
    """Return how a table is read, and its first lines as they stand in the file."""
    source = text_file(opened)
    if source is None:
        raise InputError("This table is not read from a text file: there is nothing to choose.")
    options = source.options
    marks = {mark: getattr(options, mark) for mark in _MARKS}
    return {"sample": _sample(source), **marks, "null": [text for text in options.null if text]}


def _sample(source: FileSource) -> list[str] | None:
    """Return the first lines of a file; None where it is packed."""
    path = source.paths[0]
    if path.suffix.lower() in COMPRESSION_OF_SUFFIX:
        return None
    with path.open("rb") as file:
        beginning = file.read(_BYTES)
    try:
        text = beginning.decode(source.options.encoding or "utf-8", "replace")
    except LookupError:
        text = beginning.decode("utf-8", "replace")
    return text.removeprefix("\ufeff").splitlines()[:LINES]


def chosen(opened: Opened, asked: Mapping[str, Any]) -> FileSource:
    """Return the file of a table, to be read as a page asks for; what it leaves out is found in the file.

    Raises
    ------
    InputError
        If there is no text file, or a mark is none.
    """
    source = text_file(opened)
    if source is None:
        raise InputError("This table is not read from a text file: there is nothing to choose.")
    unknown = asked.keys() - {*MARKS}
    texts, missing = [asked.get(mark) for mark in _MARKS[:-1]], asked.get("null") or []
    if unknown or not isinstance(missing, list) or not all(text is None or isinstance(text, str) for text in texts):
        raise InputError(f"How a file is read is said by {', '.join(_MARKS)} and null.")
    if not all(isinstance(text, str) for text in missing):
        raise InputError("What stands for a missing value is said by texts.")
    if asked.get("header") not in (None, True, False):
        raise InputError("Whether the first line names the columns is true, false, or left open.")
    delimiter, quote, encoding, decimal = texts
    options = replace(
        source.options, delimiter=delimiter, quote=quote, encoding=encoding, decimal=decimal,
        header=asked.get("header"), null=("", *missing),
    )  # fmt: skip
    return replace(source, options=options)
