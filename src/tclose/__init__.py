"""Measure, explain and enforce t-closeness and its kin on tables about people, exactly.

>>> import tclose
>>> roles = tclose.Roles(quasi=["zip", "age"], sensitive={"salary": tclose.Ordered()})
>>> tclose.audit("example:salary", roles)["salary"].t
Fraction(3, 8)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tclose.anonymization.anonymize import anonymize
    from tclose.anonymization.apply import apply
    from tclose.anonymization.certificates import Certificate, read_certificate
    from tclose.anonymization.frontier import frontier
    from tclose.anonymization.frontier_points import Frontier
    from tclose.anonymization.recipes import Recipe, read_recipe
    from tclose.anonymization.recode import recode
    from tclose.anonymization.releases import Release, Written
    from tclose.anonymization.scores import Scores
    from tclose.anonymization.usefulness import usefulness
    from tclose.anonymization.verifications import Verification
    from tclose.anonymization.verify import verify
    from tclose.attacks.attack import attack
    from tclose.attacks.findings import Attack
    from tclose.auditing.audit import audit
    from tclose.auditing.explain import explain
    from tclose.auditing.explanations import Explanation, Explanations
    from tclose.auditing.facts.database_audits import DatabaseAudit
    from tclose.auditing.results import Audit, Verdict
    from tclose.auditing.sql_audit import audit_sql
    from tclose.data.hierarchies import (
        Hierarchy,
        break_hierarchy,
        date_hierarchy,
        flat_hierarchy,
        group_hierarchy,
        inferred_hierarchy,
        interval_hierarchy,
        mask_hierarchy,
        quantile_hierarchy,
        read_hierarchy,
        write_hierarchy,
    )
    from tclose.data.sources import DatabaseTable, ReadOptions
    from tclose.errors import (
        CertificateError,
        ColumnNotFoundError,
        DomainError,
        EmptyTableError,
        EngineError,
        EngineFailedError,
        EngineNotInstalledError,
        HeadroomError,
        HierarchyError,
        InputError,
        InternalError,
        PolicyError,
        RoleConflictError,
        SeveralProblemsError,
        SourceError,
        TcloseError,
        ThresholdError,
        UndecidedColumnError,
    )
    from tclose.models import paper
    from tclose.models.catalogue import Requirement
    from tclose.policy.files import read_policies, read_policy
    from tclose.policy.policy import Policy
    from tclose.policy.profiling.profile import Profile, profile
    from tclose.policy.roles import Hierarchical, Nominal, Numeric, Ordered, Roles

_HOMES = {
    "anonymize": "tclose.anonymization.anonymize",
    "apply": "tclose.anonymization.apply",
    "recode": "tclose.anonymization.recode",
    "attack": "tclose.attacks.attack",
    "Attack": "tclose.attacks.findings",
    "audit": "tclose.auditing.audit",
    "explain": "tclose.auditing.explain",
    "Explanation": "tclose.auditing.explanations",
    "Explanations": "tclose.auditing.explanations",
    "ColumnNotFoundError": "tclose.errors",
    "DomainError": "tclose.errors",
    "EmptyTableError": "tclose.errors",
    "EngineError": "tclose.errors",
    "EngineFailedError": "tclose.errors",
    "EngineNotInstalledError": "tclose.errors",
    "HeadroomError": "tclose.errors",
    "HierarchyError": "tclose.errors",
    "InputError": "tclose.errors",
    "InternalError": "tclose.errors",
    "PolicyError": "tclose.errors",
    "RoleConflictError": "tclose.errors",
    "SeveralProblemsError": "tclose.errors",
    "SourceError": "tclose.errors",
    "TcloseError": "tclose.errors",
    "ThresholdError": "tclose.errors",
    "UndecidedColumnError": "tclose.errors",
    "Frontier": "tclose.anonymization.frontier_points",
    "Hierarchy": "tclose.data.hierarchies",
    "break_hierarchy": "tclose.data.hierarchies",
    "date_hierarchy": "tclose.data.hierarchies",
    "flat_hierarchy": "tclose.data.hierarchies",
    "group_hierarchy": "tclose.data.hierarchies",
    "inferred_hierarchy": "tclose.data.hierarchies",
    "interval_hierarchy": "tclose.data.hierarchies",
    "mask_hierarchy": "tclose.data.hierarchies",
    "quantile_hierarchy": "tclose.data.hierarchies",
    "read_hierarchy": "tclose.data.hierarchies",
    "write_hierarchy": "tclose.data.hierarchies",
    "Policy": "tclose.policy.policy",
    "read_policies": "tclose.policy.files",
    "read_policy": "tclose.policy.files",
    "Profile": "tclose.policy.profiling.profile",
    "profile": "tclose.policy.profiling.profile",
    "Recipe": "tclose.anonymization.recipes",
    "read_recipe": "tclose.anonymization.recipes",
    "Release": "tclose.anonymization.releases",
    "Requirement": "tclose.models.catalogue",
    "Written": "tclose.anonymization.releases",
    "paper": "tclose.models.paper",
    "Audit": "tclose.auditing.results",
    "Verdict": "tclose.auditing.results",
    "Hierarchical": "tclose.policy.roles",
    "Nominal": "tclose.policy.roles",
    "Numeric": "tclose.policy.roles",
    "Ordered": "tclose.policy.roles",
    "Roles": "tclose.policy.roles",
    "Scores": "tclose.anonymization.scores",
    "usefulness": "tclose.anonymization.usefulness",
    "DatabaseTable": "tclose.data.sources",
    "ReadOptions": "tclose.data.sources",
    "frontier": "tclose.anonymization.frontier",
    "verify": "tclose.anonymization.verify",
    "Verification": "tclose.anonymization.verifications",
    "Certificate": "tclose.anonymization.certificates",
    "CertificateError": "tclose.errors",
    "read_certificate": "tclose.anonymization.certificates",
    "DatabaseAudit": "tclose.auditing.facts.database_audits",
    "audit_sql": "tclose.auditing.sql_audit",
}

__all__ = [
    "Attack",
    "Audit",
    "Certificate",
    "CertificateError",
    "ColumnNotFoundError",
    "DatabaseAudit",
    "DatabaseTable",
    "DomainError",
    "EmptyTableError",
    "EngineError",
    "EngineFailedError",
    "EngineNotInstalledError",
    "Explanation",
    "Explanations",
    "Frontier",
    "HeadroomError",
    "Hierarchical",
    "Hierarchy",
    "HierarchyError",
    "InputError",
    "InternalError",
    "Nominal",
    "Numeric",
    "Ordered",
    "Policy",
    "PolicyError",
    "Profile",
    "ReadOptions",
    "Recipe",
    "Release",
    "Requirement",
    "RoleConflictError",
    "Roles",
    "Scores",
    "SeveralProblemsError",
    "SourceError",
    "TcloseError",
    "ThresholdError",
    "UndecidedColumnError",
    "Verdict",
    "Verification",
    "Written",
    "__version__",
    "anonymize",
    "apply",
    "attack",
    "audit",
    "audit_sql",
    "break_hierarchy",
    "date_hierarchy",
    "explain",
    "flat_hierarchy",
    "frontier",
    "group_hierarchy",
    "inferred_hierarchy",
    "interval_hierarchy",
    "mask_hierarchy",
    "paper",
    "profile",
    "quantile_hierarchy",
    "read_certificate",
    "read_hierarchy",
    "read_policies",
    "read_policy",
    "read_recipe",
    "recode",
    "usefulness",
    "verify",
    "write_hierarchy",
]


def __getattr__(name: str) -> Any:
    """Load a noun or verb when it is first used, so that importing tclose costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tclose' has no attribute {name!r}")
    home = importlib.import_module(_HOMES[name])
    value = getattr(home, name, home)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
