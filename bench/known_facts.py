"""How long it takes to count everybody's sets of facts, beside a plain self-join of DuckDB on facts that are numbers.

    python bench/known_facts.py [PEOPLE] [FACTS]

The people have facts of 2,000, a few of them common and most rare, and 20 bases; one trait of four values is sensitive.
The plain query finds the number of people of every set of m facts, and nothing else: no t, and nobody is named.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from tclose.auditing.facts import Facts
from tclose.auditing.facts.database import PersonTable
from tclose.auditing.facts.learned import learned
from tclose.engines.duckdb.session import DuckDBSession
from tclose.policy.roles import Nominal

BASES, KINDS, VALUES = 20, 2_000, 4


def main(people: int, facts: int) -> None:
    """Measure both, and print how many times as long ours takes."""
    with tempfile.TemporaryDirectory() as folder:
        events, persons = Path(folder) / "events.parquet", Path(folder) / "people.parquet"
        made = duckdb.connect()
        made.execute("SELECT setseed(0.5)")
        made.execute(
            f"COPY (SELECT DISTINCT p, CAST({KINDS} * pow(random(), 3) AS SMALLINT) AS f FROM range({people}) AS a(p), "
            f"range({facts})) TO '{events}' (FORMAT parquet)"
        )
        made.execute(
            f"COPY (SELECT p, CAST(hash(p) % {BASES} AS TINYINT) AS b, CAST(hash(p + {people}) % {VALUES} AS TINYINT) "
            f"AS s FROM range({people}) AS a(p)) TO '{persons}' (FORMAT parquet)"
        )
        for m in (1, 2, 3):
            plain = _plain(events, persons, m)
            began = time.perf_counter()
            found = _ours(events, persons, m)
            took = time.perf_counter() - began
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
            print(f"m = {m}: plain {plain:.1f} s, ours {took:.1f} s, ratio {took / plain:.2f}, peak {peak:.1f} GB")
            print(f"  k = {found.last.k.value}, alone {found.last.alone:,}, sets {found.last.sets:,}")


def _plain(events: Path, persons: Path, m: int) -> float:
    connection = duckdb.connect(config={"memory_limit": "4GB"})
    connection.execute(
        f"CREATE TABLE facts AS SELECT CAST(p AS INTEGER) AS p, b, f FROM '{events}' JOIN '{persons}' USING (p)"
    )
    joins = "".join(f" JOIN facts AS f{at} ON f{at}.p = f1.p AND f{at}.f > f{at - 1}.f" for at in range(2, m + 1))
    keys = ", ".join(["f1.b", *(f"f{at}.f" for at in range(1, m + 1))])
    began = time.perf_counter()
    connection.execute(
        f"SELECT n, count(*) FROM (SELECT count(*) AS n FROM facts AS f1{joins} GROUP BY {keys}) GROUP BY n"
    ).fetchall()
    return time.perf_counter() - began


def _ours(events: Path, persons: Path, m: int) -> Facts:
    session = DuckDBSession(memory="4GB")
    tables = [
        PersonTable(session.open(str(persons)), ("p",), ("b",), {("s",): Nominal()}),
        PersonTable(session.open(str(events)), ("p",), ("f",), {}),
    ]
    return learned(tables, m, drivers=False)


if __name__ == "__main__":
    main(*(int(each) for each in (sys.argv[1:] or ("1000000", "10"))))
