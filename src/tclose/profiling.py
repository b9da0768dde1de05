"""The verb ``profile``: what the columns of a table are, and which of them point at people."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, cast

from tclose.column_words import (
    KNOWN_OF_PEOPLE,
    MAY_NAME_A_PERSON,
    NAMES_A_PERSON,
    ROWS_EACH,
    SECRET,
    people_in,
    person_in,
    word_in,
)
from tclose.engines.statistics import is_text
from tclose.hierarchies import inferred_hierarchy
from tclose.hierarchies.leaves import is_label
from tclose.letters import holdable
from tclose.notes import Note
from tclose.progress import shows_progress, silent, told_each
from tclose.roles import Distance, Nominal, Ordered, Roles
from tclose.vocabularies import Known, known_columns

if TYPE_CHECKING:
    from tclose.domains import Observed
    from tclose.engines.statistics import ColumnStatistics
    from tclose.policy import Policy
    from tclose.sources import ReadOptions

Role = Literal["identifier", "person", "quasi-identifier", "sensitive", "remove", "undecided"]

NEARLY_UNIQUE = Fraction(19, 20)
"""A column with so many different values for its rows can name each person."""
OFTEN_UNIQUE = Fraction(1, 2)
"""A column called a number, a code or a name does so from here on, and any other is too telling to be published."""
_MOST_GROUPED = 5_000
"""Columns of text with more different values get no hierarchy proposed: groups of neighbours would mean nothing."""
_FEW_TEXTS = 3
"""Up to so many values are published as they are or not at all."""
MOSTLY = 0.5
"""A column is what so many of its values are: addresses of e-mail, sentences."""


@dataclass(frozen=True)
class ColumnProfile:
    """What is known of a column, and the role it seems to have."""

    name: str
    type: str
    rows: int
    nulls: int
    distinct: int
    """Different values; a missing value is not one."""
    separation: Fraction
    """The share of all pairs of rows that the column tells apart."""
    exact: bool
    """Whether ``distinct`` and ``separation`` are counted rather than estimated."""
    role: Role
    distance: Distance | None
    """For a sensitive column: how far apart its values would be taken to be."""
    reason: str

    @property
    def uniqueness(self) -> Fraction:
        """Different values for each row."""
        return Fraction(self.distinct, self.rows)


@dataclass(frozen=True)
class Profile:
    """The columns of a table with suggested roles; suggestions to read and correct, not a verdict."""

    source: str
    rows: int
    columns: tuple[ColumnProfile, ...]
    notes: tuple[Note, ...] = ()
    hierarchies: Mapping[str, str] = field(default_factory=dict)
    """For quasi-identifiers of text whose values show no hierarchy: the words of one to start from."""

    @property
    def roles(self) -> Roles:
        """The suggested roles."""
        return Roles(
            quasi=self._named("quasi-identifier"),
            sensitive={column.name: column.distance for column in self.columns if column.role == "sensitive"},
            identifiers=self._named("identifier"),
            person=next(iter(self._named("person")), None),
            remove=self._named("remove"),
            undecided=self._named("undecided"),
        )

    def policy(self, source: str | None = None, read: ReadOptions | None = None) -> Policy:
        """Return a policy to start from: the suggested roles, and thresholds to argue about."""
        from tclose.policy.policy import ColumnOptions, Policy, Required
        from tclose.sources import ReadOptions

        thresholds: dict[str, dict[str | None, str]] = {"k": {None: "5"}}
        if self.roles.sensitive:
            thresholds |= {"l": {None: "2"}, "t": {None: "0.3"}}
        return Policy(
            table=source,
            roles=replace(self.roles, others="refuse"),
            required=Required(require=thresholds),
            columns=ColumnOptions(hierarchies=self.hierarchies),
            read=read or ReadOptions(),
        )

    def _named(self, role: Role) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.role == role)

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as JSON-ready data."""
        from tclose.render.data.profiles import profile_data

        return profile_data(self)

    def __str__(self) -> str:
        from tclose.render.faces.text import text
        from tclose.render.telling.profiles import profile_document

        return holdable(text(profile_document(self)), sys.stdout)

    def _repr_html_(self) -> str:
        from tclose.render.faces.html import fragment
        from tclose.render.telling.profiles import profile_document
        from tclose.render.words.folders import unfoldered_result

        return fragment(profile_document(unfoldered_result(self)))


