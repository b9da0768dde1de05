"""The forms of the page, made of the declarations of options: what each field is called, takes and means."""

from __future__ import annotations

from typing import Any

from tclose.options import Choice, ColumnName, Option, Switch, Whole, declared
from tclose.policy.policy import every_option
from tclose.roles import Roles

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
    from tclose.presets import PRESETS
    from tclose.recoding.losses.catalogue import LOSSES
    from tclose.recoding.methods import AUTO, METHODS

    if name == "method":
        ways = {key: (key, way.meaning) for key, way in METHODS.items()}
        return {AUTO: (AUTO, "Tries what applies and keeps the least loss."), **ways}
    if name == "loss":
        return {key: (f"{key}: {loss.title}", loss.meaning) for key, loss in LOSSES.items()}
    if name == "preset":
        return {key: (preset.title, preset.asks) for key, preset in PRESETS.items()}
    return {"together": _TOGETHER, "against": _AGAINST}.get(name, {})
