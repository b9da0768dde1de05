"""Options, each declared once as a field of a frozen dataclass: how it is read, written, explained and shown.

In comes what a person said of an option, as text of a command line, as a value of a policy file, of JSON or of Python;
out goes the value that verbs read. Every face asks :func:`declared` what there is: the command line, policy files and
their schema, the page, the library and the reference. Open :class:`Option` first.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

from tclose.errors import Hint, InputError, listed, meant, named, spell
from tclose.policy.exact_numbers import DECIMALS, fraction, in_percent, written

Schema = dict[str, Any]


class OptionError(InputError):
    """An option has a value that it cannot have."""

    code = "option"
    names_files = False

    def __init__(
        self, name: str, reason: str, *, column: str | None = None, said: str | None = None, hint: Hint | None = None
    ) -> None:
        of_column = "" if column is None or said else f" of {column!r}"
        super().__init__(f"{said or named(name)}{of_column} {reason}", field=name, column=column, hint=hint)


_LONGEST_SHOWN = 60
_ENDLESS = 2**31


def _shown(value: object) -> str:
    """Return a value as messages show it: short ones, and of others the type."""
    text = repr(value) if isinstance(value, str | int | float | bool | None) else ""
    return text if 0 < len(text) <= _LONGEST_SHOWN else f"a value of type {type(value).__name__}"


class UnfitError(ValueError):
    """A value is not of its kind; the text says what it must be."""

    column: str | None = None
    """The column whose value it is, where an option has one for each column."""

    def __init__(self, reason: str, hint: Hint | None = None) -> None:
        super().__init__(reason)
        self.hint = hint


def _fraction(value: object) -> Fraction:
    """Return the number that was said, exactly."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal | Fraction):
        raise UnfitError(f"must be {DECIMALS}, not {_shown(value)}.")
    try:
        return fraction(value, "it")
    except InputError:
        hint = in_percent(value) if isinstance(value, str) else None
        raise UnfitError(f"must be {DECIMALS}, not {_shown(value)}.", hint) from None


class Kind:
    """What an option's value is: how it is read from what was said, and written."""

    metavar = "TEXT"
    repeats = False
    """Whether the option may be given several times on a command line."""
    exact = False
    """Whether the text of a number is written to files as a number."""

    def read(self, value: object) -> Any:
        """Return the value that a file, JSON or Python says, checked; raise :class:`UnfitError` otherwise."""
        if not isinstance(value, str):
            raise UnfitError(f"must be a text, not {_shown(value)}.")
        return value

    def parse(self, text: str) -> object:
        """Return what the text of a command line says, to be read."""
        return text

    def plain(self, value: Any) -> object:
        """Return a value as files and JSON hold it."""
        return value

    def schema(self) -> Schema:
        """Return the JSON Schema of what a file may say."""
        return {"type": "string"}


@dataclass(frozen=True)
class Text(Kind):
    """A text."""

    metavar: str = "TEXT"
    longest: int | None = None

    def read(self, value: object) -> Any:
        """Return the text, checked."""
        if not isinstance(value, str) or (self.longest is not None and len(value) > self.longest):
            longest = "" if self.longest is None else f" of at most {self.longest} letters"
            raise UnfitError(f"must be a text{longest}, not {_shown(value)}.")
        return value.strip() if self.longest is not None else value


@dataclass(frozen=True)
class ColumnName(Text):
    """The name of a column."""

    metavar: str = "COLUMN"


@dataclass(frozen=True)
class ColumnNames(Text):
    """Names of columns; which commas separate two is decided with the table at hand."""

    metavar: str = "COLUMN"
    repeats = True


@dataclass(frozen=True)
class FilePath(Text):
    """The path of a file, in a policy relative to the policy's folder."""

    metavar: str = "FILE"


@dataclass(frozen=True)
class TableName(Kind):
    """A table: a path or an address; in Python also a frame."""

    metavar: str = "TABLE"

    def read(self, value: object) -> Any:
        """Return what names the table, or is it."""
        if isinstance(value, str) and not value.strip():
            raise UnfitError("must be the text of a path.")
        return value


class Tables(TableName):
    """Several tables: one, or a list of them."""

    repeats = True

    def read(self, value: object) -> Any:
        """Return the tables; one alone stands for a list of it."""
        return tuple(super(Tables, self).read(each) for each in (value if isinstance(value, list | tuple) else [value]))

    def parse(self, text: str) -> object:
        """Return a list of one."""
        return [text]


@dataclass(frozen=True)
class ANumber(Kind):
    """A number, with the digits that were written."""

    metavar: str = "NUMBER"

    def read(self, value: object) -> Any:
        """Return the number, as it was written."""
        _fraction(value)
        return value

    def plain(self, value: Any) -> object:
        """Return the number as a file holds it."""
        return str(value)


