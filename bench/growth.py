"""How do time and memory grow with rows, classes, values, quasi-identifiers and distinct rows? Each point is a process.

python bench/growth.py [--quick | --full] [FILE.svg]

Seconds are of processors, of one verb after a small table has compiled the kernels; memory is the peak of the process
beyond that of one that did the small table alone. The file shows the points beside the law that each should follow,
fitted to them.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np

from clock import in_its_own_process, machine
from growth_figure import Line, drawn
from tables import FOLDER, QUASI, Shape

SCRIPT = """
import sys, time, tclose
tclose.audit({warm!r}, tclose.Roles(quasi={quasi!r}, sensitive=["salary:ordered"]), drivers=False)
_started = time.process_time()
{work}
_seconds = time.process_time() - _started
"""
AUDIT = """
roles = tclose.Roles(quasi={quasi!r}, sensitive=["salary:ordered"])
tclose.audit({path!r}, roles, drivers=False, memory={memory!r})
"""
RELEASE = """
roles = tclose.Roles(quasi={quasi!r}, sensitive=["salary:ordered"])
tclose.anonymize({path!r}, roles, require={{"k": 10, "t": "0.3"}}, method="mondrian", effort=0)
"""
WIDTHS = (1, 2, 4, 8, 16)
ROUNDS = 2
"""The first of them may compile a kernel that nobody had needed before."""


@dataclass(frozen=True)
class Growing:
    """One thing that grows, what is done with the tables in which it does, and the law that the work should follow."""

    what: str
    law: str
    term: Callable[[float], float]
    """What the law adds to a constant, up to a factor."""
    points: dict[int, tuple[str, list[str], str]]
    """For each amount of it: the table, its quasi-identifiers, and the work."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--full", action="store_true")
    parser.add_argument("figure", type=Path, nargs="?")
    asked = parser.parse_args()
    print(f"Growth; {machine()}\n")
    _, idle = measured(str(Shape(100_000, 1_000, 100).path), QUASI, "")
    print(f"A process that audited the small table took {idle:,.0f} MiB.")
    lines = [line(each, idle) for each in growing(100_000 if asked.quick else 1_000_000)]
    if asked.full:
        for memory in (None, "2GB"):
            path = str(Shape(100_000_000, 1_000_000, 1_000).path)
            seconds, peak = measured(path, QUASI, AUDIT, memory)
            print(f"\n100,000,000 rows, 1,000,000 classes, memory={memory!r}: {seconds:.2f} s, {peak:,.0f} MiB")
    if asked.figure is not None:
        asked.figure.write_text(drawn(lines), encoding="utf-8")


