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

_ENCRYPTED = b"PARE"
"""How a Parquet file begins whose footer is encrypted."""
_MAGIC_OF_FORMAT = (
    (b"PAR1", "parquet"),
    (_ENCRYPTED, "parquet"),
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
_ZIP, _ZIP_NAME_LENGTH, _ZIP_NAME = b"PK\x03\x04", slice(26, 28), 30
"""How an archive begins, and where it has the name of its first file."""
_PARTS_OF_WORKBOOKS = (
    b"[Content_Types].xml",
    b"_rels/",
    b"docProps/",
    b"xl/",
    b"customXml/",
    b"mimetype",
    b"META-INF/",
)
_EBCDIC = frozenset([*range(0x81, 0x8A), *range(0x91, 0x9A), *range(0xA2, 0xAA), *range(0xC1, 0xCA), *range(0xD1, 0xDA),
                     *range(0xE2, 0xEA), *range(0xF0, 0xFA)])  # fmt: skip
"""The letters A to Z and the digits in EBCDIC."""
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
    if head.startswith(_ENCRYPTED) and expected in {"parquet", *TEXT_FORMATS}:
        raise SourceError(f"{name} is an encrypted Parquet file. Decrypt it first; tclose takes no keys.")
    if _is_archive(head):
        raise SourceError(f"{name} is a ZIP archive, not a table. Unpack it, and name the table that was in it.")
    found = next((kind for magic, kind in _MAGIC_OF_FORMAT if head.startswith(magic)), None)
    if expected in TEXT_FORMATS and found in {"parquet", "excel", "spss"}:
        raise SourceError(f"{name} is read as {expected.upper()} but holds {found}. Rename it, or name that format.")


def _is_archive(head: bytes) -> bool:
    """Say whether a file is an archive of other files than the parts of a workbook."""
    length = int.from_bytes(head[_ZIP_NAME_LENGTH], "little")
    first = head[_ZIP_NAME : _ZIP_NAME + length]
    return head.startswith(_ZIP) and len(first) == length > 0 and not first.startswith(_PARTS_OF_WORKBOOKS)


def check_letters(head: bytes, name: str) -> None:
    """Refuse text of mainframes, whose letters are others in every encoding that is recognised.

    No line ends, and above ASCII nothing but the letters and digits of EBCDIC, which are most of all.
    """
    high = [byte for byte in head if byte >= 0x80]
    ends = b"\n" in head or b"\r" in head
    if not ends and 2 * len(high) > len(head) and _EBCDIC.issuperset(high):
        raise SourceError(f"{name} looks like EBCDIC, the text of mainframes. Name its encoding, such as 'cp037'.")
