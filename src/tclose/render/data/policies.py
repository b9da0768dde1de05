"""A policy as the text of ``tclose.toml``, with a comment for each column where there is something to say."""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from pathlib import Path

from tclose.errors import PolicyError
from tclose.policy import READ_KEYS, TABLE_KEYS, Policy
from tclose.policy_about import REPORT_KEYS
from tclose.policy_release import RELEASE_KEYS, ReleasePolicy
from tclose.roles import Distance
from tclose.sources.addresses import unread_scheme
from tclose.sources.database import is_database_address
from tclose.sources.source import ReadOptions

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
    """Return a policy as TOML that :func:`~tclose.policy.read_policy` reads back.

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
    table = {key: _path(getattr(policy, key), folder) for key in TABLE_KEYS if getattr(policy, key) is not None}
    columns = _columns(policy, folder)
    names = list(order) if order is not None else list(columns)
    asked: dict[str, str] = {key: threshold_toml(by[None]) for key, by in policy.thresholds.items() if None in by}
    if policy.preset is not None:
        asked = {"preset": text_toml(policy.preset), **asked}
    asked |= {key: threshold_toml(str(value)) for key, value in policy.sampling.items() if key != "weight_column"}
    asked |= {key: text_toml(str(value)) for key, value in policy.sampling.items() if key == "weight_column"}
    if policy.any is not None:
        asked["any"] = value_toml(policy.any)
    if policy.gain is not None:
        asked["gain"] = threshold_toml(policy.gain)
    if policy.roles.together != "each":
        asked["together"] = text_toml(policy.roles.together)
    if policy.roles.others in ("publish", "remove"):
        asked["others"] = text_toml(policy.roles.others)
    sections = {
        "table": [f"{key} = {value_toml(value)}" for key, value in {**table, **_read(policy.read)}.items()],
        "columns": [line for name in names for line in _column_lines(name, columns[name], remarks or {})],
        "policy": [f"{key} = {value}" for key, value in asked.items()],
        "release": [f"{key} = {value}" for key, value in _release(policy.release, folder).items()],
        "report": [f"{key} = {text_toml(text)}" for key in REPORT_KEYS if (text := getattr(policy.about, key))],
    }
    return "\n".join("\n".join([f"[{title}]", *lines, ""]) for title, lines in sections.items() if lines)


def _columns(policy: Policy, folder: str | Path) -> dict[str, dict[str, str]]:
    """Return what is written of each column: key to TOML value."""
    roles = policy.roles
    plain = {
        "quasi-identifier": roles.quasi,
        "identifier": [name for name in roles.identifiers if name != roles.person],
        "person": () if roles.person is None or roles.pseudonym else (roles.person,),
        "pseudonym": roles.shown_people,
        "shifted": roles.shift,
        "insensitive": roles.publish,
    }
    columns = {name: {"role": text_toml(role)} for role, names in plain.items() for name in names}
    for name in roles.quasi:
        columns[name] |= _recoding(policy, name, folder)
    for name, distance in roles.sensitive.items():
        columns[name] = {"role": text_toml("sensitive"), **_distance(distance, folder)}
        for key, by_attribute in policy.thresholds.items():
            if name in by_attribute:
                columns[name][key] = threshold_toml(by_attribute[name])
    return {name: columns[name] for name in roles.columns}


def _column_lines(name: str, column: Mapping[str, str], remarks: Mapping[str, str]) -> list[str]:
    comment = [f"# {_one_line(remarks[name])}"] if name in remarks else []
    inside = ", ".join(f"{key} = {value}" for key, value in column.items())
    return [*comment, f"{key_toml(name)} = {{ {inside} }}"]


def _distance(distance: Distance | None, folder: str | Path) -> dict[str, str]:
    if distance is None:
        return {}
    told = {
        name: _hierarchy(value, folder) if name == "hierarchy" else value_toml(value)
        for name, value in distance.declared.items()
    }
    return {"distance": text_toml(distance.word), **told}


def _hierarchy(tree: object, folder: str | Path) -> str:
    from tclose.hierarchies import is_builder

    if isinstance(tree, str) and is_builder(tree):
        return text_toml(tree)
    if isinstance(tree, str | Path):
        return text_toml(_path(str(tree), folder))
    if isinstance(tree, Mapping):
        return value_toml(tree)
    raise PolicyError("A hierarchy in memory cannot be written to a policy; write it to a file and name that.")


def _recoding(policy: Policy, name: str, folder: str | Path) -> dict[str, str]:
    """Return what is written of the recoding of a quasi-identifier."""
    written: dict[str, str] = {}
    if name in policy.hierarchies:
        written["hierarchy"] = _hierarchy(policy.hierarchies[name], folder)
    if name in policy.levels:
        written["levels"] = value_toml(policy.levels[name])
    if name in policy.weights:
        written["weight"] = value_toml(policy.weights[name])
    if name in policy.numbers:
        written["numbers"] = text_toml(policy.numbers[name])
    return written


def _release(release: ReleasePolicy, folder: str | Path) -> dict[str, str]:
    """Return what of a release is not as usual."""
    usual = ReleasePolicy()
    said = {key: getattr(release, key) for key in RELEASE_KEYS if getattr(release, key) != getattr(usual, key)}
    if "key_file" in said:
        said["key_file"] = _path(said["key_file"], folder)
    return {
        key: threshold_toml(value) if key in ("suppress", "withstand") else value_toml(value)
        for key, value in said.items()
    }


def _read(read: ReadOptions) -> dict[str, object]:
    usual = ReadOptions()
    return {key: getattr(read, key) for key in READ_KEYS if getattr(read, key) != getattr(usual, key)}


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
