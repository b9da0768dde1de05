"""The variance of a division's gain: what chance draws where the people are the same, class by class."""

import numpy as np
import pytest

from tclose.attacks.gains import Pulls, variances

PEOPLE, CLASSES = 400, 80


def drawn(draw, usual, divisions):
    """Return divisions whose people pull as they usually do, and together with their class by chance, and the sums."""
    found, sums = [], []
    for at in range(divisions):
        halves = []
        for _ in range(2):
            classes = draw.permutation(np.repeat(np.arange(CLASSES), PEOPLE // CLASSES))
            by = usual / 2 + draw.normal(0, 1, CLASSES)[classes]
            halves.append(Pulls(at, np.arange(PEOPLE), classes, by))
        found.append((halves[0], halves[1]))
        sums.append(sum(half.by.sum() for half in halves))
    return found, sums


@pytest.mark.parametrize("divisions", [2, 4])
def test_what_people_usually_pull_is_no_chance(divisions):
    """Each half adds a number of variance 1 to every class of five people: 2 · 80 · 5², whatever they usually pull."""
    draw = np.random.default_rng(3)
    usual = draw.normal(0, 1, PEOPLE)
    estimates = [np.mean(variances(drawn(draw, usual, divisions)[0])) for _ in range(150)]
    assert np.mean(estimates) == pytest.approx(2 * CLASSES * 5**2, rel=0.05)


def test_of_one_division_the_people_are_drawn_too():
    draw = np.random.default_rng(4)
    usual = draw.normal(0, 3, PEOPLE)
    estimates = [variances(drawn(draw, usual, 1)[0])[0] for _ in range(150)]
    assert np.mean(estimates) > 1.5 * 2 * CLASSES * 5**2


def test_some_of_it_is_always_left_to_chance():
    usual = np.arange(PEOPLE, dtype=np.float64) - PEOPLE / 2
    classes = np.repeat(np.arange(CLASSES), PEOPLE // CLASSES)
    same = tuple(Pulls(0, np.arange(PEOPLE), classes, usual) for _ in range(2))
    (alone,) = variances([same])
    assert variances([same, same, same]) == pytest.approx([alone / 4] * 3)
    assert variances([]) == []
