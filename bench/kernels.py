"""The paper's two ways against the sparse kernel, one class of d values in a domain of m; then every kernel.

python bench/kernels.py [OLD]     (OLD: the source of a version with Numba; see bench/compiled_kernels.py)
"""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import numpy as np

import compiled_kernels
from clock import best_of, machine
from tclose.models.counts import Distribution, sparse_block
from tclose.models.distances.earth_movers import LineGround, exact_distance
from tclose.models.paper import naive_ordered_distance, one_pass_ordered_distance


def main() -> None:
    print(f"One class of 20 rows; {machine()}\n")
    print("| values m | naive double sum, O(m²) | one pass, O(m) | sparse, O(d log m), plain Python | same fraction |")
    print("|---|---|---|---|---|")
    for m in (10, 100, 300, 1_000, 3_000):
        compare(m)
    print("\n| values m | classes | sparse, compiled: ns per (class, value) pair |\n|---|---|---|")
    for m in (100, 10_000, 1_000_000):
        compiled(m)
    print("\nEvery kernel, on the longest of the calls that audits, releases and an attack made\n")
    compiled_kernels.compared(Path(sys.argv[1]) if sys.argv[1:] else None)


def compare(m: int) -> None:
    generator = np.random.default_rng(m)
    ranks = generator.integers(0, m, 20).astype(np.int32)
    table = np.bincount(generator.integers(0, m, 10 * m), minlength=m) + np.bincount(ranks, minlength=m)
    total = int(table.sum())
    p = [Fraction(int(count), 20) for count in np.bincount(ranks, minlength=m)]
    q = [Fraction(int(count), total) for count in table]
    block = sparse_block(np.zeros(20, dtype=np.int64), ranks, np.ones(20, dtype=np.int64), 1)
    ground = LineGround(Distribution.of(table), None, total)
    ground.parts(block)
    found: dict[str, Fraction] = {}

    def sparse() -> None:
        x, y = ground.parts(block)
        found["sparse"] = exact_distance(ground, x[0], y[0], 20)

    def one_pass() -> None:
        found["one pass"] = one_pass_ordered_distance(p, q)

    def naive() -> None:
        found["naive"] = naive_ordered_distance(p, q)

    jobs = {"one_pass": one_pass, "sparse": sparse} | ({"naive": naive} if m <= 1_000 else {})
    times = best_of(3, **jobs)
    naive_time = f"{times['naive'] * 1e3:,.1f} ms" if "naive" in times else "–"
    print(
        f"| {m:,} | {naive_time} | {times['one_pass'] * 1e3:,.2f} ms | {times['sparse'] * 1e3:,.3f} ms "
        f"| {len(set(found.values())) == 1} |"
    )


def compiled(m: int) -> None:
    generator = np.random.default_rng(m)
    classes = np.repeat(np.arange(20_000), 100)
    ranks = generator.integers(0, m, len(classes)).astype(np.int32)
    block = sparse_block(classes, ranks, np.ones(len(classes), dtype=np.int64), 20_000)
    ground = LineGround(Distribution.of(np.bincount(ranks, minlength=m)), None, len(classes))
    ground.parts(block)
    seconds = best_of(5, sparse=lambda: ground.parts(block))["sparse"]
    print(f"| {m:,} | 20,000 | {seconds / block.pairs * 1e9:.1f} |")


if __name__ == "__main__":
    main()
