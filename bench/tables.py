"""Seeded tables for the benchmarks: rows × classes × distinct values × skew, written as Parquet once."""

from __future__ import annotations

import os
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path

import duckdb

FOLDER = Path(tempfile.gettempdir()) / "tclose-bench"


@dataclass(frozen=True)
class Shape:
    """A table with three quasi-identifiers (zip, age, sex) and a salary.

    Parameters
    ----------
    rows
        How many rows.
    classes
        How many combinations of the quasi-identifiers, about.
    values
        How many different salaries.
    skew
        1 spreads rows and salaries evenly; 3 makes a few of each much commoner than the rest.
    text
        Whether the quasi-identifiers are text instead of whole numbers.
    """

    rows: int
    classes: int
    values: int
    skew: float = 1.0
    text: bool = False

    @property
    def path(self) -> Path:
        """Where the table lies, made if it is not there yet."""
        kind = "text" if self.text else "whole"
        path = FOLDER / f"{self.rows}-{self.classes}-{self.values}-{self.skew}-{kind}.parquet"
        if not path.exists():
            FOLDER.mkdir(exist_ok=True)
            self._write(path)
        return path

    def _write(self, path: Path) -> None:
        ages = min(80, self.classes // 2) or 1
        zips = max(1, self.classes // (2 * ages))

        def share(seed: int) -> str:
            return f"pow((hash(i * 8 + {seed}) >> 11) / 9007199254740992.0, {self.skew})"

        age = f"CAST(20 + floor({share(1)} * {ages}) AS INTEGER)"
        zip_code = f"CAST(10000 + 7 * floor({share(2)} * {zips}) AS INTEGER)"
        sex = "CAST(hash(i * 8 + 3) % 2 AS INTEGER)"
        columns = [f"{age} AS age", f"{zip_code} AS zip", f"{sex} AS sex"]
        if self.text:
            columns = [
                f"'age ' || CAST({age} AS VARCHAR) AS age",
                f"'Z' || CAST({zip_code} AS VARCHAR) AS zip",
                f"CASE {sex} WHEN 0 THEN 'female' ELSE 'male' END AS sex",
            ]
        salary = f"CAST(1000 + floor({share(4)} * {self.values}) AS INTEGER) AS salary"
        partial = path.with_suffix(".partial")
        rows = f"SELECT {', '.join([*columns, salary])} FROM range({self.rows}) AS t(i)"
        duckdb.connect().execute(f"COPY ({rows}) TO '{partial}' (FORMAT parquet)")
        partial.replace(path)


QUASI = ["zip", "age", "sex"]


def raw_table(rows: int = 1_000_000) -> Path:
    """Return a table nearly every row of which is alone: zip, day of birth, sex, a salary and a job."""
    columns = """
        CAST(10000 + hash(i * 8 + 1) % 9000 AS INTEGER) AS zip,
        CAST(DATE '1930-01-01' + CAST(hash(i * 8 + 2) % 28000 AS INTEGER) AS DATE) AS born,
        CASE hash(i * 8 + 3) % 2 WHEN 0 THEN 'female' ELSE 'male' END AS sex,
        CAST(20000 + hash(i * 8 + 4) % 5000 * 10 AS INTEGER) AS salary,
        'job ' || CAST(hash(i * 8 + 5) % 30 AS VARCHAR) AS job
    """
    path = FOLDER / f"raw-{rows}.parquet"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        partial = path.with_suffix(".partial")
        duckdb.connect().execute(f"COPY (SELECT {columns} FROM range({rows}) AS t(i)) TO '{partial}' (FORMAT parquet)")
        partial.replace(path)
    return path


def repeated_adult(times: int) -> Path | None:
    """Return Adult so many times over as one CSV file; None where TCLOSE_DATA does not say where it is."""
    source = Path(os.environ.get("TCLOSE_DATA", "")) / "adult" / "adult.csv"
    if not source.is_file():
        return None
    path = FOLDER / f"adult-{times}.csv"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        head, _, rows = source.read_bytes().partition(b"\n")
        with path.with_suffix(".partial").open("wb") as target:
            target.write(head + b"\n")
            for _ in range(times):
                target.write(rows if rows.endswith(b"\n") else rows + b"\n")
        path.with_suffix(".partial").replace(path)
    return path


def wide_table(rows: int = 1_000, columns: int = 3_000) -> Path:
    """Return a CSV file of many columns, a third of them text."""
    path = FOLDER / f"wide-{rows}-{columns}.csv"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        chosen = random.Random(1)
        lines = [",".join(f"col{at}" for at in range(columns))]
        for _ in range(rows):
            cells = (
                chosen.randrange(10 ** (1 + at % 5)) if at % 3 else f"v{chosen.randrange(50)}" for at in range(columns)
            )
            lines.append(",".join(map(str, cells)))
        path.with_suffix(".partial").write_text("\n".join(lines) + "\n", encoding="utf-8")
        path.with_suffix(".partial").replace(path)
    return path


WRITTEN = ("semicolons", "Latin-1", "UTF-16", "line breaks in cells")
"""How else people write a text file."""


def written_as(kind: str) -> Path:
    """Return the raw table as a text file: plain, or written in one of the ways of :data:`WRITTEN`."""
    path = FOLDER / f"raw-{kind.replace(' ', '-')}.csv"
    if path.exists():
        return path
    job, delimiter = {
        "Latin-1": ("job || ' \u00e9'", ","),
        "line breaks in cells": ("job || chr(10) || 'more'", ","),
    }.get(kind, ("job", ";" if kind == "semicolons" else ","))
    partial = path.with_suffix(".partial")
    rows = f"SELECT * REPLACE ({job} AS job) FROM '{raw_table()}'"
    duckdb.connect().execute(f"COPY ({rows}) TO '{partial}' (FORMAT csv, DELIMITER '{delimiter}')")
    encoding = {"Latin-1": "latin-1", "UTF-16": "utf-16"}.get(kind, "utf-8")
    if encoding != "utf-8":
        partial.write_bytes(partial.read_text(encoding="utf-8").encode(encoding))
    partial.replace(path)
    return path


def people_table(rows: int = 1_000_000) -> Path:
    """Return a table of five quasi-identifiers and twelve illnesses, which go with age and job."""
    columns = """
        CAST(18 + hash(i * 8 + 1) % 72 AS INTEGER) AS age,
        CAST(hash(i * 8 + 2) % 50 AS INTEGER) AS area,
        CAST(hash(i * 8 + 3) % 15 AS INTEGER) AS job,
        CAST(hash(i * 8 + 4) % 2 AS INTEGER) AS sex,
        CAST(2000 + hash(i * 8 + 5) % 20 AS INTEGER) AS year
    """
    illness = "CASE WHEN hash(i * 8 + 6) % 4 = 0 THEN (age // 24 + job) % 12 ELSE hash(i * 8 + 7) % 12 END"
    query = (
        f"SELECT * EXCLUDE i, 'illness ' || {illness} AS illness FROM (SELECT i, {columns} FROM range({rows}) AS t(i))"
    )
    return _stored(f"people-{rows}", query)


def card_table(rows: int = 30_000) -> Path:
    """Return a table like one of credit cards: 23 quasi-identifiers, twelve with thousands of values."""
    amounts = [
        f"CAST(pow((hash(i * 32 + {at}) >> 11) / 9007199254740992.0, 3) * {500_000 if at < 12 else 12} AS INTEGER) "
        f"AS amount{at}"
        for at in range(23)
    ]
    default = "CASE WHEN hash(i * 32 + 30) % 5 = 0 THEN 'yes' ELSE 'no' END AS \"default\""
    return _stored(f"cards-{rows}", f"SELECT {', '.join([*amounts, default])} FROM range({rows}) AS t(i)")


def _stored(name: str, query: str) -> Path:
    """Return a Parquet file with what a query gives, made if it is not there yet."""
    path = FOLDER / f"{name}.parquet"
    if not path.exists():
        FOLDER.mkdir(exist_ok=True)
        duckdb.connect().execute(f"COPY ({query}) TO '{path.with_suffix('.partial')}' (FORMAT parquet)")
        path.with_suffix(".partial").replace(path)
    return path
