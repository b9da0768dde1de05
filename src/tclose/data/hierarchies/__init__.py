"""A value's ancestors: hierarchies read from files and mappings, built from values, checked, looked up and written."""

from tclose.data.hierarchies.building import builder_meant, built_hierarchy, is_builder
from tclose.data.hierarchies.codes import icd10_hierarchy, is_icd10, mask_hierarchy, prefix_hierarchy
from tclose.data.hierarchies.dates import date_hierarchy
from tclose.data.hierarchies.files import (
    ROOT,
    hierarchy_in,
    hierarchy_of,
    named,
    read_hierarchy,
    tree_of_rows,
    write_hierarchy,
)
from tclose.data.hierarchies.groups import Bands, flat_hierarchy, group_hierarchy, quantile_hierarchy
from tclose.data.hierarchies.inference import inferred_hierarchy
from tclose.data.hierarchies.links import (
    columns_hierarchy,
    hierarchy_of_parents,
    hierarchy_path,
    level_columns,
    parents_file,
    parents_hierarchy,
    placed_hierarchy,
)
from tclose.data.hierarchies.numbers import (
    bottom_hierarchy,
    break_hierarchy,
    interval_hierarchy,
    round_hierarchy,
    top_hierarchy,
)
from tclose.data.hierarchies.rules import check_rule, extended_hierarchy
from tclose.data.hierarchies.tree import Hierarchy, UncoveredValuesError

__all__ = [
    "ROOT",
    "Bands",
    "Hierarchy",
    "UncoveredValuesError",
    "bottom_hierarchy",
    "break_hierarchy",
    "builder_meant",
    "built_hierarchy",
    "check_rule",
    "columns_hierarchy",
    "date_hierarchy",
    "extended_hierarchy",
    "flat_hierarchy",
    "group_hierarchy",
    "hierarchy_in",
    "hierarchy_of",
    "hierarchy_of_parents",
    "hierarchy_path",
    "icd10_hierarchy",
    "inferred_hierarchy",
    "interval_hierarchy",
    "is_builder",
    "is_icd10",
    "level_columns",
    "mask_hierarchy",
    "named",
    "parents_file",
    "parents_hierarchy",
    "placed_hierarchy",
    "prefix_hierarchy",
    "quantile_hierarchy",
    "read_hierarchy",
    "round_hierarchy",
    "top_hierarchy",
    "tree_of_rows",
    "write_hierarchy",
]
