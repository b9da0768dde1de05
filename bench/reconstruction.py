"""Reconstruction: how many people's values are solved for, beside ρ, on seeded people and on seeded tables.

Run: .venv/bin/python bench/reconstruction.py
People are dealt to classes at random, so that nothing but the counts says anything. Tables are released and attacked
as ``tclose attack`` does, both halves of a division; seconds are those of the two attackers alone, of one half.
"""

from __future__ import annotations

import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import tclose
from attacks.test_reconstruct import ROLES, counted, visits
from clock import machine
from tclose.attacks.attackers.reconstruct import solved
from tclose.models.traits import rho

PEOPLE = 1000
GRADES = (0, 0.25, 0.5, 1, 1.5, 2, 2.5, 4, 100)
MIXTURES = {
    "two equal": np.full(2, 1 / 2),
    "nine in ten": np.array([0.9, 0.1]),
    "five": 0.7 ** np.arange(5) / (0.7 ** np.arange(5)).sum(),
    "ten": 0.7 ** np.arange(10) / (0.7 ** np.arange(10)).sum(),
    "forty equal": np.full(40, 1 / 40),
}
TABLES = {
    "1,000 people × 60 rows, k = 11, t = 0.2": (visits(1000, (60, 60)), {"k": 11, "t": "0.2"}),
    "1,500 people × 9 to 15 rows, k = 5, t = 0.2, related": (
        visits(1500, (9, 15), wards=12, days=75, pull=0.14, shares=(0.43, 0.27, 0.2, 0.1)),
        {"k": 5, "t": "0.2"},
    ),
    "1,500 people × 7 to 15 rows, k = 5, t = 0.15, related": (
        visits(1500, (7, 15), wards=24, days=60, pull=0.1, shares=(0.43, 0.27, 0.2, 0.1)),
        {"k": 5, "t": "0.15"},
    ),
}


def dealt(shares: np.ndarray, rows: int, size: int, seed: int) -> tuple[float, float, float]:
    """Return ρ, the share of people solved for, and the share of the commonest value."""
    draw = np.random.default_rng(seed)
    values = draw.choice(len(shares), PEOPLE, p=shares)
    values = np.unique(values, return_inverse=True)[1]
    classes = draw.permutation(PEOPLE * rows) % (PEOPLE * rows // size)
    histories, table = counted(np.repeat(np.arange(PEOPLE), rows), classes, values, int(values.max()) + 1)
    prior = np.bincount(values) / PEOPLE
    right = solved(histories, table, prior).argmax(axis=1) == values
    gauge = rho(np.bincount(histories.classes), np.bincount(values))
    return gauge, float(right.mean()), float(prior.max())


def main() -> None:
    """Print both tables."""
    print(f"Reconstruction; {machine()}\n", flush=True)
    found = [
        dealt(shares, rows, size, seed)
        for seed, shares in enumerate(MIXTURES.values())
        for size in (11, 30, 100)
        for rows in (1, 2, 3, 4, 6, 8, 12, 20)
    ]
    print("| ρ | tables | solved beyond the commonest value, median | least | most |\n|---|---|---|---|---|")
    for low, high in pairwise(GRADES):
        lifts = [(right - usual) / (1 - usual) for gauge, right, usual in found if low <= gauge < high]
        if lifts:
            print(f"| {low} to {high} | {len(lifts)} | {np.median(lifts):.2f} | {min(lifts):.2f} | {max(lifts):.2f} |")
    print(
        "\n| table | ρ | attacker | likeliest is right | of control | commonest value | claims right "
        "| of control | seconds |"
        "\n|---|---|---|---|---|---|---|---|---|"
    )
    for name, (table, require) in TABLES.items():
        ask = {"require": require, "hierarchies": {"ward": "flat"}, "method": "merge", "effort": 0, "divisions": 2}
        spent = {}
        for attackers in (["reader"], ["reader", "history"], ["reader", "reconstruct"]):
            began = time.perf_counter()
            attack = tclose.attack(table, ROLES, attackers=attackers, **ask)
            spent[attackers[-1]] = time.perf_counter() - began
            if len(attackers) > 1:
                members, control, prior = attack[attackers[-1]].accuracy
                seconds = max(spent[attackers[-1]] - spent["reader"], 0) / 2
                found_of = attack[attackers[-1]]
                claims = f"{found_of.right:.3f} | {found_of.control_right:.3f}"
                told = f"{members:.3f} | {control:.3f} | {prior:.3f} | {claims} | {seconds:.1f}"
                print(f"| {name} | {attack.rho['illness']:.2f} | `{attackers[-1]}` | {told} |", flush=True)


if __name__ == "__main__":
    main()
