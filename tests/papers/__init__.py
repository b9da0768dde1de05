"""The papers' tables (``TABLES``), their numbers (``EXPECTED``) and where each stands (``SOURCES``).

``EXPECTED["salary.t_ordered"]`` is the number of ``[salary.t_ordered]`` in ``expected.toml``. Texts such as
``"3/8"`` become fractions, lists become tuples, whole numbers and floats stay what they are; a float is
rounded as its source prints it, so compare it with a tolerance of half its last digit (``TOLERANCE``).
"""

from __future__ import annotations

import re
import tomllib
from fractions import Fraction
from pathlib import Path
from typing import Any

from papers.tables import DISEASE_TREE, TABLES, PaperTable

TOLERANCE = 5.1e-7
"""How far a float of ``EXPECTED`` may be from the truth: the sources give six decimals."""


def _number(written: Any) -> Any:
    if isinstance(written, str) and re.fullmatch(r"-?\d+(/\d+)?", written):
        return Fraction(written)
    if isinstance(written, list):
        return tuple(_number(item) for item in written)
    if isinstance(written, dict):
        return {name: _number(item) for name, item in written.items()}
    return written


def _entries() -> dict[str, dict[str, Any]]:
    sections = tomllib.loads((Path(__file__).parent / "expected.toml").read_text(encoding="utf-8"))
    return {f"{table}.{what}": entry for table, entries in sections.items() for what, entry in entries.items()}


EXPECTED: dict[str, Any] = {name: _number(entry["value"]) for name, entry in _entries().items()}
SOURCES: dict[str, str] = {name: entry["source"] for name, entry in _entries().items()}

__all__ = ["DISEASE_TREE", "EXPECTED", "SOURCES", "TABLES", "TOLERANCE", "PaperTable"]
