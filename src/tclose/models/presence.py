"""δ-presence: how surely someone of the population is in the table."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tclose.errors import InternalError
from tclose.models.base import ClassFigures, TableModel
from tclose.models.counts import Integers


@dataclass(frozen=True)
class _Presence(TableModel):
    title = "δ-presence"
    source = "Nergiz, Atzori, Clifton 2007"
    paper = "M. E. Nergiz, M. Atzori, C. Clifton: Hiding the presence of individuals from shared databases, SIGMOD 2007"
    bounds = (0, 1)
    needs_population = True

    def measure(self, sizes: Integers, population: Integers | None) -> ClassFigures:
        """Return f/F of each class."""
        if population is None:
            raise InternalError("δ-presence was asked for without a population.")
        return ClassFigures(sizes / population, (sizes, population))

    def exact(self, domain: object, *parts: int) -> Fraction:
        """Return the share as a fraction."""
        del domain
        return Fraction(parts[0], parts[1])


@dataclass(frozen=True)
class PresenceAtMost(_Presence):
    """The largest share of a class of the population that is in the table, at most δ_max."""

    key = "presence_max"
    meaning = "Whoever finds a person in the population learns that they are in the table with at most this chance."
    limit = "learning a sensitive value of someone who is known to be in the table"
    formula = "δ_max = max over classes of f/F"
    remarks = "`--presence LOW,HIGH` requires both bounds at once."
    good = "low"
    example = "0.5"


@dataclass(frozen=True)
class PresenceAtLeast(_Presence):
    """The smallest share of a class of the population that is in the table, at least δ_min.

    Only the table's own classes count, as for every figure here; people of the population whom nobody in
    the table looks like are surely not in it, which no requirement on the table can change.
    """

    key = "presence_min"
    meaning = "Whoever looks like someone in the table is in it with at least this chance."
    limit = "learning a sensitive value of someone who is known to be in the table"
    formula = "δ_min = min over classes of f/F"
    remarks = "Only the table's own classes count. `--presence LOW,HIGH` requires both bounds at once."
    good = "high"
    example = "0.1"
