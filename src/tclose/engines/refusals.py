"""Why a recoding is refused, in the same words on every engine."""

from __future__ import annotations

from tclose.engines.interface import Recoding, Unknown
from tclose.errors import EmptyTableError, InputError, InternalError, counted


def check_columns(recoding: Recoding) -> None:
    """Refuse a column that cannot be published."""
    if "" in recoding.columns:
        raise InputError("A column without a name cannot be published. Give it a name.")


def check_division(recoding: Recoding, *, divided: bool) -> None:
    """Refuse rows divided among classes without saying how many go where."""
    if divided and recoding.counts is None:
        raise InternalError("A recoding sends the same rows to several classes.")


def check_strangers(number: int, recoding: Recoding, unknown: Unknown, label: str) -> None:
    """Refuse rows that no piece takes, unless they may be dropped."""
    if number and recoding.counts is not None:
        raise other_table(label)
    if number and unknown == "refuse":
        raise InputError(
            f"The recoding does not say what becomes of {counted(number, 'row')} of {label}: it was made "
            "for other values. Make a new recoding, or drop such rows."
        )


def check_published(rows: int, label: str) -> None:
    """Refuse a release without rows."""
    if not rows:
        raise EmptyTableError(f"The recoding leaves out every row of {label}; there is nothing to release.")


def other_table(label: str) -> InputError:
    """Return that a table is not the one that a recoding was made for."""
    return InputError(
        f"The recoding says how many rows each class takes, and {label} does not have just those rows. "
        "Make a new recoding for this table."
    )
