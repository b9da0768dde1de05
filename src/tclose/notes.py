"""What was assumed or noticed on the way to a result: a code for programs, a sentence for people, and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tclose.errors import Hint, hinted
from tclose.labels import public


@dataclass(frozen=True)
class Note:
    """Something to know of a result.

    Parameters
    ----------
    code
        What a program knows it by.
    text
        What there is to know, in sentences; a report says this alone.
    hint
        What the owner of the table can do.
    column
        The column that it is about.
    confidential
        Whether only the owner of the original may know it, so that nothing beside a release says it.

    Examples
    --------
    >>> from tclose.errors import Ask
    >>> str(Note("rows-not-people", "These figures count rows.", Hint("Count people with {}.", Ask("person", "id"))))
    "These figures count rows. Count people with Roles(person='id')."
    """

    code: str
    text: str
    hint: Hint | None = None
    column: str | None = None
    confidential: bool = False

    def __str__(self) -> str:
        """Return it with its hint, in the words of the face at hand."""
        return hinted(self.text, self.hint)

    @property
    def public(self) -> Note:
        """The same, with tables and files as anyone may know them."""
        return replace(self, text=public(self.text))

    def to_dict(self) -> dict[str, str]:
        """Return it as data, with its hint in the words of the face at hand."""
        data = {"code": self.code, "text": str(self.text)}
        if self.hint is not None and (words := str(self.hint)):
            data["hint"] = words
        return data if self.column is None else data | {"column": self.column}


def notes_data(notes: Iterable[Note]) -> list[dict[str, str]]:
    """Return notes as data."""
    return [note.to_dict() for note in notes]
