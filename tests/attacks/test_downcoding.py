"""Downcoding beside every way to put people into the published cells, each as fine as its people allow."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from attacks.small_tables import frame_of, scene_of
from tclose.anonymization.algorithms.partition import Partition, hulls
from tclose.attacks.catalogue import ATTACKERS

CLASSES = (0, 0, 1, 1, 2, 2, 2)


def spans(ages, classes):
    """Return the youngest and the oldest of each class."""
    held = [[age for age, number in zip(ages, classes, strict=True) if number == each] for each in range(3)]
    return [(min(some), max(some)) for some in held]


def drawn(seed):
    """Return a release of people on a line in intervals from their youngest to their oldest, and who can be where.

    Each class has an illness of its own, so that what is concluded of illnesses says who is in which class.
    """
    draw = np.random.default_rng(seed)
    ages = sorted(draw.choice([20, 25, 30, 35, 40, 50], len(CLASSES)).tolist())
    classes = draw.permutation(CLASSES).tolist()
    frame = frame_of(tuple((age,) for age in ages), ["abc"[number] for number in classes], {"k": 2})
    quasi = replace(frame.problem.quasi[0], steps=None)
    frame = replace(frame, problem=replace(frame.problem, quasi=(quasi,)))
    rows, of_row = np.arange(len(frame.problem.counts)), frame.problem.ranks[:, 0].astype(np.int64)
    partition = Partition(rows, of_row, frame.problem.counts, hulls(frame.problem, rows, of_row, 3))
    known = sorted(set(ages))
    ways = np.zeros((len(known), 3))
    for way in set(itertools.permutations(CLASSES)):
        if spans(ages, way) == spans(ages, classes):
            for age, number in zip(ages, way, strict=True):
                ways[known.index(age), number] += 1
    return scene_of(frame, partition), ways / ways.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("seed", range(25))
def test_who_is_in_which_cell_is_found_where_no_other_way_fits(seed):
    """The exact share of all ways that put somebody into a class; 40 rounds of fitting come within a twelfth of it."""
    scene, truth = drawn(seed)
    order = [scene.seen.answers.labels.index(label) for label in "abc"]
    found = ATTACKERS["finer"].conclude(scene).posteriors[:, order]
    assert found[truth > 0].min() > 0.1
    np.testing.assert_allclose(found, truth, atol=1 / 12)


def test_numbers_of_people_alone_do_not_tell_who_is_in_which_cell():
    away = []
    for seed in range(25):
        scene, truth = drawn(seed)
        order = [scene.seen.answers.labels.index(label) for label in "abc"]
        away.append(np.abs(ATTACKERS["register"].conclude(scene).posteriors[:, order] - truth).max())
    assert max(away) > 0.5
