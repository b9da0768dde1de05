"""A value's ancestors: hierarchies read from files and mappings, built from values, checked, looked up and written."""

from tclose.hierarchies.building import builder_meant, built_hierarchy, is_builder
from tclose.hierarchies.dates import date_hierarchy
from tclose.hierarchies.files import hierarchy_of, named, read_hierarchy, write_hierarchy
from tclose.hierarchies.groups import flat_hierarchy, group_hierarchy, quantile_hierarchy
from tclose.hierarchies.inference import inferred_hierarchy
from tclose.hierarchies.intervals import break_hierarchy, interval_hierarchy
from tclose.hierarchies.masks import mask_hierarchy
from tclose.hierarchies.rules import check_rule, extended_hierarchy
from tclose.hierarchies.tree import Hierarchy, UncoveredValuesError

__all__ = [
    "Hierarchy",
    "UncoveredValuesError",
    "break_hierarchy",
    "builder_meant",
    "built_hierarchy",
    "check_rule",
    "date_hierarchy",
    "extended_hierarchy",
    "flat_hierarchy",
    "group_hierarchy",
    "hierarchy_of",
    "inferred_hierarchy",
    "interval_hierarchy",
    "is_builder",
    "mask_hierarchy",
    "named",
    "quantile_hierarchy",
    "read_hierarchy",
    "write_hierarchy",
]
