"""Equal cells are equal values in databases: the law of tests/values, many columns in one table."""

from __future__ import annotations

import random

from engines.servers import Server
from values.running import Tally, batches, drawn, grouped, judge
from values.served import SQLITE
from values.served import postgresql as postgresql_format


def test_cells_are_the_same_values_in_databases(postgresql: Server) -> None:
    tally, choose, formats = Tally(), random.Random(12), [postgresql_format(postgresql), SQLITE]
    for some in batches(drawn(160, 12), 80):
        judge(some, formats, tally, choose)
    assert not tally.violations, "\n".join(grouped(tally, formats, most=5))
