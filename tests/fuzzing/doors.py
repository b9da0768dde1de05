"""The doors through which strange files and requests come in, and what must be true of whatever happens then."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import random
import re
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from canaries import shown_in
from fuzzing.corpus import ROLES, Seed, seeds, text_table
from fuzzing.mutations import changed_tree, damaged
from tclose.cli import outcome

ODD = ("Traceback", "Unexpected", "mistake in tclose", "internal error")
"""What only our own mistakes say."""
ANONYMIZE = ("-i", "who", "-i", "pay", "-q", "zip,born", "-s", "ill:nominal", "--hierarchy", "born=flat", "--k", "2")


@dataclass(frozen=True)
class Trial:
    """Damaged content at a door, and the folder in which it is tried."""

    content: bytes
    ending: str
    folder: Path

    @property
    def path(self) -> Path:
        path = self.folder / f"strange{self.ending}"
        path.write_bytes(self.content)
        return path

    @property
    def people(self) -> Path:
        """A sound table beside the strange file."""
        path = self.folder / "people.csv"
        path.write_text(text_table())
        return path


@dataclass(frozen=True)
class Said:
    """What the command line answered."""

    code: int
    out: str
    err: str


@contextlib.contextmanager
def _into(path: Path, number: int) -> Iterator[TextIO]:
    """Catch what is written to a standard stream, by libraries too."""
    kept = os.dup(number)
    with path.open("wb") as file:
        os.dup2(file.fileno(), number)
    try:
        with open(number, "w", encoding="utf-8", closefd=False) as stream:
            yield stream
    finally:
        os.dup2(kept, number)
        os.close(kept)


def command_line(folder: Path, *arguments: object) -> Said:
    """Run the command line in this process."""
    out, err = folder / "out", folder / "err"
    with _into(out, 1) as stdout, _into(err, 2) as stderr, redirect_stdout(stdout), redirect_stderr(stderr):
        code = outcome([str(argument) for argument in arguments])
    return Said(code, *(path.read_text(encoding="utf-8", errors="replace") for path in (out, err)))


def told(said: Said, *, secret: bool = True) -> Iterator[str]:
    """Give what an answer must not be: another code, a mistake of ours, a cell in a message."""
    if said.code not in (0, 1, 2, 3):
        yield f"exit code {said.code}"
    yield from (f"says {word!r}: {said.err[-300:]}" for word in ODD if word in said.err)
    message = said.err + (said.out if said.code > 1 else "")
    if said.code > 1 and not said.err.strip():
        yield f"exit code {said.code} without a word"
    if secret and shown_in(message):
        yield f"shows a cell: {message[-300:]}"


# Tables.


def table(trial: Trial) -> Iterator[str]:
    """Audit a table."""
    said = command_line(trial.folder, "audit", trial.path, *ROLES, "--format", "json", "--no-drivers", "--threads", 1)
    yield from told(said, secret=not shown_in(_names(trial)))
    if said.code < 2:
        rows, right = json.loads(said.out)["rows"], _rows(trial)
        if right not in (None, rows):
            yield f"{rows} rows where {right} are"


def _names(trial: Trial) -> str:
    """Return what may be names of columns, which a message may show."""
    if trial.ending == ".xlsx":
        with contextlib.suppress(Exception):
            sheet = openpyxl.load_workbook(io.BytesIO(trial.content), read_only=True).active
            return str([row for row, _ in zip(sheet.values, range(2), strict=False)])
        return ""
    text = trial.content.decode("utf-16" if trial.content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")
    if trial.ending.startswith(".json"):
        return str(re.findall(r'"([^"]*)"\s*:', text))
    return "\n".join(line for line in text.split("\n") if line.strip(" \r"))[:200] if "sv" in trial.ending else ""


def _rows(trial: Trial) -> int | None:
    """Return how many rows another reader finds, or None where it does not read the table or nobody can say."""
    with contextlib.suppress(Exception):
        return _COUNTS[trial.ending](trial)
    return None


def _lines(trial: Trial) -> int | None:
    plain = trial.content.isascii() and not re.search(rb'["\r\x00]|\n[ \t]*\n|^[ \t]*\n', trial.content)
    return trial.content.rstrip(b"\n").count(b"\n") if plain else None


def _people(trial: Trial) -> int:
    with contextlib.closing(sqlite3.connect(f"file:{trial.path}?mode=ro", uri=True)) as connection:
        return int(connection.execute("SELECT count(*) FROM (SELECT * FROM people)").fetchone()[0])


_COUNTS: dict[str, Callable[[Trial], int | None]] = {
    ".csv": _lines,
    ".tsv": _lines,
    ".json": lambda trial: len(rows) if isinstance(rows := json.loads(trial.content), list) else None,
    ".jsonl": lambda trial: len([json.loads(line) for line in trial.content.decode().split("\n") if line.strip()]),
    ".parquet": lambda trial: pyarrow.parquet.read_table(trial.path).num_rows,
    ".feather": lambda trial: pyarrow.feather.read_table(trial.path).num_rows,
    ".arrow": lambda trial: pa.ipc.open_stream(trial.content).read_all().num_rows,
    ".db": _people,
}


def database(trial: Trial) -> Iterator[str]:
    """Audit a table of a SQLite file."""
    address = f"sqlite:{trial.path}#people"
    said = command_line(trial.folder, "audit", address, *ROLES, "--format", "json", "--no-drivers", "--threads", 1)
    yield from told(said)
    if said.code < 2 and _rows(trial) not in (None, json.loads(said.out)["rows"]):
        yield "another number of rows than SQLite counts"


# What is said about tables.


def hierarchy(trial: Trial) -> Iterator[str]:
    """Anonymize a sound table by a strange hierarchy."""
    wish = f"zip={trial.path}"
    release = trial.folder / "release.csv"
    told_all = command_line(
        trial.folder,
        "anonymize",
        trial.people,
        *ANONYMIZE,
        "--hierarchy",
        wish,
        "-o",
        release,
        "--force",
        "--threads",
        1,
    )
    yield from told(told_all)
    yield from _written(told_all, release)


def _written(said: Said, release: Path) -> Iterator[str]:
    if said.code == 0 and not release.exists():
        yield "no release, though it says that there is one"
    if said.code > 1 and release.exists():
        yield "a release, though it failed"
    release.unlink(missing_ok=True)


def policy(trial: Trial) -> Iterator[str]:
    """Audit and anonymize a sound table by a strange policy."""
    text = trial.content.decode("utf-8", "replace")
    secret = not shown_in(re.sub(r"order\s*=\s*\[[^\]]*\]", "", text))
    common = (trial.people, "--policy", trial.path, "--threads", 1)
    yield from told(command_line(trial.folder, "audit", *common, "--no-drivers"), secret=secret)
    release = trial.folder / "release.csv"
    said = command_line(trial.folder, "anonymize", *common, "-o", release, "--force")
    yield from told(said, secret=secret)
    yield from _written(said, release)


def recipe(trial: Trial) -> Iterator[str]:
    """Apply a strange recipe to a sound table; half of them bear the right checksum, as an attacker's would."""
    content = trial.content
    with contextlib.suppress(Exception):
        data = json.loads(content)
        data.pop("sha256", None)
        compact = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        content = json.dumps({**data, "sha256": hashlib.sha256(compact.encode()).hexdigest()}).encode()
    release = trial.folder / "release.csv"
    again = Trial(content, trial.ending, trial.folder)
    said = command_line(trial.folder, "apply", again.path, trial.people, "-o", release, "--force", "--threads", 1)
    yield from told(said, secret=not _recipe_names(content))
    yield from _written(said, release)


