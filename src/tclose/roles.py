"""Which column is what, and how far apart two sensitive values are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tclose.errors import InputError, RoleConflictError, closest, listed

if TYPE_CHECKING:
    from pathlib import Path

    from tclose.hierarchies import Hierarchy

Together = Literal["each", "quasi", "joint"]
"""Several sensitive attributes: each alone, the others among the quasi-identifiers, or as one."""


@dataclass(frozen=True)
class Ordered:
    """Values on a scale; the distance of two values is the difference of their ranks.

    Parameters
    ----------
    order
        ``"value"`` (default), ``"frequency"`` (descending, ties by value: the tutorial's Merit Points
        example), or the values themselves in their order.
    nulls
        What a missing value means: ``"error"`` (default), ``"drop"``, ``"first"`` or ``"last"``.
    """

    order: str | tuple[object, ...] = "value"
    nulls: str = "error"
    word = "ordered"

    def __post_init__(self) -> None:
        if isinstance(self.order, str):
            _choose("order", self.order, ("value", "frequency"))
        else:
            object.__setattr__(self, "order", tuple(self.order))
            _check_list(self.order)
        _choose("nulls", self.nulls, ("error", "drop", "first", "last"))


@dataclass(frozen=True)
class Numeric:
    """Numbers or dates; the distance of two values is their difference, divided by the range.

    Parameters
    ----------
    nulls
        What a missing value means: ``"error"`` (default) or ``"drop"``.
    """

    nulls: str = "error"
    word = "numeric"

    def __post_init__(self) -> None:
        _choose("nulls", self.nulls, ("error", "drop"))


@dataclass(frozen=True)
class Nominal:
    """Categories; any two different values are equally far apart (the variational distance).

    Parameters
    ----------
    nulls
        What a missing value means: ``"category"`` (default: a value of its own), ``"drop"`` or ``"error"``.
    """

    nulls: str = "category"
    word = "nominal"

    def __post_init__(self) -> None:
        _choose("nulls", self.nulls, ("category", "drop", "error"))


@dataclass(frozen=True)
class Hierarchical:
    """Leaves of a tree; the distance of two values is the height of their lowest common ancestor.

    Parameters
    ----------
    tree
        A :class:`~tclose.hierarchies.Hierarchy`, the path of a hierarchy file, or a nested mapping.
    nulls
        What a missing value means: ``"error"`` (default) or ``"drop"``.
    """

    tree: Hierarchy | Path | str | Mapping[str, object] = field(hash=False)
    nulls: str = "error"
    word = "hierarchical"

    def __post_init__(self) -> None:
        _choose("nulls", self.nulls, ("error", "drop"))


Distance = Ordered | Numeric | Nominal | Hierarchical
"""How far apart two values of a sensitive attribute are."""

DISTANCE_WORDS = ("ordered", "numeric", "nominal", "hierarchical")


@dataclass(frozen=True)
class Roles:
    """The role of each column; columns that are not named stay out of every calculation.

    Parameters
    ----------
    quasi
        Quasi-identifiers: what someone may know of a person.
    sensitive
        Sensitive attributes: a name, names, ``"name:distance"`` texts, or a mapping from name to
        :class:`Ordered`, :class:`Numeric`, :class:`Nominal`, :class:`Hierarchical`, a distance word,
        or None (numbers and dates are then ordered, text is nominal, and the output says so).
    identifiers
        Columns that name a person outright; an audit reports that they are in the table.
    together
        How several sensitive attributes are measured: ``"each"`` alone, ``"quasi"`` (the others count
        among the quasi-identifiers) or ``"joint"`` (their combination as one nominal attribute).

    Examples
    --------
    >>> roles = Roles(quasi=["zip", "age"], sensitive=["salary:ordered", "disease"])
    >>> roles.sensitive["salary"]
    Ordered(order='value', nulls='error')
    >>> roles.sensitive["disease"] is None
    True
    """

    quasi: tuple[str, ...] = ()
    sensitive: Mapping[str, Distance | None] = field(default_factory=dict, hash=False)
    identifiers: tuple[str, ...] = ()
    together: Together = "each"

    def __init__(
        self,
        quasi: str | Iterable[str] = (),
        sensitive: str | Iterable[str] | Mapping[str, Distance | str | None] = (),
        identifiers: str | Iterable[str] = (),
        together: Together = "each",
    ) -> None:
        object.__setattr__(self, "quasi", _names(quasi))
        object.__setattr__(self, "sensitive", _sensitive(sensitive))
        object.__setattr__(self, "identifiers", _names(identifiers))
        object.__setattr__(self, "together", together)
        _choose("together", together, ("each", "quasi", "joint"))
        self._check_conflicts()

    def _check_conflicts(self) -> None:
        seen: dict[str, str] = {}
        named = [
            ("quasi-identifier", self.quasi),
            ("sensitive", self.sensitive),
            ("identifier", self.identifiers),
        ]
        for role, columns in named:
            for column in columns:
                if column in seen:
                    again = "twice" if seen[column] == role else f"both as {seen[column]} and as {role}"
                    raise RoleConflictError(f"The column {column!r} is named {again}; give it one role, once.")
                seen[column] = role

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column with a role, in the order quasi-identifiers, sensitive, identifiers."""
        return (*self.quasi, *self.sensitive, *self.identifiers)


def distance_named(word: str, **options: object) -> Distance:
    """Return the distance that a word such as ``"ordered"`` stands for."""
    kinds = {"ordered": Ordered, "numeric": Numeric, "nominal": Nominal, "hierarchical": Hierarchical}
    if word not in kinds:
        near = closest(word, kinds)
        hint = f" Did you mean {near!r}?" if near else ""
        raise InputError(f"{word!r} is not a distance; it is one of {listed(kinds)}.{hint}")
    if word == "hierarchical" and "tree" not in options:
        raise InputError("A hierarchical attribute needs its hierarchy: Hierarchical(FILE), or --hierarchy NAME=FILE.")
    return kinds[word](**options)  # type: ignore[no-any-return]


def split_name(text: str) -> tuple[str, str | None]:
    """Split ``"salary:ordered"`` into name and distance word; a colon inside a name is left alone."""
    name, colon, word = text.rpartition(":")
    if colon and name and word in DISTANCE_WORDS:
        return name, word
    return text, None


def _names(names: str | Iterable[str]) -> tuple[str, ...]:
    if not isinstance(names, str | Iterable):
        raise InputError(f"Columns are named by text or a list of texts, not by {type(names).__name__}.")
    return (names,) if isinstance(names, str) else tuple(str(name) for name in names)


def _sensitive(
    given: str | Iterable[str] | Mapping[str, Distance | str | None],
) -> dict[str, Distance | None]:
    if isinstance(given, Mapping):
        return {
            str(name): distance_named(distance) if isinstance(distance, str) else distance
            for name, distance in given.items()
        }
    found: dict[str, Distance | None] = {}
    for text in _names(given):
        name, word = split_name(text)
        if name in found:
            raise RoleConflictError(f"The column {name!r} is named twice; give it one role, once.")
        found[name] = distance_named(word) if word else None
    return found


def _choose(what: str, value: object, choices: tuple[str, ...]) -> None:
    if value not in choices:
        raise InputError(f"{what} must be one of {listed(choices)}, not {value!r}.")


def _check_list(order: Iterable[object]) -> None:
    values = list(order)
    if not values:
        raise InputError("An order given as a list needs at least one value.")
    if len(set(map(str, values))) != len(values):
        raise InputError("An order given as a list must name each value once.")
