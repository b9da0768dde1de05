"""The words of messages on the page: where Python has an argument and the command line an option, it has a field."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager

from starlette.types import ASGIApp, Receive, Scope, Send

from tclose.errors import Ask, speaking
from tclose.models.catalogue import MODELS

_READING = "'How it is read…'"
_PEOPLE = "'People in the population'"
PLACES: Mapping[str, str] = {
    "anonymize": "'Make a release'",
    "any": "'Someone knows' any columns",
    "decimal": _READING,
    "delimiter": _READING,
    "distance": "the distance of the column",
    "encoding": _READING,
    "header": _READING,
    "hierarchies": "'Generalised' of the column",
    "identifiers": "the role Identifier",
    "levels": "'Levels by hand'",
    "null_text": _READING,
    "nulls": "'Missing values' of the column",
    "order": "'Order' of the column",
    "person": "the role Person",
    "population_size": _PEOPLE,
    "publish": "the role Publish as is",
    "quasi": "the role Quasi-identifier",
    "round": "'Rounded to' of the column",
    "rows": "the role Identifier instead of Person",
    "sensitive": "the role Sensitive",
    "suppress": "'Share of rows that may be left out'",
}
"""What the page calls the fields that it has."""


def of_the_page(ask: Ask) -> str:
    """Return the field of the page that an option stands for; empty where the page has none.

    Examples
    --------
    >>> of_the_page(Ask("person", "id")), of_the_page(Ask("k", 5)), of_the_page(Ask("force", value=True))
    ('the role Person', 'k 5 among the requirements', '')
    """
    if ask.field in MODELS:
        return f"{ask.field if ask.value is None else f'{ask.field} {ask.value}'} among the requirements"
    return PLACES.get(ask.field, "")


def in_words_of_the_page() -> AbstractContextManager[None]:
    """Let messages speak of the fields of the page."""
    return speaking(of_the_page)


class Speaking:
    """An application whose messages speak of the fields of the page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        with in_words_of_the_page():
            await self._app(scope, receive, send)
