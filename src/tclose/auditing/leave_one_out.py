"""Which quasi-identifier drives the disclosure: what t would be without each, and on average where that is the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from tclose.auditing.measurement import Driving, Inspected, Inspection, Run
from tclose.auditing.results import Averages
from tclose.models.closeness import TCloseness
from tclose.models.counts import Part, joined
from tclose.models.measuring import Means, Measured, Task, measured, merged
from tclose.models.subsets import SubsetNumbers, merged_part

_FEW_ROWS = 40_000
"""Up to so many rows all classes are held together, and classes of fewer columns are merged from them."""


def driven(inspection: Inspection, run: Run, found: Inspected, quasi: Sequence[str]) -> list[Driving]:
    """Return, for each attribute, t with each quasi-identifier left out; where none lowers it, on average too.

    Parameters
    ----------
    inspection, run, found
        What was inspected, by which grouping, and what was found.
    quasi
        The quasi-identifiers to leave out, one at a time.
    """
    grouped = _Grouped(inspection, run, found)
    without: list[dict[str, Fraction]] = [{} for _ in found.domains]
    means: list[dict[str, float | None]] = [{} for _ in found.domains]
    for name in quasi:
        fewer = [other for other in run.quasi if other != name]
        for at, (t, mean) in enumerate(grouped.by_t(fewer)):
            without[at][name], means[at][name] = t, mean
    now: list[tuple[Fraction, float | None]] = []
    told = []
    for at, (driving, each) in enumerate(zip(without, means, strict=True)):
        averages = None
        if driving and 0 < min(driving.values()) >= _largest(found, found.domains[at].name):
            now = now or grouped.by_t(run.quasi)
            averages = _averages(now[at][1], each)
        told.append(Driving(driving, averages))
    return told


class _Grouped:
    """The classes of some of the quasi-identifiers: merged from those of all where they are few, else grouped anew."""

    def __init__(self, inspection: Inspection, run: Run, found: Inspected) -> None:
        self._inspection, self._run, self._found = inspection, run, found
        self._tasks = [Task(TCloseness(), at) for at in range(len(found.domains))]
        self._whole = self._held()

    def _held(self) -> tuple[Part, SubsetNumbers] | None:
        """Return all classes; None where they are many, or where a person may be in several of them."""
        counted = self._found.counted
        if self._inspection.table.person is not None or counted.rows > _FEW_ROWS:
            return None
        whole = self._found.whole or joined(list(counted.map(self._found.ranks, lambda part: part)))
        return whole, SubsetNumbers(counted.codes(whole.keys))

    def by_t(self, quasi: Sequence[str]) -> list[tuple[Fraction, float | None]]:
        """Return, for each attribute, the largest t of the classes of some quasi-identifiers, and t on average."""
        means = Means(len(self._tasks))
        tallies = merged(means.of(self._measured(quasi)), self._tasks)
        return [(Fraction(tally.value or 0), means.mean(at)) for at, tally in enumerate(tallies)]

    def _measured(self, quasi: Sequence[str]) -> Iterator[Measured]:
        inspection, run, found = self._inspection, self._run, self._found
        if self._whole is not None:
            whole, numbers = self._whole
            united = merged_part(whole, *numbers.of(tuple(map(run.quasi.index, quasi))))
            return iter([measured(united, self._tasks, found.domains)])
        counted = inspection.session.count(inspection.table, quasi, run.names, inspection.progress)
        return inspection.parts(run, counted, None, found.ranks, self._tasks, found.domains)


def _largest(found: Inspected, attribute: str) -> Fraction:
    """Return t of an attribute; 0 where it was not measured."""
    mine = (each for each in found.findings if each.attribute == attribute and each.task.model.key == "t")
    return next((Fraction(each.figure.value) for each in mine), Fraction(0))


def _averages(as_is: float | None, without: Mapping[str, float | None]) -> Averages | None:
    known = {name: mean for name, mean in without.items() if mean is not None}
    return Averages(as_is, known) if as_is is not None and len(known) == len(without) else None
