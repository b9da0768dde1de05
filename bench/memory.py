"""How much memory the verbs take of a raw table, beside what they may take.

python bench/memory.py [ROWS] [--kinds parquet,csv] [--verbs audit,profile,anonymize] [--limits 250MB,500MB]

Every line is a whole command in a process of its own: with ``--memory`` alone its peak is shown, and what it took
beyond a command that reads 50,000 rows; with ``ulimit -v`` as well, whether it ended well or said that memory was
short.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from clock import machine
from tables import raw_table

FEW = 50_000
"""A table of so many rows loads the compiler as well."""
MEBIBYTE = 1 << 20
UNITS = {"MB": 10**6, "GB": 10**9}
COLUMNS = ["--quasi", "zip,born,sex", "--sensitive", "salary:ordered,job:nominal"]
ADDRESSES = 1_500
"""So many MiB of addresses the interpreter and its libraries take without touching them; less than that is refused."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("rows", nargs="?", type=int, default=1_000_000)
    parser.add_argument("--kinds", default="parquet,csv")
    parser.add_argument("--verbs", default="audit,profile,anonymize")
    parser.add_argument("--limits", default="250MB,500MB,1GB")
    asked = parser.parse_args()
    print(f"Memory of raw tables; {asked.rows:,} rows; {machine()}\n")
    print("| verb | table | --memory | seconds | peak MiB | beyond 50,000 rows | with ulimit -v |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        tables = written(raw_table(asked.rows), Path(folder), asked.kinds.split(","))
        small = written(raw_table(FEW), Path(folder) / "small", ["parquet"])["parquet"]
        for verb in asked.verbs.split(","):
            _, few, _ = run(verb, small, "1GB", Path(folder))
            for kind, table in tables.items():
                for limit in asked.limits.split(","):
                    seconds, peak, _ = run(verb, table, limit, Path(folder))
                    outcome = limited(verb, table, limit, Path(folder))
                    print(
                        f"| {verb} | {kind} | {limit} | {seconds:.1f} | {peak:,.0f} | {peak - few:,.0f} | {outcome} |",
                        flush=True,
                    )


def written(table: Path, folder: Path, kinds: list[str]) -> dict[str, Path]:
    """Return the table in each of some kinds of files."""
    folder.mkdir(exist_ok=True)
    found = {}
    for kind in kinds:
        found[kind] = folder / f"{table.stem}.{kind}"
        duckdb.sql(f"COPY (FROM '{table}') TO '{found[kind]}'")
    return found


def run(verb: str, table: Path, limit: str, folder: Path, addresses: int | None = None) -> tuple[float, float, int]:
    """Run a command; return the seconds by the clock, the peak of its memory in MiB, and how it ended."""
    options = [] if verb == "profile" else COLUMNS
    if verb == "anonymize":
        made = {"zip": "mask", "born": "dates", "sex": "flat"}
        options = [*options, "--k", "10", "--t", "0.3", "--method", "mondrian", "--force", "--output"]
        options += [str(folder / f"release{table.suffix}")]
        options += [part for name, kind in made.items() for part in ("--hierarchy", f"{name}={kind}")]
    command = [sys.executable, "-m", "tclose.cli", verb, str(table), *options, "--memory", limit, "--quiet"]

    def confine() -> None:
        if addresses is not None:
            resource.setrlimit(resource.RLIMIT_AS, (addresses, addresses))

    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=confine)  # noqa: PLW1509
    words = process.stderr.read().decode() if process.stderr else ""
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 3) or "Traceback" in words:
        sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{words}")
    return time.perf_counter() - started, used.ru_maxrss / 1024, process.returncode


def limited(verb: str, table: Path, limit: str, folder: Path) -> str:
    """Run a command with as many addresses as it may take memory, beside those of the interpreter."""
    number, unit = float(limit[:-2]), limit[-2:]
    addresses = int(number * UNITS[unit]) + ADDRESSES * MEBIBYTE
    _, peak, code = run(verb, table, limit, folder, addresses)
    return f"{addresses // MEBIBYTE:,} MiB: {'done' if code in (0, 1) else 'refused'}, peak {peak:,.0f}"


if __name__ == "__main__":
    main()
