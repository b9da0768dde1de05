"""From the classes of a partition to what is written: the cells of each class as labels, and the recipe."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.partition import INTERVAL, Partition
from tclose.anonymization.algorithms.problem import Quasi, numbered
from tclose.anonymization.problem_setup import Frame
from tclose.anonymization.recipe_numbers import Numbers
from tclose.anonymization.recipes import Cell, Recipe, RecodedColumn
from tclose.data.values import texts_or_none
from tclose.engines.distinct import DistinctRows
from tclose.engines.recoding import Recoding
from tclose.errors import InternalError
from tclose.models.catalogue import Requirement
from tclose.models.counts import Integers, Ranks
from tclose.policy.roles import Roles


def recipe_of(
    frame: Frame,
    partition: Partition,
    *,
    method: str,
    roles: Roles,
    requirements: Sequence[Requirement],
    published: Sequence[str],
    own: bool,
    numbers: Mapping[str, Numbers] | None = None,
) -> Recipe:
    """Return the recipe of a partition; classes that publish the same labels are one.

    Parameters
    ----------
    frame
        The problem and the table it was made from.
    partition
        The classes found.
    method, roles, requirements, published, own, numbers
        What the recipe says of the release.
    """
    columns, cells = _columns(frame, partition)
    classes, cells = _one_by_label(columns, partition.classes, cells)
    codes, classes, counts, sensitive = _pieces(frame, partition, classes)
    names = [quasi.name for quasi in frame.problem.quasi]
    return Recipe(
        method=method,
        roles=roles,
        requirements=tuple(requirements),
        published=tuple(published),
        columns=columns,
        sensitive=sensitive,
        codes=codes,
        classes=classes,
        counts=counts,
        cells=cells,
        levels=None if partition.levels is None else dict(zip(names, partition.levels, strict=True)),
        seed=frame.problem.seed,
        own=own,
        suppress=frame.problem.suppress,
        numbers=numbers or {},
    )


def _columns(frame: Frame, partition: Partition) -> tuple[tuple[RecodedColumn, ...], Ranks]:
    """Return the recoded columns, and which of their cells each class publishes."""
    found, chosen = [], []
    for at, (quasi, tree) in enumerate(zip(frame.problem.quasi, frame.hierarchies, strict=True)):
        levels, first, last = (
            part[:, at].astype(np.int64)
            for part in (partition.cells.levels, partition.cells.first, partition.cells.last)
        )
        keys = np.stack([levels, first, np.where(levels == INTERVAL, last, first)], axis=1)
        distinct, of_class = np.unique(keys, axis=0, return_inverse=True)
        found.append(
            RecodedColumn(
                name=quasi.name,
                values=tuple(texts_or_none(quasi.values)),
                cells=tuple(_cell(quasi, *row) for row in distinct.tolist()),
                hierarchy=tree,
                order=None if (order := frame.distinct.quasi[at].categories) is None else tuple(order),
            )
        )
        chosen.append(of_class.ravel())
    return tuple(found), np.stack(chosen, axis=1).astype(np.int32)


def _cell(quasi: Quasi, level: int, first: int, last: int) -> Cell:
    if level == INTERVAL:
        if quasi.steps is None:
            raise InternalError("An interval was to be published of a column without steps.")
        found = quasi.steps.interval(first, last)
        return Cell(found.label, None, found.low, found.high, beyond=found.beyond)
    label = quasi.levels[level].labels[first]
    return Cell(label or None, level)


def _one_by_label(columns: Sequence[RecodedColumn], classes: Integers, cells: Ranks) -> tuple[Integers, Ranks]:
    """Return the classes numbered so that those with the same labels are one, and the cells of each."""
    spelled = []
    for at, column in enumerate(columns):
        number_of: dict[str | None, int] = {}
        ids = np.array([number_of.setdefault(cell.label, len(number_of)) for cell in column.cells])
        spelled.append(ids[cells[:, at]])
    number = numbered(np.stack(spelled, axis=1))
    first = np.unique(number, return_index=True)[1]
    return np.where(classes >= 0, number[np.where(classes >= 0, classes, 0)], -1), cells[first]


def _pieces(
    frame: Frame, partition: Partition, classes: Integers
) -> tuple[Ranks, Integers, Integers | None, dict[str, tuple[str | None, ...]]]:
    """Return the pieces by their key columns: the quasi-identifiers alone where these decide."""
    problem = frame.problem
    tuples, codes = problem.tuples
    span = int(classes.max(initial=-1)) + 2
    pairs = np.sort(tuples[partition.rows] * span + classes + 1)
    pairs = pairs[np.diff(pairs, prepend=-1) != 0]
    if len(pairs) == len(codes):
        return codes[pairs // span], pairs % span - 1, None, {}
    sensitive, sensitive_codes = sensitive_keys(frame.distinct, frame.attributes, frame.rows[partition.rows])
    keys = [problem.codes[partition.rows], sensitive_codes]
    every = np.concatenate([np.concatenate(keys, axis=1), classes[:, np.newaxis].astype(np.int32)], axis=1)
    order = numbered(every + 1)
    first = np.unique(order, return_index=True)[1]
    counts = np.zeros(len(first), dtype=np.int64)
    np.add.at(counts, order, partition.counts)
    return np.ascontiguousarray(every[first, :-1]), every[first, -1].astype(np.int64), counts, sensitive


def sensitive_keys(
    distinct: DistinctRows, attributes: Sequence[tuple[str, ...]], rows: Integers | slice = slice(None)
) -> tuple[dict[str, tuple[str | None, ...]], Ranks]:
    """Return the values of each sensitive column as texts, and which of them some distinct rows have."""
    values_of: dict[str, tuple[str | None, ...]] = {}
    codes = [np.zeros((len(distinct.counts[rows]), 0), dtype=np.int32)]
    for at, names in enumerate(attributes):
        position = distinct.sensitive_codes[rows, at]
        every_value: list[Any] = list(distinct.sensitive[at].values)
        for part, name in enumerate(names):
            values = [value[part] for value in every_value] if len(names) > 1 else every_value
            texts = texts_or_none(values)
            number_of: dict[str | None, int] = {}
            code = np.array([number_of.setdefault(text, len(number_of)) for text in texts], dtype=np.int32)
            codes.append(code[position][:, np.newaxis])
            values_of[name] = tuple(number_of)
    return values_of, np.concatenate(codes, axis=1)


def recoding_of(recipe: Recipe, distinct: DistinctRows, attributes: Sequence[tuple[str, ...]]) -> Recoding:
    """Return what the engine does with the rows of a table whose distinct rows are known.

    Where nothing but quasi-identifiers and sensitive attributes is published, distinct rows and their counts say
    all of the release, and the engine need not read the table again; unless they count people.
    """
    recoding = recipe.recoding()
    names = {name for attribute in attributes for name in attribute}
    by_people = recipe.roles.person is not None
    if by_people or recipe.counts is not None or set(recipe.published) != {*recoding.quasi, *names}:
        return recoding
    mapped = np.stack(
        [
            _positions(column.values, observed.values)[distinct.codes[:, at]]
            for at, (column, observed) in enumerate(zip(recipe.columns, distinct.quasi, strict=True))
        ],
        axis=1,
    )
    together = numbered(np.concatenate([recipe.codes, mapped]))
    class_of = np.full(int(together.max(initial=0)) + 1, -1, dtype=np.int64)
    class_of[together[: len(recipe.codes)]] = recipe.classes
    sensitive, codes = sensitive_keys(distinct, attributes)
    return replace(
        recoding,
        keys=(*recoding.quasi, *sensitive),
        values=(*recoding.values, *sensitive.values()),
        codes=np.concatenate([mapped, codes], axis=1),
        classes=class_of[together[len(recipe.codes) :]],
        counts=distinct.counts,
    )


def _positions(known: Sequence[str | None], values: Sequence[object] | NDArray[Any]) -> Ranks:
    """Return the position of each value among known texts."""
    at = {text: place for place, text in enumerate(known)}
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    return np.array([at[text] for text in texts_or_none(listed)], dtype=np.int32)
