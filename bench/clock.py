"""Timing that bears a noisy machine: what is compared runs in turns, and the best of several counts."""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import version


def best_of(rounds: int, **jobs: Callable[[], object]) -> dict[str, float]:
    """Return the best time of each job, in seconds; jobs take turns so that a slow minute hits them all."""
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            started = time.perf_counter()
            job()
            times[name].append(time.perf_counter() - started)
    return {name: min(found) for name, found in times.items()}


def in_its_own_process(code: str) -> tuple[float, float]:
    """Run code in a fresh interpreter; return the seconds it printed last and the peak memory in MiB."""
    tail = "\nimport resource as _r\nprint(_seconds, _r.getrusage(_r.RUSAGE_SELF).ru_maxrss / 1024)"
    done = subprocess.run([sys.executable, "-c", code + tail], check=True, capture_output=True, text=True)
    seconds, mebibytes = done.stdout.split()[-2:]
    return float(seconds), float(mebibytes)


def machine() -> str:
    """Return what the numbers were measured on."""
    packages = ", ".join(f"{name} {version(name)}" for name in ("tclose", "duckdb", "numpy"))
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, {packages}"


def peak_mebibytes() -> float:
    """Return the peak memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def spent(job: Callable[[], object]) -> tuple[float, float]:
    """Run a job; return the seconds it took by the clock, and of processors, those of its child processes included."""
    before = os.times()
    job()
    after = os.times()
    return after.elapsed - before.elapsed, sum(after[:4]) - sum(before[:4])
