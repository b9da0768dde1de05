"""A policy: what a file such as ``tclose.toml`` says, as roles and requirements.

::

    [table]
    source = "release.parquet"

    [columns]
    zip = { role = "quasi-identifier", hierarchy = "zip.csv", levels = [0, 2], weight = 2 }
    salary = { role = "sensitive", distance = "ordered", nulls = "drop", round = 1000, t = 0.2 }
    disease = { role = "sensitive", hierarchy = "diseases.csv", l = 3 }
    patient_id = { role = "person" }

    [policy]
    k = 5
    t = 0.3
    any = 3
    others = "remove"

    [release]
    suppress = 0.01
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from tclose.errors import Ask, Hint, InputError, PolicyError, about, listed, meant
from tclose.policy_about import About, about_of
from tclose.policy_release import (
    Recoding,
    ReleasePolicy,
    check_keys,
    recoding_of,
    release_policy,
    share_text,
    threshold_text,
)
from tclose.roles import DISTANCES, Distance, Others, Roles, Together, distance_named
from tclose.sources.addresses import unread_scheme
from tclose.sources.database import is_database_address
from tclose.sources.source import ReadOptions

if TYPE_CHECKING:
    from tclose.models.catalogue import Requirement

Thresholds = Mapping[str, Mapping[str | None, str]]
"""Model key to attribute to threshold as written; under None the threshold of every other attribute."""

ROLE_WORDS = ("quasi-identifier", "sensitive", "identifier", "person", "pseudonym", "shifted", "insensitive")
READ_KEYS = tuple(option.name for option in fields(ReadOptions))
TABLE_KEYS = ("source", "reference", "population")
SAMPLING_KEYS = ("population_size", "sampling_fraction", "weight_column")
"""How the table was drawn from its population, in one of these ways."""
_CHOICES = ("together", "person", "any", "preset", "others", "gain", *SAMPLING_KEYS)
"""What [policy] says besides thresholds."""
_COLUMN_KEYS = ("role", "distance", "order", "nulls", "round", "hierarchy")


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
    hierarchies, levels, weights, numbers
        Of quasi-identifiers: how they are generalised in a release, how far, how much they count, and which numbers are
        published beside their text.
    release
        How a release is made.
    any
        At most how many quasi-identifiers someone knows, whichever they are; None for all of them.
    preset
        The name of a rule whose requirements are added, where the policy does not say something else of their models.
    sampling
        How the table was drawn from its population, by one of ``SAMPLING_KEYS``.
    gain
        The largest gain that an attacker may have, as it was written; None where none is given.
    about
        What reports say of their purpose and of people.
    """

    roles: Roles = field(default_factory=Roles)
    thresholds: Thresholds = field(default_factory=dict, hash=False)
    source: str | None = None
    reference: str | None = None
    population: str | None = None
    read: ReadOptions = field(default_factory=ReadOptions)
    hierarchies: Mapping[str, str | Mapping[str, object]] = field(default_factory=dict, hash=False)
    levels: Mapping[str, int | tuple[int, int]] = field(default_factory=dict, hash=False)
    weights: Mapping[str, float] = field(default_factory=dict, hash=False)
    numbers: Mapping[str, str] = field(default_factory=dict, hash=False)
    release: ReleasePolicy = field(default_factory=ReleasePolicy)
    any: int | None = None
    preset: str | None = None
    sampling: Mapping[str, Any] = field(default_factory=dict, hash=False)
    gain: str | None = None
    about: About = field(default_factory=About)

    def requirements(self) -> tuple[Requirement, ...]:
        """Return the requirements, where a threshold for one attribute replaces the one for all."""
        from tclose.models.catalogue import required_for_any, requirements
        from tclose.presets import with_preset

        found: list[Requirement] = []
        for key, by_attribute in self.thresholds.items():
            for attribute, threshold in _spread(by_attribute, self.roles).items():
                found += requirements({key: threshold if attribute is None else {attribute: threshold}})
        return required_for_any(with_preset(tuple(found), self.preset), self.any)


def _sampling(asked: Mapping[str, object]) -> dict[str, Any]:
    """Return how a table was drawn, as it was written, checked: a fraction keeps its digits."""
    from tclose.populations import Sampling

    found: dict[str, Any] = {key: asked[key] for key in SAMPLING_KEYS if key in asked}
    if "sampling_fraction" in found:
        found["sampling_fraction"] = threshold_text(found["sampling_fraction"], "[policy] sampling_fraction")
    Sampling.of(*(found.get(key) for key in SAMPLING_KEYS))
    return found


