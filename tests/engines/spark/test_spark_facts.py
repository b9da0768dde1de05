"""Facts are not counted on a cluster, and that is said."""

from __future__ import annotations

import pytest

import tclose
from tclose.errors import InputError


def test_facts_of_tables_on_a_cluster_are_refused(spark):
    table = {"id": [1, 1, 2, 2], "ward": list("ABAB"), "ill": ["flu", "flu", "cold", "cold"]}
    frame = spark.createDataFrame(list(zip(*table.values(), strict=True)), list(table))
    roles = tclose.Roles(["ward"], {"ill": tclose.Nominal()}, person="id")
    for asked in (frame, {"visits": frame, "people": {"id": [1, 2], "sex": ["F", "M"]}}):
        with pytest.raises(InputError) as refused:
            tclose.audit(asked, roles, facts=1)
        assert refused.value.code == "facts-engine"
    linked = tclose.Roles(["ward"], {"ill": tclose.Nominal()}, pseudonym="id")
    assert tclose.audit(frame, linked).linked == ()
