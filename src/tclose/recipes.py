"""The recipe of a release: which rows made a class and what it publishes, so that it can be made again.

A recipe holds values of the original table: it belongs with the original, not with the release.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tclose.counts import Integers, Ranks
from tclose.engines.interface import Recoding
from tclose.errors import InputError
from tclose.hierarchies import Hierarchy, check_rule
from tclose.models.catalogue import Requirement, requirements, short
from tclose.policy import declared_distance
from tclose.roles import Distance, Hierarchical, Ordered, Roles

FORMAT = 1


@dataclass(frozen=True)
class Cell:
    """What a class publishes of a quasi-identifier: a node of its hierarchy, or an interval of its values."""

    label: str | None
    """What is written; None stands for a missing value."""
    level: int | None = None
    """The level of the node; None for an interval."""
    low: str | None = None
    high: str | None = None


@dataclass(frozen=True)
class RecodedColumn:
    """How one quasi-identifier is recoded."""

    name: str
    values: tuple[str | None, ...] = field(repr=False)
    """The values of the original, as texts; None is a missing value."""
    cells: tuple[Cell, ...] = field(repr=False)
    """The cells that occur."""
    hierarchy: Hierarchy
    native: bool
    """Whether only single values are published, in the type of the original."""

    @cached_property
    def known(self) -> frozenset[str | None]:
        """The values, to look one up."""
        return frozenset(self.values)

    @cached_property
    def labels(self) -> tuple[frozenset[str], ...]:
        """The labels of each level of the hierarchy."""
        return tuple(frozenset(labels) for labels in zip(*self.hierarchy.rows, strict=True))


@dataclass(frozen=True)
class Recipe:
    """How a release was made.

    Where ``counts`` is None the quasi-identifiers alone decide what becomes of a row, so that the recipe also
    applies to new rows. Otherwise rows with the same quasi-identifiers were divided by their sensitive values, and the
    recipe repeats the release of the table that it was made from, and of no other.
    """

    method: str
    roles: Roles
    requirements: tuple[Requirement, ...]
    published: tuple[str, ...]
    """The columns of the release, in their order."""
    columns: tuple[RecodedColumn, ...] = field(repr=False)
    sensitive: Mapping[str, tuple[str | None, ...]] = field(repr=False)
    """The values of the sensitive columns, where they helped to decide."""
    codes: Ranks = field(repr=False)
    """Pieces × key columns: the quasi-identifiers, then the sensitive columns."""
    classes: Integers = field(repr=False)
    counts: Integers | None = field(repr=False)
    cells: Ranks = field(repr=False)
    """Classes × quasi-identifiers: the cell that each class publishes."""
    levels: Mapping[str, int] | None
    seed: int
    own: bool
    """Whether the release also meets the requirements against its own distribution."""

    @property
    def applies_to_new_rows(self) -> bool:
        """Whether the quasi-identifiers alone decide what becomes of a row."""
        return self.counts is None

    def recoding(self) -> Recoding:
        """Return what the engine does with the rows of the original."""
        quasi = tuple(column.name for column in self.columns)
        return Recoding(
            columns=self.published,
            keys=(*quasi, *self.sensitive),
            values=(*(column.values for column in self.columns), *self.sensitive.values()),
            codes=self.codes,
            classes=self.classes,
            counts=self.counts,
            quasi=quasi,
            labels=tuple([cell.label for cell in column.cells] for column in self.columns),
            cells=self.cells,
            native=tuple(column.native for column in self.columns),
            seed=self.seed,
        )

    def to_json(self) -> str:
        """Return the recipe as JSON text."""
        data = _recipe_data(self)
        return _compact({**data, "sha256": _checksum(data)})


def read_recipe(path: str | Path) -> Recipe:
    """Return the recipe in a file.

    Raises
    ------
    InputError
        If the file cannot be read, or is not a recipe of this version of tclose.
    """
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"There is no recipe {str(path)!r}; 'tclose anonymize' writes one beside a release.") from None
    except OSError as problem:
        raise InputError(f"The recipe {str(path)!r} cannot be read: {problem.strerror}.") from None
    except (ValueError, RecursionError):
        raise InputError(f"{str(path)!r} is not a recipe: it is not JSON.") from None
    if not isinstance(data, dict) or data.get("kind") != "recipe" or data.get("format") != FORMAT:
        raise InputError(f"{str(path)!r} is not a recipe that this version of tclose understands.")
    stated = data.pop("sha256", None)
    if stated != _checksum(data):
        raise InputError(f"The recipe {str(path)!r} is damaged or was edited; make the release again.")
    try:
        return _recipe(data)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        raise InputError(f"The recipe {str(path)!r} is damaged; make the release again.") from None


def _compact(data: object) -> str:
    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


def _checksum(data: object) -> str:
    """Return a checksum, so that a damaged recipe does not make another release."""
    try:
        return hashlib.sha256(_compact(data).encode()).hexdigest()
    except (TypeError, ValueError, RecursionError):
        return ""


def _recipe_data(recipe: Recipe) -> dict[str, Any]:
    return {
        "kind": "recipe",
        "format": FORMAT,
        "method": recipe.method,
        "applies_to_new_rows": recipe.applies_to_new_rows,
        "roles": {
            "quasi": list(recipe.roles.quasi),
            "sensitive": {name: _distance_data(distance) for name, distance in recipe.roles.sensitive.items()},
            "identifiers": list(recipe.roles.identifiers),
            "together": recipe.roles.together,
        },
        "requirements": [_requirement_data(requirement) for requirement in recipe.requirements],
        "published": list(recipe.published),
        "levels": None if recipe.levels is None else dict(recipe.levels),
        "seed": recipe.seed,
        "own": recipe.own,
        "columns": [
            {
                "name": column.name,
                "native": column.native,
                "values": list(column.values),
                "cells": [[cell.label, cell.level, cell.low, cell.high] for cell in column.cells],
                "hierarchy": [list(row) for row in column.hierarchy.rows],
                "rule": column.hierarchy.rule,
            }
            for column in recipe.columns
        ],
        "sensitive": {name: list(values) for name, values in recipe.sensitive.items()},
        "pieces": {
            "codes": recipe.codes.T.tolist(),
            "classes": recipe.classes.tolist(),
            "counts": None if recipe.counts is None else recipe.counts.tolist(),
        },
        "classes": recipe.cells.T.tolist(),
    }


def _recipe(data: Mapping[str, Any]) -> Recipe:
    roles = data["roles"]
    pieces = data["pieces"]
    columns = tuple(_column(column) for column in data["columns"])
    recipe = Recipe(
        method=_text(data["method"]),
        roles=Roles(
            quasi=_texts(roles["quasi"]),
            sensitive={name: _distance(name, given) for name, given in roles["sensitive"].items()},
            identifiers=_texts(roles["identifiers"]),
            together=roles["together"],
        ),
        requirements=tuple(_requirement(given) for given in data["requirements"]),
        published=_texts(data["published"]),
        columns=columns,
        sensitive={name: _cells(values) for name, values in data["sensitive"].items()},
        codes=_matrix(pieces["codes"], len(columns) + len(data["sensitive"])),
        classes=_integers(pieces["classes"]),
        counts=None if pieces["counts"] is None else _integers(pieces["counts"]),
        cells=_matrix(data["classes"], len(columns)),
        levels=None if data["levels"] is None else {name: _whole(level) for name, level in data["levels"].items()},
        seed=_whole(data["seed"]),
        own=bool(data["own"]),
    )
    if not (_names_fit(recipe) and _pieces_fit(recipe)):
        raise ValueError("parts of a recipe that do not fit together")
    return recipe


def _column(data: Mapping[str, Any]) -> RecodedColumn:
    return RecodedColumn(
        name=_text(data["name"]),
        values=_cells(data["values"]),
        cells=tuple(_cell(cell) for cell in _listed(data["cells"])),
        hierarchy=Hierarchy(tuple(_texts(row) for row in data["hierarchy"]), _rule(data.get("rule"))),
        native=bool(data["native"]),
    )


def _rule(given: object) -> str | None:
    """Return the rule of a hierarchy, checked; recipes of earlier versions have none."""
    if given is None:
        return None
    check_rule(_text(given))
    return _text(given)


def _cell(data: Any) -> Cell:
    label, level, low, high = _listed(data)
    label, low, high = _cells([label, low, high])
    return Cell(label, None if level is None else _whole(level), low, high)


def _text(given: object) -> str:
    if not isinstance(given, str):
        raise TypeError("no text")
    return given


def _texts(given: Sequence[object]) -> tuple[str, ...]:
    return tuple(_text(each) for each in _listed(given))


def _cells(given: Sequence[object]) -> tuple[str | None, ...]:
    return tuple(None if each is None else _text(each) for each in _listed(given))


def _listed(given: Sequence[object]) -> Sequence[object]:
    if not isinstance(given, list):
        raise TypeError("no list")
    return given


def _whole(given: object) -> int:
    if not isinstance(given, int) or isinstance(given, bool) or not 0 <= given < 2**63:
        raise ValueError("no whole number of the right size")
    return given


def _integers(given: Sequence[object]) -> Integers:
    found = np.array(_listed(given))
    if found.size and found.dtype.kind != "i":
        raise ValueError("no whole numbers")
    return found.astype(np.int64)


def _matrix(columns: Sequence[Sequence[int]], width: int) -> Ranks:
    matrix = _integers(columns).reshape(width, -1)
    if matrix.size and max(abs(int(matrix.min())), int(matrix.max())) >= 2**31:
        raise ValueError("numbers that are too large")
    return np.ascontiguousarray(matrix.T, dtype=np.int32)


def _names_fit(recipe: Recipe) -> bool:
    """Say whether the parts of a recipe speak of the same columns."""
    roles, published, names = recipe.roles, recipe.published, tuple(column.name for column in recipe.columns)
    attributes = {requirement.attribute for requirement in recipe.requirements} - {None}
    heights = {column.name: column.hierarchy.height for column in recipe.columns}
    levels = heights if recipe.levels is None else recipe.levels
    return (
        len(names) > 0
        and names == roles.quasi
        and attributes <= {*roles.sensitive}
        and len({*published}) == len(published)
        and {*names, *roles.sensitive} <= {*published}
        and not {*roles.identifiers} & {*published}
        and tuple(recipe.sensitive) == (() if recipe.counts is None else tuple(roles.sensitive))
        and levels.keys() == heights.keys()
        and all(level <= heights[name] for name, level in levels.items())
        and all(_cell_fits(column, cell) for column in recipe.columns for cell in column.cells)
    )


def _cell_fits(column: RecodedColumn, cell: Cell) -> bool:
    """Say whether a cell is one of its column's hierarchy, or an interval of its values."""
    if column.native and (cell.level != 0 or cell.label not in column.known):
        return False
    if cell.level is None:
        return None not in (cell.label, cell.low, cell.high) and {cell.low, cell.high} <= column.known
    return cell.level < len(column.labels) and (cell.label is None or cell.label in column.labels[cell.level])


