"""Random tables from a seed: awkward columns of every type, and what an audit must say of them on every engine."""

from __future__ import annotations

import datetime as dt
import random
from decimal import Decimal

import pyarrow as pa

import tclose

POOLS = {
    "whole": ([None, -5, 0, 1, 2**40], pa.int64()),
    "small": ([1, 2, 3], pa.int8()),
    "real": ([None, 0.0, -0.0, float("nan"), 1.5, 1e300], pa.float64()),
    "single": ([0.1, 2.5, None], pa.float32()),
    "decimal": ([None, Decimal("1.10"), Decimal("-2.00"), Decimal("0.00")], pa.decimal128(12, 2)),
    "day": ([None, dt.date(1969, 12, 31), dt.date(2020, 2, 29)], pa.date32()),
    "moment": (
        [None, dt.datetime(1969, 12, 31, 23, 59, 59, 999999), dt.datetime(2020, 11, 1, 5, 30)],
        pa.timestamp("us"),
    ),
    "zoned": (
        [dt.datetime(2020, 11, 1, 5, 30, tzinfo=dt.UTC), dt.datetime(2020, 11, 1, 6, 30, tzinfo=dt.UTC), None],
        pa.timestamp("us", "UTC"),
    ),
    "truth": ([None, True, False], pa.bool_()),
    "text": ([None, "", " ", "a", "A", "é", "e\u0301", "\U0001f600", "\uffee", "null"], pa.string()),
    "word": (["x", "y", "z"], pa.string()),
}  # fmt: skip
NAMES = ["zip code", "a.b", "`tick`", "Sex", "sex", "größe"]


def random_table(seed: int) -> tuple[pa.Table, tclose.Roles]:
    """Return a table of awkward columns and roles that fit it."""
    rng = random.Random(seed)
    rows = rng.choice([1, 2, 7, 40, 200])
    quasi = rng.sample(NAMES, rng.randint(1, 3))
    columns = {}
    for name in quasi:
        values, kind = POOLS[rng.choice([*POOLS])]
        columns[name] = pa.array(rng.choices(values, k=rows), kind)
    sensitive = {}
    for name in ["s", "t"][: rng.randint(1, 2)]:
        pool = rng.choice([*POOLS])
        values, kind = POOLS[pool]
        columns[name] = pa.array([*rng.choices(values, k=rows - 1), values[-2]], kind)
        ordered = tclose.Ordered(nulls=rng.choice(["drop", "first", "last"]))
        sensitive[name] = ordered if pool in ("whole", "small", "decimal", "day", "moment") else tclose.Nominal()
    together = rng.choice(["each", "each", "joint", "quasi"]) if len(sensitive) > 1 else "each"
    return pa.table(columns), tclose.Roles(quasi=quasi, sensitive=sensitive, together=together)


def said(audit: tclose.Audit) -> dict[str, object]:
    """Return all that an audit says, but for the name of its table and how two floats add up."""
    data = audit.to_dict()
    del data["source"]
    return data


def class_rows(audit: tclose.Audit) -> list[dict[str, object]]:
    return list(audit.classes.rows())
