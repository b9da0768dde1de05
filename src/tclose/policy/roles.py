"""Which column is what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, Literal, get_args

from tclose.errors import RoleConflictError
from tclose.policy.distances import (
    DISTANCES,
    Distance,
    Hierarchical,
    Nominal,
    Numeric,
    Ordered,
    choose,
    distance_named,
    names_of,
    one_name,
    split_name,
)
from tclose.policy.options import ColumnNames, Text, option, spelled, words

__all__ = [
    "DISTANCES", "Distance", "Hierarchical", "Nominal", "Numeric", "Ordered", "Others", "Roles", "Together",
    "distance_named", "split_name",
]  # fmt: skip

EACH_ROW = "row"
"""What ``person`` says where each row is another person."""
IDENTIFIERS_PUBLISHED = "identifiers-published"
"""The code of the note on columns that must not be published."""
Together = Literal["each", "quasi", "joint"]
"""Several sensitive attributes: each alone, the others among the quasi-identifiers, or as one."""
Others = Literal["publish", "remove", "refuse"]
"""What becomes of a column that has no role."""


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
        an identifier, and no release has it, but for pseudonyms. ``"row"`` declares that each row is another person,
        in a table without a column of that name.
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
    remove
        Columns that a release leaves out although they identify nobody.
    undecided
        Columns that somebody must still decide on: they are withheld, and no verb judges or releases a table with one,
        unless ``others`` is ``"remove"``.
    shifted
        Columns of dates that a release publishes shifted: all dates of a person by the same number of days.
    rows_are_people
        Whether each row is another person, as ``person="row"`` says.

    Examples
    --------
    >>> roles = Roles(quasi=["zip", "age"], sensitive=["salary:ordered", "disease"])
    >>> roles.sensitive["salary"]
    Ordered(order='value', nulls='error', round=None)
    >>> roles.sensitive["disease"] is None
    True
    """

    SECTION: ClassVar[str] = "Roles"

    quasi: tuple[str, ...] = option(
        (), kind=ColumnNames(), flags=("-q", "--quasi"), label="the role Quasi-identifier", usual=True, file=False,
        help="A quasi-identifier: what others may know about people.",
    )  # fmt: skip
    sensitive: Mapping[str, Distance | None] = option(
        {}, kind=ColumnNames("NAME[:DISTANCE]"), flags=("-s", "--sensitive"), label="the role Sensitive", usual=True,
        file=False,
        help="A sensitive attribute: ordered, numeric, nominal or hierarchical.",
    )  # fmt: skip
    identifiers: tuple[str, ...] = option(
        (), kind=ColumnNames(), flags=("-i", "--identifier"), label="the role Identifier", file=False,
        help="A column that identifies a person directly.",
    )  # fmt: skip
    together: Together = option(
        "each", kind=words("each", "quasi", "joint"), label="Several sensitive attributes", file=False,
        help="Several sensitive attributes: each alone, the others as quasi-identifiers, or as one.",
    )  # fmt: skip
    person: str | None = option(
        None, kind=Text("COLUMN"), label="the role Person", usual=True, file=False,
        help="The column that identifies people, who are then counted; row: each row is another person.",
    )  # fmt: skip
    publish: tuple[str, ...] = option(
        (), kind=ColumnNames("COLUMN|all"), label="the role Publish as is", file=False,
        help="A column to publish as it is, without protection; all: every column without a role. Repeatable.",
    )  # fmt: skip
    others: Others | None = None
    pseudonym: str | None = option(
        None, kind=Text("COLUMN"), label="the role Pseudonym", file=False,
        help="Publish pseudonyms in place of this column, which identifies people (as --person does).",
    )  # fmt: skip
    shifted: tuple[str, ...] = option(
        (), kind=ColumnNames(), label="the role Shifted", file=False,
        help="Publish dates shifted, all of a person by the same number of days. Repeatable, or a list with commas.",
    )  # fmt: skip

    remove: tuple[str, ...] = ()
    undecided: tuple[str, ...] = ()
    rows_are_people: bool = False

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
        shifted: str | Iterable[str] = (),
        remove: str | Iterable[str] = (),
        undecided: str | Iterable[str] = (),
        *,
        rows_are_people: bool = False,
    ) -> None:
        object.__setattr__(self, "quasi", names_of(quasi))
        object.__setattr__(self, "sensitive", _sensitive(sensitive))
        object.__setattr__(self, "identifiers", names_of(identifiers))
        object.__setattr__(self, "together", together)
        object.__setattr__(self, "person", one_name(pseudonym if person is None else person, "person"))
        object.__setattr__(self, "pseudonym", pseudonym)
        object.__setattr__(self, "shifted", names_of(shifted))
        object.__setattr__(self, "remove", names_of(remove))
        object.__setattr__(self, "undecided", names_of(undecided))
        object.__setattr__(self, "rows_are_people", rows_are_people)
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
            ("shifted", self.shifted),
            ("removed", self.remove),
            ("undecided", self.undecided),
        ]
        if self.pseudonym not in (None, self.person):
            raise RoleConflictError(
                f"Pseudonyms replace the column that tells people apart, {self.person!r}, and not {self.pseudonym!r}.",
                field="pseudonym",
                column=self.pseudonym,
            )
        for role, columns in named:
            for column in columns:
                if column in seen:
                    again = "twice" if seen[column] == role else f"both as {seen[column]} and as {role}"
                    raise RoleConflictError(
                        f"The column {column!r} is named {again}; give it one role, once.", column=column
                    )
                seen[column] = role

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column with a role: quasi-identifiers, sensitive, identifiers, published, shifted, withheld."""
        return (*self.quasi, *self.sensitive, *self.naming, *self.publish, *self.shifted, *self.withheld)

    @property
    def decisions(self) -> dict[str, str]:
        """The role of each column that has one, in the words of policy files."""
        telling = () if self.person is None else (self.person,)
        by_role: dict[str, Iterable[str]] = {
            "quasi-identifier": self.quasi,
            "sensitive": self.sensitive,
            "identifier": [name for name in self.identifiers if name not in telling],
            "person" if self.pseudonym is None else "pseudonym": telling,
            "publish": self.publish,
            "shifted": self.shifted,
            "remove": self.remove,
            "undecided": self.undecided,
        }
        return {name: role for role, names in by_role.items() for name in names}

    @property
    def withheld(self) -> tuple[str, ...]:
        """Columns that are not published although they identify nobody: removed, or still undecided."""
        return (*self.remove, *self.undecided)

    @property
    def shown_people(self) -> tuple[str, ...]:
        """The column that a release has with pseudonyms, if it has one."""
        return () if self.pseudonym is None else (self.pseudonym,)

    def among(self, columns: Iterable[str]) -> Roles:
        """Return the roles of those columns that a table has; who people are is told by the same one in any table."""
        there = {*columns}

        def kept(names: Iterable[str]) -> tuple[str, ...]:
            return tuple(name for name in names if name in there)

        return replace(
            self,
            quasi=kept(self.quasi),
            sensitive={name: self.sensitive[name] for name in kept(self.sensitive)},
            identifiers=kept(self.identifiers),
            publish=kept(self.publish),
            shifted=kept(self.shifted),
            remove=kept(self.remove),
            undecided=kept(self.undecided),
        )

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

    @property
    def steps(self) -> dict[str, Fraction]:
        """What the numbers of sensitive columns are rounded to multiples of, where they are."""
        rounded = {name: distance.round for name, distance in self.sensitive.items() if distance is not None}
        return {name: Fraction(step) for name, step in rounded.items() if step is not None}

    def unnamed(self, columns: Iterable[str]) -> tuple[str, ...]:
        """Return those of a table's columns that have no role."""
        named = {*self.columns}
        return tuple(name for name in columns if name not in named)

    def released(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return those of a table's columns that a release of it has."""
        removed = {*self.naming, *self.withheld} - {*self.shown_people}
        removed |= {*self.unnamed(columns)} if self.others != "publish" else set()
        return tuple(name for name in columns if name not in removed)

    def unprotected(self, columns: Iterable[str]) -> tuple[str, ...]:
        """Return those of a published table's columns that no model protects."""
        named = {*self.quasi, *self.sensitive, *self.naming, *self.withheld}
        return tuple(name for name in columns if name not in named)


spelled(Roles, "Roles(NAME={})")


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
            raise RoleConflictError(f"The column {name!r} is named twice; give it one role, once.", column=name)
        found[name] = distance_named(word) if word else None
    return found
