"""BigQuery, as far as its names go: they stand in backticks, behind a backslash where they hold one."""

from __future__ import annotations

from tclose.engines.database.dialect import Dialect


class BigQuery(Dialect):
    """What BigQuery has of its own."""

    def escaped(self, name: str) -> str:
        r"""Return a name as it stands between its quotes.

        Examples
        --------
        >>> print(DIALECT.identifier("a`b"))
        `a\`b`
        """
        return name.replace("\\", "\\\\").replace("`", "\\`")


DIALECT = BigQuery("bigquery", quote="`")
