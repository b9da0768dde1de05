"""How much memory a search holds, estimated from counts before it begins."""

from __future__ import annotations

from tclose.errors import Ask, HeadroomError, Hint

BYTES_A_ROW = 150
"""What a method holds of each distinct row, about, while it sorts and numbers rows."""
BYTES_A_COLUMN = 24
"""And of each of its columns: codes, positions, and the rows in its order."""
BYTES_A_PIECE = 80
"""What a recoding holds of each of its pieces while they are numbered: its class, its rows and where they begin."""
BYTES_A_CELL = 8
"""And of each key value and label of a piece: its code in the recipe, and on its way to the engine."""
_LEAST = 100_000_000
"""With fewer bytes an engine may have no room for its own work."""


def needed_bytes(rows: int, columns: int) -> int:
    """Return about how many bytes a search of distinct rows holds at once."""
    return rows * (BYTES_A_ROW + BYTES_A_COLUMN * columns)


def recoded_bytes(pieces: int, cells: int) -> int:
    """Return about how many bytes the pieces of a recoding hold, of so many key values and labels each."""
    return pieces * (BYTES_A_PIECE + BYTES_A_CELL * cells)


def check_room(rows: int, columns: int, memory: int | None) -> None:
    """Refuse a search that needs more than half of the memory that is allowed, before it begins.

    The other half is the engine's, which keeps the table and recodes it.

    Parameters
    ----------
    rows, columns
        How many distinct rows there are, and of how many columns.
    memory
        How many bytes are allowed; None where nobody said.

    Raises
    ------
    HeadroomError
        If the search needs more.
    """
    needed = 2 * needed_bytes(rows, columns)
    if memory is None or needed <= memory:
        return
    size = f"{_megabytes(max(needed, _LEAST))}MB"
    raise HeadroomError(
        f"A release of {rows:,} distinct rows of {columns} columns needs about {_megabytes(needed)} MB, and "
        f"{_megabytes(memory)} MB are allowed.",
        field="memory",
        hint=Hint(
            "Allow more: {}. Or make more rows alike: give quasi-identifiers coarser values, or round sensitive "
            "numbers, such as {}.",
            Ask("memory", size),
            Ask("round", 1000, "NAME"),
        ),
    )


def _megabytes(size: int) -> int:
    return -(-size // 1_000_000)
