"""The rows of a coded table as one stream of Arrow arrays, read ahead while others still get ready."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import nanoarrow

from tclose.engines.base import Progress
from tclose.engines.duckdb.counts import CodedTable
from tclose.engines.duckdb.failures import translated
from tclose.engines.reading_ahead import ReadAhead

_AHEAD = 64
"""So many arrays wait at most; with 131,072 rows each, that is little beside what they become."""


class RowStream:
    """The raw codes of rows, array by array: the quasi-identifiers' columns, then the attributes'.

    Reading starts at once, in a thread of its own: the engine works while the kernels are being loaded.

    Parameters
    ----------
    coded_table
        The table.
    rows
        How many rows there are.
    progress
        Told how far reading is.
    where
        The SQL that selects the rows.
    person
        The SQL of the key of each row's person, where people are counted; it comes last.
    """

    def __init__(
        self, coded_table: CodedTable, rows: int, progress: Progress, where: str = "", person: str | None = None
    ) -> None:
        self.rows = rows
        self._progress = progress
        columns = coded_table.keys.raw_columns(coded_table.table)
        columns += [coded_table.raw_attribute(at) for at in range(len(coded_table.attributes))]
        columns += [f"{person} AS p"] if person is not None else []
        query = f"SELECT {', '.join(columns)} FROM {coded_table.table.name} {where}"  # noqa: S608 - our own names
        connection = coded_table.table.connection
        with translated(coded_table.table.label, connection=connection):
            stream = nanoarrow.c_array_stream(connection.sql(query))
        self._reading = ReadAhead((array for array in stream), _AHEAD, "tclose-reader")

    def __iter__(self) -> Iterator[Any]:
        seen = 0
        try:
            while (item := self._reading.next()) is not None:
                seen += item.length
                self._progress("Reading rows", min(1.0, seen / max(self.rows, 1)))
                yield item
        finally:
            self._reading.abandon()
