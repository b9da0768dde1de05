"""Addresses that tclose does not read, each with what to use instead."""

from __future__ import annotations

import re

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.:-]+://|[jo]dbc:", re.IGNORECASE)
_SPARK = ("hdfs", "s3a", "s3n", "abfs", "abfss", "wasb", "wasbs", "dbfs", "gs", "viewfs", "webhdfs", "adl", "oss")
_WITH_ADBC = {"snowflake": "snowflake", "bigquery": "bigquery", "mssql": "mssql", "databricks": "databricks"}
_OTHERS = ("mysql", "mariadb", "oracle", "redshift", "trino", "presto", "clickhouse", "hive", "db2", "jdbc", "odbc")
_DOWNLOAD = "Download it and give the path of the copy."
_FRAME = "Read what you need with your own driver, and give the data frame or Arrow table to tclose.audit in Python."


def unread_scheme(text: str) -> str | None:
    """Return the scheme of an address that is no path; None for a path. What follows it may hold a password.

    Examples
    --------
    >>> unread_scheme("s3://bucket/a.csv"), unread_scheme("jdbc:oracle:thin:ann/x@//host/y"), unread_scheme("a.csv")
    ('s3', 'jdbc', None)
    """
    found = _ADDRESS.match(text)
    return None if found is None else found[0].removesuffix("//").removesuffix(":")


def advice_for(scheme: str) -> str:
    """Return what to do with an address of a scheme that is not read.

    Examples
    --------
    >>> advice_for("hdfs")
    'Spark reads it: --engine spark.'
    >>> advice_for("postgresql+psycopg2")
    'Write postgresql:// instead, without the name of a driver.'
    """
    scheme = scheme.lower()
    base = scheme.partition(":")[0].partition("+")[0]
    if scheme in _SPARK:
        return "Spark reads it: --engine spark."
    if base in ("s3", "gcs", "azure", "az"):
        return f"Spark reads it, under its own scheme (s3a://, gs://, abfss://): --engine spark. {_DOWNLOAD}"
    if base in ("postgresql", "postgres") or scheme == "jdbc:postgresql":
        return "Write postgresql:// instead, without the name of a driver."
    if base == "sqlite":
        return "Write sqlite:PATH instead."
    if base == "duckdb":
        return "Write adbc:duckdb:PATH#TABLE instead."
    if base in _WITH_ADBC:
        return f"With its ADBC driver installed: adbc:{_WITH_ADBC[base]}:URI --table NAME. {_FRAME}"
    if base in _OTHERS:
        return f"There is no driver of it here. {_FRAME}"
    return _DOWNLOAD
