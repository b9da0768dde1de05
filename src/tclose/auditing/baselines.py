"""The tables beside the audited one: what classes are compared with, and the people it was drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tclose.data.labels import naming
from tclose.data.values import sizes_of
from tclose.engines.base import Engine, Table
from tclose.errors import ColumnNotFoundError, Hint, InputError, counted, listed
from tclose.models.value_order import Observed
from tclose.policy.exact_numbers import written
from tclose.policy.roles import Roles


def is_joint(roles: Roles) -> bool:
    """Say whether several sensitive attributes are measured as one."""
    return roles.together == "joint" and len(roles.sensitive) > 1


def population_of(session: Engine, population: object | None, roles: Roles) -> Table[Any] | None:
    """Return the table of a population: its people are counted where it tells them apart, else each row is one."""
    if population is None:
        return None
    opened = session.open(population)
    if roles.person is None or roles.person not in [column.name for column in opened.columns]:
        return opened.keep(roles.quasi)
    check_census(session, opened, roles.person)
    return opened.keep([*roles.quasi, roles.person]).counting(roles.person)


def check_census(session: Engine, opened: Table[Any], person: str | None) -> None:
    """Refuse a table beside the audited one with rows that are nobody's."""
    if person is not None:
        session.census(opened.keep([person]), person).check(person, opened.label)


def _check_rounded(name: str, step: Fraction, given: Mapping[object, Any]) -> None:
    """Refuse a given distribution of numbers that no rounded number can be."""
    numbers = [number for number in sizes_of(list(given)) if number is not None]
    strange = sum(1 for number in numbers if number % step)
    if strange:
        raise InputError(
            f"The column {name!r} is rounded to {written(step)}, and its reference gives shares to "
            f"{counted(strange, 'number')} between the multiples of that.",
            field="reference",
            column=name,
            hint=Hint("Give shares to the rounded numbers."),
        )


@dataclass(frozen=True)
class Reference:
    """What classes are compared with, for each attribute."""

    words: str
    given: Mapping[str, Mapping[object, Any]] | None = None
    table: Table[Any] | None = None
    session: Engine | None = None
    seen: Mapping[tuple[str, ...], Observed] | None = None

    @staticmethod
    def of(reference: object | None, session: Engine, roles: Roles) -> Reference:
        """Return what a person named: nothing, shares by value for each attribute, or a table."""
        if reference is None:
            return Reference("the audited table")
        if isinstance(reference, Mapping) and all(isinstance(part, Mapping) for part in reference.values()):
            for name in reference:
                if name not in roles.sensitive:
                    raise ColumnNotFoundError(str(name), roles.sensitive, "reference's", field="reference")
            missing = [name for name in roles.sensitive if name not in reference]
            if missing or is_joint(roles):
                what = "the attributes measured together" if is_joint(roles) else listed(missing)
                raise InputError(
                    f"The reference gives no distribution for {what}.",
                    field="reference",
                    hint=Hint("Give one for each, or name a table."),
                )
            for name, step in roles.steps.items():
                _check_rounded(name, step, reference[name])
            return Reference("a given distribution", given=reference)
        opened = session.rounded(session.open(reference), roles.steps)
        check_census(session, opened, roles.person)
        person = () if roles.person is None else (roles.person,)
        table = opened.keep([*roles.sensitive, *person]).counting(roles.person)
        return Reference(naming("the distribution of {}", table.label), table=table, session=session)

    def for_attribute(self, names: tuple[str, ...]) -> Observed | Mapping[object, Any] | None:
        """Return the values of an attribute there; None where they are the audited table's own."""
        if self.table is not None and self.session is not None:
            counts_people = self.table.person is not None
            return (self.session.values_of_people if counts_people else self.session.values)(self.table, names)
        if self.seen is not None:
            return self.seen.get(names)
        return self.given.get(names[0]) if self.given is not None and len(names) == 1 else None