@shows_progress
def profile(
    table: object,
    *,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    progress: Callable[[str, float | None], None] | None = None,
) -> Profile:
    """Say of each column what it is, how well it tells people apart, and which role it seems to have.

    Parameters
    ----------
    table
        Anything that :func:`tclose.audit` takes.
    read
        How to read files.
    memory, threads, temp
        What the engine may use: ``"4GB"``, a number of threads, a folder to spill to.
    progress
        Called with a stage and a share done, from time to time.

    Returns
    -------
    Profile
        The columns, without any of their values.

    Examples
    --------
    >>> found = profile("example:salary")
    >>> found.roles.quasi, list(found.roles.sensitive)
    (('zip', 'age'), ['salary', 'disease'])
    """
    from tclose.engines.choosing import working_session

    tell = progress or silent
    with working_session(table, read=read, memory=memory, threads=threads, temp=temp) as session:
        tell("Reading the table", None)
        opened = session.open(table)
        found = session.statistics(opened, tell)
        known = known_columns([column.name for column in found.columns])
        people = [name for name, each in known.items() if each.role == "person"]
        columns = _with_person([profiled(column, known.get(column.name)) for column in found.columns], people)
        texts = [each.name for each in columns if each.role == "quasi-identifier" and _is_short_text(each)]
        seen = {name: session.values(opened.keep([name]), (name,)) for name in told_each(texts, tell, "Reading values")}
    proposed = {name: proposed_hierarchy(values) for name, values in seen.items()}
    hierarchies = {name: words for name, words in proposed.items() if words is not None}
    return Profile(found.label, found.rows, columns, found.notes, hierarchies)


def _is_short_text(column: ColumnProfile) -> bool:
    """Say whether a column is of text with few enough different values to be put into groups."""
    return is_text(column.type) and column.distinct <= _MOST_GROUPED


def proposed_hierarchy(seen: Observed) -> str | None:
    """Return the words of a hierarchy for the values of a column of text; None where they show one themselves.

    Values are put into groups of 2, 4, 8 … neighbours, which keeps more than to publish each as it is or not at all.
    """
    if seen.kind != "text":
        return None
    labels = [at for at, value in enumerate(seen.listed) if value is not None and is_label(str(value))]
    values = [seen.listed[at] for at in labels]
    if not labels or inferred_hierarchy(values, seen.counts[labels], seen.kind, seen.categories) is not None:
        return None
    number = len(labels)
    sizes = [2**power for power in range(1, number.bit_length()) if 2**power < number]
    return f"groups:{','.join(map(str, sizes))}" if number > _FEW_TEXTS else "flat"


def _with_person(columns: Sequence[ColumnProfile], known: Collection[str] = ()) -> tuple[ColumnProfile, ...]:
    """Return the columns, of which that one tells people apart which has most values of those that may.

    Columns that a vocabulary knows as those of people go before others.
    """
    several = [column for column in columns if _tells_apart(column, known=column.name in known)]
    chosen = max(several, key=lambda each: (each.name in known, each.distinct), default=None)
    if chosen is None:
        return tuple(columns)
    word = person_in(chosen.name) or people_in(chosen.name) or chosen.name
    reason = (
        f"Its name ({word}) says that it tells people apart, and people have several rows "
        f"({chosen.distinct:,} values in {chosen.rows:,} rows): people are counted by it."
    )
    return tuple(
        replace(each, role="person", distance=None, reason=reason) if each is chosen else each for each in columns
    )


