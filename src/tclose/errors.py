"""Every error tclose raises, in one tree, and the hints that say what to type.

::

    TcloseError
    ├── InputError (ValueError)          the caller can mend it
    │   ├── ColumnNotFoundError          a named column is not in the table
    │   ├── RoleConflictError            a column was given two roles, or none that counts
    │   ├── UndecidedColumnError         a table has columns that its closed policy does not name
    │   ├── DomainError                  values do not fit the declared distance or order
    │   ├── HierarchyError               a hierarchy is not a tree over the values
    │   ├── ThresholdError               a threshold is not a number in its model's range
    │   ├── SeveralProblemsError         several of these at once; has them as its problems
    │   ├── PolicyError                  a policy file cannot be understood
    │   ├── CertificateError             a file is no certificate that can be checked
    │   ├── SourceError                  a table cannot be found or read
    │   └── EmptyTableError              a table without rows
    ├── EngineError (RuntimeError)       the machine under us
    │   ├── EngineNotInstalledError      an optional package is missing; names the extra
    │   ├── EngineFailedError            the engine stopped with an error of its own
    │   └── HeadroomError                the work does not fit the allowed memory or arithmetic
    └── InternalError (AssertionError)   our mistake

A message says what is wrong and where; its hint says what to type. Neither carries a cell of a table: column names,
counts and paths alone. Programs go by the code, the field and the column of an error, never by its English. A
requirement that is not met is a value (``audit.holds``), not an error.
"""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar

from tclose.data.labels import Label, public


@dataclass(frozen=True)
class Ask:
    """An option with the value to give it; each face says it in its own words when it is read.

    Parameters
    ----------
    field
        The option by its keyword in the library, or the key of a privacy model.
    value
        What to give it; None leaves that to the person.
    column
        The column that it is given for, where each column has its own.

    Examples
    --------
    >>> import tclose.policy  # options spell themselves
    >>> str(Ask("person", "id")), str(Ask("hierarchies", "flat", "zip")), str(Ask("k", 5))
    ("Roles(person='id')", "hierarchies={'zip': 'flat'}", "require={'k': 5}")
    """

    field: str
    value: object = dataclasses.field(default=None, hash=False)
    column: str | None = None

    def __str__(self) -> str:
        """Return it in the words of the face at hand; empty where that has no such option."""
        return _WORDS.get()(self)


Words = Callable[[Ask], str]
"""How a face says an option with its value."""

_PYTHON: dict[str, str] = {
    "anonymize": "tclose.anonymize",
    "distance": "sensitive={}",
    "force": "force={}",
    "key": "key={}",
    "nulls": "nulls={}",
    "order": "order={}",
    "original": "original={}",
    "recipe": "recipe={}",
    "replace": "force={}",
    "round": "round={}",
    "show_people": "with_people()",
    "why": "with_why()",
    "widen": "widen={}",
}
"""How the library spells what is no option of a policy; each option adds itself. Other fields are keys of models."""


def spell(field: str, template: str) -> None:
    """Say how the library spells an option, with ``{}`` for its value."""
    _PYTHON.setdefault(field, template)


_BY_DISTANCE = ("nulls", "order", "round")
"""What the library gives to the distance of a column."""


def in_python(ask: Ask) -> str:
    """Return an option in the words of the library."""
    value = "…" if ask.value is None else repr(ask.value)
    if ask.field not in _PYTHON:
        return f"require={{{ask.field!r}: {value}}}"
    if ask.column is None:
        return _PYTHON[ask.field].format(value)
    if ask.field == "distance":
        return _PYTHON[ask.field].format(repr(f"{ask.column}:{ask.value}"))
    if ask.field in _BY_DISTANCE:
        return f"{_PYTHON[ask.field].format(value)} for {ask.column!r}"
    return _PYTHON[ask.field].format(f"{{{ask.column!r}: {value}}}")


_WORDS: ContextVar[Words] = ContextVar("tclose_words", default=in_python)
_NAMES: ContextVar[Callable[[str], str]] = ContextVar("tclose_names", default=str)


def named(field: str) -> str:
    """Return the name of an option on the face at hand."""
    return _NAMES.get()(field)


