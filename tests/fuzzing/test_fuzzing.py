"""A few strange files and requests at every door; ``scripts/fuzz`` tries thousands."""

from __future__ import annotations

import pytest

from fuzzing.corpus import seeds
from fuzzing.doors import KINDS, Trial, tried
from web.serving import running

AGAIN = 5
"""So many trials at each door."""


@pytest.fixture(scope="module")
def server():
    with running() as found:
        yield found


@pytest.mark.parametrize("name", KINDS)
def test_whatever_comes_in_ends_in_an_answer_or_a_clear_refusal(name, server):
    wrong = [tried(name, number, 0, server)[2] for number in range(AGAIN)]
    assert wrong == [[]] * AGAIN


@pytest.mark.parametrize("name", [name for name in KINDS if name not in ("request", "workbook", "statistics package")])
def test_what_the_strange_files_are_made_of_is_sound(name, tmp_path, capfd):
    """Otherwise every strange file would be refused for the same reason."""
    kind, door = KINDS[name]
    for seed in seeds(kind):
        assert list(door(Trial(seed.content, seed.ending, tmp_path))) == []
        assert "Error" not in (tmp_path / "err").read_text()


def test_the_same_number_is_the_same_trial(server):
    for name in ("text table", "request"):
        assert tried(name, 3, 1, server)[:2] == tried(name, 3, 1, server)[:2]
