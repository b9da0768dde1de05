"""The words of messages on the page: where Python has an argument and the command line an option, it has a field."""

from __future__ import annotations

from contextlib import AbstractContextManager

from starlette.types import ASGIApp, Receive, Scope, Send

from tclose.errors import saying

_READING = "'How it is read…'"
PLACES = {
    "-q": "the role Quasi-identifier",
    "-s": "the role Sensitive",
    ":ordered": "another distance of the column",
    "--any": "'Someone knows' any 3 columns",
    "--decimal": _READING,
    "--delimiter": _READING,
    "--header": _READING,
    "--hierarchy": "'Generalised' of the column",
    "--k": "k 5 among the requirements",
    "--levels": "'Levels by hand'",
    "--no-header": _READING,
    "--null": _READING,
    "--nulls": "'Missing values' of the column",
    "--order": "'Order' of the column",
    "--person": "the role Person",
    "--population-size": "'People in the population'",
    "--publish": "the role Publish as is",
    "--round": "'Rounded to' of the column",
    "--rows": "the role Identifier instead of Person",
    "--suppress": "'Share of rows that may be left out'",
    "tclose": "'Make a release'",
}
"""What the page calls that for which the command line has an option."""


def _of_the_page(python: str, option: str) -> str:
    """Return the field of the page that an option stands for; what the page has no field for is an option."""
    del python
    named = ":ordered" if ":ordered" in option else option.split()[0].rstrip(",")
    return PLACES.get(named, option)


def in_words_of_the_page() -> AbstractContextManager[None]:
    """Let messages speak of the fields of the page."""
    return saying(_of_the_page)


class Speaking:
    """An application whose messages speak of the fields of the page."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        with in_words_of_the_page():
            await self._app(scope, receive, send)
