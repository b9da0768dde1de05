"""What somebody may do who is not the superuser, also where the tests are run by him."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_SOMEBODY = 65534


@contextmanager
def closed_folder() -> Iterator[Path]:
    """Give a folder into which this process may not write while it has it; what needs imports is done before."""
    superuser = os.geteuid() == 0
    with tempfile.TemporaryDirectory(prefix="closed") as place:
        folder = Path(place)
        folder.chmod(0o555)
        if superuser:
            os.setresuid(_SOMEBODY, _SOMEBODY, 0)
        try:
            yield folder
        finally:
            if superuser:
                os.setresuid(0, 0, 0)
            folder.chmod(0o700)
