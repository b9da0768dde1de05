"""Losses belong to what is published: byte-identical files lose the same, whatever else was allowed."""

from __future__ import annotations

import pyarrow as pa
import pytest

from tclose import Nominal, Roles
from tclose.anonymization.anonymize import anonymize


@pytest.mark.parametrize("words", ["intervals:5,10", "quantiles:4,2", None])
def test_losses_of_the_same_release_are_the_same_with_and_without_intervals(words, tmp_path):
    """Full-domain releases publish nodes alone, so the files are the same, byte for byte."""
    ages = [20, 21, 24, 27, 33, 38, 41, 46, 52, 59] * 3
    table = pa.table({"age": ages, "ill": ["x", "y", "z"] * 10})
    roles = Roles(["age"], {"ill": Nominal()})
    options = {"require": {"k": 5}, "hierarchies": {} if words is None else {"age": words}, "method": "full-domain"}
    made = [anonymize(table, roles, intervals=intervals, **options) for intervals in (True, False)]
    one, other = (release.write(tmp_path / f"{at}.csv").path.read_bytes() for at, release in enumerate(made))
    assert one == other
    assert made[0].losses == made[1].losses
