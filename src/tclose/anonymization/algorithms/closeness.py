"""The t-closeness requirements in the form that the kernel of the search reads: floats, to be confirmed exactly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.problem import Codes, Floats, Problem, numbered
from tclose.errors import InternalError
from tclose.models.distances.earth_movers import LineGround, TreeGround
from tclose.models.domains import Domain
from tclose.policy.exact_numbers import as_float

_MOST_BINS = 128
"""A line of more values is looked at in so many bins, with as much less room as they are wide."""


@dataclass(frozen=True)
class Closeness:
    """How far from its reference each attribute may be, and how its distance is computed.

    Attribute ``a`` is a line (``heights[a]`` is 0: one cell for each bin) or a tree of that height (cells for the
    nodes of every level). ``cells[a, l, r]`` is the cell of rank r on level l; ``expected[a, cell]`` the
    reference's share (on a line: of all cells up to it), ``weights[a, cell]`` what a deviation there costs.
    """

    heights: NDArray[np.int64]
    sizes: NDArray[np.int64]
    cells: NDArray[np.int32]
    expected: Floats
    weights: Floats
    limits: Floats

    @property
    def bound(self) -> bool:
        """Whether any attribute has a limit."""
        return bool((self.limits < 1.0).any())


@dataclass(frozen=True)
class Kinds:
    """Rows by their sensitive values: two rows are of a kind if they have the same value of every attribute."""

    of_row: NDArray[np.int64]
    ranks: Codes
    """The rank of each kind's value of each attribute; −1 where it is left out."""
    shares: Floats
    """The share of all rows that are of each kind."""

    @staticmethod
    def of(problem: Problem) -> Kinds:
        """Return the kinds of a problem's rows."""
        kinds = numbered(problem.ranks + 1) if problem.ranks.shape[1] else np.zeros(len(problem.counts), np.int64)
        first = np.unique(kinds, return_index=True)[1]
        rows = np.bincount(kinds, weights=problem.counts)
        return Kinds(kinds, np.ascontiguousarray(problem.ranks[first]), rows / problem.rows)


def closeness(problem: Problem, scale: float = 1.0, surrogate: Fraction | None = None) -> Closeness:
    """Return the limits of a problem's attributes.

    Parameters
    ----------
    problem
        The requirements and the domains.
    scale
        What to multiply thresholds with: a stricter search can find a release that a looser one misses.
    surrogate
        The limit to take for attributes that something else than t is required of.
    """
    limits = []
    for at, _ in enumerate(problem.domains):
        tasks = [task for task in problem.tasks if task.attribute == at]
        required = [r.threshold for task in tasks if task.model.key == "t" for r in task.requirements]
        others = surrogate is not None and any(task.model.key != "t" for task in tasks)
        required += [surrogate] if others and surrogate is not None else []
        limits.append(as_float(min(required)) * scale if required else 1.0)
    return _arranged([_form(domain) for domain in problem.domains], limits)


@dataclass(frozen=True)
class _Form:
    """The cells of one attribute."""

    height: int
    cells: NDArray[np.int64]
    expected: Floats
    weights: Floats
    blur: float


def _form(domain: Domain) -> _Form:
    ground = domain.ground
    if isinstance(ground, LineGround):
        return _line(ground)
    if isinstance(ground, TreeGround):
        return _tree(ground)
    raise InternalError("A ground distance of an unknown kind was met.")


def _line(ground: LineGround) -> _Form:
    counts = ground.reference.counts.astype(np.float64)
    ends = np.concatenate([[0.0], np.cumsum(ground.float_gaps)])
    length = max(float(ends[-1]), 1.0)
    bins = np.arange(len(counts)) if len(counts) <= _MOST_BINS else (ends / length * (_MOST_BINS - 1)).astype(np.int64)
    bins = np.unique(bins, return_inverse=True)[1]
    number = int(bins.max()) + 1
    last = np.searchsorted(bins, np.arange(number), side="right") - 1
    first = np.searchsorted(bins, np.arange(number))
    expected = np.cumsum(np.bincount(bins, weights=counts)) / max(float(ground.reference.total), 1.0)
    weights = np.append((ends[first[1:]] - ends[last[:-1]]) + (ends[last[:-1]] - ends[first[:-1]]), 0.0) / length
    blur = float((ends[last] - ends[first]).max() / length)
    return _Form(0, bins[np.newaxis, :], expected, weights, blur)


def _tree(ground: TreeGround) -> _Form:
    cells, expected, base = [], [], 0
    counts = ground.reference.counts.astype(np.float64)
    for codes in ground.levels:
        cells.append(codes.astype(np.int64) + base)
        expected.append(np.bincount(codes, weights=counts) / max(float(ground.reference.total), 1.0))
        base += int(codes.max()) + 1
    return _Form(len(cells), np.array(cells), np.concatenate(expected), np.full(base, 1.0 / max(len(cells), 1)), 0.0)


def _arranged(forms: Sequence[_Form], limits: Sequence[float]) -> Closeness:
    """Return the forms as arrays of one shape."""
    number = len(forms)
    tall = max((len(form.cells) for form in forms), default=1)
    values = max((form.cells.shape[1] for form in forms), default=1)
    widest = max((len(form.expected) for form in forms), default=1)
    cells = np.zeros((number, tall, values), dtype=np.int32)
    expected, weights = np.zeros((number, widest)), np.zeros((number, widest))
    for at, form in enumerate(forms):
        cells[at, : len(form.cells), : form.cells.shape[1]] = form.cells
        expected[at, : len(form.expected)] = form.expected
        weights[at, : len(form.weights)] = form.weights
    room = [max(limit - form.blur, 0.0) if limit < 1.0 else 1.0 for form, limit in zip(forms, limits, strict=True)]
    return Closeness(
        np.array([form.height for form in forms], dtype=np.int64),
        np.array([len(form.expected) for form in forms], dtype=np.int64),
        cells, expected, weights, np.array(room),
    )  # fmt: skip