@contextmanager
def speaking(words: Words, names: Callable[[str], str] = str) -> Iterator[None]:
    """Say options in the words of a face, with their values or by their names alone."""
    before, names_before = _WORDS.set(words), _NAMES.set(names)
    try:
        yield
    finally:
        _WORDS.reset(before)
        _NAMES.reset(names_before)


@contextmanager
def in_files() -> Iterator[None]:
    """Say options by their names, as files do."""
    before = _NAMES.set(str)
    try:
        yield
    finally:
        _NAMES.reset(before)


@contextmanager
def to_readers() -> Iterator[None]:
    """Say no option: readers of a report have none at hand."""
    with speaking(lambda _ask: ""):
        yield


@dataclass(frozen=True, init=False)
class Hint:
    """What to do, in a short sentence, with options in the words of the face at hand.

    Parameters
    ----------
    text
        A sentence with a place ``{}`` for each part.
    parts
        Options, or words that stand as they are, such as the names of columns.

    Examples
    --------
    >>> import tclose.policy.roles
    >>> str(Hint("Count people with {}.", Ask("person", "id")))
    "Count people with Roles(person='id')."
    """

    text: str
    parts: tuple[Ask | str, ...]

    def __init__(self, text: str, *parts: Ask | str) -> None:
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "parts", parts)

    def __str__(self) -> str:
        """Return the sentence; empty where the face at hand lacks an option that it asks for."""
        words = [str(part) for part in self.parts]
        return self.text.format(*words) if all(words) else ""


def hinted(text: str, hint: Hint | None) -> str:
    """Return a message with its hint behind it, in the words of the face at hand."""
    return f"{text} {words}" if hint is not None and (words := str(hint)) else text


def in_brackets(ask: Ask) -> str:
    """Return an option in brackets behind a blank; nothing where the face at hand lacks it.

    Examples
    --------
    >>> f"Write over it{in_brackets(Ask('force', True))}."
    'Write over it (force=True).'
    """
    return f" ({words})" if (words := str(ask)) else ""


Made = TypeVar("Made", bound="TcloseError")


class TcloseError(Exception):
    """Base of every error that tclose raises on purpose.

    Parameters
    ----------
    message
        What is wrong, and where.
    code
        What a program knows it by; that of its class if left out.
    field
        The option that it is about, by its keyword in the library, or the key of a model.
    column
        The column that it is about.
    hint
        What to do.
    """

    code: str = "error"
    field: str | None = None
    column: str | None = None
    hint: Hint | None = None
    names_files: bool = True
    """Whether messages of its kind may name files, with their folders."""
    place: str = ""
    """Where it is, such as a file, with the signs that part it from the message."""

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        field: str | None = None,
        column: str | None = None,
        hint: Hint | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.field, self.column, self.hint = field, column, hint

    def __str__(self) -> str:
        """Return what is wrong and what to do, in the words of the face at hand."""
        return hinted(self.place + self.message, self.hint)

    def to_dict(self) -> dict[str, Any]:
        """Return the error as data, with its hint in the words of the face at hand."""
        hint = None if self.hint is None else str(self.hint) or None
        return {
            "code": self.code,
            "message": self.place + self.message,
            "field": self.field,
            "column": self.column,
            "hint": hint,
        }

    @property
    def public(self) -> str:
        """What is wrong as anyone may know it: of files their names alone, or where they may be named, its code."""
        if not self.names_files or isinstance(self.message, Label):
            return public(self.message)
        return f"The run failed with the error {self.code!r}."

    def of(self, place: str) -> Self:
        """Return the same error, said of a place such as a file: what stands before its message."""
        found = _remade(type(self), self.args, self.__dict__)
        found.place = place + self.place
        return found

    def __reduce__(self) -> tuple[object, ...]:
        """Let it be copied and sent to another process, whatever its class is made of."""
        return _remade, (type(self), self.args, self.__dict__)


def _remade(kind: type[Made], arguments: tuple[object, ...], state: dict[str, object]) -> Made:
    found = kind.__new__(kind, *arguments)
    found.__dict__.update(state)
    return found


@contextmanager
def about(field: str | None = None, column: str | None = None, hint: Hint | None = None) -> Iterator[None]:
    """Say of errors which option and which column they are about, and what to do, where they do not say it."""
    try:
        yield
    except TcloseError as problem:
        problem.field, problem.column = problem.field or field, problem.column or column
        problem.hint = problem.hint or hint
        raise


