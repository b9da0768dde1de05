"""The codes of the quasi-identifiers, packed into as few 64-bit key words as hold them, and read back."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable, with_one_zero
from tclose.errors import InternalError, SourceError
from tclose.models.counts import Integers

# Columns as whole-number codes: which SQL expression codes a column, and how a code is read back.


WHOLE = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER"})
WORD = 2**62
"""Key words stay below this, so that they fit signed 64-bit arithmetic."""
NARROW = 2**31 - 1
"""Up to this span, sums of offsets fit 32-bit arithmetic."""
TABLE_SPAN = 1 << 22
"""Up to this span, codes are looked up in a table; beyond, they are searched for."""
_WIDE = re.compile(r"U?HUGEINT|UUID|DECIMAL\((19|[23][0-9]),.*")
Missing = Literal["first", "last"]
"""Where in the order of a dictionary's values a missing one is."""
_FEW = 4096
SALTS = range(8)


@dataclass(frozen=True)
class Coding:
    """How one column, or several taken as one, becomes a code from 0 to ``size`` − 1.

    A whole-number column of small range is coded by its offset from the minimum, with 0 for null. Any
    other column is numbered by a dictionary of its distinct values. SQL delivers a *raw* code: the offset
    itself, or some bits of the value's hash, chosen so that no two values of the dictionary share them;
    that is checked, so the code is exact.
    """

    columns: tuple[Column, ...]
    span: int
    """One more than the largest raw code."""
    size: int
    minimum: int | None = None
    dictionary: str | None = None
    salt: int = 0
    shift: int = 0
    raw: NDArray[np.uint64] | None = None
    """The raw code of each entry of the dictionary."""

    def expression(self, aliases: Sequence[str]) -> str:
        """Return the SQL for the raw code of the columns under these aliases, in the smallest type that holds it."""
        if self.minimum is not None:
            wide = self.offset(aliases[0])
        else:
            wide = f"({hash_of(self.columns, aliases, self.salt)} >> {self.shift}) & {self.span - 1}"
        return f"CAST({wide} AS {smallest_type(self.span)})"

    def offset(self, alias: str) -> str:
        """Return the SQL for the offset of a whole number, in arithmetic as narrow as cannot overflow."""
        if self.minimum is None:
            raise InternalError("A column without offsets was asked for one.")
        narrow = self.columns[0].type in ("TINYINT", "SMALLINT", "UTINYINT", "USMALLINT")
        number = f"CAST({alias} AS INTEGER)" if narrow else alias
        number = f"CAST({alias} AS BIGINT)" if self.span > NARROW else number
        return f"coalesce({number} - ({self.minimum - 1}), 0)"

    @cached_property
    def table(self) -> NDArray[np.int32] | None:
        """The code of each raw code, −1 where no value has it; None where the raw code is the code, or too wide."""
        if self.raw is None or self.span > TABLE_SPAN:
            return None
        table = np.full(self.span, -1, dtype=np.int32)
        table[self.raw] = np.arange(self.size, dtype=np.int32)
        return table

    def codes(self, raw: NDArray[Any]) -> Integers:
        """Return the codes of raw codes."""
        if self.raw is None:
            codes = raw.astype(np.int64)
            unknown = len(codes) > 0 and int(codes.max()) >= self.size
        elif self.table is not None:
            codes = self.table[raw].astype(np.int64)
            unknown = bool((codes < 0).any())
        else:
            order = np.argsort(self.raw)
            at = np.minimum(np.searchsorted(self.raw[order], raw.astype(np.uint64)), self.size - 1)
            codes = order[at].astype(np.int64)
            unknown = not np.array_equal(self.raw[codes], raw.astype(np.uint64))
        if unknown:
            raise changed()
        return codes

    def value(self, code: str, joined: str) -> str:
        """Return the SQL that reads a code back; ``joined`` is the dictionary's name in the query."""
        if self.minimum is None:
            return f"{joined}.v0"
        number = f"CAST({code} AS BIGINT) + ({self.minimum - 1})"
        return f"CASE WHEN {code} > 0 THEN CAST({number} AS {self.columns[0].type}) END"


def smallest_type(span: int) -> str:
    """Return the smallest unsigned SQL type that holds the numbers below a span."""
    for kind, bits in (("UTINYINT", 8), ("USMALLINT", 16), ("UINTEGER", 32)):
        if span <= 1 << bits:
            return kind
    return "UBIGINT"


def changed() -> SourceError:
    """Return the error for rows that the first look at the table did not see."""
    return SourceError("The table changed while it was being read; run again when nothing writes to it.")


def offset_coding(table: LoadedTable, name: str, below: int) -> Coding | None:
    """Return the coding of a column by its offset from the smallest; None where it is no whole number or too wide."""
    column = table.column(name)
    low, high = _ranges([table], [column] if column.type in WHOLE else []).get(name, (0, below))
    return Coding((column,), high - low + 2, high - low + 2, minimum=low) if high - low + 2 <= below else None


def coded(
    tables: Sequence[LoadedTable], names: Sequence[str], offsets_below: int, missing: Missing = "last"
) -> list[Coding]:
    """Return a coding for each named column that fits all tables; offsets only for spans below a limit.

    Offsets begin with the missing value; ``missing`` says where a dictionary has it.
    """
    columns = [tables[0].column(name) for name in names]
    ranges = _ranges(tables, [column for column in columns if column.type in WHOLE])
    found = []
    for column in columns:
        low, high = ranges.get(column.name, (0, offsets_below))
        if high - low + 2 <= offsets_below:
            found.append(Coding((column,), high - low + 2, high - low + 2, minimum=low))
        else:
            found.append(dictionary_coding(tables, (column,), missing))
    return found


