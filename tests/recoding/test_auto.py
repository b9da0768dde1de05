"""What ``auto`` tries: not what moves overtake on a large table, unless the moves find nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recoding.test_improving import assert_release, crowd
from tclose.recoding import methods
from tclose.recoding.gather import method as gathering
from tclose.recoding.improving import step as improving
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


@pytest.fixture
def tried(monkeypatch):
    """Note which methods are tried, on tables that all count as too large for every method that is not for such."""
    monkeypatch.setattr(methods, "_SMALL", 0)
    monkeypatch.setattr(methods, "_LARGE", 0)
    for key, method in methods.METHODS.items():
        monkeypatch.setitem(methods.METHODS, key, replace(method, largest=method.largest and 0))
    climbed, keys = methods._climbed, []

    def noted(method, problem, search):
        keys.append(method.key)
        return climbed(method, problem, search)

    monkeypatch.setattr(methods, "_climbed", noted)
    return keys


def test_a_very_large_table_is_cut_too_and_no_less_is_kept_than_by_cutting_alone(tried):
    problem = crowd(300)
    cut = methods.found("mondrian", problem, BRIEF)
    tried.clear()
    release = methods.found("auto", problem, BRIEF)
    assert_release(problem, release.partition, whole=True)
    assert tried == ["gather", "mondrian"]
    assert release.loss <= cut.loss


def test_a_table_too_large_to_be_annealed_is_cut_alone(tried, monkeypatch):
    monkeypatch.setattr(improving, "WORK", 0)
    problem = crowd(300)
    release = methods.found("auto", problem, BRIEF)
    assert_release(problem, release.partition, whole=True)
    assert (release.method, tried) == ("mondrian", ["mondrian"])


def test_a_very_large_table_is_not_cut_without_effort(tried):
    assert methods.found("auto", crowd(300), replace(BRIEF, effort=0.0)) is not None
    assert tried == ["peel"]
