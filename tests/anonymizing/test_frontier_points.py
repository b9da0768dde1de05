"""The points of a frontier are the releases that anonymize makes at those thresholds, or better ones."""

from __future__ import annotations

import random
from fractions import Fraction

import pyarrow as pa
import pytest

from tclose import Nominal, Ordered, Roles
from tclose.anonymization.algorithms.catalogue import METHODS
from tclose.anonymization.anonymize import anonymize
from tclose.anonymization.frontier import frontier
from tclose.errors import InputError


def table(rows=30):
    chance = random.Random(7)
    return pa.table(
        {
            "name": [f"n{at}" for at in range(rows)],
            "age": [chance.randrange(20, 29) for _ in range(rows)],
            "zone": [chance.choice(["north", "south", None]) for _ in range(rows)],
            "pay": [chance.randrange(4) for _ in range(rows)],
            "illness": [chance.choice("uvw") for _ in range(rows)],
        }
    )


ROLES = Roles(["age", "zone"], {"pay": Ordered(), "illness": Nominal()}, ["name"])
WISHES = {"hierarchies": {"zone": "flat"}, "seed": 2}


@pytest.mark.parametrize(("loss", "suppress"), [("lm", "0"), ("dm", "0.2"), ("nue", "0.2")])
def test_a_point_is_the_release_that_anonymize_finds_there(loss, suppress):
    values, methods = ["0.2", "1/3", "0.6"], ["auto", "gather"] if loss == "lm" else [*METHODS]
    options = {**WISHES, "loss": loss, "suppress": suppress}
    found = frontier(table(), ROLES, sweep="t", values=values, methods=methods, require={"k": 2}, **options)
    assert [(point.threshold, point.method) for point in found.points] == [
        (Fraction(value), method) for value in values for method in methods
    ]
    for point in found.points:
        release = anonymize(table(), ROLES, require={"k": 2, "t": point.threshold}, method=point.method, **options)
        assert point.holds is release.holds
        if release.holds:
            shown = (point.loss, point.kept, point.classes, point.suppressed)
            theirs = (release.losses[loss], release.kept, release.class_count, release.suppressed)
            assert shown == pytest.approx(theirs, rel=1e-12)
    for threshold in found.thresholds if "auto" in methods else ():
        best = found.best(threshold)
        (auto,) = (each for each in found.points if each.threshold == threshold and each.method == "auto")
        assert best is None or auto.loss == best.loss


@pytest.mark.parametrize(("sweep", "strict", "loose"), [("t", "0.2", "0.6"), ("k", 10, 3)])
def test_a_looser_threshold_loses_no_more_with_any_method(sweep, strict, loose):
    for method in METHODS:
        one, other = (
            anonymize(table(), ROLES, require={sweep: threshold}, method=method, **WISHES)
            for threshold in (strict, loose)
        )
        assert not one.holds or (other.holds and other.losses["lm"] <= one.losses["lm"] + 1e-12)


def test_a_loss_that_counts_in_multiples_of_k_is_measured_by_each_k():
    """C_AVG of one class is the rows over k, at every k."""
    one = {"hierarchies": {"zone": "flat", "age": "flat"}, "levels": {"zone": 1, "age": 1}}
    found = frontier(table(), ROLES, sweep="k", values=[2, 3, 5], methods=["merge"], loss="c_avg", **one)
    assert [point.loss for point in found.points] == [30 / 2, 30 / 3, 30 / 5]


def test_points_without_a_release_say_so():
    found = frontier(table(), ROLES, sweep="k", values=[2, 30, 31, 1000], methods=["gather", "merge"], **WISHES)
    assert [(int(point.threshold), point.holds) for point in found.points[::2]] == [
        (2, True), (30, True), (31, False), (1000, False),
    ]  # fmt: skip
    assert all((point.loss, point.kept, point.classes) == (None, None, 0) for point in found.points if not point.holds)
    assert found.best(Fraction(31)) is None


def test_a_frontier_of_nothing_but_points_without_a_release():
    found = frontier(table(), ROLES, sweep="k", values=[31], methods=["merge"], **WISHES)
    assert [point.holds for point in found.points] == [False]


def test_l_beyond_the_values_there_are_has_no_release():
    found = frontier(table(), ROLES, sweep="l", values=[2, 3, 4, 5], methods=["auto"], **WISHES)
    assert [point.holds for point in found.points] == [True, True, False, False]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sweep": "recursive"}, "cannot be swept"),
        ({"sweep": "speed"}, "cannot be swept"),
        ({"sweep": "beta"}, "No thresholds"),
        ({"values": []}, "No thresholds"),
        ({"values": ["much"]}, "t"),
        ({"methods": ["magic"]}, "methods must be one of"),
        ({"loss": "tears"}, "loss must be one of"),
        ({"suppress": 2}, "suppress must be a share"),
        ({"seed": -1}, "seed"),
        ({"seed": "x"}, "seed"),
        ({"methods": []}, "method"),
    ],
)
def test_wishes_that_cannot_be_are_refused(options, words):
    with pytest.raises(InputError, match=words):
        frontier(table(), ROLES, **{**WISHES, **options})
