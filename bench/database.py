"""How long an audit in PostgreSQL takes, beside the bare GROUP BY that it has to run, and how much is fetched.

    python bench/database.py [ROWS]

A server of its own is started on loopback and stopped. Both run in turns on the same table; the bare query is
fetched by the same driver and thrown away.
"""

from __future__ import annotations

import sys
from pathlib import Path

import adbc_driver_postgresql.dbapi as adbc

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "engines"))

from servers import Server, server

import tclose
from clock import best_of, machine

ROUNDS = 3
SHAPES = {"51 values": 51, "5,000 values": 5000}


def fill(started: Server, rows: int) -> None:
    started.run(
        "DROP TABLE IF EXISTS people",
        "CREATE TABLE people AS SELECT (random() * 99)::int AS age, (ARRAY['m', 'f'])[1 + (random())::int] AS sex, "
        "'z' || (random() * 199)::int AS zip, "
        + ", ".join(f'(random() * {values - 1})::int AS "{name}"' for name, values in SHAPES.items())
        + f" FROM generate_series(1, {rows})",
        "ANALYZE people",
    )


def bare(started: Server, name: str) -> int:
    """Run the grouping that an audit needs and count the bytes that arrive."""
    query = f'SELECT age, sex, zip, "{name}", count(*) FROM people GROUP BY age, sex, zip, "{name}"'
    with adbc.connect(started.address()) as connection, connection.cursor() as cursor:
        cursor.execute(query)
        return sum(batch.nbytes for batch in cursor.fetch_record_batch())


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000_000
    with server() as started:
        fill(started, rows)
        print(machine(), f"\n{rows:,} rows in PostgreSQL, 3 quasi-identifiers")
        for name in SHAPES:
            roles = tclose.Roles(quasi=["age", "sex", "zip"], sensitive=f"{name}:ordered")
            audit = tclose.audit(f"{started.address()}#people", roles)
            fetched = bare(started, name)
            times = best_of(
                ROUNDS,
                bare=lambda name=name: bare(started, name),
                audit=lambda roles=roles: tclose.audit(f"{started.address()}#people", roles, drivers=False),
            )
            ratio = times["audit"] / times["bare"]
            pairs = started.rows(f'SELECT count(*) FROM (SELECT 1 FROM people GROUP BY age, sex, zip, "{name}") g')[0][
                0
            ]
            print(
                f"{name}: {audit.class_count:,} classes, {pairs:,} pairs, {fetched / pairs:.0f} bytes a pair; "
                f"GROUP BY {times['bare']:.2f} s, audit {times['audit']:.2f} s, ratio {ratio:.2f}"
            )


if __name__ == "__main__":
    main()
