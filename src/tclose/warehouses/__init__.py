"""Audits as one SQL statement, for a warehouse that no driver of ours reaches."""

from tclose.warehouses.dbt import PEOPLE_UNTESTED, dbt_tests
from tclose.warehouses.dialects import DIALECTS
from tclose.warehouses.statements import audit_sql

__all__ = ["DIALECTS", "PEOPLE_UNTESTED", "audit_sql", "dbt_tests"]
