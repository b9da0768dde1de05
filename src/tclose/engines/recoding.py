"""What becomes of the rows of a table, and how every engine goes about it: the same checks in the same words."""

from __future__ import annotations

import datetime as dt
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, ClassVar, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from tclose.engines.distinct import lexicographic
from tclose.errors import EmptyTableError, InputError, InternalError, counted, listed
from tclose.models.counts import Integers, Ranks

Made = TypeVar("Made")


@dataclass(frozen=True)
class Added:
    """A column that is published beside a quasi-identifier, and says the same in another way.

    Parameters
    ----------
    name
        What it is called.
    quasi
        The position of the quasi-identifier.
    values
        For each of its labels, what stands there, as a text of the type; None where nothing does.
    type
        Its type.
    """

    name: str
    quasi: int
    values: Sequence[str | None] = field(repr=False)
    type: str


@dataclass(frozen=True)
class Recoding:
    """What becomes of the rows of a table: into which class each goes, and what each class publishes.

    A *piece* is a combination of key values and the class to which rows with these values go. Without
    ``counts`` every such row goes there. With them a combination may have several pieces, and as many rows as
    asked go to each; which ones is decided by the content of the other published columns and the seed.

    Parameters
    ----------
    columns
        The published columns, in their order.
    keys
        The columns whose values decide; the quasi-identifiers are among them.
    values
        For each key, the values that its codes stand for: as the engine gave them, or as texts that read as
        them; None is a missing value.
    codes
        Pieces × keys: the position of each key value in ``values``.
    classes
        The class of each piece, from 0; −1 where its rows are left out of the release.
    counts
        How many rows belong to each piece, or None where the key values alone decide.
    quasi
        The quasi-identifiers, in the order of ``labels`` and the columns of ``cells``.
    labels
        For each quasi-identifier, the labels that may be published; None publishes a missing value.
    cells
        Classes × quasi-identifiers: the position of the published label in ``labels``.
    seed
        Decides ties and the order of the published rows.
    added
        Columns of ``columns`` that the table does not have.
    typed
        Whether labels are texts of values of their columns, and are published in the types of these.
    """

    columns: tuple[str, ...]
    keys: tuple[str, ...]
    values: tuple[Sequence[object], ...] = field(repr=False)
    codes: Ranks = field(repr=False)
    classes: Integers = field(repr=False)
    counts: Integers | None = field(repr=False)
    quasi: tuple[str, ...]
    labels: tuple[Sequence[object], ...] = field(repr=False)
    cells: Ranks = field(repr=False)
    seed: int = 0
    added: tuple[Added, ...] = ()
    typed: bool = False

    @property
    def read(self) -> tuple[str, ...]:
        """The published columns that the table has."""
        names = {each.name for each in self.added}
        return tuple(name for name in self.columns if name not in names)


Unknown = Literal["refuse", "drop"]
"""What becomes of rows whose key values are no piece's."""


