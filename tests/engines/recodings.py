"""What the tests of recoding share: recodings made row by row in plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tclose.engines.duckdb.session import DuckDBSession
from tclose.engines.recoding import Recoding

Key = tuple[object, ...]
Cells = tuple[str | None, ...]
LEFT_OUT = None


def rows_of(columns: Mapping[str, Sequence[object]]) -> list[dict[str, object]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def keys_of(columns: Mapping[str, Sequence[object]], names: Sequence[str]) -> list[Key]:
    return [tuple(row[name] for name in names) for row in rows_of(columns)]


def recoding(
    pieces: Sequence[tuple[Key, Cells | None, int]],
    *,
    columns: Sequence[str],
    keys: Sequence[str],
    quasi: Sequence[str],
    counted: bool = True,
    seed: int = 7,
) -> Recoding:
    """Return the recoding of pieces: key values, the cells that their class publishes (or LEFT_OUT), rows."""
    values = [list(dict.fromkeys(key[at] for key, _, _ in pieces)) for at in range(len(keys))]
    classes = list(dict.fromkeys(cells for _, cells, _ in pieces if cells is not None))
    labels = [list(dict.fromkeys(cells[at] for cells in classes)) for at in range(len(quasi))]
    codes = [[values[at].index(value) for at, value in enumerate(key)] for key, _, _ in pieces]
    return Recoding(
        columns=tuple(columns),
        keys=tuple(keys),
        values=tuple(values),
        codes=np.array(codes, dtype=np.int32).reshape(len(pieces), len(keys)),
        classes=np.array([-1 if cells is None else classes.index(cells) for _, cells, _ in pieces], dtype=np.int64),
        counts=np.array([rows for _, _, rows in pieces], dtype=np.int64) if counted else None,
        quasi=tuple(quasi),
        labels=tuple(labels),
        cells=np.array(
            [[labels[at].index(label) for at, label in enumerate(cells)] for cells in classes], dtype=np.int32
        ).reshape(len(classes), len(quasi)),
        seed=seed,
    )


def functional(
    columns: Mapping[str, Sequence[object]],
    quasi: Sequence[str],
    sensitive: Sequence[str],
    cells: Callable[[Key], Cells | None],
    *,
    published: Sequence[str] | None = None,
    **options: Any,
) -> Recoding:
    """Return the recoding under which the quasi-identifiers of a row decide what its class publishes."""
    keys = [*quasi, *sensitive]
    counts = Counter(keys_of(columns, keys))
    pieces = [(key, cells(key[: len(quasi)]), rows) for key, rows in counts.items()]
    return recoding(pieces, columns=published or list(columns), keys=keys, quasi=quasi, **options)


def text(key: Key) -> Cells:
    """Publish every value as its own text."""
    return tuple(None if value is None else str(value) for value in key)


def released(columns: object, plan: Recoding, *, unknown: Any = "refuse", **settings: Any) -> Any:
    session = DuckDBSession(**settings)
    return session.recode(session.open(columns), plan, unknown=unknown)


def listed(release: Any) -> list[dict[str, object]]:
    """Return the rows of a release, in their order."""
    return list(release.to_arrow().to_pylist())
