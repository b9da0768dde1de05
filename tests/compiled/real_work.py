"""Audits and releases of small tables that between them call every kernel."""

from __future__ import annotations

import numpy as np
import pytest

import tclose
from tclose.anonymization.algorithms.full_domain import full_domain
from tclose.anonymization.algorithms.full_domain import lattice as roll_up
from tclose.anonymization.algorithms.local_search import annealing as step
from tclose.engines import grouping
from tclose.engines.duckdb import rows

HIERARCHIES = {"age": "intervals:5,10,20", "zip": "mask", "sex": "flat"}
ILLNESSES = {"*": {"infection": ["flu", "cold"], "other": ["ulcer", "asthma"]}}
METHODS = ("gather", "mondrian", "full-domain", "microaggregation", "sabre", "merge")


def people(seed, number=60):
    """Return a table of people: codes, numbers, texts, gaps, several rows a person."""
    draw = np.random.default_rng(seed)
    age = draw.integers(20, 60, number)
    return {
        "person": [f"person {n // 3:0{1 + n // 3 % 9}}" for n in range(number)],
        "number": [n // 2 for n in range(number)],
        "age": age.tolist(),
        "zip": [f"{n:03}" for n in draw.integers(0, 40, number)],
        "sex": draw.choice(["f", "m", None], number).tolist(),
        "pay": (age * 10 + draw.integers(0, 90, number)).tolist(),
        "illness": draw.choice(["flu", "cold", "ulcer", "asthma"], number).tolist(),
    }


def audited(seed):
    """Audit a table by rows and by people, who are told apart by texts and by numbers."""
    for roles in (
        tclose.Roles(["age", "zip", "sex"], ["pay:ordered", "illness:nominal"]),
        tclose.Roles(["age"], ["pay:numeric"], person="person"),
        tclose.Roles(["zip"], ["illness:nominal"], person="number"),
        tclose.Roles(["sex"], {"illness": tclose.Hierarchical(ILLNESSES)}, person="person"),
    ):
        tclose.audit(people(seed), roles, measure="all")


def released(method):
    """Release two tables by a method."""
    for seed, t in ((1, "0.5"), (2, "1")):
        roles = tclose.Roles(["age", "zip", "sex"], ["illness:nominal", "pay:ordered"])
        ask = {"require": {"k": 3, "t": t}, "hierarchies": HIERARCHIES, "method": method}
        tclose.anonymize(people(seed, 24), roles, **ask)


def attacked():
    """Let every attacker conclude what a release says."""
    roles = tclose.Roles(["age", "zip", "sex"], ["illness:nominal"])
    ask = {"require": {"k": 3}, "hierarchies": HIERARCHIES, "divisions": 1, "method": "mondrian"}
    tclose.attack(people(3), roles, **ask)


def everything():
    """Do all of it, some of it once more as on tables with wide keys and with many sensitive values."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step, "MOST_ROUNDS", 20)  # a round in Python takes thousands of times longer than a compiled one
        for method in METHODS:
            released(method)
        attacked()
        audited(1)
        patch.setattr(grouping, "DIRECT_SPAN", 0)
        patch.setattr(rows, "DIRECT_SPAN", 0)
        patch.setattr(roll_up, "FEW_VALUES", 0)
        patch.setattr(full_domain, "FEW_CLASSES", 1)
        audited(2)
        released("full-domain")


if __name__ == "__main__":
    everything()