def _pieces_fit(recipe: Recipe) -> bool:
    """Say whether every position points somewhere, and every combination of values to one class or its counts."""
    spans = [len(column.values) for column in recipe.columns] + [len(values) for values in recipe.sensitive.values()]
    counts = np.zeros_like(recipe.classes) if recipe.counts is None else recipe.counts
    inside = (recipe.codes >= 0) & (recipe.codes < np.array(spans, dtype=np.int64))
    published = (recipe.cells >= 0) & (recipe.cells < np.array([len(column.cells) for column in recipe.columns]))
    classes = (recipe.classes >= -1) & (recipe.classes < len(recipe.cells))
    return bool(
        len(recipe.codes) == len(recipe.classes) == len(counts)
        and inside.all()
        and published.all()
        and classes.all()
        and (counts >= 0).all()
        and (recipe.counts is not None or len(np.unique(recipe.codes, axis=0)) == len(recipe.codes))
    )


def _distance_data(distance: Distance | None) -> dict[str, Any] | None:
    if distance is None:
        return None
    data: dict[str, Any] = {"distance": distance.word, "nulls": distance.nulls}
    if isinstance(distance, Ordered):
        data["order"] = distance.order if isinstance(distance.order, str) else [str(value) for value in distance.order]
    if isinstance(distance, Hierarchical):
        from tclose.hierarchies import hierarchy_of

        data["hierarchy"] = [list(row) for row in hierarchy_of(distance.tree, "the sensitive attribute").rows]
    return data


def _distance(name: str, given: Mapping[str, Any] | None) -> Distance | None:
    if given is None:
        return None
    if "hierarchy" in given:
        return Hierarchical(Hierarchy(tuple(tuple(row) for row in given["hierarchy"])), nulls=given["nulls"])
    return declared_distance(name, distance=given["distance"], nulls=given["nulls"], order=given.get("order"))


def _requirement_data(requirement: Requirement) -> dict[str, Any]:
    model = requirement.model
    numbers = [requirement.threshold if part == "threshold" else getattr(model, part) for part in model.form]
    return {"model": model.key, "numbers": [short(number) for number in numbers], "attribute": requirement.attribute}


def _requirement(given: Mapping[str, Any]) -> Requirement:
    numbers = ",".join(given["numbers"])
    attribute = given["attribute"]
    (made,) = requirements({given["model"]: numbers if attribute is None else {attribute: numbers}})
    return made