def growing(rows: int) -> list[Growing]:
    """Return everything that grows, on tables of about so many rows."""

    def linear(amount: float) -> float:
        return amount

    def audited(shapes: dict[int, Shape]) -> dict[int, tuple[str, list[str], str]]:
        return {amount: (str(shape.path), QUASI, AUDIT) for amount, shape in shapes.items()}

    many = {each: Shape(each, 10_000, 1_000) for each in (rows // 10, rows // 3, rows, 3 * rows, 10 * rows)}
    classes = {each: Shape(rows, each, 1_000) for each in (100, 1_000, 10_000, 100_000, 400_000)}
    values = {each: Shape(rows, 10_000, each) for each in (10, 100, 1_000, 10_000, 100_000, 1_000_000)}
    wide = wide_columns(rows)
    columns = {width: (wide, [f"q{at}" for at in range(width)], AUDIT) for width in WIDTHS}
    distinct = {
        each: (distinct_rows(rows // 2, each), ["zip", "age"], RELEASE)
        for each in (1_000, 4_000, 16_000, 64_000, 250_000)
    }
    return [
        Growing("rows", "a + b·R", linear, audited(many)),
        Growing("classes", "a + b·C", linear, audited(classes)),
        Growing("values", "a + b·m", linear, audited(values)),
        Growing("quasi-identifiers", "a + b·q", linear, columns),
        Growing("distinct rows", "a + b·D·log D", lambda amount: amount * math.log2(amount), distinct),
    ]


def wide_columns(rows: int) -> str:
    """Return a table of 16 quasi-identifiers, of which the first decides the others, and so the classes."""
    path = FOLDER / f"columns-{rows}.parquet"
    if not path.exists():
        more = ", ".join(f"CAST(hash(q0 + {at}) % {5 + at} AS INTEGER) AS q{at}" for at in range(1, max(WIDTHS)))
        first = (
            "CAST(hash(i * 8 + 1) % 10000 AS INTEGER) AS q0, CAST(1000 + hash(i * 8 + 4) % 1000 AS INTEGER) AS salary"
        )
        inner = f"SELECT {first} FROM range({rows}) AS t(i)"
        duckdb.connect().execute(f"COPY (SELECT q0, {more}, salary FROM ({inner})) TO '{path}' (FORMAT parquet)")
    return str(path)


def distinct_rows(rows: int, distinct: int) -> str:
    """Return a table of two quasi-identifiers with about so many combinations of them and of eight values."""
    path = FOLDER / f"distinct-{rows}-{distinct}.parquet"
    if not path.exists():
        side = max(2, round(math.sqrt(distinct / 8)))
        columns = ", ".join(
            f"CAST(hash(i * 8 + {seed}) % {size} AS INTEGER) AS {name}"
            for seed, size, name in ((1, side, "zip"), (2, side, "age"), (3, 8, "salary"))
        )
        duckdb.connect().execute(f"COPY (SELECT {columns} FROM range({rows}) AS t(i)) TO '{path}' (FORMAT parquet)")
    return str(path)


def measured(path: str, quasi: list[str], work: str, memory: str | None = None) -> tuple[float, float]:
    """Return the seconds of processors that some work takes, and the peak of its process in MiB: the best of a few."""
    warm = str(Shape(100_000, 1_000, 100).path)
    work = work.format(quasi=quasi, path=path, memory=memory)
    found = [in_its_own_process(SCRIPT.format(warm=warm, quasi=QUASI, work=work)) for _ in range(ROUNDS)]
    return min(seconds for seconds, _ in found), min(peak for _, peak in found)


def line(each: Growing, idle: float) -> Line:
    """Measure, print and return how one thing grows."""
    print(
        f"\n| {each.what} | seconds of processors | beside the law | MiB more | beside the law |\n|---|---|---|---|---|"
    )
    amounts = list(each.points)
    found = [measured(*point) for point in each.points.values()]
    seconds, memory = [one for one, _ in found], [max(1.0, other - idle) for _, other in found]
    laws = fitted(amounts, seconds, each.term), fitted(amounts, memory, each.term)
    for at, amount in enumerate(amounts):
        print(
            f"| {amount:,} | {seconds[at]:.2f} | {seconds[at] / laws[0][at]:.2f} "
            f"| {memory[at]:,.0f} | {memory[at] / laws[1][at]:.2f} |",
            flush=True,
        )
    return Line(each.what, each.law, amounts, (seconds, laws[0]), (memory, laws[1]))


def fitted(amounts: list[int], values: list[float], term: Callable[[float], float]) -> list[float]:
    """Return what a law gives for each amount: a constant and a multiple of its term, neither below 0, by ratios."""
    weights = 1 / np.array(values)
    basis = np.stack([np.ones(len(amounts)), [term(amount) for amount in amounts]], axis=1)
    (constant, factor), *_ = np.linalg.lstsq(basis * weights[:, None], np.ones(len(amounts)), rcond=None)
    if constant < 0 or factor < 0:
        kept = basis[:, 1 if constant < 0 else 0] * weights
        only = float(kept.sum() / (kept @ kept))
        constant, factor = (0.0, only) if constant < 0 else (only, 0.0)
    return [float(constant + factor * term(amount)) for amount in amounts]


if __name__ == "__main__":
    main()
