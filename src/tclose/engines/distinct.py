"""The distinct rows of a table, as every engine hands them to a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tclose.models.counts import Integers, Ranks
from tclose.models.value_order import Observed

_WORD = 2**62
"""A number of several codes stays below this."""


@dataclass(frozen=True)
class DistinctRows:
    """The distinct combinations of quasi-identifiers and sensitive values, with their numbers of rows.

    Rows are in the order of their codes, and codes in the order of the values, a missing value last: nothing
    depends on the order of the table.
    """

    quasi: list[Observed]
    sensitive: list[Observed]
    """An attribute of several columns has tuples as values."""
    codes: Ranks
    """Distinct rows × quasi-identifiers: the position of each value among those observed."""
    sensitive_codes: Ranks
    """Distinct rows × sensitive attributes, likewise."""
    counts: Integers
    rows: int
    """How many rows the table has."""

    @staticmethod
    def of(attributes: Sequence[tuple[Observed, Ranks]], quasi: int, counts: Integers) -> DistinctRows:
        """Return distinct rows in their order.

        Parameters
        ----------
        attributes
            For each attribute, the quasi-identifiers first, its values and the position of each row's value.
        quasi
            How many quasi-identifiers there are.
        counts
            How many rows of the table each distinct row stands for.
        """
        observed = [values for values, _ in attributes]
        codes = np.stack([positions for _, positions in attributes], axis=1).astype(np.int32)
        order = lexicographic(codes, [len(values.counts) for values in observed])
        codes = codes[order]
        return DistinctRows(
            observed[:quasi],
            observed[quasi:],
            np.ascontiguousarray(codes[:, :quasi]),
            np.ascontiguousarray(codes[:, quasi:]),
            counts[order],
            int(counts.sum()),
        )

    def without(self, at: int) -> DistinctRows:
        """Return the distinct rows of the same table without one of its quasi-identifiers."""
        codes = np.delete(np.concatenate([self.codes, self.sensitive_codes], axis=1), at, axis=1)
        rows, row_of = np.unique(codes, axis=0, return_inverse=True)
        counts = np.zeros(len(rows), dtype=np.int64)
        np.add.at(counts, row_of.ravel(), self.counts)
        quasi = [*self.quasi[:at], *self.quasi[at + 1 :]]
        own, sensitive = (np.ascontiguousarray(some) for some in np.split(rows, [len(quasi)], axis=1))
        return DistinctRows(quasi, self.sensitive, own, sensitive, counts, self.rows)


def lexicographic(codes: Ranks, sizes: Sequence[int]) -> Integers:
    """Return the order of rows by their codes, the first column counting most."""
    words: list[Integers] = [np.zeros(len(codes), dtype=np.int64)]
    span = 1
    for column, size in enumerate(sizes):
        if span * size > _WORD:
            words.append(np.zeros(len(codes), dtype=np.int64))
            span = 1
        words[-1] = words[-1] * size + codes[:, column]
        span *= size
    return np.lexsort(words[::-1])
