"""The catalogue of methods, and ``auto``, which tries what applies and keeps the least loss."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from tclose.counts import Integers
from tclose.errors import InputError, InternalError, closest, listed
from tclose.measuring import Task
from tclose.recoding.checking import failing_classes
from tclose.recoding.partition import Partition, check_whole
from tclose.recoding.problem import Problem, numbered
from tclose.recoding.search import Method, Search, Tell

AUTO = "auto"
_RUNGS = tuple(Fraction(step, 20) for step in range(19, 0, -1))
"""Stricter thresholds that are tried too, so that a looser one never gives a worse release."""
_TINY = 100
_FEW_CELLS = 1_000
"""Up to so many rows and cells, all stricter thresholds are tried; beyond, until one gains nothing."""
_SMALL = 5_000
"""Up to so many distinct rows, ``auto`` tries every method, and stricter thresholds."""
_LARGEST_WHOLE = 60_000
"""Up to so many, it cuts too where whole classes are asked for, because peeling gains less there."""


@dataclass(frozen=True)
class Way:
    """A method as people choose it."""

    key: str
    module: str
    meaning: str
    source: str
    largest: int | None = None
    """``auto`` leaves it out for more distinct rows than this."""
    by_rows: bool = False
    """Whether it works with single rows, so that all rows count and not the distinct ones."""

    def find(self, problem: Problem, search: Search) -> Partition | None:
        """Return the release that the method finds, checked, or None."""
        found = self._found(problem, search)
        if found is None or not failing_classes(problem, found, own=search.own).any():
            return found
        whole = self._found(replace(problem, suppress=Fraction(0)), search) if problem.most_suppressed else None
        return None if whole is None or failing_classes(problem, whole, own=search.own).any() else whole

    def _found(self, problem: Problem, search: Search) -> Partition | None:
        method: Method = importlib.import_module(f"tclose.recoding.{self.module}").find
        found = method(problem, search)
        if found is None:
            return None
        check_whole(problem, found)
        if found.suppressed() > problem.most_suppressed:
            raise InternalError(f"The method {self.key} left out more rows than it may.")
        return found


METHODS: dict[str, Way] = {
    way.key: way
    for way in (
        Way(
            "peel",
            "peel.method",
            "Releases what is already close and generalises only the rest, part by part.",
            "tclose",
        ),
        Way(
            "mondrian",
            "mondrian.method",
            "Cuts the table again and again where most detail is gained.",
            "LeFevre, DeWitt, Ramakrishnan 2006; Li, Li, Venkatasubramanian 2010",
            largest=_SMALL,
        ),
        Way(
            "microaggregation",
            "clusters.microaggregation",
            "Clusters rows that are near each other, with sensitive values spread evenly over clusters.",
            "Soria-Comas, Domingo-Ferrer, Sánchez, Martínez 2015",
            largest=_SMALL,
            by_rows=True,
        ),
        Way(
            "sabre",
            "clusters.sabre",
            "Puts sensitive values into buckets and takes each class from the buckets in proportion.",
            "Cao, Karras, Kalnis, Tan 2011",
            largest=_SMALL,
            by_rows=True,
        ),
        Way(
            "full-domain",
            "full_domain.method",
            "Publishes each column on one level of its hierarchy: the best node of the lattice.",
            "Samarati 2001; LeFevre, DeWitt, Ramakrishnan 2005; Kohlmayer et al. 2012",
            largest=_SMALL,
        ),
        Way(
            "merge",
            "merge",
            "Merges classes that miss a requirement with those beside which least is lost; it always ends.",
            "tclose",
            largest=_SMALL,
        ),
    )
}


@dataclass(frozen=True)
class Found:
    """The best release found, and by which method."""

    method: str
    partition: Partition
    loss: float


def found(key: str, problem: Problem, search: Search) -> Found | None:
    """Return the release of a method, or with ``"auto"`` the best of those that apply; None if there is none."""
    check_method(key)
    if key == AUTO:
        return _best(problem, search)
    partition = METHODS[key].find(problem, search)
    return None if partition is None else Found(key, partition, search.loss(problem, partition))


def check_method(key: str) -> None:
    """Refuse a method that there is not."""
    if key not in METHODS and key != AUTO:
        near = closest(str(key), [*METHODS, AUTO])
        hint = f" Did you mean {near!r}?" if near else ""
        raise InputError(f"{key!r} is not a method; there are {listed([AUTO, *METHODS])}.{hint}")


def _best(problem: Problem, search: Search) -> Found | None:
    """Try the methods that apply, also with stricter thresholds where the table is small; keep the least loss."""
    best = _best_of(problem, search)
    tiny = problem.rows <= _TINY and problem.codes.size <= _FEW_CELLS
    patience = len(_RUNGS) if tiny else 1
    for stricter in _stricter(problem):
        attempt = _best_of(stricter, search)
        if attempt is not None and (best is None or attempt.loss < best.loss):
            best = attempt
        else:
            patience -= 1
        if patience == 0:
            break
    return best if best is not None else found("merge", problem, search)


def _best_of(problem: Problem, search: Search) -> Found | None:
    best: Found | None = None
    for way in METHODS.values():
        size = problem.rows if way.by_rows else len(problem.counts)
        cutting_whole = way.key == "mondrian" and search.whole_classes and size <= _LARGEST_WHOLE
        if way.largest is not None and size > way.largest and not cutting_whole:
            continue
        if search.whole_classes and way.key in ("microaggregation", "sabre"):
            continue
        told = search if best is None else replace(search, tell=_with_best(search, best.loss))
        attempt = found(way.key, problem, told)
        if attempt is not None and (best is None or attempt.loss < best.loss):
            best = attempt
    return best


def _with_best(search: Search, loss: float) -> Tell:
    def tell(stage: str, share: float | None) -> None:
        search.tell(f"{stage} (best loss so far {loss:.4g})", share)

    return tell


def _stricter(problem: Problem) -> Iterator[Problem]:
    """Give the problem with lower thresholds of t, from the highest on, as far as its size allows."""
    thresholds = [r.threshold for task in problem.tasks if task.model.key == "t" for r in task.requirements]
    if not thresholds or len(problem.counts) > _SMALL:
        return
    for rung in _RUNGS:
        if rung < max(thresholds):
            yield replace(problem, tasks=tuple(_at_most(task, rung) for task in problem.tasks))


def _at_most(task: Task, rung: Fraction) -> Task:
    if task.model.key != "t":
        return task
    return replace(
        task, requirements=tuple(replace(each, threshold=min(each.threshold, rung)) for each in task.requirements)
    )


def coarsest(problem: Problem) -> tuple[Integers, int]:
    """Return the class of each row where everything is published on its coarsest level, and how many there are."""
    tops = np.stack(
        [quasi.levels[quasi.top].nodes[problem.codes[:, at]] for at, quasi in enumerate(problem.quasi)], axis=1
    )
    classes = numbered(tops)
    return classes, int(classes.max(initial=-1)) + 1
