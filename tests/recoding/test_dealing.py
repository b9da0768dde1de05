"""Rows dealt to classes: what a stable sort by class gives, run as Python and compiled."""

import numpy as np
import pytest

from plain_kernels import MODES
from tclose.anonymization.algorithms.partition import in_classes


@pytest.mark.parametrize("mode", MODES.values(), ids=MODES)
@pytest.mark.parametrize("seed", range(5))
def test_pieces_stand_class_by_class_in_the_order_in_which_they_came(seed, mode):
    classes = np.random.default_rng(seed).integers(-1, 9, size=60)
    with mode():
        placed, bounds = in_classes(classes, 10)
    kept = np.flatnonzero(classes >= 0)
    assert placed.tolist() == kept[np.argsort(classes[kept], kind="stable")].tolist()
    assert bounds.tolist() == [int((kept_classes < at).sum()) for at in range(11) for kept_classes in [classes[kept]]]


def test_of_no_pieces_there_are_none_to_place():
    placed, bounds = in_classes(np.zeros(0, dtype=np.int64), 0)
    assert placed.tolist() == []
    assert bounds.tolist() == [0]