@dataclass(frozen=True)
class Switch(Kind):
    """Yes or no."""

    metavar = ""
    negative: bool = True
    """Whether the command line has ``--no-…`` too."""

    def read(self, value: object) -> Any:
        """Return the truth value."""
        if not isinstance(value, bool):
            raise UnfitError(f"must be true or false, not {_shown(value)}.")
        return value

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {"type": "boolean"}


@dataclass(frozen=True)
class Whole(Kind):
    """A whole number between two bounds."""

    low: int = 0
    high: int = 2**63 - 1
    metavar: str = "N"

    def read(self, value: object) -> Any:
        """Return the number, checked."""
        if isinstance(value, bool) or not isinstance(value, int) or not self.low <= value <= self.high:
            end = "on" if self.high >= _ENDLESS else f"to {self.high}"
            raise UnfitError(f"must be a whole number from {self.low} {end}, not {_shown(value)}.")
        return value

    def parse(self, text: str) -> object:
        """Return the number that a text is, else the text."""
        return int(text) if re.fullmatch(r"\s*[+-]?\d{1,20}\s*", text) else text

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class Share(Kind):
    """A share from 0 to 1, exact."""

    metavar: str = "SHARE"
    exact = True
    above_zero: bool = False

    def read(self, value: object) -> Any:
        """Return the share as text that says it exactly, checked."""
        found = _fraction(value)
        if not 0 <= found <= 1 or (self.above_zero and not found):
            hint = in_percent(f"{written(found)}%") if 1 < found <= 100 else None
            least = "more than 0" if self.above_zero else "at least 0"
            raise UnfitError(f"must be a share: {least} and at most 1, not {_shown(value)}.", hint)
        return written(found)

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {"anyOf": [{"type": "number", "minimum": 0, "maximum": 1}, {"type": "string"}]}


@dataclass(frozen=True)
class Weight(Kind):
    """A number above 0, from a billionth to a billion."""

    metavar: str = "NUMBER"

    def read(self, value: object) -> Any:
        """Return the number as a float."""
        found = _fraction(value)
        if not Fraction(1, 10**9) <= found <= 10**9:
            raise UnfitError("must be a number above 0, from a billionth to a billion.")
        return float(found)

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {"type": "number", "exclusiveMinimum": 0}


@dataclass(frozen=True)
class Seconds(Kind):
    """A time in seconds, more than none."""

    metavar: str = "SECONDS"

    def read(self, value: object) -> Any:
        """Return the number of seconds."""
        if isinstance(value, bool) or not isinstance(value, int | float | Decimal) or not 0 < value < 10**6:
            raise UnfitError("must be a number of seconds, more than 0 and less than a million.")
        return float(value)

    def parse(self, text: str) -> object:
        """Return the number that a text is, else the text."""
        try:
            found = float(text)
        except ValueError:
            return text
        return found if math.isfinite(found) else text

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {"type": "number", "exclusiveMinimum": 0}


@dataclass(frozen=True)
class Choice(Kind):
    """One of some words."""

    words: Callable[[], Iterable[str]]
    """Looked up when needed: lists of methods and losses lie above."""
    metavar: str = "WORD"

    def known(self) -> tuple[str, ...]:
        """Return the words."""
        return tuple(self.words())

    def read(self, value: object) -> Any:
        """Return the word, checked."""
        known = self.known()
        if value not in known:
            shown = str(value)[:_LONGEST_SHOWN]
            raise UnfitError(f"must be one of {listed(known, 30)}, not {shown!r}.", meant(value, known))
        return value

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {"enum": list(self.known())}


def words(*known: str) -> Choice:
    """Return the choice of some words."""
    return Choice(lambda: known)


@dataclass(frozen=True)
class Many(Kind):
    """Several of a kind: an option that is repeated, or a list."""

    each: Kind
    commas: bool = False
    """Whether the text of a command line is a list with commas."""
    repeats = True

    @property
    def metavar(self) -> str:  # type: ignore[override]
        """Return how the command line names the values."""
        return f"{self.each.metavar},…" if self.commas else self.each.metavar

    def read(self, value: object) -> Any:
        """Return the values as a tuple, each checked."""
        if isinstance(value, str):
            value = [value]
        if isinstance(value, Mapping) or not isinstance(value, Iterable):
            raise UnfitError("must be a list.")
        return tuple(self.each.read(each) for each in value)

    def parse(self, text: str) -> object:
        """Return what a text lists."""
        return [part.strip() for part in text.split(",") if part.strip()] if self.commas else [self.each.parse(text)]

    def plain(self, value: Any) -> object:
        """Return the values as a list."""
        return [self.each.plain(each) for each in value]

    def schema(self) -> Schema:
        """Return the JSON Schema."""
        return {"anyOf": [self.each.schema(), {"type": "array", "items": self.each.schema()}]}


