"""Attacks: how long all attackers take and what they gain, on Adult and on a seeded table of any size.

Run: .venv/bin/python bench/attack.py [FOLDER] [--rows N]
FOLDER holds adult.csv and ARX's hierarchy files. Seconds are those of all processors together.
"""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

import tclose

SEVEN = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
FIVE = ("age", "area", "job", "sex", "year")


def seeded(rows: int) -> pa.Table:
    """Return a table of five quasi-identifiers and twelve illnesses, which go with age and job."""
    draw = np.random.default_rng(1)
    age, job = draw.integers(18, 90, rows), draw.integers(0, 15, rows)
    liking = (age // 24 + job) % 12
    illness = np.where(draw.random(rows) < 0.25, liking, draw.integers(0, 12, rows))
    return pa.table(
        {
            "age": age,
            "area": draw.integers(0, 50, rows),
            "job": job,
            "sex": draw.integers(0, 2, rows),
            "year": draw.integers(2000, 2020, rows),
            "illness": [f"illness {each}" for each in illness.tolist()],
        }
    )


def attacked(name: str, table: object, roles: tclose.Roles, divisions: int, **options: object) -> None:
    """Attack a table and print what it took and what was gained."""
    started, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF).ru_utime
    found = tclose.attack(table, roles, require={"k": 5, "t": "0.2"}, divisions=divisions, **options)  # type: ignore[arg-type]
    used = resource.getrusage(resource.RUSAGE_SELF)
    print(
        f"{name}: {found.divisions} × {found.rows:,} rows by {found.method}, kept {found.kept:.3f}; "
        f"{time.perf_counter() - started:.0f} s, processors {used.ru_utime - before:.0f} s, "
        f"peak {used.ru_maxrss / 2**20:.2f} GiB"
    )
    for each in found.outcomes:
        if each.gain is not None:
            rates = " ".join("    –" if rate is None else f"{rate:5.3f}" for rate in (each.right, each.control_right))
            print(f"  {each.attacker:13}{each.claims:7.2%} {rates} {each.gain.value:8.4f} to {each.gain.high:.4f}")


def main() -> None:
    arguments = sys.argv[1:]
    rows = int(arguments[arguments.index("--rows") + 1]) if "--rows" in arguments else 100_000
    folder = Path(arguments[0]) if arguments and not arguments[0].startswith("--") else None
    if folder is not None:
        trees = {name: folder / f"adult_hierarchy_{name}.csv" for name in SEVEN}
        roles = tclose.Roles(SEVEN, ["occupation:nominal"])
        attacked("Adult", folder / "adult.csv", roles, 2, hierarchies=trees)
    attacked(f"{rows:,} rows", seeded(rows), tclose.Roles(FIVE, ["illness:nominal"]), 1)


if __name__ == "__main__":
    main()
