"""How long an audit in PostgreSQL takes, beside the bare GROUP BY that it has to run, and how much is fetched.

    python bench/database.py [ROWS ...]

A server of its own is started on loopback and stopped. Both run in turns on the same table, for each number of rows;
the bare query is fetched by the same driver and thrown away. At the end, a release is made and stored in the database.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import adbc_driver_postgresql.dbapi as adbc

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import tclose
from clock import best_of, machine
from engines.servers import Server, server
from tclose.anonymization.output import held, store
from tclose.engines.database import counts

ROUNDS = 3
ROWS = (500_000, 1_000_000, 2_000_000, 4_000_000)
SHAPES = {"51 values": 51, "5,000 values": 5000}
QUASI = ("age", "sex", "zip")


def fill(started: Server, rows: int) -> None:
    started.run(
        "DROP TABLE IF EXISTS people, released",
        "CREATE TABLE people AS SELECT (random() * 99)::int AS age, (ARRAY['m', 'f'])[1 + (random())::int] AS sex, "
        "'z' || (random() * 199)::int AS zip, at AS number, "
        + ", ".join(f'(random() * {values - 1})::int AS "{name}"' for name, values in SHAPES.items())
        + f" FROM generate_series(1, {rows}) AS g(at)",
        "ANALYZE people",
    )


def bare(started: Server, name: str) -> int:
    """Run the grouping that an audit needs and count the bytes that arrive."""
    query = f'SELECT age, sex, zip, "{name}", count(*) FROM people GROUP BY age, sex, zip, "{name}"'
    with adbc.connect(started.address()) as connection, connection.cursor() as cursor:
        cursor.execute(query)
        return sum(batch.nbytes for batch in cursor.fetch_record_batch())


@contextmanager
def watched() -> Iterator[list[int]]:
    """Note how many rows every grouping fetches while the block runs."""
    fetched: list[int] = []
    copied = counts._copied

    def noted(*given: Any) -> tuple[str, int]:
        name, rows = copied(*given)
        fetched.append(rows)
        return name, rows

    counts._copied = noted
    try:
        yield fetched
    finally:
        counts._copied = copied


def audited(started: Server, name: str) -> None:
    address = f"{started.address()}#people"
    roles = tclose.Roles(quasi=QUASI, sensitive=f"{name}:ordered")
    with watched() as fetched:
        audit = tclose.audit(address, roles)
    arrived = bare(started, name)
    grouped = f'SELECT count(*) FROM (SELECT 1 FROM people GROUP BY age, sex, zip, "{name}") AS g'
    ((pairs,),) = started.rows(grouped)
    times = best_of(
        ROUNDS,
        bare=lambda: bare(started, name),
        audit=lambda: tclose.audit(address, roles, drivers=False),
    )
    print(
        f"{name}: {audit.class_count:,} classes, {pairs:,} pairs, {sum(fetched):,} rows of {arrived / pairs:.0f} bytes "
        f"fetched; GROUP BY {times['bare']:.2f} s, audit {times['audit']:.2f} s, "
        f"ratio {times['audit'] / times['bare']:.2f}"
    )


def released(started: Server) -> None:
    """Make a release of coarse quasi-identifiers, and store it in the database: only counts are fetched."""
    roles = tclose.Roles(quasi=QUASI, sensitive="51 values:ordered")
    address, target = f"{started.address()}#people", f"{started.address()}#released"
    chosen: dict[str, Any] = {
        "require": {"k": 20},
        "method": "full-domain",
        "hierarchies": {"sex": "flat", "zip": "flat"},
    }
    begun = perf_counter()
    with watched() as fetched, held(address, target) as table:
        release = tclose.anonymize(table, roles, **chosen)
        searched = perf_counter()
        store(release, target)
    print(
        f"a release: searched in {searched - begun:.1f} s, stored and audited in {perf_counter() - searched:.1f} s, "
        f"{sum(fetched):,} rows of counts fetched"
    )


def main() -> None:
    sizes = [int(text) for text in sys.argv[1:]] or ROWS
    print(machine())
    with server() as started:
        for rows in sizes:
            fill(started, rows)
            print(f"{rows:,} rows in PostgreSQL, {len(QUASI)} quasi-identifiers")
            for name in SHAPES:
                audited(started, name)
        released(started)


if __name__ == "__main__":
    main()
