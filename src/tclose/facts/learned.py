"""What is learned of people by someone who knows their traits and some of their facts: counted and judged."""

from __future__ import annotations

from collections.abc import Sequence

from tclose.facts.counting import Counter, Key, Level
from tclose.facts.database import Database, PersonTable, coded_database
from tclose.facts.drawing import drawn_level, planned
from tclose.facts.findings import FEWER, Candidates, Drawn, Facts, Power
from tclose.facts.measuring import Measuring, tasks_of
from tclose.models.base import Model
from tclose.models.catalogue import Requirement, few, label
from tclose.engines.base import Progress
from tclose.progress import silent


def learned(
    tables: Sequence[PersonTable],
    known: int,
    wanted: Sequence[Requirement] = (),
    *,
    more: Sequence[Model] = (),
    repeated: bool = True,
    budget: int = 10**9,
    progress: Progress = silent,
) -> Facts:
    """Return the figures for someone who knows the traits of a person and at most so many facts.

    Parameters
    ----------
    tables
        Tables about the same people.
    known
        How many facts are known.
    wanted
        What is required.
    more
        Models to measure beside the usual ones and those that are required.
    repeated
        Whether it is known how often a fact is true of a person.
    budget
        At most how many sets of facts of all people together are counted; beyond, some are drawn at random.
    progress
        Told what is being done.
    """
    database = coded_database(tables, known, repeated=repeated, progress=progress)
    try:
        return _Learned(database, known, wanted, more, budget, progress).facts(repeated=repeated)
    finally:
        database.drop()


class _Learned:
    """Counts and judges a database level by level."""

    def __init__(
        self,
        database: Database,
        known: int,
        wanted: Sequence[Requirement],
        more: Sequence[Model],
        budget: int,
        progress: Progress,
    ) -> None:
        self.database, self.known, self.budget = database, known, budget
        self.domains = [each.of_people.domain for each in database.attributes]
        self.fewer_than = few(wanted) if wanted else FEWER
        self.counter = Counter(database, self.fewer_than, progress)
        self.measuring = Measuring(tasks_of([domain.name for domain in self.domains], wanted, more), self.domains)
        self.progress = progress
        self.sets = 0

    def facts(self, *, repeated: bool) -> Facts:
        """Return what was found."""
        most = min(self.known, self.database.largest)
        exact, _ = planned(self.database, most, self.budget)
        try:
            powers = [self._power(self.counter.level(facts), None) for facts in range(exact + 1)]
            if exact < most:
                self.progress("Drawing sets of facts", None)
                powers.append(self._power(*drawn_level(self.counter, most)))
        finally:
            self.counter.drop()
        return Facts(
            asked=self.known,
            largest=self.database.largest,
            repeated=repeated,
            people=self.database.persons,
            tables=self.database.tables,
            fewer_than=self.fewer_than,
            powers=tuple(powers),
            verdicts=tuple(self.measuring.verdicts(self.known, self._read)),
        )

    def _power(self, level: Level, drawn: Drawn | None) -> Power:
        """Return the figures for someone who knows at most as many facts as a level has."""
        self.measuring.add(level)
        self.sets += int(level.groups.sum())
        figures = list(self.measuring.figures(self._read))
        return Power(
            known=level.facts,
            sets=self.sets,
            k=next(figure for task, figure in figures if task.model.key == "k"),
            alone=self.counter.alone,
            fewer=self.counter.fewer,
            attributes={
                domain.name: {label(task.model): figure for task, figure in figures if task.attribute == at}
                for at, domain in enumerate(self.domains)
            },
            drawn=drawn,
        )

    def _read(self, facts: int, key: Key, size: int) -> Candidates:
        """Return who a group is."""
        base, items = self.counter.key(key, facts)
        return Candidates(self.database.base(base), tuple(map(self.database.fact, items)), size)
