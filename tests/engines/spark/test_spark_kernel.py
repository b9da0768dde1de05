"""Rows are gathered into cells, and sorted cells cut into whole classes, whatever the batches and the sizes."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

from tclose.engines.spark import gathering, kernel


def rows_of(seed: int, rows: int) -> pa.Table:
    rng = np.random.default_rng(seed)
    q0, q1 = rng.integers(0, 12, rows), rng.integers(0, 3, rows)
    return pa.table(
        {
            "q0": pa.array(q0, mask=q0 == 0),
            "q1": pa.array([("x", "y", None)[at] for at in q1], pa.string()),
            "r0": pa.array(rng.integers(-1, 6, rows).astype(np.int32)),
            "r1": pa.array(rng.integers(0, 900, rows).astype(np.int32)),
        }
    )


def expected(table: pa.Table) -> dict[object, list[Counter[int]]]:
    """Return, for each class, how often each rank of each attribute occurs."""
    found: dict[object, list[Counter[int]]] = {}
    for row in table.to_pylist():
        for at, counts in enumerate(found.setdefault((row["q0"], row["q1"]), [Counter(), Counter()])):
            counts[row[f"r{at}"]] += row.get("n", 1)
    return found


def sorted_cells(table: pa.Table, batch: int) -> pa.Table:
    cells = gathering.Gathering(2, 2).gathered(table.to_batches(max_chunksize=batch))
    return pa.Table.from_batches(cells).sort_by([("q0", "ascending"), ("q1", "ascending")])


def counted(cells: pa.Table, batch: int) -> dict[object, list[Counter[int]]]:
    found: dict[object, list[Counter[int]]] = {}
    for whole in kernel.wholes(cells.to_batches(max_chunksize=batch), 2, 2, population=False):
        for at, key in enumerate(zip(*(column.to_pylist() for column in whole.keys.columns), strict=True)):
            assert key not in found, "a class is in one part"
            found[key] = [Counter(dict(zip(*block.histogram(at), strict=True))) for block in whole.part.blocks]
            found[key][0] += Counter({-1: int(whole.part.sizes[at]) - found[key][0].total()})
    return found


@pytest.mark.parametrize(("size", "batch"), [(1, 1), (5, 2), (50, 7), (10**6, 10**6)])
@pytest.mark.parametrize("numbers", [1, 3, 2**31 + 5, 2**40], ids=["rows", "small", "beyond four bytes", "large"])
def test_parts_hold_whole_classes_with_the_right_counts(size, batch, numbers, monkeypatch):
    monkeypatch.setattr(kernel, "PAIRS", size)
    monkeypatch.setattr(gathering, "_ROWS", 7 * size)
    monkeypatch.setattr(gathering, "_CELL", 1 + size % 7)
    table = rows_of(size, 400)
    if numbers > 1:
        table = table.append_column("n", pa.array(np.arange(400) % 2 * (numbers - 1) + 1))
    assert counted(sorted_cells(table, batch), batch) == expected(table)


def test_many_combinations_of_values_are_numbered_by_those_that_occur(monkeypatch):
    monkeypatch.setattr(gathering, "_DENSE", 4)
    table = rows_of(1, 400)
    assert counted(sorted_cells(table, 100), 100) == expected(table)


def test_a_class_that_goes_on_takes_no_more_room_than_its_values(monkeypatch):
    monkeypatch.setattr(kernel, "PAIRS", 100)
    monkeypatch.setattr(gathering, "_ROWS", 40)
    held = []
    together = kernel._together
    monkeypatch.setattr(
        kernel, "_together", lambda tables: held.append(sum(t.num_rows for t in tables)) or together(tables)
    )
    rows = 20_000
    table = pa.table({"q0": ["one"] * rows, "r0": pa.array(np.arange(rows, dtype=np.int32) % 30)})
    cells = gathering.Gathering(1, 1).gathered(table.to_batches(max_chunksize=40))
    (whole,) = kernel.wholes(cells, 1, 1, population=False)
    assert whole.part.sizes.tolist() == [rows]
    assert whole.part.blocks[0].distinct.tolist() == [30]
    assert len(held) > 100
    assert max(held) < 10


def test_a_value_that_was_not_there_before_is_noticed():
    table = pa.table({"q0": [1, 1, 2], "r0": pa.array([0, None, None], pa.int32())})
    cells = pa.Table.from_batches(gathering.Gathering(1, 1).gathered(table.to_batches()))
    assert kernel.whole(cells, 1, 1, population=False).unknown == 2


def test_classes_of_the_population_alone_are_left_out():
    table = pa.table({"q0": [1, 1, 3], "r0": pa.array([0, 1, 1], pa.int32())})
    cells = pa.Table.from_batches(gathering.Gathering(1, 1).gathered(table.to_batches()))
    people = pa.table({"q0": [1, 2, 3], "people": [5, 7, 9]})
    both = pa.concat_tables([cells, people], promote_options="default").sort_by("q0")
    found = kernel.whole(both, 1, 1, population=True)
    assert found.keys.column("q0").to_pylist() == [1, 3]
    assert found.part.sizes.tolist() == [2, 1]
    assert found.population.tolist() == [5, 9]
