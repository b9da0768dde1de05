"""How much memory a person allows, in bytes."""

from __future__ import annotations

import re

UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
         "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}  # fmt: skip
_SIZE = re.compile(r"\s*(\d{1,6}(?:\.\d{1,3})?)\s*([kKMGT]i?B|B)\s*")


def bytes_of(memory: str) -> int | None:
    """Return the bytes that a size of memory stands for; None where a text is no such size.

    Examples
    --------
    >>> bytes_of("4GB"), bytes_of("1.5 MiB"), bytes_of("much")
    (4000000000, 1572864, None)
    """
    match = _SIZE.fullmatch(memory)
    return None if match is None else int(float(match[1]) * UNITS[match[2].replace("k", "K")])
