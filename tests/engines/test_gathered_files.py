"""Text files whose rows are gathered as they are read: every figure is that of the rows one by one."""

from __future__ import annotations

import json
import random

import pytest

from tclose import Roles, audit
from tclose.engines.duckdb import csv as text_tables

ROWS = 12_000
"""More than the first rows, by which it is decided how the rest is read."""


def written(path, *, last="41", alone=False):
    """Write rows of few kinds, with missing, quoted and padded cells; the last age may be another."""
    chosen = random.Random(7)
    lines = ["patient,zip,age,disease"]
    for at in range(ROWS):
        place = at if alone else chosen.choice(["4767*", '"479, 05"', "", '"a ""b"""'])
        age = last if at == ROWS - 1 else chosen.choice(["29", "+30", " 31", "", "2", "7"])
        lines.append(f"p{at // 3},{place},{age},{chosen.choice(['flu', 'cancer', '', 'gastritis'])}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def gathered(monkeypatch):
    """Note of every copy of a file whether its rows were gathered."""
    times = []
    copy = text_tables._copy

    def counted(*arguments, **options):
        times.append(options.get("gathered", False))
        return copy(*arguments, **options)

    monkeypatch.setattr(text_tables, "_copy", counted)
    return times


def told(path, roles):
    found = audit(path, roles, measure="all", require={"k": 5, "t": "0.1"})
    return (
        json.loads(found.to_json()),
        list(found.classes.rows()),
        found.evidence["disease"].histogram({"zip": "4767*"}),
    )


@pytest.mark.parametrize("person", [None, "patient"])
@pytest.mark.parametrize("last", ["41", "unknown", "4.5"])
def test_gathered_rows_are_audited_as_rows_one_by_one(tmp_path, monkeypatch, gathered, last, person):
    path = written(tmp_path / "rows.csv", last=last)
    roles = Roles(quasi=["zip", "age"], sensitive="disease:nominal", person=person)
    monkeypatch.setattr(text_tables, "_MOST_DIFFERENT", 1)
    together = told(path, roles)
    assert (True in gathered) == (person is None), "the rows of people stay apart"
    monkeypatch.setattr(text_tables, "_MOST_DIFFERENT", -1)
    del gathered[:]
    assert together == told(path, roles)
    assert True not in gathered


def test_rows_that_differ_are_not_gathered(tmp_path, gathered):
    path = written(tmp_path / "rows.csv", alone=True)
    found = audit(path, Roles(quasi=["zip", "age"], sensitive="disease:nominal"))
    assert (found.rows, found.k) == (ROWS, 1)
    assert gathered == [False]
