"""Vocabularies of the fields where tables come from: which role the columns of a standard have.

Each is a data file: by role the names of columns with what they hold, and the names by which such a table is
recognised. In come the names of a table's columns; out come roles with their meanings. Open any ``.toml`` file first.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

_LEAST = 3
"""A table is of a field if it has so many of the columns by which that is recognised."""
_DOMAIN = 2
"""Letters of a domain, which stand for ``--``."""
_PARTS = ("title", "recognised_by")


@dataclass(frozen=True)
class Known:
    """A column that a vocabulary knows."""

    role: str
    meaning: str
    field: str
    """The field, such as a standard."""


@dataclass(frozen=True)
class Vocabulary:
    """The columns of a field."""

    title: str
    recognised_by: frozenset[str]
    columns: Mapping[str, Known]

    def known(self, name: str) -> Known | None:
        """Return what a column is, by its name, or by its name behind the letters of a domain."""
        return self.columns.get(name.upper()) or self.columns.get(f"--{name.upper()[_DOMAIN:]}")

    def recognises(self, name: str) -> bool:
        """Say whether a column shows that a table is of this field."""
        return not {name.upper(), f"--{name.upper()[_DOMAIN:]}"}.isdisjoint(self.recognised_by)


@functools.cache
def vocabularies() -> tuple[Vocabulary, ...]:
    """Return every vocabulary, by the names of the files."""
    files = sorted((each for each in resources.files(__package__).iterdir() if each.name.endswith(".toml")), key=str)
    return tuple(_read(tomllib.loads(each.read_text(encoding="utf-8"))) for each in files)


def _read(data: Mapping[str, Mapping[str, str]]) -> Vocabulary:
    title = str(data["title"])
    columns = {
        name.upper(): Known(role, meaning, title)
        for role, names in data.items()
        if role not in _PARTS
        for name, meaning in names.items()
    }
    return Vocabulary(title, frozenset(name.upper() for name in data["recognised_by"]), columns)


def known_columns(names: Sequence[str]) -> dict[str, Known]:
    """Return the columns of a table that the vocabulary of its field knows; none where no field is recognised.

    Examples
    --------
    >>> found = known_columns(["USUBJID", "AETERM", "AESEV", "AESTDTC", "shoe size"])
    >>> found["AETERM"].role, found["AESTDTC"].meaning, "shoe size" in found
    ('sensitive', 'start date', False)
    >>> known_columns(["AGE", "SEX", "colour"])
    {}
    """
    score, vocabulary = max(
        ((sum(map(each.recognises, names)), each) for each in vocabularies()), key=lambda one: one[0]
    )
    if score < _LEAST:
        return {}
    found = {name: vocabulary.known(name) for name in names}
    return {name: each for name, each in found.items() if each is not None}
