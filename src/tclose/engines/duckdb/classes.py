"""The class table: every class with its key, size and figures, kept in DuckDB where it can spill."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

from tclose.engines.class_tables import LABEL, ClassTable, EncodedKeys
from tclose.engines.duckdb.codes import KeyWords
from tclose.engines.duckdb.connection import allowed_memory
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.frames import exact_frame
from tclose.engines.duckdb.published_types import fetched, in_zone, published, with_place_for_zero
from tclose.engines.duckdb.sql import fresh_name, quoted
from tclose.engines.duckdb.table import Column
from tclose.engines.duckdb.writing import copy_query
from tclose.engines.errors import imported
from tclose.models.counts import Integers
from tclose.models.measuring import Measured

_HELD = 1_000_000
"""So many classes wait in memory at most before they move to DuckDB."""
_SHARE_OF_MEMORY = 8
"""They may take one part in so many of the allowed memory."""
_VIEW = "This view of the classes"


def _published(value: str, column: Column) -> str:
    """Return the SQL of a key's value as it is written: a point in time that has a zone as one in UTC."""
    return with_place_for_zero(value, column.type) if column.zone is None else published(value, column.type, column.own)


def _fetched(value: str, column: Column) -> str:
    """Return the SQL of a key's value as Python takes it over whole."""
    return fetched(value, column.type)


def _bare(value: str, _column: Column) -> str:
    return value


