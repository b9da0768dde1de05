"""Releases of a table like one of credit cards: 23 quasi-identifiers, twelve of them with thousands of values.

Run: .venv/bin/python bench/credit.py [--rows N] [--t T]
The table is drawn by a seed. It is released with k = 5 three times: numbers as intervals, with hierarchies described by
words, and with trees alone. Kept detail, seconds of processors and by the clock are printed, and the peak of memory.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import tclose
from clock import peak_mebibytes

WIDTHS = "100,500,2000,10000,50000,200000"
Table = dict[str, np.ndarray[Any, Any]]


def drawn(rows: int, seed: int = 0) -> Table:
    """Return bills and payments of six months that follow a limit, payment states, and who did not pay."""
    draw = np.random.default_rng(seed)
    wealth, risk, used = draw.normal(size=rows), draw.normal(size=rows), draw.beta(0.7, 1.2, rows)
    limit = np.clip(np.round(np.exp(1.6 + 0.8 * wealth + 0.3 * draw.normal(size=rows))), 1, 80).astype(int) * 10_000
    state = np.clip(np.round(-0.2 + 0.9 * risk + 0.5 * draw.normal(size=rows)), -2, 8).astype(int)
    table = {
        "limit": limit,
        "sex": draw.integers(1, 3, rows),
        "education": draw.choice(7, rows, p=[0.001, 0.35, 0.46, 0.16, 0.01, 0.009, 0.01]),
        "marriage": draw.choice(4, rows, p=[0.002, 0.455, 0.53, 0.013]),
        "age": np.clip(np.round(35 + 9 * draw.normal(size=rows) + 3 * wealth), 21, 79).astype(int),
    }
    for month in range(1, 7):
        table[f"state{month}"] = state
        changed = np.clip(state + draw.integers(-1, 2, rows), -2, 8)
        state = np.where(draw.random(rows) < 0.75, state, changed)
        bill = np.round(limit * used * (1 + 0.05 * draw.normal(size=rows))).astype(int)
        table[f"bill{month}"] = np.where(draw.random(rows) < 0.07, 0, bill)
        paid = np.round(np.maximum(bill, 0) * draw.beta(1, 12, rows) + draw.exponential(800, rows)).astype(int)
        table[f"paid{month}"] = np.where(draw.random(rows) < 0.18, 0, paid)
        used = np.clip(used + 0.06 * draw.normal(size=rows), 0, 1.1)
    table["default"] = (risk + 0.8 * draw.normal(size=rows) > 1.1).astype(int)
    return table


def main() -> None:
    """Release the table in three ways."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--t")
    asked = parser.parse_args()
    table = drawn(asked.rows)
    quasi = [name for name in table if name != "default"]
    amounts = {name: f"intervals:{WIDTHS}" for name in quasi if name.startswith(("bill", "paid"))}
    require = {"k": 5, **({"t": asked.t} if asked.t else {})}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "credit.csv"
        whole = np.stack(list(table.values()), axis=1)
        np.savetxt(path, whole, fmt="%d", delimiter=",", header=",".join(table), comments="")
        ways: dict[str, dict[str, Any]] = {
            "numbers as intervals": {},
            "hierarchies by words": {"hierarchies": amounts},
            "trees alone": {"hierarchies": amounts, "intervals": False},
        }
        for name, options in ways.items():
            before = os.times()
            release = tclose.anonymize(path, tclose.Roles(quasi, ["default:nominal"]), require=require, **options)
            after = os.times()
            print(
                f"{name:24} kept {release.kept:.4f}, {sum(after[:4]) - sum(before[:4]):5.1f} s of processors, "
                f"{after.elapsed - before.elapsed:5.1f} s by the clock, {peak_mebibytes():.0f} MiB",
                flush=True,
            )


if __name__ == "__main__":
    main()
