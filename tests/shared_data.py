"""Where the shared data lie that some tests need."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

DATA = Path(os.environ.get("TCLOSE_DATA", Path(__file__).parents[2] / "shared" / "data"))


def shared_file(*parts: str) -> Path:
    """Return a file of the shared data; where there are none skip the test, and where one is missing fail in CI."""
    path = DATA.joinpath(*parts)
    if not path.is_file():
        missing = f"{path} is not here; set TCLOSE_DATA to the folder that holds adult/ and census/"
        if os.environ.get("CI") and DATA.is_dir():
            pytest.fail(missing)
        pytest.skip(missing)
    return path
