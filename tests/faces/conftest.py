"""What the tests of the command line share."""

import pytest

from faces.command_line import in_process


@pytest.fixture
def run(capfdbinary):
    """Run the command line in this process."""
    return lambda *arguments: in_process(capfdbinary, *arguments)
