"""Hierarchies that a page brings as files: matched with columns by their names, and held as trees of the policy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from tclose.errors import HierarchyError, InputError
from tclose.hierarchies import hierarchy_in, tree_of_rows
from tclose.web.responses import failure

MOST_FILES = 200


def taken_in(files: object, columns: object) -> dict[str, Any]:
    """Return the trees in some files by the columns that they are for, and what is wrong with the others.

    Parameters
    ----------
    files
        A list of names and texts.
    columns
        The names of the columns.
    """
    if not (isinstance(columns, list) and all(isinstance(name, str) for name in columns)):
        raise InputError("The columns to match are a list of names.")
    if not (isinstance(files, list) and len(files) <= MOST_FILES and all(isinstance(each, dict) for each in files)):
        raise InputError(f"Hierarchies come as a list of at most {MOST_FILES} files, each with a name and a text.")
    trees: dict[str, Any] = {}
    problems = []
    for each in files:
        name, text = each.get("name"), each.get("text")
        if not isinstance(name, str) or not isinstance(text, str):
            raise InputError("A hierarchy file has a name and a text.")
        shown = re.split(r"[/\\]", name)[-1]
        column = column_for(shown, columns)
        try:
            if column is None:
                raise HierarchyError("no column is named so; rename the file after its column.")
            if column in trees:
                raise HierarchyError(f"another file is for {column!r} already.")
            trees[column] = tree_of_rows(hierarchy_in(text.removeprefix("\ufeff"), PurePath(shown).suffix).rows)
        except HierarchyError as problem:
            problems.append({"file": shown, **failure(problem)})
    return {"trees": trees, "problems": problems}


def column_for(file: str, columns: Sequence[str]) -> str | None:
    """Return the column that a file is named after: by all of its name, or by the end of it, the longest first.

    Examples
    --------
    >>> column_for("adult_hierarchy_marital-status.csv", ["status", "marital-status"]), column_for("x.csv", ["age"])
    ('marital-status', None)
    """
    stem = _plain(PurePath(file).stem)
    fitting = [name for name in columns if _plain(name) and (stem == _plain(name) or stem.endswith(" " + _plain(name)))]
    return max(fitting, key=len, default=None)


def _plain(name: str) -> str:
    return " ".join(re.findall(r"\w+", name.replace("_", " ").casefold()))
