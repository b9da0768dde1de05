"""The codes of the quasi-identifiers, packed into as few 64-bit key words as hold them, and read back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.engines.duckdb.codes import WORD, Coding
from tclose.engines.duckdb.table import LoadedTable


@dataclass(frozen=True)
class KeyWords:
    """How the codes of the quasi-identifiers make key words."""

    codings: tuple[Coding, ...]

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """For each coding its word and its stride within the word."""
        found, word, stride = [], 0, 1
        for coding in self.codings:
            if stride > 1 and stride * coding.size > WORD:
                word, stride = word + 1, 1
            found.append((word, stride))
            stride *= coding.size
        return found

    @cached_property
    def spans(self) -> list[int]:
        """For each word, one more than its largest value."""
        spans = [1] * (1 + max((word for word, _ in self.places), default=0))
        for (word, stride), coding in zip(self.places, self.codings, strict=True):
            spans[word] = stride * coding.size
        return spans

    def raw_columns(self, table: LoadedTable) -> list[str]:
        """Return the SQL for the raw code of each quasi-identifier, named r0, r1 and so on."""
        return [
            f"{coding.expression([table.column(column.name).alias for column in coding.columns])} AS r{at}"
            for at, coding in enumerate(self.codings)
        ]

    def words(self, raw: Sequence[NDArray[Any]], rows: int) -> Integers:
        """Return the key words of rows from their raw codes, a column for each word."""
        words = np.zeros((rows, len(self.spans)), dtype=np.int64)
        for column, (word, stride), coding in zip(raw, self.places, self.codings, strict=True):
            words[:, word] += coding.codes(column) * stride
        return words

    def codes(self, words: Integers) -> Integers:
        """Return the code of each quasi-identifier from the key words."""
        codes = np.zeros((len(words), len(self.codings)), dtype=np.int64)
        for at, ((word, stride), coding) in enumerate(zip(self.places, self.codings, strict=True)):
            codes[:, at] = (words[:, word] // stride) % coding.size
        return codes

    def decoding(self, prefix: str) -> tuple[list[str], str]:
        """Return the SQL for each quasi-identifier's value, and the joins it needs, from words w0, w1 and so on."""
        values, joins = [], []
        for at, ((word, stride), coding) in enumerate(zip(self.places, self.codings, strict=True)):
            code = f"(({prefix}.w{word} // {stride}) % {coding.size})"
            if coding.dictionary is not None:
                joins.append(f"LEFT JOIN {coding.dictionary} AS d{at} ON d{at}.code = {code}")
            values.append(coding.value(code, f"d{at}"))
        return values, " ".join(joins)
