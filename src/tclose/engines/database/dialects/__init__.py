"""One module for each database with something of its own, its ``DIALECT``; others are known by their drivers alone."""

from __future__ import annotations

import importlib
import pkgutil

from tclose.engines.database.dialect import Dialect

_BACKTICKS = ("databricks", "mysql", "spark")
"""Drivers of databases whose names stand in backticks, and of which nothing else is known here."""


def dialect_of(driver: str) -> Dialect:
    """Return the dialect of a database by the name of its driver.

    Examples
    --------
    >>> dialect_of("sqlite").by_bytes, dialect_of("snowflake").by_bytes, dialect_of("mysql").identifier("a`b")
    (True, False, '`a``b`')
    """
    if driver not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return Dialect(driver, "`" if driver in _BACKTICKS else '"')
    found: Dialect = importlib.import_module(f"{__name__}.{driver}").DIALECT
    return found
