"""Texts that read as numbers, where an order is asked of them: one decimal mark for a whole column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "bn": 10**9, "%": 1}
_SPACES = "'’ \u00a0\u202f"
_AROUND = re.compile(
    r"(?P<sign>[+\-−]?)\s*[$€£¥]?\s*(?P<digits>[0-9.][0-9.,'’ \u00a0\u202f]*?)\s*(?P<unit>k|m|bn|%)?\s*[$€£¥]?",
    re.IGNORECASE,
)
_POWER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)[eE][+-]?[0-9]{1,3}")


def number_of(text: str, mark: str) -> Fraction | None:
    """Return the number that a text is if this is the decimal mark, or None."""
    text = text.strip()
    if _POWER.fullmatch(text):
        return Fraction(Decimal(text)) if mark == "." else None
    found = _AROUND.fullmatch(text)
    if not found:
        return None
    whole, _, part = found["digits"].partition(mark)
    other = "," if mark == "." else "."
    for group in (other, *_SPACES):
        if re.fullmatch(rf"[1-9][0-9]{{0,2}}(?:{re.escape(group)}[0-9]{{3}})+", whole):
            whole = whole.replace(group, "")
    if not re.fullmatch("[0-9]*", whole) or not re.fullmatch("[0-9]*", part) or not whole + part:
        return None
    size = Fraction(Decimal(f"{whole or '0'}.{part or '0'}")) * _UNITS[(found["unit"] or "").lower()]
    return -size if found["sign"] in ("-", "−") else size


def orders(texts: Sequence[str]) -> list[list[str]]:
    """Return the orders that different texts may have: by numbers under each mark that reads them all, or by letters.

    A column of which only some texts read as numbers has none.
    """
    different = sorted(set(texts))
    read = {mark: [number_of(text, mark) for text in different] for mark in ".,"}
    found = [
        [text for _, text in sorted(zip(sizes, different, strict=True))]
        for sizes in read.values()
        if all(size is not None for size in sizes)
    ]
    if not found and all(size is None for sizes in read.values() for size in sizes):
        found.append(different)
    return found