def _spread(by_attribute: Mapping[str | None, str], roles: Roles) -> Mapping[str | None, str]:
    """Return the thresholds with the general one written out for attributes without one of their own."""
    own: dict[str | None, str] = {name: by_attribute[name] for name in by_attribute if name is not None}
    if None not in by_attribute or not own:
        return by_attribute
    others: dict[str | None, str] = {name: by_attribute[None] for name in roles.sensitive if name not in own}
    return {**others, **own}


def policy_of(data: Mapping[str, object], folder: Path) -> Policy:
    """Return the policy that data of the shape of the file says; paths in it are relative to the folder."""
    check_keys(data, ("table", "columns", "policy", "release", "report"), "the file")
    if isinstance(data.get("table"), list):
        raise PolicyError("Several tables are listed, each as [[table]]; 'tclose audit --all' audits each of them.")
    table = mapping_of(data.get("table", {}), "[table]")
    asked = mapping_of(data.get("policy", {}), "[policy]")
    check_keys(table, (*TABLE_KEYS, *READ_KEYS), "[table]")
    columns = {}
    for name, given in mapping_of(data.get("columns", {}), "[columns]").items():
        with about(column=name):
            columns[name] = _column(name, mapping_of(given, f"The column {name!r}"), folder)
    return Policy(
        roles=Roles(
            quasi=_with_role(columns, "quasi-identifier"),
            sensitive={name: columns[name].distance for name in _with_role(columns, "sensitive")},
            identifiers=_with_role(columns, "identifier"),
            together=cast("Together", asked.get("together", "each")),
            person=_person(columns, asked.get("person")),
            pseudonym=next(iter(_with_role(columns, "pseudonym")), None),
            shift=_with_role(columns, "shifted"),
            publish=_with_role(columns, "insensitive"),
            others=cast("Others", asked.get("others", "refuse" if columns else None)),
        ),
        thresholds=_thresholds(asked, columns),
        any=cast("int | None", asked.get("any")),
        preset=None if asked.get("preset") is None else str(asked["preset"]),
        sampling=_sampling(asked),
        gain=None if asked.get("gain") is None else share_text(asked["gain"], "[policy] gain"),
        source=_table_path(table.get("source"), folder, "source"),
        reference=_table_path(table.get("reference"), folder, "reference"),
        population=_table_path(table.get("population"), folder, "population"),
        read=_read_options(table),
        hierarchies=_recodings(columns, "hierarchy"),
        levels=_recodings(columns, "levels"),
        weights=_recodings(columns, "weight"),
        numbers=_recodings(columns, "numbers"),
        release=release_policy(mapping_of(data.get("release", {}), "[release]"), folder),
        about=about_of(mapping_of(data.get("report", {}), "[report]")),
    )


def _thresholds(asked: Mapping[str, object], columns: Mapping[str, _Column]) -> dict[str, dict[str | None, str]]:
    """Return the thresholds of [policy] and of columns, by model and attribute."""
    check_keys(asked, (*_CHOICES, *_model_keys()), "[policy]")
    thresholds: dict[str, dict[str | None, str]] = {
        _key(key): {None: _threshold(key, value)} for key, value in asked.items() if key not in _CHOICES
    }
    for name, column in columns.items():
        for key, threshold in column.thresholds.items():
            thresholds.setdefault(key, {})[name] = threshold
    return thresholds


def _threshold(key: str, value: object) -> str:
    try:
        with about(field=_key(key)):
            return threshold_text(value, key)
    except PolicyError as problem:
        raise problem.of("[policy] ") from None


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
        hint = None if role is None else meant(role, ROLE_WORDS)
        raise PolicyError(f"{where} needs a role, one of {listed(ROLE_WORDS)}.", field="role", hint=hint)
    if role == "quasi-identifier":
        return _Column(str(role), recoding=recoding_of(name, given, folder))
    if role != "sensitive":
        check_keys(given, ("role",), f"{where}, a column that is not sensitive,")
        return _Column(str(role))
    model_keys = _model_keys()
    check_keys(given, (*_COLUMN_KEYS, *model_keys), where)
    from tclose.hierarchies import is_builder

    hierarchy = given.get("hierarchy")
    if isinstance(hierarchy, str) and not is_builder(hierarchy):
        hierarchy = str(folder / hierarchy)
    options = {key: given.get(key) for key in ("distance", "order", "nulls", "round")}
    distance = declared_distance(name, hierarchy=hierarchy, **options)
    thresholds = {_key(key): threshold_text(given[key], f"{where}, {key}") for key in given if key in model_keys}
    return _Column(str(role), distance, thresholds)