def _ranges(tables: Sequence[LoadedTable], columns: Sequence[Column]) -> dict[str, tuple[int, int]]:
    """Return the smallest and largest value of whole-number columns; all-null columns are left out."""
    found: dict[str, list[tuple[int, int]]] = {column.name: [] for column in columns}
    for table in tables:
        _look_through(table, [column for column in columns if (column.name,) not in table.codings])
        for column in columns:
            if (pair := table.codings[(column.name,)]) is not None:
                found[column.name].append(pair)
    return {
        name: (min(low for low, _ in pairs), max(high for _, high in pairs)) for name, pairs in found.items() if pairs
    }


def _look_through(table: LoadedTable, columns: Sequence[Column]) -> None:
    """Note the smallest and largest value of whole-number columns of a table."""
    if not columns:
        return
    aliases = [table.column(column.name).alias for column in columns]
    extremes = ", ".join(f"min({alias}), max({alias})" for alias in aliases)
    with translated(table.label, connection=table.connection):
        (row,) = table.connection.execute(f"SELECT {extremes} FROM {table.name}").fetchall()  # noqa: S608 - aliases
    for at, column in enumerate(columns):
        low, high = row[2 * at : 2 * at + 2]
        table.codings[(column.name,)] = None if low is None else (int(low), int(high))


def dictionary_coding(tables: Sequence[LoadedTable], columns: tuple[Column, ...], missing: Missing = "last") -> Coding:
    """Return a coding by a dictionary of the distinct values (or combinations) that the tables hold.

    Entries are numbered in the order of their values, so that the same values have the same codes each time; missing
    ones are first or last. The dictionary of one table's columns is made once.
    """
    if len(tables) > 1:
        return _by_dictionary(tables, columns, missing)
    known, key = tables[0].codings, (tuple(column.name for column in columns), missing)
    if key not in known:
        known[key] = _by_dictionary(tables, columns, missing)
    found: Coding = known[key]
    return found


def _by_dictionary(tables: Sequence[LoadedTable], columns: tuple[Column, ...], missing: Missing) -> Coding:
    """Make a dictionary, and return the coding by it."""
    connection, name = tables[0].connection, fresh_name("dictionary")
    distinct = " UNION ".join(
        f"SELECT DISTINCT {_listing(with_one_zero(column, table.column(column.name).alias) for column in columns)} "  # noqa: S608
        f"FROM {table.name}"
        for table in tables
    )
    aliases = [f"v{at}" for at in range(len(columns))]
    listing = _listing(aliases)
    order = _listing(f"{alias} NULLS {missing}" for alias in aliases)
    with translated(tables[0].label, connection=connection):
        connection.execute(
            f"CREATE TEMP TABLE {name} AS SELECT {listing}, {hash_of(columns, aliases, 0)} AS h, "  # noqa: S608
            f"row_number() OVER (ORDER BY {order}) - 1 AS code FROM ({distinct}) AS d({listing})"
        )
        for salt in SALTS:
            salted = "h" if salt == 0 else f"{hash_of(columns, aliases, salt)} AS h"
            found = connection.execute(f"SELECT {salted} FROM {name} ORDER BY code").fetchnumpy()["h"]  # noqa: S608
            hashes = np.asarray(found, dtype=np.uint64)
            chosen = _injective_bits(hashes)
            if chosen is not None:
                break
        else:
            raise InternalError("No hash separates the values of a column.")
    shift, bits = chosen
    raw = (hashes >> np.uint64(shift)) & np.uint64((1 << bits) - 1)
    return Coding(columns, 1 << bits, len(hashes), dictionary=name, salt=salt, shift=shift, raw=raw)


def _injective_bits(hashes: NDArray[np.uint64]) -> tuple[int, int] | None:
    """Return a shift and a number of bits under which all hashes differ, few bits first."""
    needed = max(1, math.ceil(math.log2(max(len(hashes), 2))))
    few = len(hashes) <= _FEW
    for bits in range(needed if few else min(2 * needed, 60), 62, 1 if few else 2):
        mask = np.uint64((1 << bits) - 1)
        for shift in range(0, 64 - bits, 5 if few else 64):
            if len(np.unique((hashes >> np.uint64(shift)) & mask)) == len(hashes):
                return shift, bits
    return None


def hash_of(columns: Sequence[Column], aliases: Sequence[str], salt: int) -> str:
    """Return the SQL of the hash of columns under these aliases, one of several hashes."""
    hashed = [_hashed(column, alias) for column, alias in zip(columns, aliases, strict=True)]
    return f"hash({_listing([*hashed, str(salt)] if salt else hashed)})"


def _hashed(column: Column, alias: str) -> str:
    """Return what is hashed of a column where DuckDB hashes different values alike.

    0 and -1 have the same hash in 128 bits, so that their texts are hashed; so have a day and a microsecond, of which
    the microseconds are.
    """
    if column.type == "INTERVAL":
        return f"TRY(epoch_us({alias}))"
    return f"CAST({alias} AS VARCHAR)" if _WIDE.fullmatch(column.type) else with_one_zero(column, alias)


def _listing(parts: Iterable[str]) -> str:
    return ", ".join(parts)


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
