"""Hierarchies in files: ARX's tables (CSV) and nested trees (TOML, JSON), read and written."""

from __future__ import annotations

import csv
import io
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path

from tclose.data.file_reading import read_whole
from tclose.data.hierarchies.tree import Hierarchy, check_shape
from tclose.data.targets import committing, target_at
from tclose.errors import HierarchyError, InputError, about

# Nested mappings as hierarchies: ``{"root": {"group": ["leaf", ...]}}`` becomes one row per leaf. A branch may be
# shorter than its neighbours. The height of a leaf is 0, that of a group is one more than that of its highest
# child, and a row shows on level h the highest ancestor whose height is at most h. Short branches are thereby
# filled from below: a leaf right under a root of height 3 stands for itself on the levels 0, 1 and 2. So the first
# level that two leaves share is the height of their lowest common ancestor, which is what the hierarchical distance
# of Li et al. asks for.


MOST_LEVELS = 64
"""A nested hierarchy deeper than this is taken for a mistake."""

NodePath = tuple[str, ...]


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


def _paths(children: object, above: NodePath) -> Iterator[NodePath]:
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


def _heights(paths: list[NodePath]) -> dict[NodePath, int]:
    """Return the height of every node, a node being the path that leads to it."""
    height_of: dict[NodePath, int] = {}
    for path in paths:
        for length in range(1, len(path) + 1):
            node = path[:length]
            height_of[node] = max(height_of.get(node, 0), len(path) - length)
    return height_of


def _node_at(path: NodePath, level: int, height_of: dict[NodePath, int]) -> NodePath:
    """Return the highest node on a path whose height is at most ``level``."""
    return next(path[:length] for length in range(1, len(path) + 1) if height_of[path[:length]] <= level)


def _check_one_node_per_label(nodes: set[NodePath], level: int) -> None:
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


DELIMITERS = (";", "\t", ",")
"""What may separate the levels of a CSV file, the likelier first: ARX writes ``;``."""

ROOT = "*"
"""The root of a file that lists leaves and nothing else."""


def hierarchy_of(thing: Hierarchy | Path | str | Mapping[str, object], name: str) -> Hierarchy:
    """Return the hierarchy that a caller gave in one of its forms.

    Parameters
    ----------
    thing
        A hierarchy, the path of a hierarchy file, ``parents:FILE``, or a nested mapping.
    name
        The column it is for, named in messages.

    Raises
    ------
    HierarchyError
        When the thing is none of these, or is not a tree.

    Examples
    --------
    >>> hierarchy_of({"*": {"lung": ["flu", "pneumonia"], "colon": ["colitis"]}}, "disease")
    Hierarchy(3 leaves, height 2)
    """
    if isinstance(thing, Hierarchy):
        return thing
    with named(name):
        if isinstance(thing, Mapping):
            return Hierarchy(rows_of_tree(thing))
        if isinstance(thing, str | os.PathLike):
            from tclose.data.hierarchies.links import parents_file, parents_hierarchy

            pairs = parents_file(thing)
            return read_hierarchy(thing) if pairs is None else parents_hierarchy(pairs)
        raise HierarchyError(f"give a path, a nested mapping or a Hierarchy, not {type(thing).__name__}.")


@contextmanager
def named(column: str) -> Iterator[None]:
    """Let what is wrong with a hierarchy say which column it is for."""
    try:
        yield
    except HierarchyError as error:
        error.message, error.place = f"Hierarchy of {column!r}: {error.place}{error.message}", ""
        with about("hierarchies", column):
            raise


def read_hierarchy(path: str | os.PathLike[str]) -> Hierarchy:
    """Return the hierarchy in a file.

    Parameters
    ----------
    path
        ``*.toml`` and ``*.json`` hold a nested tree, ``{"root": {"group": ["leaf"]}}``. Any other file is a
        table without a header, as ARX writes it: one row per leaf, from the leaf to the root, separated by
        semicolons, tabs or commas, in UTF-8. A file of leaves alone gets the root ``*``.

    Raises
    ------
    HierarchyError
        When the file cannot be found or read, or does not hold a tree.
    """
    path = Path(path)
    try:
        return hierarchy_in(_text(path), path.suffix)
    except HierarchyError as error:
        raise error.of(f"{path}: ") from error


