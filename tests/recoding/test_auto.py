"""What ``auto`` tries: on a large table cuts, as without effort, and then moves where they have rounds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recoding.test_improving import assert_release, crowd
from tclose.anonymization.algorithms import catalogue as methods
from tclose.anonymization.algorithms import gather as gathering
from tclose.anonymization.algorithms.local_search import annealing as improving
from tclose.anonymization.algorithms.mondrian import mondrian
from tclose.anonymization.algorithms.search import Search

BRIEF = Search(whole_classes=True, effort=0.1)


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


def test_a_large_table_is_moved_after_it_was_cut(tried, monkeypatch):
    monkeypatch.setattr(methods, "_LARGE", 30_000)
    problem = crowd(300)
    release = methods.found("auto", problem, BRIEF)
    assert_release(problem, release.partition, whole=True)
    assert (release.method, tried) == ("gather", ["mondrian", "gather"])


def test_a_large_table_is_merged_where_cuts_and_moves_find_nothing(tried, monkeypatch):
    monkeypatch.setattr(methods, "_LARGE", 30_000)
    for module in (gathering, mondrian):
        monkeypatch.setattr(module, "find", lambda _problem, _search: None)
    problem = crowd(300)
    release = methods.found("auto", problem, BRIEF)
    assert_release(problem, release.partition, whole=True)
    assert (release.method, tried) == ("merge", ["mondrian", "merge", "gather"])


def test_a_very_large_table_is_cut_too_and_no_less_is_kept_than_by_cutting_alone(tried):
    problem = crowd(300)
    cut = methods.found("mondrian", problem, BRIEF)
    tried.clear()
    release = methods.found("auto", problem, BRIEF)
    assert_release(problem, release.partition, whole=True)
    assert tried == ["mondrian", "gather"]
    assert release.loss <= cut.loss


def test_a_table_too_large_to_be_annealed_is_cut_alone(tried, monkeypatch):
    monkeypatch.setattr(improving, "WORK", 0)
    problem = crowd(300)
    release = methods.found("auto", problem, BRIEF)
    assert_release(problem, release.partition, whole=True)
    assert (release.method, tried) == ("mondrian", ["mondrian"])


def test_a_large_table_is_cut_without_effort(tried):
    assert methods.found("auto", crowd(300), replace(BRIEF, effort=0.0)) is not None
    assert tried == ["mondrian"]
