"""What microaggregation and SABRE promise of every table: all rows, cells that hold them, and every requirement."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from recoding.aggregation_problems import assert_covered, compartments_hold, problems
from tclose.anonymization.algorithms.checking import failing_classes
from tclose.anonymization.algorithms.clusters import microaggregation, sabre
from tclose.anonymization.algorithms.search import Search

METHODS = pytest.mark.parametrize("find", [microaggregation.find, sabre.find], ids=["microaggregation", "sabre"])
few = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def assert_kept(problem, release):
    """A release is found exactly where the coarsest one holds, and then it keeps every promise."""
    assert (release is not None) == compartments_hold(problem)
    if release is None:
        return
    assert_covered(problem, release)
    assert release.suppressed() == 0
    assert not failing_classes(problem, release).any()


@METHODS
@few
@given(problem=problems())
def test_a_release_is_found_where_there_is_one_and_holds(find, problem):
    assert_kept(problem, find(problem, Search()))


@METHODS
@few
@given(problem=problems(require={"beta": "1"}) | problems(require={"entropy_l": "1.5"}) | problems(require={"l": 2}))
def test_requirements_that_are_no_distance_are_met_too(find, problem):
    assert_kept(problem, find(problem, Search()))


@METHODS
@few
@given(problem=problems(require={}))
def test_class_sizes_alone_are_met(find, problem):
    release = find(problem, Search())
    assert_kept(problem, release)
    if release is not None:
        assert release.sizes().min() >= problem.k


@few
@given(problem=problems())
def test_whole_classes_are_found_where_there_is_a_release(problem):
    release = microaggregation.find(problem, Search(whole_classes=True))
    assert_kept(problem, release)
    if release is not None:
        together = np.stack([problem.tuples[0][release.rows], release.classes], axis=1)
        assert len(np.unique(together, axis=0)) == len(np.unique(together[:, 0]))
