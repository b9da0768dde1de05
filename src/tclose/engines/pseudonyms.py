"""What a release shows in the place of who somebody is: pseudonyms and shifted dates, and what they give away."""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from typing import Any

from tclose.engines.people import Trajectories

USUAL_DAYS = 182
"""Dates are shifted by at most so many days, forwards or backwards, unless something else is said."""
MOST_DAYS = 36_500
_PURPOSE = b"tclose disguise 1\0"
_BLOCK = 64
"""The bytes of a block of SHA-256."""


@dataclass(frozen=True)
class Disguise:
    """How rows are disguised: by a code made of a secret key and of whose they are.

    The code is HMAC-SHA256 of the text of the column that tells people apart. Its first digits are the pseudonym, its
    last ones choose the number of days by which all dates of the person are shifted. Whoever has the key can make the
    same again; without it, a code says nothing about the person.

    Parameters
    ----------
    person
        The column that tells people apart; None where every row is a person of its own.
    pseudonym
        Whether the column is published, as pseudonyms.
    dates
        The columns whose dates are shifted.
    days
        By how many days they are shifted at most, forwards or backwards.
    key
        The secret; it is kept nowhere.
    """

    person: str | None
    pseudonym: bool
    dates: tuple[str, ...]
    days: int
    key: bytes = field(repr=False)

    @property
    def pads(self) -> tuple[bytes, bytes]:
        """What stands before the text, and what before the hash of that, in HMAC-SHA256 by its definition."""
        key = hashlib.sha256(self.key).digest() if len(self.key) > _BLOCK else self.key
        key = key.ljust(_BLOCK, b"\0")
        inner, outer = (bytes(byte ^ mask for byte in key) for mask in (0x36, 0x5C))
        return inner + _PURPOSE, outer


def key_check(key: bytes) -> str:
    """Return a text by which the same key is known again, and which says nothing else about it."""
    return hmac.digest(key, b"tclose key check 1", "sha256").hex()[:16]


@dataclass(frozen=True)
class Disguised:
    """A table with its rows disguised.

    Parameters
    ----------
    table
        The table.
    fewest
        How many offsets fit the dates of the person or row that fewest fit; 0 without shifted dates.
    known
        How many people or rows only one offset fits, their own.
    """

    table: Any
    fewest: int = 0
    known: int = 0


@dataclass(frozen=True)
class Revealed:
    """What a disguised release still gives away.

    Parameters
    ----------
    linked
        By which sets of classes people are told apart whose rows pseudonyms link; None without pseudonyms.
    days
        By how many days dates are shifted at most; None where none are.
    units
        How many people, or rows where nothing links them, have shifted dates.
    alone
        How many of these are the only ones with their days between dates and times of day, which stay.
    fewest
        How many offsets fit the dates of the person or row that fewest fit.
    known
        How many only one offset fits: whoever knows from when to when the table reaches can undo their shift.
    """

    linked: Trajectories | None = None
    days: int | None = None
    units: int = 0
    alone: int = 0
    fewest: int = 0
    known: int = 0
