"""The fingerprint of an audited table: the same for the same counts, whatever the order, the file or the engine."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256

import numpy as np

from tclose.auditing.results import Audit, Evidence
from tclose.data.values import FineMoment, as_text

COVERS = (
    "SHA-256 over the key and the number of rows of every class, and over how many rows carry each sensitive value; "
    "it does not depend on the order of rows, and covers no other column."
)
MOST_CLASSES = 5_000_000
_VERSION = "tclose fingerprint 2"


def fingerprint(audit: Audit) -> str | None:
    """Return the fingerprint of what was audited, in hexadecimal digits.

    Values count as their texts. What is hashed: for every quasi-identifier its name and its values in order; for every
    class, in the order of the keys, the positions of its values in those orders, column by column, and its size; for
    every sensitive attribute its name and its values in order, each with its number of rows.

    It identifies the counts and does not hide them: someone who knows all but a few rows can try what they are.

    Parameters
    ----------
    audit
        What was found; one without classes, or with more than five million, has no fingerprint.
    """
    table = audit.tables.get(None)
    if table is None or len(table) > MOST_CLASSES:
        return None
    keys = table.encoded()
    whole = sha256(_texts([_VERSION, str(len(audit.roles.quasi)), str(len(keys.sizes))]))
    ranks = []
    for name, values, positions in zip(audit.roles.quasi, keys.values, keys.positions, strict=True):
        ordered, places = np.unique(np.array([_text(value) for value in values], dtype=object), return_inverse=True)
        whole.update(_texts([name, str(len(ordered))]) + _bytes("".join(ordered)))
        ranks.append(places[positions])
    order = np.lexsort((keys.sizes, *reversed(ranks)))
    for column in (*ranks, keys.sizes):
        whole.update(column[order].astype(">u8").tobytes())
    for name, evidence in sorted(audit.evidence.items()):
        whole.update(_texts([name]) + _bytes("".join(sorted(_counted_values(evidence)))))
    return whole.hexdigest()


def _counted_values(evidence: Evidence) -> Iterable[str]:
    values = evidence.domain.values
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    for value, count in zip(listed, evidence.domain.counts.tolist(), strict=True):
        if count:
            yield f"{_text(value)}{count};"


def _text(value: object) -> str:
    """Return a value so that no two rows of values read alike: its length, and its text."""
    if value is None:
        return "-;"
    if isinstance(value, datetime) and value.tzinfo is not None:  # whichever zone its file shows it in
        value = value.astimezone(UTC).replace(tzinfo=None)
    text = str(value.in_utc).removesuffix("+00:00") if isinstance(value, FineMoment) else as_text(value)
    return f"{len(text)}:{text};"


def _texts(texts: Iterable[str]) -> bytes:
    return _bytes("".join(map(_text, texts)))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
