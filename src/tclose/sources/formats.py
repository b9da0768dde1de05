"""Which format and compression a file has, by its name and by its first bytes."""

from __future__ import annotations

from pathlib import Path

from tclose.errors import SourceError

FORMAT_OF_SUFFIX = {
    ".csv": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".parq": "parquet",
    ".pq": "parquet",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
    ".sav": "spss",
    ".zsav": "spss",
    ".por": "spss",
    ".sas7bdat": "sas",
    ".xpt": "sas",
    ".dta": "stata",
}
COMPRESSION_OF_SUFFIX = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd", ".bz2": "bz2", ".xz": "xz"}

_MAGIC_OF_FORMAT = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow"),
    (b"\xff\xff\xff\xff", "arrow"),
    (b"PK\x03\x04", "excel"),
    (b"\xd0\xcf\x11\xe0", "excel"),
    (b"$FL", "spss"),
)
_MAGIC_OF_COMPRESSION = (
    (b"\x1f\x8b", "gzip"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bz2"),
    (b"\xfd7zXZ\x00", "xz"),
)
_DATABASE_MAGIC = ((0, b"SQLite format 3"), (8, b"DUCK"))

TEXT_FORMATS = ("csv", "tsv", "json", "jsonl")


def compression_of(head: bytes) -> str | None:
    """Return the compression that the first bytes of a file show, if any."""
    return next((name for magic, name in _MAGIC_OF_COMPRESSION if head.startswith(magic)), None)


def format_by_name(path: Path) -> str | None:
    """Return the format that a file name stands for, if any.

    Examples
    --------
    >>> format_by_name(Path("patients.csv.gz")), format_by_name(Path("patients"))
    ('csv', None)
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSION_OF_SUFFIX:
        suffixes.pop()
    return FORMAT_OF_SUFFIX.get(suffixes[-1]) if suffixes else None


def format_by_content(head: bytes) -> str:
    """Return the format that the first bytes of a file show; text that is not JSON is CSV."""
    for magic, name in _MAGIC_OF_FORMAT:
        if head.startswith(magic):
            return name
    return "json" if head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in {b"[", b"{"} else "csv"


def check_is_table(head: bytes, expected: str, name: str) -> None:
    """Refuse a file whose first bytes contradict its format."""
    if any(head[at:].startswith(magic) for at, magic in _DATABASE_MAGIC):
        raise SourceError(
            f"{name} is a database file, not a table. Name the table after its address: sqlite:PATH#TABLE, or "
            "adbc:duckdb:PATH#TABLE for a file of DuckDB (with the extra 'database' of tclose)."
        )
    found = next((kind for magic, kind in _MAGIC_OF_FORMAT if head.startswith(magic)), None)
    if expected in TEXT_FORMATS and found in {"parquet", "excel", "spss"}:
        raise SourceError(f"{name} is read as {expected.upper()} but holds {found}. Rename it, or name that format.")
