"""Policy files: ``tclose.toml``, or ``[tool.tclose]`` in pyproject.toml, with one table or several."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from tclose.documents import read_whole
from tclose.errors import Hint, InputError, PolicyError
from tclose.policy import Policy, mapping_of, policy_of

_MOST_BYTES = 2**24


def read_policy(path: str | Path) -> Policy:
    """Return the policy in a file.

    Parameters
    ----------
    path
        A TOML file with the tables ``[table]``, ``[columns]``, ``[policy]`` and ``[release]``, or a pyproject.toml
        that has them under ``[tool.tclose]``. Paths in it are relative to its folder.

    Raises
    ------
    PolicyError
        If the file cannot be read or says something that tclose does not know.
    """
    path = Path(path)
    return parse_policy(_text_of(path), path)


def read_policies(path: str | Path) -> tuple[Policy, ...]:
    """Return the policies of a file that lists tables, one for each ``[[table]]``; of another file, its one policy.

    What stands outside of the tables holds for each of them. A table may have ``columns`` of its own instead, and
    ``policy`` and ``release``, whose keys go before those that all have.
    """
    path = Path(path)
    data = _data_of(_text_of(path), path)
    tables = data.get("table", {})
    if not isinstance(tables, list):
        return (_checked(data, path),)
    return tuple(_checked(_of_table(data, mapping_of(each, "[[table]]")), path) for each in tables)


def _of_table(data: Mapping[str, object], own: Mapping[str, object]) -> dict[str, object]:
    """Return what a file says of one of its tables, in the shape of a file of that table alone."""
    asked = {
        key: {**mapping_of(data.get(key, {}), f"[{key}]"), **mapping_of(own.get(key, {}), f"{key} of a [[table]]")}
        for key in ("policy", "release")
    }
    table = {key: value for key, value in own.items() if key not in ("columns", *asked)}
    return {**data, "table": table, "columns": own.get("columns", data.get("columns", {})), **asked}


def _text_of(path: Path) -> str:
    try:
        return read_whole(path, _MOST_BYTES).decode("utf-8-sig").replace("\r\n", "\n")
    except FileNotFoundError:
        raise PolicyError(
            f"There is no policy file {str(path)!r}.",
            field="policy",
            hint=Hint("Write one with 'tclose profile TABLE -o tclose.toml'."),
        ) from None
    except (OSError, UnicodeDecodeError) as problem:
        why = getattr(problem, "strerror", None) or "it is not UTF-8 text"
        raise PolicyError(f"The policy file {str(path)!r} cannot be read: {why}.") from None


def parse_policy(text: str, path: Path) -> Policy:
    """Return the policy in the text of a file; the path is named in messages and resolves paths in it."""
    return _checked(_data_of(text, path), path)


def _data_of(text: str, path: Path) -> dict[str, Any]:
    try:
        data = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as problem:
        raise PolicyError(f"{path} is not valid TOML: {problem}.") from None
    except (ValueError, ArithmeticError):
        raise PolicyError(f"{path} holds a number with more digits than any that means something.") from None
    except RecursionError:
        raise PolicyError(f"{path} is nested too deeply.") from None
    if path.name == "pyproject.toml":
        data = data.get("tool", {}).get("tclose")
        if data is None:
            raise PolicyError(f"{path} has no table [tool.tclose].")
    return data


def _checked(data: Mapping[str, object], path: Path) -> Policy:
    """Return the policy that the data of a file say; what is wrong is said of the file."""
    try:
        policy = policy_of(data, path.parent)
        policy.requirements()
    except InputError as problem:
        raise problem.of(f"{path}: ") from None
    return policy
