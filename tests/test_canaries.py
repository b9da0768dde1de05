"""What listens for canaries in every test hears them."""

import logging

import pytest

from canaries import CANARY, CANARY_NUMBER, overheard
from tclose.errors import ColumnNotFoundError, InputError


@pytest.fixture(autouse=True)
def no_message_shows_a_canary():
    """Let these tests say what no other may."""


@pytest.mark.parametrize("word", [CANARY, f"the row of {CANARY}", f"pay {CANARY_NUMBER:,}"])
def test_an_error_and_a_log_that_show_a_cell_are_heard(word):
    with overheard() as leaks:
        assert str(InputError(word)) == word
        ColumnNotFoundError(word, ["a"])
        logging.getLogger("tclose.web").warning("refused: %s", word)
    assert len(leaks) == 3


def test_other_words_are_not():
    with overheard() as leaks:
        InputError("the column 'pay'")
        logging.getLogger("tclose").warning("nothing")
    assert leaks == []
