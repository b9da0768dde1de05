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
    from tclose.anonymizing import anonymize, apply
    from tclose.auditing import audit
    from tclose.distances.paper import (
        hierarchical_distance,
        naive_ordered_distance,
        numeric_distance,
        one_pass_ordered_distance,
        ordered_distance_of_values,
        t_closeness_of_values,
        variational_distance,
        variational_distance_of_values,
    )
    from tclose.errors import EngineError, InputError, InternalError, TcloseError
    from tclose.explaining import explain
    from tclose.explanations import Explanation, Explanations
    from tclose.frontiers import Frontier
    from tclose.hierarchies import Hierarchy, read_hierarchy, write_hierarchy
    from tclose.policy import Policy, read_policy
    from tclose.profiling import Profile, profile
    from tclose.recipes import Recipe, read_recipe
    from tclose.releases import Release
    from tclose.results import Audit, Verdict
    from tclose.roles import Hierarchical, Nominal, Numeric, Ordered, Roles
    from tclose.sources import DatabaseTable, ReadOptions
    from tclose.sweeping import frontier

_HOMES = {
    "anonymize": "tclose.anonymizing",
    "apply": "tclose.anonymizing",
    "audit": "tclose.auditing",
    "hierarchical_distance": "tclose.distances.paper",
    "naive_ordered_distance": "tclose.distances.paper",
    "numeric_distance": "tclose.distances.paper",
    "one_pass_ordered_distance": "tclose.distances.paper",
    "ordered_distance_of_values": "tclose.distances.paper",
    "t_closeness_of_values": "tclose.distances.paper",
    "variational_distance": "tclose.distances.paper",
    "variational_distance_of_values": "tclose.distances.paper",
    "explain": "tclose.explaining",
    "Explanation": "tclose.explanations",
    "Explanations": "tclose.explanations",
    "EngineError": "tclose.errors",
    "InputError": "tclose.errors",
    "InternalError": "tclose.errors",
    "TcloseError": "tclose.errors",
    "Frontier": "tclose.frontiers",
    "Hierarchy": "tclose.hierarchies",
    "read_hierarchy": "tclose.hierarchies",
    "write_hierarchy": "tclose.hierarchies",
    "Policy": "tclose.policy",
    "read_policy": "tclose.policy",
    "Profile": "tclose.profiling",
    "profile": "tclose.profiling",
    "Recipe": "tclose.recipes",
    "read_recipe": "tclose.recipes",
    "Release": "tclose.releases",
    "Audit": "tclose.results",
    "Verdict": "tclose.results",
    "Hierarchical": "tclose.roles",
    "Nominal": "tclose.roles",
    "Numeric": "tclose.roles",
    "Ordered": "tclose.roles",
    "Roles": "tclose.roles",
    "DatabaseTable": "tclose.sources",
    "ReadOptions": "tclose.sources",
    "frontier": "tclose.sweeping",
}

__all__ = [
    "Audit",
    "DatabaseTable",
    "EngineError",
    "Explanation",
    "Explanations",
    "Frontier",
    "Hierarchical",
    "Hierarchy",
    "InputError",
    "InternalError",
    "Nominal",
    "Numeric",
    "Ordered",
    "Policy",
    "Profile",
    "ReadOptions",
    "Recipe",
    "Release",
    "Roles",
    "TcloseError",
    "Verdict",
    "__version__",
    "anonymize",
    "apply",
    "audit",
    "explain",
    "frontier",
    "hierarchical_distance",
    "naive_ordered_distance",
    "numeric_distance",
    "one_pass_ordered_distance",
    "ordered_distance_of_values",
    "profile",
    "read_hierarchy",
    "read_policy",
    "read_recipe",
    "t_closeness_of_values",
    "variational_distance",
    "variational_distance_of_values",
    "write_hierarchy",
]


def __getattr__(name: str) -> Any:
    """Load a noun or verb when it is first used, so that importing tclose costs next to nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'tclose' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