def _tells_apart(column: ColumnProfile, *, known: bool) -> bool:
    """Say whether a column names people of whom some have several rows; an estimate must be far from one row each."""
    most = column.rows if column.exact else int(NEARLY_UNIQUE * column.rows)
    named = known or person_in(column.name) or (people_in(column.name) and ROWS_EACH * column.distinct >= column.rows)
    return bool(named) and not column.nulls and 1 < column.distinct < most


def profiled(column: ColumnStatistics, known: Known | None = None) -> ColumnProfile:
    """Return a column with the role that its field, its name and its figures suggest."""
    role, reason = suggested(column, known)
    distance: Distance | None = None
    if role == "sensitive":
        distance, remark = suggested_distance(column)
        reason += remark
    pairs = column.rows * (column.rows - 1)
    separation = (
        1 - min(Fraction(1), 2 * column.same_pairs / pairs) if pairs and column.problem is None else Fraction(0)
    )
    return ColumnProfile(
        column.name, column.type, column.rows, column.nulls, column.distinct, separation, column.exact, role,
        distance, reason,
    )  # fmt: skip


def suggested(column: ColumnStatistics, known: Known | None = None) -> tuple[Role, str]:
    """Return the role that a column seems to have, and why; the vocabulary of its field goes before its name."""
    if column.problem is not None:
        return "remove", f"It cannot be read: {column.problem}"
    if column.distinct + (column.nulls > 0) <= 1:
        return "remove", "It is the same in every row."
    uniqueness = Fraction(column.distinct, column.rows)
    if known is not None:
        role = "identifier" if known.role == "person" else known.role
        return cast("Role", role), f"In tables of {known.field} it is: {known.meaning}."
    if word := word_in(column.name, NAMES_A_PERSON):
        return "identifier", f"Its name ({word}) says that it names a person."
    if column.emails > MOSTLY:
        return "identifier", "Most of its values look like e-mail addresses."
    if column.sentences > MOSTLY and uniqueness >= OFTEN_UNIQUE:
        return "remove", "Its values are sentences, which may say anything about anyone."
    if word := word_in(column.name, SECRET):
        return "sensitive", f"Its name ({word}) is that of something people keep to themselves."
    if word := word_in(column.name, KNOWN_OF_PEOPLE):
        return "quasi-identifier", f"Its name ({word}) is that of something others know of a person."
    word = word_in(column.name, MAY_NAME_A_PERSON)
    if word and uniqueness >= OFTEN_UNIQUE:
        return "identifier", f"Its name ({word}) and its many different values point at single people."
    return _by_figures(column, uniqueness)


def _by_figures(column: ColumnStatistics, uniqueness: Fraction) -> tuple[Role, str]:
    """Return the role of a column whose name says nothing; what it is, is not guessed."""
    if column.type.startswith(("DATE", "TIME")):
        return "quasi-identifier", "A date in a person's life is easily known to others."
    if column.sentences > MOSTLY:
        return "remove", "Its values are sentences, which may say anything about anyone."
    if uniqueness >= NEARLY_UNIQUE and column.rows > 1 and not _is_amount(column):
        return "identifier", "Nearly every row has a value of its own."
    if uniqueness >= OFTEN_UNIQUE and column.rows > 1:
        return "undecided", "Its name is not known, and it tells most rows apart. Can others know it of a person?"
    return "undecided", "Its name is not known. Can others know it of a person, is it secret, or is it harmless?"


def _is_amount(column: ColumnStatistics) -> bool:
    """Say whether a column counts or measures; whole numbers do, unless they are numbering."""
    if column.type.startswith(("DOUBLE", "FLOAT", "DECIMAL")):
        return True
    return column.type.endswith(("INT", "INTEGER")) and not column.numbering


def suggested_distance(column: ColumnStatistics) -> tuple[Distance, str]:
    """Return how far apart the values of a sensitive column may be taken to be, and what to say of it."""
    if column.type in {"VARCHAR", "BOOLEAN"}:
        return Nominal(), ""
    if not column.nulls:
        return Ordered(), ""
    remark = f" {column.nulls:,} missing values are left out; 'first' or 'last' would place them."
    return Ordered(nulls="drop"), remark
