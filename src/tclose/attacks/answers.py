"""What attackers conclude about: the values of a sensitive attribute, or bands of them where there are many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tclose.anonymization.algorithms.problem import Floats
from tclose.data.values import as_text
from tclose.models.counts import Integers
from tclose.models.distances.earth_movers import LineGround, TreeGround
from tclose.models.domains import Domain

MOST = 60
"""Up to so many values are told apart."""
BANDS = 20
"""Of more values on a line, so many bands of about as many rows each are told apart."""
MISSING = "(missing)"


@dataclass(frozen=True)
class Answers:
    """The answers that an attacker chooses from, and how far apart they are.

    The distance of a distribution p from the prior q is ``weights · |matrix (p − q)|``: running sums on a line, sums
    over the nodes of each level in a tree.
    """

    of_rank: NDArray[np.int32]
    """The answer that each value of the attribute belongs to."""
    labels: tuple[str, ...]
    typical: Integers
    """A value of each answer, by its rank."""
    prior: Floats
    """The share of each answer in the table."""
    matrix: Floats
    weights: Floats

    @staticmethod
    def of(domain: Domain, labels: Mapping[str, str]) -> Answers:
        """Return the answers of an attribute.

        Parameters
        ----------
        domain
            The attribute, as it is in the release.
        labels
            For each of its values, as text, the answer that it belongs to; see :func:`answer_labels`.
        """
        counts = np.asarray(domain.counts, dtype=np.float64)
        number_of: dict[str, int] = {}
        said = [labels[text] for text in _texts(domain)]
        of_rank = np.array([number_of.setdefault(label, len(number_of)) for label in said], dtype=np.int32)
        prior = np.bincount(of_rank, counts, len(number_of)) / counts.sum()
        held = [np.flatnonzero(of_rank == at) for at in range(len(number_of))]
        typical = np.array([_middle(ranks, counts) for ranks in held], dtype=np.int64)
        matrix, weights = _line(domain, typical) if isinstance(domain.ground, LineGround) else _tree(domain, typical)
        return Answers(of_rank, tuple(number_of), typical, prior, matrix, weights)

    @property
    def number(self) -> int:
        """How many answers there are."""
        return len(self.prior)

    def distances(self, posteriors: Floats) -> Floats:
        """Return how far each posterior is from the prior."""
        return np.asarray(np.abs((posteriors - self.prior) @ self.matrix.T) @ self.weights)


def answer_labels(domain: Domain) -> dict[str, str]:
    """Return the answer that each value of an attribute belongs to: itself, a band of a line, or all others.

    Bands are those of the whole table, so that they are the same in every part of it.
    """
    texts, counts = _texts(domain), np.asarray(domain.counts, dtype=np.float64)
    if len(texts) <= MOST:
        return {text: text for text in texts}
    if isinstance(domain.ground, LineGround):
        middles = np.cumsum(counts) - counts / 2
        bands = np.minimum((middles / counts.sum() * BANDS).astype(np.int64), BANDS - 1)
        held = {band: np.flatnonzero(bands == band) for band in np.unique(bands).tolist()}
        names = {band: _span(texts, int(ranks[0]), int(ranks[-1])) for band, ranks in held.items()}
        return {text: names[band] for text, band in zip(texts, bands.tolist(), strict=True)}
    usual = set(np.argsort(-counts, kind="stable")[: MOST - 1].tolist())
    others = f"{len(texts) - MOST + 1} other values"
    return {text: text if rank in usual else others for rank, text in enumerate(texts)}


def people_of(domain: Domain, labels: Mapping[str, str]) -> dict[str, int]:
    """Return how many people of a table have each answer."""
    found: dict[str, int] = {}
    for text, count in zip(_texts(domain), domain.counts.tolist(), strict=True):
        found[labels[text]] = found.get(labels[text], 0) + int(count)
    return found


def _span(texts: Sequence[str], first: int, last: int) -> str:
    """Return the name of a band; the smallest and the largest value, which may be one person's, are not said."""
    if first == 0:
        return f"up to {texts[last]}"
    if last == len(texts) - 1:
        return f"{texts[first]} or more"
    return texts[first] if first == last else f"{texts[first]} to {texts[last]}"


def texts_of(values: Sequence[object]) -> list[str]:
    """Return the text of each value, by which it is matched."""
    return [MISSING if value is None else as_text(value) for value in values]


def _texts(domain: Domain) -> list[str]:
    return texts_of(domain.values.tolist() if isinstance(domain.values, np.ndarray) else domain.values)


def _middle(ranks: Integers, counts: Floats) -> int:
    """Return the value in the middle of the rows of some values."""
    running = np.cumsum(counts[ranks])
    return int(ranks[np.searchsorted(running, running[-1] / 2)])


def _line(domain: Domain, typical: Integers) -> tuple[Floats, Floats]:
    ground = domain.ground
    steps = ground.float_gaps if isinstance(ground, LineGround) else np.ones(len(domain.counts) - 1)
    places = np.concatenate([[0.0], np.cumsum(steps)])
    between = np.diff(places[typical])
    number = len(typical)
    running = np.tril(np.ones((number, number)))[: number - 1]
    return running, between / max(float(places[-1]), 1e-300)


def _tree(domain: Domain, typical: Integers) -> tuple[Floats, Floats]:
    ground = domain.ground
    levels = ground.levels if isinstance(ground, TreeGround) else ()
    found = []
    for level in levels:
        codes = level[typical]
        found.append((codes[np.newaxis, :] == np.unique(codes)[:, np.newaxis]).astype(np.float64))
    matrix = np.concatenate(found)
    return matrix, np.full(len(matrix), 0.5 / max(len(levels), 1))
