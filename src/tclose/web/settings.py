"""From what a page asks for to a policy: the language of ``tclose.toml``, as JSON, without a path of the page's own."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from tclose.data.hierarchies import is_builder
from tclose.errors import InputError, PolicyError
from tclose.policy.files import keys_of, mapping_of, parse_policy, policy_of
from tclose.policy.options import Choice, ColumnName, Option, Switch, Whole, declared
from tclose.policy.parts import About
from tclose.policy.policy import Policy, every_option
from tclose.policy.roles import Roles
from tclose.policy.writing import policy_text
from tclose.web.workspace import Opened

# The forms of the page, made of the declarations of options: what each field is called, takes and means.


PLACES = ("policy", "release")
"""The sections of a policy whose options the page shows."""
WORK = {"audit": ("measure", "drivers"), "frontier": ("sweep", "methods")}
"""The options that are said beside the policy of each kind of work."""
_BESIDE = {"population_size": ("population",)}
"""Options without a field, whose errors are told at the field of another: both say what the population is."""
_TOGETHER = {
    "each": ("each by itself", "Every attribute is measured alone."),
    "quasi": ("the others known too", "Whoever learns of one may know the others."),
    "joint": ("all as one", "Their combination is measured as one attribute."),
}
_AGAINST = {
    "both": ("the original and the release", "The original's distribution, and the release's own."),
    "original": ("the original", "Only the original's distribution."),
}


def forms() -> dict[str, list[dict[str, Any]]]:
    """Return the fields of each section that the page shows, in the order of their declarations."""
    found = {
        place: [_field(each) for each in every_option().values() if each.place == place and each.page]
        for place in PLACES
    }
    found["policy"].append(_field(declared(Roles)["together"]))
    return found


def _field(each: Option) -> dict[str, Any]:
    """Return one field: its widget follows from the kind of its value."""
    return {
        "name": each.name,
        "label": each.label,
        "help": each.help,
        "widget": _widget(each),
        "choices": _choices(each),
        "default": each.default,
        "prominent": each.prominent,
        "fields": [each.name, *_BESIDE.get(each.name, ())],
    }


def _widget(each: Option) -> str:
    """Return what a value is said with: choice, switch, column, number or text."""
    kind = each.kind
    if isinstance(kind, Choice):
        return "choice"
    if isinstance(kind, Switch):
        return "switch"
    if isinstance(kind, ColumnName):
        return "column"
    return "number" if isinstance(kind, Whole) or kind.exact else "text"


def _choices(each: Option) -> list[dict[str, str]]:
    """Return the words of a choice, each as it is shown and with what it means, where its catalogue says so."""
    if not isinstance(each.kind, Choice):
        return []
    told = _told(each.name)
    shown = {key: told.get(key, (key, "")) for key in each.kind.known()}
    return [{"key": key, "title": title, "meaning": meaning} for key, (title, meaning) in shown.items()]


def _told(name: str) -> dict[str, tuple[str, str]]:
    """Return what the words of an option are called and mean."""
    from tclose.anonymization.algorithms.catalogue import AUTO, METHODS
    from tclose.anonymization.algorithms.losses.catalogue import LOSSES
    from tclose.policy.presets import PRESETS

    if name == "method":
        ways = {key: (key, way.meaning) for key, way in METHODS.items()}
        return {AUTO: (AUTO, "Tries what applies and keeps the least loss."), **ways}
    if name == "loss":
        return {key: (f"{key}: {loss.title}", loss.meaning) for key, loss in LOSSES.items()}
    if name == "preset":
        return {key: (preset.title, preset.asks) for key, preset in PRESETS.items()}
    return {"together": _TOGETHER, "against": _AGAINST}.get(name, {})


_LONGEST_NUMBER = 60
_HUGE_EXPONENT = re.compile(r"[eE][+-]?\d{4,}")
SECTIONS = ("columns", "policy", "release", "report")
"""The sections of a policy that a page sets."""
_GROUPED = re.compile(r"\s*\d{1,3}(?:[ ,'\u00a0\u202f]\d{3})+\s*")
_LARGEST_EXACT = 2**53
"""Beyond it, a browser rounds whole numbers."""


def parsed(body: bytes) -> dict[str, Any]:
    """Return the JSON object in the body of a request; decimals keep their digits.

    Raises
    ------
    InputError
        If it is not one, or holds what no answer could repeat.
    """
    try:
        data = json.loads(body, parse_float=_decimal, parse_constant=_no_number)
        json.dumps(data, ensure_ascii=False, default=str).encode("utf-8")
    except (ValueError, RecursionError):
        raise InputError("The request is not valid JSON.") from None
    if not isinstance(data, dict):
        raise InputError("The request must be a JSON object.")
    return data


def plain(settings: object) -> Any:
    """Return settings as an answer repeats them; decimals as texts, in which no digit is lost."""
    return json.loads(json.dumps(settings, default=str))


def _decimal(text: str) -> Decimal:
    if len(text) > _LONGEST_NUMBER or _HUGE_EXPONENT.search(text):
        raise ValueError("a number of no use")
    return Decimal(text)


def _no_number(text: str) -> None:
    raise ValueError(text)


def policy_from(data: object, opened: Opened) -> Policy:
    """Return the policy that a page asks for.

    Parameters
    ----------
    data
        The sections ``columns``, ``policy`` and ``release`` of a policy file, as JSON.
    opened
        The table; files that its own policy named may be named again, others not.
    """
    if not isinstance(data, Mapping):
        raise PolicyError("The policy must be an object with columns, policy, release and report.")
    unknown = [name for name in data if name not in SECTIONS]
    if unknown:
        raise PolicyError("The policy has parts that a page does not set; it has columns, policy, release and report.")
    _check_numbers(data.get("policy"))
    _check_numbers(data.get("release"))
    columns = data.get("columns", {})
    for name, given in columns.items() if isinstance(columns, Mapping) else ():
        if isinstance(given, Mapping):
            _check_numbers({key: value for key, value in given.items() if key not in ("hierarchy", "order")})
            _check_hierarchy(name, given, opened.paths)
    policy = policy_of({**data, **_typed(data)}, Path())
    mine = opened.policy
    kept = {
        "key_file": mine.release.key_file, "key_variable": mine.release.key_variable,
        "reference": mine.baseline.reference, "population": mine.baseline.population,
    }  # fmt: skip
    return replace(policy.with_options(kept), table=mine.table, read=mine.read, resources=mine.resources)


def _typed(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the fields of a page say, of which texts are all that it sends, as values of their options."""
    found = {}
    for place in PLACES:
        given, known = data.get(place), keys_of(place)
        if isinstance(given, Mapping):
            found[place] = {name: _value(known.get(name), value) for name, value in given.items()}
    return found


