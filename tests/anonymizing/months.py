"""Tables of a first month with a recipe, and of a second month whose values, types and rows differ."""

from __future__ import annotations

import datetime as dt
import functools
import random
import re
from collections import Counter
from decimal import Decimal

import numpy as np
import pyarrow as pa

from tclose import Nominal, Roles
from tclose.anonymization.anonymize import anonymize
from tclose.errors import InputError

_DAYS = [dt.date(2020, 1, day) for day in (1, 2, 3, 20)]
KINDS = {
    "whole": (pa.int64(), [1, 2, 3, 40, 7]),
    "small": (pa.uint8(), [1, 2, 3, 40, 9]),
    "decimal": (pa.decimal128(10, 2), [Decimal(each) for each in ("1", "2.50", "3", "40", "7.25")]),
    "double": (pa.float64(), [1.0, 2.5, 3.0, 40.0, 0.1]),
    "single": (pa.float32(), [1.0, 2.5, 3.0, 40.0, 0.1]),
    "digits": (pa.string(), ["1", "2", "3", "40", "007", "3.0"]),
    "words": (pa.string(), ["ash", "birch", "cedar", "elm", "*", "[1, 3]"]),
    "day": (pa.date32(), [*_DAYS, dt.date(2021, 5, 5)]),
    "moment": (pa.timestamp("us"), [*(dt.datetime(day.year, 1, day.day) for day in _DAYS), dt.datetime(2021, 5, 5, 3)]),
    "truth": (pa.bool_(), [True, False]),
}
HIERARCHIES = ("flat", "auto", "groups:2", "quantiles:2", "mask", "intervals:5", "dates", "nested")
ROLES = Roles(["q", "z"], {"s": Nominal()}, publish=["id"])


def table_of(chance, kind, values, rows=24):
    """A table with a number for each row, which is published, so that one can see what became of it."""
    return pa.table(
        {
            "q": pa.array([chance.choice(values) for _ in range(rows)], KINDS[kind][0]),
            "z": pa.array([chance.choice("ab") for _ in range(rows)]),
            "s": pa.array([chance.choice("xy") for _ in range(rows)]),
            "id": pa.array([f"r{at}" for at in range(rows)]),
        }
    )


def recipe_of(chance, kind):
    """A recipe of a first month, or None where its options do not suit it."""
    values = KINDS[kind][1][:4]
    words = chance.choice(HIERARCHIES)
    tree = {"*": {"u": [str(each) for each in values[:2]], "v": [str(each) for each in values[2:]]}}
    level = chance.choice([0, 0, 1, None])
    try:
        release = anonymize(
            table_of(chance, kind, values), ROLES, require={"k": chance.choice([1, 2])},
            suppress=chance.choice(["0", "0.2", "1"]),
            hierarchies={"q": tree if words == "nested" else words, "z": "flat"},
            method=chance.choice(["full-domain", "mondrian", "merge", "gather", "sabre"]),
            levels={} if level is None else {"q": level},
        )  # fmt: skip
    except InputError:
        return None
    return release.recipe


@functools.cache
def month(seed):
    """Return a recipe, None where there is none, and a second month of the same type or another.

    The second month may have values that the recipe does not know. Made once for all places that it is tried in.
    """
    chance = random.Random(seed)
    kind = chance.choice([*KINDS])
    recipe = recipe_of(chance, kind)
    if recipe is None:
        return None, None
    other = chance.choice([kind, chance.choice([*KINDS])])
    empty = [None] if chance.random() < 0.2 else []
    return recipe, table_of(chance, other, [*KINDS[other][1], *empty], chance.choice([1, 6, 30]))


def months(seeds):
    """Give the seeds that have a recipe, each with it and its second month."""
    return [(seed, *month(seed)) for seed in seeds if month(seed)[0] is not None]


def check_month(recipe, table, release, released):
    """Check that every row is published once or counted as left out, in cells that stand for its values.

    What is published meets the requirement of the recipe, whose limit of rows left out is kept.
    """
    own = {row["id"]: row for row in table.to_pylist()}
    assert len({row["id"] for row in released}) == len(released) == table.num_rows - release.suppressed
    assert release.suppressed <= release.recipe.suppress * table.num_rows
    (required,) = recipe.requirements
    assert min(Counter((row["q"], row["z"]) for row in released).values()) >= required.threshold
    for row in released:
        assert row["s"] == own[row["id"]]["s"]
        for column in recipe.columns:
            above = {_plain(each[0]): each for each in column.hierarchy.rows}
            cell, value = row[column.name], own[row["id"]][column.name]
            assert _stands_for(cell, value, above), (cell, value)


def _stands_for(cell, value, above):
    """Whether a cell may stand for a value: itself, a label above it, an interval, a mask or a part of the calendar."""
    if cell in {"*", *(each[-1] for each in above.values())}:
        return True
    if value is None:
        return cell is None
    plain, shown = _plain(value), str(cell)
    if cell == value or shown == plain or _plain(cell) == plain or shown in above.get(plain, ()):
        return True
    if isinstance(value, float) and shown == str(np.float32(value)):  # of 32 bits, with the decimal that means it
        return True
    ends = re.fullmatch(r"\[(.+), (.+)([\])])", shown)
    if ends:
        low, size, high = map(_size, (ends[1], plain, ends[2]))
        return low <= size < high or (ends[3] == "]" and size == high)
    masked = len(shown) >= len(plain) and all(one in ("*", other) for one, other in zip(shown, plain, strict=False))
    return masked or (isinstance(value, dt.date) and bool(shown) and value.isoformat().startswith(shown))


def _size(text):
    try:
        return Decimal(text)
    except ArithmeticError:
        return dt.datetime.fromisoformat(text)


def _plain(value):
    """The shortest spelling of a number, a truth or a midnight."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dt.datetime):
        return value.date().isoformat() if value.time() == dt.time() else value.isoformat()
    if isinstance(value, str) and (day := re.fullmatch(r"([0-9-]{10})[T ]00:00:00", value)):
        return day[1]
    if isinstance(value, str) and not re.fullmatch(r"-?(0|[1-9][0-9]*)([.][0-9]+)?", value):
        return value
    try:
        return format(Decimal(str(value)).normalize(), "f")
    except ArithmeticError:
        return str(value)
