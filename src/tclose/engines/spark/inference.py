"""Text columns on Spark, and what its SQL calls what every engine asks of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tclose.engines.inferring import Looking
from tclose.engines.text_types import Sql
from tclose.errors import SourceError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_BARE = "_bare"
MALFORMED = "malformed"
"""The column that says whether a row could not be cut into its cells."""
_TYPES = {"HUGEINT": "DECIMAL(38,0)", "TIMESTAMP": "TIMESTAMP_NTZ"}
_EPOCH = "TIMESTAMP_NTZ'1970-01-01 00:00:00'"
_UTC = "(?:Z|[-+]00(?::?00)?)"


class SparkSql(Sql):
    """Spark's words; patterns are Java's."""

    def matches(self, text: str, pattern: str) -> str:
        """Return the SQL of whether a pattern matches the whole of a text."""
        return rf"regexp_like({text}, r'^(?:{pattern})\z')"

    def trimmed(self, text: str) -> str:
        """Return the SQL of a text without the blanks around it: a column that :func:`with_bare` has made."""
        return f"{text}{_BARE}"

    def cast(self, text: str, kind: str) -> str:
        """Return the SQL of a text as a value of a type; null where it is none."""
        return f"try_cast({text} AS {_TYPES.get(kind, kind)})"

    def day(self, text: str, form: str) -> str:
        """Return the SQL of a text as a date written in a form such as ``%d.%m.%Y``; null where it is none."""
        mark, parts = form[2], form.split(form[2])
        year, month, day = (f"split_part({text}, '{mark}', {parts.index(part) + 1})" for part in ("%Y", "%m", "%d"))
        return self.cast(f"concat_ws('-', {year}, lpad({month}, 2, '0'), lpad({day}, 2, '0'))", "DATE")

    def moment(self, text: str) -> str:
        """Return the SQL of a point in time that says it is in UTC; null where it is none."""
        bare = self.cast(rf"regexp_replace({text}, r'{_UTC}\z', '')", "TIMESTAMP")
        return f"timestamp_micros(timestampdiff(MICROSECOND, {_EPOCH}, {bare}))"


SQL = SparkSql()


def with_bare(frame: DataFrame) -> DataFrame:
    """Return text columns, and beside each its text without the blanks around it, so that it is made only once."""
    bare = (
        rf"regexp_replace({name}, r'^\p{{Zs}}+|\p{{Zs}}+\z', '') AS {name}{_BARE}"
        for name in frame.columns
        if name != MALFORMED
    )
    return frame.selectExpr("*", *bare)


class SparkTexts(Looking):
    """A frame of text columns.

    Parameters
    ----------
    frame
        The columns, and one called :data:`MALFORMED`.
    refusal
        What to say where a row is malformed.
    """

    at_once = 100

    def __init__(self, frame: DataFrame, refusal: str) -> None:
        super().__init__(SQL)
        self._frame = with_bare(frame)
        self._refusal = refusal

    def seen(self, aggregates: Sequence[str]) -> Sequence[Any]:
        """Return what aggregates over all rows give; refuse malformed rows."""
        found = self._frame.selectExpr(*aggregates, f"bool_or({MALFORMED})").first()
        if found is None or found[-1]:
            raise SourceError(self._refusal)
        return tuple(found[:-1])
