"""Attacks that were published, on their own examples: minimality, composition and downcoding."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import tclose
from attacks.small_tables import frame_of, scene_of, truths
from tclose.anonymization.algorithms.partition import Partition, hulls
from tclose.attacks.catalogue import ATTACKERS

MINIMALITY = ((("q1",),) * 2 + (("q2",),) * 5, "hhnnnnn", 2, "0.29")
"""Wong, Fu, Wang, Pei 2007, Table 1: two people of q1 and five of q2, two of whom have HIV.

The table's share is 2/7. Each class alone is within 0.29 unless both who have HIV are of q1: two of two are 5/7 away.
"""


def test_a_table_that_was_generalised_tells_who_has_hiv():
    people, values, k, t = MINIMALITY
    releases = truths(people, values, k, t, "full-domain", whole=True)
    (coarse,) = [truth for truth in releases if truth.scene.seen.number == 1]
    hiv = coarse.scene.seen.answers.labels.index("h")
    assert coarse.share == pytest.approx(1 / 21)  # one of the 21 ways to give two of seven people HIV
    assert coarse.posterior[:, hiv].tolist() == [1, 0]
    for key in ("reader", "register"):  # they do not ask why nothing finer was published
        assert ATTACKERS[key].conclude(coarse.scene).posteriors[:, hiv] == pytest.approx([2 / 7, 2 / 7])
    for key in ("method", "method-share"):  # exactly 7/8 and 1/20 where a finer release is believed with weight 0.01
        assert ATTACKERS[key].conclude(coarse.scene).posteriors[:, hiv] == pytest.approx([7 / 8, 1 / 20], abs=0.02)
    assert coarse.scene.seen.answers.distances(coarse.posterior).max() == pytest.approx(5 / 7)


HOSPITAL = {
    "zip": ["13012", "13053", "13068", "13068", "14850", "14853", "14850", "14850", "13053", "13053", "13068", "13068"],
    "age": [28, 29, 21, 23, 50, 55, 47, 49, 31, 37, 36, 35],
    "illness": ["AIDS", "heart disease", "viral infection", "viral infection", "cancer", "heart disease",
                "viral infection", "viral infection", "cancer", "cancer", "cancer", "cancer"],
}  # fmt: skip
FIRST = {
    "zip": ["130**"] * 4 + ["1485*"] * 4 + ["130**"] * 4,
    "age": ["<30"] * 4 + [">=40"] * 4 + ["30-39"] * 4,
    "illness": HOSPITAL["illness"],
}
SECOND = {
    "zip": ["130**"] * 6 + ["1485*"] * 6,
    "age": ["<35"] * 6 + ["[35, 60]"] * 6,
    "illness": ["AIDS", "tuberculosis", "flu", "tuberculosis", "cancer", "cancer", "flu", "heart disease",
                "viral infection", "flu", "tuberculosis", "heart disease"],
}  # fmt: skip
"""After Ganta, Kasiviswanathan, Smith 2008, Figure 1: who is 28 was in both hospitals; both classes have only AIDS."""
ROLES = tclose.Roles(["zip", "age"], ["illness:nominal"])


def test_two_hospitals_together_tell_what_she_has():
    tables = [pa.table(columns) for columns in (HOSPITAL, FIRST, SECOND)]
    alone = tclose.attack(tables[0], ROLES, release=tables[1])
    both = tclose.attack(tables[0], ROLES, release=tables[1], previous=[tables[2]])
    assert {outcome.attacker for outcome in both.outcomes} - {outcome.attacker for outcome in alone.outcomes} == {
        "two-releases"
    }
    (aids,) = [each for each in both["two-releases"].by_value if each.label == "AIDS"]
    (before,) = [each for each in alone["register"].by_value if each.label == "AIDS"]
    assert (aids.people, aids.right) == (1, 1)
    assert (before.people, before.right) == (1, 0)
    assert both.holds is None
    assert both["register"].gain is None


def test_intervals_that_end_at_people_tell_who_is_in_them():
    """Of people aged 20, 20, 30 and 40, one class is [20, 40] and one [20, 30]; whoever is 30 is in the second."""
    frame = frame_of(((20,), (20,), (30,), (40,)), "abba", {"k": 2})
    quasi = replace(frame.problem.quasi[0], steps=None)
    frame = replace(frame, problem=replace(frame.problem, quasi=(quasi,)))
    rows, classes = np.arange(4), np.array([0, 1, 1, 0])  # 20 a, 20 b, 30 b, 40 a
    partition = Partition(rows, classes, frame.problem.counts, hulls(frame.problem, rows, classes, 2))
    scene = scene_of(frame, partition)
    register, finer = (ATTACKERS[key].conclude(scene).posteriors for key in ("register", "finer"))
    second = scene.seen.answers.labels.index("b")
    assert register[1, second] < 0.95
    assert finer[1, second] > 0.97
    assert finer[0] == pytest.approx([0.5, 0.5], abs=0.02)
