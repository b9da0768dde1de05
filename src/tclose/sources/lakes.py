"""Folders of which a log says which files are the table: Delta Lake is read, Iceberg and Hudi are refused by name."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from tclose.errors import EngineNotInstalledError, SourceError, listed

_LOGS = {"_delta_log": "Delta Lake", ".hoodie": "Hudi"}
_HARMLESS = {"timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"}
"""What a table may ask of its readers without its files meaning anything else."""
_BY_SPARK = "Read it with --engine spark, or export its current rows to Parquet and name that file."


def kind_of_lake(folder: Path) -> str | None:
    """Return what a folder is a table of: Delta Lake, Iceberg or Hudi; None where its files are the table."""
    for log, kind in _LOGS.items():
        if (folder / log).is_dir():
            return kind
    return "Iceberg" if any((folder / "metadata").glob("*.metadata.json")) else None


def check_beside_no_log(paths: Iterable[Path]) -> None:
    """Refuse files of a table of which a log says which of them count; they were named without it."""
    for folder in sorted({above for path in paths for above in _folders_of(path)}):
        kind = kind_of_lake(folder)
        if kind is not None:
            raise SourceError(
                f"{str(folder)!r} is a table of {kind}, whose files may hold rows that were deleted. Name that folder."
            )


def _folders_of(path: Path) -> Iterator[Path]:
    """Give the folder of a file, and those above it that can belong to the same table."""
    folder = path.parent
    yield folder
    while "=" in folder.name or folder.name == "data":
        folder = folder.parent
        yield folder


def files_of_lake(folder: Path, kind: str) -> list[Path]:
    """Return the files that are the current version of a table; refuse what files alone do not say."""
    if kind != "Delta Lake":
        raise SourceError(
            f"{str(folder)!r} is a table of {kind}, whose files may hold rows that were deleted. {_BY_SPARK}"
        )
    table = _opened(folder)
    protocol = table.protocol()
    asked = sorted({*(protocol.reader_features or ())} - _HARMLESS)
    mapped = table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none"
    if asked or mapped:
        what = listed(asked or ["columnMapping"])
        raise SourceError(f"The Delta table {str(folder)!r} uses {what}, which tclose does not read. {_BY_SPARK}")
    files = [Path(unquote(urlsplit(uri).path) if uri.startswith("file:") else uri) for uri in table.file_uris()]
    if not files:
        raise SourceError(f"The Delta table {str(folder)!r} has no rows in its current version.")
    return sorted(files)


def _opened(folder: Path) -> Any:
    try:
        lake = importlib.import_module("deltalake")
    except ImportError:
        raise EngineNotInstalledError("Reading a Delta table", "deltalake", "lake") from None
    try:
        return lake.DeltaTable(str(folder))
    except Exception:  # noqa: BLE001 - whatever a damaged log does to a reader that is not ours
        raise SourceError(f"The log of the Delta table {str(folder)!r} cannot be read. {_BY_SPARK}") from None
