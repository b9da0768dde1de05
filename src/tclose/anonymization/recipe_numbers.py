"""Cells of a recipe as numbers and dates to compute with: the bounds of what a label stands for."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from tclose.engines.recoding import Added
from tclose.errors import Hint, InputError, listed, meant
from tclose.policy.parts import FORMS

if TYPE_CHECKING:
    from tclose.anonymization.recipes import RecodedColumn

_KINDS = {"DATE": "DATE", "TIMESTAMP": "TIMESTAMP"}
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "U", "DOUBLE", "FLOAT", "DECIMAL", "VARCHAR")
_INTERVAL = re.compile(r"\[(.+), (.+)[\])]")
_BELOW = re.compile(r"< (.+)")
_FROM = re.compile(r"≥ (.+)")
_CALENDAR = re.compile(r"(\d{4})(?:-(\d{2})|-Q(\d)|-W(\d{2})|(s)|–\d{4})?", re.ASCII)
_EXTREMES = ("top:", "bottom:")
_LAST_MONTH = 12

Ends = tuple[str | None, str | None]
"""The lowest and the highest that a label stands for; None where it does not say."""


@dataclass(frozen=True)
class Numbers:
    """What is published of a quasi-identifier to compute with.

    Parameters
    ----------
    form
        ``"bounds"``.
    type
        ``DOUBLE``, ``DATE`` or ``TIMESTAMP``: that of the original, whatever the cells of a release are.
    """

    form: str
    type: str


def numbers_of(given: Mapping[str, str], types: Mapping[str, str], published: Sequence[str]) -> dict[str, Numbers]:
    """Return what is to be published of quasi-identifiers to compute with, checked.

    Parameters
    ----------
    given
        The form of each quasi-identifier that has one.
    types
        The types of the quasi-identifiers.
    published
        The columns that the release has without.
    """
    found = {}
    for name, form in given.items():
        if name not in types:
            raise InputError(
                f"Numbers are asked for of {name!r}, which is no quasi-identifier; these are {listed(types)}.",
                field="numbers",
                column=name,
            )
        if form not in FORMS:
            problem = f"The numbers of {name!r} are {listed(FORMS)}."
            raise InputError(problem, field="numbers", column=name, hint=meant(form, FORMS))
        kind = next((made for start, made in _KINDS.items() if types[name].startswith(start)), None)
        if kind is None and not types[name].startswith(_NUMBERS):
            problem = f"The column {name!r} holds no numbers or dates, and has no {form}."
            raise InputError(problem, field="numbers", column=name)
        found[name] = Numbers(form, kind or "DOUBLE")
    twice = [made for name in found for made in names_of(name, found[name]) if made in published]
    if twice:
        hint = Hint("Rename it, or leave the numbers out.")
        problem = f"The release has a column {twice[0]!r} already."
        raise InputError(problem, field="numbers", column=twice[0], hint=hint)
    return found


def names_of(name: str, numbers: Numbers) -> list[str]:
    """Return what the columns of numbers are called that stand beside a quasi-identifier."""
    return [f"{name}{ending}" for ending in FORMS[numbers.form]]


def numbers_read(form: object, kind: object) -> Numbers:
    """Return what a recipe says of numbers, checked."""
    if form not in FORMS or kind not in (*_KINDS, "DOUBLE"):
        raise ValueError("no numbers")
    return Numbers(str(form), str(kind))


def beside(columns: Sequence[RecodedColumn], numbers: Mapping[str, Numbers]) -> dict[str, tuple[Added, ...]]:
    """Return the columns of numbers that stand beside each quasi-identifier."""
    return {
        column.name: tuple(_added(at, column, numbers[column.name]))
        for at, column in enumerate(columns)
        if column.name in numbers
    }


def with_beside(published: Sequence[str], more: Mapping[str, Sequence[Added]]) -> tuple[str, ...]:
    """Return the published columns, each with those that stand beside it."""
    return tuple(each for name in published for each in (name, *(made.name for made in more.get(name, ()))))


def ends_by_label(column: RecodedColumn, kind: str) -> dict[str | None, Ends]:
    """Return the ends of what each label of a quasi-identifier stands for; they tell no more than the label."""
    coarsest: dict[str | None, int] = {}
    for cell in column.cells:
        coarsest[cell.label] = max(coarsest.get(cell.label, 0), cell.level or 0)
    coded = (column.hierarchy.rule or "").startswith(_EXTREMES)  # a label that is a number is that number, on any level
    return {label: _ends(label, 0 if coded else level, kind) for label, level in coarsest.items()}


def kind_of_values(column: RecodedColumn) -> str | None:
    """Return whether the original values of a quasi-identifier are numbers or dates; None where they are neither."""
    values = [value for value in column.values if value is not None]
    if values and all(_number(value) is not None for value in values):
        return "DOUBLE"
    return "TIMESTAMP" if values and all(_is_moment(value) for value in values) else None


def _is_moment(text: str) -> bool:
    try:
        return dt.datetime.fromisoformat(text).tzinfo is None
    except ValueError:
        return False


def _added(at: int, column: RecodedColumn, numbers: Numbers) -> Iterator[Added]:
    known = ends_by_label(column, numbers.type)
    ends = [known[cell.label] for cell in column.cells]
    values = [[low for low, _ in ends], [high for _, high in ends]]
    for called, texts in zip(names_of(column.name, numbers), values, strict=True):
        yield Added(called, at, texts, numbers.type)


def _ends(label: str | None, level: int, kind: str) -> Ends:
    """Return the ends that a label names; a value by itself is both."""
    if label is None:
        return None, None
    if found := _INTERVAL.fullmatch(label):
        return found[1], found[2]
    if found := _BELOW.fullmatch(label):
        return None, found[1]
    if found := _FROM.fullmatch(label):
        return found[1], None
    if level == 0 and (kind != "DOUBLE" or _number(label) is not None):
        return label, label
    calendar = _CALENDAR.fullmatch(label)
    return _days(calendar) if calendar and kind != "DOUBLE" else (None, None)


def _days(found: re.Match[str]) -> Ends:
    """Return the first and the last day of a part of the calendar."""
    year, month, quarter, week, decade = found.groups()
    if week:
        monday = dt.date.fromisocalendar(int(year), int(week), 1)
        return monday.isoformat(), (monday + dt.timedelta(6)).isoformat()
    years = 1 if month or quarter or found[0] == year else 10 if decade else 100
    first = int(month or 3 * int(quarter or 1) - 2)
    last = first if month else first + 2 if quarter else _LAST_MONTH
    after = dt.date(int(year) + years - 1 + last // _LAST_MONTH, last % _LAST_MONTH + 1, 1)
    return dt.date(int(year), first, 1).isoformat(), (after - dt.timedelta(1)).isoformat()


def _number(text: str | None) -> Fraction | None:
    try:
        return None if text is None else Fraction(text)
    except (ValueError, ZeroDivisionError):
        return None
