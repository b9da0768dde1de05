"""Data as compact JSON, made a stretch at a time: of long lists and arrays few items are held as texts at once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

_STRETCH = 1 << 15
"""So many items are written at once."""
_FEW = 1_000
"""In lists of at most so many items, each is looked into."""


def compact(data: object) -> Iterator[str]:
    """Give the JSON of data in pieces that make one text: ASCII, without blanks, NaN refused.

    Parameters
    ----------
    data
        What JSON can hold, and arrays of whole numbers.

    Examples
    --------
    >>> "".join(compact({"a": [1, None], "b": np.array([[2, 3]])}))
    '{"a":[1,null],"b":[[2,3]]}'
    """
    if isinstance(data, dict):
        yield "{"
        for at, (key, value) in enumerate(data.items()):
            yield f"{',' if at else ''}{_plain(key)}:"
            yield from compact(value)
        yield "}"
    elif isinstance(data, np.ndarray | list) and len(data):
        yield "["
        yield from _items(data)
        yield "]"
    else:
        yield _plain(data)


def hashed(pieces: Iterable[str]) -> str:
    """Return the SHA-256 of the text that pieces make."""
    found = hashlib.sha256()
    for piece in pieces:
        found.update(piece.encode())
    return found.hexdigest()


def _items(data: NDArray[np.integer] | list[object]) -> Iterator[str]:
    """Give the items of a list, with commas between them."""
    nested = data.ndim > 1 if isinstance(data, np.ndarray) else len(data) <= _FEW
    if nested:
        for at, item in enumerate(data):
            yield "," if at else ""
            yield from compact(item)
        return
    for start in range(0, len(data), _STRETCH):
        some = data[start : start + _STRETCH]
        yield f"{',' if start else ''}{_plain(some.tolist() if isinstance(some, np.ndarray) else some)[1:-1]}"


def _plain(data: object) -> str:
    if isinstance(data, np.ndarray):
        data = data.tolist()
    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
