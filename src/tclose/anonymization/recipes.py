"""The recipe of a release: which rows made a class and what it publishes, so that it can be made again.

A recipe holds values of the original table: it belongs with the original, not with the release.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tclose.anonymization.points import Points, pointed, points_data, points_of
from tclose.anonymization.recipe_numbers import Numbers, beside, numbers_read, with_beside
from tclose.data.compact_json import compact, hashed
from tclose.data.file_reading import read_whole
from tclose.data.hierarchies import Hierarchy, check_rule
from tclose.data.values import written_sizes
from tclose.engines.pseudonyms import USUAL_DAYS
from tclose.engines.recoding import Recoding
from tclose.errors import InputError
from tclose.models.catalogue import Requirement, required_for_any, requirements
from tclose.models.counts import Integers, Ranks
from tclose.policy.columns import declared_distance
from tclose.policy.exact_numbers import share, written
from tclose.policy.roles import Distance, Hierarchical, Roles

FORMAT = 1
DISGUISED_FORMAT = 2
"""The format of recipes with pseudonyms or shifted dates, which earlier versions must not take for others."""
ROUNDED_FORMAT = 3
"""The format of recipes that round sensitive numbers, which earlier versions would publish as they are."""
OPEN_FORMAT = 4
"""The format of recipes with intervals that have one end, which earlier versions take for damaged."""
POINTS_FORMAT = 5
"""The format of recipes with points, in whose place earlier versions would publish cells."""
_UNDERSTOOD = [("recipe", each) for each in (FORMAT, DISGUISED_FORMAT, ROUNDED_FORMAT, OPEN_FORMAT, POINTS_FORMAT)]


@dataclass(frozen=True)
class Cell:
    """What a class publishes of a quasi-identifier: a node of its hierarchy, or an interval of its values."""

    label: str | None
    """What is written; None stands for a missing value."""
    level: int | None = None
    """The level of the node; None for an interval."""
    low: str | None = None
    """Where an interval begins; None for a node, and for an interval that has only a high end."""
    high: str | None = None
    """Where an interval ends; None for a node, and for an interval that has only a low end."""
    beyond: bool = False
    """Whether an interval ends before ``high``."""


@dataclass(frozen=True)
class RecodedColumn:
    """How one quasi-identifier is recoded."""

    name: str
    values: tuple[str | None, ...] = field(repr=False)
    """The values of the original, as texts; None is a missing value."""
    cells: tuple[Cell, ...] = field(repr=False)
    """The cells that occur."""
    hierarchy: Hierarchy
    order: tuple[str, ...] | None = field(default=None, repr=False)
    """The categories in the order that the original declares, where it does."""

    @cached_property
    def known(self) -> frozenset[str | None]:
        """The values, to look one up."""
        return frozenset(self.values)

    @cached_property
    def labels(self) -> tuple[frozenset[str], ...]:
        """The labels of each level of the hierarchy."""
        return tuple(frozenset(labels) for labels in zip(*self.hierarchy.rows, strict=True))


@dataclass(frozen=True, eq=False)
class Recipe:
    """How a release was made.

    Where ``counts`` is None the quasi-identifiers alone decide what becomes of a row. Otherwise rows with the same
    quasi-identifiers were divided by their sensitive values: the recipe repeats the release of the table that it was
    made from, and sends the rows of another to the cells that cover them.
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
    suppress: Fraction = Fraction(0)
    """The largest share of rows that may be left out, of this table or of a later one."""
    shift_days: int = USUAL_DAYS
    """By how many days dates are shifted at most, where any are."""
    numbers: Mapping[str, Numbers] = field(default_factory=dict)
    """The quasi-identifiers that are published as numbers or dates too."""
    key_check: str | None = None
    """By what the key of pseudonyms and offsets is known again; None where there was none. The key is not here."""
    accept: Mapping[str, str] = field(default_factory=dict)
    """The reasons that somebody accepted for a release, each by its code, or its code and a column, with why."""
    nulls: tuple[str, ...] = ()
    """The texts that stood for a missing value in the table that it was made from, besides the empty one."""
    points: Points | None = None
    """The values that are published in the place of cells; None where the cells are."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Recipe) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    @property
    def disguises(self) -> bool:
        """Whether releases by it have pseudonyms or shifted dates."""
        return self.roles.pseudonym is not None or bool(self.roles.shifted)

    @property
    def published_counts(self) -> dict[str, tuple[tuple[str, int | None], ...]]:
        """The counts of each column that are published with points that are fitted to them."""
        if self.points is None:
            return {}
        pairs = zip(self.columns, self.points.columns, strict=True)
        return {column.name: kept.counts for column, kept in pairs if kept.counts}

    @property
    def divides(self) -> bool:
        """Whether rows that look alike were divided by their sensitive values."""
        return self.counts is not None

    def recoding(self) -> Recoding:
        """Return what the engine does with the rows of the original; where each row has points, without these."""
        made = self.cells_recoding()
        return made if self.points is None or self.points.by_row else pointed(made, self.points, self)

    def cells_recoding(self) -> Recoding:
        """Return what the engine does to publish cells, also where points are published."""
        quasi = tuple(column.name for column in self.columns)
        numbers = beside(self.columns, self.numbers)
        return Recoding(
            columns=with_beside(self.published, numbers),
            keys=(*quasi, *self.sensitive),
            values=(*(column.values for column in self.columns), *self.sensitive.values()),
            codes=self.codes,
            classes=self.classes,
            counts=self.counts,
            quasi=quasi,
            labels=tuple([cell.label for cell in column.cells] for column in self.columns),
            cells=self.cells,
            seed=self.seed,
            added=tuple(itertools.chain(*numbers.values())),
        )

    def recode(self, frame: Any) -> Any:
        """Return a frame of pandas, polars or Arrow with its quasi-identifiers recoded, row by row, and nothing judged.

        Every row stays where it is; one that no class covers gets the coarsest cells. It is no release: nothing is
        required of it, and every other column stays as it is, but for numbers that the recipe rounds.
        """
        from tclose.anonymization.row_recoding import recoded_frame

        return recoded_frame(self, frame)

    def to_json(self) -> str:
        """Return the recipe as JSON text."""
        pieces = list(compact(_recipe_data(self)))
        return "".join([*pieces[:-1], f',"sha256":"{hashed(pieces)}"}}'])


def read_recipe(path: str | Path) -> Recipe:
    """Return the recipe in a file.

    Raises
    ------
    InputError
        If the file cannot be read, or is not a recipe of this version of tclose.
    """
    if not isinstance(path, str | Path):
        given = f"not an object of type {type(path).__name__}"
        raise InputError(f"A recipe is a Recipe or the path of one, {given}; the table comes first.")
    try:
        data = json.loads(read_whole(Path(path)))
    except FileNotFoundError:
        raise InputError(f"There is no recipe {str(path)!r}; 'tclose anonymize' writes one beside a release.") from None
    except OSError as problem:
        raise InputError(f"The recipe {str(path)!r} cannot be read: {problem.strerror}.") from None
    except (ValueError, RecursionError):
        raise InputError(f"{str(path)!r} is not a recipe: it is not JSON.") from None
    if not isinstance(data, dict) or (data.get("kind"), data.get("format")) not in _UNDERSTOOD:
        raise InputError(f"{str(path)!r} is not a recipe that this version of tclose understands.")
    stated = data.pop("sha256", None)
    if stated != _checksum(data):
        raise InputError(f"The recipe {str(path)!r} is damaged or was edited; make the release again.")
    try:
        return _recipe(data)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError):
        raise InputError(f"The recipe {str(path)!r} is damaged; make the release again.") from None


def _checksum(data: object) -> str:
    """Return a checksum, so that a damaged recipe does not make another release."""
    try:
        return hashed(compact(data))
    except (TypeError, ValueError, RecursionError):
        return ""


def _recipe_data(recipe: Recipe) -> dict[str, Any]:
    return {
        "kind": "recipe",
        "format": _format(recipe),
        "method": recipe.method,
        "divides": recipe.divides,
        "roles": _roles_data(recipe.roles),
        "requirements": [requirement_kept(requirement) for requirement in recipe.requirements],
        "published": list(recipe.published),
        "levels": None if recipe.levels is None else dict(recipe.levels),
        "seed": recipe.seed,
        "own": recipe.own,
        "suppress": written(recipe.suppress),
        **(
            {"numbers": {name: [each.form, each.type] for name, each in recipe.numbers.items()}}
            if recipe.numbers
            else {}
        ),
        **({"shift_days": recipe.shift_days, "key_check": recipe.key_check} if recipe.disguises else {}),
        **({"accept": dict(recipe.accept)} if recipe.accept else {}),
        **({"nulls": list(recipe.nulls)} if recipe.nulls else {}),
        **({"points": points_data(recipe.points)} if recipe.points is not None else {}),
        "columns": [_column_data(column) for column in recipe.columns],
        "sensitive": {name: list(values) for name, values in recipe.sensitive.items()},
        "pieces": {
            "codes": recipe.codes.T,
            "classes": recipe.classes,
            "counts": recipe.counts,
        },
        "classes": recipe.cells.T,
    }


def _format(recipe: Recipe) -> int:
    """Return the first format that knows all that a recipe has."""
    if recipe.points is not None:
        return POINTS_FORMAT
    if any(cell.level is None and None in (cell.low, cell.high) for column in recipe.columns for cell in column.cells):
        return OPEN_FORMAT
    return ROUNDED_FORMAT if recipe.roles.steps else DISGUISED_FORMAT if recipe.disguises else FORMAT


def _column_data(column: RecodedColumn) -> dict[str, Any]:
    return {
        "name": column.name,
        "values": list(column.values),
        "cells": [
            [cell.label, cell.level, cell.low, cell.high, *([True] if cell.beyond else [])] for cell in column.cells
        ],
        "hierarchy": [list(row) for row in column.hierarchy.rows],
        "rule": column.hierarchy.rule,
        "order": None if column.order is None else list(column.order),
    }


def _roles_data(roles: Roles) -> dict[str, Any]:
    names = {part: list(getattr(roles, part)) for part in ("quasi", "identifiers", "publish")}
    sensitive = {name: distance_kept(distance) for name, distance in roles.sensitive.items()}
    disguised = (
        {"pseudonym": roles.pseudonym, "shifted": list(roles.shifted)} if roles.pseudonym or roles.shifted else {}
    )
    rows = {"rows_are_people": True} if roles.rows_are_people else {}
    return {**names, "sensitive": sensitive, "together": roles.together, "person": roles.person, **rows, **disguised}


def _recipe(data: Mapping[str, Any]) -> Recipe:

    roles = data["roles"]
    pieces = data["pieces"]
    columns = tuple(_column(column) for column in data["columns"])
    recipe = Recipe(
        method=_text(data["method"]),
        roles=Roles(
            quasi=_texts(roles["quasi"]),
            sensitive={name: distance_of(name, given) for name, given in roles["sensitive"].items()},
            identifiers=_texts(roles["identifiers"]),
            together=roles["together"],
            publish=_texts(roles.get("publish", [])),
            person=roles.get("person"),
            pseudonym=roles.get("pseudonym"),
            shifted=_texts(roles.get("shifted", [])),
            rows_are_people=bool(roles.get("rows_are_people", False)),
        ),
        requirements=tuple(requirement_of(given) for given in data["requirements"]),
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
        suppress=share(_text(data["suppress"]), "suppress"),
        numbers={_text(name): numbers_read(*each) for name, each in data.get("numbers", {}).items()},
        shift_days=_whole(data.get("shift_days", USUAL_DAYS)),
        key_check=None if data.get("key_check") is None else _text(data["key_check"]),
        accept={_text(name): _text(why) for name, why in data.get("accept", {}).items()},
        nulls=_texts(data.get("nulls", [])),
        points=None if data.get("points") is None else points_of(data["points"]),
    )
    if not fits_together(recipe):
        raise ValueError("parts of a recipe that do not fit together")
    return recipe


def _column(data: Mapping[str, Any]) -> RecodedColumn:
    return RecodedColumn(
        name=_text(data["name"]),
        values=_cells(data["values"]),
        cells=tuple(_cell(cell) for cell in _listed(data["cells"])),
        hierarchy=Hierarchy(tuple(_texts(row) for row in data["hierarchy"]), _rule(data.get("rule"))),
        order=None if data.get("order") is None else _texts(data["order"]),
    )


def _rule(given: object) -> str | None:
    """Return the rule of a hierarchy, checked; recipes of earlier versions have none."""
    if given is None:
        return None
    check_rule(_text(given))
    return _text(given)


def _cell(data: Any) -> Cell:
    label, level, low, high, *beyond = _listed(data)
    label, low, high = _cells([label, low, high])
    if beyond not in ([], [True]):
        raise ValueError("no cell")
    return Cell(label, None if level is None else _whole(level), low, high, bool(beyond))


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


def distance_kept(distance: Distance | None) -> dict[str, Any] | None:
    """Return a distance as a recipe or a certificate keeps it."""
    if distance is None:
        return None
    return {"distance": distance.word, **{name: _declared(name, value) for name, value in distance.declared.items()}}


def _declared(name: str, value: Any) -> object:
    """Return what was declared of a distance as a recipe keeps it."""
    from tclose.data.hierarchies import hierarchy_of, is_builder

    if name == "hierarchy" and not (isinstance(value, str) and is_builder(value)):
        return [list(row) for row in hierarchy_of(value, "the sensitive attribute").rows]
    return value if isinstance(value, str) else [str(each) for each in value]


def distance_of(name: str, given: Mapping[str, Any] | None) -> Distance | None:
    """Return the distance of an attribute that was kept; raise some error where it is none."""
    if given is None:
        return None
    if isinstance(given.get("hierarchy"), str):
        return Hierarchical(given["hierarchy"], nulls=given["nulls"])
    if "hierarchy" in given:
        return Hierarchical(Hierarchy(tuple(tuple(row) for row in given["hierarchy"])), nulls=given["nulls"])
    options = {key: given.get(key) for key in ("nulls", "order", "round")}
    return declared_distance(name, distance=given["distance"], **options)


def requirement_kept(requirement: Requirement) -> dict[str, Any]:
    """Return a requirement as a recipe or a certificate keeps it."""
    model = requirement.model
    numbers = [requirement.threshold if part == "threshold" else getattr(model, part) for part in model.form]
    data = {"model": model.key, "numbers": [written(number) for number in numbers], "attribute": requirement.attribute}
    return data if requirement.any is None else {**data, "any": requirement.any}


def requirement_of(given: Mapping[str, Any]) -> Requirement:
    """Return a requirement that was kept; raise some error where it is none."""
    numbers = ",".join(given["numbers"])
    attribute = given["attribute"]
    made = requirements({given["model"]: numbers if attribute is None else {attribute: numbers}})
    (kept,) = required_for_any(made, given.get("any"))
    return kept


# Whether the parts of a recipe that was read from a file fit together.


def fits_together(recipe: Recipe) -> bool:
    """Say whether the parts of a recipe speak of the same columns, values and classes."""
    points = recipe.points is None or len(recipe.points.columns) == len(recipe.columns)
    return points and _names_fit(recipe) and _pieces_fit(recipe)


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
        and {*roles.naming} & {*published} == {*roles.shown_people}
        and {*roles.shifted} <= {*published}
        and recipe.numbers.keys() <= {*names}
        and tuple(recipe.sensitive) == (() if recipe.counts is None else tuple(roles.sensitive))
        and levels.keys() == heights.keys()
        and all(level <= heights[name] for name, level in levels.items())
        and all(_cell_fits(column, cell) for column in recipe.columns for cell in column.cells)
    )


def _is_interval(column: RecodedColumn, cell: Cell) -> bool:
    """Say whether a cell is an interval between values, numbers or dates, or from one or up to one."""
    ends = [end for end in (cell.low, cell.high) if end is not None]
    if cell.label is None or not ends:
        return False
    if {*ends} <= column.known:
        return True
    known = written_sizes(ends)
    sizes = [size for end in ends if (size := known[end]) is not None]
    return len(sizes) == len(ends) and sizes[0] <= sizes[-1]


def _cell_fits(column: RecodedColumn, cell: Cell) -> bool:
    """Say whether a cell is one of its column's hierarchy, or an interval of its values."""
    if cell.level is None:
        return _is_interval(column, cell)
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
