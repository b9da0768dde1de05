"""Hierarchies that are there already: in columns of a table, one for each level, or as pairs of child and parent."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tclose.data.hierarchies.files import ROOT, read_pairs, rows_of_tree
from tclose.data.hierarchies.tree import Hierarchy
from tclose.errors import HierarchyError, Hint

COLUMNS, PARENTS = "columns", "parents"
"""The words before the colon."""


def level_columns(given: object) -> tuple[str, ...]:
    """Return the columns that hold the levels of a hierarchy, the values first; none where it is something else.

    Examples
    --------
    >>> level_columns("columns: city, county,country"), level_columns("city.csv")
    (('city', 'county', 'country'), ())
    """
    if not isinstance(given, str):
        return ()
    word, colon, rest = given.partition(":")
    if word.strip() != COLUMNS or not colon:
        return ()
    return tuple(name.strip() for name in rest.split(","))


def parents_file(given: object) -> str | None:
    """Return the file of pairs that ``parents:FILE`` names; None for anything else.

    Examples
    --------
    >>> parents_file("parents:concepts.csv"), parents_file("concepts.csv")
    ('concepts.csv', None)
    """
    if not isinstance(given, str):
        return None
    word, colon, rest = given.partition(":")
    return rest.strip() if word.strip() == PARENTS and colon else None


def hierarchy_path(given: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """Return the file in which a hierarchy is that is named by a path or by ``parents:FILE``."""
    named = parents_file(given)
    return given if named is None else named


def placed_hierarchy(given: str, folder: Path) -> str:
    """Return what names the file of a hierarchy, where it is seen from a folder."""
    named = parents_file(given)
    return str(folder / given) if named is None else f"{PARENTS}:{folder / named}"


def columns_hierarchy(names: Sequence[str], rows: Iterable[Sequence[str | None]]) -> Hierarchy:
    """Return the hierarchy whose levels are columns of a table.

    Parameters
    ----------
    names
        The columns, the one of the values first, for messages.
    rows
        The different combinations of their values as text; None is missing. Those without a first value are left out.

    Raises
    ------
    HierarchyError
        When a value has two parents, or none.

    Examples
    --------
    >>> columns_hierarchy(["city", "country"], [("Bern", "CH"), ("Basel", "CH"), ("Lyon", "FR")]).rows
    (('Bern', 'CH', '*'), ('Basel', 'CH', '*'), ('Lyon', 'FR', '*'))
    """
    found: list[tuple[Any, ...]] = [row for row in dict.fromkeys(map(tuple, rows)) if row[0] is not None]
    if not found:
        raise HierarchyError(f"the column {names[0]!r} has no values.")
    for level in range(1, len(names)):
        below, above = names[level - 1], names[level]
        parents: dict[str | None, str | None] = {}
        for row in found:
            label, parent = row[level - 1], row[level]
            if parent is None or not parent.strip():
                raise HierarchyError(f"a value of {below!r} has no {above!r}; fill it in, or leave that level out.")
            if parents.setdefault(label, parent) != parent:
                several = _torn((each[level - 1], each[level]) for each in found)
                raise HierarchyError(
                    f"{several} value{'s' * (several > 1)} of {below!r} {'have' if several > 1 else 'has'} two or more "
                    f"{above!r}; a value has one parent.",
                    hint=Hint("Correct the rows, or leave that level out."),
                )
    one_root = len({row[-1] for row in found}) == 1 and len(names) > 1
    return Hierarchy(tuple((*row, ROOT) if not one_root else row for row in found))


def _torn(links: Iterable[tuple[object, object]]) -> int:
    """Return how many children have several parents."""
    parents: dict[object, set[object]] = {}
    for child, parent in links:
        parents.setdefault(child, set()).add(parent)
    return sum(len(each) > 1 for each in parents.values())


def parents_hierarchy(path: str | os.PathLike[str]) -> Hierarchy:
    """Return the hierarchy in a file of pairs: a child, and its parent.

    Branches may be of different lengths; several nodes without a parent get the root ``*``.

    Raises
    ------
    HierarchyError
        When the file cannot be read, a line is no pair, a child has two parents, or a node is above itself.
    """
    try:
        return hierarchy_of_parents(read_pairs(path))
    except HierarchyError as error:
        raise error.of(f"{path}: ") from error


def hierarchy_of_parents(pairs: Iterable[tuple[str, str]]) -> Hierarchy:
    """Return the hierarchy that pairs of child and parent make.

    Examples
    --------
    >>> for row in hierarchy_of_parents([("flu", "lung"), ("cold", "lung"), ("lung", "organ")]).rows:
    ...     print(" < ".join(row))
    flu < lung < organ
    cold < lung < organ
    """
    links = list(dict.fromkeys(pairs))
    if not links:
        raise HierarchyError("there are no pairs; give one for each child, with its parent.")
    torn = _torn(links)
    if torn:
        raise HierarchyError(f"{torn} child{'ren have' if torn > 1 else ' has'} two or more parents; give each one.")
    parent_of = dict(links)
    _check_cycles(parent_of)
    children: dict[str, list[str]] = {}
    for child, parent in links:
        children.setdefault(parent, []).append(child)
    roots = [name for name in children if name not in parent_of]
    if len(roots) > 1 and (ROOT in children or ROOT in parent_of):
        raise HierarchyError(f"{ROOT!r} is a label, and there are {len(roots)} nodes without a parent.")
    above = {ROOT: roots} if len(roots) > 1 else {}
    top = ROOT if above else roots[0]
    return Hierarchy(rows_of_tree({top: _below(top, {**children, **above})}))


def _below(top: str, children: Mapping[str, Sequence[str]]) -> dict[str, object]:
    """Return what stands under a node as nested mappings, however deep."""
    found: dict[str, object] = {}
    waiting = [(top, found)]
    while waiting:
        name, place = waiting.pop()
        for child in children.get(name, ()):
            below: dict[str, object] = {}
            place[child] = below
            waiting.append((child, below))
    return found


def _check_cycles(parent_of: Mapping[str, str]) -> None:
    """Refuse a node that is above itself."""
    settled: set[str] = set()
    for start in parent_of:
        seen: set[str] = set()
        name = start
        while name in parent_of and name not in settled:
            if name in seen:
                raise HierarchyError("a child is above its own parent: the pairs make a circle.")
            seen.add(name)
            name = parent_of[name]
        settled |= seen
