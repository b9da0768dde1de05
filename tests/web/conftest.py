"""The server and the browser that the tests of a module share."""

import pytest

from web.browsing import launched
from web.serving import running


@pytest.fixture(scope="module")
def server():
    """A server with nothing named on its command line."""
    with running() as found:
        yield found


@pytest.fixture(scope="module")
def browser():
    """A browser; without one the test is skipped, or fails where CI promises it."""
    with launched() as found:
        yield found
