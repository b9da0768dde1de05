"""The pieces of a recoding as a table of DuckDB: key values in the types of their columns, and what is published."""

from __future__ import annotations

from collections.abc import Sequence

from tclose.engines.duckdb.connection import give_back
from tclose.engines.duckdb.exposing import ZONED
from tclose.engines.duckdb.failures import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable
from tclose.engines.duckdb.values import load_values
from tclose.engines.pieces import check_shapes, folded, piece_columns, reads_exactly, text_of
from tclose.engines.recodings import Added, Recoding
from tclose.errors import InputError

_LABELS = "the labels of the recoding"


def pieces_table(table: LoadedTable, recoding: Recoding, *, fold: bool = False) -> tuple[str, int]:
    """Make a table of the pieces; return its name and how many of them it has if every key value can be read.

    Its columns are ``piece``, the piece's number; ``kept``, whether it is published; ``n``, its rows if they
    are given; ``first``, the first piece of the same key values; ``parts``, how many there are; ``low``, how
    many rows the earlier ones take; ``k0``, ``k1`` …, the key values; ``q0``, ``q1`` …, what is published; ``a0``,
    ``a1`` …, what is published beside it. With ``fold``, pieces that publish the same may be one, and the key values
    that are not published are then left out.
    """
    check_shapes(recoding)
    quasi = range(len(recoding.quasi))
    values = [_values(table, recoding, at) for at in range(len(recoding.keys))]
    given = folded(recoding) if fold and _are_whole(table, recoding, values) else recoding
    keys = [(at, recoding.keys.index(name)) for at, name in enumerate(given.keys)]
    labels = [_labels(table, recoding, at) for at in quasi]
    more = [_added(table, each) for each in recoding.added]
    name, batch = fresh_name("pieces"), fresh_name("given")
    joins = [f"JOIN {values[key]} AS v{key} ON v{key}.code = g.k{at}" for at, key in keys]
    joins += [f"LEFT JOIN {labels[at]} AS l{at} ON l{at}.code = g.q{at}" for at in quasi]
    joins += [
        f"LEFT JOIN {used} AS m{at} ON m{at}.code = g.q{recoding.added[at].quasi}" for at, used in enumerate(more)
    ]
    shown = [f", v{key}.value AS k{key}" for _, key in keys] + [f", l{at}.value AS q{at}" for at in quasi]
    shown += [f", m{at}.value AS a{at}" for at in range(len(more))]
    connection = table.connection
    with translated("the recoding", connection=connection):
        columns = piece_columns(given)
        give_back(connection)
        connection.register(batch, columns)
        connection.execute(
            f"CREATE TEMP TABLE {name} AS "  # noqa: S608 - our own names
            f"SELECT g.piece, g.kept, g.n, g.first, g.parts, g.low{''.join(shown)} FROM {batch} AS g {' '.join(joins)}"
        )
        connection.unregister(batch)
        for used in {*values, *labels, *more}:
            connection.execute(f"DROP TABLE {used}")
    return name, len(given.classes)


def _are_whole(table: LoadedTable, recoding: Recoding, values: Sequence[str]) -> bool:
    """Say whether every value of every key could be read, so that no piece is left out for one."""
    counts = ", ".join(f"(SELECT count(*) FROM {name})" for name in values)  # noqa: S608 - our own names
    with translated("the recoding", connection=table.connection):
        (read,) = table.connection.execute(f"SELECT {counts}").fetchall()
    return bool(read == tuple(len(each) for each in recoding.values))


def _values(table: LoadedTable, recoding: Recoding, at: int) -> str:
    """Make a table of the values of a key, in the type of its column; a text that is no such value is left out."""
    column = table.column(recoding.keys[at])
    read = {code: value for code, value in enumerate(recoding.values[at]) if reads_exactly(value, column.type)}
    name = _typed(table, [text_of(value) for value in read.values()], list(read), column)
    with translated("the recoding", connection=table.connection):
        ((twice,),) = table.connection.execute(
            f"SELECT count(*) FROM (SELECT value FROM {name} GROUP BY value HAVING count(*) > 1)"  # noqa: S608
        ).fetchall()
    if twice:
        raise InputError(
            f"Several values that the recoding tells apart are the same in the column {column.name!r} "
            f"of {table.label}. Read the column as it was read when the recoding was made."
        )
    return name


def _labels(table: LoadedTable, recoding: Recoding, at: int) -> str:
    """Make a table of the labels of a quasi-identifier; refuse one that has to be a value and is none."""
    name, texts = recoding.quasi[at], [text_of(label) for label in recoding.labels[at]]
    if not recoding.typed:
        return _typed(table, texts, range(len(texts)), Column(name, "", "VARCHAR"))
    column = table.column(name)
    made = _typed(table, texts, range(len(texts)), column)
    with translated(_LABELS, connection=table.connection):
        ((read,),) = table.connection.execute(f"SELECT count(*) FROM {made}").fetchall()  # noqa: S608 - our own name
    if read != len(texts) or not all(reads_exactly(text, column.type) for text in texts):
        raise InputError(
            f"Points of {name!r} cannot be published: {table.label} has it in a type that does not hold them.",
            column=name,
        )
    return made


def _added(table: LoadedTable, added: Added) -> str:
    """Make a table of what stands beside each label of a quasi-identifier, in its own type."""
    return _typed(table, added.values, range(len(added.values)), Column(added.name, "", added.type))


def _typed(table: LoadedTable, texts: Sequence[str | None], codes: Sequence[int], column: Column) -> str:
    """Make a table of values with their codes from texts; texts that cannot be cast are left out."""
    name = fresh_name("values")
    connection = table.connection
    if not texts:
        with translated(_LABELS, connection=connection):
            connection.execute(f"CREATE TEMP TABLE {name} (value {column.type}, code BIGINT)")
        return name
    loaded = load_values(connection, {"value": texts, "code": list(codes)}, _LABELS)
    if loaded.columns[0].problem:
        raise InputError(f"The recoding of {column.name!r} cannot be used: {loaded.columns[0].problem}")
    moment = column.zone is not None and column.type != "VARCHAR"
    zoned = ZONED if column.type == "TIMESTAMP" else column.own  # nanoseconds and a zone are not cast to less
    read = f"TRY_CAST(c0 AS {zoned})" if moment else "c0"
    with translated(_LABELS, connection=connection):
        connection.execute(
            f"CREATE TEMP TABLE {name} AS SELECT TRY_CAST({read} AS {column.type}) AS value, c1 AS code "  # noqa: S608 - our own names
            f"FROM {loaded.name} WHERE c0 IS NULL OR value IS NOT NULL"
        )
        connection.execute(f"DROP TABLE {loaded.name}")
    return name
