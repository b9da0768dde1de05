"""From a driver's errors to ours, without the cells, passwords and queries that databases quote in their texts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from tclose.engines.database.dialect import Cause
from tclose.engines.failures import translating
from tclose.errors import EngineFailedError, HeadroomError, SourceError, TcloseError
from tclose.sources import DatabaseTable

_STATE = re.compile(r"SQLSTATE: ([0-9A-Z]{5})")
_UNREACHED = ("connection refused", "could not translate host name", "could not connect", "no route to host",
              "network is unreachable", "timeout expired", "is the server running", "name or service not known",
              "no such file or directory")  # fmt: skip
_LOST = ("server closed the connection", "terminating connection", "connection not open", "no connection to the server",
         "connection reset", "broken pipe", "ssl syscall error", "lost synchronization", "admin shutdown",
         "shutting down", "could not receive data", "could not send data", "eof detected")  # fmt: skip
_LOCKED = ("could not set lock", "database is locked", "database table is locked", "disk i/o error")
_PASSWORDS = ("authentication failed", "no password supplied", "no pg_hba.conf entry", "password")
_DENIED = "{server} refused the user or the password."
_NO_ANSWER = "No database answers at {server}. Check the host and the port, and that it runs."
_CAUSES: tuple[Cause, ...] = (
    (("42501",), ("permission denied",), "{server} does not let this user work with {what}. Ask for the right to."),
    (("28",), (), _DENIED),
    (
        ("25006",),
        ("read-only transaction", "readonly database"),
        "The query on {server} would change something; give one that only reads.",
    ),
    (
        ("42P01", "3F000"),
        ("no such table",),
        "{server} has no {named}. Check the schema, the name and its capitals.",
    ),
    (("42P07",), ("already exists",), "{server} has {what} already. Name one that is not there, or drop it first."),
    (
        ("3D000", "42703"),
        ("does not exist", "no such schema", "unknown database"),
        "{server} does not have that database, user or column. Check the address and the query.",
    ),
    ((), _UNREACHED, _NO_ANSWER),
    (
        ("42", "0A"),
        ("syntax error", "no such column", "no such function", "incomplete input", "unrecognized token"),
        "{server} does not understand {what}: it is not one query that gives rows.",
    ),
    ((), ("unable to open",), "{server} cannot be opened. Check the path and its permissions."),
    ((), ("failed to connect",), "{server} cannot be reached by this address. Check how it is written."),
    (
        ("22",),
        ("invalid input syntax", "out of range", "division by zero", "invalid byte sequence", "cannot take"),
        "In {what} of {server} there is a value that an expression refuses. Mend the value or the expression.",
    ),
)
"""What the messages of any database mean; the first that applies counts."""


@contextmanager
def translated(source: DatabaseTable, causes: tuple[Cause, ...] = ()) -> Iterator[None]:
    """Turn every exception of a driver into one of ours, which names the table and the server.

    Parameters
    ----------
    source
        What is being read.
    causes
        What the dialect knows of its messages.

    Raises
    ------
    SourceError
        If the address, the table or the query is wrong, or access is refused.
    HeadroomError
        If the database ran out of memory or disk.
    EngineFailedError
        If the database stopped, or its connection was lost.
    """
    with translating(lambda problem: translation(problem, source, causes)):
        yield


def translation(problem: BaseException, source: DatabaseTable, causes: tuple[Cause, ...] = ()) -> TcloseError:
    """Return our exception for one of a driver's; its text is built from facts, never passed on."""
    text = str(problem).lower()
    state = str(getattr(problem, "sqlstate", None) or "") or (
        found[1] if (found := _STATE.search(str(problem))) else ""
    )
    if isinstance(problem, TimeoutError):
        return _late(source)
    if state[:2] in ("57", "08") or any(sign in text for sign in (*_LOST, "canceling statement")):
        return _stopped(text, state, source)
    if state[:2] == "53" or "out of memory" in text or "disk full" in text or "no space left" in text:
        return HeadroomError(f"{source.server} ran out of memory or disk while it grouped {_what(source)}.")
    if any(sign in text for sign in _LOCKED):
        return EngineFailedError(f"{source.server} is in use by somebody who writes to it. Run again later.")
    return _refused(text, state, source, causes)


def _stopped(text: str, state: str, source: DatabaseTable) -> TcloseError:
    if state == "57014" or "canceling statement" in text:
        if "timeout" in text:
            return _late(source)
        return EngineFailedError(f"The work of {source.server} on {_what(source)} was cancelled there.")
    if any(sign in text for sign in _UNREACHED):
        return SourceError(_NO_ANSWER.format(server=source.server))
    return EngineFailedError(
        f"The connection to {source.server} was lost while working on {_what(source)}. "
        "Run again when the server is there; nothing was changed."
    )


def _late(source: DatabaseTable) -> TcloseError:
    return EngineFailedError(
        f"{source.server} did not finish its work on {_what(source)} in the time allowed. Allow more."
    )


def _refused(text: str, state: str, source: DatabaseTable, causes: tuple[Cause, ...]) -> TcloseError:
    """Return the error for what the person can mend, or say that the engine failed."""
    connecting = "failed to connect" in text
    for states, signs, reason in (*causes, *_CAUSES):
        if any(state.startswith(each) for each in states) or any(sign in text for sign in signs):
            break
        if connecting and reason == _DENIED and any(sign in text for sign in _PASSWORDS):
            break
    else:
        return EngineFailedError(
            f"{source.server} stopped while working on {_what(source)}. Its words are withheld: they may quote cells."
        )
    return SourceError(reason.format(server=source.server, what=_what(source), named=_named(source)))


def _what(source: DatabaseTable) -> str:
    return "the query" if source.table is None else f"the table {source.table}"


def _named(source: DatabaseTable) -> str:
    return "table that the query names" if source.table is None else f"table {source.table}"
