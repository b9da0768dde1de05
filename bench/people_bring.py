"""What people bring first: raw tables, CSV files, wide tables, whole releases, each beside what it is compared with.

python bench/people_bring.py [raw] [csv] [written] [wide] [release] [search] [frontier] [elsewhere]

Adult is read from the folder that TCLOSE_DATA names. ARX takes part where TCLOSE_ARX is a class path with its classes
and libraries, and Java is there; it is driven by bench/arx/FullDomain.java. Seconds are of a clock, and in brackets of
processors, which say more on a busy machine; the best of three counts, of what takes longer than ten seconds the
first. Releases take turns with ARX, three times each. Where nothing else does the work, the ratio is to the seconds
that are aimed at.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb

import tclose
from clock import machine, peak_mebibytes, spent
from tables import (
    FOLDER,
    WRITTEN,
    card_table,
    people_table,
    raw_table,
    repeated_adult,
    wide_table,
    written_as,
)

ROUNDS = 3
LONG = 10.0
"""What takes more seconds of processors than this is not repeated."""
ADULT_QUASI = ["sex", "age", "race", "marital-status", "education", "native-country", "workclass"]


def main() -> None:
    print(f"What people bring; {machine()}\n")
    for name, bench in BENCHES.items():
        if name in (sys.argv[1:] or BENCHES):
            bench()


def best(job: Callable[[], object]) -> tuple[float, float]:
    """Return the least seconds of a clock and of processors that a job took."""
    found = [spent(job)]
    while len(found) < ROUNDS and found[0][1] <= LONG:
        found.append(spent(job))
    return min(clock for clock, _ in found), min(cpu for _, cpu in found)


def in_turns(ours: Callable[[], object], theirs: Callable[[], object]) -> list[tuple[float, float]]:
    """Return the least seconds of two jobs that take turns, so that both meet the same machine."""
    found = [(spent(ours), spent(theirs)) for _ in range(ROUNDS)]
    return [(min(clock for clock, _ in each), min(cpu for _, cpu in each)) for each in zip(*found, strict=True)]


def line(name: str, ours: tuple[float, float], other: tuple[float, float], beside: str) -> None:
    ratios = [mine / theirs for mine, theirs in zip(ours, other, strict=True)]
    print(
        f"| {name} | {ours[0]:.2f} s ({ours[1]:.2f}) | {beside} {other[0]:.2f} s ({other[1]:.2f}) "
        f"| {ratios[0]:.2f} ({ratios[1]:.2f}) | {peak_mebibytes():,.0f} |",
        flush=True,
    )


def heading(what: str) -> None:
    print(f"\n| {what} | tclose | beside it | ratio | peak MiB |\n|---|---|---|---|---|")


def aimed(name: str, ours: tuple[float, float], goal: float) -> None:
    line(name, ours, (goal, goal), "aim")


def raw() -> None:
    """Audit a million rows, nearly each a class of its own."""
    for path in (raw_table(), written_as("plain")):
        raw_audits(path)


def raw_audits(path: Path) -> None:
    heading(f"raw table, 1,000,000 rows, {path.suffix}")
    roles = tclose.Roles(quasi=["zip", "born", "sex"], sensitive=["salary:ordered", "job:nominal"])
    connection = duckdb.connect()
    query = f"SELECT zip, born, sex, count(*) FROM '{path}' GROUP BY ALL"
    tclose.audit(path, roles, drivers=False)
    group = best(lambda: connection.execute(query).fetchnumpy())
    line("audit", best(lambda: tclose.audit(path, roles, drivers=False)), group, "GROUP BY")
    line("audit with drivers", best(lambda: tclose.audit(path, roles)), group, "GROUP BY")
    bounded = best(lambda: tclose.audit(path, roles, drivers=False, memory="250MB"))
    line("audit with memory='250MB'", bounded, group, "GROUP BY")


def written() -> None:
    """Audit the raw table as text files that are written in other ways, beside the plain one."""
    roles = tclose.Roles(quasi=["zip", "born", "sex"], sensitive=["salary:ordered", "job:nominal"])
    plain = written_as("plain")
    tclose.audit(plain, roles, drivers=False)
    heading("raw table, 1,000,000 rows, CSV")
    usual = best(lambda: tclose.audit(plain, roles, drivers=False))
    for kind in WRITTEN:
        path = written_as(kind)
        line(kind, best(lambda: tclose.audit(path, roles, drivers=False)), usual, "comma, UTF-8")  # noqa: B023 - run at once


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
    profiled = best(lambda: tclose.profile(path))
    line("profile", profiled, distinct, "SELECT DISTINCT *")
    aimed("profile", profiled, 2.0)


def searches() -> None:
    """Find releases: auto on Adult, cutting of a million rows, and a table of 23 quasi-identifiers."""
    heading("releases, in one process after a first run")
    folder = Path(os.environ.get("TCLOSE_DATA", "")) / "adult"
    if (folder / "adult.csv").is_file():
        aimed("auto, Adult, k = 5, t = 0.2", best(lambda: adult(folder).kept), 3.0)
    else:
        print("Adult: skipped, TCLOSE_DATA names no folder with adult/.")
    many, roles = (
        people_table(),
        tclose.Roles(quasi=["age", "area", "job", "sex", "year"], sensitive=["illness:nominal"]),
    )
    require = {"k": 5, "t": "0.2"}
    aimed(
        "auto, 1,000,000 rows, 5 quasi-identifiers",
        best(lambda: tclose.anonymize(many, roles, require=require).kept),
        5.0,
    )
    wide_rows = card_table()
    cards = tclose.Roles(quasi=[f"amount{at}" for at in range(23)], sensitive=["default:nominal"])
    for wanted in ({"k": 5}, {"k": 5, "t": "0.1"}):
        name = f"30,000 rows, 23 quasi-identifiers, {', '.join(f'{key} = {each}' for key, each in wanted.items())}"
        aimed(name, best(lambda: tclose.anonymize(wide_rows, cards, require=wanted).kept), 5.0)  # noqa: B023 - run at once


def adult(folder: Path) -> tclose.Release:
    roles = tclose.Roles(quasi=ADULT_QUASI, sensitive=["occupation:nominal"])
    trees = {name: folder / f"adult_hierarchy_{name}.csv" for name in ADULT_QUASI}
    return tclose.anonymize(folder / "adult.csv", roles, require={"k": 5, "t": "0.2"}, hierarchies=trees)


def frontiers() -> None:
    """Sweep seven thresholds on Adult."""
    folder = Path(os.environ.get("TCLOSE_DATA", "")) / "adult"
    if not (folder / "adult.csv").is_file():
        print("\nFrontier: skipped, TCLOSE_DATA names no folder with adult/.")
        return
    heading("Adult, k = 5, seven thresholds of t")
    roles = tclose.Roles(quasi=ADULT_QUASI, sensitive=["occupation:nominal"])
    trees = {name: folder / f"adult_hierarchy_{name}.csv" for name in ADULT_QUASI}
    job = lambda: tclose.frontier(folder / "adult.csv", roles, require={"k": 5}, hierarchies=trees)  # noqa: E731
    aimed("frontier", best(job), 20.0)


def elsewhere() -> None:
    """Say where the rest is measured."""
    print("\nThe page: bench/page.py, which needs a browser. Spark: bench/spark.py. Memory: bench/memory.py.")


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
                job = partial(anonymize, path, k, left_out, Path(folder))
                ours, theirs = (
                    in_turns(job, partial(arx, path, k, left_out, Path(folder)))
                    if not why
                    else (best(job), (float("nan"),) * 2)
                )
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


BENCHES: dict[str, Callable[[], None]] = {
    "raw": raw, "csv": csv_file, "written": written, "wide": wide, "release": releases, "search": searches,
    "frontier": frontiers, "elsewhere": elsewhere,
}  # fmt: skip


if __name__ == "__main__":
    main()
