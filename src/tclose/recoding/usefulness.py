"""What a release is still good for: how columns go together before and after, and what a model learns of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tclose.counts import Integers
from tclose.distances.line import LineGround
from tclose.domains import Domain
from tclose.recoding.associations import Association, associations
from tclose.recoding.checking import cell_codes
from tclose.recoding.losses.cells import losses_by_column
from tclose.recoding.marginals import marginal_distances
from tclose.recoding.partition import Partition
from tclose.recoding.problem import Codes, Floats, Problem

MOST_PIECES = 2_000_000
"""Of more distinct rows nothing is measured."""
MOST_COLUMNS = 12
"""So many columns are looked at in pairs: the sensitive ones, and the first quasi-identifiers."""
FOLDS = 5
GROUPS = 4
"""Into so many groups of about equal rows an attribute on a line is put that has more than :data:`MOST_VALUES`."""
MOST_VALUES = 10
"""So many values of an attribute are told apart by a model."""
_SEED = 7


@dataclass(frozen=True)
class Prediction:
    """How often a simple model is right about a sensitive attribute of rows that it has not seen."""

    attribute: str
    groups: int
    """How many values, or groups of values, it tells apart."""
    guess: float
    """Whoever always says the most frequent one."""
    original: float
    """The model that learnt from the original, and is asked about rows of it."""
    release: float
    """The model that learnt from the release, and is asked about rows as they are published."""


@dataclass(frozen=True)
class Usefulness:
    """What a release is still good for."""

    lost: Mapping[str, float]
    """The share of the detail of each quasi-identifier that is lost."""
    moved: Mapping[str, float]
    """How far the distribution of each column, drawn from the release, is from the original's."""
    associations: tuple[Association, ...]
    """The closest of the original first."""
    predictions: tuple[Prediction, ...]
    columns_left_out: int = 0
    """How many quasi-identifiers were not looked at in pairs."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {
            "columns": {name: {"lost": self.lost.get(name), "moved": moved} for name, moved in self.moved.items()},
            "associations": [
                {"columns": [each.first, each.second], "before": each.before, "after": each.after}
                for each in self.associations
            ],
            "predictions": [
                {
                    "attribute": each.attribute,
                    "groups": each.groups,
                    "guess": each.guess,
                    "original": each.original,
                    "release": each.release,
                }
                for each in self.predictions
            ],
            "columns_left_out": self.columns_left_out,
        }


def usefulness(problem: Problem, partition: Partition) -> Usefulness | None:
    """Return what a release is still good for; None where there are too many distinct rows to say.

    Parameters
    ----------
    problem
        The original.
    partition
        The release.
    """
    if len(partition.rows) > MOST_PIECES:
        return None
    before, after = problem.codes[partition.rows], _released(partition)
    ranks = problem.ranks[partition.rows]
    looked_at = min(len(problem.quasi), max(1, MOST_COLUMNS - len(problem.domains)))
    pairs = associations(problem, partition, after, looked_at)
    folds = dealt(partition.counts)
    return Usefulness(
        losses_by_column(problem, partition),
        marginal_distances(problem, partition),
        tuple(sorted(pairs, key=lambda pair: -(pair.before or 0.0))),
        tuple(_predicted(domain, ranks[:, at], before, after, folds) for at, domain in enumerate(problem.domains)),
        len(problem.quasi) - looked_at,
    )


def _released(partition: Partition) -> Codes:
    """Return, for each piece, the number of the cell that it publishes in each column; −1 where it is left out."""
    kept = partition.classes >= 0
    found = np.full((len(kept), partition.cells.levels.shape[1]), -1, dtype=np.int32)
    found[kept] = cell_codes(partition)[partition.classes[kept]]
    return found


def dealt(counts: Integers) -> Integers:
    """Return how many rows of each piece are in each part of the table: pieces × :data:`FOLDS`, dealt like cards.

    Parts differ by one row at the most, whatever the order of the table.

    Examples
    --------
    >>> dealt(np.array([3, 7])).sum(axis=0), dealt(np.array([3, 7])).sum(axis=1)
    (array([2, 2, 2, 2, 2]), array([3, 7]))
    """
    order = np.random.default_rng(_SEED).permutation(len(counts))
    ends = np.cumsum(counts[order])
    starts = ends - counts[order]
    found = np.zeros((len(counts), FOLDS), dtype=np.int64)
    for fold in range(FOLDS):
        found[order, fold] = _fitting(ends, fold) - _fitting(starts, fold)
    return found


def _fitting(end: Integers, fold: int) -> Integers:
    """Return how many of the cards before each place go to one part."""
    return (end + FOLDS - 1 - fold) // FOLDS


def _predicted(domain: Domain, ranks: Codes, before: Codes, after: Codes, folds: Integers) -> Prediction:
    groups, number = grouped(domain, ranks, folds.sum(axis=1))
    known = groups >= 0
    rows = int(folds[known].sum())
    sums = np.bincount(groups[known], weights=folds[known].sum(axis=1), minlength=number)
    original, release = (
        sum(right(codes[known], groups[known], number, folds[known], fold) for fold in range(FOLDS)) / rows
        if rows
        else 0.0
        for codes in (before, after)
    )
    return Prediction(domain.name, number, float(sums.max() / rows) if rows else 0.0, original, release)


def grouped(domain: Domain, ranks: Codes, counts: Integers) -> tuple[Codes, int]:
    """Return what a model is to tell apart: the values, or groups of them where there are many; and how many.

    Values on a line are put into groups of about equal rows; of others the most frequent stay, and the rest is one.
    """
    sums = np.bincount(ranks[ranks >= 0], weights=counts[ranks >= 0], minlength=len(domain.values)).astype(np.int64)
    if len(sums) <= MOST_VALUES:
        places = np.arange(len(sums))
    elif isinstance(domain.ground, LineGround):
        middles = np.cumsum(sums) - sums / 2
        places = np.minimum((GROUPS * middles / max(1, sums.sum())).astype(np.int64), GROUPS - 1)
    else:
        places = np.full(len(sums), MOST_VALUES - 1)
        places[np.argsort(-sums, kind="stable")[: MOST_VALUES - 1]] = np.arange(MOST_VALUES - 1)
    held = np.unique(places[sums > 0])
    numbers = np.searchsorted(held, places)
    return np.where(ranks >= 0, numbers[np.maximum(ranks, 0)], -1).astype(np.int32), len(held)


def right(codes: Codes, groups: Codes, number: int, folds: Integers, fold: int) -> int:
    """Return of how many rows of one part a naive Bayes model is right that learnt from the other parts.

    Parameters
    ----------
    codes
        Pieces × columns: what the model sees; a piece with −1 is not in the release, and is guessed about.
    groups, number
        What it is to say of each piece, of how many.
    folds
        Pieces × parts: how many rows each part has.
    fold
        The part that it is asked about.
    """
    seen, asked = codes[:, 0] >= 0, folds[:, fold] > 0
    learnt = np.where(seen, folds.sum(axis=1) - folds[:, fold], 0).astype(np.float64)
    prior = np.bincount(groups, weights=learnt, minlength=number).astype(np.float64)
    with np.errstate(divide="ignore"):
        scores = np.tile(np.log(prior), (int(asked.sum()), 1))
    known = seen[asked]
    for column in range(codes.shape[1]):
        span = int(codes[:, column].max()) + 1
        pairs = groups[seen].astype(np.int64) * span + codes[seen, column]
        table = np.bincount(pairs, weights=learnt[seen], minlength=number * span)
        scores[known] += _logarithms(table.astype(np.float64).reshape(number, span), prior).T[
            codes[asked, column][known]
        ]
    return int(folds[asked, fold][scores.argmax(axis=1) == groups[asked]].sum())


def _logarithms(table: Floats, prior: Floats) -> Floats:
    """Return the logarithm of the share of each value in each group, every value taken for seen once more."""
    return np.asarray(np.log((table + 1.0) / (prior[:, np.newaxis] + table.shape[1])))
