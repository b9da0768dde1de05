"""The words of messages on the page: where Python has an argument and the command line an option, it has a field."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from functools import cache

from starlette.types import ASGIApp, Receive, Scope, Send

from tclose.errors import Ask, speaking
from tclose.models.catalogue import MODELS
from tclose.policy.options import declared
from tclose.policy.parts import Hierarchies, SensitiveColumns
from tclose.policy.policy import every_option
from tclose.policy.roles import Roles
from tclose.web.reading import MARKS
from tclose.web.settings import PLACES

_READING = "'How it is read…'"
_BESIDE: Mapping[str, str] = {
    "anonymize": "'Make a release'",
    "distance": "the distance of the column",
    "levels": "'Levels by hand'",
    "why": "'What costs the detail'",
}
"""What the page calls that for which it has no field of an option."""


@cache
def _places() -> dict[str, str]:
    """Return what the page calls the options that it has a field for."""
    roles = declared(Roles)
    columns = {**declared(Hierarchies), **declared(SensitiveColumns)}
    shown = {name: each for name, each in every_option().items() if each.place in PLACES and each.page}
    return {
        **{name: f"'{each.label}'" for name, each in shown.items()},
        **{name: f"'{each.label}' of the column" for name, each in columns.items()},
        **{name: each.label for name, each in roles.items()},
        **dict.fromkeys(MARKS, _READING),
        **_BESIDE,
    }


def of_the_page(ask: Ask) -> str:
    """Return the field of the page that an option stands for; empty where the page has none.

    Examples
    --------
    >>> of_the_page(Ask("person", "id")), of_the_page(Ask("k", 5)), of_the_page(Ask("force", value=True))
    ('the role Person', 'k 5 among the requirements', '')
    """
    if ask.field in MODELS:
        return f"{ask.field if ask.value is None else f'{ask.field} {ask.value}'} among the requirements"
    return _places().get(ask.field, "")


def label_of(field: str) -> str:
    """Return what the page calls an option, by its name alone."""
    every = {**declared(SensitiveColumns), **every_option()}
    return every[field].label if field in every else field


def in_words_of_the_page() -> AbstractContextManager[None]:
    """Let messages speak of the fields of the page."""
    return speaking(of_the_page, label_of)


class Speaking:
    """An application whose messages speak of the fields of the page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        with in_words_of_the_page():
            await self._app(scope, receive, send)
