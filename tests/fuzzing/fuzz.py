"""Strange files and requests at every door, in a process that is watched: it may neither die nor hang.

    scripts/fuzz [--minutes 20] [--trials N] [--seed 1] [--door NAME]... [--keep FOLDER]

Says for each door how many were tried and what was found, with the number of the trial;
ends with 1 if anything was found.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))

from fuzzing.doors import KINDS, tried  # noqa: E402 - tests/ is on the path now

PATIENCE = 120
"""Seconds after which a trial hangs."""
MEMORY = 12 * 2**30


def _say(text: str, *, aside: bool = False) -> None:
    stream = sys.stderr if aside else sys.stdout
    stream.write(f"{text}\n")
    stream.flush()


@dataclass
class Findings:
    """How many trials each door has seen, and what was wrong."""

    keep: Path | None = None
    trials: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def add(self, name: str, number: int, content: bytes, ending: str, complaints: list[str]) -> None:
        self.trials[name] += 1
        for complaint in complaints:
            self.wrong.append(f"{name} {number}: {complaint}")
            _say(self.wrong[-1], aside=True)
        if complaints and self.keep:
            self.keep.mkdir(parents=True, exist_ok=True)
            (self.keep / f"{name.replace(' ', '-')}-{number}{ending}").write_bytes(content)


def work(asked: Connection, start: int) -> None:
    """Try what is asked for, until nothing more is."""
    from web.serving import running

    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with running() as server:
        while (trial := asked.recv()) is not None:
            asked.send(tried(*trial, start=start, server=server))


class Watched:
    """A process that tries; where it dies or hangs, there is another."""

    def __init__(self, start: int) -> None:
        self.start = start
        self._begin()

    def _begin(self) -> None:
        method = multiprocessing.get_context("spawn")
        self.ours, theirs = method.Pipe()
        self.process = method.Process(target=work, args=(theirs, self.start), daemon=False)
        self.process.start()
        theirs.close()

    def tried(self, name: str, number: int) -> tuple[bytes, str, list[str]]:
        self.ours.send((name, number))
        try:
            if self.ours.poll(PATIENCE):
                return self.ours.recv()  # type: ignore[no-any-return]
            complaint = f"hangs for {PATIENCE} seconds"
        except EOFError:
            self.process.join()
            complaint = f"the process died with {self.process.exitcode}"
        self.process.kill()
        self.process.join()
        self._begin()
        return b"", "", [complaint]

    def end(self) -> None:
        self.ours.send(None)
        self.process.join(30)
        self.process.kill()


def fuzz(start: int, doors: list[str], trials: int, minutes: float, keep: Path | None = None) -> Findings:
    """Try doors in turn, until there were so many trials or minutes."""
    findings, watched, began = Findings(keep), Watched(start), time.monotonic()
    try:
        for number in range(trials):
            if time.monotonic() - began > 60 * minutes:
                break
            name = doors[number % len(doors)]
            findings.add(name, number, *watched.tried(name, number))
            if number % 500 == 499:
                _say(f"{number + 1} trials, {len(findings.wrong)} findings", aside=True)
    finally:
        watched.end()
    return findings


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--trials", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--door", action="append", choices=list(KINDS), help="repeatable; all, if left out")
    parser.add_argument("--keep", type=Path, help="where strange files are kept that found something")
    asked = parser.parse_args()
    findings = fuzz(asked.seed, asked.door or list(KINDS), asked.trials, asked.minutes, asked.keep)
    for name in KINDS:
        wrong = sum(line.startswith(f"{name} ") for line in findings.wrong)
        _say(f"{findings.trials[name]:7}  {name}: {wrong} found")
    return 1 if findings.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
