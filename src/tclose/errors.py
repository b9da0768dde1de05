"""Every error tclose raises, in one tree.

::

    TcloseError
    ├── InputError (ValueError)          the caller can mend it
    │   ├── ColumnNotFoundError          a named column is not in the table
    │   ├── RoleConflictError            a column was given two roles, or none that counts
    │   ├── UndecidedColumnError         a table has columns that its closed policy does not name
    │   ├── DomainError                  values do not fit the declared distance or order
    │   ├── HierarchyError               a hierarchy is not a tree over the values
    │   ├── ThresholdError               a threshold is not a number in its model's range
    │   ├── PolicyError                  a policy file cannot be understood
    │   ├── SourceError                  a table cannot be found or read
    │   └── EmptyTableError              a table without rows
    ├── EngineError (RuntimeError)       the machine under us
    │   ├── EngineNotInstalledError      an optional package is missing; names the extra
    │   ├── EngineFailedError            the engine stopped with an error of its own
    │   └── HeadroomError                the work does not fit the allowed memory or arithmetic
    └── InternalError (AssertionError)   our mistake

A message says what is wrong, where, and the way out. It carries column names, counts and paths,
never a cell of a table. A requirement that is not met is a value (``audit.holds``), not an error.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

Saying = Callable[[str, str], str]
"""What is said to a person, of Python's words and those of the command line."""

_SAYING: ContextVar[Saying] = ContextVar("tclose_saying", default=lambda python, _option: python)

HOW_TO_PUBLISH = " To publish one as it is: "
HOW_TO_CHOOSE = " To choose: "
HOW_TO_COUNT = " Count people with "
HOW_TO_LACK = " If the others stand for missing values"
"""What begins the way out of a note; :func:`statement` leaves it off."""


class TcloseError(Exception):
    """Base of every error that tclose raises on purpose."""


class InputError(TcloseError, ValueError):
    """Something the caller can mend: a file, a column, a role, a threshold."""


def if_no_header() -> str:
    """Return the way out where a row may have been taken for the names of the columns."""
    how = either("ReadOptions(header=False)", "--no-header")
    return f"If its first line does not name the columns, say so ({how})."


class ColumnNotFoundError(InputError):
    """A named column is not in the table."""

    def __init__(self, column: str, available: Iterable[str], role: str = "named", *, listing: bool = True) -> None:
        self.column = column
        self.available = tuple(available)
        near = closest(column, self.available)
        before, _, word = column.rpartition(":")
        if before in self.available:
            way_out = f" {before!r} is; behind a colon stands its distance, such as ordered or nominal, not {word!r}."
        else:
            way_out = f" Did you mean {near!r}?" if near else f" It has {_names_held(self.available, listing=listing)}"
        super().__init__(f"The {role} column {column!r} is not in the table.{way_out}")


def _names_held(available: Sequence[str], *, listing: bool) -> str:
    """Return the names of a table's columns, or, where they may be cells of its first row, how many there are."""
    if list(available) == [f"column_{at}" for at in range(1, len(available) + 1)]:
        how = either("ReadOptions(header=True)", "--header")
        return f"{listed(available)}: its first line was taken for a row. If that names the columns, say so ({how})."
    if listing:
        return f"{listed(available)}."
    if len(available) == 1:
        how = either("ReadOptions(delimiter=…)", "--delimiter")
        return f"one of another name. If its cells are apart by another sign, name it ({how}). {if_no_header()}"
    return f"{len(available)} of other names. {if_no_header()}"


class RoleConflictError(InputError):
    """A column was given two roles, or the roles leave nothing to measure."""


class UndecidedColumnError(InputError):
    """A table has columns that its closed policy does not name, so that nobody decided to publish them."""

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        which = "this column" if len(columns) == 1 else f"these {len(columns):,} columns"
        how = either("publish=[…] publishes, identifiers=[…] removes", "--publish publishes, --identifier removes")
        super().__init__(
            f"No role is given to {which}: {listed(columns, len(columns))}. A closed policy names every column: give "
            f"each a role ({how}), or say of all others in [policy]: others = 'remove' or 'publish'."
        )


