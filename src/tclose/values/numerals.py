"""Numbers written as text: one decimal mark for a whole column, found in all its values or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from tclose.errors import Ask, DomainError, Hint

Mark = Literal[".", ","]
"""What separates the whole part of a number from the rest."""

_MULTIPLES = {"": 1, "k": 10**3, "m": 10**6, "bn": 10**9, "%": 1}
_AMOUNT = re.compile(
    r"(?P<sign>[+\-−]?)\s*(?P<before>[$€£¥]?)\s*(?P<digits>[\d.,][\d.,'’ \u00a0\u202f]*?(?P<power>[eE][+-]?\d{1,3})?)"
    r"\s*(?P<unit>k|m|bn|%)?\s*(?P<after>[$€£¥]?)",
    re.IGNORECASE,
)
_BARE = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?")
"""A number as programs write it, which a point in it is the decimal mark of."""
_LONGEST = 64
_LONGEST_BARE = 1_200
"""So many digits the smallest and the largest real numbers have."""


def _pattern(mark: Mark) -> re.Pattern[str]:
    """Return how the digits of a number look with a decimal mark; groups of three may be set apart."""
    decimal, other = (r"\.", ",") if mark == "." else (",", r"\.")
    groups = rf"[1-9]\d{{0,2}}(?P<apart>[{other}'’ \u00a0\u202f])\d{{3}}(?:(?P=apart)\d{{3}})*"
    return re.compile(rf"(?P<whole>{groups}|\d+|(?={decimal}\d))(?:{decimal}(?P<part>\d*))?(?P<power>[eE][+-]?\d+)?")


_PATTERNS: Mapping[Mark, re.Pattern[str]] = {".": _pattern("."), ",": _pattern(",")}


class UnclearNumbersError(DomainError):
    """The texts of a column read as numbers in two ways, or some in one way and some in the other."""


def number_in(text: str, mark: Mark) -> Fraction | None:
    """Return the number that a text stands for where numbers have a decimal mark, or None.

    Examples
    --------
    >>> [number_in(text, ".") for text in ("11k", "$1,234.5", "3,5", "2*")], number_in("3,5", ",")
    ([Fraction(11000, 1), Fraction(2469, 2), None, None], Fraction(7, 2))
    """
    text = text.strip()
    if len(text) > _LONGEST:
        bare = mark == "." and len(text) <= _LONGEST_BARE and _BARE.fullmatch(text)
        return Fraction(Decimal(text)) if bare else None
    amount = _AMOUNT.fullmatch(text)
    digits = _PATTERNS[mark].fullmatch(amount["digits"].strip()) if amount else None
    if amount is None or digits is None:
        return None
    whole = re.sub(r"\D", "", digits["whole"])
    number = Fraction(Decimal(f"{whole or '0'}.{digits['part'] or '0'}{digits['power'] or ''}"))
    number *= _MULTIPLES[(amount["unit"] or "").lower()]
    return -number if amount["sign"] in ("-", "−") else number


def numbers_in(texts: Iterable[str]) -> dict[str, Fraction]:
    """Return the numbers that texts of one column stand for, by one decimal mark for all of them.

    Texts that stand for no number are left out.

    Raises
    ------
    UnclearNumbersError
        When both marks fit all numbers and give different ones, or when neither fits all of them; when some are
        percentages and others are not, or amounts are of several currencies.

    Examples
    --------
    >>> numbers_in(["0,125", "1,5"])
    {'0,125': Fraction(1, 8), '1,5': Fraction(3, 2)}
    >>> numbers_in(["1,125", "12"])
    Traceback (most recent call last):
    tclose.values.numerals.UnclearNumbersError: its numbers can be read in two ways: ...
    """
    numbers = _numbers_by_one_mark(list(texts))
    _check_units(numbers)
    return numbers


def _numbers_by_one_mark(texts: Sequence[str]) -> dict[str, Fraction]:
    found: dict[Mark, dict[str, Fraction]] = {}
    for mark in _PATTERNS:
        found[mark] = {text: number for text in texts if (number := number_in(text, mark)) is not None}
    point, comma = found["."], found[","]
    if point == comma or (comma.keys() < point.keys()):
        return point
    if point.keys() < comma.keys():
        return comma
    if point.keys() != comma.keys():
        raise UnclearNumbersError(
            "some of its numbers have a decimal point and others a decimal comma.",
            hint=Hint("Write all of them in one way."),
        )
    if all(_BARE.fullmatch(text.strip()) for text in point):
        return point
    raise UnclearNumbersError(
        "its numbers can be read in two ways: every comma or point in them may be a decimal mark or set thousands "
        "apart, and no value decides which.",
        code="decimal-mark-unclear",
        field="decimal",
        hint=Hint(
            "In a text file, say which with {} or {}; elsewhere write plain numbers.",
            Ask("decimal", ","),
            Ask("decimal", "."),
        ),
    )


def _check_units(numbers: Mapping[str, Fraction]) -> None:
    """Refuse numbers of which some are percentages, but for zeros, or amounts of several currencies."""
    amounts = [(amount, number) for text, number in numbers.items() if (amount := _AMOUNT.fullmatch(text.strip()))]
    if len({amount["unit"] == "%" for amount, number in amounts if number}) > 1:
        raise UnclearNumbersError(
            "some of its numbers are percentages and others are not: 5% may be 5 or 0.05 beside them. Write them all "
            "in one way."
        )
    if len({amount["before"] or amount["after"] for amount, _ in amounts} - {""}) > 1:
        raise UnclearNumbersError("its amounts are of several currencies, which do not compare. Convert them to one.")


def reads_as_numbers(texts: Iterable[str]) -> bool:
    """Say whether every text stands for a number, by one decimal mark for all of them."""
    texts = list(texts)
    try:
        return bool(texts) and len(numbers_in(texts)) == len(set(texts))
    except UnclearNumbersError:
        return False
