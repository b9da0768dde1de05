"""What a policy says of its report: the table ``[report]``, who it is for and who answers for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date

from tclose.errors import PolicyError
from tclose.policy_release import check_keys

LONGEST = 600
"""So many letters a field has at most."""


@dataclass(frozen=True)
class About:
    """What a report says of its purpose and of people; what is left out is left to be written by hand."""

    purpose: str = ""
    """What the table is for."""
    recipient: str = ""
    """Who gets it."""
    author: str = ""
    """Who made the report: name and position."""
    approver: str = ""
    """Who decides: name and position."""
    review: str = ""
    """When it is to be looked at again."""


REPORT_KEYS = tuple(each.name for each in fields(About))


def about_of(given: Mapping[str, object]) -> About:
    """Return what ``[report]`` says.

    Raises
    ------
    PolicyError
        If it has other keys, or something is no text.
    """
    check_keys(given, REPORT_KEYS, "[report]")
    found = {}
    for key, value in given.items():
        text = value.isoformat() if isinstance(value, date) else value
        if not isinstance(text, str) or len(text) > LONGEST:
            raise PolicyError(f"[report] {key} must be a text of at most {LONGEST} letters.")
        found[key] = text.strip()
    return About(**found)
