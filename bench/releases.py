"""Releases of Adult: how much detail is kept and how long it takes, beside what ARX was measured to keep.

Run: .venv/bin/python bench/releases.py FOLDER [--cold]
FOLDER holds adult.csv and ARX's hierarchy files. With --cold the full-domain command runs in processes of its own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import tclose

SEVEN = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass")
EIGHT = (*SEVEN, "salary-class")
ARX_KEPT = {
    ("occupation", 5, "0.2"): 0.543, ("occupation", 5, "0.15"): 0.463, ("occupation", 2, "0.3"): 0.707,
    ("age", 5, "0.2"): 0.966, ("age", 5, "0.15"): 0.933, ("age", 5, "0.1"): 0.865, (None, 5, None): 0.969,
}  # fmt: skip
"""The best of ARX's settings within 20 s, with up to 5,364 rows suppressed."""
FULL_DOMAIN = (("0.2", "0", 456853172), ("0.2", "0.04", 311880088))


def kept_detail(folder: Path) -> None:
    print(f"{'sensitive':12}{'k':>3}{'t':>6}{'ARX':>7}{'auto':>8}{'s':>6}")
    for (sensitive, k, t), arx in ARX_KEPT.items():
        quasi = [name for name in SEVEN if name != sensitive]
        roles = tclose.Roles(
            quasi, [f"{sensitive}:{'ordered' if sensitive == 'age' else 'nominal'}"] if sensitive else []
        )
        require = {"k": k, **({"t": t} if t else {})}
        started = time.perf_counter()
        release = tclose.anonymize(
            folder / "adult.csv", roles, require=require,
            hierarchies={name: folder / f"adult_hierarchy_{name}.csv" for name in quasi},
        )  # fmt: skip
        seconds = time.perf_counter() - started
        print(f"{sensitive or '(k only)':12}{k:3}{t or '–':>6}{arx:7.3f}{release.kept:8.4f}{seconds:6.1f}", flush=True)


def cold_full_domain(folder: Path) -> None:
    command = Path(sys.executable).with_name("tclose")
    with tempfile.TemporaryDirectory() as out:
        for t, suppress, expected in FULL_DOMAIN:
            options = [
                item for name in EIGHT for item in ("--hierarchy", f"{name}={folder}/adult_hierarchy_{name}.csv")
            ]
            times = []
            for _ in range(5):
                started = time.perf_counter()
                subprocess.run(
                    [command, "anonymize", folder / "adult.csv", "-q", ",".join(EIGHT), "-s", "occupation:nominal",
                     "--k", "5", "--t", t, "--method", "full-domain", "--loss", "dm_star", "--suppress", suppress,
                     "--against", "original", *options, "-o", f"{out}/release.csv", "--force", "--quiet"],
                    check=True, stdout=subprocess.DEVNULL,
                )  # fmt: skip
                times.append(time.perf_counter() - started)
            print(
                f"full-domain t={t} suppress={suppress} (DM* {expected:,}): best of 5 {min(times):.2f} s, whole command"
            )


def main() -> None:
    folder = Path(sys.argv[1])
    kept_detail(folder)
    if "--cold" in sys.argv:
        cold_full_domain(folder)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


if __name__ == "__main__":
    main()
