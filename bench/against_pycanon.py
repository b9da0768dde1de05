"""How much quicker than pycanon, on the same table in the same run?

python bench/against_pycanon.py [--quick]
"""

from __future__ import annotations

import sys
import time
import warnings

import pandas as pd
from pycanon import anonymity

import tclose
from clock import machine
from tables import QUASI, Shape


def main() -> None:
    sizes = [(20_000, 400)] if "--quick" in sys.argv else [(20_000, 400), (100_000, 2_000), (1_000_000, 20_000)]
    print(f"t of an ordered attribute with 100 values; {machine()}\n")
    print("| rows | classes | pycanon t_closeness | tclose.audit (k, l, t and the usual) | times quicker | same t |")
    print("|---|---|---|---|---|---|")
    roles = tclose.Roles(quasi=QUASI, sensitive=["salary:ordered"])
    for rows, classes in sizes:
        frame = pd.read_parquet(Shape(rows, classes, 100).path).reset_index(drop=True)
        tclose.audit(frame, roles, drivers=False)
        started = time.perf_counter()
        ours = tclose.audit(frame, roles, drivers=False)
        our_time = time.perf_counter() - started
        started = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = anonymity.t_closeness(frame, QUASI, ["salary"])
        their_time = time.perf_counter() - started
        same = abs(float(theirs) - float(ours["salary"].t)) < 1e-9
        ratio = f"{their_time / our_time:,.0f}"
        print(f"| {rows:,} | {classes:,} | {their_time:.2f} s | {our_time:.3f} s | {ratio} | {same} |")


if __name__ == "__main__":
    main()
