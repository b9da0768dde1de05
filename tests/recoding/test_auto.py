"""What ``auto`` tries: not what moves overtake on a large table, unless the moves find nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recoding.test_improving import assert_release, crowd
from tclose.recoding import methods
from tclose.recoding.gather import method as gathering
from tclose.recoding.peel import method as peeling
from tclose.recoding.search import Search

BRIEF = Search(whole_classes=True, effort=0.1)


@pytest.fixture
def peeled(monkeypatch):
    """Count how often a release was peeled, on tables that all count as large."""
    monkeypatch.setattr(methods, "_SMALL", 0)
    for key, method in methods.METHODS.items():
        monkeypatch.setitem(methods.METHODS, key, replace(method, largest=method.largest and 0))
    found, calls = peeling.find, []

    def find(problem, search):
        calls.append(search)
        return found(problem, search)

    monkeypatch.setattr(peeling, "find", find)
    return calls


def test_a_large_table_whose_look_alikes_stay_together_is_not_peeled(peeled):
    problem = crowd(300)
    release = methods.found("auto", problem, BRIEF)
    assert_release(problem, release.partition, whole=True)
    assert (release.method, peeled) == ("gather", [])


@pytest.mark.parametrize("search", [replace(BRIEF, effort=0.0), replace(BRIEF, whole_classes=False)])
def test_a_large_table_is_peeled_without_effort_and_where_look_alikes_may_be_divided(search, peeled):
    assert methods.found("auto", crowd(300), search) is not None
    assert peeled


def test_a_large_table_is_peeled_where_moves_find_nothing(peeled, monkeypatch):
    monkeypatch.setattr(gathering, "find", lambda _problem, _search: None)
    problem = crowd(300)
    release = methods.found("auto", problem, BRIEF)
    assert_release(problem, release.partition, whole=True)
    assert (release.method, len(peeled)) == ("peel", 1)
