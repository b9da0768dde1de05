"""Tables of cells that databases are apt to take for each other, drawn by a number, and what an audit says of them."""

from __future__ import annotations

import datetime as dt
import math
import random
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

from tclose import Nominal, Ordered, Roles
from warehouses.statement_cases import audited_table, read, statement

KINDS: dict[str, tuple[pa.DataType, list[Any]]] = {
    "word": (
        pa.string(),
        ["a", "A", "a ", "  a", "a\u00a0", "é", "e\u0301", "ß", "ss", "İ", "i", "🙂", "", "NULL", "nan", "NaN", "NA",
         "1", "01", "1.0", "a\tb", "a\nb", "'", "\\", None],
    ),
    "big": (pa.int64(), [2**62, 2**62 + 1, -(2**63), 2**63 - 1, 2**53, 2**53 + 1, 0, None]),
    "rate": (
        pa.float64(),
        [0.0, -0.0, 5e-324, 1e308, 0.1, 0.1 + 2**-54, 1 / 3, math.nan, math.inf, -math.inf, None],
    ),
    "money": (
        pa.decimal128(20, 5),
        [Decimal(each) for each in ("0.1", "-0.1", "0", "99999999999999.99999", "99999999999999.99998")] + [None],
    ),
    "day": (
        pa.date32(),
        [dt.date(2020, 2, 29), dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(1969, 12, 31), None],
    ),
    "moment": (pa.timestamp("us"), [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 0, 0, 1), None]),
    "yes": (pa.bool_(), [True, False, None]),
    "who": (pa.string(), ["p", "P", "p ", "q", "é", "e\u0301"]),
}  # fmt: skip
PLAIN = ("word", "big", "rate", "who")
"""Columns of the kinds that SQLite has, too."""


def strange(seed: int, names: Sequence[str] = tuple(KINDS)) -> tuple[pa.Table, Roles, dict[str, str]]:
    """A table of these columns, roles of some of them, and requirements."""
    chance = random.Random(seed)
    rows = chance.randint(1, 30)

    def cells(values: list[Any]) -> list[Any]:
        few = chance.sample(values, min(len(values), chance.choice([2, 3, len(values)])))
        return [chance.choice(few) for _ in range(rows)]

    table = pa.table({name: pa.array(cells(KINDS[name][1]), KINDS[name][0], from_pandas=False) for name in names})
    drawn = chance.sample([name for name in names if name != "who"], min(4, len(names) - 1))
    quasi, judged = drawn[: chance.randint(1, 2)], drawn[2 : 2 + chance.randint(1, 2)]
    roles = Roles(quasi, {name: _distance(name, chance) for name in judged}, person=chance.choice([None, "who"]))
    thresholds = {"k": str(chance.randint(1, 4)), "l": str(chance.randint(1, 3)), "t": chance.choice(["0.2", "1/3"])}
    return table, roles, thresholds


def _distance(name: str, chance: random.Random) -> Nominal | Ordered:
    if name in ("word", "yes") or chance.random() < 0.4:
        return Nominal(nulls=chance.choice(["category", "drop"]))
    nulls = chance.choice(["error", "drop", "first", "last"])
    return Ordered(order=chance.choice(["value", "frequency"]), nulls=nulls)


def differing(
    run: Callable[[pa.Table, str], list[tuple[Any, ...]]], dialect: str, seeds: range, names: Sequence[str]
) -> list[int]:
    """The seeds whose tables a statement, run as given, judges otherwise than an audit."""
    found = []
    for seed in seeds:
        table, roles, require = strange(seed, names)
        told = read(run(table, statement("visits", roles, require, dialect)))
        if told != audited_table(table, roles, require):
            found.append(seed)
    return found