class InputError(TcloseError, ValueError):
    """Something the caller can mend: a file, a column, a role, a threshold."""

    code = "input"


class SeveralProblemsError(InputError):
    """Several things that the caller can mend, told at once; about the first of them, where one is asked for.

    Parameters
    ----------
    problems
        The errors, at least two.
    """

    code = "several-problems"

    def __init__(self, problems: Sequence[InputError]) -> None:
        self.problems = tuple(problems)
        first = self.problems[0]
        super().__init__(f"{len(self.problems)} problems:", field=first.field, column=first.column)

    def __str__(self) -> str:
        """Return every problem on a line of its own."""
        return "\n  ".join(self.lines)

    @property
    def lines(self) -> list[str]:
        """How many problems there are, and each of them."""
        return [self.place + self.message, *map(str, self.problems)]

    def to_dict(self) -> dict[str, Any]:
        """Return the error as data, with its problems."""
        return {**super().to_dict(), "problems": [each.to_dict() for each in self.problems]}


class Problems:
    """What the caller can mend, gathered step by step and told at once.

    Examples
    --------
    >>> problems = Problems()
    >>> for name in ("zip", "age"):
    ...     with problems.caught():
    ...         raise InputError(f"{name} is wrong.")
    >>> problems.check()
    Traceback (most recent call last):
    ...
    tclose.errors.SeveralProblemsError: 2 problems:
      zip is wrong.
      age is wrong.
    """

    def __init__(self) -> None:
        self._found: list[InputError] = []

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Keep what the caller can mend for later."""
        try:
            yield
        except SeveralProblemsError as several:
            self._found += several.problems
        except InputError as problem:
            self._found.append(problem)

    def check(self) -> None:
        """Raise what was found: one problem as it is, several together; each is told once."""
        different = list({str(each): each for each in self._found}.values())
        if different:
            raise different[0] if len(different) == 1 else SeveralProblemsError(different)


def header_hint() -> Hint:
    """Return what to do where a row may have been taken for the names of the columns."""
    return Hint("If its first line does not name the columns, say so: {}.", Ask("header", value=False))


class ColumnNotFoundError(InputError):
    """A named column is not in the table."""

    code = "column-not-found"
    names_files = False

    def __init__(
        self,
        column: str,
        available: Iterable[str],
        role: str = "named",
        *,
        listing: bool = True,
        listed_before: bool = False,
        field: str | None = None,
    ) -> None:
        self.available = tuple(available)
        more, hint = _other_columns(column, self.available, listing=listing)
        more = "" if listed_before else more
        super().__init__(
            f"The {role} column {column!r} is not in the table.{more}", field=field, column=column, hint=hint
        )


def _other_columns(column: str, available: Sequence[str], *, listing: bool) -> tuple[str, Hint | None]:
    """Return what a table has instead of a column, and what to do; names may be cells of its first row."""
    before, _, word = column.rpartition(":")
    if before in available:
        return f" It has {before!r}, and {word!r} is not a distance.", Hint(
            "Write a distance behind the colon, such as {} or {}.", repr(f"{before}:ordered"), repr(f"{before}:nominal")
        )
    if near := meant(column, available):
        return "", near
    if list(available) == [f"column_{at}" for at in range(1, len(available) + 1)]:
        return f" It has {listed(available)}: its first line was read as a row.", Hint(
            "If that line names the columns, say so: {}.", Ask("header", value=True)
        )
    if listing:
        return f" It has {listed(available)}.", None
    if len(available) == 1:
        return " It has one column of another name.", Hint(
            "If another character separates its cells, name it: {}. If its first line does not name the columns, say "
            "so: {}.",
            Ask("delimiter"),
            Ask("header", value=False),
        )
    return f" It has {len(available)} columns of other names.", header_hint()


class RoleConflictError(InputError):
    """A column was given two roles, or the roles leave nothing to measure."""

    code = "role-conflict"
    names_files = False


class CertificateError(InputError):
    """A file is no certificate that can be checked."""

    code = "certificate"


class UndecidedColumnError(InputError):
    """A table has columns that its closed policy does not name, so that nobody decided to publish them."""

    code = "undecided-column"
    names_files = False

    def __init__(self, columns: Sequence[str]) -> None:
        self.columns = tuple(columns)
        which = "1 column is" if len(columns) == 1 else f"{len(columns):,} columns are"
        super().__init__(
            f"{which} undecided: {listed(columns, len(columns))}. A policy decides every column before anything is "
            "judged or released.",
            column=columns[0],
            hint=Hint(
                "Give each a role in the policy, publish a column with {}, remove it with {}, or remove all of them: "
                "others = 'remove' in [policy].",
                Ask("publish", [*columns[:1]]),
                Ask("identifiers", [*columns[:1]]),
            ),
        )


class DomainError(InputError):
    """The values of a column do not fit the distance or order declared for it."""

    code = "domain"
    names_files = False


class HierarchyError(InputError):
    """A hierarchy is not a tree that covers the values of its column."""

    code = "hierarchy"


class ThresholdError(InputError):
    """A threshold is not a number, or lies outside its model's range."""

    code = "threshold"
    names_files = False


