"""The people of a table, whom one of its columns tells apart: how many there are, and whose rows nobody can tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tclose.errors import Ask, Hint, InternalError, SourceError, counted


@dataclass(frozen=True)
class Census:
    """How many people the rows of a table are of.

    Parameters
    ----------
    rows
        How many rows there are.
    people
        How many different values the column has; a missing value is not one.
    several
        How many people have several rows; None where nobody asked.
    missing
        How many rows have no value.
    """

    rows: int
    people: int
    several: int | None
    missing: int = 0

    def check(self, person: str, label: str) -> None:
        """Refuse rows that are nobody's."""
        if self.missing:
            raise SourceError(
                f"{label} has {counted(self.missing, 'row')} without a value in the column {person!r}, which tells "
                "people apart.",
                code="person-missing",
                field="person",
                column=person,
                hint=Hint(
                    "Leave these rows out, give each the value of its person, or count rows instead of people: {}.",
                    Ask("identifiers", [person]),
                ),
            )


@dataclass(frozen=True)
class Trajectories:
    """The sets of classes that people appear in; somebody whose set nobody else has is unique by it."""

    people: int
    several: int
    """How many people are in several classes."""
    different: int
    """How many different sets there are."""
    unique: int
    """How many people are the only ones with their set."""
    smallest: int
    """How many people share the set that fewest share: k of the trajectories."""

    @staticmethod
    def of(shared: Iterable[Sequence[int]]) -> Trajectories:
        """Return what sets that people share amount to.

        Parameters
        ----------
        shared
            For each number of people who share a set: the number, how many sets are so shared, and how many people of
            these are in several classes.
        """
        rows = [(int(number), int(sets), int(several)) for number, sets, several in shared]
        return Trajectories(
            people=sum(number * sets for number, sets, _ in rows),
            several=sum(several for _, _, several in rows),
            different=sum(sets for _, sets, _ in rows),
            unique=sum(sets for number, sets, _ in rows if number == 1),
            smallest=min(number for number, _, _ in rows),
        )


class AskedOfPeople:
    """What an engine says of the people of a table; one that has no rows is not asked."""

    def census(self, table: Any, person: str, *, several: bool = False) -> Census:
        """Return how many people the rows of a table are of, told apart by a column; who has several, where asked."""
        del table, person, several
        raise self._without_rows()

    def told_by_blanks(self, table: Any, person: str) -> int:
        """Return how many texts of a column are there in several ways that differ only by blanks around them."""
        del table, person
        raise self._without_rows()

    def trajectories(self, table: Any, quasi: Sequence[str], person: str) -> Trajectories:
        """Return by which sets of classes people are told apart."""
        del table, quasi, person
        raise self._without_rows()

    def alone_by_dates(self, table: Any, dates: Sequence[str], person: str | None) -> tuple[int, int]:
        """Return how many people or rows have dates, and how many alone have the days between theirs."""
        del table, dates, person
        raise self._without_rows()

    def _without_rows(self) -> InternalError:
        return InternalError(f"{type(self).__name__} counts classes and has no rows to recode.")


TRAJECTORY_QUERY = (
    "SELECT n AS a, count(*) AS b, CAST(sum(CASE WHEN m > 1 THEN n ELSE 0 END) AS BIGINT) AS c FROM "
    "(SELECT count(*) AS n, max(m) AS m FROM ({listed}) AS t GROUP BY l) AS s GROUP BY n"
)
"""The SQL of trajectories; ``listed`` gives the list of each person's classes as ``l`` with its length as ``m``."""
PEOPLE_QUERY = (
    "SELECT CAST(coalesce(sum(n), 0) AS BIGINT) AS a, count(p) AS b, "
    "count(CASE WHEN p IS NOT NULL AND n > 1 THEN 1 END) AS c, "
    "CAST(coalesce(sum(CASE WHEN p IS NULL THEN n END), 0) AS BIGINT) AS d FROM ({grouped}) AS g"
)
"""The SQL of a census; ``grouped`` gives each value as ``p`` with its number of rows as ``n``."""
BLANKS_QUERY = (
    "SELECT count(*) AS a FROM (SELECT trim(p) AS q FROM {texts} WHERE trim(p) IN "
    "(SELECT trim(p) FROM {texts} WHERE p <> trim(p)) GROUP BY trim(p) HAVING count(DISTINCT p) > 1) AS g"
)
"""The SQL of texts that only blanks tell apart; ``texts`` gives each text as ``p``. Few texts are grouped."""
