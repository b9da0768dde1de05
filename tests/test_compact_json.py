"""Compact JSON made a stretch at a time is what the standard library makes at once, and holds few texts at a time."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tclose.data import compact_json
from tclose.data.compact_json import compact, hashed

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
DATA = st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30)


def at_once(data: object) -> str:
    return json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))


@pytest.fixture(params=[(1 << 15, 1000), (3, 2), (1, 0)], autouse=True)
def stretches(request: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact_json, "_STRETCH", request.param[0])
    monkeypatch.setattr(compact_json, "_FEW", request.param[1])


@given(DATA)
def test_it_is_the_text_of_the_standard_library(data: object) -> None:
    assert "".join(compact(data)) == at_once(data)
    assert hashed(compact(data)) == hashlib.sha256(at_once(data).encode()).hexdigest()


@pytest.mark.parametrize("shape", [(0,), (7,), (0, 3), (3, 0), (2, 9), (9, 2)])
def test_arrays_are_as_their_lists(shape: tuple[int, ...]) -> None:
    array = np.arange(np.prod(shape), dtype=np.int32).reshape(shape) - 3
    assert "".join(compact({"a": array, "b": array.T})) == at_once({"a": array.tolist(), "b": array.T.tolist()})


@pytest.mark.parametrize("data", [float("nan"), {"a": [float("inf")]}])
def test_what_json_does_not_have_is_refused(data: object) -> None:
    with pytest.raises(ValueError, match="JSON"):
        list(compact(data))


def test_long_arrays_are_never_held_as_texts_of_their_items(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact_json, "_STRETCH", 1000)
    array = np.arange(200_000) + 1_000_000
    tracemalloc.start()
    length = sum(len(piece) for piece in compact(array))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert length == 8 * len(array) + 1
    assert peak < length / 2
