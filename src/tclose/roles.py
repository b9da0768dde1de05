"""Which column is what, and how far apart two sensitive values are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar, Literal, get_args

from tclose.errors import InputError, RoleConflictError, closest, counted, either, listed
from tclose.letters import visible
from tclose.role_checks import check_list, choose, names_of, one_name

if TYPE_CHECKING:
    from pathlib import Path

    from tclose.hierarchies import Hierarchy

Together = Literal["each", "quasi", "joint"]
"""Several sensitive attributes: each alone, the others among the quasi-identifiers, or as one."""
Others = Literal["publish", "remove", "refuse"]
"""What becomes of a column that has no role."""


class Distance(ABC):
    """How far apart two values of a sensitive attribute are; each kind says everything that others ask about it.

    The sentences are filled in with ``steps`` and ``counted_steps``, what the definition divides by; ``length``, the
    same in the attribute's own units; ``moved``, the part of it that people move; ``share``, that part in per cent;
    ``people``, a chance.
    """

    word: ClassVar[str]
    """Its name in roles, policies and on the command line."""
    null_choices: ClassVar[tuple[str, ...]]
    """What a missing value may mean; the first is what it means unless something else is said."""
    in_units: ClassVar[bool] = False
    """Whether the gaps between values have lengths in units of their own."""
    definition: ClassVar[str]
    work: ClassVar[str]
    """How much a class would have to change to become like the table."""
    apart: ClassVar[str]
    """How far apart two values are, for somebody who looks at a picture."""
    flows: ClassVar[str]
    """What adds up to the distance besides the moves."""
    matching: ClassVar[str] = ""
    """How moves are chosen; empty where a rule can be chosen."""
    nulls: str

    def __post_init__(self) -> None:
        choose("nulls", self.nulls, self.null_choices)

    @property
    @abstractmethod
    def about(self) -> str:
        """The distance in words, without values of the table."""

    @property
    def declared(self) -> dict[str, Any]:
        """What was declared beside the word, under the names that policies have for it."""
        return {"nulls": self.nulls}

    @property
    def has_direction(self) -> bool:
        """Whether values are higher or lower than others."""
        return False

    def without_values(self, stand_in: object) -> Distance:
        """Return the distance with something in the place of values that it lists."""
        del stand_in
        return self


@dataclass(frozen=True)
class Ordered(Distance):
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
    null_choices = ("error", "drop", "first", "last")
    definition = (
        "Sᵢ adds up p − q from the first value to value i: what must be carried over to the next value. "
        "The distance is the sum of all |Sᵢ|, divided by the m − 1 = {steps:,} steps."
    )
    work = (
        "the class would have to move its people {moved} of the {counted_steps} from the first value to the last, on "
        "average"
    )
    apart = "one step is 1/{steps:,}, the whole way 1"
    flows = "the flows over the edges"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.order, str):
            choose("order", self.order, ("value", "frequency"))
        else:
            object.__setattr__(self, "order", tuple(self.order))
            check_list(self.order)

    @property
    def about(self) -> str:
        """The distance in words, without values of the table."""
        if isinstance(self.order, str):
            return f"ordered by {self.order}"
        return f"ordered as declared ({counted(len(self.order), 'value')})"

    @property
    def declared(self) -> dict[str, Any]:
        """What was declared beside the word, under the names that policies have for it."""
        return {**super().declared, "order": self.order}

    @property
    def has_direction(self) -> bool:
        """Whether values are higher or lower than others: not where they stand by how frequent they are."""
        return self.order != "frequency"

    def without_values(self, stand_in: object) -> Ordered:
        """Return the distance with something in the place of values that it lists."""
        return self if isinstance(self.order, str) else replace(self, order=(stand_in,))


@dataclass(frozen=True)
class Numeric(Distance):
    """Numbers or dates; the distance of two values is their difference, divided by the range.

    Parameters
    ----------
    nulls
        What a missing value means: ``"error"`` (default) or ``"drop"``.
    """

    nulls: str = "error"
    word = "numeric"
    null_choices = ("error", "drop")
    in_units = True
    definition = (
        "Sᵢ adds up p − q from the lowest value to value i: what must be carried over the gap to the next value. "
        "The distance is the sum of all |Sᵢ| · gap, divided by the range, {length}."
    )
    work = (
        "the class would have to move its people {moved} of the {length} from the lowest value to the highest, on "
        "average"
    )
    apart = "the whole range of values is 1"
    flows = "the flows over the edges"
    about = "numeric, by difference over range"
    has_direction = True


@dataclass(frozen=True)
class Nominal(Distance):
    """Categories; any two different values are equally far apart (the variational distance).

    Parameters
    ----------
    nulls
        What a missing value means: ``"category"`` (default: a value of its own), ``"drop"`` or ``"error"``.
    """

    nulls: str = "category"
    word = "nominal"
    null_choices = ("category", "drop", "error")
    definition = "Any two values are equally far apart, so the distance is half the sum of all |p − q|."
    work = "{people} people of the class would have to change their value"
    apart = "any two values are 1 apart"
    flows = "the differences of the shares"
    matching = "What can stay stays; any other match costs the same."
    about = "nominal, all values equally far apart"


@dataclass(frozen=True)
class Hierarchical(Distance):
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
    null_choices = ("error", "drop")
    definition = (
        "On each of the {steps:,} levels below the root, the distance is half the sum of all |p − q| between its "
        "groups; the distance of the class is their mean."
    )
    work = "the class would have to move its people {share} of the way up the hierarchy, on average"
    apart = "two values are as far apart as they meet high in the tree: 1/{steps} for each level"
    flows = "the flows up the levels of the tree"
    matching = "What can stay stays; the rest moves within the smallest group that has room for it."

    @property
    def about(self) -> str:
        """The distance in words, without values of the table."""
        if not isinstance(self.tree, str | PurePath):
            return "hierarchical"
        return f"hierarchical, by {visible(PurePath(self.tree).name)}"

    @property
    def declared(self) -> dict[str, Any]:
        """What was declared beside the word, under the names that policies have for it."""
        return {**super().declared, "hierarchy": self.tree}


DISTANCES: dict[str, type[Distance]] = {kind.word: kind for kind in (Ordered, Numeric, Nominal, Hierarchical)}
"""The kinds of distance, by their words."""


@dataclass(frozen=True)
class Roles:
    """The role of each column; columns that are not named stay out of every calculation, and of a release.

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
    person
        The column that tells people apart, where a person may have several rows: everything then counts people. It is
        an identifier, and no release has it, but for pseudonyms.
    together
        How several sensitive attributes are measured: ``"each"`` alone, ``"quasi"`` (the others count
        among the quasi-identifiers) or ``"joint"`` (their combination as one nominal attribute).
    publish
        Columns that a release publishes as they are, without protection; ``"all"`` says so of every other column.
    others
        What becomes of columns that are not named: ``"publish"``, ``"remove"``, or ``"refuse"``, so that a table with
        one is refused, as by a policy that lists columns. Left out, a release removes them.
    pseudonym
        The column that tells people apart, as ``person``, where a release has pseudonyms in its place.
    shift
        Columns of dates that a release publishes shifted: all dates of a person by the same number of days.

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
    person: str | None = None
    publish: tuple[str, ...] = ()
    others: Others | None = None
    pseudonym: str | None = None
    shift: tuple[str, ...] = ()

    def __init__(
        self,
        quasi: str | Iterable[str] = (),
        sensitive: str | Iterable[str] | Mapping[str, Distance | str | None] = (),
        identifiers: str | Iterable[str] = (),
        together: Together = "each",
        person: str | None = None,
        publish: str | Iterable[str] = (),
        others: Others | None = None,
        pseudonym: str | None = None,
        shift: str | Iterable[str] = (),
    ) -> None:
        object.__setattr__(self, "quasi", names_of(quasi))
        object.__setattr__(self, "sensitive", _sensitive(sensitive))
        object.__setattr__(self, "identifiers", names_of(identifiers))
        object.__setattr__(self, "together", together)
        object.__setattr__(self, "person", one_name(pseudonym if person is None else person, "person"))
        object.__setattr__(self, "pseudonym", pseudonym)
        object.__setattr__(self, "shift", names_of(shift))
        object.__setattr__(self, "publish", () if publish == "all" else names_of(publish))
        object.__setattr__(self, "others", "publish" if publish == "all" else others)
        choose("together", together, ("each", "quasi", "joint"))
        choose("others", others, (None, *get_args(Others)))
        self._check_conflicts()

    def _check_conflicts(self) -> None:
        seen: dict[str, str] = {}
        named = [
            ("quasi-identifier", self.quasi),
            ("sensitive", self.sensitive),
            ("identifier", self.identifiers),
            ("person", tuple(name for name in self.naming if name not in self.identifiers)),
            ("published", self.publish),
            ("shifted", self.shift),
        ]
        if self.pseudonym not in (None, self.person):
            raise RoleConflictError(
                f"Pseudonyms replace the column that tells people apart, {self.person!r}, and not {self.pseudonym!r}."
            )
        for role, columns in named:
            for column in columns:
                if column in seen:
                    again = "twice" if seen[column] == role else f"both as {seen[column]} and as {role}"
                    raise RoleConflictError(f"The column {column!r} is named {again}; give it one role, once.")
                seen[column] = role

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column with a role, in the order quasi-identifiers, sensitive, identifiers, published, shifted."""
        return (*self.quasi, *self.sensitive, *self.naming, *self.publish, *self.shift)

    @property
    def shown_people(self) -> tuple[str, ...]:
        """The column that a release has with pseudonyms, if it has one."""
        return () if self.pseudonym is None else (self.pseudonym,)

    @property
    def by_rows(self) -> Roles:
        """The same roles, but that rows are counted."""
        return replace(self, person=None, pseudonym=None)

    @property
    def naming(self) -> tuple[str, ...]:
        """Every column that names a person: the identifiers, and the one that tells people apart."""
        return self.identifiers if self.person in (None, *self.identifiers) else (*self.identifiers, str(self.person))

    @property
    def counted(self) -> tuple[str, ...]:
        """Every column that is needed to count: quasi-identifiers, sensitive, and the one that tells people apart."""
        return (*self.quasi, *self.sensitive, *([] if self.person is None else [self.person]))

    def undecided(self, columns: Iterable[str]) -> tuple[str, ...]:
        """Return those of a table's columns that have no role."""
        named = {*self.columns}
        return tuple(name for name in columns if name not in named)

    def released(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return those of a table's columns that a release of it has."""
        removed = {*self.naming} - {*self.shown_people}
        removed |= {*self.undecided(columns)} if self.others != "publish" else set()
        return tuple(name for name in columns if name not in removed)

    def unprotected(self, columns: Iterable[str]) -> tuple[str, ...]:
        """Return those of a published table's columns that no model protects."""
        named = {*self.quasi, *self.sensitive, *self.naming}
        return tuple(name for name in columns if name not in named)


def distance_named(word: str, **options: object) -> Distance:
    """Return the distance that a word such as ``"ordered"`` stands for."""
    if word not in DISTANCES:
        near = closest(word, DISTANCES)
        hint = f" Did you mean {near!r}?" if near else ""
        raise InputError(f"{word!r} is not a distance; it is one of {listed(DISTANCES)}.{hint}")
    if word == "hierarchical" and "tree" not in options:
        raise InputError(
            f"A hierarchical attribute needs its hierarchy: {either('Hierarchical(FILE)', '--hierarchy NAME=FILE')}."
        )
    return DISTANCES[word](**options)


def split_name(text: str) -> tuple[str, str | None]:
    """Split ``"salary:ordered"`` into name and distance word; a colon inside a name is left alone."""
    name, colon, word = text.rpartition(":")
    if colon and name and word in DISTANCES:
        return name, word
    return text, None


def _sensitive(
    given: str | Iterable[str] | Mapping[str, Distance | str | None],
) -> dict[str, Distance | None]:
    if isinstance(given, Mapping):
        return {
            str(name): distance_named(distance) if isinstance(distance, str) else distance
            for name, distance in given.items()
        }
    found: dict[str, Distance | None] = {}
    for text in names_of(given):
        name, word = split_name(text)
        if name in found:
            raise RoleConflictError(f"The column {name!r} is named twice; give it one role, once.")
        found[name] = distance_named(word) if word else None
    return found
