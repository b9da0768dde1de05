"""What an audit found: figures, verdicts and the classes behind them, as plain frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from tclose.domains import Domain
from tclose.engines.interface import ClassTable
from tclose.errors import InputError, listed
from tclose.models.base import Model
from tclose.models.catalogue import Requirement, label
from tclose.roles import Distance, Roles

Value = Fraction | int | float
"""A figure: a fraction or whole number where it has one, else a float."""


@dataclass(frozen=True)
class WorstClass:
    """The class that decides a figure; of several, the first in the order of their keys."""

    key: Mapping[str, object] = field(repr=False)
    size: int
    tied: int
    """How many classes share the figure."""


@dataclass(frozen=True)
class Figure:
    """One privacy figure of the table or of an attribute."""

    model: Model
    value: Value
    """Exact where the model has an exact figure."""
    worst: WorstClass | None
    details: Mapping[str, Value] = field(default_factory=dict)
    """Further numbers of the same model, by name."""

    @property
    def exact(self) -> Fraction | int | None:
        """The figure as a fraction or whole number, or None where it has none."""
        return self.value if isinstance(self.value, Fraction | int) else None


@dataclass(frozen=True)
class Verdict:
    """Whether a requirement is met, by how much it is missed and where."""

    requirement: Requirement
    holds: bool
    figure: Figure
    failing_classes: int
    failing_rows: int
    vacuous: bool
    """Whether no class of any table with this reference could fail it."""

    @property
    def attribute(self) -> str | None:
        """The sensitive attribute, or None for a figure of the table."""
        return self.requirement.attribute


@dataclass(frozen=True)
class AttributeAudit:
    """The figures of one sensitive attribute."""

    name: str
    distance: Distance
    values: int
    """How many different values the attribute's domain has."""
    left_out: int
    """Rows that carry no value and were left out."""
    figures: Mapping[str, Figure]
    """By model key."""
    largest_t: Fraction
    """The largest t any class could have; a threshold at or above it is vacuous."""
    notes: tuple[str, ...]
    drivers: Mapping[str, Fraction] | None = None
    """t with each quasi-identifier left out; the lowest marks the one that drives the disclosure."""

    def __getitem__(self, key: str) -> Figure:
        return _figure(self.figures, key, f"attribute {self.name!r}")

    @property
    def t(self) -> Value:
        """The smallest t that the attribute meets."""
        return self["t"].value

    @property
    def l(self) -> Value:  # noqa: E743 - the model's own name
        """The number of different values in the class that has fewest."""
        return self["l"].value


class Evidence(Protocol):
    """The way back from a figure to the counts behind it: the values of one attribute in any one class."""

    @property
    def domain(self) -> Domain:
        """The attribute's values in their order."""
        ...

    @property
    def quasi(self) -> tuple[str, ...]:
        """The columns of a class key."""
        ...

    def histogram(self, key: Mapping[str, object]) -> list[int]:
        """Return how many rows of a class carry each value; all 0 if there is no such class."""
        ...

    def matching(self, key: Mapping[str, object]) -> int:
        """Return how many classes have these values in the columns that are named."""
        ...


@dataclass(frozen=True)
class Audit:
    """What a table gives away, and whether it meets its requirements.

    ``audit["salary"].t`` is a figure, ``audit.holds`` the verdict, ``audit.classes`` every class;
    ``print(audit)`` is the report for people and ``audit.to_json()`` the one for machines.
    """

    source: str
    roles: Roles
    rows: int
    class_count: int
    figures: Mapping[str, Figure]
    """Figures of the whole table, by model key."""
    attributes: Mapping[str, AttributeAudit]
    verdicts: tuple[Verdict, ...]
    reference: str
    """What classes were compared with, in words."""
    notes: tuple[str, ...]
    evidence: Mapping[str, Evidence] = field(repr=False, compare=False)
    """The counts behind the figures, by attribute."""
    tables: Mapping[str | None, ClassTable] = field(repr=False, compare=False)
    """The classes; under None those of the quasi-identifiers, under a name those of an attribute of its own."""

    @property
    def holds(self) -> bool | None:
        """Whether every requirement is met; None if nothing was required."""
        return all(verdict.holds for verdict in self.verdicts) if self.verdicts else None

    @property
    def k(self) -> int:
        """The size of the smallest class."""
        return int(self.figures["k"].value)

    @property
    def classes(self) -> ClassTable:
        """All classes of the quasi-identifiers."""
        return self.tables[None]

    def __getitem__(self, name: str) -> Any:
        """Return an attribute by its name, or a figure of the table by its model's key."""
        if name in self.attributes:
            return self.attributes[name]
        if name in self.figures:
            return self.figures[name]
        known = listed([*self.attributes, *self.figures])
        raise InputError(f"{name!r} is neither an audited attribute nor a figure of the table; there are {known}.")

    def to_dict(self) -> dict[str, Any]:
        """Return the audit as JSON-ready data; ``docs/audit.schema.json`` describes it."""
        from tclose.render.json import audit_data

        return audit_data(self)

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the audit as JSON text."""
        from tclose.render.json import audit_json

        return audit_json(self, indent=indent)

    def to_html(self, *, show_classes: int = 5, redact: bool = False) -> str:
        """Return the audit as a report: a page that stands alone, ready to be printed and signed.

        Parameters
        ----------
        show_classes
            How many of the worst classes to list.
        redact
            Whether to leave out every class key and every value of the table.
        """
        from tclose.render.report import report_html

        return report_html(self, show_classes=show_classes, redact=redact)

    def __str__(self) -> str:
        from tclose.render.text import audit_text

        return audit_text(self)

    def _repr_html_(self) -> str:
        from tclose.render.html import audit_html

        return audit_html(self)


def _figure(figures: Mapping[str, Figure], key: str, where: str) -> Figure:
    if key in figures:
        return figures[key]
    raise InputError(f"{key!r} was not measured for {where}; measure='all' measures every model.")


__all__ = [
    "AttributeAudit", "Audit", "ClassTable", "Figure", "Requirement", "Value", "Verdict", "WorstClass", "label",
]  # fmt: skip
