"""Why a column cannot be used, in the same words on every way in."""

from __future__ import annotations

MIXED = "its values are of different types. Make them all text, or all numbers, before handing the table over."
NESTED = "its values are nested, or neither text, numbers nor dates. Take them apart into columns of one type each."
LONG = "it has numbers of more than 38 digits, or an infinity beside numbers too long for a float. Make them text."
TOO_LARGE = "it mixes real numbers with numbers too long for them. Make them text."
TOO_FINE = "it has times or durations finer than a microsecond. Round them, or make them text."
MONTHS_AND_DAYS = "it has intervals of months and of days, whose lengths cannot be compared. Make them days, or text."
MERGED = "it has merged cells, of which only the first has a value. Unmerge and fill them, or save the table as CSV."
UNCOMPUTED = (
    "it has formulas whose results are not in the file. Open the workbook in a spreadsheet program and save it there, "
    "or write values instead."
)
NO_DAYS = (
    "it has numbers shown as dates or times that stand for none, below 0 or of 29 February 1900, and would be read as "
    "others. Make them numbers or text."
)
UNSURE_DAYS = (
    "it has times of day beside days, or 28 February 1900, which stand for other days too in a workbook of this kind. "
    "Save it as .xlsx."
)
NOT_UNICODE = "it has text that is not valid Unicode. Mend the text."


def unread(kind: str) -> str:
    """Return the words for a type whose values cannot be taken exactly."""
    return f"tclose does not read its type {kind!r}. Make it text, whole numbers, or floats of 32 or 64 bits."
