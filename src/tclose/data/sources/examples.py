"""The tables of the tutorial, built in, each with its roles."""

from __future__ import annotations

from dataclasses import dataclass, field

from tclose.errors import Hint, SourceError, closest, listed
from tclose.policy.roles import Nominal, Ordered, Roles

Row = tuple[str | int, ...]


@dataclass(frozen=True)
class Example:
    """A small table with its description and default roles."""

    name: str
    description: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...] = field(repr=False)
    roles: Roles


_HOMES: tuple[tuple[str, str, str], ...] = (
    ("4984 Apple St.", "2C", "power outage"),
    ("4810 Cherry Ave.", "2C", "power outage"),
    ("4075 Grape Blvd.", "2C", "power outage"),
    ("459 Red Cres.", "4F", "theft"),
    ("754 Blue Blvd.", "4F", "fire"),
    ("541 Yellow Lane", "4F", "fatal accident"),
    ("622 Green Ave.", "4F", "fire"),
    ("14002 Square St.", "9A", "sidewalk repair"),
    ("11411 Circle Cres.", "9A", "power outage"),
    ("2032 Rain St.", "3B", "pest control"),
    ("2055 Snow Ave.", "3B", "power outage"),
    ("2091 Cloudy Ave.", "3B", "sidewalk repair"),
    ("2002 Fog Blvd.", "3B", "tree replanting"),
    ("2040 Sunshine St.", "3B", "sidewalk repair"),
)

_PATIENTS: tuple[Row, ...] = (
    ("476**", "2*", 3000, "gastric ulcer"),
    ("476**", "2*", 4000, "gastritis"),
    ("476**", "2*", 5000, "stomach cancer"),
    ("4790*", ">=40", 6000, "gastritis"),
    ("4790*", ">=40", 11000, "flu"),
    ("4790*", ">=40", 8000, "bronchitis"),
    ("476**", "3*", 7000, "bronchitis"),
    ("476**", "3*", 9000, "pneumonia"),
    ("476**", "3*", 10000, "stomach cancer"),
)

_PROJECTS: tuple[Row, ...] = (
    ("E**", 1),
    ("E**", 4),
    ("E**", 2),
    ("U**", 3),
    ("G**", 3),
    ("G**", 4),
    ("G**", 3),
    ("G**", 1),
    ("R**", 4),
    ("R**", 3),
)

_LIST = (
    Example(
        "incidents",
        "Anonymized incidents at homes in a city (Table 2 of the tutorial).",
        ("address", "zone", "incident"),
        tuple(("*", zone, incident) for _, zone, incident in _HOMES),
        Roles(quasi=["zone"], sensitive={"incident": Nominal()}),
    ),
    Example(
        "salary",
        "Anonymized salaries and diseases (Table 3 of the tutorial).",
        ("zip", "age", "salary", "disease"),
        _PATIENTS,
        Roles(quasi=["zip", "age"], sensitive={"salary": Ordered(), "disease": Nominal()}),
    ),
    Example(
        "merit",
        "Anonymized merit points of projects, ordered by frequency (Table 4 of the tutorial).",
        ("project", "merit_points"),
        _PROJECTS,
        Roles(quasi=["project"], sensitive={"merit_points": Ordered(order="frequency")}),
    ),
    Example(
        "disease",
        "Anonymized salaries and diseases, measured on the disease (Table 3 of the tutorial).",
        ("zip", "age", "salary", "disease"),
        _PATIENTS,
        Roles(quasi=["zip", "age"], sensitive={"disease": Nominal()}),
    ),
    Example(
        "original-incidents",
        "Incidents at homes in a city with their addresses, before anonymization (Table 1 of the tutorial).",
        ("address", "zone", "incident"),
        _HOMES,
        Roles(quasi=["zone"], sensitive={"incident": Nominal()}, identifiers=["address"]),
    ),
)

EXAMPLES: dict[str, Example] = {example.name: example for example in _LIST}
"""Every built-in example by name; ``"example:salary"`` addresses one."""


def is_example(table: object) -> bool:
    """Say whether a table is a built-in example, which is about nobody."""
    return isinstance(table, str) and table.startswith("example:")


def example_named(name: str) -> Example:
    """Return a built-in example.

    Examples
    --------
    >>> example_named("merit").columns
    ('project', 'merit_points')
    """
    if name not in EXAMPLES:
        near = closest(name, EXAMPLES)
        hint = Hint("Did you mean {}?", repr(f"example:{near}")) if near else None
        raise SourceError(f"There is no example {name!r}; the examples are {listed(EXAMPLES)}.", hint=hint)
    return EXAMPLES[name]
