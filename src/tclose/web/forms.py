"""The forms of the page, made of the declarations of options: what each field is called, takes and means."""

from __future__ import annotations

from typing import Any

from tclose.options import Choice, Option, Switch, Whole
from tclose.policy.policy import every_option

PLACES = ("policy", "release")
"""The sections of a policy whose options the page shows."""


def forms() -> dict[str, list[dict[str, Any]]]:
    """Return the fields of each section that the page shows, in the order of their declarations."""
    return {
        place: [_field(each) for each in every_option().values() if each.place == place and each.page]
        for place in PLACES
    }


def _field(each: Option) -> dict[str, Any]:
    """Return one field: its widget follows from the kind of its value."""
    kind = each.kind
    widget = "choice" if isinstance(kind, Choice) else "switch" if isinstance(kind, Switch) else "number"
    return {
        "name": each.name,
        "label": each.label,
        "help": each.help,
        "widget": widget if widget != "number" or isinstance(kind, Whole) or kind.exact else "text",
        "choices": list(kind.known()) if isinstance(kind, Choice) else [],
        "default": each.default,
        "usual": each.usual,
    }
