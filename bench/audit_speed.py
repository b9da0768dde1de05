"""How near is an audit to the engine's own GROUP BY? Prints ratios from one run.

python bench/audit_speed.py [--quick]
"""

from __future__ import annotations

import subprocess
import sys
import time

import duckdb

import tclose
from clock import best_of, machine
from tables import QUASI, Shape


def main() -> None:
    rows = 1_000_000 if "--quick" in sys.argv else 10_000_000
    print(f"Audit against DuckDB's GROUP BY; {machine()}\n")
    print("| table | GROUP BY | k, l, t | usual audit | all models | klt / GROUP BY | usual / GROUP BY | all / usual |")
    print("|---|---|---|---|---|---|---|---|")
    for text in (False, True):
        measure(Shape(rows, 32_000, 7_000, text=text))
    measure(Shape(rows, 32_000, 7_000, skew=3.0))
    command_line(Shape(rows, 32_000, 7_000))


def measure(shape: Shape) -> None:
    path = str(shape.path)
    connection = duckdb.connect()
    roles = tclose.Roles(quasi=QUASI, sensitive=["salary:ordered"])
    found = best_of(
        5,
        group=lambda: connection.execute(f"SELECT {', '.join(QUASI)}, count(*) FROM '{path}' GROUP BY ALL").fetchall(),
        klt=lambda: tclose.audit(path, roles, measure=["k", "l", "t"], drivers=False),
        usual=lambda: tclose.audit(path, roles, drivers=False),
        every=lambda: tclose.audit(path, roles, measure="all", drivers=False),
    )
    group, klt, usual, every = found.values()
    name = f"{shape.rows:,} rows, {'text' if shape.text else 'whole numbers'}, skew {shape.skew:g}"
    print(
        f"| {name} | {group:.3f} s | {klt:.3f} s | {usual:.3f} s | {every:.3f} s "
        f"| {klt / group:.2f} | {usual / group:.2f} | {every / usual:.2f} |"
    )


def command_line(shape: Shape) -> None:
    path = str(shape.path)
    roles = tclose.Roles(quasi=QUASI, sensitive=["salary:ordered"])
    script = [sys.executable, "-m", "tclose.cli", "audit", path, "-s", "salary:ordered", "--no-drivers", "--quiet"]
    script += [part for name in QUASI for part in ("-q", name)]
    found = best_of(
        5,
        library=lambda: tclose.audit(path, roles, drivers=False),
        command=lambda: subprocess.run(script, check=True, capture_output=True),
        small=lambda: subprocess.run(
            [sys.executable, "-m", "tclose.cli", "audit", "example:salary"], check=True, capture_output=True
        ),
        help=lambda: subprocess.run([sys.executable, "-m", "tclose.cli", "--help"], check=True, capture_output=True),
        load=lambda: subprocess.run([sys.executable, "-c", "import tclose"], check=True, capture_output=True),
    )
    library, added = found["library"], found["command"] - found["library"]
    print(f"\nThe command line adds {added:.2f} s to the library's {library:.2f} s.")
    small, shown, load = found["small"], found["help"], found["load"]
    print(f"Nine-row table from a cold start: {small:.2f} s; --help: {shown:.2f} s; import: {load:.2f} s.")


if __name__ == "__main__":
    started = time.perf_counter()
    main()
    print(f"\n({time.perf_counter() - started:.0f} s in all)")
