"""How names and texts are written into the SQL of a database."""

from __future__ import annotations

from tclose.engines.duckdb.sql import literal, quoted
from tclose.errors import SourceError
from tclose.sources import DatabaseTable

__all__ = ["identifier", "literal", "relation"]

_BACKTICKS = ("bigquery", "mysql", "databricks", "spark")


def identifier(name: str, driver: str) -> str:
    r"""Return a name as an identifier in the dialect of a database.

    Examples
    --------
    >>> print(identifier('a "zip" code', "postgresql"), identifier("select", "sqlite"), identifier("a`b", "bigquery"))
    "a ""zip"" code" "select" `a\`b`
    """
    if "\0" in name:
        raise SourceError("A name in a database cannot hold the character NUL.")
    if driver in _BACKTICKS:
        escaped = name.replace("\\", "\\\\").replace("`", "\\`") if driver == "bigquery" else name.replace("`", "``")
        return f"`{escaped}`"
    return quoted(name)


def relation(source: DatabaseTable) -> str:
    """Return what stands after FROM for a table or a query."""
    if source.query is not None:
        query = source.query.strip().rstrip(";")
        return f"(\n{query}\n) AS tclose_source"
    return ".".join(identifier(part, source.driver) for part in source.parts)
