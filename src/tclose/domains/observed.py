"""The distinct values of a column, as an engine found them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers, ValueSets

Kind = Literal["number", "time", "truth", "text", "mixed"]


@dataclass(frozen=True)
class Observed:
    """The distinct values of a column and how many rows carry each; None is a missing value.

    ``categories`` is the order that the column itself declares, if it does. ``ascending`` says that the
    values are an array of whole numbers, ascending, with none missing. ``spelling`` says how the column's own file
    writes them, as :func:`~tclose.values.named_texts` takes it. ``people`` has the sets of values that people have, by
    their places among the values, where people are counted and somebody has several.
    """

    values: Sequence[object] | NDArray[Any] = field(repr=False)
    counts: Integers
    kind: Kind
    categories: tuple[str, ...] | None = None
    ascending: bool = False
    spelling: str = "plain"
    people: ValueSets | None = field(default=None, repr=False, compare=False)

    @property
    def listed(self) -> list[object]:
        """The values as a list of Python's own."""
        return self.values.tolist() if isinstance(self.values, np.ndarray) else list(self.values)
