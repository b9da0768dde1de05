"""How long does a command say nothing, or the same, and how soon does it end when it is asked to?

    python bench/silence.py [--rows 300000] [--stops 6] [audit] [explain] [profile] [anonymize-auto] …

Every verb runs in a terminal of its own (a pty) on a raw table. Shown are its seconds by the clock, the longest time
without a letter (from the first second on, before which nothing is said), the longest time in which the line said the
same but for its clock, what it said then, and whether a share was shown. Then it is run again so many times and
interrupted at moments spread over its run: the longest time until it ended, by the clock, how it ended where that was
not with 130, and what it left in its folder. On a busy machine these are times of the machine as much as of tclose.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import select
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from clock import machine
from tables import raw_table

INTERRUPTED = 130
ROLES = ["-q", "zip,born,sex", "-s", "salary:ordered", "-s", "job:nominal"]
ASKED = [*ROLES, "--k", "5", "--t", "0.5"]
_CLOCK = re.compile(r"\d+:\d\d(, about \d+:\d\d left)?")


def commands(table: Path, folder: Path) -> dict[str, list[str]]:
    """Return what each verb is asked to do; what apply and recode need is made first."""
    out, recipe = str(folder / "out.parquet"), str(folder.parent / "made.parquet.recipe.json")
    found = {
        "audit": ["audit", str(table), *ASKED],
        "audit-all": ["audit", str(table), *ASKED, "--measure", "all", "--any", "2"],
        "explain": ["explain", str(table), *ROLES[:4], "--show-people"],
        "profile": ["profile", str(table)],
        "frontier": ["frontier", str(table), *ASKED, "--methods", "mondrian"],
        "attack": ["attack", str(table), *ASKED, "--method", "mondrian"],
        "apply": ["apply", recipe, str(table), "-o", out],
        "withstand": ["anonymize", str(table), *ASKED, "--method", "mondrian", "--withstand", "0.05", "-o", out],
    }
    for method in ("auto", "gather", "mondrian", "full-domain", "merge", "microaggregation", "sabre"):
        divided = ["--divide"] if method == "sabre" else []
        found[f"anonymize-{method}"] = ["anonymize", str(table), *ASKED, "--method", method, *divided, "-o", out]
    return found


@dataclass
class Heard:
    """What was heard of one run."""

    seconds: float
    code: int
    silence: float
    same: float
    words: str
    shares: bool
    ending: float = 0.0
    """Seconds from the interruption to the end."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("verbs", nargs="*")
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--stops", type=int, default=6)
    parser.add_argument("--most", type=float, default=300.0, help="seconds after which a run is interrupted")
    asked = parser.parse_args()
    print(f"Silences; {asked.rows:,} raw rows; {machine()}\n")
    print("| command | seconds | silence | same words | which | share | ending | wrong endings | left behind |")
    print("|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "out"
        table = raw_table(asked.rows)
        every = commands(table, folder)
        for name in asked.verbs or every:
            if name == "apply":
                made = str(folder.parent / "made.parquet")
                heard(["anonymize", str(table), *ASKED, "--method", "full-domain", "-o", made], folder, None)
            print(measured(name, every[name], folder, asked.stops, asked.most), flush=True)


def measured(name: str, command: list[str], folder: Path, stops: int, most: float) -> str:
    """Run a command whole, then interrupted; return its line of the table."""
    whole = heard(command, folder, most)
    longest, wrong, left = 0.0, [], set()
    for at in range(stops):
        run = heard(command, folder, whole.seconds * (at + 0.5) / stops)
        if run.ending:
            longest = max(longest, run.ending)
            wrong += [] if run.code == INTERRUPTED else [str(run.code)]
            left |= {entry.name for entry in folder.iterdir()} if run.code == INTERRUPTED else set()
    shared, wrongly, behind = "yes" if whole.shares else "no", " ".join(wrong) or "none", " ".join(left) or "nothing"
    return (
        f"| {name} | {whole.seconds:.1f}, code {whole.code} | {whole.silence:.1f} | {whole.same:.1f} | {whole.words} "
        f"| {shared} | {longest:.1f} | {wrongly} | {behind} |"
    )


def heard(command: list[str], folder: Path, stop: float | None) -> Heard:
    """Run a command in a terminal of its own, and interrupt it after so many seconds."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    began = time.monotonic()
    process, terminal = pty.fork()
    if process == 0:
        os.execv(sys.executable, [sys.executable, "-m", "tclose.cli", *command])
    found, asked = Heard(0.0, 0, 0.0, 0.0, "", shares=False), 0.0
    spoke = changed = began + 1.0
    said = ""
    while True:
        ready, _, _ = select.select([terminal], [], [], 0.05)
        now = time.monotonic()
        if stop is not None and not asked and now - began >= stop:
            os.kill(process, signal.SIGINT)
            asked = now
        if not ready:
            continue
        try:
            text = os.read(terminal, 1 << 16).decode(errors="replace")
        except OSError:  # the terminal was closed at the other end
            text = ""
        found.silence = max(found.silence, now - spoke)
        words = _CLOCK.sub("", text.rpartition("\x1b[2K")[2]).strip()
        if words != said or not text:
            if now - changed > found.same:
                found.same, found.words = now - changed, re.sub(r"[━╌]+", "…", said)[:60]
            said, changed = words, max(now, began + 1.0)
        found.shares |= "━" in text or "╌" in text
        spoke = max(now, began + 1.0)
        if not text:
            break
    _, status = os.waitpid(process, 0)
    os.close(terminal)
    ended = time.monotonic()
    found.seconds, found.code = ended - began, os.waitstatus_to_exitcode(status)
    found.ending = ended - asked if asked else 0.0
    return found


if __name__ == "__main__":
    main()
