"""Quasi-identifiers on a line: what a cell costs follows from the values, however large or equal they are."""

import numpy as np
import pytest

from tclose.anonymization.algorithms.quasi_identifiers import prepared
from tclose.data.hierarchies import flat_hierarchy
from tclose.models.value_order import Observed


def quasi_of(values):
    observed = Observed(values, np.ones(len(values), dtype=np.int64), "number")
    return prepared("number", observed, flat_hierarchy(values), inferred=True)[0]


def test_a_column_of_one_value_has_nothing_to_lose():
    assert [level.costs.tolist() for level in quasi_of([7]).levels] == [[0.0], [0.0]]


@pytest.mark.parametrize("base", [0, 2**60, 2**80, -(2**60)])
def test_places_depend_on_differences_alone(base):
    places = quasi_of([base + step for step in (0, 1, 4, 10)]).places
    assert places.tolist() == [0.0, 0.1, 0.4, 1.0]
