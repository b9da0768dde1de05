"""Text files as UTF-8: encodings recognised, compressed files opened, line ends made regular."""

from __future__ import annotations

import bz2
import codecs
import functools
import gzip
import io
import lzma
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from tclose.data.labels import naming
from tclose.data.sources.formats import check_letters
from tclose.errors import Ask, HeadroomError, Hint, Note, SourceError

_CHUNK = 1 << 20
_FEED, _RETURN = 10, 13
_LINE_END = re.compile(r"\r\n|\r|\n")
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8-sig"),
    (b"\xff\xfe\x00\x00", "utf-32"),
    (b"\x00\x00\xfe\xff", "utf-32"),
    (b"\xff\xfe", "utf-16"),
    (b"\xfe\xff", "utf-16"),
)
_MARKED = b"\n" + _BOMS[0][0]
_SPOKEN = {
    "utf-8-sig": "UTF-8",
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252",
    "latin-1": "Latin-1",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
}
_NOT_OF_FILES = frozenset(
    ("idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "charmap", "unicode_escape")
)
"""Codecs of Python that turn bytes into text, but are encodings of other things."""
_LONGEST_ENCODING = 40
_DAMAGED = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, OSError)

Opener = Callable[[], IO[bytes]]


@dataclass(frozen=True)
class Utf8File:
    """A text file that can be read as UTF-8, under the name the person knows."""

    path: Path
    name: str
    notes: tuple[Note, ...] = ()

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


