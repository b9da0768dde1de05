"""The policy file, ``tclose.toml`` or ``[tool.tclose]`` in pyproject.toml, as roles and requirements.

::

    [table]
    source = "release.parquet"

    [columns]
    zip = { role = "quasi-identifier", hierarchy = "zip.csv", levels = [0, 2], weight = 2 }
    salary = { role = "sensitive", distance = "ordered", nulls = "drop", t = 0.2 }
    disease = { role = "sensitive", hierarchy = "diseases.csv", l = 3 }

    [policy]
    k = 5
    t = 0.3

    [release]
    suppress = 0.01
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tclose.errors import InputError, PolicyError, closest, listed
from tclose.policy_release import Recoding, ReleasePolicy, check_keys, recoding_of, release_policy, threshold_text
from tclose.roles import DISTANCE_WORDS, Distance, Roles, Together, distance_named
from tclose.sources.database import is_database_address
from tclose.sources.source import ReadOptions

if TYPE_CHECKING:
    from tclose.models.catalogue import Requirement

Thresholds = Mapping[str, Mapping[str | None, str]]
"""Model key to attribute to threshold as written; under None the threshold of every other attribute."""

ROLE_WORDS = ("quasi-identifier", "sensitive", "identifier", "insensitive")
READ_KEYS = tuple(option.name for option in fields(ReadOptions))
TABLE_KEYS = ("source", "reference", "population")
_COLUMN_KEYS = ("role", "distance", "order", "nulls", "hierarchy")


@dataclass(frozen=True)
class Policy:
    """What is asked of a table: where it is, the roles of its columns, and the thresholds to meet.

    Parameters
    ----------
    roles
        Which column is what.
    thresholds
        What must hold, as it was written.
    source, reference, population
        Tables: the one to audit, the one its classes are compared with, the people it was drawn from.
    read
        How files are read.
    insensitive
        Columns of which the policy says that they are neither known nor secret.
    hierarchies, levels, weights
        Of quasi-identifiers: how they are generalised in a release, how far, and how much they count.
    release
        How a release is made.
    """

    roles: Roles = field(default_factory=Roles)
    thresholds: Thresholds = field(default_factory=dict, hash=False)
    source: str | None = None
    reference: str | None = None
    population: str | None = None
    read: ReadOptions = field(default_factory=ReadOptions)
    insensitive: tuple[str, ...] = ()
    hierarchies: Mapping[str, str | Mapping[str, object]] = field(default_factory=dict, hash=False)
    levels: Mapping[str, int | tuple[int, int]] = field(default_factory=dict, hash=False)
    weights: Mapping[str, float] = field(default_factory=dict, hash=False)
    release: ReleasePolicy = field(default_factory=ReleasePolicy)

    def requirements(self) -> tuple[Requirement, ...]:
        """Return the requirements, where a threshold for one attribute replaces the one for all."""
        from tclose.models.catalogue import requirements

        found: list[Requirement] = []
        for key, by_attribute in self.thresholds.items():
            for attribute, threshold in _spread(by_attribute, self.roles).items():
                found += requirements({key: threshold if attribute is None else {attribute: threshold}})
        return tuple(found)


def _spread(by_attribute: Mapping[str | None, str], roles: Roles) -> Mapping[str | None, str]:
    """Return the thresholds with the general one written out for attributes without one of their own."""
    own: dict[str | None, str] = {name: by_attribute[name] for name in by_attribute if name is not None}
    if None not in by_attribute or not own:
        return by_attribute
    others: dict[str | None, str] = {name: by_attribute[None] for name in roles.sensitive if name not in own}
    return {**others, **own}


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
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise PolicyError(
            f"There is no policy file {str(path)!r}. 'tclose profile TABLE -o tclose.toml' writes one."
        ) from None
    except (OSError, UnicodeDecodeError) as problem:
        why = getattr(problem, "strerror", None) or "it is not UTF-8 text"
        raise PolicyError(f"The policy file {str(path)!r} cannot be read: {why}.") from None
    return parse_policy(text, path)


def parse_policy(text: str, path: Path) -> Policy:
    """Return the policy in the text of a file; the path is named in messages and resolves paths in it."""
    try:
        data = tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as problem:
        raise PolicyError(f"{path} is not valid TOML: {problem}.") from None
    if path.name == "pyproject.toml":
        data = data.get("tool", {}).get("tclose")
        if data is None:
            raise PolicyError(f"{path} has no table [tool.tclose].")
    try:
        policy = policy_of(data, path.parent)
        policy.requirements()
    except PolicyError as problem:
        raise PolicyError(f"{path}: {problem}") from None
    except InputError as problem:
        raise type(problem)(f"{path}: {problem}") from None
    return policy


def policy_of(data: Mapping[str, object], folder: Path) -> Policy:
    """Return the policy that data of the shape of the file says; paths in it are relative to the folder."""
    check_keys(data, ("table", "columns", "policy", "release"), "the file")
    table = _mapping(data.get("table", {}), "[table]")
    asked = _mapping(data.get("policy", {}), "[policy]")
    check_keys(table, (*TABLE_KEYS, *READ_KEYS), "[table]")
    columns = {
        name: _column(name, _mapping(given, f"The column {name!r}"), folder)
        for name, given in _mapping(data.get("columns", {}), "[columns]").items()
    }
    model_keys = _model_keys()
    check_keys(asked, ("together", *model_keys), "[policy]")
    thresholds: dict[str, dict[str | None, str]] = {
        _key(key): {None: threshold_text(value, f"[policy] {key}")} for key, value in asked.items() if key != "together"
    }
    for name, column in columns.items():
        for key, threshold in column.thresholds.items():
            thresholds.setdefault(key, {})[name] = threshold
    return Policy(
        roles=Roles(
            quasi=_with_role(columns, "quasi-identifier"),
            sensitive={name: columns[name].distance for name in _with_role(columns, "sensitive")},
            identifiers=_with_role(columns, "identifier"),
            together=cast("Together", asked.get("together", "each")),
        ),
        thresholds=thresholds,
        source=_table_path(table.get("source"), folder, "source"),
        reference=_table_path(table.get("reference"), folder, "reference"),
        population=_table_path(table.get("population"), folder, "population"),
        read=_read_options(table),
        insensitive=tuple(_with_role(columns, "insensitive")),
        hierarchies=_recodings(columns, "hierarchy"),
        levels=_recodings(columns, "levels"),
        weights=_recodings(columns, "weight"),
        release=release_policy(_mapping(data.get("release", {}), "[release]")),
    )


@dataclass(frozen=True)
class _Column:
    role: str
    distance: Distance | None = None
    thresholds: Mapping[str, str] = field(default_factory=dict)
    recoding: Recoding = field(default_factory=Recoding)


def _recodings(columns: Mapping[str, _Column], key: str) -> dict[str, Any]:
    """Return what is said under a key of the recoding of columns, by their names."""
    found = {name: getattr(column.recoding, key) for name, column in columns.items()}
    return {name: value for name, value in found.items() if value is not None}


def _column(name: str, given: Mapping[str, object], folder: Path) -> _Column:
    where = f"The column {name!r}"
    role = given.get("role")
    if role not in ROLE_WORDS:
        near = closest(str(role), ROLE_WORDS) if role is not None else None
        hint = f" Did you mean {near!r}?" if near else ""
        raise PolicyError(f"{where} needs a role, one of {listed(ROLE_WORDS)}.{hint}")
    if role == "quasi-identifier":
        return _Column(str(role), recoding=recoding_of(name, given, folder))
    if role != "sensitive":
        check_keys(given, ("role",), f"{where}, a column that is not sensitive,")
        return _Column(str(role))
    model_keys = _model_keys()
    check_keys(given, (*_COLUMN_KEYS, *model_keys), where)
    hierarchy = given.get("hierarchy")
    if isinstance(hierarchy, str):
        hierarchy = str(folder / hierarchy)
    options = {key: given.get(key) for key in ("distance", "order", "nulls")}
    distance = declared_distance(name, hierarchy=hierarchy, **options)
    thresholds = {_key(key): threshold_text(given[key], f"{where}, {key}") for key in given if key in model_keys}
    return _Column(str(role), distance, thresholds)


def declared_distance(
    name: str,
    *,
    distance: object = None,
    order: object = None,
    nulls: object = None,
    hierarchy: object = None,
) -> Distance | None:
    """Return the distance that a policy or command line declares for an attribute; None if it does not.

    Parameters
    ----------
    name
        The attribute, for messages.
    distance
        One of the distance words; an order or a hierarchy implies it.
    order
        ``"value"``, ``"frequency"`` or a list of values.
    nulls
        What a missing value means.
    hierarchy
        The path of a hierarchy, or a nested mapping.
    """
    where = f"The sensitive column {name!r}"
    word = distance or (hierarchy is not None and "hierarchical") or (order is not None and "ordered") or None
    if word is None and nulls is None:
        return None
    word = word or {"first": "ordered", "last": "ordered", "category": "nominal"}.get(str(nulls))
    if word is None:
        raise PolicyError(f"{where} says what nulls mean but not its distance; name one of {listed(DISTANCE_WORDS)}.")
    if hierarchy is not None and word != "hierarchical":
        raise PolicyError(f"{where} has a hierarchy, which fits the distance 'hierarchical' only, not {word!r}.")
    if order is not None and word != "ordered":
        raise PolicyError(f"{where} has an order, which fits the distance 'ordered' only, not {word!r}.")
    if hierarchy is None and word == "hierarchical":
        raise PolicyError(
            f"{where} is hierarchical and needs its hierarchy: hierarchy = FILE, or --hierarchy NAME=FILE."
        )
    options = {"order": _order(order, where), "nulls": nulls, "tree": hierarchy}
    try:
        return distance_named(str(word), **{key: value for key, value in options.items() if value is not None})
    except InputError as problem:
        raise PolicyError(f"{where}: {problem}") from None


def _order(order: object, where: str) -> object:
    if order is None or isinstance(order, str):
        return order
    if not isinstance(order, Iterable) or isinstance(order, Mapping):
        raise PolicyError(f"{where}: order is 'value', 'frequency' or a list of values.")
    return tuple(order)


def _with_role(columns: Mapping[str, _Column], role: str) -> list[str]:
    return [name for name, column in columns.items() if column.role == role]


def _model_keys() -> tuple[str, ...]:
    """Return every key that names a threshold, in both spellings."""
    from tclose.models.catalogue import MODELS

    keys = (*MODELS, "presence")
    return (*keys, *(key.replace("_", "-") for key in keys if "_" in key))


def _key(key: str) -> str:
    return key.replace("-", "_")


def _table_path(given: object, folder: Path, key: str) -> str | None:
    if given is None:
        return None
    if not isinstance(given, str):
        raise PolicyError(f"[table] {key} must be the text of a path.")
    named = given == "-" or given.startswith("example:") or is_database_address(given)
    return given if named else str(folder / given)


def _read_options(table: Mapping[str, object]) -> ReadOptions:
    given = {key: table[key] for key in READ_KEYS if key in table}
    kinds: dict[str, tuple[type, ...]] = {"header": (bool,), "sheet": (str, int), "null_text": (str, list)}
    for key, value in given.items():
        if not isinstance(value, kinds.get(key, (str,))):
            raise PolicyError(f"[table] {key} has a value of the wrong kind.")
        if isinstance(value, list) and not all(isinstance(each, str) for each in value):
            raise PolicyError(f"[table] {key} must be a list of texts.")
    return ReadOptions(**given)  # type: ignore[arg-type]


def _mapping(given: object, where: str) -> Mapping[str, object]:
    if not isinstance(given, Mapping):
        raise PolicyError(f"{where} must be a table of names and values.")
    return given
