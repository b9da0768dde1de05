"""Sound files of every kind that tclose reads, with canaries among their cells: what the fuzzing starts from."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pyreadstat

import tclose
from canaries import CANARY, CANARY_DAY, CANARY_NUMBER

NAMES = ("who", "zip", "born", "pay", "ill")
ROWS = (
    ("Bea", "47677", "1990-01-29", 3000, "flu"),
    (CANARY, "47677", "1990-01-30", 3000, "flu"),
    (f"{CANARY} x", "47602", CANARY_DAY, 4000, "gastritis"),
    ("Cem", "47678", "1990-02-27", CANARY_NUMBER, "cancer"),
    ("Dov", CANARY, "1985-12-31", 6000, CANARY),
    ("Eve", "47909", "1985-01-01", None, "flu"),
    ("Fay", "47906", "2001-05-05", 8000, "flu"),
    ("Gil", "47605", "2001-05-06", 7000, None),
    ("Hal", "47673", CANARY_DAY, 9000, "cancer"),
)
ROLES = ("-i", "who", "-q", "zip,born", "-s", "pay:ordered,ill:nominal", "--nulls", "pay=last")
POLICY = f"""
[table]
source = "people.csv"

[columns]
who = {{ role = "identifier" }}
zip = {{ role = "quasi-identifier", hierarchy = "mask", levels = [0, 4], weight = 2 }}
born = {{ role = "quasi-identifier", hierarchy = "dates:month,year" }}
pay = {{ role = "sensitive", distance = "numeric", nulls = "drop", t = 0.9 }}
ill = {{ role = "sensitive", distance = "ordered", order = ["flu", "gastritis", "cancer", "{CANARY}"], nulls = "last" }}

[policy]
k = 2
l = "2"

[release]
method = "mondrian"
suppress = 0.2
seed = 3
"""
HIERARCHY = "".join(f"{row[1]};{row[1][:3]};{row[1][:1]};*\n" for row in ROWS)
NESTED = {"*": {sign: sorted({row[1] for row in ROWS if row[1][0] == sign}) for sign in "4Z"}}


@dataclass(frozen=True)
class Seed:
    """A sound file: its ending and content."""

    ending: str
    content: bytes


def text_table(delimiter: str = ",") -> str:
    """Return the table as letters."""
    lines = [delimiter.join("" if cell is None else str(cell) for cell in row) for row in (NAMES, *ROWS)]
    return "\n".join(lines) + "\n"


def frame() -> pd.DataFrame:
    """Return the table as a frame."""
    return pd.DataFrame(dict(zip(NAMES, zip(*ROWS, strict=True), strict=True)))


def _by_path(ending: str, write: Callable[[Path], object]) -> Seed:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"seed{ending}"
        write(path)
        return Seed(ending, path.read_bytes())


def _texts() -> Iterator[Seed]:
    for ending, delimiter in ((".csv", ","), (".csv", ";"), (".tsv", "\t")):
        yield Seed(ending, text_table(delimiter).encode())
    quoted = text_table().replace(CANARY_DAY, f'"{CANARY_DAY}"').replace("flu", '"f""l\nu"')
    yield Seed(".csv", quoted.encode("utf-16"))
    yield Seed(".csv", b"\xef\xbb\xbf" + quoted.replace("\n", "\r\n").encode())
    yield Seed(".csv.gz", gzip.compress(text_table().encode(), mtime=0))


def _json() -> Iterator[Seed]:
    rows = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
    yield Seed(".json", json.dumps(rows).encode())
    yield Seed(".jsonl", "\n".join(map(json.dumps, rows)).encode())


def _columnar() -> Iterator[Seed]:
    table = pa.Table.from_pandas(frame())
    for options in ({"compression": "none"}, {"use_dictionary": False, "data_page_version": "2.0"}):
        yield _by_path(".parquet", lambda path, options=options: pyarrow.parquet.write_table(table, path, **options))
    yield _by_path(".feather", lambda path: pyarrow.feather.write_feather(table, path, compression="uncompressed"))
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    yield Seed(".arrow", stream.getvalue())


def _workbook(path: Path) -> None:
    book = openpyxl.Workbook()
    for row in (NAMES, *ROWS):
        book.active.append(row)
    book.save(path)


def _packages() -> Iterator[Seed]:
    table = frame()
    yield _by_path(".sav", lambda path: pyreadstat.write_sav(table, path))
    yield _by_path(".dta", lambda path: pyreadstat.write_dta(table, path))
    yield _by_path(".xpt", lambda path: pyreadstat.write_xport(table, path, file_format_version=5))


def _database(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE people (who TEXT, zip TEXT, born DATE, pay INTEGER, ill TEXT)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?)", ROWS)


def _recipe() -> bytes:
    table = dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True))
    sensitive = {"ill": tclose.Nominal()}
    roles = tclose.Roles(["zip", "born"], sensitive, identifiers=["who", "pay"])
    ways = {"zip": "mask", "born": "flat"}
    release = tclose.anonymize(table, roles, require={"k": 2}, hierarchies=ways, method="mondrian")
    return release.recipe.to_json().encode()


_MAKERS: dict[str, Callable[[], list[Seed]]] = {
    "text": lambda: list(_texts()),
    "json": lambda: list(_json()),
    "columnar": lambda: list(_columnar()),
    "workbook": lambda: [_by_path(".xlsx", _workbook)],
    "packages": lambda: list(_packages()),
    "database": lambda: [_by_path(".db", _database)],
    "hierarchy": lambda: [Seed(".csv", HIERARCHY.encode()), Seed(".json", json.dumps(NESTED).encode())],
    "policy": lambda: [Seed(".toml", POLICY.encode())],
    "recipe": lambda: [Seed(".json", _recipe())],
}


@cache
def seeds(kind: str) -> list[Seed]:
    """Return the sound files of a kind."""
    return _MAKERS[kind]()
