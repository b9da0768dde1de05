"""The privacy criteria of ARX, as it writes them down, and the models here that are their counterparts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

_OF = r" for attribute '(?P<attribute>.*)'"
_NUMBER = r"[0-9.]+(?:E-?[0-9]+)?"
_TABLE = {
    "k": rf"(?P<number>{_NUMBER})-anonymity",
    "marketer": rf"\((?P<number>{_NUMBER})\)-avg-reidentification-risk",
}
_COLUMN = {
    "t": rf"(?P<number>{_NUMBER})-closeness with (?P<word>equal|hierarchical|ordered) (?:ground-)?distance{_OF}",
    "l": rf"distinct-(?P<number>{_NUMBER})-diversity{_OF}",
    "entropy_l": rf"shannon-entropy-(?P<number>{_NUMBER})-diversity{_OF}",
    "recursive": rf"recursive-\((?P<number>{_NUMBER},{_NUMBER})\)-diversity{_OF}",
    "delta": rf"(?P<number>{_NUMBER})-disclosure privacy{_OF}",
    "beta": rf"basic-(?P<number>{_NUMBER})-likeness{_OF}",
    "enhanced_beta": rf"enhanced-(?P<number>{_NUMBER})-likeness{_OF}",
}
_DISTANCES = {"equal": "nominal", "hierarchical": "hierarchical", "ordered": "ordered"}
_WITHOUT = {
    "inclusion": "The project publishes a subset of its table, whose population the table is: name the subset as "
    "source and say population = FILE in [table].",
    "population-uniqueness": "Population uniqueness is measured here (population_size in [policy]); no release is made "
    "by it.",
    "sample-uniqueness": "Sample uniqueness is k: with k = 2 no row is alone. A share of rows that may be is suppress "
    "in [release].",
    "grassberger": "The entropy is Shannon's here (entropy_l); Grassberger's correction has no counterpart.",
    "-map": "k-map needs the population as a table: say population = FILE in [table], and k_map in [policy].",
    "-presence": "δ-presence needs the population as a table: say population = FILE in [table], and presence.",
    "-dp": "Differential privacy has no counterpart: tclose publishes true rows, only coarser.",
    "profitability": "Games of costs and benefits have no counterpart.",
    "reidentification-risk": "Of the risks, prosecutor and marketer have counterparts; a share at risk has none.",
}


@dataclass(frozen=True)
class Criteria:
    """What a project requires: of the table, of each column, and what has no counterpart."""

    table: Mapping[str, str]
    columns: Mapping[str, Mapping[str, str]]
    notes: tuple[str, ...]


def criteria_of(texts: Iterable[str]) -> Criteria:
    """Return what criteria ask for here.

    Examples
    --------
    >>> found = criteria_of(["5-anonymity", "0.2-closeness with ordered distance for attribute 'pay'", "(2,1.0E-5)-DP"])
    >>> found.table, found.columns
    ({'k': '5'}, {'pay': {'t': '0.2', 'distance': 'ordered'}})
    >>> found.notes
    ('Differential privacy has no counterpart: tclose publishes true rows, only coarser.',)
    """
    table: dict[str, str] = {}
    columns: dict[str, dict[str, str]] = {}
    notes: list[str] = []
    for text in texts:
        if (found := _matched(_TABLE, text)) is not None:
            table[found[0]] = found[1]["number"]
        elif (found := _matched(_COLUMN, text)) is not None:
            key, match = found
            asked = columns.setdefault(match["attribute"], {})
            asked[key] = match["number"]
            if key == "t":
                asked["distance"] = _DISTANCES[match["word"]]
        else:
            notes.append(_without(text))
    return Criteria(table, columns, tuple(dict.fromkeys(notes)))


def _matched(patterns: Mapping[str, str], text: str) -> tuple[str, re.Match[str]] | None:
    """Return the key of the pattern that a criterion has, with its parts."""
    for key, pattern in patterns.items():
        if match := re.fullmatch(pattern, text, re.I | re.S):
            return key, match
    return None


def _without(text: str) -> str:
    lowered = text.lower()
    return next(
        (note for word, note in _WITHOUT.items() if word in lowered), "A criterion of the project is not known here."
    )
