"""The verb ``profile``: what the columns of a table are, and which of them point at people."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tclose.data.progress import shows_progress, silent, told_each
from tclose.data.sources.formats import TEXT_FORMATS
from tclose.data.text_encoding import holdable
from tclose.engines.statistics import is_text
from tclose.errors import Note, listed
from tclose.policy.profiling.column_words import ROWS_EACH, STAYS_WITH_A_PERSON, people_in, person_in, word_in
from tclose.policy.profiling.proposals import CLOSEST, FEWEST, proposed_hierarchy, proposed_thresholds
from tclose.policy.profiling.role_suggestions import (
    NEARLY_UNIQUE,
    Confidence,
    Role,
    are_codes,
    suggested,
    suggested_distance,
)
from tclose.policy.profiling.value_shapes import Shape, shape_of
from tclose.policy.profiling.vocabularies import Known, known_columns
from tclose.policy.roles import Distance, Roles

if TYPE_CHECKING:
    from tclose.data.sources import ReadOptions
    from tclose.engines.base import Engine
    from tclose.engines.statistics import ColumnStatistics, TableStatistics
    from tclose.models.value_order import Observed
    from tclose.policy.policy import Policy

_MOST_GROUPED = 5_000
"""Columns of text with more different values get no hierarchy proposed: groups of neighbours would mean nothing."""
_MOST_TEXTS = 1_000
"""Of columns with more different values, some are looked at."""
_SOME_TEXTS = 300
"""About so many of them."""
_SEVERAL_VALUES = 10
"""A key of people has at least so many."""
_TRAITS = 8
"""So many columns are looked at to find what stays the same with a person."""
_TELLING = Fraction(1, 5)
"""A column that separates fewer pairs of rows stays the same by chance."""
_NO_PEOPLE = "If rows that share a value are not of one person, decide on another role."
_STAYS = Fraction(19, 20)
"""A column is one of people, and not of rows, if it is one value for so many of those with several rows."""


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
    confidence: Confidence = "low"
    """How sure the role is: by a standard or by the values themselves, by a name, or not at all."""
    change: str = ""
    """What would make it another role."""

    @property
    def remark(self) -> str:
        """What a policy file says of the column: why it has its role, how sure that is, and what would change it."""
        return f"{self.reason} Confidence: {self.confidence}. {self.change}".rstrip()

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
    """For quasi-identifiers whose values show no hierarchy: the words of one to start from."""
    thresholds: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """For sensitive columns whose distribution does not allow the usual thresholds: those that it allows."""
    null: tuple[str, ...] = field(default=(), repr=False)
    """Codes among numbers that the columns were read with as missing values; the policy reads them so too."""

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
        """Return a policy to start from: the suggested roles and hierarchies, and thresholds to argue about."""
        from tclose.data.sources import ReadOptions
        from tclose.policy.policy import ColumnOptions, Policy, Required

        thresholds: dict[str, dict[str | None, str]] = {"k": {None: "5"}}
        if self.roles.sensitive:
            for key, usual in (("l", FEWEST), ("t", CLOSEST)):
                thresholds[key] = {None: usual}
                thresholds[key] |= {name: by[key] for name, by in self.thresholds.items() if key in by}
        return Policy(
            table=source,
            roles=replace(self.roles, others="refuse"),
            required=Required(require=thresholds),
            columns=ColumnOptions(hierarchies=self.hierarchies),
            read=with_null(read or ReadOptions(), self.null),
        )

    @property
    def open_questions(self) -> tuple[str, ...]:
        """The columns that are still to be decided on: the ones that tell most rows apart first."""
        undecided = [column for column in self.columns if column.role == "undecided"]
        return tuple(column.name for column in sorted(undecided, key=lambda each: -each.separation))

    def _named(self, role: Role) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns if column.role == role)

    def to_dict(self) -> dict[str, Any]:
        """Return the profile as JSON-ready data."""
        from tclose.reports.machine_readable.profiles import profile_data

        return profile_data(self)

    def __str__(self) -> str:
        from tclose.reports.content.profiles import profile_document
        from tclose.reports.formats.text import text

        return holdable(text(profile_document(self)), sys.stdout)

    def _repr_html_(self) -> str:
        from tclose.reports.content.profiles import profile_document
        from tclose.reports.formats.html import fragment
        from tclose.reports.phrases.cells import unfoldered_result

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
    from tclose.engines.dispatch import working_session

    tell = progress or silent
    with working_session(table, read=read, memory=memory, threads=threads, temp=temp) as session:
        tell("Reading the table", None)
        opened = session.open(table)
        found = session.statistics(opened, tell)
        looked = _Looked.of(session, opened, found)
        shaped = [each for each in found.columns if _has_shape(each)]
        texts = looked.texts(shaped)
        every = {column.name: column.distinct <= _MOST_TEXTS for column in shaped}
        looking = told_each([*texts.items()], tell, "Looking at values")
        shapes = {name: shape_of(values, every=every[name]) for name, values in looking}
        codes = _codes_of([each for each in shaped if is_text(each.type)], shapes, texts)
        if codes and (again := _read_as_missing(table, read, codes)) is not None:
            with_codes = profile(table, read=again, memory=memory, threads=threads, temp=temp, progress=progress)
            return replace(with_codes, null=codes)
        known = known_columns([column.name for column in found.columns])
        columns = _placed(found.columns, known, shapes, looked)
        counted = told_each([*zip(columns, found.columns, strict=True)], tell, "Reading values")
        hierarchies, thresholds = _proposed(counted, known, looked)
    return Profile(found.label, found.rows, tuple(columns), found.notes, hierarchies, thresholds)


def profile_as(table: object, name: str, role: Role, *, read: ReadOptions | None = None) -> Profile:
    """Return the profile of one column in a role that somebody gave it, with the settings that its values ask for.

    Parameters
    ----------
    table
        Anything that :func:`tclose.audit` takes.
    name
        The column.
    role
        Its role.
    read
        How to read files.
    """
    from tclose.engines.dispatch import working_session

    with working_session(table, read=read) as session:
        whole = session.open(table)
        known = known_columns([column.name for column in whole.columns])
        opened = whole.keep([name])
        found = session.statistics(opened, silent)
        looked = _Looked.of(session, opened, found)
        (counted,) = found.columns
        few = counted.distinct <= _MOST_TEXTS
        shape = shape_of(looked.texts([counted])[name], every=few) if _has_shape(counted) else None
        distance = suggested_distance(counted, shape)[0] if role == "sensitive" else None
        column = replace(profiled(counted, known.get(name), shape), role=role, distance=distance)
        hierarchies, thresholds = _proposed([(column, counted)], known, looked)
    return Profile(found.label, found.rows, (column,), found.notes, hierarchies, thresholds)


def _proposed(
    columns: Iterable[tuple[ColumnProfile, ColumnStatistics]], known: Mapping[str, Known], looked: _Looked
) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Return the hierarchies and the thresholds that columns need besides the usual ones."""
    hierarchies: dict[str, str] = {}
    thresholds: dict[str, dict[str, str]] = {}
    for column, counted in columns:
        if not 0 < column.distinct <= _MOST_GROUPED:
            continue
        codes = are_codes(counted, known.get(column.name))
        if column.role == "quasi-identifier" and (is_text(column.type) or codes):
            words = proposed_hierarchy(looked.values(column.name), codes=codes)
            hierarchies |= {} if words is None else {column.name: words}
        elif column.role == "sensitive":
            own = proposed_thresholds(looked.values(column.name).counts.tolist(), column.distance)
            thresholds |= {column.name: own} if own else {}
    return hierarchies, thresholds


