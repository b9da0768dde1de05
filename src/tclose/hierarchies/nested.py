"""Nested mappings as hierarchies: ``{"root": {"group": ["leaf", ...]}}`` becomes one row per leaf.

A branch may be shorter than its neighbours. The height of a leaf is 0, that of a group is one more than
that of its highest child, and a row shows on level h the highest ancestor whose height is at most h.
Short branches are thereby filled from below: a leaf right under a root of height 3 stands for itself on
the levels 0, 1 and 2. So the first level that two leaves share is the height of their lowest common
ancestor, which is what the hierarchical distance of Li et al. asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral

from tclose.errors import HierarchyError

MOST_LEVELS = 64
"""A nested hierarchy deeper than this is taken for a mistake."""

Path = tuple[str, ...]


def rows_of_tree(tree: Mapping[str, object]) -> tuple[tuple[str, ...], ...]:
    """Return the rows, from leaf to root, of a nested mapping.

    Parameters
    ----------
    tree
        A mapping with one key, the root. Under a label stand its children: a mapping, a list of leaves
        and mappings, or one leaf. A label with nothing under it (``[]``, ``{}``, None) is a leaf.
        Whole numbers count as their digits.

    Raises
    ------
    HierarchyError
        When there is no single root, a label is no text, a label on a level means two different nodes,
        or the nesting is deeper than 64 levels.

    Examples
    --------
    >>> for row in rows_of_tree({"any": {"lung": {"infection": ["flu", "bronchitis"]}, "none": []}}):
    ...     print(" < ".join(row))
    flu < infection < lung < any
    bronchitis < infection < lung < any
    none < none < none < any
    """
    if len(tree) != 1:
        raise HierarchyError(
            f"A nested hierarchy starts with one root, not with {len(tree)} labels; "
            'put everything under one root, as in {"*": {...}}.'
        )
    paths = list(dict.fromkeys(_paths(tree, ())))
    height_of = _heights(paths)
    if any(height_of[path] for path in paths):
        raise HierarchyError(
            "A label of the nested hierarchy is a leaf and a group in the same place; rename one of them."
        )
    top = height_of[paths[0][:1]]
    nodes = [[_node_at(path, level, height_of) for level in range(top + 1)] for path in paths]
    for level, on_level in enumerate(zip(*nodes, strict=True)):
        _check_one_node_per_label(set(on_level), level)
    return tuple(tuple(node[-1] for node in row) for row in nodes)


def _paths(children: object, above: Path) -> Iterator[Path]:
    """Yield the labels from the root to each leaf under ``children``."""
    if len(above) > MOST_LEVELS:
        raise HierarchyError(
            f"The nested hierarchy has more than {MOST_LEVELS} levels; make it flatter, "
            "and check that no mapping contains itself."
        )
    if children is None or (isinstance(children, Mapping | list | tuple) and not children):
        yield above
    elif isinstance(children, Mapping):
        for label, below in children.items():
            yield from _paths(below, (*above, _label(label)))
    elif isinstance(children, list | tuple):
        for child in children:
            yield from _paths(child, above) if isinstance(child, Mapping) else [(*above, _label(child))]
    else:
        yield (*above, _label(children))


def _label(thing: object) -> str:
    if isinstance(thing, str):
        return thing
    if isinstance(thing, Integral) and not isinstance(thing, bool):
        return str(int(thing))
    raise HierarchyError(
        f"A nested hierarchy holds texts and whole numbers, not {type(thing).__name__}; write labels as text."
    )


def _heights(paths: list[Path]) -> dict[Path, int]:
    """Return the height of every node, a node being the path that leads to it."""
    height_of: dict[Path, int] = {}
    for path in paths:
        for length in range(1, len(path) + 1):
            node = path[:length]
            height_of[node] = max(height_of.get(node, 0), len(path) - length)
    return height_of


def _node_at(path: Path, level: int, height_of: dict[Path, int]) -> Path:
    """Return the highest node on a path whose height is at most ``level``."""
    return next(path[:length] for length in range(1, len(path) + 1) if height_of[path[:length]] <= level)


def _check_one_node_per_label(nodes: set[Path], level: int) -> None:
    shared = len(nodes) - len({node[-1] for node in nodes})
    if shared:
        raise HierarchyError(
            f"On level {level} of the nested hierarchy, {shared} labels are used again in another branch; "
            "give every leaf and every group a name of its own."
        )


def tree_of_rows(rows: Iterable[Sequence[str]]) -> dict[str, object]:
    """Return rows, from leaf to root, as a nested mapping of which :func:`rows_of_tree` makes them again.

    Examples
    --------
    >>> tree_of_rows([("flu", "lung", "*"), ("colitis", "colon", "*"), ("asthma", "lung", "*")])
    {'*': {'lung': ['flu', 'asthma'], 'colon': ['colitis']}}
    """
    root: dict[str, dict[str, object]] = {}
    for leaf, *groups in rows:
        below: dict[str, object] = root  # type: ignore[assignment]
        for label in reversed(groups):
            below = below.setdefault(label, {})  # type: ignore[assignment]
        below[leaf] = {}
    return {label: _children(below) for label, below in root.items()}


def _children(below: Mapping[str, object]) -> object:
    if not any(below.values()):
        return list(below)
    return {label: _children(under) for label, under in below.items() if isinstance(under, Mapping)}
