"""Points in time to the nanosecond: those with a zone as values, and all of them read from their texts."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from fractions import Fraction
from functools import total_ordering

_EPOCH = dt.datetime(1970, 1, 1)
_MICROSECOND = dt.timedelta(microseconds=1)
_WRITTEN = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
    r"([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.(?P<part>[0-9]+))?)?(Z|[+-][0-9]{2}(:?[0-9]{2}){0,2})?)?"
)


@total_ordering
@dataclass(frozen=True, eq=False)
class FineMoment:
    """A point in time with a zone that Python's own type would round.

    The same nanosecond in another zone is the same point.

    Parameters
    ----------
    nanoseconds
        How many have passed since 1970 began in UTC.
    offset
        How far the clocks of its zone are ahead of UTC just then.

    Examples
    --------
    >>> west = FineMoment(1, dt.timedelta(hours=-5))
    >>> print(west), print(west.in_utc)
    1969-12-31T19:00:00.000000001-05:00
    1970-01-01T00:00:00.000000001+00:00
    (None, None)
    >>> west == west.in_utc, west > dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
    (True, True)
    """

    nanoseconds: int
    offset: dt.timedelta = field(default=dt.timedelta())

    @property
    def in_utc(self) -> FineMoment:
        """The same point in UTC."""
        return FineMoment(self.nanoseconds)

    @property
    def microseconds(self) -> Fraction:
        """How many microseconds have passed since 1970 began in UTC."""
        return Fraction(self.nanoseconds, 1000)

    @property
    def date(self) -> dt.date:
        """The day that its own zone has."""
        return self._second.date()

    @property
    def _second(self) -> dt.datetime:
        """The last whole second before it, as the clocks of its zone show it."""
        return _EPOCH + dt.timedelta(seconds=self.nanoseconds // 10**9) + self.offset

    def __str__(self) -> str:
        zone = dt.datetime.isoformat(_EPOCH.replace(tzinfo=dt.timezone(self.offset)))[19:]
        return f"{self._second.isoformat()}.{self.nanoseconds % 10**9:09d}{zone}"

    def __eq__(self, other: object) -> bool:
        return self.nanoseconds == other.nanoseconds if isinstance(other, FineMoment) else NotImplemented

    def __lt__(self, other: object) -> bool:
        there = _microseconds_of(other)
        return NotImplemented if there is None else self.microseconds < there

    def __hash__(self) -> int:
        return hash(self.nanoseconds)


def _microseconds_of(other: object) -> Fraction | None:
    """Return where a point in time with a zone lies; None for anything else."""
    if isinstance(other, FineMoment):
        return other.microseconds
    if isinstance(other, dt.datetime) and other.tzinfo is not None:
        return Fraction((other - _EPOCH.replace(tzinfo=dt.UTC)) // _MICROSECOND)
    return None


def moment_in(text: str) -> tuple[Fraction, bool] | None:
    """Return the microseconds from 1970 to the point in time that a text is, every digit kept, and if it has a zone.

    None where it is none as ISO 8601 writes them; a month or a week is none.

    Examples
    --------
    >>> moment_in("1970-01-01T00:00:00.000000001Z"), moment_in("1970-01-02"), moment_in("1970-01")
    ((Fraction(1, 1000), True), (Fraction(86400000000, 1), False), None)
    """
    found = _WRITTEN.fullmatch(text)
    if found is None:
        return None
    part = found["part"] or ""
    try:
        moment = dt.datetime.fromisoformat(text.replace(f".{part}", "", 1) if part else text)
    except ValueError:
        return None
    zoned = moment.tzinfo is not None
    since = (moment - (_EPOCH.replace(tzinfo=dt.UTC) if zoned else _EPOCH)) // _MICROSECOND
    return since + Fraction(int(part or 0), 10 ** len(part)) * 10**6, zoned