def read_pairs(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Return the pairs of a table without a header, separated by semicolons, tabs or commas."""
    lines = _split(_text(Path(path)))
    for number, row in lines:
        if len(row) != 2 or not all(label.strip() and "\0" not in label for label in row):
            raise HierarchyError(f"line {number} is no pair of a child and its parent; write both, and nothing else.")
    return [(row[0], row[1]) for _, row in lines]


def hierarchy_in(text: str, ending: str) -> Hierarchy:
    """Return the hierarchy in the text of a file that has an ending, such as ``.csv``."""
    rows_in = {".toml": _rows_in_toml, ".json": _rows_in_json}.get(ending.lower(), _rows_in_csv)
    return Hierarchy(rows_in(text))


def write_hierarchy(hierarchy: Hierarchy, path: str | os.PathLike[str]) -> None:
    """Write a hierarchy as ARX's table: one row per leaf, separated by semicolons, whole or not at all.

    Parameters
    ----------
    hierarchy
        What to write.
    path
        The file to write; it should not end in ``.toml`` or ``.json``, which are read as nested trees.
    """
    path = Path(path)
    if path.suffix.lower() in {".toml", ".json"}:
        raise HierarchyError(f"{path}: a hierarchy is written as a table; let the file end in .csv.")
    unusual = any(not label.isprintable() for row in hierarchy.rows for label in row)
    text = io.StringIO(newline="")
    writer = csv.writer(
        text, delimiter=";", lineterminator="\n", quoting=csv.QUOTE_ALL if unusual else csv.QUOTE_MINIMAL
    )
    writer.writerows(hierarchy.rows)
    try:
        content = text.getvalue().encode("utf-8")
    except UnicodeEncodeError:
        raise HierarchyError(f"{path}: a label cannot be written in UTF-8; correct it.") from None
    try:
        with committing([target_at(path)]) as (new,):
            new.write_bytes(content)
    except (OSError, InputError) as error:
        raise HierarchyError(f"{path}: the hierarchy cannot be written; {error}") from error


def _text(path: Path) -> str:
    try:
        return read_whole(path).decode("utf-8-sig")
    except FileNotFoundError:
        raise HierarchyError("there is no such file; check the path of the hierarchy.") from None
    except UnicodeDecodeError:
        raise HierarchyError("the file is not text in UTF-8; save the hierarchy as UTF-8.") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "its name is not a path"
        raise HierarchyError(f"the file cannot be read ({why}); name a file that can.") from error


def _rows_in_toml(text: str) -> tuple[tuple[str, ...], ...]:
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise HierarchyError(f"not a TOML file ({error}); correct it, or name a table *.csv.") from None
    except ValueError:
        raise HierarchyError("the TOML holds a number of thousands of digits; write labels as text.") from None
    except RecursionError:
        raise HierarchyError("the TOML is nested too deeply to be a hierarchy; make it flatter.") from None
    return rows_of_tree(tree)


def _rows_in_json(text: str) -> tuple[tuple[str, ...], ...]:
    try:
        tree = json.loads(text)
    except json.JSONDecodeError as error:
        raise HierarchyError(f"not a JSON file ({error}); correct it, or name a table *.csv.") from None
    except ValueError:
        raise HierarchyError("the JSON holds a number of thousands of digits; write labels as text.") from None
    except RecursionError:
        raise HierarchyError("the JSON is nested too deeply to be a hierarchy; make it flatter.") from None
    if not isinstance(tree, dict):
        raise HierarchyError('the JSON holds no tree; write {"root": {"group": ["leaf", "leaf"]}}.')
    return rows_of_tree(tree)


def _rows_in_csv(text: str) -> tuple[tuple[str, ...], ...]:
    lines = _split(text)
    rows = tuple(row for _, row in lines)
    check_shape(rows, [f"line {number}" for number, _ in lines])
    if len(rows[0]) == 1:
        return tuple((leaf, ROOT) for (leaf,) in rows)
    return rows


def _split(text: str) -> list[tuple[int, tuple[str, ...]]]:
    """Return the numbered rows of a table, split at the first delimiter that gives all rows one length."""
    readings = [reading for delimiter in DELIMITERS if (reading := _split_at(delimiter, text)) is not None]
    if not readings:
        raise HierarchyError("the quotation marks in the file do not match; close each, or leave them out.")
    even = [reading for reading in readings if len({len(row) for _, row in reading}) == 1]
    wide = [reading for reading in readings if any(len(row) > 1 for _, row in reading)]
    several = [reading for reading in even if len(reading[0][1]) > 1]
    return (several or wide or readings)[0]


def _split_at(delimiter: str, text: str) -> list[tuple[int, tuple[str, ...]]] | None:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        return [(reader.line_num, tuple(row)) for row in reader if row]
    except csv.Error:
        return None