def _recipe_names(content: bytes) -> list[str]:
    """Return canaries that the recipe takes for names or thresholds."""
    with contextlib.suppress(Exception):
        data = json.loads(content)
        cells = {"sensitive", "columns"}
        names = [column.get("name") for column in data["columns"]]
        return shown_in([names, *(value for key, value in data.items() if key not in cells)])
    return []


# The page.


def request(trial: Trial, server: Any, choose: random.Random) -> Iterator[str]:
    """Send a strange body to one of the page's doors, or a strange file."""
    client = server.client
    if trial.ending != ".json" or choose.random() < 0.3:
        answer = client.post(f"/api/uploads?name=strange{trial.ending}", content=trial.content)
        secret = not shown_in(_names(trial))
    else:
        opened = server.opened()
        where = choose.choice((f"tables/{opened}/jobs", f"tables/{opened}/policy", "tables", f"tables/{opened}"))
        answer = client.request(
            "PUT" if where == f"tables/{opened}" else "POST", f"/api/{where}", content=trial.content
        )
        secret = False  # the example has no canary, and a message may repeat a setting
    if answer.status_code >= 500:
        yield f"status {answer.status_code}: {answer.text[:300]}"
    if secret and answer.status_code >= 400 and shown_in(answer.text):
        yield f"shows a cell: {answer.text[:300]}"
    if answer.status_code == 201 and trial.ending != ".json":
        job = server.job(answer.json()["id"], kind="profile")
        yield from _job(job, secret)
    if answer.status_code == 202:
        yield from _job(server.finished(answer.json()), secret=False)


