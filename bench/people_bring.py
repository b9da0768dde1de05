"""What people bring first: raw tables, CSV files, wide tables, whole releases, each beside what it is compared with.

python bench/people_bring.py [raw] [csv] [wide] [release]

Adult is read from the folder that TCLOSE_DATA names. ARX takes part where TCLOSE_ARX is a class path with its classes
and libraries, and Java is there; it is driven by bench/arx/FullDomain.java. Seconds are of a clock, and in brackets of
processors, which say more on a busy machine; the best of three counts.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import duckdb

import tclose
from clock import machine, peak_mebibytes, spent
from tables import FOLDER, raw_table, repeated_adult, wide_table

ROUNDS = 3
ADULT_QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]


def main() -> None:
    print(f"What people bring; {machine()}\n")
    chosen = sys.argv[1:] or ["raw", "csv", "wide", "release"]
    for name, bench in (("raw", raw), ("csv", csv_file), ("wide", wide), ("release", releases)):
        if name in chosen:
            bench()


def best(job: Callable[[], object]) -> tuple[float, float]:
    """Return the least seconds of a clock and of processors that a job took."""
    found = [spent(job) for _ in range(ROUNDS)]
    return min(clock for clock, _ in found), min(cpu for _, cpu in found)


def line(name: str, ours: tuple[float, float], other: tuple[float, float], beside: str) -> None:
    ratios = [mine / theirs for mine, theirs in zip(ours, other, strict=True)]
    print(
        f"| {name} | {ours[0]:.2f} s ({ours[1]:.2f}) | {beside} {other[0]:.2f} s ({other[1]:.2f}) "
        f"| {ratios[0]:.2f} ({ratios[1]:.2f}) | {peak_mebibytes():,.0f} |",
        flush=True,
    )


def heading(what: str) -> None:
    print(f"\n| {what} | tclose | beside it | ratio | peak MiB |\n|---|---|---|---|---|")


def raw() -> None:
    """Audit a million rows, nearly each a class of its own."""
    heading("raw table, 1,000,000 rows, Parquet")
    path = raw_table()
    roles = tclose.Roles(quasi=["zip", "born", "sex"], sensitive=["salary:ordered", "job:nominal"])
    connection = duckdb.connect()
    query = f"SELECT zip, born, sex, count(*) FROM '{path}' GROUP BY ALL"
    tclose.audit(path, roles, drivers=False)
    group = best(lambda: connection.execute(query).fetchnumpy())
    line("audit", best(lambda: tclose.audit(path, roles, drivers=False)), group, "GROUP BY")
    line("audit with drivers", best(lambda: tclose.audit(path, roles)), group, "GROUP BY")
    bounded = best(lambda: tclose.audit(path, roles, drivers=False, memory="250MB"))
    line("audit with memory='250MB'", bounded, group, "GROUP BY")


def csv_file() -> None:
    """Audit Adult a hundred times over, as a text file."""
    path = repeated_adult(100)
    if path is None:
        print("\nAudit of a CSV file: skipped, TCLOSE_DATA names no folder with adult/.")
        return
    heading("CSV file, 3,016,200 rows, 252 MB")
    listing = ", ".join(f'"{name}"' for name in ADULT_QUASI)
    query = f"SELECT {listing}, count(*) FROM read_csv('{path}', delim=';', header=true) GROUP BY ALL"
    connection = duckdb.connect()
    roles = tclose.Roles(quasi=ADULT_QUASI, sensitive=["occupation:nominal"])
    group = best(lambda: connection.execute(query).fetchnumpy())
    line("audit", best(lambda: tclose.audit(path, roles, drivers=False)), group, "GROUP BY")
    script = [sys.executable, "-m", "tclose.cli", "audit", str(path), "-q", ",".join(ADULT_QUASI), "--quiet"]
    command = best(lambda: subprocess.run([*script, "-s", "occupation:nominal"], check=True, capture_output=True))
    line("whole command", command, group, "GROUP BY")


def wide() -> None:
    """Profile thousands of columns."""
    heading("wide CSV file, 1,000 rows, 3,000 columns")
    path = wide_table()
    query = f"SELECT count(*) FROM (SELECT DISTINCT * FROM read_csv('{path}', all_varchar=true))"
    connection = duckdb.connect()
    distinct = best(lambda: connection.execute(query).fetchall())
    line("profile", best(lambda: tclose.profile(path)), distinct, "SELECT DISTINCT *")


def releases() -> None:
    """Anonymize Adult, and Adult a hundred times over, by full-domain generalisation: whole processes."""
    once, often = repeated_adult(1), repeated_adult(100)
    if once is None or often is None:
        print("\nReleases: skipped, TCLOSE_DATA names no folder with adult/.")
        return
    why = arx_missing()
    if why:
        print(f"\nARX: skipped, {why}.")
    heading("full-domain, k and t = 0.2, CSV to CSV, whole process")
    for name, path, k in (("Adult, k = 5", once, 5), ("Adult × 100, k = 500", often, 500)):
        for left_out in ("0", "0.04"):
            with tempfile.TemporaryDirectory() as folder:
                ours = best(lambda: anonymize(path, k, left_out, Path(folder)))  # noqa: B023 - run at once
                theirs = best(lambda: arx(path, k, left_out, Path(folder))) if not why else (float("nan"),) * 2  # noqa: B023
            line(f"{name}, {left_out} left out", ours, theirs, "ARX")
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"\nThe largest of these processes took {largest:,.0f} MiB.")


def hierarchy(name: str) -> str:
    return str(Path(os.environ["TCLOSE_DATA"]) / "adult" / f"adult_hierarchy_{name}")


def anonymize(path: Path, k: int, left_out: str, folder: Path) -> None:
    for old in folder.iterdir():
        old.unlink()
    script = [sys.executable, "-m", "tclose.cli", "anonymize", str(path), "-q", ",".join(ADULT_QUASI), "--quiet"]
    script += ["-s", "occupation:nominal", "--k", str(k), "--t", "0.2", "--method", "full-domain"]
    script += ["--suppress", left_out, "-o", str(folder / "release.csv")]
    for name in ADULT_QUASI:
        script += ["--hierarchy", f"{name}={hierarchy(name)}.csv"]
    subprocess.run(script, check=True, capture_output=True)


def arx_missing() -> str | None:
    """Return why ARX does not take part; None where it does, its program compiled."""
    if not os.environ.get("TCLOSE_ARX"):
        return "TCLOSE_ARX names no class path with its library"
    if not (shutil.which("java") and shutil.which("javac")):
        return "there is no Java"
    FOLDER.mkdir(exist_ok=True)
    program = Path(__file__).parent / "arx" / "FullDomain.java"
    script = ["javac", "-nowarn", "-d", str(FOLDER), "-cp", os.environ["TCLOSE_ARX"], str(program)]
    done = subprocess.run(script, check=False, capture_output=True)
    return None if done.returncode == 0 else "its program does not compile with that class path"


def arx(path: Path, k: int, left_out: str, folder: Path) -> None:
    script = ["java", "-cp", f"{FOLDER}{os.pathsep}{os.environ['TCLOSE_ARX']}", "FullDomain", str(path), ";"]
    script += [hierarchy(""), "occupation", str(k), "0.2", left_out, str(folder / "arx.csv")]
    subprocess.run(script, check=True, capture_output=True)


if __name__ == "__main__":
    main()
