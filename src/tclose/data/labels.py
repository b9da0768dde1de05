"""Names of tables and files: in full for their owner, and as anyone may know them."""

from __future__ import annotations

from pathlib import PurePath
from typing import Self


class Label(str):
    """A text for the owner of a table, with the same text as anyone may read it.

    Without the folders of a machine and without the server of a database.

    Examples
    --------
    >>> Label("'/srv/care/a.csv'", "'a.csv'").public
    "'a.csv'"
    """

    __slots__ = ("public",)

    public: str

    def __new__(cls, text: str, public: str | None = None) -> Self:
        """Return the text, with what anyone may read of it."""
        found = super().__new__(cls, text)
        found.public = text if public is None else public
        return found

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        """Keep both where it is copied or pickled."""
        return str(self), self.public


def public(text: str) -> str:
    """Return a text as anyone may read it."""
    return text.public if isinstance(text, Label) else text


def naming(text: str, *names: str) -> Label:
    """Return a sentence with names in its places ``{}``.

    Examples
    --------
    >>> naming("The first line of {} looks like data.", Label("'/srv/care/a.csv'", "'a.csv'")).public
    "The first line of 'a.csv' looks like data."
    """
    return Label(text.format(*names), text.format(*map(public, names)))


def named_in_full(*paths: str | PurePath) -> Label:
    """Return the name of a table in one or several files.

    Examples
    --------
    >>> named_in_full("care/a.csv", "care/b.csv").public
    'a.csv, b.csv'
    """
    return Label(", ".join(map(str, paths)), ", ".join(PurePath(path).name or str(path) for path in paths))


def quoted(path: str | PurePath) -> Label:
    """Return a path in quotes, for the public its last part alone.

    Examples
    --------
    >>> quoted("care/a.csv"), quoted("care/a.csv").public
    ("'care/a.csv'", "'a.csv'")
    """
    return Label(repr(str(path)), repr(PurePath(path).name or str(path)))