def _job(job: dict[str, Any], secret: bool) -> Iterator[str]:
    error = job.get("error")
    if error and error["kind"] in ("InternalError", "MemoryError"):
        yield f"a job failed: {error}"
    if secret and shown_in(error):
        yield f"shows a cell: {error}"


REQUESTS = [
    {"kind": "audit", "policy": {"columns": {"zip": {"role": "quasi-identifier"}, "salary": {"role": "sensitive"}}}},
    {
        "kind": "anonymize",
        "policy": {
            "columns": {
                "zip": {"role": "quasi-identifier", "hierarchy": "mask", "levels": [0, 2], "weight": 2},
                "age": {"role": "quasi-identifier", "hierarchy": "intervals:5,10"},
                "salary": {"role": "sensitive", "distance": "ordered", "t": "0.4"},
                "disease": {"role": "sensitive", "distance": "nominal", "nulls": "category"},
            },
            "policy": {"k": 2, "together": "each"},
            "release": {"method": "mondrian", "suppress": "0.1", "seed": 1},
        },
    },
    {"kind": "frontier", "policy": {}, "sweep": "t=0.1,0.2", "methods": ["mondrian"]},
    {"kind": "levels", "policy": {}, "levels": {"zip": 1}},
    {"kind": "profile"},
    {"example": "salary"},
]

KINDS: dict[str, tuple[str, Callable[..., Iterator[str]]]] = {
    "text table": ("text", table),
    "JSON table": ("json", table),
    "Parquet and Arrow": ("columnar", table),
    "workbook": ("workbook", table),
    "statistics package": ("packages", table),
    "SQLite": ("database", database),
    "hierarchy": ("hierarchy", hierarchy),
    "policy": ("policy", policy),
    "recipe": ("recipe", recipe),
    "request": ("requests", request),
}
"""The doors by name: of which files the strange ones are made, and what is tried with them."""


def seed_for(kind: str, choose: random.Random) -> Seed:
    """Return a sound file, or request, of a kind."""
    if kind == "requests":
        if choose.random() < 0.2:
            return choose.choice(seeds(choose.choice(("text", "json", "columnar"))))
        return Seed(".json", json.dumps(changed_tree(json.loads(json.dumps(choose.choice(REQUESTS))), choose)).encode())
    return choose.choice(seeds(kind))


def tried(name: str, number: int, start: int, server: Any) -> tuple[bytes, str, list[str]]:
    """Make one trial at a door: the same numbers give the same trial. Returns content, ending and what is wrong."""
    choose = random.Random(f"{start} {name} {number}")
    kind, door = KINDS[name]
    seed = seed_for(kind, choose)
    content = damaged(seed.content, seed.ending, choose)
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(content, seed.ending, Path(folder))
        extra = (server, choose) if kind == "requests" else ()
        return content, seed.ending, list(door(trial, *extra))
