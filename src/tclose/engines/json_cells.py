"""Cells of JSON as marked texts: strings begin with ``$``, numbers with ``#``, so that none is taken for another.

Control characters, which valid JSON has nowhere, stand around strings and numbers until the marks take their places.
"""

from __future__ import annotations

from collections.abc import Sequence

from tclose.engines.duckdb.problems import LONG, MIXED, NESTED
from tclose.engines.inferring import Looking, infer, iso_types
from tclose.engines.text_types import TEXT, TextType

_MARKS = (("chr(1) || '\"'", '"$'), ("'\"' || chr(2)", '"'), ("chr(1)", '"#'), ("chr(2)", '"'))
STRING, NUMBER, TRUTH, OTHER = 1, 2, 4, 8
_KINDS = {"$": STRING, "#": NUMBER, "t": TRUTH, "f": TRUTH}
"""What the first letter of a cell says that it is; another one begins something nested."""


def marked(surrounded: str) -> str:
    """Return the SQL of a JSON text with marks, given that of one with control characters around what is marked."""
    for mark, instead in _MARKS:
        surrounded = f"replace({surrounded}, {mark}, '{instead}')"
    return surrounded


def kinds_of(cell: str) -> str:
    """Return the SQL of an aggregate for the kinds of cells that a column has."""
    whens = " ".join(f"WHEN '{letter}' THEN {bit}" for letter, bit in _KINDS.items())
    return (
        f"coalesce(bit_or(CASE WHEN {cell} IS NULL THEN 0 ELSE CASE left({cell}, 1) {whens} ELSE {OTHER} END END), 0)"
    )


def plain(cell: str, kinds: int, plus: str) -> str:
    """Return the SQL of a cell without its mark.

    Parameters
    ----------
    cell
        The SQL of the cell.
    kinds
        The kinds of cells that its column has.
    plus
        The SQL of a number with the sign that a power of ten needs in a text table, with ``{0}`` for the number.
    """
    bare = f"substr({cell}, 2)"
    return plus.format(bare) if kinds == NUMBER else bare if kinds == STRING else cell


def types_of(table: Looking, kinds: dict[str, int]) -> dict[str, TextType]:
    """Return the type of each column of plain cells, by all its values and the kinds of its cells."""
    types = {column: TextType("BOOLEAN") if found == TRUTH else TEXT for column, found in kinds.items()}
    types |= infer(table, _having(kinds, NUMBER), decimal=".", commas=False, numbers=True)
    return types | iso_types(table, _having(kinds, STRING))


def _having(kinds: dict[str, int], wanted: int) -> Sequence[str]:
    return [column for column, found in kinds.items() if found == wanted]


def problem(kinds: int, kind: TextType) -> str | None:
    """Return why a column cannot be used; None for a column that can."""
    if kinds & OTHER:
        return NESTED
    if kinds == NUMBER and kind == TEXT:
        return LONG
    return None if kinds in (0, STRING, NUMBER, TRUTH) else MIXED
