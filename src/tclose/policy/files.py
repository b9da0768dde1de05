"""Policy files, ``tclose.toml`` or ``[tool.tclose]`` in pyproject.toml, read as policies; likewise JSON of their shape.

::

    version = 1

    [table]
    source = "release.parquet"

    [columns]
    zip = { role = "quasi-identifier", hierarchy = "zip.csv", levels = [0, 2], weight = 2 }
    salary = { role = "sensitive", distance = "ordered", nulls = "drop", round = 1000, t = 0.2 }
    patient_id = { role = "person" }

    [policy]
    k = 5
    t = 0.3
    others = "remove"

    [release]
    suppress = 0.01
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from tclose.data.file_reading import read_whole
from tclose.data.sources.database import is_database_address
from tclose.data.sources.locate import unread_scheme
from tclose.errors import Hint, InputError, PolicyError, ThresholdError, about, in_files, listed
from tclose.policy.columns import RECODING_KEYS, Column, check_keys, column_of, model_keys, threshold_text
from tclose.policy.options import FilePath, Option, TableName
from tclose.policy.policy import VERSION, Policy, every_option
from tclose.policy.roles import Others, Roles, Together

_MOST_BYTES = 2**24
SECTIONS = ("version", "table", "columns", "policy", "release", "audit", "attack", "frontier", "report")
"""What a policy file says, section by section."""
ROLE_KEYS = ("together", "person", "others")
"""What [policy] says of roles."""


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
    return parse_policy(policy_file_text(path), path)


def read_policies(path: str | Path) -> tuple[Policy, ...]:
    """Return the policies of a file that lists tables, one for each ``[[table]]``; of another file, its one policy.

    What stands outside of the tables holds for each of them. A table may have ``columns`` of its own instead, and
    ``policy`` and ``release``, whose keys go before those that all have.
    """
    path = Path(path)
    data = _data_of(policy_file_text(path), path)
    tables = data.get("table", {})
    if not isinstance(tables, list):
        return (_checked(data, path),)
    return tuple(_checked(_of_table(data, mapping_of(each, "[[table]]")), path) for each in tables)


def parse_policy(text: str, path: Path) -> Policy:
    """Return the policy in the text of a file; the path is named in messages and resolves paths in it."""
    return _checked(_data_of(text, path), path)


def policy_of(data: Mapping[str, object], folder: Path) -> Policy:
    """Return the policy that data of the shape of the file says; paths in it are relative to the folder."""
    check_keys(data, SECTIONS, "the file")
    version = data.get("version", VERSION)
    if isinstance(version, bool) or version != VERSION:
        raise PolicyError(f"version must be {VERSION}: this tclose reads no other version of policies.")
    if isinstance(data.get("table"), list):
        raise PolicyError(
            "Several tables are listed, each as [[table]]; 'tclose audit --all' audits each of them, and where they "
            "are about the same people, 'tclose audit --facts M' all together."
        )
    asked = mapping_of(data.get("policy", {}), "[policy]")
    table = mapping_of(data.get("table", {}), "[table]")
    columns = {}
    for name, given in mapping_of(data.get("columns", {}), "[columns]").items():
        with about(column=name):
            columns[name] = column_of(name, mapping_of(given, f"The column {name!r}"), folder)
    said = dict(_options(data, folder))
    for option in RECODING_KEYS.values():
        said[option] = {name: each.recoding[option] for name, each in columns.items() if option in each.recoding}
    thresholds = _thresholds(asked, columns)
    source = table.get("source")
    return Policy(
        table=None if source is None else placed_table(source, folder, "[table] source"),
        roles=_roles(columns, asked),
    ).with_options({**said, **({"require": thresholds} if thresholds else {})})


def keys_of(section: str) -> dict[str, Option]:
    """Return the options that a section of a policy file has."""
    return {name: each for name, each in every_option().items() if each.place == section}


def _options(data: Mapping[str, object], folder: Path) -> Iterator[tuple[str, object]]:
    """Give what the sections of a file say of options, with paths where they are."""
    own: dict[str, Iterable[str]] = {"table": ("source",), "policy": (*ROLE_KEYS, *model_keys())}
    for section in SECTIONS:
        if section in ("version", "columns"):
            continue
        given = mapping_of(data.get(section, {}), f"[{section}]")
        known = keys_of(section)
        check_keys(given, (*own.get(section, ()), *known), f"[{section}]")
        for key, value in given.items():
            if key in known:
                where = f"[{section}] "
                if isinstance(known[key].kind, FilePath) and isinstance(value, str):
                    value = str(folder / value)  # noqa: PLW2901 - where it is
                elif isinstance(known[key].kind, TableName):
                    value = placed_table(value, folder, f"{where}{key}")  # noqa: PLW2901
                yield key, known[key].read(value, place=where)


def _roles(columns: Mapping[str, Column], asked: Mapping[str, object]) -> Roles:
    def having(role: str) -> list[str]:
        return [name for name, column in columns.items() if column.role == role]

    return Roles(
        quasi=having("quasi-identifier"),
        sensitive={name: columns[name].distance for name in having("sensitive")},
        identifiers=having("identifier"),
        together=cast("Together", asked.get("together", "each")),
        person=_person([*having("person"), *having("pseudonym")], asked.get("person")),
        pseudonym=next(iter(having("pseudonym")), None),
        shifted=having("shifted"),
        publish=having("publish"),
        remove=having("remove"),
        undecided=having("undecided"),
        others=cast("Others", asked.get("others", "refuse" if columns else None)),
    )


def _person(telling: list[str], named: object) -> str | None:
    """Return the column that tells people apart, by its role or named in [policy]; there is one at most."""
    if named is not None and not isinstance(named, str):
        raise PolicyError("[policy] person must be the name of a column.")
    found = list(dict.fromkeys([*telling, *([] if named is None else [named])]))
    if len(found) > 1:
        raise PolicyError(f"{listed(found)}: one column at most tells people apart (role = 'person' or 'pseudonym').")
    return found[0] if found else None


def _thresholds(asked: Mapping[str, object], columns: Mapping[str, Column]) -> dict[str, dict[str | None, str]]:
    """Return the thresholds of [policy] and of columns, by model and attribute."""
    models = model_keys()
    thresholds: dict[str, dict[str | None, str]] = {
        key.replace("-", "_"): {None: _threshold(key, value)} for key, value in asked.items() if key in models
    }
    for name, column in columns.items():
        for key, threshold in column.thresholds.items():
            thresholds.setdefault(key, {})[name] = threshold
    return thresholds


def _threshold(key: str, value: object) -> str:
    try:
        with about(field=key.replace("-", "_")):
            return threshold_text(value, key)
    except PolicyError as problem:
        raise problem.of("[policy] ") from None


def placed_table(given: object, folder: Path, where: str) -> str:
    """Return what names a table, where it is: a path relative to the folder, an address as it is."""
    if not isinstance(given, str) or not given.strip():
        raise PolicyError(f"{where} must be the text of a path.")
    named = given == "-" or given.startswith("example:") or is_database_address(given) or unread_scheme(given)
    return given if named else str(folder / given)


def mapping_of(given: object, where: str) -> Mapping[str, object]:
    """Return a table of a policy, or refuse what is none."""
    if not isinstance(given, Mapping):
        raise PolicyError(f"{where} must be a table of names and values.")
    return given


def _of_table(data: Mapping[str, object], own: Mapping[str, object]) -> dict[str, object]:
    """Return what a file says of one of its tables, in the shape of a file of that table alone."""
    asked = {
        key: {**mapping_of(data.get(key, {}), f"[{key}]"), **mapping_of(own.get(key, {}), f"{key} of a [[table]]")}
        for key in ("policy", "release")
    }
    table = {key: value for key, value in own.items() if key not in ("columns", *asked)}
    return {**data, "table": table, "columns": own.get("columns", data.get("columns", {})), **asked}


def policy_file_text(path: Path) -> str:
    """Return the text of a policy file."""
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
        with in_files():
            policy = policy_of(data, path.parent)
            _check_requirements(policy)
    except InputError as problem:
        raise problem.of(f"{path}: ") from None
    return replace(policy, file=str(path))


def _check_requirements(policy: Policy) -> None:
    """Refuse requirements that cannot be, and say where they stand."""
    try:
        policy.requirements()
    except ThresholdError as problem:
        raise problem.of("[policy] " if problem.column is None else f"[columns] {problem.column}: ") from None
