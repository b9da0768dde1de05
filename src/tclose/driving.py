"""Which quasi-identifier drives the disclosure: what t would be without each, and on average where that is the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from tclose.inspection import Driving, Inspected, Inspection, Run
from tclose.measuring import Means, Task, merged
from tclose.models.t_closeness import TCloseness
from tclose.results import Averages


def driven(inspection: Inspection, run: Run, found: Inspected, quasi: Sequence[str]) -> list[Driving]:
    """Return, for each attribute, t with each quasi-identifier left out; where none lowers it, on average too.

    Parameters
    ----------
    inspection, run, found
        What was inspected, by which grouping, and what was found.
    quasi
        The quasi-identifiers to leave out, one at a time.
    """
    without: list[dict[str, Fraction]] = [{} for _ in found.domains]
    means: list[dict[str, float | None]] = [{} for _ in found.domains]
    for name in quasi:
        fewer = [other for other in run.quasi if other != name]
        for at, (t, mean) in enumerate(_by_t(inspection, run, found, fewer)):
            without[at][name], means[at][name] = t, mean
    now: list[tuple[Fraction, float | None]] = []
    told = []
    for at, (driving, each) in enumerate(zip(without, means, strict=True)):
        averages = None
        if driving and 0 < min(driving.values()) >= _largest(found, found.domains[at].name):
            now = now or _by_t(inspection, run, found, run.quasi)
            averages = _averages(now[at][1], each)
        told.append(Driving(driving, averages))
    return told


def _by_t(
    inspection: Inspection, run: Run, found: Inspected, quasi: Sequence[str]
) -> list[tuple[Fraction, float | None]]:
    """Return, for each attribute, the largest t of the classes of some quasi-identifiers, and t on average."""
    tasks = [Task(TCloseness(), at) for at in range(len(found.domains))]
    counted = inspection.session.count(inspection.table, quasi, run.names, inspection.progress)
    means = Means(len(tasks))
    tallies = merged(means.of(inspection.parts(run, counted, None, found.ranks, tasks, found.domains)), tasks)
    return [(Fraction(tally.value or 0), means.mean(at)) for at, tally in enumerate(tallies)]


def _largest(found: Inspected, attribute: str) -> Fraction:
    """Return t of an attribute; 0 where it was not measured."""
    mine = (each for each in found.findings if each.attribute == attribute and each.task.model.key == "t")
    return next((Fraction(each.figure.value) for each in mine), Fraction(0))


def _averages(as_is: float | None, without: Mapping[str, float | None]) -> Averages | None:
    known = {name: mean for name, mean in without.items() if mean is not None}
    return Averages(as_is, known) if as_is is not None and len(known) == len(without) else None
