"""The fingerprint of an audited table: the same for the same counts, whatever the order, the file or the engine."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

import numpy as np

from tclose.readings import as_text
from tclose.render.classes import figure_column
from tclose.results import Audit, Evidence

COVERS = (
    "SHA-256 over the key and the number of rows of every class, and over how many rows carry each sensitive value; "
    "it does not depend on the order of rows, and covers no other column."
)
MOST_CLASSES = 2_000_000
_VERSION = b"tclose fingerprint 1\n"


def fingerprint(audit: Audit) -> str | None:
    """Return the fingerprint of what was audited, in hexadecimal digits.

    It identifies the counts and does not hide them: someone who knows all but a few rows can try what they are.

    Parameters
    ----------
    audit
        What was found; one without classes, or with more than two million, has no fingerprint.
    """
    table = audit.tables.get(None)
    size = None if table is None else figure_column(table, len(audit.roles.quasi), "size")
    if table is None or size is None or len(table) > MOST_CLASSES:
        return None
    whole = sha256(_VERSION)
    whole.update(_part("quasi", audit.roles.quasi))
    written: list[dict[object, str]] = [{} for _ in audit.roles.quasi]
    digests = bytearray()
    for row in table.rows():
        texts = []
        for name, known in zip(audit.roles.quasi, written, strict=True):
            value = row[name]
            text = known.get(value)
            if text is None:
                text = known[value] = _text(value)
            texts.append(text)
        digests += sha256(f"{''.join(texts)}{row[size]}".encode("utf-8", "surrogatepass")).digest()
    whole.update(_sorted(bytes(digests)))
    for name, evidence in sorted(audit.evidence.items()):
        whole.update(_part("sensitive", [name]))
        whole.update(_sorted(b"".join(_values(evidence))))
    return whole.hexdigest()


def _values(evidence: Evidence) -> Iterable[bytes]:
    values = evidence.domain.values
    listed = values.tolist() if isinstance(values, np.ndarray) else values
    for value, count in zip(listed, evidence.domain.counts.tolist(), strict=True):
        if count:
            yield sha256(f"{_text(value)}{count}".encode("utf-8", "surrogatepass")).digest()


def _part(word: str, names: Iterable[str]) -> bytes:
    return f"{word} {''.join(map(_text, names))}\n".encode("utf-8", "surrogatepass")


def _text(value: object) -> str:
    """Return a value so that no two rows of values read alike: its length, and its text."""
    if value is None:
        return "-;"
    text = as_text(value)
    return f"{len(text)}:{text};"


def _sorted(digests: bytes) -> bytes:
    """Return digests in their own order, whatever order they came in."""
    words = np.frombuffer(digests, dtype=">u8").reshape(-1, 4)
    return words[np.lexsort(words.T[::-1])].tobytes()
