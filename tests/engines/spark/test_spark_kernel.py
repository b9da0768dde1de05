"""Sorted pairs are cut into whole classes, whatever the batches and the size of a part; a giant class stays small."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tclose.engines.spark import kernel


def pairs(seed: int, rows: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    q0 = np.sort(rng.integers(0, 12, rows))
    return pa.table({"q0": pa.array(q0, mask=q0 == 0), "r0": pa.array(rng.integers(-1, 6, rows).astype(np.int32))})


def counted(table: pa.Table, size: int, batch: int, monkeypatch) -> dict[object, tuple[int, dict[int, int]]]:
    monkeypatch.setattr(kernel, "PAIRS", size)
    found: dict[object, tuple[int, dict[int, int]]] = {}
    for whole in kernel.wholes(table.to_batches(max_chunksize=batch), 1, 1, population=False):
        for at, key in enumerate(whole.keys.column("q0").to_pylist()):
            assert key not in found, "a class is in one part"
            found[key] = (int(whole.part.sizes[at]), dict(zip(*whole.part.blocks[0].histogram(at), strict=True)))
    return found


@pytest.mark.parametrize(("size", "batch"), [(1, 1), (5, 2), (50, 7), (10**6, 10**6)])
def test_parts_hold_whole_classes_with_the_right_counts(size, batch, monkeypatch):
    table = pairs(size, 400)
    expected: dict[object, tuple[int, dict[int, int]]] = {}
    for row in table.to_pylist():
        rows, histogram = expected.setdefault(row["q0"], (0, {}))
        if row["r0"] >= 0:
            histogram[row["r0"]] = histogram.get(row["r0"], 0) + 1
        expected[row["q0"]] = (rows + 1, histogram)
    assert counted(table, size, batch, monkeypatch) == expected


def test_a_class_that_goes_on_takes_no_more_room_than_its_values(monkeypatch):
    monkeypatch.setattr(kernel, "PAIRS", 100)
    held = []
    together = kernel._together
    monkeypatch.setattr(
        kernel, "_together", lambda tables: held.append(sum(t.num_rows for t in tables)) or together(tables)
    )
    rows = 20_000
    table = pa.table({"q0": ["one"] * rows, "r0": pa.array(np.arange(rows, dtype=np.int32) % 30)})
    (whole,) = kernel.wholes(table.to_batches(max_chunksize=40), 1, 1, population=False)
    assert whole.part.sizes.tolist() == [rows]
    assert whole.part.blocks[0].distinct.tolist() == [30]
    assert max(held) < 200
