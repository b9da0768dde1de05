"""Measure, explain and enforce t-closeness and its kin on tables about people, exactly.

>>> import tclose
>>> roles = tclose.Roles(quasi=["zip", "age"], sensitive={"salary": tclose.Ordered()})
>>> tclose.audit("example:salary", roles)["salary"].t
Fraction(3, 8)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tclose._version import __version__

if TYPE_CHECKING:
    from tclose import paper
    from tclose.anonymizing import anonymize, apply, recode
    from tclose.attacking import attack
    from tclose.attacks.findings import Attack
    from tclose.auditing import audit
    from tclose.certificates import Certificate, read_certificate
    from tclose.databases import DatabaseAudit, audit_database
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
    from tclose.explaining import explain
    from tclose.explanations import Explanation, Explanations
    from tclose.frontiers import Frontier
    from tclose.hierarchies import (
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
    from tclose.models.catalogue import Requirement
    from tclose.policy import Policy, read_policies, read_policy
    from tclose.profiling import Profile, profile
    from tclose.recipes import Recipe, read_recipe
    from tclose.releases import Release, Written
    from tclose.results import Audit, Verdict
    from tclose.roles import Hierarchical, Nominal, Numeric, Ordered, Roles
    from tclose.scores import Scores
    from tclose.scoring import usefulness
    from tclose.sources import DatabaseTable, ReadOptions
    from tclose.sweeping import frontier
    from tclose.verifications import Verification
    from tclose.verifying import verify
    from tclose.warehouses import audit_sql

_HOMES = {
    "anonymize": "tclose.anonymizing",
    "apply": "tclose.anonymizing",
    "recode": "tclose.anonymizing",
    "attack": "tclose.attacking",
    "Attack": "tclose.attacks.findings",
    "audit": "tclose.auditing",
    "explain": "tclose.explaining",
    "Explanation": "tclose.explanations",
    "Explanations": "tclose.explanations",
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
    "Frontier": "tclose.frontiers",
    "Hierarchy": "tclose.hierarchies",
    "break_hierarchy": "tclose.hierarchies",
    "date_hierarchy": "tclose.hierarchies",
    "flat_hierarchy": "tclose.hierarchies",
    "group_hierarchy": "tclose.hierarchies",
    "inferred_hierarchy": "tclose.hierarchies",
    "interval_hierarchy": "tclose.hierarchies",
    "mask_hierarchy": "tclose.hierarchies",
    "quantile_hierarchy": "tclose.hierarchies",
    "read_hierarchy": "tclose.hierarchies",
    "write_hierarchy": "tclose.hierarchies",
    "Policy": "tclose.policy",
    "read_policies": "tclose.policy",
    "read_policy": "tclose.policy",
    "Profile": "tclose.profiling",
    "profile": "tclose.profiling",
    "Recipe": "tclose.recipes",
    "read_recipe": "tclose.recipes",
    "Release": "tclose.releases",
    "Requirement": "tclose.models.catalogue",
    "Written": "tclose.releases",
    "paper": "tclose.paper",
    "Audit": "tclose.results",
    "Verdict": "tclose.results",
    "Hierarchical": "tclose.roles",
    "Nominal": "tclose.roles",
    "Numeric": "tclose.roles",
    "Ordered": "tclose.roles",
    "Roles": "tclose.roles",
    "Scores": "tclose.scores",
    "usefulness": "tclose.scoring",
    "DatabaseTable": "tclose.sources",
    "ReadOptions": "tclose.sources",
    "frontier": "tclose.sweeping",
    "verify": "tclose.verifying",
    "Verification": "tclose.verifications",
    "Certificate": "tclose.certificates",
    "CertificateError": "tclose.errors",
    "read_certificate": "tclose.certificates",
    "audit_database": "tclose.databases",
    "DatabaseAudit": "tclose.databases",
    "audit_sql": "tclose.warehouses",
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
    "audit_database",
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
