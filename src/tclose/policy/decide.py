"""The open questions of a policy file, answered one by one; a person's comments and the order of lines stay."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import Comment

from tclose.errors import Hint, InputError, PolicyError, listed, meant
from tclose.policy.columns import ROLE_WORDS
from tclose.policy.files import parse_policy, policy_file_text

UNDECIDED = "undecided"
ANSWERS = tuple(role for role in ROLE_WORDS if role != UNDECIDED)
"""The roles that a column may get."""


@dataclass(frozen=True)
class Question:
    """A column to be decided on, and why it is asked about."""

    column: str
    reason: str


class Decisions:
    """A policy file whose columns are being decided on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = policy_file_text(path)
        parse_policy(text, path)  # says in one sentence what is wrong with the file
        self._document = tomlkit.parse(text)

    @property
    def _columns(self) -> Any:
        found: Any = self._document
        keys = ("tool", "tclose", "columns") if self.path.name == "pyproject.toml" else ("columns",)
        for key in keys:
            found = found.get(key, {})
        return found

    @property
    def open(self) -> list[Question]:
        """The questions that are still open, in the order of the file."""
        found: list[Question] = []
        reason = ""
        for key, item in getattr(getattr(self._columns, "value", None), "body", []):
            if isinstance(item, Comment):
                reason = item.as_string().strip().lstrip("#").strip()
            elif key is not None:
                if item.get("role") == UNDECIDED:
                    found.append(Question(key.key, reason))
                reason = ""
        return found

    def decide(self, column: str, role: str, settings: str | None = None) -> None:
        """Give a column a role; settings are all that the file shall say of it, as TOML, instead of the role alone."""
        if column not in self._columns:
            hint = meant(column, list(self._columns)) or Hint("It has {}.", listed(self._columns))
            raise InputError(f"The policy has no column {column!r}.", column=column, hint=hint)
        if role not in ROLE_WORDS:
            raise InputError(
                f"{role!r} is not a role; it is one of {listed(ROLE_WORDS)}.",
                field="role",
                hint=meant(role, ROLE_WORDS),
            )
        if self._columns[column]["role"] != role:
            said = settings or f'{{ role = "{role}" }}'
            self._columns[column] = tomlkit.parse(f"column = {said}")["column"]

    def text(self) -> str:
        """Return the file with the answers; refuse answers that do not go together."""
        text = tomlkit.dumps(self._document)
        try:
            parse_policy(text, self.path)
        except PolicyError as problem:
            problem.hint = problem.hint or Hint("Take the last answer back.")
            raise
        return text
