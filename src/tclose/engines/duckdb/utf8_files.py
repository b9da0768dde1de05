"""Text files of any encoding and compression as UTF-8 files that DuckDB can scan in parallel."""

from __future__ import annotations

import glob
from pathlib import Path

import duckdb

from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.sql import file_literal, fresh_name
from tclose.sources import ReadOptions
from tclose.sources.formats import compression_of
from tclose.sources.text import Allowance, Utf8File, as_utf8

_LINES_AT_ONCE = 100_000
_OFFLINE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


def plain_text(path: Path, name: str, options: ReadOptions, folder: Path) -> Utf8File:
    """Return a text file as UTF-8, decompressed; itself where it already is."""
    most = options.most_unpacked
    path = scannable(path, folder)
    with path.open("rb") as file:
        compression = compression_of(file.read(8))
    if compression == "zstd":
        path, compression = _unpacked(path, Allowance(name, most, folder), name, folder), None
    return as_utf8(path, name, encoding=options.encoding, compression=compression, folder=folder, most=most)


def scannable(path: Path, folder: Path) -> Path:
    """Return a path under which DuckDB finds a file: its own, or that of a link in a private folder to it.

    DuckDB takes ``~`` for a home, a backslash beside a wildcard for a separator, and names in UTF-8 only.
    """
    text = str(path)
    if ("\\" in text and glob.has_magic(text)) or not text.isprintable():
        link = folder / f"{fresh_name('link')}{path.suffix if path.suffix.isascii() else ''}"
        link.symlink_to(path.absolute())
        return link
    return path.absolute() if text.startswith("~") or ":" in path.parts[0] else path


def _unpacked(path: Path, allowance: Allowance, name: str, folder: Path) -> Path:
    """Unpack Zstandard, which Python cannot before 3.14, by letting DuckDB read whole lines."""
    copy = folder / f"{fresh_name('unpacked')}.txt"
    lines = (
        f"FROM read_csv({file_literal(path)}, auto_detect=false, header=false, compression='zstd', "
        "columns={'line': 'VARCHAR'}, delim='\x01', quote='', escape='', comment='', parallel=false)"
    )
    with (
        translated(name),
        copy.open("x", encoding="utf-8", newline="\n") as target,
        duckdb.connect(":memory:", config=_OFFLINE) as own,
    ):
        result = own.execute(lines)
        while rows := result.fetchmany(_LINES_AT_ONCE):
            target.writelines(f"{line or ''}\n" for (line,) in rows)
            allowance.check(target.tell())
    return copy
