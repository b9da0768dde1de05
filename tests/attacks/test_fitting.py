"""Iterative proportional fitting beside the same written plainly: people to classes, one value after the other."""

import itertools

import numpy as np
import pytest

from attacks.small_tables import frame_of, scene_of
from tclose.anonymization.algorithms.catalogue import found
from tclose.anonymization.algorithms.search import Search
from tclose.attacks.fitting import Fit, Weights

PEOPLE = tuple((age, town) for age, town in zip((20, 21, 25, 30, 34, 35, 40, 44, 44), "uvuvuuvvv", strict=True))
ROUNDS = 5


@pytest.fixture(scope="module")
def seen():
    frame = frame_of(PEOPLE, "abcabacba", {"k": 2})
    best = found("sabre", frame.problem, Search(effort=0))
    return scene_of(frame, best.partition).seen


def plainly(seen, weights):
    """Return the posteriors of some rounds, every (combination, class, value) a cell of its own."""
    people, (classes, values) = len(seen.people), seen.table.shape
    prior = np.zeros((people, classes, values))
    for x in range(people):
        for pair in range(seen.starts[x], seen.starts[x + 1]):
            of = seen.classes[pair]
            prior[x, of] = seen.table[of] * np.exp(-seen.volumes[of])
            for value in range(values):
                if weights.barred is not None and int(weights.barred[pair]) >> value & 1:
                    prior[x, of, value] *= weights.bar
                if weights.likely is not None:
                    prior[x, of, value] *= weights.likely[x, value]
    for _ in range(ROUNDS):
        prior *= (seen.people / prior.sum(axis=(1, 2)))[:, None, None]
        held = prior.sum(axis=0)
        prior *= np.divide(seen.table, held, out=np.ones_like(held), where=held > 0)
    found = prior.sum(axis=1)
    return found / found.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(("barred", "likely"), list(itertools.product((False, True), repeat=2)))
def test_posteriors_are_those_of_every_cell_fitted_by_itself(seen, barred, likely):
    draw = np.random.default_rng(3)
    weights = Weights(
        draw.integers(0, 7, len(seen.classes)) if barred else None,
        0.1,
        draw.uniform(0.1, 1, (len(seen.people), 3)) if likely else None,
    )
    np.testing.assert_allclose(Fit.of(seen).run(weights, ROUNDS), plainly(seen, weights), rtol=1e-9)
