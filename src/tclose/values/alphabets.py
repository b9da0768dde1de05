"""Whether the alphabet is the order of texts: of dates, numbers and points in time in them it often is not."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from fractions import Fraction

from tclose.values.moments import moment_in

_DAY_OR_MONTH_FIRST = re.compile(r"[0-9]{1,2}([./-])[0-9]{1,2}\1[0-9]{2}(?:[0-9]{2})?(?:[ T,].*)?", re.DOTALL)
_NUMBER = re.compile(r"([0-9]+(?:\.[0-9]+)?)")


def another_order(texts: Sequence[str]) -> str | None:
    """Return what gives texts another order than the alphabet does, in words; None where nothing does.

    Examples
    --------
    >>> another_order(["5-9", "10-14"]), another_order(["05-09", "10-14"]), another_order(["high", "low"])
    ('the numbers in it', None, None)
    >>> another_order(["01/02/2020", "02/01/2020"])
    'the dates in it, which begin with the day or with the month'
    """
    if texts and all(_DAY_OR_MONTH_FIRST.fullmatch(text) for text in texts):
        return "the dates in it, which begin with the day or with the month"
    ordered = sorted(texts)
    if moments := _moments(ordered):
        return None if _is_ascending(moments) else "the points in time that it names"
    return None if _is_ascending([_parts(text) for text in ordered]) else "the numbers in it"


def _moments(texts: Sequence[str]) -> list[tuple[bool, Fraction]]:
    """Return the points in time that texts name, those without a zone first; none where a text is none."""
    found = [moment_in(text) for text in texts]
    return [(each[1], each[0]) for each in found if each is not None] if None not in found else []


def _parts(text: str) -> list[object]:
    """Return a text in parts: texts, and the numbers between them."""
    return [Fraction(part) if at % 2 else part for at, part in enumerate(_NUMBER.split(text))]


def _is_ascending(places: Sequence[object]) -> bool:
    return all(before <= after for before, after in itertools.pairwise(places))  # type: ignore[operator]
