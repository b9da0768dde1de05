"""Why a column cannot be used, in the same words on every way in."""

from __future__ import annotations

MIXED = "its values are of different types. Make them all text, or all numbers, before handing the table over."
NESTED = "its values are nested, or neither text, numbers nor dates. Take them apart into columns of one type each."
LONG = "it has numbers of more than 38 digits, or an infinity beside numbers too long for a float. Make them text."
TOO_LARGE = "it mixes real numbers with numbers too long for them. Make them text."
TOO_FINE = "it has times or durations finer than a microsecond. Round them, or make them text."
NOT_UNICODE = "it has text that is not valid Unicode. Mend the text."


def unread(kind: str) -> str:
    """Return the words for a type whose values cannot be taken exactly."""
    return f"tclose does not read its type {kind!r}. Make it text, whole numbers, or floats of 32 or 64 bits."
