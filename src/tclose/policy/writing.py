"""A policy as the text of ``tclose.toml``, with a comment for each column where there is something to say."""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path

from tclose.data.sources.database import DatabaseTable, is_database_address
from tclose.data.sources.locate import unread_scheme
from tclose.errors import PolicyError
from tclose.policy.columns import RECODING_KEYS
from tclose.policy.files import SECTIONS, keys_of
from tclose.policy.options import FilePath, Option, TableName, Tables, declared
from tclose.policy.parts import Tree
from tclose.policy.policy import VERSION, Policy, parts_of
from tclose.policy.roles import Distance

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_BARE_NUMBER = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]+)?")
_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}


def policy_text(
    policy: Policy,
    *,
    folder: str | Path = ".",
    remarks: Mapping[str, str] | None = None,
    order: Iterable[str] | None = None,
) -> str:
    """Return a policy as TOML that :func:`~tclose.policy.files.read_policy` reads back.

    Parameters
    ----------
    policy
        What to write.
    folder
        Where the file will be; paths are written relative to it.
    remarks
        A comment for each column, by its name.
    order
        The order of the columns; by role if left out.
    """
    columns = _columns(policy, folder)
    names = list(order) if order is not None else list(columns)
    roles = policy.roles
    own: dict[str, dict[str, str]] = {
        "table": {} if policy.table is None else {"source": text_toml(_path(named_table(policy.table), folder))},
        "policy": {key: threshold_toml(by[None]) for key, by in policy.thresholds.items() if None in by},
    }
    if roles.together != "each":
        own["policy"]["together"] = text_toml(roles.together)
    if roles.others in ("publish", "remove"):
        own["policy"]["others"] = text_toml(roles.others)
    sections = {section: {**own.get(section, {}), **_options(policy, section, folder)} for section in SECTIONS[1:]}
    lines = {section: [f"{key} = {value}" for key, value in said.items()] for section, said in sections.items()}
    lines["columns"] = [line for name in names for line in _column_lines(name, columns[name], remarks or {})]
    told = "\n".join("\n".join([f"[{title}]", *said, ""]) for title, said in lines.items() if said)
    return f"version = {VERSION}\n\n{told}"


def _options(policy: Policy, section: str, folder: str | Path) -> dict[str, str]:
    """Return what is written of the options of a section that are not as usual."""
    found: dict[str, str] = {}
    for name, part in parts_of(Policy).items():
        for key, each in declared(part).items():
            value = getattr(getattr(policy, name), key)
            if key in keys_of(section) and value != each.read(each.default):
                found[key] = option_toml(each, value, folder)
    return found


def option_toml(each: Option, value: object, folder: str | Path = ".") -> str:
    """Return the value of an option as TOML."""
    if isinstance(each.kind, Tables):
        return value_toml([_path(named_table(table), folder) for table in value])  # type: ignore[attr-defined]
    if isinstance(each.kind, TableName):
        return text_toml(_path(named_table(value), folder))
    if isinstance(each.kind, FilePath):
        return text_toml(_path(str(value), folder))
    return threshold_toml(str(value)) if each.kind.exact else value_toml(each.kind.plain(value))


def named_table(table: object) -> str:
    """Return how a table is named in a file; refuse one in memory."""
    if isinstance(table, DatabaseTable) and table.address is not None:
        return table.address
    if isinstance(table, str | Path):
        return str(table)
    raise PolicyError("A table in memory, or a query, cannot be written to a policy; write it to a file and name that.")


def columns_toml(policy: Policy) -> dict[str, str]:
    """Return what a policy says of each column, as TOML."""
    return {name: _inside(column) for name, column in _columns(policy, ".").items()}


