"""Every compiled kernel on what real work hands it; beside Numba's where a source that has them is named.

The last version with Numba is the parent of the commit "Compile the kernels when the package is built":
``git worktree add --detach OLD THAT``, and ``pip install numba`` where this runs.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench")]

from clock import best_of  # noqa: E402
from compiled import real_work  # noqa: E402
from plain_kernels import public  # noqa: E402
from tclose.anonymization.algorithms.full_domain import lattice as roll_up  # noqa: E402
from tclose.engines import grouping  # noqa: E402
from tclose.engines.duckdb import rows  # noqa: E402
from tclose.models import kernels  # noqa: E402

Call = tuple[tuple[Any, ...], Callable[..., Any]]
METHODS = ("gather", "mondrian", "full-domain", "microaggregation", "sabre", "merge")
ROUNDS = 9
LEAST_SECONDS = 2e-4
"""Shorter calls are repeated until they take so long."""


class Recorder:
    """Keeps of each kernel the call that took longest, with its arguments as they were before."""

    def __init__(self) -> None:
        self.longest: dict[tuple[str, str], tuple[float, tuple[Any, ...]]] = {}
        self._made: dict[int, tuple[Any, str, tuple[Any, ...]]] = {}

    def recording(self, patch: Callable[[Any, str, Any], None]) -> None:
        """Put a recorder in the place of every kernel."""
        for name in kernels.COMPILED:
            module = getattr(kernels, name)
            functions, classes = public(name)
            for each in classes:
                patch(module, each, self._remembering(each, getattr(module, each)))
            for each in functions:
                patch(module, each, self._timing((name, each), getattr(module, each)))

    def _remembering(self, kind: str, make: Callable[..., Any]) -> Callable[..., Any]:
        def made(*arguments: Any) -> Any:
            one = make(*arguments)
            self._made[id(one)] = one, kind, arguments
            return one

        return made

    def _kept(self, argument: Any) -> Any:
        if id(argument) in self._made:
            _, kind, arguments = self._made[id(argument)]
            return kind, tuple(self._kept(each) for each in arguments)
        return argument.copy() if isinstance(argument, np.ndarray) else argument

    def _timing(self, key: tuple[str, str], kernel: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            kept = tuple(self._kept(each) for each in (*arguments, *named.values()))
            begun = perf_counter()
            result = kernel(*arguments, **named)
            took = perf_counter() - begun
            if took > self.longest.get(key, (-1.0, ()))[0]:
                self.longest[key] = took, kept
            return result

        return call


@contextmanager
def patching() -> Iterator[Callable[[Any, str, Any], None]]:
    """Give what sets attributes, and set them back at the end."""
    before: list[tuple[Any, str, Any]] = []

    def patch(where: Any, name: str, value: Any) -> None:
        before.append((where, name, getattr(where, name)))
        setattr(where, name, value)

    try:
        yield patch
    finally:
        for where, name, value in reversed(before):
            setattr(where, name, value)


def recorded() -> dict[tuple[str, str], tuple[Any, ...]]:
    """Return the arguments of the longest call of each kernel in audits, releases and an attack."""
    import tclose

    recorder = Recorder()
    with patching() as patch:
        recorder.recording(patch)
        table = wide(10_000)
        quasi, sensitive = ["age", "zip", "sex"], ["illness:nominal", "pay:ordered"]
        for method in METHODS:
            ask: dict[str, Any] = {"require": {"k": 5, "t": "0.5"}, "hierarchies": real_work.HIERARCHIES, "effort": 1}
            tclose.anonymize(table, tclose.Roles(quasi, sensitive), method=method, **ask)
        ask = {"require": {"k": 3}, "hierarchies": real_work.HIERARCHIES, "divisions": 1, "method": "mondrian"}
        tclose.attack(real_work.people(3, 2000), tclose.Roles(quasi, ["illness:nominal"]), **ask)
        audited(300_000)
        patch(roll_up, "FEW_VALUES", 0)
        ask = {"require": {"k": 5, "t": "0.5"}, "hierarchies": real_work.HIERARCHIES, "method": "full-domain"}
        tclose.anonymize(table, tclose.Roles(quasi, sensitive), **ask)
        patch(grouping, "DIRECT_SPAN", 0)
        patch(rows, "DIRECT_SPAN", 0)
        audited(300_000)
    return {key: arguments for key, (_, arguments) in recorder.longest.items()}


def wide(number: int) -> dict[str, list[Any]]:
    """Return a table of which nearly every row looks different."""
    draw = np.random.default_rng(1)
    return {**real_work.people(1, number), "zip": [f"{n:04}" for n in draw.integers(0, 5000, number)]}


def audited(number: int) -> None:
    """Audit a table by rows, and by people told apart by texts and by numbers."""
    import tclose

    table = real_work.people(7, number)
    for roles in (
        tclose.Roles(["age", "zip", "sex"], ["pay:ordered", "illness:nominal"]),
        tclose.Roles(["age"], ["pay:numeric"], person="person"),
        tclose.Roles(["zip"], ["illness:nominal"], person="number"),
    ):
        tclose.audit(table, roles, measure="all")


NUMBA = {
    "annealing": "recoding.improving.loops", "clusters": "recoding.clusters.nearest", "counting": "loops",
    "distances": "distances.ratios", "lattice": "recoding.full_domain.roll_up_loops",
    "partitions": "recoding.mondrian.counting", "people": "person_loops", "counting.deal": "recoding.dealing:dealt",
    "clusters.centre": "recoding.clusters.nearest:_centre", "clusters.measure": "recoding.clusters.nearest:_gaps",
    "clusters.farthest": "recoding.clusters.nearest:_farthest", "clusters.take": "recoding.clusters.nearest:_take",
    "clusters.exchange": "recoding.clusters.swapping:_exchanged", "covering.cover": "attacks.covering:_cover",
    "covering.mix": "attacks.incidence:_mix", "covering.deal": "attacks.incidence:_deal",
    "covering.bar": "attacks.method:_bar", "distances.line": "distances.line:_line",
    "distances.surplus": "distances.tree:_surplus", "distances.commonest": "distances.ratios:_commonest",
    "distances.gains": "distances.ratios:_gains", "distances.over_cap": "distances.ratios:_over_cap",
    "distances.tails": "distances.ratios:_tails", "distances.entropies": "distances.divergences:_entropies",
    "distances.kullback_leibler": "distances.divergences:_kullback",
    "distances.jensen_shannon": "distances.divergences:_jensen", "partitions.add_losses": "recoding.boxes:_add_losses",
    "partitions.join": "recoding.merge:_joined", "people.deal_by_share": "person_loops:deal",
    "people.hash_texts": "person_texts:hash_texts", "people.tally_words": "person_texts:tally_words",
    "people.deal_texts": "person_texts:deal_texts", "people.number_texts": "person_texts:number_texts",
}  # fmt: skip
"""Where the kernels of Numba were: those of a module, and those that had another place or name."""


@contextmanager
def other_package(source: Path) -> Iterator[None]:
    """Let ``tclose`` be the package in another source, while it is loaded."""
    here = {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] == "tclose"}
    sys.path.insert(0, str(source))
    try:
        yield
    finally:
        sys.path.remove(str(source))
        for name in [*sys.modules]:
            if name.partition(".")[0] == "tclose":
                del sys.modules[name]
        sys.modules.update(here)


def of_numba(source: Path) -> dict[tuple[str, str], Callable[..., Any]]:
    """Return the kernels of a source that compiled them with Numba."""
    found: dict[tuple[str, str], Callable[..., Any]] = {}
    os.environ["NUMBA_CACHE_DIR"] = tempfile.mkdtemp()  # what it kept of another process does not load here
    with other_package(source):
        for name in kernels.COMPILED:
            for kernel in public(name)[0]:
                module, _, own = NUMBA.get(f"{name}.{kernel}", NUMBA.get(name, "")).partition(":")
                one = getattr(importlib.import_module(f"tclose.{module}"), own or kernel)
                found[name, kernel] = getattr(one, "compiled", one)
        forms = importlib.import_module("tclose.anonymization.algorithms.local_search.costs")
        found["annealing", "forms"] = forms
    return found


def as_numba_took_it(key: tuple[str, str], arguments: tuple[Any, ...], forms: Any) -> tuple[Any, ...]:
    """Return the arguments of a kernel in the order and the form in which Numba's took them."""
    plain = [each[1] if isinstance(each, tuple) and each and isinstance(each[0], str) else each for each in arguments]
    name, kernel = key
    if key == ("annealing", "anneal"):
        costs, limits, units, plan, *rest = plain
        kinds = (forms.Shapes(*costs), forms.Limits(*limits), forms.Crowd(*units), forms.Plan(*plan))
        return (*kinds, *rest)
    if name == "clusters":
        if kernel == "centre":
            (points, *_, lines, _), left, found = plain
            return points, lines, *left[:3], found
        if kernel == "measure":
            (points, nodes, edges, off, lines, levels), left, centre, seed = plain
            return points, lines, nodes, edges, levels, off, *left[:3], centre, seed, left[3]
        return tuple(part for each in plain for part in (each if isinstance(each, tuple) else (each,)))
    if name == "covering" and kernel in ("mix", "deal"):
        begin, end, covers, weights, m, mixed = plain
        return begin, end, *covers, weights.reshape(-1, m), m, mixed.reshape(-1, m)
    if key == ("partitions", "piece_boxes"):
        (part, begin, end, outside), *rest = plain
        return part, begin, end, outside.view(bool), *rest
    if key == ("partitions", "piece_counts"):
        held, widths, bounds, (_, begin, end, outside), *rest = plain
        return *held, widths, bounds, begin, end, outside.view(bool), *rest
    if key == ("people", "mark_people"):
        return (*plain[:3], plain[3].reshape(-1, 3))
    if key == ("people", "number_texts"):
        keys, lengths, words, slots, first, second, numbers = plain
        return keys, lengths, words, slots, np.stack([first, second], axis=1), numbers
    if name == "people":
        own = [np.uint64(each) if isinstance(each, int | np.integer) and each > 2**40 else each for each in plain]
        return tuple(own)
    return tuple(plain)