@dataclass(frozen=True)
class ByColumn(Kind):
    """A value for each of some columns: NAME=VALUE on a command line, a key of the column in a policy file."""

    each: Kind
    repeats = True

    @property
    def metavar(self) -> str:  # type: ignore[override]
        """Return how the command line names the value."""
        return f"NAME={self.each.metavar}"

    def read(self, value: object) -> Any:
        """Return the values by column, each checked."""
        if not isinstance(value, Mapping):
            raise UnfitError("must be a mapping from columns to values.")
        return {str(name): self.read_of(str(name), each) for name, each in value.items()}

    def read_of(self, column: str, value: object) -> Any:
        """Return the value of one column, checked."""
        try:
            return self.each.read(value)
        except UnfitError as problem:
            problem.column = column
            raise

    def schema(self) -> Schema:
        """Return the JSON Schema of one column's value."""
        return self.each.schema()


@dataclass(frozen=True)
class Option:
    """An option as every face knows it.

    Parameters
    ----------
    name
        Its one name: the keyword of the library, the key of policy files and JSON, and, with hyphens, the flag.
    kind
        What its value is.
    default
        What holds where nothing is said.
    help
        What it means, in a sentence.
    section
        The heading under which it is listed.
    place
        The section of a policy file that may say it; empty for none.
    label
        What the page calls it.
    flags
        Its flags: short ones, and its name with hyphens.
    usual
        Whether ``--help`` lists it; ``--help-all`` lists every option.
    file
        Whether a policy file may say it, where its part has a place there.
    command_line
        Whether the command line may say it by a flag of its own.
    page
        Whether the page has a field for it.
    prominent
        Whether that field stands where everyone sees it, not under further settings; ``usual`` where nothing is said.
    bare
        What its flag stands for on a command line where no value follows; None where one must.
    """

    name: str
    kind: Kind
    default: Any
    help: str
    section: str
    place: str
    label: str
    flags: tuple[str, ...]
    usual: bool
    file: bool
    command_line: bool
    page: bool
    prominent: bool
    bare: str | None

    @property
    def help_of_flag(self) -> str:
        """What it means, on a command line."""
        return self.help if self.bare is None else f"{self.help} Without a number: {self.bare}."

    def read(self, value: object, *, place: str = "") -> Any:
        """Return a value that was said in a place, checked; None stands for the default."""
        if value is None:
            return {} if self.default == {} else self.default
        try:
            return self.kind.read(value)
        except UnfitError as problem:
            raise OptionError(self.name, str(problem), column=problem.column, hint=problem.hint).of(place) from None


_MARK = "tclose option"
_DECLARED: dict[type, dict[str, Option]] = {}


def option(
    default: Any = None,
    *,
    kind: Kind,
    help: str,  # noqa: A002 - the word of command lines
    label: str = "",
    flags: Iterable[str] = (),
    usual: bool = False,
    file: bool = True,
    command_line: bool = True,
    page: bool = True,
    prominent: bool | None = None,
    bare: str | None = None,
) -> Any:
    """Declare a field of a part of a policy as an option; see :class:`Option`."""
    said = {
        "kind": kind, "help": help, "label": label,
        "flags": tuple(flags), "usual": usual, "file": file, "command_line": command_line, "page": page,
        "prominent": usual if prominent is None else prominent, "bare": bare,
    }  # fmt: skip
    if isinstance(default, dict):
        return field(default_factory=dict, hash=False, metadata={_MARK: said})
    return field(default=default, metadata={_MARK: said})


def declared(part: type) -> dict[str, Option]:
    """Return the options that a part of a policy declares, by their names."""
    if part not in _DECLARED:
        marked = [each for each in fields(part) if _MARK in each.metadata]
        _DECLARED[part] = {each.name: _option_of(part, each) for each in marked}
    return _DECLARED[part]


def _option_of(part: type, each: Field[Any]) -> Option:
    """Return the option that a field declares."""
    said = each.metadata[_MARK]
    flags = said["flags"]
    if not any(flag.startswith("--") for flag in flags):
        flags = (*flags, f"--{each.name.replace('_', '-')}")
    default = {} if each.default_factory is dict else each.default
    owner = next(base for base in part.__mro__ if each.name in vars(base).get("__annotations__", {}))
    made = {
        "flags": flags,
        "section": getattr(owner, "SECTION", ""),
        "place": getattr(owner, "PLACE", "") if said["file"] else "",
        "label": said["label"] or each.name.replace("_", " ").capitalize(),
    }
    return Option(each.name, default=default, **{**said, **made})


def spelled(part: type, template: str) -> None:
    """Let messages of the library spell the options of a class, such as ``Roles({}=…)``."""
    for name in declared(part):
        spell(name, template.replace("NAME", name))


class Part:
    """A part of a policy: its options are read and checked when it is made."""

    SECTION: ClassVar[str] = ""
    """The heading under which its options are listed."""
    PLACE: ClassVar[str] = ""
    """The section of a policy file that says them."""

    def __post_init__(self) -> None:
        """Check every option that is not as usual."""
        for name, each in declared(type(self)).items():
            value = getattr(self, name)
            if value is not each.default and not (each.default == {} and type(value) is dict and not value):
                object.__setattr__(self, name, each.read(value))
