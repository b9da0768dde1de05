"""A wide file is profiled and audited like its columns in narrow files."""

from __future__ import annotations

import csv
import random
from dataclasses import replace
from pathlib import Path

import pytest

import tclose

READ = tclose.ReadOptions(delimiter=";")
WIDE, NARROW = 120, 20
"""Above 100 columns all cells are counted as one column; below, each column is counted alone."""
SHAPES: dict[str, list[str]] = {
    "whole": ["5", "+5", "-0", "0", "12"],
    "padded": [" 5", "5", "5 ", "7"],
    "long": ["1" * 25, "2" * 25, "3"],
    "decimal": ["1.50", "1.5", "0.25", "7"],
    "comma": ["1,50", "1,5", "0,25"],
    "ambiguous": ["1,234", "2,345"],
    "real": ["1e+05", "100000", "-0.0", "0.0"],
    "lossy": ["0.1000000000000000055511151231257827", "0.1"],
    "nan": ["NaN", "1.5", "2"],
    "day": ["2020-02-29", "2020-02-28"],
    "no day": ["2020-02-30", "2020-02-28"],
    "dotted": ["29.02.2020", "1.3.2020", "01.03.2020"],
    "moment": ["2020-01-01T00:00:00Z", "2020-01-01 00:00:00+00:00"],
    "text": ["a", "A", " a", "ann@example.org", "four words are here", 'with "quotes"', "two\nlines"],
    "nothing": [""],
    "blank": [" ", ""],
}


def written(path: Path, columns: dict[str, list[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter=";", lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


@pytest.fixture
def columns() -> dict[str, list[str]]:
    rng = random.Random(17)
    kinds = [list(SHAPES)[at % len(SHAPES)] for at in range(WIDE)]
    return {
        f"{kind} {at}": [rng.choice([*SHAPES[kind], ""] if at % 2 else SHAPES[kind]) for _ in range(40)]
        for at, kind in enumerate(kinds)
    }


def test_a_wide_file_is_profiled_like_its_columns_in_narrow_files(tmp_path: Path, columns) -> None:
    whole = tclose.profile(written(tmp_path / "wide.csv", columns), read=READ)
    names = list(columns)
    for first in range(0, WIDE, NARROW):
        some = {name: columns[name] for name in names[first : first + NARROW]}
        part = tclose.profile(written(tmp_path / f"narrow{first}.csv", some), read=READ)
        assert whole.columns[first : first + NARROW] == part.columns
    assert len({column.type for column in whole.columns}) > 6


def test_a_wide_file_is_counted_as_its_cells_say(tmp_path: Path, columns) -> None:
    profiled = tclose.profile(written(tmp_path / "wide.csv", columns), read=READ)
    found = {column.name: column for column in profiled.columns}
    for name, cells in columns.items():
        if name.startswith(("text", "no day", "ambiguous")):
            present = [cell for cell in cells if cell]
            assert (found[name].nulls, found[name].distinct) == (len(cells) - len(present), len(set(present)))
        if name.startswith("whole"):
            assert found[name].distinct == len({int(cell) for cell in cells if cell})


def test_a_wide_file_that_was_profiled_is_audited_like_a_narrow_one(tmp_path: Path, columns) -> None:
    wide, narrow = tmp_path / "wide.csv", tmp_path / "narrow.csv"
    roles = tclose.Roles(quasi=["whole 0", "decimal 3"], sensitive=["text 13:nominal"])
    written(wide, columns)
    written(narrow, {name: columns[name] for name in ("whole 0", "decimal 3", "text 13")})
    audited = [tclose.audit(path, roles, read=READ) for path in (wide, narrow)]
    others = {name: getattr(audited[0], name) for name in ("source", "unprotected", "columns")}
    assert audited[0] == replace(audited[1], **others)


def test_a_held_table_that_was_kept_is_still_counted(tmp_path: Path, columns) -> None:
    from tclose.data.progress import silent
    from tclose.engines.duckdb.session import DuckDBSession

    session = DuckDBSession(read=READ)
    table = session.open(written(tmp_path / "wide.csv", columns))
    before = session.statistics(table, silent)
    table.keep(["whole 0"])
    assert session.statistics(table, silent) == before
