"""The codes of the quasi-identifiers, packed into as few 64-bit key words as hold them, and read back."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.counts import Integers
from tclose.engines.duckdb.codes import NARROW, WORD, Coding, changed, smallest_type
from tclose.engines.duckdb.table import LoadedTable


@dataclass(frozen=True)
class RawColumn:
    """A column of raw codes: those of one coding, or several offsets packed by their strides."""

    codings: tuple[Coding, ...]
    word: int
    stride: int

    @property
    def size(self) -> int:
        """One more than the largest code."""
        return math.prod(coding.size for coding in self.codings)

    def packs(self, coding: Coding) -> bool:
        """Say whether another coding can be packed in: all must be offsets, and their product narrow."""
        offsets = all(each.minimum is not None for each in (*self.codings, coding))
        return offsets and self.size * coding.size <= NARROW

    def expression(self, table: LoadedTable) -> str:
        """Return the SQL for the raw code."""
        if len(self.codings) == 1:
            coding = self.codings[0]
            return coding.expression([table.column(column.name).alias for column in coding.columns])
        terms, stride = [], 1
        for coding in reversed(self.codings):
            terms.append(f"{coding.offset(table.column(coding.columns[0].name).alias)} * {stride}")
            stride *= coding.size
        return f"CAST({' + '.join(terms)} AS {smallest_type(stride)})"

    def codes(self, raw: NDArray[Any]) -> Integers:
        """Return the codes of raw codes."""
        if len(self.codings) == 1:
            return self.codings[0].codes(raw)
        if len(raw) and int(raw.max()) >= self.size:
            raise changed()
        return raw.astype(np.int64)


@dataclass(frozen=True)
class KeyWords:
    """How the codes of the quasi-identifiers make key words, in the order of which classes are in that of their values.

    Codes are in the order of the values, a missing one first; the first quasi-identifier has the largest stride.
    """

    codings: tuple[Coding, ...]

    @cached_property
    def places(self) -> list[tuple[int, int]]:
        """For each coding its word and its stride within the word."""
        sizes: list[list[int]] = [[]]
        for coding in self.codings:
            if math.prod(sizes[-1]) > 1 and math.prod(sizes[-1]) * coding.size > WORD:
                sizes.append([])
            sizes[-1].append(coding.size)
        return [(word, math.prod(mine[at + 1 :])) for word, mine in enumerate(sizes) for at in range(len(mine))]

    @cached_property
    def spans(self) -> list[int]:
        """For each word, one more than its largest value."""
        spans = [1] * (1 + max((word for word, _ in self.places), default=0))
        for (word, _), coding in zip(self.places, self.codings, strict=True):
            spans[word] *= coding.size
        return spans

    @cached_property
    def raw(self) -> list[RawColumn]:
        """The columns that SQL delivers: neighbouring offsets packed into one, other codings one each."""
        found: list[RawColumn] = []
        for coding, (word, stride) in zip(self.codings, self.places, strict=True):
            last = found[-1] if found else None
            packed = last is not None and last.word == word and last.packs(coding)
            if last is not None and packed:
                found[-1] = RawColumn((*last.codings, coding), word, stride)
            else:
                found.append(RawColumn((coding,), word, stride))
        return found

    def raw_columns(self, table: LoadedTable) -> list[str]:
        """Return the SQL of those columns, named r0, r1 and so on."""
        return [f"{column.expression(table)} AS r{at}" for at, column in enumerate(self.raw)]

    def words(self, raw: Sequence[NDArray[Any]], rows: int) -> Integers:
        """Return the key words of rows from their raw codes, a column for each word."""
        words = np.zeros((rows, len(self.spans)), dtype=np.int64)
        for codes, column in zip(raw, self.raw, strict=True):
            words[:, column.word] += column.codes(codes) * column.stride
        return words

    def first(self, words: Integers) -> int:
        """Return the position of the key that is first in the order of its values."""
        chosen = np.flatnonzero(words[:, 0] == words[:, 0].min())
        for word in words.T[1:]:
            chosen = chosen[word[chosen] == word[chosen].min()]
        return int(chosen[0])

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
