"""The Hierarchy: one row per leaf, from the leaf up to the root that all leaves share."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tclose.data.values import respelled
from tclose.errors import HierarchyError, Hint

Row = tuple[str, ...]
_SHOWN = 5
"""How many places of values a message names."""


class UncoveredValuesError(HierarchyError):
    """Values of a column are not leaves of its hierarchy; ``missing`` holds them, the message only their places.

    Parameters
    ----------
    missing
        The values.
    column
        The column, if it has a name.
    places
        Where they stand among the column's distinct values in the order of their texts, from 1 on.
    """

    def __init__(self, missing: Iterable[str], column: str | None = None, places: Sequence[int] = ()) -> None:
        self.missing = tuple(missing)
        whose = f" of {column!r}" if column else ""
        what = "1 value is" if len(self.missing) == 1 else f"{len(self.missing):,} values are"
        first = ", ".join(f"{place:,}" for place in places[:_SHOWN])
        where = f" (of its distinct values in the order of their texts, number {first}" if places else ""
        where += f"{', …' * (len(places) > _SHOWN)})" if places else ""
        super().__init__(
            f"The hierarchy{whose} does not cover its column: {what} not among its leaves{where}.",
            code="hierarchy-lacks-values",
            field="hierarchies",
            column=column,
            hint=Hint("Add a row for each, or correct their spelling."),
        )


@dataclass(frozen=True, repr=False)
class Hierarchy:
    """A tree over values, as a table: level 0 holds the leaves, the last level one root.

    A node is a label on a level, so the height of a node is its level, and the distance of two leaves is
    the first level on which they share a label, divided by the height of the tree. The same label on
    consecutive levels (padding) is one branch that goes straight up.

    Parameters
    ----------
    rows
        One row per leaf: the leaf, its ancestors, the root; all rows equally long. Exact repetitions
        of a row are dropped.
    rule
        The words of the rule that made the rows, where it says what becomes of any other value too, such as
        ``intervals:5,10``; :mod:`tclose.data.hierarchies.rules` follows it.

    Raises
    ------
    HierarchyError
        When the rows are no such tree: none at all, rows of different lengths, a blank label, a leaf or
        a label with two different parents, no single root, or nothing below the root.

    Examples
    --------
    >>> lungs = Hierarchy((("flu", "lung", "*"), ("pneumonia", "lung", "*"), ("colitis", "colon", "*")))
    >>> lungs
    Hierarchy(3 leaves, height 2)
    >>> lungs.ancestor("flu", 1)
    'lung'
    >>> lungs.codes(["colitis", "flu", "pneumonia"]).tolist()
    [[0, 1, 2], [0, 1, 1]]
    """

    rows: tuple[Row, ...]
    rule: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        rows = tuple(tuple(row) for row in self.rows)
        check_shape(rows, [f"row {number}" for number in range(1, len(rows) + 1)])
        check_tree(rows)
        object.__setattr__(self, "rows", tuple(dict.fromkeys(rows)))

    def __repr__(self) -> str:
        return f"Hierarchy({len(self.rows)} leaves, height {self.height})"

    @property
    def height(self) -> int:
        """The level of the root: the number of levels less one."""
        return len(self.rows[0]) - 1

    @property
    def leaves(self) -> tuple[str, ...]:
        """The values the hierarchy covers, in the order of its rows."""
        return tuple(row[0] for row in self.rows)

    @cached_property
    def _row_of(self) -> dict[str, Row]:
        return {row[0]: row for row in self.rows}

    def __contains__(self, value: object) -> bool:
        return value in self._row_of

    def ancestor(self, leaf: str, level: int) -> str:
        """Return the label that stands for a leaf on a level (0: the leaf itself)."""
        if not 0 <= level <= self.height:
            raise HierarchyError(f"There is no level {level}; the hierarchy has the levels 0 to {self.height}.")
        return self.row(leaf)[level]

    def row(self, leaf: str) -> Row:
        """Return a leaf and the labels that stand for it on the levels above."""
        if leaf not in self._row_of:
            raise UncoveredValuesError([leaf])
        return self._row_of[leaf]

    def codes(self, values: Sequence[str], column: str | None = None) -> NDArray[np.int32]:
        """Return the codes of every value's ancestors on each level below the root.

        Parameters
        ----------
        values
            Leaves of this hierarchy.
        column
            The column they come from, for the message when some are not leaves.

        Returns
        -------
        NDArray
            Shape (height, number of values). On each level, equal codes mean the same ancestor; codes
            count from 0 in the order in which ancestors first appear in ``values``.

        Raises
        ------
        UncoveredValuesError
            When values are not leaves; its ``missing`` lists them.
        """
        missing = [value for value in dict.fromkeys(values) if value not in self._row_of]
        if missing:
            ranked = sorted(dict.fromkeys(values))
            strange = {*missing}
            raise UncoveredValuesError(missing, column, [at for at, each in enumerate(ranked, 1) if each in strange])
        rows = [self._row_of[value] for value in values]
        codes = np.empty((self.height, len(rows)), dtype=np.int32)
        for level in range(self.height):
            code_of: dict[str, int] = {}
            codes[level] = [code_of.setdefault(row[level], len(code_of)) for row in rows]
        return codes

    def naming(self, texts: Iterable[str], kind: str, spelling: str = "plain") -> Hierarchy:
        """Return the hierarchy with leaves under the texts of the values that they mean.

        Parameters
        ----------
        texts
            The texts under which the values of a column are matched.
        kind, spelling
            What the values are, and how their file writes them: see :func:`~tclose.data.values.named_texts`.

        Raises
        ------
        HierarchyError
            When two leaves mean the same value and have different ancestors.

        Examples
        --------
        >>> Hierarchy((("1.50", "low", "*"), ("20.00", "high", "*"))).naming(["1.5", "20"], "number").leaves
        ('1.5', '20')
        """
        missing = [text for text in texts if text not in self]
        if not missing:
            return self
        name_of = respelled(self.leaves, kind, spelling)
        text_of = {name_of[text]: text for text in missing if text in name_of}
        rows = tuple((text_of.get(row[0], row[0]), *row[1:]) for row in self.rows)
        return Hierarchy(rows, self.rule)


def check_shape(rows: Sequence[Sequence[object]], places: Sequence[str]) -> None:
    """Refuse no rows, rows of different lengths and blank labels, saying where (``places``)."""
    if not rows:
        raise HierarchyError("The hierarchy is empty; give it one row per value, from the value to the root.")
    if _are_labels(rows):
        return
    for row, place in zip(rows, places, strict=True):
        if len(row) != len(rows[0]):
            raise HierarchyError(
                f"In {place} the hierarchy has {len(row)} levels, in {places[0]} it has {len(rows[0])}; "
                "give every value the same number of levels, repeating a label where a branch is short."
            )
        for level, label in enumerate(row):
            if not isinstance(label, str) or not label.strip() or "\0" in label:
                raise HierarchyError(
                    f"In {place}, level {level} of the hierarchy (column {level + 1}) is not a label; "
                    "every level needs a text that is not blank, such as *."
                )


def _are_labels(rows: Sequence[Sequence[object]]) -> bool:
    """Say at once whether all rows are as long as the first, and nothing in them but labels."""
    if len(set(map(len, rows))) > 1 or {*map(type, itertools.chain.from_iterable(rows))} != {str}:
        return False
    texts = {*itertools.chain.from_iterable(rows)}
    return all(map(str.strip, texts)) and not any("\0" in text for text in texts)  # type: ignore[arg-type,operator]


def check_tree(rows: Sequence[Row]) -> None:
    """Refuse rows in which a leaf or a label has two parents, or which do not end in one root."""
    top = len(rows[0]) - 1
    if top < 1:
        raise HierarchyError("The hierarchy has one level only; add a root, such as *, above the values.")
    roots = {row[top] for row in rows}
    if len(roots) > 1:
        raise HierarchyError(
            f"The last level of the hierarchy holds {len(roots)} different labels instead of one root. "
            "Add a last level with the same label, such as *, for every value (and leave out a header line)."
        )
    leaves = [row[0] for row in dict.fromkeys(rows)]
    twice = len(leaves) - len(set(leaves))
    if twice:
        raise HierarchyError(
            f"{twice} rows of the hierarchy repeat a leaf with different ancestors; give each leaf one row."
        )
    for level in range(1, top):
        _check_parents({(row[level], row[level + 1]) for row in rows}, level)


def _check_parents(links: set[tuple[str, str]], level: int) -> None:
    parents_of = Counter(child for child, _ in links)
    torn = sum(parents > 1 for parents in parents_of.values())
    if torn:
        what = "1 label has" if torn == 1 else f"{torn} labels have"
        raise HierarchyError(
            f"On level {level} of the hierarchy (column {level + 1}), {what} two or more parents on "
            f"level {level + 1}; a label has one parent: give the branches labels of their own."
        )
