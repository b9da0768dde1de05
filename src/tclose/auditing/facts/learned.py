"""What is learned of people by someone who knows their traits and some of their facts: counted and judged."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tclose.auditing.facts.counting import Counter, Key, Level
from tclose.auditing.facts.database import Database, PersonTable, coded_database
from tclose.auditing.facts.drawing import drawn_level
from tclose.auditing.facts.extending import Extender
from tclose.auditing.facts.findings import FEWER, Candidates, Drawn, Facts, Linked, Power
from tclose.auditing.facts.measuring import Measuring, tasks_of
from tclose.auditing.facts.set_numbers import planned
from tclose.data.progress import silent
from tclose.engines.base import Progress
from tclose.engines.duckdb.table import LoadedTable
from tclose.errors import Ask, ColumnNotFoundError, Hint, InputError
from tclose.models.base import Model
from tclose.models.catalogue import Requirement, few, label
from tclose.models.value_order import Observed
from tclose.policy.parts import KnownFacts
from tclose.policy.roles import Nominal, Roles

References = Callable[[tuple[str, ...]], Observed | Mapping[object, Any] | None]
"""Gives what the people of an attribute are compared with; None where these are the table's own."""
_MOST_JOINED = 3
"""Sets of so many facts are made by joins, which is fastest; larger ones from those that several people have."""
_MOST_LEVELS = 100
"""Sets of more facts are not counted one number of facts after the other: only repeated facts make so many."""
_MOST_SETS = 2**62
"""Numbers of sets are whole numbers of 64 bits."""
_LINKED_ROWS, _LINKED_SETS = 2, 5_000_000
"""How many rows of a person are known, and at most how many sets are counted, where facts were not asked for."""
_DRIVERS_UP_TO = 2_000_000
"""With more sets of facts, nobody looks how many people are alone without each column."""


def learned_of_table(
    table: object,
    roles: Roles,
    asked: KnownFacts,
    wanted: Sequence[Requirement],
    *,
    references: References,
    more: Sequence[Model] = (),
    progress: Progress = silent,
) -> Facts:
    """Return what someone learns who knows facts of the people of one table.

    Parameters
    ----------
    table
        The table as an engine opened it.
    roles
        Which column is what.
    asked
        How many facts are known, and how columns are told apart.
    wanted
        What is required.
    references
        Gives what the people of an attribute are compared with, where these are not the table's own.
    more, progress
        As for :func:`learned`.
    """
    if roles.person is None:
        raise InputError(
            "Nothing says whose each row is, so that nobody has facts.",
            code="facts-without-people",
            field="facts",
            hint=Hint("Name the column that tells people apart: {}.", Ask("person")),
        )
    check_declared(asked, roles.quasi)
    return learned_of_tables([(table, roles)], asked, wanted, references=references, more=more, progress=progress)


def linked_rows(table: object, roles: Roles, asked: KnownFacts, progress: Progress = silent) -> tuple[Linked, ...]:
    """Return how many people are told apart by one of their rows, and by two; empty where that cannot be said.

    It is told beside a verdict that rests on classes, so that what keeps it from being counted is no error: a table of
    another engine, or a column that may be a trait with mistakes.
    """
    known = replace(asked, facts=_LINKED_ROWS, fact_sets=_LINKED_SETS)
    try:
        found = learned_of_table(
            table, replace(roles, sensitive={}), known, (), references=lambda _: None, progress=progress
        )
    except InputError:
        return ()
    drawn = [power.drawn is not None for power in found.powers]
    return tuple(
        Linked(power.known, power.alone, found.people, at_least)
        for power, at_least in zip(found.powers, drawn, strict=True)
        if power.known
    )


def learned_of_tables(
    tables: Sequence[tuple[object, Roles]],
    asked: KnownFacts,
    wanted: Sequence[Requirement],
    *,
    references: References | None = None,
    more: Sequence[Model] = (),
    progress: Progress = silent,
) -> Facts:
    """Return what someone learns who knows facts of the people of several tables, each with its roles."""
    if any(each.any is not None for each in wanted):
        raise InputError(
            "Requirements hold for someone who knows some of the columns, or some facts, not for both at once.",
            field="facts",
            hint=Hint("Leave {} out.", Ask("any")),
        )
    found = [_table_of(table, roles, asked, references) for table, roles in tables]
    names = [" × ".join(each) for one in found for each in one.sensitive]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(
            f"{twice!r} is a sensitive attribute of two tables, whose figures would have one name.",
            field="sensitive",
            column=twice,
            hint=Hint("Rename it in one of them."),
        )
    return learned(
        found, asked.facts or 0, wanted, more=more, repeated=asked.facts_as == "multiset", budget=asked.fact_sets,
        progress=progress,
    )  # fmt: skip


def other_engine() -> InputError:
    """Return the error for a table whose rows stay on a cluster."""
    return InputError(
        "Sets of facts are counted in files, frames and databases, not on Spark.",
        code="facts-engine",
        field="facts",
        hint=Hint("Save the table as Parquet, and audit that."),
    )


