"""Gains: how often the true gain lies above its interval, and what attackers gain, on seeded tables of several kinds.

Run: .venv/bin/python bench/gains.py [--divisions N] [--method NAME] [--seed N]
The true gain of a table is the mean over all its N divisions, by default 240; intervals are those of 2, 4 and 16 of
them. "Above" is the share of intervals whose upper end lies below the truth: 2.5 % is what an interval of 95 % allows.
"""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa

import tclose
from tclose.anonymization.algorithms.search import Search
from tclose.anonymization.attack_simulation import Plan, divided, subjects_of, whole_domains
from tclose.attacks.answers import answer_labels
from tclose.attacks.catalogue import attackers_named
from tclose.attacks.gains import Tally, interval_of
from tclose.attacks.person_rows import Subjects
from tclose.engines.dispatch import working_session
from tclose.models.catalogue import requirements
from tclose.policy.policy import Policy

ROLES = tclose.Roles(["age", "job", "sex"], ["illness:nominal"])
FLAT = {"job": "flat", "sex": "flat"}
GROUPS = (2, 4, 16)
TABLES = [
    (kind, rows, k, t)
    for rows, k, t in ((100, 2, "0.3"), (600, 5, "0.2"), (3000, 5, "0.2"))
    for kind in ("unrelated", "related", "rare", "alike")
]


def seeded(kind: str, rows: int, seed: int = 1) -> pa.Table:
    """Return a table of three quasi-identifiers and an illness.

    Parameters
    ----------
    kind
        ``unrelated``: chance decides the illness; ``related``: half of the time age and job; ``rare``: nine in ten have
        the same one; ``alike``: chance decides, and few people look different.
    rows
        How many people.
    seed
        Decides what is left to chance.
    """
    draw = np.random.default_rng(seed)
    age, job, sex = draw.integers(20, 80, rows), draw.integers(0, 6, rows), draw.integers(0, 2, rows)
    illness = draw.integers(0, 6, rows)
    if kind == "related":
        illness = np.where(draw.random(rows) < 0.5, (age // 20 + job) % 6, illness)
    elif kind == "rare":
        illness = np.where(draw.random(rows) < 0.9, 0, 1 + (age // 30 + illness) % 4)
    elif kind == "alike":
        age, job, illness = draw.integers(0, max(rows // 8, 2), rows), job % 2, illness % 4
    names = {
        "job": [f"job {each}" for each in job.tolist()],
        "illness": [f"illness {each}" for each in illness.tolist()],
    }
    return pa.table({"age": age, "sex": sex, **names})


def subjects(table: pa.Table) -> Subjects:
    """Return the distinct rows of a table."""
    with working_session(table) as session:
        return subjects_of(session, session.open(table), ROLES, lambda _stage, _share: None)


def measured(kind: str, rows: int, k: int, t: str, divisions: int, method: str, seed: int) -> None:
    """Print what attackers gain from a table, and how often an interval misses it."""
    people = subjects(seeded(kind, rows, seed))
    attackers = attackers_named(None, collecting=False, made=True, required=True, following=False)
    effort = 1 if method == "auto" else 0
    plan = Plan(
        ROLES,
        requirements({"k": k, "t": t}),
        Policy().with_options({"hierarchies": FLAT}),
        method,
        Search(effort=effort),
        attackers,
        divisions,
    )
    labels = [answer_labels(domain) for domain in whole_domains(people.distinct, ROLES)]
    found = [divided(people, plan, labels, at) for at in range(divisions)]
    kept = float(np.mean([each.kept for each in found]))
    for attacker in attackers:
        tallies = [each.tallies["illness", attacker.key] for each in found]
        if any(tally.claims[0] for tally in tallies):
            print(f"{kind:10}{rows:6,}  kept {kept:.2f}  {attacker.key:13}{told(tallies)}", flush=True)


def told(tallies: list[Tally]) -> str:
    """Return the true gain, the usual upper end of each number of divisions, and how often it is too low."""
    truth = float(np.mean([tally.gain for tally in tallies]))
    parts = [f"gain {truth:7.4f}"]
    for number in GROUPS:
        if 2 * number <= len(tallies):
            groups = range(0, len(tallies) - number + 1, number)
            highs = np.array([interval_of(tallies[at : at + number]).high for at in groups])
            parts.append(f"{number} divisions: to {np.median(highs):.4f}, above {(highs < truth).mean():6.1%}")
    return "; ".join(parts)


def main() -> None:
    arguments = sys.argv[1:]
    divisions = int(arguments[arguments.index("--divisions") + 1]) if "--divisions" in arguments else 240
    method = arguments[arguments.index("--method") + 1] if "--method" in arguments else "merge"
    seed = int(arguments[arguments.index("--seed") + 1]) if "--seed" in arguments else 1
    for kind, rows, k, t in TABLES:
        measured(kind, rows, k, t, divisions, method, seed)


if __name__ == "__main__":
    main()
