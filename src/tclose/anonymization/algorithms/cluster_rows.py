"""Rows of a problem on a cluster: what a method may ask of an engine that holds them there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

from numpy.typing import NDArray

from tclose.models.counts import Integers

Columns = Mapping[str, NDArray[Any]]
"""Whole numbers of 32 or 64 bits by the names of columns, all of the same length."""
Kernel = Callable[[Columns], Columns]
"""Makes new rows of some rows; it travels to them by pickling."""
How = Literal["sum", "min", "max"]


class SpreadRows(Protocol):
    """Rows that lie in pieces on a cluster."""

    def tallied(self, kernel: Kernel, keys: Sequence[str], how: Mapping[str, How]) -> Columns:
        """Apply a kernel to every piece, and return what it gives with rows of the same keys made one.

        Parameters
        ----------
        kernel
            Makes of any of the rows the columns that follow.
        keys
            Columns that tell its rows apart.
        how
            What becomes of its other columns.
        """
        ...

    def gathered(self, bins: Callable[[Columns], Integers], kernel: Kernel, names: Sequence[str]) -> Columns:
        """Bring rows of the same bin together, apply a kernel, and return all that it gives, in any order.

        Parameters
        ----------
        bins
            Returns the bin of each row.
        kernel
            Takes rows of whole bins, with their bins in the column ``bin``.
        names
            The columns that it gives.
        """
        ...


class Cluster(Protocol):
    """Puts rows on a cluster."""

    def put(self, columns: Columns) -> AbstractContextManager[SpreadRows]:
        """Put rows there for the length of a block."""
        ...
