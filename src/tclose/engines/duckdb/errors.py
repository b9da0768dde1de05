"""From DuckDB's exceptions to ours, without the cells that DuckDB quotes in its texts."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

import duckdb

from tclose.data.labels import naming
from tclose.engines.errors import capital, stopped, translating
from tclose.errors import EngineFailedError, HeadroomError, SourceError

# Why a column cannot be used, in the same words on every way in.


MIXED = "its values are of different types. Make them all text, or all numbers, before handing the table over."
NESTED = "its values are nested, or neither text, numbers nor dates. Take them apart into columns of one type each."
LONG = "it has numbers of more than 38 digits, or an infinity beside numbers too long for a float. Make them text."
TOO_LARGE = "it mixes real numbers with numbers too long for them. Make them text."
TOO_FINE = "it has times or durations finer than a microsecond. Round them, or make them text."
MONTHS_AND_DAYS = "it has intervals of months and of days, whose lengths cannot be compared. Make them days, or text."
MERGED = "it has merged cells, of which only the first has a value. Unmerge and fill them, or save the table as CSV."
UNCOMPUTED = (
    "it has formulas whose results are not in the file. Open the workbook in a spreadsheet program and save it there, "
    "or write values instead."
)
NO_DAYS = (
    "it has numbers shown as dates or times that stand for none, below 0 or of 29 February 1900, and would be read as "
    "others. Make them numbers or text."
)
UNSURE_DAYS = (
    "it has times of day beside days, or 28 February 1900, which stand for other days too in a workbook of this kind. "
    "Save it as .xlsx."
)
NOT_UNICODE = "it has text that is not valid Unicode. Mend the text."


def unread(kind: str) -> str:
    """Return the words for a type whose values cannot be taken exactly."""
    return f"tclose does not read its type {kind!r}. Make it text, whole numbers, or floats of 32 or 64 bits."


_LINE = re.compile(r"CSV Error on Line: (\d+)")
_WIDTHS = re.compile(r"^Expected Number of Columns: (\d+) Found: (\d+)$", re.MULTILINE)
_FILE = re.compile(r"^  file = (.*)$", re.MULTILINE)
_JSON_FILE = re.compile(r'in file "([^"\n]*)"')
_JSON_PLACE = re.compile(r"in (?:line|record/value) (\d+)")
_LONG_LINE = re.compile(r"Maximum line size of (\d+) bytes exceeded")
_JSON_SIGNS = ("Malformed JSON", "JSON transform error", "maximum_object_size")
_PARQUET_SIGNS = ("encryption_config", "magic bytes", "Parquet", "TProtocolException", "don't know what type")

_INPUT_KINDS = (
    duckdb.DataError,
    duckdb.InvalidInputException,
    duckdb.IOException,
    duckdb.InvalidTypeException,
    duckdb.PermissionException,
    duckdb.NotImplementedException,
    duckdb.SerializationException,
)
_FULL_DISK = ("no space left", "disk quota", "max_temp_directory_size", "failed to offload", "file too large")


@contextmanager
def translated(
    what: str,
    *,
    names: Mapping[str, str] | None = None,
    connection: duckdb.DuckDBPyConnection | None = None,
) -> Iterator[None]:
    """Turn every exception of DuckDB into one of ours that carries no cell.

    Parameters
    ----------
    what
        What is being read or done, as the person knows it; it opens the message.
    names
        For files that were copied first: the path of the copy to the name of the original.
    connection
        The connection at work, which is freed from a query that failed half-way.

    Raises
    ------
    SourceError
        If the input cannot be read.
    HeadroomError
        If memory or disk is exhausted.
    EngineFailedError
        If the engine stopped for a reason of its own.
    KeyboardInterrupt
        If the query was interrupted in the main thread; in another one, EngineFailedError.
    """

    def translate(problem: Exception) -> BaseException | None:
        if not isinstance(problem, duckdb.Error | duckdb.Warning | RuntimeError | UnicodeError):
            return None
        failure = translation(problem, what, names or {})
        if connection is not None:
            _release(connection)
        return failure

    with translating(translate):
        yield


def translation(problem: BaseException, what: str, names: Mapping[str, str]) -> BaseException:
    """Return our exception for one of DuckDB's; its text is built from facts, never passed on."""
    text = str(problem)
    if isinstance(problem, duckdb.InterruptException) or (isinstance(problem, RuntimeError) and "interrupted" in text):
        return _interrupted(what)
    kind = type(problem).__name__.removesuffix("Exception")
    if not isinstance(problem, duckdb.Error):
        return EngineFailedError(stopped("DuckDB", what, kind))
    if isinstance(problem, duckdb.OutOfMemoryException) or any(sign in text.lower() for sign in _FULL_DISK):
        return HeadroomError(
            f"{capital(what)} does not fit into the memory and temporary disk space allowed. "
            "Allow more memory, or name a temporary folder with more room."
        )
    if reason := _csv(text, what, names) or _json(text, what, names) or _parquet(text, what):
        return SourceError(reason)
    if type(problem) is duckdb.Error:  # what the readers of damaged files throw, without a kind
        return SourceError(f"{capital(what)} cannot be read: it is damaged, or not what its name says.")
    if isinstance(problem, _INPUT_KINDS):
        return SourceError(f"{capital(what)} cannot be read: {_input_reason(problem, text)}")
    return EngineFailedError(stopped("DuckDB", what, kind))


