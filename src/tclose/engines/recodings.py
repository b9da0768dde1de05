"""What becomes of the rows of a table, and how every engine goes about it: the same checks in the same words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, Literal, TypeVar

from tclose.counts import Integers, Ranks
from tclose.errors import EmptyTableError, InputError, InternalError, counted, listed

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
