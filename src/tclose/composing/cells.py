"""Which published cells can be the same person's, and which values a cell covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from tclose.errors import Ask, HierarchyError, Hint
from tclose.hierarchies import Hierarchy
from tclose.values.published import ANYTHING, LEFT_OUT, LINES, Reading, excludes_nobody, parts_of

Texts = Sequence[str | None]
_ENTRIES_AT_ONCE = 20_000_000


def meeting(name: str, one: Texts, other: Texts, hierarchy: Hierarchy | str | None) -> NDArray[np.bool_]:
    """Return which cells of a column in one release can be the same person's as which cells in another.

    Parameters
    ----------
    name
        The column, for messages.
    one, other
        The distinct cells of each release; a missing one, which may have been left out, excludes nobody.
    hierarchy
        The tree that cells are labels of; ``"flat"`` where texts are only themselves, None where nothing is said.
    """
    sets = [[[None] if text is None else parts_of(text) for text in texts] for texts in (one, other)]
    if any(len(parts) > 1 for cells in sets for parts in cells):
        parts = [list(dict.fromkeys(part for cell in cells for part in cell)) for cells in sets]
        inside = [
            np.array([[part in cell for part in every] for cell in cells], dtype=np.int32)
            for cells, every in zip(sets, parts, strict=True)
        ]
        met = meeting(name, parts[0], parts[1], hierarchy).astype(np.int32)
        return np.asarray(inside[0] @ met @ inside[1].T > 0)
    if isinstance(hierarchy, Hierarchy):
        mine, theirs = (_by_leaves(name, hierarchy, cells).astype(np.int32) for cells in (one, other))
        return np.asarray(mine @ theirs.T > 0)
    reading = Reading(text for text in (*one, *other) if text is not None)
    if hierarchy is None:
        _check_readable(name, one, other, reading)
    found = _equal(one, other) | _overlapping(one, other, reading) | _alike(one, other)
    found[[excludes_nobody(text) for text in one], :] = True
    found[:, [excludes_nobody(text) for text in other]] = True
    return found


def _by_leaves(name: str, hierarchy: Hierarchy, cells: Texts) -> NDArray[np.bool_]:
    """Return which leaves of a hierarchy each cell covers; refuse cells that cover none."""
    labels: dict[str, list[int]] = {}
    for at, row in enumerate(hierarchy.rows):
        for label in dict.fromkeys(row):
            labels.setdefault(label, []).append(at)
    covered, _ = covering(cells, hierarchy.leaves, labels)
    strange = int((~covered.any(axis=1)).sum())
    if strange:
        raise HierarchyError(
            f"{strange:,} of the published cells of {name!r} are no labels of its hierarchy and no intervals "
            "or masks of its leaves; give the hierarchy that the releases were made with."
        )
    return covered


def covering(
    cells: Texts, values: Texts, labels: Mapping[str, Sequence[int]]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which values each cell covers, and which cells mean nothing.

    Parameters
    ----------
    cells
        Distinct cells of a release.
    values
        The values that people have, None where one is missing, which only cells that exclude nobody cover.
    labels
        For each text that stands for some of the values which they are: their own texts, labels of a hierarchy.
    """
    parts = [[None] if text is None else [text] if text in labels else parts_of(text) for text in cells]
    every = list(dict.fromkeys(part for cell in parts for part in cell))
    place = {part: at for at, part in enumerate(every)}
    reading = Reading(text for text in (*every, *values) if text is not None)
    read = [part for part in every if part is not None and part not in labels and not excludes_nobody(part)]
    covers = np.zeros((len(every), len(values)), dtype=bool)
    covers[[place[part] for part in read]] = _overlapping(read, values, reading) | _alike(read, values)
    unread = np.zeros(len(every), dtype=bool)
    for part in every:
        if part is None or excludes_nobody(part):
            covers[place[part]] = True
        elif part in labels:
            covers[place[part], labels[part]] = True
        elif part in LEFT_OUT:
            covers[place[part]] = True
        else:  # a stretch of a line may hold nobody, letters must be somebody's
            unread[place[part]] = not reading.spans(part) and not covers[place[part]].any()
    inside = [[place[part] for part in cell] for cell in parts]
    found = np.array([covers[some].any(axis=0) for some in inside], dtype=bool).reshape(len(cells), len(values))
    return found, np.array([unread[some].any() for some in inside], dtype=bool)