class Recoder(ABC, Generic[Made]):
    """One recoding of one table under way in an engine.

    Parameters
    ----------
    recoding
        What becomes of the rows.
    label
        How messages name the table.
    """

    adds_columns: ClassVar[bool] = False
    """Whether columns can be added beside quasi-identifiers, and quasi-identifiers published in their own types."""

    def __init__(self, recoding: Recoding, label: str) -> None:
        if recoding.added and not self.adds_columns:
            raise InputError(
                f"{listed(each.name for each in recoding.added)} cannot be added in a database or on Spark. Save the "
                "table as Parquet there, and anonymize that, or publish the text alone."
            )
        if recoding.typed and not self.adds_columns:
            raise InputError(
                "Points cannot be published in a database or on Spark. Save the table as Parquet there, and anonymize "
                "that, or publish the cells.",
                field="points",
            )
        if "" in recoding.columns:
            raise InputError("A column without a name cannot be published. Give it a name.")
        self.recoding = recoding
        self.label = label

    def recoded(self, unknown: Unknown) -> Made:
        """Return what the recoding publishes; rows that it does not know are refused or dropped."""
        if self.divided and self.recoding.counts is None:
            raise InternalError("A recoding sends the same rows to several classes.")
        unmatched = self.unmatched()
        if unmatched and self.recoding.counts is None and unknown == "refuse":
            raise InputError(
                f"The recoding does not say what becomes of {counted(unmatched, 'row')} of {self.label}: it was made "
                "for other values. Make a new recoding, or drop such rows."
            )
        if self.recoding.counts is not None and (unmatched or not self.as_counted()):
            raise self.other_table()
        published = self.published()
        if not published:
            raise EmptyTableError(f"The recoding leaves out every row of {self.label}; there is nothing to release.")
        return self.released(published, unmatched)

    def other_table(self) -> InputError:
        """Return that the table is not the one that the recoding was made for."""
        return InputError(
            f"The recoding says how many rows each class takes, and {self.label} does not have just those rows. "
            "Make a new recoding for this table."
        )

    @property
    @abstractmethod
    def divided(self) -> bool:
        """Whether rows of the same key values go to several pieces."""

    @abstractmethod
    def unmatched(self) -> int:
        """Return how many rows belong to no piece."""

    @abstractmethod
    def as_counted(self) -> bool:
        """Say whether each piece has as many rows as the recoding says."""

    @abstractmethod
    def published(self) -> int:
        """Return how many rows are published."""

    @abstractmethod
    def released(self, published: int, unmatched: int) -> Made:
        """Return the rows that are published."""

    @property
    def _added(self) -> list[str]:
        return [each.name for each in self.recoding.added]

    def keeps_type(self, name: str) -> bool:
        """Say whether a published column has the original's type; the label of a quasi-identifier is text."""
        return (self.recoding.typed or name not in self.recoding.quasi) and name not in self._added

    def place(self, name: str, others: Sequence[str]) -> str:
        """Return where a published cell is: a label ``q0``, beside it ``a0``, a key value ``k0``, a row's ``o0``."""
        if name in self._added:
            return f"a{self._added.index(name)}"
        if name in self.recoding.quasi:
            return f"q{self.recoding.quasi.index(name)}"
        if name in self.recoding.keys:
            return f"k{self.recoding.keys.index(name)}"
        return f"o{others.index(name)}"


# The pieces of a recoding, as every engine reads them: numbers as columns, values and labels as texts.


_WHOLE = frozenset(
    {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "HUGEINT", "UHUGEINT"}
)
_PLAIN = re.compile(r"-?[0-9]+")
_DAY = re.compile(r"-?[0-9]{4,}-[0-9]{1,2}-[0-9]{1,2}( \(BC\))?")


def check_shapes(recoding: Recoding) -> None:
    """Refuse a recoding whose parts do not fit together."""
    pieces, classes = len(recoding.classes), len(recoding.cells)
    counts = recoding.counts
    whole = (
        recoding.codes.shape == (pieces, len(recoding.keys))
        and recoding.cells.shape == (classes, len(recoding.quasi))
        and len(recoding.labels) == len(recoding.quasi)
        and len(recoding.values) == len(recoding.keys)
        and set(recoding.quasi) <= set(recoding.keys)
        and (counts is None or (len(counts) == pieces and not (counts < 0).any()))
        and (pieces == 0 or (int(recoding.classes.max()) < classes and int(recoding.classes.min()) >= -1))
    )
    if not whole:
        raise InternalError("The parts of a recoding do not fit together.")


