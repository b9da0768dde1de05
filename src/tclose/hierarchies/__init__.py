"""A value's ancestors: hierarchies read from files and mappings, checked, looked up and written."""

from tclose.hierarchies.files import hierarchy_of, read_hierarchy, write_hierarchy
from tclose.hierarchies.tree import Hierarchy, UncoveredValuesError

__all__ = ["Hierarchy", "UncoveredValuesError", "hierarchy_of", "read_hierarchy", "write_hierarchy"]
