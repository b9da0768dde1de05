"""Which values people have in the whole table, as further columns of DuckDB."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable
from tclose.engines.histories import Held


def with_histories(table: LoadedTable, attributes: Sequence[tuple[str, ...]]) -> tuple[LoadedTable, list[Held]]:
    """Return a table with the number of each person's set of values beside every row, and for which attributes.

    Parameters
    ----------
    table
        A table whose people are counted.
    attributes
        The sensitive attributes; several columns make one of their combinations.
    """
    person = table.telling(str(table.person))
    values = [f"row({', '.join(table.telling(name) for name in names)})" for names in attributes]
    missing = [f"{table.telling(names[0])} IS NULL" if len(names) == 1 else "false" for names in attributes]
    asked = [f"min({value}) <> max({value}) AS s{at}" for at, value in enumerate(values)]
    asked += [f"bool_or({each}) AS m{at}" for at, each in enumerate(missing)]
    told = ", ".join(f"coalesce(bool_or({kind}{at}), false)" for kind in "sm" for at in range(len(values)))
    with translated(table.label, connection=table.connection):
        (found,) = table.connection.execute(
            f"SELECT {told} FROM (SELECT {', '.join(asked)} FROM {table.name} GROUP BY {person})"  # noqa: S608 - aliases
        ).fetchall()
    several = [at for at in range(len(values)) if found[at]]
    if not several:
        return table, []
    held, columns, added = [], [], []
    for at in several:
        sets, valued = fresh_name("sets"), fresh_name("valued") if found[len(values) + at] else None
        held.append(Held(at, sets, valued))
        columns.append(Column(sets, f"h{at}", "BIGINT"))
        added.append(f"n.h{at}")
        if valued is not None:
            columns.append(Column(valued, f"v{at}", "BIGINT"))
            added.append(f"CAST(NOT ({missing[at]}) AS BIGINT) AS v{at}")
    numbered, name = fresh_name("numbered"), fresh_name("histories")
    lists = ", ".join(f"list_sort(list(DISTINCT {values[at]})) AS l{at}" for at in several)
    numbers = ", ".join(f"dense_rank() OVER (ORDER BY l{at}) AS h{at}" for at in several)
    kept = ", ".join(column.alias for column in table.columns)
    with translated(table.label, connection=table.connection):
        table.connection.execute(
            f"CREATE TEMP TABLE {numbered} AS SELECT p, {numbers} FROM "  # noqa: S608 - our own names
            f"(SELECT {person} AS p, {lists} FROM {table.name} GROUP BY p)"
        )
        table.connection.execute(
            f"CREATE TEMP TABLE {name} AS SELECT {kept}, {', '.join(added)} FROM {table.name} "  # noqa: S608
            f"JOIN {numbered} AS n ON n.p IS NOT DISTINCT FROM {person}"
        )
        table.connection.execute(f"DROP TABLE {numbered}")
    return replace(table, columns=(*table.columns, *columns), name=name, keeper=None, gatherer=None, counter=None), held
