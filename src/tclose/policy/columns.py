"""What a policy says of a column: its role, its distance, how it is generalised, what must hold of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from tclose.errors import Ask, Hint, InputError, PolicyError, listed, meant
from tclose.policy.options import OptionError, UnfitError, declared
from tclose.policy.parts import Tree
from tclose.policy.policy import ColumnOptions
from tclose.policy.roles import DISTANCES, Distance, distance_named

ROLE_WORDS = (
    "quasi-identifier", "sensitive", "identifier", "person", "pseudonym", "shifted", "publish", "remove", "undecided",
)  # fmt: skip
DISTANCE_KEYS = ("distance", "order", "nulls", "round", "hierarchy")
"""What a policy says of the distance of a sensitive attribute."""
RECODING_KEYS = {"hierarchy": "hierarchies", "levels": "levels", "weight": "weights", "numbers": "numbers"}
"""What a policy says of the recoding of a quasi-identifier, and the option that each key belongs to."""


@dataclass(frozen=True)
class Column:
    """What a policy says of one column."""

    role: str
    distance: Distance | None = None
    thresholds: Mapping[str, str] = field(default_factory=dict)
    recoding: Mapping[str, object] = field(default_factory=dict)
    """By option."""


def column_of(name: str, given: Mapping[str, object], folder: Path) -> Column:
    """Return what a policy says of a column, checked; a hierarchy that is a path is relative to the folder."""
    where = f"The column {name!r}"
    role = given.get("role")
    if role not in ROLE_WORDS:
        hint = None if role is None else meant(role, ROLE_WORDS)
        raise PolicyError(f"{where} needs a role, one of {listed(ROLE_WORDS)}.", field="role", hint=hint)
    if role == "quasi-identifier":
        check_keys(given, ("role", *RECODING_KEYS), f"{where}, a column that is not sensitive,")
        return Column(str(role), recoding=_recoding(name, given, folder))
    if role != "sensitive":
        check_keys(given, ("role",), f"{where}, a column that is not sensitive,")
        return Column(str(role))
    models = model_keys()
    check_keys(given, ("role", *DISTANCE_KEYS, *models), where)
    options = {key: given.get(key) for key in ("distance", "order", "nulls", "round")}
    distance = declared_distance(name, hierarchy=_placed(given.get("hierarchy"), folder), **options)
    thresholds = {
        key.replace("-", "_"): threshold_text(given[key], f"{where}, {key}") for key in given if key in models
    }
    return Column(str(role), distance, thresholds)


def _recoding(name: str, given: Mapping[str, object], folder: Path) -> dict[str, object]:
    """Return what a policy says of the recoding of a quasi-identifier, by option."""
    found: dict[str, object] = {}
    for key, option in RECODING_KEYS.items():
        if key in given:
            kind = declared(ColumnOptions)[option].kind
            try:
                value = kind.each.read(given[key])  # type: ignore[attr-defined]
            except UnfitError as problem:
                raise OptionError(option, str(problem), column=name, said=key, hint=problem.hint).of(
                    f"The quasi-identifier {name!r}: "
                ) from None
            found[option] = _placed(value, folder) if isinstance(kind.each, Tree) else value  # type: ignore[attr-defined]
    return found


def _placed(tree: object, folder: Path) -> Any:
    """Return a hierarchy where it is: a file relative to the folder, words and nested tables as they are."""
    from tclose.data.hierarchies import is_builder, placed_hierarchy

    return placed_hierarchy(tree, folder) if isinstance(tree, str) and not is_builder(tree) else tree


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


def model_keys() -> tuple[str, ...]:
    """Return every key that names a threshold, in both spellings."""
    from tclose.models.catalogue import MODELS

    keys = (*MODELS, "presence")
    return (*keys, *(key.replace("_", "-") for key in keys if "_" in key))


def threshold_text(value: object, where: str) -> str:
    """Return a threshold as text, with the digits that were written."""
    if isinstance(value, list):
        return ",".join(threshold_text(part, where) for part in value)
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise PolicyError(f"{where}: a threshold is a number such as 0.2, a text such as '1/5', or a list of numbers.")
    return str(value)


def check_keys(given: Mapping[str, object], known: Iterable[str], where: str) -> None:
    """Refuse keys that are not known, and name the one that may have been meant."""
    known = tuple(known)
    for key in given:
        if key not in known:
            hint = meant(key, known) or Hint("It knows {}.", listed(known, 30))
            raise PolicyError(f"{where} has no {key!r}.", hint=hint)