def _value(each: Option | None, value: object) -> object:
    if each is None or not isinstance(value, str):
        return value
    if isinstance(each.kind, Whole) and _GROUPED.fullmatch(value):
        value = re.sub(r"\D", "", value)
    found = each.kind.parse(value)
    each.read(found)  # what is wrong is said of the field, by what the page calls it
    return found


def about_now(opened: Opened | None) -> About:
    """Return what reports say of their purpose and of people, as the page last kept it."""
    if opened is None:
        return About()
    given = opened.settings.get("report") if isinstance(opened.settings, Mapping) else None
    return opened.policy.about if given is None else policy_of({"report": mapping_of(given, "[report]")}, Path()).about


def policy_of_file(text: str, opened: Opened) -> dict[str, Any]:
    """Return what a policy file says, as a page holds it; what it says of the table itself is not taken over."""
    data = policy_data(parse_policy(text, Path("The policy file")))
    policy_from(data, opened)
    return data


def _check_numbers(given: object) -> None:
    """Refuse texts that stand for numbers too large to be written out."""
    for value in given.values() if isinstance(given, Mapping) else ():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, int) and not isinstance(text, bool) and abs(text) >= 10**18:
                raise PolicyError("A number is too large to mean anything here.")
            if isinstance(text, str) and (len(text) > _LONGEST_NUMBER or _HUGE_EXPONENT.search(text)):
                raise PolicyError("A threshold is a number such as 0.2, or a text such as '1/5'.")


def _check_hierarchy(name: str, given: Mapping[str, object], paths: frozenset[str]) -> None:
    """Refuse a hierarchy that is a path, unless the table's own policy named it."""
    hierarchy = given.get("hierarchy")
    if not isinstance(hierarchy, str) or hierarchy in paths:
        return
    if not is_builder(hierarchy):
        raise PolicyError(
            f"The hierarchy of {name!r} is a path. A page reads no file by its path: "
            "build the hierarchy here, or name the file on the command line."
        )


def policy_data(policy: Policy) -> dict[str, Any]:
    """Return a policy as a page holds it; thresholds as they were written."""
    data = tomllib.loads(policy_text(policy), parse_float=str)
    return {section: {name: _sent(value) for name, value in data.get(section, {}).items()} for section in SECTIONS}


def _sent(value: object) -> object:
    """Return a value as it reaches a browser whole."""
    return str(value) if type(value) is int and abs(value) > _LARGEST_EXACT else value