def _columns(policy: Policy, folder: str | Path) -> dict[str, dict[str, str]]:
    """Return what is written of each column: key to TOML value."""
    roles = policy.roles
    columns = {name: {"role": text_toml(role)} for name, role in roles.decisions.items()}
    for name in roles.quasi:
        columns[name] |= _recoding(policy, name, folder)
    for name, distance in roles.sensitive.items():
        columns[name] |= _distance(distance, folder)
        for key, by_attribute in policy.thresholds.items():
            if name in by_attribute:
                columns[name][key] = threshold_toml(by_attribute[name])
    return {name: columns[name] for name in roles.columns}


def _column_lines(name: str, column: Mapping[str, str], remarks: Mapping[str, str]) -> list[str]:
    comment = [f"# {_one_line(remarks[name])}"] if name in remarks else []
    return [*comment, f"{key_toml(name)} = {_inside(column)}"]


def _inside(column: Mapping[str, str]) -> str:
    return f"{{ {', '.join(f'{key} = {value}' for key, value in column.items())} }}"


def _distance(distance: Distance | None, folder: str | Path) -> dict[str, str]:
    if distance is None:
        return {}
    told = {
        name: _hierarchy(value, folder) if name == "hierarchy" else value_toml(value)
        for name, value in distance.declared.items()
    }
    return {"distance": text_toml(distance.word), **told}


def _hierarchy(tree: object, folder: str | Path) -> str:
    from tclose.data.hierarchies import is_builder, parents_file

    if isinstance(tree, str) and is_builder(tree):
        return text_toml(tree)
    if (pairs := parents_file(tree)) is not None:
        return text_toml(f"parents:{_path(pairs, folder)}")
    if isinstance(tree, str | Path):
        return text_toml(_path(str(tree), folder))
    if isinstance(tree, Mapping):
        return value_toml(tree)
    raise PolicyError("A hierarchy in memory cannot be written to a policy; write it to a file and name that.")


def _recoding(policy: Policy, name: str, folder: str | Path) -> dict[str, str]:
    """Return what is written of the recoding of a quasi-identifier."""
    found: dict[str, str] = {}
    for key, option in RECODING_KEYS.items():
        values = getattr(policy.columns, option)
        if name in values:
            kind = declared(type(policy.columns))[option].kind
            tree = isinstance(kind.each, Tree)  # type: ignore[attr-defined]
            found[key] = _hierarchy(values[name], folder) if tree else value_toml(kind.each.plain(values[name]))  # type: ignore[attr-defined]
    return found


def _path(path: str, folder: str | Path) -> str:
    address = path.startswith("example:") or is_database_address(path) or unread_scheme(path)
    if path == "-" or address or Path(path).is_absolute():
        return path
    return Path(os.path.relpath(path, folder)).as_posix()


def key_toml(name: str) -> str:
    """Return a name as a TOML key.

    Examples
    --------
    >>> print(key_toml("zip"), key_toml("date of birth"))
    zip "date of birth"
    """
    return name if _BARE_KEY.fullmatch(name) else text_toml(name)


def text_toml(text: str) -> str:
    r"""Return text as a TOML string.

    Examples
    --------
    >>> print(text_toml('a "b"\n\x00'))
    "a \"b\"\n\u0000"
    """
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise PolicyError("A name or value that is not valid Unicode cannot be written to a policy file.")
    return '"' + "".join(_ESCAPES.get(letter) or _letter(letter) for letter in text) + '"'


def _letter(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if ord(letter) < 0x20 or 0x7F <= ord(letter) < 0xA0 else letter


def threshold_toml(threshold: str) -> str:
    """Return a threshold as a TOML number where it is written like one, else as text."""
    return threshold if _BARE_NUMBER.fullmatch(threshold) else text_toml(threshold)


def value_toml(value: object) -> str:
    """Return a value as TOML."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return text_toml(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float | Decimal):
        return format(Decimal(repr(value)) if isinstance(value, float) else value, "f")
    if isinstance(value, dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key_toml(str(key))} = {value_toml(part)}" for key, part in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, Iterable):
        return f"[{', '.join(value_toml(part) for part in value)}]"
    raise PolicyError(f"A value of type {type(value).__name__} cannot be written to a policy file.")


def _one_line(text: str) -> str:
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+", " ", text)
