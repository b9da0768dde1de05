"""Rows disguised in DuckDB: pseudonyms and shifted dates, each made of a secret key and of whose the row is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tclose.engines.duckdb.errors import translated
from tclose.engines.duckdb.sql import fresh_name
from tclose.engines.duckdb.table import Column, LoadedTable, text_of
from tclose.engines.pseudonyms import Disguise, Disguised
from tclose.errors import Ask, Hint, InputError, counted

_DIGITS = 24
"""So many hexadecimal digits a pseudonym has; more of the code choose the offset."""
_CODE = "sha256($outer::BLOB || unhex(sha256($inner::BLOB || encode({0}))))"
_SHIFTED = {
    "DATE": "{0} + CAST(offset_days AS INTEGER)",
    "TIMESTAMP_NS": "make_timestamp_ns(epoch_ns({0}) + offset_days * 86400000000000)",
}
_MOMENTS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS")
_ENDS = {"TIMESTAMP_NS": ("1677-09-23", "2262-04-10")}
_USUAL_ENDS = ("0001-01-01", "9999-12-31")
"""The first and the last day of every reader's calendar."""


def disguised(table: LoadedTable, disguise: Disguise) -> Disguised:
    """Return a table with pseudonyms in the place of whose rows are, and dates shifted; measure what offsets tell."""
    dates = [table.column(name) for name in disguise.dates]
    for column in dates:
        _check_dates(table, column, disguise.days)
    whose = "CAST(row_number() OVER () AS VARCHAR)"
    if disguise.person is not None:
        whose = text_of(table.column(disguise.person))
    inner, outer = disguise.pads
    coded, rows = fresh_name("coded"), fresh_name("disguised")
    plain = ", ".join(_plain(table))
    with translated(table.label, connection=table.connection):
        table.connection.execute(
            f"CREATE TEMP TABLE {coded} AS SELECT {plain}, code, {_offset(disguise.days)} AS offset_days "  # noqa: S608
            f"FROM (SELECT {plain}, {_CODE.format(whose)} AS code FROM {table.name})",
            {"inner": inner, "outer": outer},
        )
        columns = tuple(_disguised(column, disguise) for column in table.columns)
        shown = ", ".join(_shown(column, disguise) for column in table.columns)
        weight = "" if table.weight is None else f", {table.weight}"
        table.connection.execute(f"CREATE TEMP TABLE {rows} AS SELECT {shown}{weight} FROM {coded}")  # noqa: S608
        fewest, known = _offsets(table, coded, dates, disguise) if dates else (0, 0)
        table.connection.execute(f"DROP TABLE {coded}")
    return Disguised(replace(table, columns=columns, name=rows, keeper=None), fewest, known)


def _plain(table: LoadedTable) -> list[str]:
    return [*(column.alias for column in table.columns), *([] if table.weight is None else [table.weight])]


def _offset(days: int) -> str:
    """Return the SQL of an offset: any number of days but none, from so many back to so many ahead."""
    number = f"CAST('0x' || right(code, 15) AS BIGINT) % {2 * days}"
    return f"CASE WHEN {number} < {days} THEN {number} - {days} ELSE {number} - {days} + 1 END"


def _disguised(column: Column, disguise: Disguise) -> Column:
    if column.name != disguise.person:
        return column
    return Column(column.name, column.alias, "VARCHAR")


def _shown(column: Column, disguise: Disguise) -> str:
    """Return the SQL of a column as it may be published; whose a row is only as a pseudonym."""
    if column.name == disguise.person:
        return f"'p' || left(code, {_DIGITS}) AS {column.alias}"
    if column.name in disguise.dates:
        moved = _SHIFTED.get(column.type, "{0} + to_days(CAST(offset_days AS INTEGER))").format(column.alias)
        return f"CAST({moved} AS {column.type}) AS {column.alias}"
    return column.alias


def _check_dates(table: LoadedTable, column: Column, days: int) -> None:
    """Refuse to shift what is no date, and what would leave the calendar: most likely it stands for no date at all."""
    if column.type not in (*_SHIFTED, *_MOMENTS):
        raise InputError(
            f"The column {column.name!r} of {table.label} holds no dates that could be shifted, but {column.type}. "
            "Write dates as 2024-12-31, each of them, or publish the column in another way.",
            field="shifted",
            column=column.name,
        )
    first, last = _ENDS.get(column.type, _USUAL_ENDS)
    day = f"CAST({column.alias} AS DATE)"
    beyond = f"{day} < DATE '{first}' + {days} OR {day} > DATE '{last}' - {days}"
    with translated(table.label, connection=table.connection):
        ((found,),) = table.connection.execute(f"SELECT count(*) FROM {table.name} WHERE {beyond}").fetchall()  # noqa: S608
    if found:
        raise InputError(
            f"The column {column.name!r} of {table.label} has {counted(found, 'date')} at the end of the calendar. If "
            "it stands for a missing one, it would give the offset away.",
            field="shifted",
            column=column.name,
            hint=Hint("Declare it missing: {}.", Ask("null")),
        )


