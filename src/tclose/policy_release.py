"""What a policy says of a release: the table ``[release]``, and how a quasi-identifier may be recoded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import cast

from tclose.engines.disguises import MOST_DAYS, USUAL_DAYS
from tclose.errors import Hint, PolicyError, ThresholdError, about, listed, meant
from tclose.exact import Number, fraction, share

AGAINST = ("both", "original")
RECODING_KEYS = ("hierarchy", "levels", "weight", "numbers")


@dataclass(frozen=True)
class ReleasePolicy:
    """How a release is made; what each field means is said at :func:`tclose.anonymize`."""

    method: str = "auto"
    suppress: str = "0"
    loss: str = "lm"
    intervals: bool = True
    pruned: bool = False
    against: str = "both"
    effort: int = 1
    seed: int = 0
    shift_days: int = USUAL_DAYS
    key_file: str | None = None
    key_variable: str | None = None
    withstand: str | None = None


MOST_EFFORT = 1000
_MOST = {"seed": 2**63 - 1, "effort": MOST_EFFORT, "shift_days": MOST_DAYS}
RELEASE_KEYS = tuple(option.name for option in fields(ReleasePolicy))


@dataclass(frozen=True)
class Recoding:
    """How one quasi-identifier may be recoded."""

    hierarchy: str | Mapping[str, object] | None = field(default=None, hash=False)
    levels: int | tuple[int, int] | None = None
    weight: float | None = None
    numbers: str | None = None


def release_policy(given: Mapping[str, object], folder: Path) -> ReleasePolicy:
    """Return what ``[release]`` says; a file is relative to the folder."""
    check_keys(given, RELEASE_KEYS, "[release]")
    found = {key: _checked(key, value) for key, value in given.items()}
    if "key_file" in found:
        found["key_file"] = str(folder / str(found["key_file"]))
    return ReleasePolicy(**found)  # type: ignore[arg-type]


def _checked(key: str, value: object) -> object:
    try:
        with about(field=key):
            return _checked_alone(key, value)
    except PolicyError as problem:
        raise problem.of("[release] ") from None


def _checked_alone(key: str, value: object) -> object:
    where = key
    if key in ("suppress", "withstand"):
        return share_text(value, where)
    if key in _MOST:
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MOST[key]:
            end = "on" if key == "seed" else f"to {_MOST[key]}"
            raise PolicyError(f"{where} must be a whole number from 0 {end}.")
        return value
    if key in ("key_file", "key_variable"):
        if not isinstance(value, str):
            raise PolicyError(f"{where} must be a text: where the key is, never the key itself.")
        return value
    if key in ("intervals", "pruned"):
        if not isinstance(value, bool):
            raise PolicyError(f"{where} must be true or false.")
        return value
    known = _words(key)
    if value not in known:
        raise PolicyError(f"{where} must be one of {listed(known, 30)}.", hint=meant(value, known))
    return value


def _words(key: str) -> tuple[str, ...]:
    """Return the words that a key may have."""
    if key == "against":
        return AGAINST
    if key == "loss":
        from tclose.recoding.losses.catalogue import LOSSES

        return tuple(LOSSES)
    from tclose.recoding.methods import AUTO, METHODS

    return (AUTO, *METHODS)


def share_text(value: object, where: str) -> str:
    """Return a share from 0 to 1 as text, with the digits that were written, checked."""
    text = threshold_text(value, where)
    try:
        share(text, where)
    except ThresholdError as problem:
        raise PolicyError(problem.message, hint=problem.hint) from None
    return text


def recoding_of(name: str, given: Mapping[str, object], folder: Path) -> Recoding:
    """Return how a policy lets a quasi-identifier be recoded."""
    where = f"The quasi-identifier {name!r}"
    check_keys(given, ("role", *RECODING_KEYS), f"{where}, a column that is not sensitive,")
    return Recoding(
        _hierarchy(given.get("hierarchy"), folder, where),
        _levels(given.get("levels"), where),
        _weight(given.get("weight"), where),
        _numbers(given.get("numbers"), where),
    )


def _hierarchy(given: object, folder: Path, where: str) -> str | Mapping[str, object] | None:
    from tclose.hierarchies import is_builder

    if given is None or isinstance(given, Mapping):
        return given
    if not isinstance(given, str):
        raise PolicyError(f"{where}: hierarchy is a path, words such as 'intervals:5,10', or a nested table.")
    return given if is_builder(given) else str(folder / given)


def _levels(given: object, where: str) -> int | tuple[int, int] | None:
    if given is None or _is_level(given):
        return cast("int | None", given)
    if isinstance(given, list) and len(given) == 2 and all(map(_is_level, given)) and given[0] <= given[1]:
        return given[0], given[1]
    raise PolicyError(f"{where}: levels is a level such as 2, or the finest and the coarsest: [0, 2].")


def _is_level(given: object) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and given >= 0


def _numbers(given: object, where: str) -> str | None:
    from tclose.recipe_numbers import FORMS

    if given is not None and given not in FORMS:
        raise PolicyError(f"{where}: numbers is one of {listed(FORMS)}.")
    return None if given is None else str(given)


def _weight(given: object, where: str) -> float | None:
    if given is None:
        return None
    if isinstance(given, bool) or not isinstance(given, int | Decimal):
        raise PolicyError(f"{where}: weight is a number above 0.")
    return weight_of(given, f"{where}: weight")


def weight_of(given: Number, where: str) -> float:
    """Return how much a quasi-identifier counts, as a policy or the command line says it."""
    weight = fraction(given, where)
    if not Fraction(1, 10**9) <= weight <= 10**9:
        raise PolicyError(f"{where} is a number above 0, from a billionth to a billion.")
    return float(weight)


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
