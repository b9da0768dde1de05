"""A cluster in one process: rows in pieces of any size and order, whatever a kernel gives sent through pickling."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np

TOGETHER: dict[str, Any] = {"sum": sum, "min": min, "max": max}


@dataclass
class Shuffled:
    """Puts rows into pieces by chance, and remembers what was asked for."""

    seed: int
    pieces: int = 3
    asked: list[str] = field(default_factory=list)
    sent: list[bytes] = field(default_factory=list)

    @contextmanager
    def put(self, columns) -> Iterator[Shuffled]:
        assert len({len(column) for column in columns.values()}) == 1
        self.columns = columns
        yield self
        self.asked.append("gone")

    def _kernel(self, kernel):
        self.sent.append(pickle.dumps(kernel))
        return pickle.loads(self.sent[-1])

    def _pieces(self, columns, numbers: Sequence[int]) -> list[dict[str, np.ndarray]]:
        """Return the rows of each number, in any order, some of the pieces empty."""
        random = np.random.default_rng(self.seed)
        numbers = np.asarray(numbers, dtype=np.int64)
        shuffled = random.permutation(len(numbers))
        return [
            {name: column[shuffled[numbers[shuffled] == number]] for name, column in columns.items()}
            for number in random.permutation(self.pieces).tolist()
        ]

    def tallied(self, kernel, keys, how):
        self.asked.append("tallied")
        kernel, found = self._kernel(kernel), defaultdict(list)
        rows = len(self.columns["row"])
        for piece in self._pieces(self.columns, np.random.default_rng(self.seed).integers(0, self.pieces, rows)):
            given = kernel(piece)
            assert set(given) == {*keys, *how}
            for at in range(len(given[keys[0]])):
                found[tuple(int(given[key][at]) for key in keys)].append([int(given[name][at]) for name in how])
        items = list(found.items())
        Random(self.seed).shuffle(items)
        columns = {key: [item[0][at] for item in items] for at, key in enumerate(keys)}
        for at, (name, way) in enumerate(how.items()):
            columns[name] = [TOGETHER[way](row[at] for row in rows) for _, rows in items]
        return {name: np.array(column, dtype=np.int64) for name, column in columns.items()}

    def gathered(self, bins, kernel, names):
        self.asked.append("gathered")
        of_rows = self._kernel(bins)(self.columns)
        given = [
            self._kernel(kernel)(piece)
            for piece in self._pieces(self.columns | {"bin": of_rows}, of_rows % self.pieces)
        ]
        return {name: np.concatenate([piece[name] for piece in given]) for name in names}