def copied(argument: Any) -> Any:
    """Return an argument whose arrays nobody else writes to."""
    if isinstance(argument, np.ndarray):
        return argument.copy()
    if isinstance(argument, tuple):
        parts = [copied(each) for each in argument]
        return type(argument)(*parts) if hasattr(argument, "_fields") else tuple(parts)
    return argument


def made(module: str, argument: Any) -> Any:
    """Return an argument as the compiled kernels take it."""
    if isinstance(argument, tuple) and argument and isinstance(argument[0], str):
        return getattr(getattr(kernels, module), argument[0])(*argument[1])
    return argument


class Timed:
    """A kernel on copies of the same arguments; only the kernel itself is timed."""

    def __init__(self, kernel: Callable[..., Any], fresh: Callable[[], tuple[Any, ...]]) -> None:
        self._kernel, self._fresh = kernel, fresh
        self.best = float("inf")

    def __call__(self) -> None:
        total = 0.0
        while total < LEAST_SECONDS:
            arguments = self._fresh()
            begun = perf_counter()
            self._kernel(*arguments)
            took = perf_counter() - begun
            self.best, total = min(self.best, took), total + took + 1e-5


def compared(source: Path | None) -> None:
    """Print how long each kernel takes, and beside Numba's of a source if there is one."""
    calls = recorded()
    old = of_numba(source) if source else {}
    print("| kernel | ms |" + (" Numba, ms | times Numba |" if old else ""))
    print("|---|---|" + ("---|---|" if old else ""))
    for key in sorted(calls):
        name, kernel = key

        def fresh(name: str = name, arguments: tuple[Any, ...] = calls[key]) -> tuple[Any, ...]:
            return tuple(made(name, copied(each)) for each in arguments)

        jobs = {"new": Timed(getattr(getattr(kernels, name), kernel), fresh)}
        if old:

            def fresh_old(key: tuple[str, str] = key, arguments: tuple[Any, ...] = calls[key]) -> tuple[Any, ...]:
                return as_numba_took_it(key, tuple(copied(each) for each in arguments), old["annealing", "forms"])

            jobs["old"] = Timed(old[key], fresh_old)
            jobs["old"]()  # compiles
            jobs["old"].best = float("inf")
        best_of(ROUNDS, **jobs)
        new = jobs["new"].best * 1e3
        line = f"| {name}.{kernel} | {new:.4f} |"
        if old:
            line += f" {jobs['old'].best * 1e3:.4f} | {new / (jobs['old'].best * 1e3):.2f} |"
        print(line, flush=True)
