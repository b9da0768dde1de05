"""Equal cells are equal values and different cells different ones, on every way in and out."""

from __future__ import annotations

import random

import pytest

from values.files import FILES
from values.frames import FRAMES
from values.running import Tally, batches, drawn, grouped, judge
from values.served import SQLITE

FORMATS = (*FILES, *FRAMES, SQLITE)
_SOME = 3
"""So many formats each column is written in; the long run writes more."""


@pytest.mark.parametrize("start", range(4))
def test_cells_are_the_same_values_in_every_format(start: int) -> None:
    tally, choose = Tally(), random.Random(start)
    turns = choose.sample(FORMATS, len(FORMATS))
    for at, some in enumerate(batches(drawn(60, start))):
        first = (2 * start + at) * _SOME
        judge(some, [turns[(first + each) % len(turns)] for each in range(_SOME)], tally, choose)
    assert not tally.violations, "\n".join(grouped(tally, FORMATS, most=5))
