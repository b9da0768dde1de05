"""Text files of any encoding and compression as UTF-8 files that DuckDB can scan in parallel."""

from __future__ import annotations

from pathlib import Path

import duckdb

from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.sql import fresh_name, literal
from tclose.sources.formats import compression_of
from tclose.sources.text import Utf8File, as_utf8

_LINES_AT_ONCE = 100_000
_OFFLINE: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
}


def plain_text(path: Path, name: str, encoding: str | None, folder: Path) -> Utf8File:
    """Return a text file as UTF-8, decompressed; itself where it already is."""
    with path.open("rb") as file:
        compression = compression_of(file.read(8))
    if compression == "zstd":
        path, compression = _unpacked(path, name, folder), None
    return as_utf8(path, name, encoding=encoding, compression=compression, folder=folder)


def _unpacked(path: Path, name: str, folder: Path) -> Path:
    """Unpack Zstandard, which Python cannot before 3.14, by letting DuckDB read whole lines."""
    copy = folder / f"{fresh_name('unpacked')}.txt"
    lines = (
        f"FROM read_csv({literal(str(path))}, auto_detect=false, header=false, compression='zstd', "
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
    return copy