def _release(connection: duckdb.DuckDBPyConnection) -> None:
    """Free a connection from a query that failed half-way, so that the next one can run."""
    abort: Callable[[], object] | None = getattr(connection, "abort", None)
    if abort is not None:
        abort()


def _interrupted(what: str) -> BaseException:
    """Return what an interruption means: the person's own in the main thread, someone's wish in another."""
    if threading.current_thread() is threading.main_thread():
        return KeyboardInterrupt()
    return EngineFailedError(f"The work on {what} was interrupted.")


def _csv(text: str, what: str, names: Mapping[str, str]) -> str | None:
    line = _LINE.search(text)
    if not line:
        if "state machine reached an invalid state" in text:
            return f"{_named(text, what, names)} is no regular text table: its quotes or line ends are broken."
        if "Parallel CSV Reader currently does not support" in text:
            reason = "has a line longer than can be read. Shorten it; or a quote may be open: name the file's quote."
            return f"{_named(text, what, names)} {reason}"
        return None
    place = naming("{}, line {}", _named(text, what, names), line[1])
    if widths := list(_WIDTHS.finditer(text)):
        expected, found = widths[-1].groups()
        cells = f"{found} {'cell' if found == '1' else 'cells'} where the first line has {expected}"
        return naming("{}: {}. Mend that line, or name the delimiter and quote of the file.", place, cells)
    if "unterminated quote" in text:
        return naming("{}: a quote is opened and not closed. Mend that line, or name the quote of the file.", place)
    if "Invalid unicode" in text:
        return naming("{}: the bytes are not UTF-8 text. Name the encoding of the file.", place)
    if long := _LONG_LINE.search(text):
        return naming("{}: longer than {} bytes. A quote may be open; name the quote of the file.", place, long[1])
    said = "no cells can be read. Mend that line, or name the delimiter and quote of the file."
    return naming("{}: {}", place, said)


def _json(text: str, what: str, names: Mapping[str, str]) -> str | None:
    if "json_read expected records" in text or "non-record JSON" in text:
        return f"{capital(what)} is JSON but not a table: it must be a list of objects, or one a line."
    if not any(sign in text for sign in _JSON_SIGNS):
        return None
    found = _JSON_FILE.search(text)
    name = names.get(found[1], found[1]) if found else what
    place = _JSON_PLACE.search(text)
    where = f"{capital(name)}, record {place[1]}" if place else capital(name)
    if "duplicate key" in text:
        return f"{where}: a key is given twice in one object. Rename one of them."
    if "maximum_object_size" in text:
        return f"{where}: one object is larger than can be read. Write one object for each row."
    return f"{where}: this is not valid JSON. Mend the file, or name its format."


def _parquet(text: str, what: str) -> str | None:
    if not any(sign in text for sign in _PARQUET_SIGNS):
        return None
    if "encryption_config" in text:
        return f"{capital(what)} is an encrypted Parquet file. Decrypt it first; tclose takes no keys."
    return f"{capital(what)} is not a whole Parquet file: it is damaged, cut short or of another format."


def _input_reason(problem: BaseException, text: str) -> str:
    if "No files found" in text or "does not exist" in text:
        return "the file is not there any more."
    if "GZIP" in text or "ZSTD" in text.upper():
        return "the compressed file is damaged or cut short. Copy it again."
    if "ermission" in text:
        return "permission denied."
    if isinstance(problem, duckdb.IOException):
        return "the file could not be read to its end. Check that it is whole and readable."
    return "some values do not have the type of their column. Mend the file, or write the column as text."


def _named(text: str, what: str, names: Mapping[str, str]) -> str:
    """Return the file that DuckDB speaks of under the name the person knows."""
    file = _FILE.search(text)
    return names.get(file[1], capital(what)) if file else capital(what)
