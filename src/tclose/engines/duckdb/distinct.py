"""The distinct rows of a table: every combination of quasi-identifiers and sensitive values, as codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tclose.anonymization.algorithms.memory_estimate import check_room, needed_bytes
from tclose.data.progress import told_each
from tclose.engines.base import Progress
from tclose.engines.distinct import DistinctRows
from tclose.engines.duckdb.connection import give_back, given_memory, share_memory
from tclose.engines.duckdb.counts import CodedTable
from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import LoadedTable, check_rows
from tclose.models.counts import Integers, Ranks
from tclose.models.value_order import Observed


def distinct_rows(
    table: LoadedTable, quasi: Sequence[str], sensitive: Sequence[tuple[str, ...]], progress: Progress
) -> DistinctRows:
    """Group a table by its quasi-identifiers and sensitive attributes.

    Parameters
    ----------
    table
        The table.
    quasi
        The quasi-identifiers.
    sensitive
        The sensitive attributes; one of several columns is taken jointly.
    progress
        Told what is being done.
    """
    progress("Finding distinct rows", None)
    grouped = _grouped(table, [*quasi, *(name for names in sensitive for name in names)])
    _make_room(grouped, len(quasi) + len(sensitive))
    coded = CodedTable(grouped, (), [*((name,) for name in quasi), *sensitive])
    places = range(len(coded.attributes))
    raw = [coded.raw_attribute(at) for at in places]
    found = coded.run(f"SELECT {', '.join([*raw, 'n'])} FROM {grouped.name}").fetchnumpy()  # noqa: S608 - our own names
    coded.run(f"DROP TABLE {grouped.name}")
    counts = found["n"].astype(np.int64)
    numbered = [
        _numbered(coded, at, coded.attributes[at].coding.codes(found[f"s{at}"]), counts)
        for at in told_each(places, progress, "Numbering values")
    ]
    del found
    give_back(table.connection)
    return DistinctRows.of(numbered, len(quasi), counts)


def _grouped(table: LoadedTable, names: Sequence[str]) -> LoadedTable:
    """Return the distinct rows of some columns, with their counts as ``n``."""
    columns = tuple(table.column(name) for name in dict.fromkeys(names))
    grouped = fresh_name("distinct")
    listing = ", ".join([*(column.alias for column in columns), f"{table.tally} AS n"])
    with translated(table.label, connection=table.connection):
        ((rows,),) = table.connection.execute(
            f"CREATE TEMP TABLE {grouped} AS SELECT {listing} FROM {table.name} GROUP BY ALL HAVING count(*) > 0"  # noqa: S608
        ).fetchall()
    check_rows(rows, table.label)
    return replace(table, name=grouped, columns=columns, rows=rows, keeper=None, weight=None)


def _make_room(grouped: LoadedTable, columns: int) -> None:
    """Leave room for the search of distinct rows, which is held beside DuckDB; refuse one that does not fit."""
    rows, connection = grouped.rows or 0, grouped.connection
    check_room(rows, columns, given_memory(connection))
    share_memory(connection, "search", needed_bytes(rows, columns))


def _numbered(coded: CodedTable, at: int, codes: Integers, counts: Integers) -> tuple[Observed, Ranks]:
    """Return the values of an attribute, a missing one last, and the position of each row's value."""
    by_code = np.zeros(coded.attributes[at].coding.size, dtype=np.int64)
    np.add.at(by_code, codes, counts)
    observed, known = coded.observed_from(at, by_code)
    position = np.full(len(by_code), -1, dtype=np.int32)
    position[known] = np.arange(len(known), dtype=np.int32)
    if isinstance(observed.values, list) and observed.values[0] is None:
        observed = replace(
            observed, values=[*observed.values[1:], None], counts=np.roll(observed.counts, -1), ascending=False
        )
        position[known] = np.roll(position[known], 1)
    return observed, position[codes]
