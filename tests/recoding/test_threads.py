"""Work that threads share: its order, what is told of it, and how it is stopped."""

import threading

import pytest

from tclose.anonymization.algorithms.threads import in_threads


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_are_in_the_order_of_the_work_and_shares_grow_to_one(threads):
    told = []
    assert in_threads(lambda at: at * at, [3, 1, 4, 2], threads, told.append) == [0, 1, 4, 9]
    assert told == sorted(told)
    assert (len(told), told[-1]) == (4, 1.0)


def test_no_work_is_done_without_telling_anything():
    assert in_threads(lambda at: at, [], 2, lambda _share: pytest.fail("told of nothing")) == []


def test_whoever_is_told_may_stop_the_work_without_waiting_for_the_rest():
    gate, ended = threading.Event(), []

    def work(at):
        if at == 0:
            gate.wait(60)
            ended.append(at)

    def stop(share):
        raise KeyboardInterrupt

    try:
        with pytest.raises(KeyboardInterrupt):
            in_threads(work, [9, 8, 1, 1, 1], 2, stop)
        assert not ended
    finally:
        gate.set()


def test_what_fails_in_a_thread_fails_where_it_was_asked_for():
    with pytest.raises(ZeroDivisionError):
        in_threads(lambda at: 1 // at, [1, 1, 1], 2, lambda _share: None)