def declared_distance(
    name: str,
    *,
    distance: object = None,
    order: object = None,
    nulls: object = None,
    round: object = None,  # noqa: A002 - the word of the option
    hierarchy: object = None,
) -> Distance | None:
    """Return the distance that a policy or command line declares for an attribute; None if it does not.

    Parameters
    ----------
    name
        The attribute, for messages.
    distance
        One of the distance words; an order, rounding or a hierarchy implies it.
    order
        ``"value"``, ``"frequency"`` or a list of values.
    nulls
        What a missing value means.
    round
        What numbers are rounded to multiples of.
    hierarchy
        The path of a hierarchy, or a nested mapping.
    """
    where = f"The sensitive column {name!r}"
    implied = "hierarchical" if hierarchy is not None else None if order is round is None else "ordered"
    word = distance or implied
    if word is None and nulls is None:
        return None
    word = word or {"first": "ordered", "last": "ordered", "category": "nominal"}.get(str(nulls))
    if word is None:
        raise PolicyError(f"{where} says what nulls mean but not its distance; name one of {listed(DISTANCES)}.")
    if hierarchy is not None and word != "hierarchical":
        raise PolicyError(f"{where} has a hierarchy, which fits the distance 'hierarchical' only, not {word!r}.")
    if order is not None and word != "ordered":
        raise PolicyError(f"{where} has an order, which fits the distance 'ordered' only, not {word!r}.")
    if round is not None and word not in ("ordered", "numeric"):
        raise PolicyError(f"{where} is to be rounded, which fits the distances 'ordered' and 'numeric', not {word!r}.")
    if hierarchy is None and word == "hierarchical":
        raise PolicyError(
            f"{where} is hierarchical and needs its hierarchy.",
            field="hierarchies",
            hint=Hint("Write hierarchy = FILE, or give {}.", Ask("hierarchies")),
        )
    rounding = None if round is None else threshold_text(round, f"{where}, round")
    options = {"order": _order(order, where), "nulls": nulls, "round": rounding, "tree": hierarchy}
    try:
        return distance_named(str(word), **{key: value for key, value in options.items() if value is not None})
    except InputError as problem:
        raise PolicyError(
            f"{where}: {problem.message}", field=problem.field, column=problem.column, hint=problem.hint
        ) from None


def _order(order: object, where: str) -> object:
    if order is None or isinstance(order, str):
        return order
    if not isinstance(order, Iterable) or isinstance(order, Mapping):
        raise PolicyError(f"{where}: order is 'value', 'frequency' or a list of values.")
    return tuple(order)


def _with_role(columns: Mapping[str, _Column], role: str) -> list[str]:
    return [name for name, column in columns.items() if column.role == role]


def _person(columns: Mapping[str, _Column], named: object) -> str | None:
    """Return the column that tells people apart, by its role or named in [policy]; there is one at most."""
    if named is not None and not isinstance(named, str):
        raise PolicyError("[policy] person must be the name of a column.")
    telling = [*_with_role(columns, "person"), *_with_role(columns, "pseudonym")]
    found = list(dict.fromkeys([*telling, *([] if named is None else [named])]))
    if len(found) > 1:
        raise PolicyError(f"{listed(found)}: one column at most tells people apart (role = 'person' or 'pseudonym').")
    return found[0] if found else None


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
    if not isinstance(given, str) or not given.strip():
        raise PolicyError(f"[table] {key} must be the text of a path.")
    named = given == "-" or given.startswith("example:") or is_database_address(given) or unread_scheme(given)
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


def mapping_of(given: object, where: str) -> Mapping[str, object]:
    """Return a table of a policy, or refuse what is none."""
    if not isinstance(given, Mapping):
        raise PolicyError(f"{where} must be a table of names and values.")
    return given
