"""How names and texts are written in the SQL of each warehouse; its types stand in the template."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tclose.errors import Hint, InputError, listed, meant


@dataclass(frozen=True)
class SqlDialect:
    """What one warehouse has of its own in names and texts.

    Parameters
    ----------
    key
        Its name, here and in the template.
    quote
        What stands around a name.
    backslashes
        Whether a backslash in a text takes away the meaning of what follows.
    """

    key: str
    quote: str = '"'
    backslashes: bool = False

    def identifier(self, name: str) -> str:
        r"""Return a name as an identifier; no name ends what it stands in.

        Examples
        --------
        >>> print(DIALECTS["postgres"].identifier('a "zip" code'), DIALECTS["bigquery"].identifier("a`b"))
        "a ""zip"" code" `a\`b`
        """
        if not name or "\0" in name:
            raise InputError("A name in SQL cannot be empty or hold the character NUL.")
        if self.key == "bigquery":
            return f"`{self._behind_backslashes(name, '`')}`"
        return f"{self.quote}{name.replace(self.quote, self.quote * 2)}{self.quote}"

    def text(self, text: str) -> str:
        r"""Return a text as a literal; no text ends what it stands in.

        Examples
        --------
        >>> print(DIALECTS["sqlite"].text("it's"), DIALECTS["spark"].text("it's"))
        'it''s' 'it\'s'
        """
        if "\0" in text:
            raise InputError("A text in SQL cannot hold the character NUL.")
        if not self.backslashes:
            return "'" + text.replace("'", "''") + "'"
        return "'" + self._behind_backslashes(text, "'").replace("\n", "\\n").replace("\r", "\\r") + "'"

    @staticmethod
    def _behind_backslashes(text: str, sign: str) -> str:
        return text.replace("\\", "\\\\").replace(sign, f"\\{sign}")


DIALECTS: Mapping[str, SqlDialect] = {
    each.key: each
    for each in (
        SqlDialect("bigquery", "`", backslashes=True),
        SqlDialect("duckdb"),
        SqlDialect("postgres"),
        SqlDialect("snowflake", backslashes=True),
        SqlDialect("spark", "`", backslashes=True),
        SqlDialect("sqlite"),
    )
}
"""The dialects, by their names."""


def dialect_named(name: str) -> SqlDialect:
    """Return a dialect by its name, or say which there are."""
    if name in DIALECTS:
        return DIALECTS[name]
    hint = meant(name, DIALECTS) or Hint("There are {}.", listed(DIALECTS))
    raise InputError(f"{name!r} is no dialect.", field="dialect", hint=hint)