def _units(table: LoadedTable, person: str | None, source: str, columns: str) -> str:
    """Return a query of rows with what is linked together as ``unit``: the rows of a person, else each row."""
    unit = "row_number() OVER ()" if person is None else table.column(person).alias
    return f"SELECT {unit} AS unit, {columns} FROM {source}"  # noqa: S608 - our own names


def _offsets(table: LoadedTable, coded: str, dates: Sequence[Column], disguise: Disguise) -> tuple[int, int]:
    """Return how few offsets fit somebody's dates, and whom only one fits.

    Dates no farther apart than the largest offset make a stretch. An offset fits if, undone, it leaves each date in the
    stretch that it is in: this is what somebody can try who knows from when to when a table reaches.
    """
    days = disguise.days
    listing = ", ".join(dict.fromkeys([*(column.alias for column in dates), "offset_days"]))
    linking = disguise.person if disguise.pseudonym else None
    parts = " UNION ALL ".join(
        f"SELECT u.unit, u.offset_days AS o, s.low - s.day AS low, s.high - s.day AS high FROM units AS u JOIN "  # noqa: S608
        f"({_stretches(coded, column, days)}) AS s ON s.day = CAST(u.{column.alias} AS DATE)"
        for column in dates
    )
    fitting = (
        f"SELECT any_value(o) AS o, greatest(max(low), any_value(o) - {days}) AS low, "  # noqa: S608 - our own names
        f"least(min(high), any_value(o) + {days}) AS high FROM ({parts}) GROUP BY unit"
    )
    possible = f"SELECT high - low + 1 - CASE WHEN o BETWEEN low AND high THEN 1 ELSE 0 END AS n FROM ({fitting})"  # noqa: S608
    ((fewest, known),) = table.connection.execute(
        f"WITH units AS MATERIALIZED ({_units(table, linking, coded, listing)}) "  # noqa: S608 - our own names
        f"SELECT coalesce(min(n), 0), count(*) FILTER (WHERE n = 1) FROM ({possible})"
    ).fetchall()
    return int(fewest), int(known)


def _stretches(source: str, column: Column, days: int) -> str:
    """Return a query of the days of a column, each with the first and the last day of its stretch."""
    day = f"SELECT DISTINCT CAST({column.alias} AS DATE) AS day FROM {source} WHERE {column.alias} IS NOT NULL"  # noqa: S608
    begun = f"CASE WHEN day - lag(day) OVER (ORDER BY day) <= {days} THEN 0 ELSE 1 END"
    numbered = f"SELECT day, sum(begun) OVER (ORDER BY day) AS stretch FROM (SELECT day, {begun} AS begun FROM ({day}))"  # noqa: S608
    return (
        "SELECT day, min(day) OVER (PARTITION BY stretch) AS low, max(day) OVER (PARTITION BY stretch) AS high "  # noqa: S608
        f"FROM ({numbered})"
    )


def alone_by_dates(table: LoadedTable, dates: Sequence[str], person: str | None) -> tuple[int, int]:
    """Return how many people, or rows where none are named, have dates, and how many alone have theirs.

    Compared is what no shift changes: the days between the dates of a unit and the times of day.
    """
    columns = [table.column(name) for name in dates]
    parts = " UNION ALL ".join(
        f"SELECT unit, {at} AS place, CAST({column.alias} AS DATE) AS day, "  # noqa: S608 - our own names
        f"substr(CAST({column.alias} AS VARCHAR), 12) AS clock FROM units WHERE {column.alias} IS NOT NULL"
        for at, column in enumerate(columns)
    )
    after = f"SELECT unit, row(place, day - min(day) OVER (PARTITION BY unit), clock) AS fact FROM ({parts})"  # noqa: S608
    pattern = f"SELECT list_sort(list(fact)) AS pattern FROM ({after}) GROUP BY unit"  # noqa: S608 - our own names
    sharing = f"SELECT count(*) AS n FROM ({pattern}) GROUP BY pattern"  # noqa: S608 - our own names
    listing = ", ".join(column.alias for column in columns)
    with translated(table.label, connection=table.connection):
        ((units, alone),) = table.connection.execute(
            f"WITH units AS MATERIALIZED ({_units(table, person, table.name, listing)}) "  # noqa: S608 - our own names
            f"SELECT coalesce(sum(n), 0), count(*) FILTER (WHERE n = 1) FROM ({sharing})"
        ).fetchall()
    return int(units), int(alone)
