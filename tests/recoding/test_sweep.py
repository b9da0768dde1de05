"""Searches that share work or end early: releases all the same, never worse than what they began with."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from recoding.test_improving import assert_release, crowd
from tclose.anonymization.algorithms import threshold_sweep as sweep
from tclose.anonymization.algorithms.catalogue import METHODS, found
from tclose.anonymization.algorithms.search import Search, TimeLimit
from tclose.models.catalogue import requirements

BRIEF = Search(whole_classes=True, effort=0.2)
THRESHOLDS = ("0.15", "0.25", "0.4")
METHODS_SWEPT = ("auto", "gather", "mondrian", "full-domain")


def with_t(problem, t):
    """The problem with another t."""
    (close,) = requirements({"t": t})
    tasks = [
        replace(task, requirements=(replace(task.requirements[0], threshold=close.threshold),))
        if task.model.key == "t"
        else task
        for task in problem.tasks
    ]
    return replace(problem, tasks=tuple(tasks))


@pytest.mark.parametrize("suppress", [Fraction(0), Fraction(1, 20)])
@pytest.mark.parametrize("method", METHODS_SWEPT)
def test_each_threshold_of_a_large_table_has_a_release_no_worse_than_the_stricter_one(method, suppress, monkeypatch):
    monkeypatch.setattr(sweep, "ALONE_UP_TO", 0)
    problems = [replace(with_t(crowd(), t), suppress=suppress) for t in THRESHOLDS]
    losses = []
    for problem, release in zip(problems, sweep.found_at_each(method, problems, BRIEF), strict=True):
        assert_release(problem, release.partition, whole=True)
        assert release.loss == BRIEF.loss(problem, release.partition)
        losses.append(release.loss)
    assert losses == sorted(losses, reverse=True)


def test_each_threshold_of_a_small_table_is_searched_by_itself():
    problems = [with_t(crowd(120), t) for t in THRESHOLDS[1:]]
    shared = [each.loss for each in sweep.found_at_each("mondrian", problems, BRIEF)]
    assert shared == [found("mondrian", problem, BRIEF).loss for problem in problems]


def test_a_threshold_beyond_the_table_has_no_release():
    (large,) = requirements({"k": 1000})
    problem = crowd(50)
    tasks = tuple(replace(task, requirements=(large,)) if task.model.key == "k" else task for task in problem.tasks)
    assert list(sweep.found_at_each("gather", [replace(problem, tasks=tasks)], BRIEF)) == [None]


@pytest.mark.parametrize(
    ("method", "rows"), [*((key, 60) for key, method in METHODS.items() if not method.for_any), ("auto", 400)]
)
def test_a_search_whose_time_is_over_still_ends_in_a_release_and_says_so(method, rows):
    problem, whole = crowd(rows), method != "sabre"
    search = Search(whole_classes=whole, effort=0.2, limit=TimeLimit.of(-1.0))
    release = found(method, problem, search)
    assert_release(problem, release.partition, whole=whole)
    assert len([note for note in release.partition.notes if note.code == "search-stopped"]) == 1


def test_what_gains_most_in_a_short_time_is_tried_first():
    search = Search(whole_classes=True, effort=0.2, limit=TimeLimit.of(-1.0))
    assert found("auto", crowd(400), search).method == "gather"


def test_a_search_whose_time_is_not_over_says_nothing():
    release = found("merge", crowd(60), replace(BRIEF, limit=TimeLimit.of(1e6)))
    assert not release.partition.notes


def test_parts_of_the_work_never_go_back():
    told = []
    search = Search(tell=lambda stage, share: told.append((stage, share)))
    whole = search.part(0.5, 1.0, "mondrian: ")
    whole.tell("cutting", 0.0)
    whole.part(0.0, 0.5).tell("cutting", 0.5)
    whole.tell("cutting", 0.1)
    whole.tell("merging", None)
    assert told == [
        ("mondrian: cutting", 0.5), ("mondrian: cutting", 0.625), ("mondrian: cutting", 0.625),
        ("mondrian: merging", 0.625),
    ]  # fmt: skip


@pytest.mark.parametrize("method", ["auto", "gather", "mondrian"])
def test_what_is_told_of_a_search_grows_from_nothing_to_all(method):
    shares = []
    found(method, crowd(150), replace(BRIEF, tell=lambda _stage, share: shares.append(share)))
    assert shares == sorted(shares)
    assert 0.0 <= shares[0] <= shares[-1] <= 1.0
