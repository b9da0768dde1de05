"""Texts that stand for a moment are those that name one; a month, a week and a run of digits do not."""

from __future__ import annotations

import datetime as dt

import pytest

from tclose.data.values import has_zone, written_sizes


@pytest.mark.parametrize("text", ["2020-01", "2020-03", "2020-W01", "2020-W01-1", "T10", "2020-13-01", "24:99"])
def test_what_names_no_moment_stands_for_none(text):
    """ISO 8601 reads 2020-01 as twenty past eight in the evening, an hour west of Greenwich; nobody means that."""
    assert written_sizes([text]) == {text: None}
    assert has_zone(text) is None


def test_moments_stand_in_their_order():
    moments = ["2020-01-01", "2020-01-01T10:00", "2020-01-01 10:00:01", "2020-01-02"]
    sizes = list(written_sizes(moments).values())
    assert sizes == sorted(sizes)
    epoch = dt.datetime(1970, 1, 1)
    assert sizes[0] == (dt.datetime(2020, 1, 1) - epoch) // dt.timedelta(microseconds=1)
    assert written_sizes(["10:30"])["10:30"] == (10 * 60 + 30) * 60 * 10**6
    assert has_zone("2020-01-01T10:00:00+01:00") is True