class DomainError(InputError):
    """The values of a column do not fit the distance or order declared for it."""


class HierarchyError(InputError):
    """A hierarchy is not a tree that covers the values of its column."""


class ThresholdError(InputError):
    """A threshold is not a number, or lies outside its model's range."""


class PolicyError(InputError):
    """A policy file cannot be understood."""


class SourceError(InputError):
    """A table cannot be found, opened or parsed."""


class EmptyTableError(SourceError):
    """A table without rows: there is nobody in it to protect or to give away."""


class EngineError(TcloseError, RuntimeError):
    """The machinery under tclose could not do its work."""


class EngineNotInstalledError(EngineError):
    """A package of an optional extra is needed and missing."""

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        self.package = package
        self.extra = extra
        extras = f"its extra {extra!r} (in a clone of it: pip install '.[{extra}]')"
        super().__init__(
            f"{purpose} needs the package {package!r}. Install tclose with {extras}; "
            f"if that does not bring it: pip install {package}."
        )


class EngineFailedError(EngineError):
    """The engine stopped with an error of its own."""


class HeadroomError(EngineError):
    """The work does not fit into the allowed memory, disk or arithmetic."""


class InternalError(TcloseError, AssertionError):
    """A mistake of tclose itself; the answer cannot be trusted and is not given."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} This is a mistake in tclose, not in your table; "
            "no figure is reported because none could be trusted. Please report it."
        )


@contextmanager
def saying(words: Saying) -> Iterator[None]:
    """Let messages speak to the person at hand in words that are chosen from Python's and the command line's."""
    before = _SAYING.set(words)
    try:
        yield
    finally:
        _SAYING.reset(before)


def command_line() -> AbstractContextManager[None]:
    """Let messages speak of options of the command line instead of Python calls."""
    return saying(lambda _python, option: option)


@contextmanager
def to_readers() -> Iterator[None]:
    """Let messages name neither calls nor options: who reads a report has none at hand."""
    with saying(lambda _python, _option: ""):
        yield


def by_means_of(python: str, option: str) -> str:
    """Return how to do what was said, in brackets behind a blank; nothing to those who have no means.

    Examples
    --------
    >>> f"Write over it{by_means_of('force=True', '--force')}."
    'Write over it (force=True).'
    """
    how = _SAYING.get()(python, option)
    return f" ({how})" if how else ""


def either(python: str, option: str) -> str:
    """Return what to say to the person at hand: Python's words, those of the command line, or those of the page.

    Examples
    --------
    >>> either("force=True", "--force")
    'force=True'
    >>> with command_line():
    ...     either("force=True", "--force")
    '--force'
    """
    return _SAYING.get()(python, option)


def statement(note: str) -> str:
    """Return a note without its way out, which is said to whoever can go it and not to readers of a report.

    Examples
    --------
    >>> statement(f"Left out: zip.{HOW_TO_PUBLISH}--publish zip.")
    'Left out: zip.'
    """
    for way_out in (HOW_TO_PUBLISH, HOW_TO_CHOOSE, HOW_TO_COUNT, HOW_TO_LACK):
        note = note.partition(way_out)[0]
    return note


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate most like ``name``, or None when nothing is near."""
    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    found = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def counted(number: int, thing: str) -> str:
    """Return a number with what it counts, such as ``"1 row"`` or ``"3 rows"``."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def listed(names: Iterable[str], most: int = 12) -> str:
    """Return names as one readable list, cut after ``most``."""
    quoted = [repr(name) for name in names]
    if not quoted:
        return "no columns"
    if len(quoted) > most:
        return ", ".join(quoted[:most]) + f" and {len(quoted) - most} more"
    return ", ".join(quoted)


def alike(names: Sequence[str]) -> str:
    """Return the places of two names that are the same, for where names may be the cells of a first row.

    Examples
    --------
    >>> alike(["zip", "age", "zip"])
    'columns 1 and 3'
    """
    places: dict[str, int] = {}
    for at, name in enumerate(names, start=1):
        if name and name in places:
            return f"columns {places[name]} and {at}"
        places[name] = at
    return "columns"