def _table_of(table: object, roles: Roles, asked: KnownFacts, references: References | None) -> PersonTable:
    """Return a table with what its columns are."""
    if not isinstance(table, LoadedTable):
        raise other_engine()
    if roles.together == "quasi" and len(roles.sensitive) > 1:
        raise InputError(
            "Sensitive attributes are not counted as quasi-identifiers where facts are known.",
            field="together",
            hint=Hint("Name them as quasi-identifiers, one audit for each, or leave {} out.", Ask("together")),
        )
    joint = roles.together == "joint" and len(roles.sensitive) > 1
    names = [tuple(roles.sensitive)] if joint else [(name,) for name in roles.sensitive]
    given = {} if references is None else {each: found for each in names if (found := references(each)) is not None}
    return PersonTable(
        table,
        (str(roles.person),),
        roles.quasi,
        {each: Nominal() if joint else roles.sensitive[each[0]] for each in names},
        given,
        {name: rule for name, rule in asked.traits.items() if name in roles.quasi},
        tuple(name for name in asked.fact_columns if name in roles.quasi),
    )


def check_declared(asked: KnownFacts, quasi: Sequence[str]) -> None:
    """Refuse columns that were declared to be traits or facts and are no quasi-identifiers, or are both."""
    for field, names in (("traits", asked.traits), ("fact_columns", asked.fact_columns)):
        for name in names:
            if name not in quasi:
                raise ColumnNotFoundError(name, quasi, "quasi-identifying", field=field)
    both = [name for name in asked.fact_columns if name in asked.traits]
    if both:
        raise InputError(
            f"{both[0]!r} was declared to be a trait and part of the facts; it is one of the two.",
            field="fact_columns",
            column=both[0],
        )


def learned(
    tables: Sequence[PersonTable],
    known: int,
    wanted: Sequence[Requirement] = (),
    *,
    more: Sequence[Model] = (),
    repeated: bool = True,
    budget: int = 10**9,
    drivers: bool = True,
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
    drivers
        Whether to look, where there are not many sets, how many people are alone without each column of facts.
    progress
        Told what is being done.
    """
    database = coded_database(tables, known, repeated=repeated, progress=progress)
    try:
        found = _Learned(database, known, wanted, more, budget, progress).facts(repeated=repeated)
    finally:
        database.drop()
    if not drivers or not found.certain or not found.last.alone or found.last.sets > _DRIVERS_UP_TO:
        return found
    return replace(found, drivers=dict(_driven(tables, found, progress)))


def _driven(tables: Sequence[PersonTable], found: Facts, progress: Progress) -> Iterator[tuple[str, int]]:
    """Give each column of facts, with how many people are alone without it."""
    for at, each in enumerate(found.tables):
        for name in each.facts:
            quasi = tuple(column for column in tables[at].quasi if column != name)
            traits = dict.fromkeys(each.traits, "refuse") | dict(tables[at].traits)
            facts = tuple(column for column in each.facts if column != name)
            others = [replace(table, sensitive={}) for table in tables]
            others[at] = replace(others[at], quasi=quasi, traits=traits, facts=facts)
            without = learned(
                others, found.last.known, repeated=found.repeated, budget=_DRIVERS_UP_TO, drivers=False,
                progress=progress,
            )  # fmt: skip
            if without.certain:
                yield (name if len(tables) == 1 else f"{each.label}: {name}"), without.last.alone


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
        self.database, self.known, self.progress = database, known, progress
        self.domains = [each.of_people.domain for each in database.attributes]
        self.fewer_than = few(wanted) if wanted else FEWER
        self.most = min(known, database.largest)
        self.exact = min(planned(database, self.most, budget), _MOST_LEVELS)
        self.counter = self._counter()
        self.measuring = Measuring(tasks_of([domain.name for domain in self.domains], wanted, more), self.domains)
        self.sets = 0

    def _counter(self) -> Counter:
        """Return what counts sets, by joins where they are small."""
        if self.exact <= _MOST_JOINED:
            return Counter(self.database, self.fewer_than, self.progress)
        within = planned(self.database, self.most, _MOST_SETS) == self.most
        return Extender(self.database, self.fewer_than, self.most if within else self.exact, self.progress)

    def facts(self, *, repeated: bool) -> Facts:
        """Return what was found."""
        try:
            powers = list(self._powers())
            verdicts = tuple(self.measuring.verdicts(self.known, self._read))
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
            verdicts=verdicts,
        )

    def _powers(self) -> Iterator[Power]:
        for facts in range(self.exact + 1):
            yield self._power(self.counter.level(facts), None)
            if isinstance(self.counter, Extender) and self.counter.settled and facts < self.counter.most == self.most:
                yield self._power(self.counter.rest(facts + 1), None)
                return
        if self.exact < self.most:
            self.progress("Drawing sets of facts", None)
            yield self._power(*drawn_level(self.counter, self.most))

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