def _placed(
    counted: Sequence[ColumnStatistics], known: Mapping[str, Known], shapes: Mapping[str, Shape], looked: _Looked
) -> list[ColumnProfile]:
    """Return the columns with their roles: each for itself, then the one that tells people apart."""
    columns = [profiled(column, known.get(column.name), shapes.get(column.name)) for column in counted]
    people = [name for name, each in known.items() if each.role == "person"]
    return _with_person(columns, people) or _with_key(columns, shapes, counted, looked) or columns


def with_null(read: ReadOptions, null: Sequence[str]) -> ReadOptions:
    """Return how to read a file in which more texts stand for a missing value."""
    return replace(read, null=tuple(dict.fromkeys((*read.null, *null)))) if null else read


@dataclass(frozen=True)
class _Looked:
    """The values of columns that were looked at, each column once."""

    session: Engine
    table: Any
    seen: dict[str, Observed] = field(default_factory=dict)

    @classmethod
    def of(cls, session: Engine, opened: Any, found: TableStatistics) -> _Looked:
        """Return a table to be looked at: its columns are kept together, because a file is read for each keeping."""
        names = [column.name for column in found.columns if column.problem is None and column.distinct > 1]
        return cls(session, found.kept or (opened.keep(names) if names else opened))

    def values(self, name: str) -> Observed:
        """Return the different values of a column with their counts."""
        if name not in self.seen:
            self.seen[name] = self.session.values(self.table.keep([name]), (name,))
        return self.seen[name]

    def texts(self, columns: Sequence[ColumnStatistics]) -> dict[str, list[str]]:
        """Return the different values of columns as text; some of them, where a column has very many."""
        shares = {each.name: each.distinct // _SOME_TEXTS if each.distinct > _MOST_TEXTS else 1 for each in columns}
        return self.session.some_texts(self.table, shares) if shares else {}


def _has_shape(column: ColumnStatistics) -> bool:
    """Say whether the values of a column may look like something: texts, and numbers that number things."""
    return column.problem is None and column.distinct > 1 and (is_text(column.type) or column.numbering)


def _codes_of(
    columns: Sequence[ColumnStatistics], shapes: Mapping[str, Shape], texts: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Return the codes that stand among the numbers of columns of text, and are no values of other columns.

    A code is missing in every column of a file, so all texts of the others must be known, unless each is of one form.
    """
    codes = {code for column in columns for code in shapes[column.name].codes}
    for column in columns if codes else ():
        shape = shapes[column.name]
        if not shape.numbers and not shape.key and shape.of_people is None:
            if column.distinct > _MOST_TEXTS:
                return ()
            codes -= {text.strip() for text in texts[column.name]}
    return tuple(sorted(codes))


def _read_as_missing(table: object, read: ReadOptions | None, codes: Sequence[str]) -> ReadOptions | None:
    """Return how to read a file of text whose codes are missing values; None for what is no such file."""
    from tclose.data.sources import FileSource, ReadOptions, Source, locate, read_once

    options = read or ReadOptions()
    if isinstance(table, Source) or read_once(table) or set(codes) <= set(options.null):
        return None  # a source says itself how it is read
    found = locate(table, options=options)
    text = isinstance(found, FileSource) and found.format in TEXT_FORMATS
    return with_null(options, codes) if text else None


def _with_person(columns: Sequence[ColumnProfile], known: Collection[str] = ()) -> list[ColumnProfile] | None:
    """Return the columns with the one that tells people apart by its name or field; None where none does.

    Columns that a vocabulary knows as those of people go before others, then those with most values.
    """
    several = [column for column in columns if _tells_apart(column, known=column.name in known)]
    chosen = max(several, key=lambda each: (each.name in known, each.distinct), default=None)
    if chosen is None:
        return None
    word = person_in(chosen.name) or people_in(chosen.name) or chosen.name
    reason = (
        f"Its name ({word}) says that it tells people apart, and people have several rows "
        f"({chosen.distinct:,} values in {chosen.rows:,} rows): people are counted by it."
    )
    person = replace(
        chosen, role="person", distance=None, reason=reason, change=_NO_PEOPLE,
        confidence="high" if chosen.name in known else "medium",
    )  # fmt: skip
    return [person if each is chosen else each for each in columns]


def _tells_apart(column: ColumnProfile, *, known: bool) -> bool:
    """Say whether a column names people of whom some have several rows; an estimate must be far from one row each."""
    named = known or person_in(column.name) or (people_in(column.name) and ROWS_EACH * column.distinct >= column.rows)
    return bool(named) and _repeats(column)


def _repeats(column: ColumnProfile) -> bool:
    """Say whether a column has several rows for some of its values; an estimate must be far from one row each."""
    most = column.rows if column.exact else int(NEARLY_UNIQUE * column.rows)
    return not column.nulls and 1 < column.distinct < most


def _with_key(
    columns: Sequence[ColumnProfile],
    shapes: Mapping[str, Shape],
    counted: Sequence[ColumnStatistics],
    looked: _Looked,
) -> list[ColumnProfile] | None:
    """Return the columns with the key by which the data shows people who have several rows; None where none does.

    Within such a key, what stays with a person is the same in all rows: sex, birth, and at least one column more.
    """
    numbering = {column.name for column in counted if column.numbering}
    traits = [each.name for each in columns if _may_stay(each)]
    traits = sorted(traits, key=lambda name: word_in(name, STAYS_WITH_A_PERSON) is None)[:_TRAITS]
    if not any(word_in(name, STAYS_WITH_A_PERSON) for name in traits):
        return None
    keys = [
        each for each in columns if _may_be_key(each) and (each.name in numbering or shapes.get(each.name, Shape()).key)
    ]
    for key in sorted(keys, key=lambda each: -each.distinct):
        others = [name for name in traits if name != key.name]
        found = looked.session.steady(looked.table, key.name, others)
        stay = [name for name in others if found.within[name] >= _STAYS * found.several]
        if found.several >= _SEVERAL_VALUES and len(stay) > 1 and any(word_in(n, STAYS_WITH_A_PERSON) for n in stay):
            reason = (
                f"Its values are keys, and rows that share one agree in {listed(stay)} ({key.distinct:,} values in "
                f"{key.rows:,} rows): people are counted by it."
            )
            person = replace(key, role="person", reason=reason, confidence="medium", change=_NO_PEOPLE)
            return [person if each is key else each for each in columns]
    return None


def _may_be_key(column: ColumnProfile) -> bool:
    placed = column.role in ("undecided", "identifier")
    return (
        placed
        and _repeats(column)
        and column.distinct >= _SEVERAL_VALUES
        and column.rows <= ROWS_EACH * column.distinct
    )


def _may_stay(column: ColumnProfile) -> bool:
    """Say whether a column may be what stays with a person, and would not stay by chance."""
    placed = column.role in ("quasi-identifier", "sensitive", "undecided")
    return placed and column.separation >= _TELLING and 2 * column.distinct <= column.rows


def profiled(column: ColumnStatistics, known: Known | None = None, shape: Shape | None = None) -> ColumnProfile:
    """Return a column with the role that its field, its name, its values and its figures suggest."""
    role, reason, confidence, change = suggested(column, known, shape)
    distance: Distance | None = None
    if role == "sensitive":
        distance, remark = suggested_distance(column, shape)
        reason += remark
    pairs = column.rows * (column.rows - 1)
    separation = (
        1 - min(Fraction(1), 2 * column.same_pairs / pairs) if pairs and column.problem is None else Fraction(0)
    )
    return ColumnProfile(
        column.name, column.type, column.rows, column.nulls, column.distinct, separation, column.exact, role,
        distance, reason, confidence, change,
    )  # fmt: skip