def as_utf8(
    path: Path, name: str, *, encoding: str | None, compression: str | None, folder: Path, most: int
) -> Utf8File:
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
    most
        How many bytes a compressed file may unpack to.

    Raises
    ------
    SourceError
        If the bytes are not text in that encoding; the message names the line. If they are more than they may be.
    """
    opened = opener(path, compression)
    if compression is not None:
        allowance = Allowance(name, most, folder)
        opened = allowance.bounding(opened)
        found, regular = _looked_at(opened, encoding, name)
    else:
        stat = path.stat()
        stamp = (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        found, regular = _remembered(path, encoding, name, stamp)
    notes = () if encoding else _notes(found, name)
    if compression is None and regular and found == "utf-8":
        return Utf8File(path, name, notes)
    with tempfile.NamedTemporaryFile(dir=folder, suffix=".txt", delete=False) as target:
        for text in _decoded(opened, found) if regular else _alike(opened, found):
            target.write(text.encode("utf-8"))
    return Utf8File(Path(target.name), name, notes)


class Allowance:
    """How much a compressed file may unpack to: as much as is allowed, and as the disk has room for.

    Parameters
    ----------
    name
        How messages name the file.
    most
        The most bytes.
    folder
        Where they will lie.
    """

    def __init__(self, name: str, most: int, folder: Path) -> None:
        self._name, self._most = name, most
        self._room = shutil.disk_usage(folder).free

    @property
    def most(self) -> int:
        """The most bytes that it may unpack to."""
        return min(self._most, self._room)

    def check(self, taken: int) -> None:
        """Refuse to unpack more than so many bytes."""
        if taken > self._most:
            raise SourceError(
                naming("{} unpacks to more than {} GB.", self._name, f"{self._most / 10**9:g}"),
                field="unpacked",
                hint=Hint("If it should, allow more: {}.", Ask("unpacked", "200GB")),
            )
        if taken > self._room:
            raise HeadroomError(
                naming("{} unpacks to more than the temporary folder has room for.", self._name),
                field="temp",
                hint=Hint("Name another: {}.", Ask("temp")),
            )

    def bounding(self, opened: Opener) -> Opener:
        """Return how to open a file so that no more is read than is allowed."""
        return lambda: cast("IO[bytes]", io.BufferedReader(_Bounded(opened(), self), _CHUNK))


class _Bounded(io.RawIOBase):
    """A file of which no more can be read than is allowed."""

    def __init__(self, file: IO[bytes], allowance: Allowance) -> None:
        self._file, self._allowance, self._taken = file, allowance, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._file.read(len(buffer))
        self._taken += len(data)
        self._allowance.check(self._taken)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


@functools.lru_cache(64)
def _remembered(path: Path, encoding: str | None, name: str, stamp: tuple[int, ...]) -> tuple[str, bool]:
    """Look at a file once, as long as it stays as it is: one run may open it several times."""
    del stamp
    return _looked_at(opener(path, None), encoding, name)


def _looked_at(opened: Opener, encoding: str | None, name: str) -> tuple[str, bool]:
    """Return the encoding of a file, the declared one if there is one, and whether its line ends are regular."""
    head = _head(opened, name)
    if encoding is None:
        check_letters(head, name)
    return _first_fitting(opened, _declared(encoding, head, name) if encoding else _candidates(head), name)


def _first_fitting(opened: Opener, candidates: list[str], name: str) -> tuple[str, bool]:
    """Return the first encoding in which all bytes are text, and whether the line ends are regular."""
    failed_at = 0
    for candidate in candidates:
        try:
            return candidate, _check(opened, candidate, name)
        except UnicodeError as problem:
            failed_at = getattr(problem, "start", 0)
    spoken = _SPOKEN.get(candidates[-1], candidates[-1])
    raise SourceError(
        f"{name}, line {_line_at(opened, failed_at)}: the bytes are not {spoken} text. "
        "Name the encoding in which the file was saved."
    )


def _declared(encoding: str, head: bytes, name: str) -> list[str]:
    """Return a declared encoding, with the byte order mark that the file has."""
    try:
        known = codecs.lookup(encoding)
    except (LookupError, ValueError):
        known = None
    if known is None or not known._is_text_encoding or known.name in _NOT_OF_FILES:
        shown = encoding if len(encoding) <= _LONGEST_ENCODING else f"{encoding[:_LONGEST_ENCODING]}…"
        raise SourceError(
            f"The encoding {shown!r}, given for {name}, is not one of text files. "
            "Try 'utf-8', 'windows-1252' or 'utf-16'."
        )
    declared = known.name
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


def _notes(encoding: str, name: str) -> tuple[Note, ...]:
    if encoding not in {"cp1252", "latin-1", "utf-16-le", "utf-16-be"}:
        return ()
    assumed = naming("{} is not UTF-8; it was read as {}.", name, _SPOKEN[encoding])
    return (Note("encoding-guessed", assumed, Hint("If letters look wrong, name its encoding: {}.", Ask("encoding"))),)


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
        pending = len(decoder.getstate()[0])
        plain = encoding == "utf-8" and chunk.isascii() and not pending
        try:
            text = "" if plain else decoder.decode(chunk)
        except UnicodeDecodeError as problem:
            problem.start += at - pending
            raise
        seen = chunk if encoding == "utf-8" else text.encode("utf-8", "surrogatepass")
        if (nul := seen.find(b"\x00")) >= 0:
            line = _line_at(opened, at, encoding) + seen.count(b"\n", 0, nul)
            raise SourceError(
                f"{name}, line {line}: a NUL byte. This is not a text table; name its format or encoding."
            )
        if (mark := ends.marked(seen)) is not None:
            line = _line_at(opened, at, encoding) + seen.count(b"\n", 0, mark)
            raise SourceError(
                f"{name}, line {line}: a byte order mark, as where files were joined, each with its header. "
                "Join them without, or name them one by one."
            )
        ends.add(seen)
        at += len(chunk)
    try:
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as problem:
        problem.start = at
        raise
    return ends.regular


class _LineEnds:
    """Which kinds of line ends a text has: feeds, returns, pairs of both."""

    def __init__(self) -> None:
        self._feed = self._return = self._pair = self._after_return = False
        self._last = b""

    def marked(self, text: bytes) -> int | None:
        """Return where in the next piece of text the first line begins that has a byte order mark, if any has."""
        between, before = self._last + text[: len(_MARKED) - 1], len(self._last)
        self._last = text[1 - len(_MARKED) :]
        if (at := between.find(_MARKED)) >= 0:
            return max(0, at + 1 - before)
        return at + 1 if (at := text.find(_MARKED)) >= 0 else None

    def add(self, text: bytes) -> None:
        """Look at the next piece of text; without a return in it, one feed tells as much as all of them."""
        if not text:
            return
        if b"\r" in text or self._after_return:
            letters = np.frombuffer(text, dtype=np.uint8)
            feeds, returns = letters == _FEED, letters == _RETURN
            begun, ended = self._after_return and bool(feeds[0]), bool(returns[-1])
            pairs, *alone = (int(np.count_nonzero(some)) for some in (returns[:-1] & feeds[1:], feeds, returns))
            self._pair |= pairs > 0 or begun
            self._feed |= alone[0] > pairs + begun
            self._return |= alone[1] - ended > pairs or (self._after_return and not begun)
            self._after_return = ended
        else:
            self._feed = self._feed or b"\n" in text

    @property
    def regular(self) -> bool:
        """All lines end alike: by feed, by return, or by both."""
        return self._feed + (self._return or self._after_return) + self._pair <= 1


def _chunks(opened: Opener, name: str) -> Iterator[bytes]:
    try:
        with opened() as file:
            while chunk := file.read(_CHUNK):
                yield chunk
    except _DAMAGED:
        raise _damaged(name) from None


def _decoded(opened: Opener, encoding: str, newline: str | None = "") -> Iterator[str]:
    with io.TextIOWrapper(opened(), encoding=encoding, newline=newline) as file:
        while text := file.read(_CHUNK):
            yield text


def _alike(opened: Opener, encoding: str) -> Iterator[str]:
    """Give a text with line ends of one kind; a cell in quotes keeps its own.

    They are feeds, or what the first line end is if that is inside quotes: DuckDB takes it for that of all lines.
    """
    if sum(text.count('"') for text in _decoded(opened, encoding)) % 2:  # a quote that is never closed holds nothing
        yield from _decoded(opened, encoding, None)
        return
    end, after_return = None, False
    for part, inside in _between_quotes(_decoded(opened, encoding)):
        if end is None and (first := _LINE_END.search(part)):
            end = first[0] if inside else "\n"
        rest = part[1:] if after_return and part.startswith("\n") else part
        after_return = not inside and part.endswith("\r")
        yield part if inside or end is None else _LINE_END.sub(end, rest)


def _between_quotes(texts: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Give a text in parts, each with whether it is inside double quotes; a quote itself is not."""
    inside = False
    for text in texts:
        for at, part in enumerate(text.split('"')):
            if at:
                inside = not inside
                yield '"', False
            yield part, inside


def _line_at(opened: Opener, offset: int, encoding: str = "latin-1") -> int:
    lines, left, decoder = 1, offset, codecs.getincrementaldecoder(encoding)()
    with opened() as file:
        while left > 0 and (chunk := file.read(min(left, _CHUNK))):
            lines += decoder.decode(chunk).count("\n")
            left -= len(chunk)
    return lines