class DuckDBClasses(ClassTable):
    """All classes of an audit, in bounded memory.

    Parameters
    ----------
    connection
        Where the classes are kept.
    keys
        How keys are read back.
    quasi, figures, whole
        As for :class:`~tclose.engines.class_tables.ClassTable`.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        keys: KeyWords,
        quasi: Sequence[str],
        figures: Sequence[str],
        whole: Sequence[bool],
    ) -> None:
        super().__init__(quasi, figures, whole)
        self._connection = connection
        self._keys = keys
        self._columns = [coding.columns[0] for coding in keys.codings]
        self._table = fresh_name("classes")
        self._waiting: list[Measured] = []
        bytes_a_class = 8 * (len(keys.spans) + len(self.figures))
        self._held = min(_HELD, allowed_memory(connection) // (_SHARE_OF_MEMORY * bytes_a_class))
        self._length = 0
        self._made = False

    def __len__(self) -> int:
        return self._length

    @property
    def _zoned(self) -> bool:
        return any(column.zone is not None for column in self._columns)

    def add(self, part: Measured) -> None:
        """Take in the classes of a part."""
        self._waiting.append(part)
        self._length += len(part.sizes)
        if sum(len(waiting.sizes) for waiting in self._waiting) > self._held:
            self._store()

    def _store(self) -> None:
        """Move waiting classes to DuckDB."""
        words = range(len(self._keys.spans))
        names = [*(f"w{word}" for word in words), *(f"f{at}" for at in range(len(self.figures)))]
        kinds = ["BIGINT" for _ in words] + ["BIGINT" if whole else "DOUBLE" for whole in self.whole]
        with translated(LABEL, connection=self._connection):
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
        shaped: Callable[[str, Column], str] = _published,
        offset: int = 0,
        search: bool = False,
    ) -> str:
        if self._waiting or not self._made:
            self._store()
        values, joins = self._keys.decoding("c")
        words = [f"w{word}" for word in range(len(self._keys.spans))]
        inner = [*words, *(f"{value} AS tclose_{at}" for at, value in enumerate(values))]
        inner += [f"c.f{at} AS tclose_{len(values) + at}" for at in range(len(self.figures))]
        titles = [quoted(name) if named else f"c{at}" for at, name in enumerate(self.columns)]
        cells = [f"tclose_{at}" for at in range(len(titles))]
        cells[: len(values)] = [shaped(cell, column) for cell, column in zip(cells, self._columns, strict=False)]
        outer = ", ".join(f"{cell} AS {title}" for cell, title in zip(cells, titles, strict=True))
        place = None if sort is None else self.place(sort)
        direction = f"{'DESC' if descending else 'ASC'} NULLS LAST"
        ordering = f"ORDER BY {', '.join([*([] if place is None else [f'tclose_{place} {direction}']), *words])}"
        limited = f"LIMIT {int(limit)}" if limit is not None else ""
        limited += f" OFFSET {int(offset)}" if offset else ""
        found, table = "", self._table
        if search:
            found = f"WHERE {self._holding()}"
        elif limited and (place is None or place >= len(values)):  # choose the few before keys are read back
            figure = [] if place is None else [f"f{place - len(values)} {direction}"]
            table = f"(SELECT * FROM {table} ORDER BY {', '.join([*figure, *words])} {limited})"  # noqa: S608 - our own
            limited = ""
        return (
            f"SELECT {outer} FROM (SELECT {', '.join(inner)} FROM {table} AS c {joins}) "  # noqa: S608 - quoted
            f"{found} {ordering} {limited}"
        )

    def _shown(self, row: Sequence[Any]) -> Sequence[Any]:
        """Return the cells of a row that begins with a key, its points in time as their zone shows them."""
        if not any(column.type.startswith("TIMESTAMP") for column in self._columns):
            return row
        key = [in_zone([cell], column.zone, column.type)[0] for cell, column in zip(row, self._columns, strict=False)]
        return [*key, *row[len(key) :]]

    def _holding(self) -> str:
        """Return the condition that some part of a key holds the text that is bound to it, large or small."""
        texts = [f"contains(lower(CAST(tclose_{at} AS VARCHAR)), lower($1))" for at in range(len(self.quasi))]
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
        if search is not None and self._zoned:  # what is shown is searched, and zones are known here alone
            every = self.rows(sort=sort, descending=descending)
            some = (row for row in every if self._holds(list(row.values()), search))
            yield from islice(some, offset, None if limit is None else offset + limit)
            return
        searched = search is not None
        query = self._query(sort, limit, descending=descending, shaped=_fetched, offset=offset, search=searched)
        with translated(LABEL, connection=self._connection):
            result = self._connection.execute(query, [search] if searched else [])
            while rows := result.fetchmany(10_000):
                for row in rows:
                    yield dict(zip(self.columns, self._shown(row), strict=True))

    def found(self, search: str) -> int:
        """Return how many classes hold a searched text in their keys."""
        if self._zoned:
            return super().found(search)
        query = self._query(None, None, descending=False, search=True)
        with translated(LABEL, connection=self._connection):
            rows = self._connection.execute(f"SELECT count(*) FROM ({query})", [search]).fetchall()  # noqa: S608
        return int(rows[0][0])

    def up_to(self, column: str, points: Sequence[float]) -> list[int]:
        """Return, for each point, how many classes have a size or figure that is at most that."""
        if self._waiting or not self._made:
            self._store()
        stored = f"f{self.figure_place(column)}"
        counts = ", ".join(f"count(*) FILTER (WHERE {stored} <= ${at + 1})" for at in range(len(points)))
        query = f"SELECT {counts} FROM {self._table}"  # noqa: S608 - our own names
        with translated(LABEL, connection=self._connection):
            (found,) = self._connection.execute(query, [float(point) for point in points]).fetchall()
        return [int(count) for count in found]

    def encoded(self) -> EncodedKeys:
        """Return the keys and sizes of all classes, each value as a position in a list of its column's values."""
        if self._waiting or not self._made:
            self._store()
        names = [f"w{word}" for word in range(len(self._keys.spans))]
        with translated(LABEL, connection=self._connection):
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
        value = _fetched(coding.value("c.code", "d"), self._columns[at])
        query = f"SELECT {value} FROM tclose_codes AS c {join} ORDER BY c.code"  # noqa: S608 - our own names
        with translated(LABEL, connection=self._connection):
            self._connection.register("tclose_codes", {"code": np.ascontiguousarray(codes)})
            try:
                found = [value for (value,) in self._connection.execute(query).fetchall()]
                return in_zone(found, None, self._columns[at].type)
            finally:
                self._connection.unregister("tclose_codes")

    def write_to(self, path: Path, *, sort: str | None = None, descending: bool = True) -> None:
        """Write all classes to just this file, which need not be whole after a failure."""
        query = self._query(sort, None, descending=descending, named=False)
        copy_query(self._connection, query, self.columns, path, LABEL)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        with translated(LABEL, connection=self._connection):
            relation = self._connection.sql(self._query(None, None, descending=False))
            return relation.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> Any:
        """Return the classes as a pyarrow table."""
        return imported("pyarrow", _VIEW).table(self)

    def to_pandas(self) -> Any:
        """Return the classes as a pandas frame."""
        imported("pandas", _VIEW)
        with translated(LABEL, connection=self._connection):
            frame = exact_frame(self._connection, self._query(None, None, descending=False, shaped=_bare))
        for column in self._columns:
            if column.zone is not None:
                frame[column.name] = frame[column.name].dt.tz_localize("UTC")
        return frame

    def first_of(self, tied: Sequence[Integers]) -> list[tuple[dict[str, object], int]]:
        """Return, for each set of keys, the one first in the order of its values, and its position in the set."""
        if not tied:
            return []
        places = [self._keys.first(keys) for keys in tied]
        chosen = [(at, *keys[place].tolist()) for at, (keys, place) in enumerate(zip(tied, places, strict=True))]
        words = ", ".join(f"w{word}" for word in range(len(self._keys.spans)))
        decoded, joins = self._keys.decoding("c")
        values = [_fetched(value, column) for value, column in zip(decoded, self._columns, strict=True)]
        given = f"(VALUES {', '.join(map(str, chosen))}) AS c(tie, {words})"
        with translated(LABEL, connection=self._connection):
            rows = self._connection.execute(
                f"SELECT {', '.join(['c.tie', *values])} FROM {given} {joins} ORDER BY c.tie"  # noqa: S608 - our own names
            ).fetchall()
        shown = [dict(zip(self.quasi, self._shown(key), strict=True)) for _, *key in rows]
        return list(zip(shown, places, strict=True))


def _stored(name: str, kind: str) -> str:
    """Return how a figure is stored: NaN, which stands for no figure, as null."""
    value = f"CASE WHEN isnan({name}) THEN NULL ELSE {name} END" if name.startswith("f") and name != "f0" else name
    return f"CAST({value} AS {kind})"