class PolicyError(InputError):
    """A policy file cannot be understood."""

    code = "policy"


class SourceError(InputError):
    """A table cannot be found, opened or parsed."""

    code = "source"


class EmptyTableError(SourceError):
    """A table without rows: there is nobody in it to protect or to give away."""

    code = "empty-table"


class EngineError(TcloseError, RuntimeError):
    """The machinery under tclose could not do its work."""

    code = "engine"


class EngineNotInstalledError(EngineError):
    """A package of an optional extra is needed and missing."""

    code = "engine-not-installed"

    def __init__(self, purpose: str, package: str, extra: str) -> None:
        self.package = package
        self.extra = extra
        super().__init__(
            f"{purpose} needs the package {package!r}.",
            hint=Hint(
                "Install tclose with its extra {0} (in a clone of it: pip install '.[{1}]'); if that does not bring "
                "it: pip install {2}.",
                repr(extra),
                extra,
                package,
            ),
        )


class EngineFailedError(EngineError):
    """The engine stopped with an error of its own."""

    code = "engine-failed"


class HeadroomError(EngineError):
    """The work does not fit into the allowed memory, disk or arithmetic."""

    code = "headroom"


class InternalError(TcloseError, AssertionError):
    """A mistake of tclose itself; the answer cannot be trusted and is not given."""

    code = "internal"

    def __init__(self, what: str) -> None:
        super().__init__(
            f"{what} This is a mistake in tclose, not in your table; "
            "no figure is reported because none could be trusted. Please report it."
        )


def closest(name: str, candidates: Iterable[str]) -> str | None:
    """Return the candidate most like ``name``, or None when nothing is near."""
    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    found = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[found[0]] if found else None


def meant(name: object, candidates: Iterable[str]) -> Hint | None:
    """Return the question whether the candidate most like a name was meant; None when nothing is near."""
    near = closest(str(name), candidates)
    return Hint("Did you mean {}?", repr(near)) if near else None


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


# What was assumed or noticed on the way to a result: a code for programs, a sentence for people, and what to do.


@dataclass(frozen=True)
class Note:
    """Something to know of a result.

    Parameters
    ----------
    code
        What a program knows it by.
    text
        What there is to know, in sentences; a report says this alone.
    hint
        What the owner of the table can do.
    column
        The column that it is about.
    confidential
        Whether only the owner of the original may know it, so that nothing beside a release says it.

    Examples
    --------
    >>> from tclose.errors import Ask
    >>> str(Note("rows-not-people", "These figures count rows.", Hint("Count people with {}.", Ask("person", "id"))))
    "These figures count rows. Count people with Roles(person='id')."
    """

    code: str
    text: str
    hint: Hint | None = None
    column: str | None = None
    confidential: bool = False

    def __str__(self) -> str:
        """Return it with its hint, in the words of the face at hand."""
        return hinted(self.text, self.hint)

    @property
    def public(self) -> Note:
        """The same, with tables and files as anyone may know them."""
        return replace(self, text=public(self.text))

    def to_dict(self) -> dict[str, str]:
        """Return it as data, with its hint in the words of the face at hand."""
        data = {"code": self.code, "text": str(self.text)}
        if self.hint is not None and (words := str(self.hint)):
            data["hint"] = words
        return data if self.column is None else data | {"column": self.column}


def notes_data(notes: Iterable[Note]) -> list[dict[str, str]]:
    """Return notes as data."""
    return [note.to_dict() for note in notes]
