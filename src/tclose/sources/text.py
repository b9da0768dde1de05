"""Text files as UTF-8: encodings recognised, compressed files opened, line ends made regular."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from tclose.errors import SourceError

_CHUNK = 1 << 20
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_SPOKEN = {
    "utf-8-sig": "UTF-8",
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252",
    "latin-1": "Latin-1",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
}
_DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, OSError)

Opener = Callable[[], IO[bytes]]


@dataclass(frozen=True)
class Utf8File:
    """A text file that can be read as UTF-8, under the name the person knows."""

    path: Path
    name: str
    notes: tuple[str, ...] = ()

    def head(self, size: int) -> tuple[str, bool]:
        """Return the first ``size`` bytes as text, and whether that is the whole file."""
        with self.path.open("rb") as file:
            data = file.read(size + 1)
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        return decoder.decode(data[:size]), len(data) <= size


def opener(path: Path, compression: str | None) -> Opener:
    """Return how to open a file as the bytes it holds once decompressed."""
    if compression == "gzip":
        return lambda: cast("IO[bytes]", gzip.open(path, "rb"))
    if compression == "bz2":
        return lambda: bz2.open(path, "rb")
    if compression == "xz":
        return lambda: lzma.open(path, "rb")
    return lambda: path.open("rb")


def as_utf8(path: Path, name: str, *, encoding: str | None, compression: str | None, folder: Path) -> Utf8File:
    """Return a text file as one that DuckDB can read: itself where possible, else a private copy.

    Parameters
    ----------
    path
        The file.
    name
        How messages name it.
    encoding
        The declared encoding; recognised when None (byte order mark, UTF-8, UTF-16, Windows-1252, Latin-1).
    compression
        None, ``"gzip"``, ``"bz2"`` or ``"xz"``.
    folder
        Where a copy may be written.

    Raises
    ------
    SourceError
        If the bytes are not text in that encoding; the message names the line.
    """
    opened = opener(path, compression)
    candidates = _declared(encoding, _head(opened, name), name) if encoding else _candidates(_head(opened, name))
    found, regular = _first_fitting(opened, candidates, name)
    notes = () if encoding else _notes(found, name)
    if compression is None and regular and found == "utf-8":
        return Utf8File(path, name, notes)
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".txt", delete=False) as target:
        for text in _decoded(opened, found, universal=not regular):
            target.write(text.encode("utf-8"))
    return Utf8File(Path(target.name), name, notes)


def _first_fitting(opened: Opener, candidates: list[str], name: str) -> tuple[str, bool]:
    """Return the first encoding in which all bytes are text, and whether the line ends are regular."""
    failed_at = 0
    for candidate in candidates:
        try:
            return candidate, _check(opened, candidate, name)
        except UnicodeDecodeError as problem:
            failed_at = problem.start
    spoken = _SPOKEN.get(candidates[-1], candidates[-1])
    raise SourceError(
        f"{name}, line {_line_at(opened, failed_at)}: the bytes are not {spoken} text. "
        "Name the encoding in which the file was saved."
    )


def _declared(encoding: str, head: bytes, name: str) -> list[str]:
    """Return a declared encoding, with the byte order mark that the file has."""
    try:
        declared = codecs.lookup(encoding).name
    except LookupError:
        raise SourceError(
            f"The encoding {encoding!r}, given for {name}, is not known. Try 'utf-8', 'windows-1252' or 'utf-16'."
        ) from None
    if declared not in {"utf-8", "utf-16"}:
        return [declared]
    return [candidate for candidate in _candidates(head) if candidate.startswith(declared)] or [declared]


def _candidates(head: bytes) -> list[str]:
    for mark, encoding in _BOMS:
        if head.startswith(mark):
            return [encoding]
    if len(head) > 1:
        even, odd = head[0::2], head[1::2]
        if odd.count(0) > 0.4 * len(odd) and even.count(0) < 0.02 * len(even):
            return ["utf-16-le"]
        if even.count(0) > 0.4 * len(even) and odd.count(0) < 0.02 * len(odd):
            return ["utf-16-be"]
    return ["utf-8", "cp1252", "latin-1"]


def _notes(encoding: str, name: str) -> tuple[str, ...]:
    if encoding not in {"cp1252", "latin-1", "utf-16-le", "utf-16-be"}:
        return ()
    assumed = f"{name} is not UTF-8; it was read as {_SPOKEN[encoding]}."
    return (f"{assumed} If letters look wrong, name its encoding.",)


def _head(opened: Opener, name: str) -> bytes:
    try:
        with opened() as file:
            return file.read(4096)
    except _DAMAGED:
        raise _damaged(name) from None


def _damaged(name: str) -> SourceError:
    return SourceError(f"{name} cannot be read to its end: it is damaged or cut short. Copy it again.")


def _check(opened: Opener, encoding: str, name: str) -> bool:
    """Decode a whole file; say whether its line ends are all of one kind."""
    ends = _LineEnds()
    decoder = codecs.getincrementaldecoder(encoding)()
    at = 0
    for chunk in _chunks(opened, name):
        plain = encoding == "utf-8" and chunk.isascii() and not decoder.getstate()[0]
        pending = len(decoder.getstate()[0])
        try:
            text = chunk.decode("ascii") if plain else decoder.decode(chunk)
        except UnicodeDecodeError as problem:
            problem.start += at - pending
            raise
        if "\x00" in text:
            line = ends.lines + text.count("\n", 0, text.index("\x00")) + 1
            raise SourceError(
                f"{name}, line {line}: a NUL byte. This is not a text table; name its format or encoding."
            )
        ends.add(text)
        at += len(chunk)
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as problem:
        problem.start = at
        raise
    return ends.regular


class _LineEnds:
    """Which kinds of line ends a text has."""

    def __init__(self) -> None:
        self.feeds = self.returns = self.pairs = self.lines = 0
        self._after_return = False

    def add(self, text: str) -> None:
        """Count the line ends of the next piece of text."""
        feeds = text.count("\n")
        self.lines += feeds
        if "\r" in text or self._after_return:
            self.returns += text.count("\r")
            self.pairs += text.count("\r\n") + (self._after_return and text.startswith("\n"))
        self.feeds += feeds
        self._after_return = text.endswith("\r")

    @property
    def regular(self) -> bool:
        """All lines end alike: by feed, by return, or by both."""
        kinds = (self.feeds > self.pairs, self.returns > self.pairs, self.pairs > 0)
        return sum(kinds) <= 1


def _chunks(opened: Opener, name: str) -> Iterator[bytes]:
    try:
        with opened() as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except _DAMAGED:
        raise _damaged(name) from None


def _decoded(opened: Opener, encoding: str, *, universal: bool) -> Iterator[str]:
    with io.TextIOWrapper(opened(), encoding=encoding, newline=None if universal else "") as file:
        while text := file.read(_CHUNK):
            yield text


def _line_at(opened: Opener, offset: int) -> int:
    lines, left = 1, offset
    with opened() as file:
        while left > 0 and (chunk := file.read(min(left, _CHUNK))):
            lines += chunk.count(b"\n")
            left -= len(chunk)
    return lines