def _check_readable(name: str, one: Texts, other: Texts, reading: Reading) -> None:
    """Refuse texts that only one release has, where nothing says of what they are labels; beside masks, codes."""
    if any(text is not None and ANYTHING in text and not excludes_nobody(text) for text in (*one, *other)):
        return
    for mine, theirs in ((one, other), (other, one)):
        if all(excludes_nobody(text) for text in theirs):
            continue
        alone = {text for text in mine if text is not None and not excludes_nobody(text)} - {*theirs}
        strange = [text for text in alone if not reading.spans(text)]
        if strange:
            raise HierarchyError(
                f"{len(strange):,} published cells of {name!r} are texts that only one of the releases has. Nothing "
                "says which cells can be the same person's.",
                field="hierarchies",
                column=name,
                hint=Hint(
                    "Give the hierarchy that has these labels, {}, or let each text stand for itself alone, {}.",
                    Ask("hierarchies", "FILE", name),
                    Ask("hierarchies", "flat", name),
                ),
            )


def _equal(one: Texts, other: Texts) -> NDArray[np.bool_]:
    number: dict[str | None, int] = {}
    mine, theirs = ([number.setdefault(text, len(number)) for text in texts] for texts in (one, other))
    return np.asarray(np.array(mine, dtype=np.int64)[:, np.newaxis] == np.array(theirs, dtype=np.int64))


def _overlapping(one: Texts, other: Texts, reading: Reading) -> NDArray[np.bool_]:
    """Return which cells have a place on some line in common."""
    found = np.zeros((len(one), len(other)), dtype=bool)
    read = [[{} if text is None else reading.spans(text) for text in texts] for texts in (one, other)]
    for line in LINES:
        some = [[at for at, spans in enumerate(texts) if line in spans] for texts in read]
        spans = [[texts[at][line] for at in places] for texts, places in zip(read, some, strict=True)]
        ends = sorted({end for each in spans for span in each for end in (span.low, span.high)})
        rank = {end: at for at, end in enumerate(ends)}
        (low, high), (other_low, other_high) = (
            (np.array([rank[span.low] for span in each], int), np.array([rank[span.high] for span in each], int))
            for each in spans
        )
        inside = (low[:, np.newaxis] <= other_high) & (other_low <= high[:, np.newaxis])
        found[np.ix_(*some)] |= inside
    return found


def _alike(one: Texts, other: Texts) -> NDArray[np.bool_]:
    """Return which cells have the same letters but for stars, each of which stands for one letter."""
    found = np.zeros((len(one), len(other)), dtype=bool)
    for length in {len(text) for text in (*one, *other) if text is not None and ANYTHING in text}:
        some = [
            [at for at, text in enumerate(texts) if text is not None and len(text) == length] for texts in (one, other)
        ]
        mine, theirs = (
            np.array([[ord(letter) for letter in texts[at] or ""] for at in places], dtype=np.int32).reshape(-1, length)
            for texts, places in zip((one, other), some, strict=True)
        )
        star, step = ord(ANYTHING), max(1, _ENTRIES_AT_ONCE // max(len(theirs) * length, 1))
        for begin in range(0, len(mine), step):
            few = mine[begin : begin + step, np.newaxis]
            same = ((few == theirs) | (few == star) | (theirs == star)).all(axis=2)
            found[np.ix_(some[0][begin : begin + step], some[1])] |= same
    return found
