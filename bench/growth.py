"""How do time and memory grow with rows, classes and values? Each line is a fresh process.

python bench/growth.py [--quick | --full]
"""

from __future__ import annotations

import sys

from clock import in_its_own_process, machine
from tables import QUASI, Shape

SCRIPT = """
import sys, time, tclose
roles = tclose.Roles(quasi={quasi!r}, sensitive=["salary:ordered"])
tclose.audit({warm!r}, roles, drivers=False)
_started = time.perf_counter()
tclose.audit({path!r}, roles, drivers=False, memory={memory!r})
_seconds = time.perf_counter() - _started
"""


def main() -> None:
    quick = "--quick" in sys.argv
    print(f"Growth of an audit; {machine()}\n")
    base = 100_000 if quick else 1_000_000
    line("rows", [Shape(rows, 10_000, 1_000) for rows in (base, 3 * base, 10 * base, 30 * base)])
    line("classes", [Shape(5 * base, classes, 1_000) for classes in (100, 1_000, 10_000, 100_000, 1_000_000)])
    line("values", [Shape(5 * base, 10_000, values) for values in (10, 100, 1_000, 10_000, 100_000, 1_000_000)])
    if "--full" in sys.argv:
        line("a hundred million rows", [Shape(100_000_000, 1_000_000, 1_000)])
        line("the same within 2 GB", [Shape(100_000_000, 1_000_000, 1_000)], memory="2GB")


def line(what: str, shapes: list[Shape], memory: str | None = None) -> None:
    print(f"\n| {what} | rows | classes | values | seconds | ns per row | peak MiB |\n|---|---|---|---|---|---|---|")
    for shape in shapes:
        warm = str(Shape(100_000, 1_000, 100).path)
        seconds, memory_used = in_its_own_process(
            SCRIPT.format(quasi=QUASI, warm=warm, path=str(shape.path), memory=memory)
        )
        print(
            f"| | {shape.rows:,} | {shape.classes:,} | {shape.values:,} | {seconds:.2f} "
            f"| {seconds / shape.rows * 1e9:.0f} | {memory_used:,.0f} |"
        )


if __name__ == "__main__":
    main()
