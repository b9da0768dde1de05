"""What the improvement by moves gains: every method without and with it, on Adult, Census and twenty seeded tables.

Run: .venv/bin/python bench/improvement.py FOLDER [--tables N] [--rows N] [--adult] [--census]
FOLDER holds adult/ and census/. Kept detail and seconds of processors are printed, table by table; a release that kept
less with the improvement than without would end the run.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tclose
from releases import ARX_KEPT, SEVEN

METHODS = ("gather", "mondrian", "microaggregation", "auto")
Case = tuple[str, dict[str, Any]]


def adult(folder: Path) -> Iterator[Case]:
    """Give the rows of bench/RESULTS.md."""
    for sensitive, k, t in ARX_KEPT:
        quasi = [name for name in SEVEN if name != sensitive]
        kind = "ordered" if sensitive == "age" else "nominal"
        yield (
            f"adult {sensitive or 'k only'} {t or ''}",
            {
                "table": folder / "adult.csv",
                "roles": tclose.Roles(quasi, [f"{sensitive}:{kind}"] if sensitive else []),
                "require": {"k": k, **({"t": t} if t else {})},
                "hierarchies": {name: folder / f"adult_hierarchy_{name}.csv" for name in quasi},
            },
        )


def census(folder: Path) -> Iterator[Case]:
    """Give the Census table: numbers alone."""
    quasi = ["AGI", "FEDTAX", "TAXINC", "PEARNVAL"]
    for t in ("0.1", "0.2"):
        yield (
            f"census {t}",
            {
                "table": folder / "census.csv",
                "roles": tclose.Roles(quasi, ["FICA:ordered"]),
                "require": {"k": 5, "t": t},
            },
        )


def seeded(tables: int, most: int, folder: Path) -> Iterator[Case]:
    """Give small tables of different shapes, of at most so many rows, some with values that follow a column."""
    for seed in range(tables):
        draw = np.random.default_rng(seed)
        rows, columns = int(draw.integers(100, most)), int(draw.integers(2, 6))
        values = [int(draw.integers(3, 60)) for _ in range(columns)]
        quasi = np.stack([(draw.random(rows) ** draw.uniform(1, 3) * number).astype(int) for number in values], axis=1)
        levels = int(draw.integers(3, 15))
        follows = draw.random(rows) < draw.uniform(0, 0.8)
        sensitive = np.where(follows, quasi[:, 0] * levels // values[0], draw.integers(0, levels, rows))
        path = folder / f"{seed}.csv"
        names = [f"q{at}" for at in range(columns)]
        table = np.column_stack([quasi, sensitive])
        np.savetxt(path, table, fmt="%d", delimiter=",", header=",".join([*names, "s"]), comments="")
        kind = ("nominal", "ordered")[seed % 2]
        t = str(draw.choice(["0.1", "0.2", "0.3"]))
        yield f"seed {seed}: {rows} × {columns}, {kind}, t {t}", {
            "table": path, "roles": tclose.Roles(names, [f"s:{kind}"]), "require": {"k": 3, "t": t},
        }  # fmt: skip


def compare(name: str, case: dict[str, Any]) -> None:
    """Print what each method keeps of a table without and with the improvement."""
    shown = []
    for method in METHODS:
        kept = []
        started = time.process_time()
        for effort in (0, 1):
            asked = {key: value for key, value in case.items() if key != "table"}
            release = tclose.anonymize(case["table"], **asked, method=method, effort=effort)
            kept.append(release.kept if release.holds else float("nan"))
        if kept[1] < kept[0] - 1e-12:
            raise SystemExit(f"{name}: {method} kept {kept[1]:.4f} with the improvement, {kept[0]:.4f} without.")
        shown.append(f"{method} {kept[0]:.4f} {kept[1]:.4f} {time.process_time() - started:5.1f} s")
    print(f"{name:40} {' | '.join(shown)}", flush=True)


def main() -> None:
    """Compare what was asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--rows", type=int, default=3000)
    parser.add_argument("--adult", action="store_true")
    parser.add_argument("--census", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        cases = [
            *(adult(asked.folder / "adult") if asked.adult else ()),
            *(census(asked.folder / "census") if asked.census else ()),
            *seeded(asked.tables, asked.rows, Path(made)),
        ]
        for name, case in cases:
            compare(name, case)


if __name__ == "__main__":
    main()
