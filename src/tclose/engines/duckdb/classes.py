"""The class table: every class with its key, size and figures, kept in DuckDB where it can spill."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from tclose.counts import Integers
from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.key_words import KeyWords
from tclose.engines.duckdb.sql import fresh_name, quoted
from tclose.engines.duckdb.writing import copy_query, imported, replacing
from tclose.engines.interface import EncodedKeys
from tclose.errors import ColumnNotFoundError
from tclose.measuring import Measured

_HELD = 1_000_000
"""So many classes wait in memory before they move to DuckDB."""
_FEW = 500
"""Up to so many keys are written into a query."""
_VIEW = "This view of the classes"


class DuckDBClasses:
    """All classes of an audit: sortable, exportable, in bounded memory.

    Parameters
    ----------
    connection
        Where the classes are kept.
    keys
        How keys are read back.
    quasi
        The names of the quasi-identifiers.
    figures
        The names of the figures, in the order in which parts carry them.
    whole
        Which figures are whole numbers.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        keys: KeyWords,
        quasi: Sequence[str],
        figures: Sequence[str],
        whole: Sequence[bool],
    ) -> None:
        self._connection = connection
        self._keys = keys
        self._quasi = tuple(quasi)
        taken = set(quasi)
        self._figures = tuple(_free(name, taken) for name in ("size", *figures))
        self._whole = (True, *whole)
        self._table = fresh_name("classes")
        self._waiting: list[Measured] = []
        self._length = 0
        self._made = False

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns: the quasi-identifiers, the size, and the figures."""
        return (*self._quasi, *self._figures)

    def __len__(self) -> int:
        return self._length

    def add(self, part: Measured) -> None:
        """Take in the classes of a part."""
        self._waiting.append(part)
        self._length += len(part.sizes)
        if sum(len(waiting.sizes) for waiting in self._waiting) > _HELD:
            self._store()

    def _store(self) -> None:
        """Move waiting classes to DuckDB."""
        words = range(len(self._keys.spans))
        names = [*(f"w{word}" for word in words), *(f"f{at}" for at in range(len(self._figures)))]
        kinds = ["BIGINT" for _ in words] + ["BIGINT" if whole else "DOUBLE" for whole in self._whole]
        with translated("the class table", connection=self._connection):
            if not self._made:
                columns = ", ".join(f"{name} {kind}" for name, kind in zip(names, kinds, strict=True))
                self._connection.execute(f"CREATE TEMP TABLE {self._table} ({columns})")
                self._made = True
            for part in self._waiting:
                arrays = [*(part.keys[:, word] for word in words), part.sizes, *part.values]
                data = {name: np.ascontiguousarray(array) for name, array in zip(names, arrays, strict=True)}
                listing = ", ".join(_stored(name, kind) for name, kind in zip(names, kinds, strict=True))
                self._connection.register("tclose_part", data)
                self._connection.execute(f"INSERT INTO {self._table} SELECT {listing} FROM tclose_part")  # noqa: S608
                self._connection.unregister("tclose_part")
        self._waiting = []

    def _query(
        self,
        sort: str | None,
        limit: int | None,
        *,
        descending: bool,
        named: bool = True,
        offset: int = 0,
        search: bool = False,
    ) -> str:
        if self._waiting or not self._made:
            self._store()
        if sort is not None and sort not in self.columns:
            raise ColumnNotFoundError(sort, self.columns, "class table's")
        values, joins = self._keys.decoding("c")
        inner = [f"{value} AS tclose_{at}" for at, value in enumerate(values)]
        inner += [f"c.f{at} AS tclose_{len(values) + at}" for at in range(len(self._figures))]
        titles = [quoted(name) if named else f"c{at}" for at, name in enumerate(self.columns)]
        outer = ", ".join(f"tclose_{at} AS {title}" for at, title in enumerate(titles))
        order = [f"tclose_{at} NULLS FIRST" for at in range(len(values))]
        if sort is not None:
            place = self.columns.index(sort)
            order.insert(0, f"tclose_{place} {'DESC' if descending else 'ASC'} NULLS LAST")
        ordering = f"ORDER BY {', '.join(order)}" if order else ""
        limited = f"LIMIT {int(limit)}" if limit is not None else ""
        limited += f" OFFSET {int(offset)}" if offset else ""
        found = f"WHERE {self._holding()}" if search else ""
        return (
            f"SELECT {outer} FROM (SELECT {', '.join(inner)} FROM {self._table} AS c {joins}) "  # noqa: S608 - quoted
            f"{found} {ordering} {limited}"
        )

    def _holding(self) -> str:
        """Return the condition that some part of a key holds the text that is bound to it, large or small."""
        texts = [f"contains(lower(CAST(tclose_{at} AS VARCHAR)), lower($1))" for at in range(len(self._quasi))]
        return f"({' OR '.join(texts) or 'false'})"

    def rows(
        self,
        *,
        sort: str | None = None,
        descending: bool = True,
        limit: int | None = None,
        offset: int = 0,
        search: str | None = None,
    ) -> Iterator[dict[str, Any]]:
        """Give classes as dictionaries, sorted by a column and then by key; only those that hold a searched text."""
        query = self._query(sort, limit, descending=descending, offset=offset, search=search is not None)
        with translated("the class table", connection=self._connection):
            result = self._connection.execute(query, [] if search is None else [search])
            while rows := result.fetchmany(10_000):
                for row in rows:
                    yield dict(zip(self.columns, row, strict=True))

    def found(self, search: str) -> int:
        """Return how many classes hold a searched text in their keys."""
        query = self._query(None, None, descending=False, search=True)
        with translated("the class table", connection=self._connection):
            rows = self._connection.execute(f"SELECT count(*) FROM ({query})", [search]).fetchall()  # noqa: S608
        return int(rows[0][0])

    def up_to(self, column: str, points: Sequence[float]) -> list[int]:
        """Return, for each point, how many classes have a size or figure that is at most that."""
        if self._waiting or not self._made:
            self._store()
        if column not in self._figures:
            raise ColumnNotFoundError(column, self._figures, "class table's figure")
        stored = f"f{self._figures.index(column)}"
        counts = ", ".join(f"count(*) FILTER (WHERE {stored} <= ${at + 1})" for at in range(len(points)))
        query = f"SELECT {counts} FROM {self._table}"  # noqa: S608 - our own names
        with translated("the class table", connection=self._connection):
            (found,) = self._connection.execute(query, [float(point) for point in points]).fetchall()
        return [int(count) for count in found]

    def encoded(self) -> EncodedKeys:
        """Return the keys and sizes of all classes, each value as a position in a list of its column's values."""
        if self._waiting or not self._made:
            self._store()
        names = [f"w{word}" for word in range(len(self._keys.spans))]
        with translated("the class table", connection=self._connection):
            query = f"SELECT {', '.join([*names, 'f0'])} FROM {self._table}"  # noqa: S608 - our own names
            found = self._connection.execute(query).fetchnumpy()
        codes = self._keys.codes(np.column_stack([found[name] for name in names]))
        seen = [np.unique(column, return_inverse=True) for column in codes.T]
        values = tuple(self._decoded(at, distinct) for at, (distinct, _) in enumerate(seen))
        return EncodedKeys(values, tuple(positions for _, positions in seen), found["f0"])

    def _decoded(self, at: int, codes: Integers) -> list[object]:
        """Return the values that the codes of one quasi-identifier stand for."""
        coding = self._keys.codings[at]
        join = "" if coding.dictionary is None else f"LEFT JOIN {coding.dictionary} AS d ON d.code = c.code"
        query = f"SELECT {coding.value('c.code', 'd')} FROM tclose_codes AS c {join} ORDER BY c.code"  # noqa: S608
        with translated("the class table", connection=self._connection):
            self._connection.register("tclose_codes", {"code": np.ascontiguousarray(codes)})
            try:
                return [value for (value,) in self._connection.execute(query).fetchall()]
            finally:
                self._connection.unregister("tclose_codes")

    def write(self, path: str | Path, *, sort: str | None = None, descending: bool = True) -> None:
        """Write all classes to a file; the ending says which kind."""
        with replacing(path) as temporary:
            query = self._query(sort, None, descending=descending, named=False)
            copy_query(self._connection, query, self.columns, temporary, "the class table")

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        with translated("the class table", connection=self._connection):
            relation = self._connection.sql(self._query(None, None, descending=False))
            return relation.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> Any:
        """Return the classes as a pyarrow table."""
        return imported("pyarrow", _VIEW).table(self)

    def to_pandas(self) -> Any:
        """Return the classes as a pandas frame."""
        imported("pandas", _VIEW)
        with translated("the class table", connection=self._connection):
            return self._connection.execute(self._query(None, None, descending=False)).fetchdf()

    def to_polars(self) -> Any:
        """Return the classes as a polars frame."""
        return imported("polars", _VIEW).DataFrame(self)

    def first_of(self, tied: Sequence[Integers]) -> list[tuple[dict[str, object], int]]:
        """Return, for each set of keys, the one first in the order of its values, and its position in the set."""
        if not tied:
            return []
        words = range(len(self._keys.spans))
        keys = np.concatenate(list(tied))
        data = {f"w{word}": np.ascontiguousarray(keys[:, word]) for word in words}
        data["tie"] = np.repeat(np.arange(len(tied)), [len(some) for some in tied])
        data["place"] = np.concatenate([np.arange(len(some)) for some in tied])
        values, joins = self._keys.decoding("c")
        selected = [f"{value} AS v{at}" for at, value in enumerate(values)]
        order = ", ".join(f"v{at} NULLS FIRST" for at in range(len(values))) or "1"
        names = ", ".join(["place", *(f"v{at}" for at in range(len(values)))])
        with translated("the class table", connection=self._connection), self._given(data) as tied_keys:
            rows = self._connection.execute(
                f"SELECT {names} FROM "  # noqa: S608 - our own names
                f"(SELECT {', '.join(['c.tie', 'c.place', *selected])} FROM {tied_keys} AS c {joins}) "
                f"QUALIFY row_number() OVER (PARTITION BY tie ORDER BY {order}) = 1 ORDER BY tie"
            ).fetchall()
        return [(dict(zip(self._quasi, row[1:], strict=True)), int(row[0])) for row in rows]

    @contextmanager
    def _given(self, data: dict[str, Integers]) -> Iterator[str]:
        """Give numbers the form of a table for one query: written out if they are few, else registered."""
        if len(data["tie"]) <= _FEW:
            listed = ", ".join(str(row) for row in zip(*(numbers.tolist() for numbers in data.values()), strict=True))
            yield f"(SELECT * FROM (VALUES {listed}) AS given({', '.join(data)}))"  # noqa: S608 - whole numbers
            return
        self._connection.register("tclose_tied", data)
        try:
            yield "tclose_tied"
        finally:
            self._connection.unregister("tclose_tied")


def _free(name: str, taken: set[str]) -> str:
    """Return a column name that no other column has."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _stored(name: str, kind: str) -> str:
    """Return how a figure is stored: NaN, which stands for no figure, as null."""
    value = f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END" if name.startswith("f") and name != "f0" else name
    return f"CAST({value} AS {kind})"
