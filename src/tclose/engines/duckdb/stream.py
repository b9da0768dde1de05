"""The rows of a coded table as one stream of Arrow arrays, read ahead while others still get ready."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

import nanoarrow

from tclose.engines.duckdb.counts import CodedTable
from tclose.engines.duckdb.failures import translated
from tclose.engines.interface import Progress

_AHEAD = 64
"""So many arrays wait at most; with 131,072 rows each, that is little beside what they become."""
_PATIENCE = 0.1
"""Seconds after which a reader that finds no room looks whether anybody still wants the rows."""


class RowStream:
    """The raw codes of rows, array by array: the quasi-identifiers' columns, then the attributes'.

    Reading starts at once, in a thread of its own: the engine works while the compiler is being loaded.

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
    """

    def __init__(self, coded_table: CodedTable, rows: int, progress: Progress, where: str = "") -> None:
        self.rows = rows
        self._progress = progress
        self._waiting: queue.Queue[Any] = queue.Queue(_AHEAD)
        self._abandoned = threading.Event()
        columns = coded_table.keys.raw_columns(coded_table.table)
        columns += [coded_table.raw_attribute(at) for at in range(len(coded_table.attributes))]
        query = f"SELECT {', '.join(columns)} FROM {coded_table.table.name} {where}"  # noqa: S608 - our own names
        connection = coded_table.table.connection
        with translated(coded_table.table.label, connection=connection):
            stream = nanoarrow.c_array_stream(connection.sql(query))
        threading.Thread(target=self._read, args=(iter(stream),), name="tclose-reader", daemon=True).start()

    def _read(self, arrays: Iterator[Any]) -> None:
        try:
            for array in arrays:
                self._offer(array)
                if self._abandoned.is_set():
                    return
            self._offer(None)
        except BaseException as problem:  # noqa: BLE001 - it is raised where the rows are awaited
            self._offer(problem)

    def _offer(self, item: object) -> None:
        while not self._abandoned.is_set():
            try:
                self._waiting.put(item, timeout=_PATIENCE)
            except queue.Full:
                continue
            return

    def __iter__(self) -> Iterator[Any]:
        seen = 0
        try:
            while (item := self._waiting.get()) is not None:
                if isinstance(item, BaseException):
                    raise item
                seen += item.length
                self._progress("Reading rows", min(1.0, seen / max(self.rows, 1)))
                yield item
        finally:
            self._abandoned.set()
