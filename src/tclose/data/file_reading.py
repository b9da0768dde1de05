"""Small files that are read whole, such as policies and hierarchies: none is read that has no end."""

from __future__ import annotations

import errno
from pathlib import Path

MOST_BYTES = 2**29


def read_whole(path: Path, most: int = MOST_BYTES) -> bytes:
    """Return the content of a file.

    Raises
    ------
    OSError
        If it cannot be read, or is longer than it may be.
    """
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most // 2**20} MiB")
    return content