def folded(recoding: Recoding) -> Recoding:
    """Return a recoding whose pieces that publish the same are one, and whose keys are published.

    It needs the counts of the pieces. Where few pieces publish the same, it is the recoding itself.
    """
    pieces, counts = len(recoding.classes), recoding.counts
    shown = [at for at, key in enumerate(recoding.keys) if key in recoding.read and key not in recoding.quasi]
    spans = [len(recoding.values[at]) for at in shown]
    span = math.prod(spans)
    if counts is None or (len(recoding.cells) + 1) * span > pieces:
        return recoding
    cells = recoding.classes + 1
    for at in shown:
        cells = cells * len(recoding.values[at]) + recoding.codes[:, at]
    together = np.zeros((len(recoding.cells) + 1) * span, dtype=np.int64)
    np.add.at(together, cells, counts)
    seen = np.zeros(len(together), dtype=bool)
    seen[cells] = True
    found = np.flatnonzero(seen)
    codes = np.unravel_index(found % span, spans) if shown else ()
    return replace(
        recoding,
        keys=tuple(recoding.keys[at] for at in shown),
        values=tuple(recoding.values[at] for at in shown),
        codes=np.stack(codes, axis=1).astype(np.int32) if shown else np.zeros((len(found), 0), dtype=np.int32),
        classes=found // span - 1,
        counts=together[found],
    )


def piece_columns(recoding: Recoding) -> dict[str, NDArray[Any]]:
    """Return the numbers of the pieces as columns.

    They are ``piece``, the piece's number; ``kept``, whether it is published; ``n``, its rows if they are given;
    ``first``, the first piece of the same key values; ``parts``, how many there are; ``low``, how many rows the earlier
    ones take; ``k0``, ``k1`` …, the codes of its key values; ``q0``, ``q1`` …, those of the labels it publishes.
    """
    pieces = len(recoding.classes)
    kept = recoding.classes >= 0
    counts = np.zeros(pieces, dtype=np.int64) if recoding.counts is None else recoding.counts.astype(np.int64)
    columns = {"piece": np.arange(pieces, dtype=np.int64), "kept": kept, "n": counts}
    columns["first"], columns["parts"], columns["low"] = _shared(recoding, counts)
    for at in range(len(recoding.keys)):
        columns[f"k{at}"] = np.ascontiguousarray(recoding.codes[:, at])
    published = recoding.classes[kept]
    for at in range(len(recoding.quasi)):
        cells = np.full(pieces, -1, dtype=np.int32)
        cells[kept] = recoding.cells[published, at]
        columns[f"q{at}"] = cells
    return columns


def _shared(recoding: Recoding, counts: Integers) -> tuple[Integers, Integers, Integers]:
    """Return, for each piece, the first of the same key values, how many there are, and the rows before it."""
    order = lexicographic(recoding.codes, [len(values) for values in recoding.values])
    sorted_codes = recoding.codes[order]
    begins = np.ones(len(order), dtype=bool)
    begins[1:] = (sorted_codes[1:] != sorted_codes[:-1]).any(axis=1)
    starts = np.flatnonzero(begins)
    group = np.cumsum(begins) - 1
    before = np.cumsum(counts[order]) - counts[order]
    first, parts, low = (np.empty(len(order), dtype=np.int64) for _ in range(3))
    first[order] = order[starts][group]
    parts[order] = np.diff(np.append(starts, len(order)))[group]
    low[order] = before - before[starts][group]
    return first, parts, low


def text_of(value: object) -> str | None:
    """Return the text that reads as a value."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, np.generic) and not isinstance(value, np.datetime64):
        value = value.item()
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, dt.timedelta):
        return f"{value // dt.timedelta(microseconds=1)} microseconds"
    if isinstance(value, bytes | bytearray):
        return "".join(f"\\x{byte:02X}" for byte in value)
    return str(value)


def reads_exactly(text: object, kind: str) -> bool:
    """Say whether what may be a text is a value of a type as it stands, so that reading it does not round it."""
    if not isinstance(text, str):
        return True
    if kind == "DATE":
        return _DAY.fullmatch(text.strip()) is not None
    if kind in _WHOLE:
        return _multiple(text, 0)
    if kind.startswith("DECIMAL("):
        return _multiple(text, int(kind.rstrip(")").partition(",")[2]))
    return True


def _multiple(text: str, digits: int) -> bool:
    """Say whether a text is a number with at most so many digits after the decimal mark."""
    if _PLAIN.fullmatch(text):
        return True
    try:
        number = Decimal(text)
        return number.is_finite() and (Fraction(number) * 10**digits).denominator == 1
    except InvalidOperation:
        return False
