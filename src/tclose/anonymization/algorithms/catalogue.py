"""The catalogue of methods, and ``auto``, which tries what applies, keeps the least loss and improves it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction

from tclose.anonymization.algorithms.checking import failing_classes
from tclose.anonymization.algorithms.local_search.annealing import anneals, improved, known_to_moves
from tclose.anonymization.algorithms.merge import repaired
from tclose.anonymization.algorithms.partition import (
    Partition,
    check_whole,
    finest,
    levelled,
    published,
    with_all_rows,
)
from tclose.anonymization.algorithms.problem import Problem
from tclose.anonymization.algorithms.search import FindPartition, Search, Tell
from tclose.anonymization.algorithms.suppression import thinned
from tclose.errors import InputError, InternalError, Note, listed, meant
from tclose.models.measuring import Task

AUTO = "auto"
_RUNGS = tuple(Fraction(step, 20) for step in range(19, 0, -1))
"""Stricter thresholds that are tried too, so that a looser one never gives a worse release."""
SIZES = (2, 5, 10, 20, 50, 100)
"""Sizes of classes that are usual: larger ones are tried too where no t is required."""
_TINY = 100
_FEW_CELLS = 1_000
"""Up to so many rows and cells, all stricter thresholds are tried; beyond, until one gains nothing."""
_FOUND = 0.7
"""Which share of the work is finding releases; the rest improves them."""
_IN_VAIN = 2
"""After so many efforts that gained nothing, larger ones are not made."""
_NO_EFFORT = 0.2
"""How much work no effort is, about."""
_SMALL = 5_000
"""Up to so many distinct rows, ``auto`` tries every method, and stricter thresholds."""
_LARGE = 30_000
"""From more distinct rows on, cuts may keep more than moves."""


@dataclass(frozen=True)
class Method:
    """A method as people choose it."""

    key: str
    load: Callable[[], FindPartition]
    """Imports the search and returns it, so that a method that nobody asks for costs nothing."""
    meaning: str
    source: str
    largest: int | None = None
    """``auto`` leaves it out for more distinct rows than this."""
    by_rows: bool = False
    """Whether sensitive values decide to which class each of several rows that look alike belongs."""
    divides: bool = False
    """Whether it can do nothing but divide rows that look alike, so that it is not for people with several rows."""
    uniform: bool = False
    """Whether it promises one level for each column, which an improvement would break."""
    cuts: bool = False
    """Whether it also serves large tables where moves do not: without effort, or with so many rows that these have few
    rounds."""
    moves: bool = False
    """Whether it is a search by moves itself: nothing without effort, and nothing more by stricter thresholds."""
    for_any: bool = False
    """Whether ``auto`` tries it only where someone is taken to know some of the columns, whichever they are."""

    def find(self, problem: Problem, search: Search) -> Partition | None:
        """Return the release that the method finds, checked, or None.

        Methods add up the people who have a value. What these miss who have several is mended by merging, or left to
        stricter thresholds where each column has one level.
        """
        if self.uniform and problem.people is not None:
            problem = replace(problem, people=None)
        found = self._met(problem, search)
        if found is not None or not problem.most_suppressed:
            return found
        return self._met(replace(problem, suppress=Fraction(0)), search) or self._found_thinned(problem, search)

    def _met(self, problem: Problem, search: Search) -> Partition | None:
        found = self._found(problem, search)
        if found is None or not failing_classes(problem, found, own=search.own).any():
            return found
        return repaired(problem, found, search) if problem.people is not None and not self.uniform else None

    def _found_thinned(self, problem: Problem, search: Search) -> Partition | None:
        """Return the release of what is left without rows that no release can have, if there are any."""
        thin = thinned(problem, whole_classes=search.whole_classes)
        found = None if thin is None else self._found(thin.problem, search)
        if thin is None or found is None:
            return None
        lifted = thin.lifted(found)
        return None if failing_classes(problem, lifted, own=search.own).any() else lifted

    def _found(self, problem: Problem, search: Search) -> Partition | None:
        found = self.load()(problem, search)
        if found is None:
            return None
        found = with_all_rows(problem, found)
        check_whole(problem, found)
        if found.suppressed() > problem.most_suppressed:
            raise InternalError(f"The method {self.key} left out more rows than it may.")
        return found


def _any_columns() -> FindPartition:
    from tclose.anonymization.algorithms.any_columns import find

    return find


def _gather() -> FindPartition:
    from tclose.anonymization.algorithms.gather import find

    return find


def _mondrian() -> FindPartition:
    from tclose.anonymization.algorithms.mondrian.mondrian import find

    return find


def _microaggregation() -> FindPartition:
    from tclose.anonymization.algorithms.clusters.microaggregation import find

    return find


def _sabre() -> FindPartition:
    from tclose.anonymization.algorithms.clusters.sabre import find

    return find


def _full_domain() -> FindPartition:
    from tclose.anonymization.algorithms.full_domain.full_domain import find

    return find


def _merge() -> FindPartition:
    from tclose.anonymization.algorithms.merge import find

    return find


METHODS: dict[str, Method] = {
    method.key: method
    for method in (
        Method(
            "any-columns",
            _any_columns,
            "Publishes each column on one level, just so coarse that every combination of as many columns as someone "
            "may know is safe.",
            "tclose",
            for_any=True,
            uniform=True,
        ),
        Method(
            "gather",
            _gather,
            "Moves whole combinations of quasi-identifiers until classes complement each other's sensitive values.",
            "tclose",
            moves=True,
        ),
        Method(
            "mondrian",
            _mondrian,
            "Cuts the table again and again where most detail is gained.",
            "LeFevre, DeWitt, Ramakrishnan 2006; Li, Li, Venkatasubramanian 2010",
            largest=_SMALL,
            cuts=True,
        ),
        Method(
            "microaggregation",
            _microaggregation,
            "Clusters rows that are near each other, with sensitive values spread evenly over clusters.",
            "Soria-Comas, Domingo-Ferrer, Sánchez, Martínez 2015",
            by_rows=True,
        ),
        Method(
            "sabre",
            _sabre,
            "Puts sensitive values into buckets and takes each class from the buckets in proportion.",
            "Cao, Karras, Kalnis, Tan 2011",
            by_rows=True,
            divides=True,
        ),
        Method(
            "full-domain",
            _full_domain,
            "Publishes each column on one level of its hierarchy: the best node of the lattice.",
            "Samarati 2001; LeFevre, DeWitt, Ramakrishnan 2005; Kohlmayer et al. 2012",
            largest=_SMALL,
            uniform=True,
        ),
        Method(
            "merge",
            _merge,
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
    """Return the release of a method, or with ``"auto"`` the best of those that apply; None if there is none.

    What some effort finds is a candidate of every larger one, so that more effort never gives a worse release.
    """
    check_method(key)
    finder = Finder(key, search)
    best: Found | None = None
    for effort, (begin, end) in finder.efforts():
        if best is not None and search.late():
            break
        own = finder.with_effort(problem, effort, search.part(begin, end))
        gained = own is not None and (best is None or own.loss < best.loss)
        best = own if gained else best
        if finder.in_vain(effort, gained=gained):
            break
    return None if best is None else told_if_stopped(best, search)


def efforts_up_to(effort: float) -> tuple[float, ...]:
    """Return the efforts that are made one after the other: none, and the powers of two up to one.

    Each is made in the same way whatever follows it. An effort below 1, which is a share of what somebody asked for, is
    made after none.
    """
    if effort < 1:
        return (0.0, effort) if effort > 0 else (0.0,)
    return (0.0, *(2.0**power for power in range(int(effort).bit_length())))


@dataclass
class Finder:
    """Finds the releases of a method, or of all that apply, with one effort after another."""

    key: str
    search: Search
    _first: list[tuple[Problem, list[Found]]] = field(default_factory=list)
    """What was found without effort, where this does not depend on it."""
    _met: list[tuple[Problem, Found | None]] = field(default_factory=list)
    """The tables as they are, where they meet their requirements."""
    _vain: int = 0

    def efforts(self) -> Iterator[tuple[float, tuple[float, float]]]:
        """Give the efforts in their order, and from which share of the work to which each takes, about.

        By the clock none is made without moves, which gain most soon.
        """
        efforts = efforts_up_to(self.search.effort)
        efforts = efforts[1:] or efforts if self.search.limit is not None else efforts
        works = [max(effort, _NO_EFFORT) for effort in efforts]
        done = 0.0
        for effort, work in zip(efforts, works, strict=True):
            yield effort, (done / sum(works), (done + work) / sum(works))
            done += work

    def in_vain(self, effort: float, *, gained: bool) -> bool:
        """Say whether efforts have gained nothing so often that larger ones are not worth their time."""
        self._vain = 0 if gained or not effort else self._vain + 1
        return self._vain == _IN_VAIN

    def with_effort(self, problem: Problem, effort: float, search: Search) -> Found | None:
        """Return the best release that is found with just this effort, or without any."""
        if (already := self._as_it_is(problem, search)) is not None:
            return already
        here = replace(search, effort=effort)
        first = next((each for posed, each in self._first if posed is problem), None)
        attempts = self._attempts(problem, here, first or [])
        if not (first or attempts) and self.key == AUTO and (last := _last(problem, here)) is not None:
            attempts = [last]
        if first is None and not _is_tiny(problem):
            self._first.append((problem, attempts))
        attempts = [*(first or []), *attempts]
        improvements = _bettered(attempts, problem, here.part(_FOUND, 1.0)) if effort else ()
        return min([*attempts, *improvements], key=lambda each: each.loss, default=None)

    def _as_it_is(self, problem: Problem, search: Search) -> Found | None:
        """Return the table as it is, if it meets the requirements."""
        for posed, each in self._met:
            if posed is problem:
                return each
        self._met.append((problem, _already_met(self.key, problem, search)))
        return self._met[-1][1]

    def _misses(self, problem: Problem, attempt: Found) -> bool:
        """Say whether a release misses what is known of people who have several values."""
        if problem.people is None:
            return False
        return bool(failing_classes(problem, attempt.partition, own=self.search.own).any())

    def _attempts(self, problem: Problem, search: Search, first: list[Found]) -> list[Found]:
        """Return what methods find; those whose releases do not depend on effort are asked once."""
        methods = list(_applying(problem, search)) if self.key == AUTO else [METHODS[self.key]]
        if first:
            methods = [method for method in methods if method.moves]
        attempts: list[Found] = []
        for at, method in enumerate(methods):
            if (first or attempts) and search.late():
                break
            told = search.part(_FOUND * at / len(methods), _FOUND * (at + 1) / len(methods))
            if first or attempts:
                told = replace(told, tell=_with_best(told, min(each.loss for each in [*first, *attempts])))
            attempt = _climbed(method, problem, told)
            if attempt is None or (self.key == AUTO and method.uniform and self._misses(problem, attempt)):
                continue
            attempts.append(attempt)
        return attempts


def _already_met(key: str, problem: Problem, search: Search) -> Found | None:
    """Return the table as it is, on the finest levels, if it meets the requirements: no release can keep more."""
    partition = finest(problem)
    if (partition.sizes() < problem.k).any() or failing_classes(problem, partition, own=search.own).any():
        return None
    note = Note("already-met", "The table meets the requirements as it is: nothing needs to be generalised.")
    noted = replace(partition, notes=(note,))
    return Found("full-domain" if key == AUTO else key, noted, search.loss(problem, partition))


def coarsest_found(problem: Problem, search: Search) -> Found:
    """Return the coarsest release of all rows that the levels allow, whatever a search would say of it."""
    coarse = published(levelled(problem))
    return Found("full-domain", coarse, search.loss(problem, coarse))


def _last(problem: Problem, search: Search) -> Found | None:
    """Return what merging finds, which always ends, where methods that keep more found nothing."""
    merge = METHODS["merge"]
    return None if merge in _applying(problem, search) else _climbed(merge, problem, search)


def told_if_stopped(best: Found, search: Search) -> Found:
    """Return a release with a note if its search was stopped by the clock."""
    if search.limit is None or not search.limit.stopped:
        return best
    note = Note(
        "search-stopped",
        f"The search stopped after {search.limit.seconds:g} seconds, as asked. This is its best release so far; "
        "another run may find another. The recipe makes this one again.",
    )
    return replace(best, partition=replace(best.partition, notes=(*best.partition.notes, note)))


def keeps_together(key: str) -> bool:
    """Say whether a method keeps rows together that look alike, so that no sensitive value decides where a row goes."""
    return key == AUTO or not METHODS[key].by_rows


def check_method(key: str) -> None:
    """Refuse a method that there is not."""
    if key not in METHODS and key != AUTO:
        known = [AUTO, *METHODS]
        raise InputError(f"{key!r} is not a method; there are {listed(known)}.", field="method", hint=meant(key, known))


def _applying(problem: Problem, search: Search) -> Iterator[Method]:
    """Give the methods that ``auto`` tries: by the clock those first that gain most soon."""
    hurried = search.limit is not None
    annealed = search.effort > 0 and anneals(problem, search)
    for method in sorted(METHODS.values(), key=lambda each: hurried and not (each.moves or each.for_any)):
        too_large = method.largest is not None and len(problem.counts) > method.largest
        too_large &= not (method.cuts and not _moves_keep_more(problem, search))
        useless = (method.for_any and problem.any is None) or (method.moves and not annealed)
        if not (too_large or useless or method.by_rows):
            yield method


def _cuts_well(method: Method, problem: Problem, search: Search) -> bool:
    """Say whether a method makes better cuts of a table than moves find, which have few rounds for so many rows."""
    return method.cuts and search.effort > 0 and len(problem.counts) > _LARGE


def _moves_keep_more(problem: Problem, search: Search) -> bool:
    """Say whether a search by moves keeps more of a table than cuts do, as far as was ever measured."""
    few_enough = len(problem.counts) <= _LARGE and problem.any is None
    return few_enough and search.effort > 0 and known_to_moves(problem)


def _is_tiny(problem: Problem) -> bool:
    return problem.rows <= _TINY and problem.codes.size <= _FEW_CELLS


def _climbed(method: Method, problem: Problem, search: Search) -> Found | None:
    """Return the release of a method, also with stricter thresholds where the table is small; keep the least loss."""
    best = _attempt(method, problem, problem, search)
    tiny = _is_tiny(problem)
    if not tiny and (method.moves or len(problem.counts) > _SMALL):
        return best
    patience = len(_RUNGS) if tiny else 1
    for number, stricter in enumerate(_stricter(problem), start=2):
        attempt = _attempt(method, stricter, problem, replace(search, tell=_numbered(search, number)))
        if attempt is not None and (best is None or attempt.loss < best.loss):
            best = attempt
        else:
            patience -= 1
        if patience == 0 or (best is not None and search.late()):
            break
    return best


def _attempt(method: Method, stricter: Problem, problem: Problem, search: Search) -> Found | None:
    """Return the release of a stricter problem, improved if it is tiny, with what it loses by the problem itself."""
    partition = method.find(stricter, search)
    if partition is not None and _is_tiny(problem) and not method.uniform:
        partition = improved(stricter, partition, search)
    return None if partition is None else Found(method.key, partition, search.loss(problem, partition))


def _bettered(attempts: list[Found], problem: Problem, search: Search) -> Iterator[Found]:
    """Give what may be improved, improved, unless each attempt has been; of a large table the best of it alone."""
    movable = sorted((each for each in attempts if not METHODS[each.method].uniform), key=lambda each: each.loss)
    chosen = movable[: 0 if _is_tiny(problem) else len(movable) if len(problem.counts) <= _SMALL else 1]
    for at, each in enumerate(chosen):
        if search.late():
            return
        here = search.part(at / len(chosen), (at + 1) / len(chosen))
        partition = improved(problem, each.partition, here, cold=_cuts_well(METHODS[each.method], problem, search))
        yield Found(each.method, partition, search.loss(problem, partition))


def _numbered(search: Search, number: int) -> Tell:
    return lambda stage, share: search.tell(f"{stage}, try {number}", share)


def _with_best(search: Search, loss: float) -> Tell:
    def tell(stage: str, share: float | None) -> None:
        search.tell(f"{stage} (best loss so far {loss:.4g})", share)

    return tell


def _stricter(problem: Problem) -> Iterator[Problem]:
    """Give the problem with stricter thresholds of t, or of k where no t is required, the nearest first."""
    for key, rungs, strictest in (("t", _RUNGS, min), ("k", map(Fraction, SIZES), max)):
        thresholds = [r.threshold for task in problem.tasks if task.model.key == key for r in task.requirements]
        if not thresholds:
            continue
        for rung in rungs:
            if rung <= problem.rows and any(strictest(each, rung) != each for each in thresholds):
                yield replace(problem, tasks=tuple(_at_least(task, key, rung, strictest) for task in problem.tasks))
        return


def _at_least(task: Task, key: str, rung: Fraction, strictest: Callable[[Fraction, Fraction], Fraction]) -> Task:
    """Return a task that is at least as strict as a rung, if it is of this model."""
    if task.model.key != key:
        return task
    return replace(
        task,
        requirements=tuple(replace(each, threshold=strictest(each.threshold, rung)) for each in task.requirements),
    )
