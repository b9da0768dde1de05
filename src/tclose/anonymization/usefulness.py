"""The verb ``usefulness``: a release beside its original, by the scores that others use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tclose.anonymization.scores import Scores
from tclose.anonymization.scores.measures import biases, correlations, marginal_score, matches, propensity
from tclose.anonymization.scores.pairing import Pair, paired
from tclose.data.progress import shows_progress, silent
from tclose.engines.base import Progress
from tclose.errors import Ask, Hint, InputError, Note, counted

if TYPE_CHECKING:
    from tclose.data.sources import ReadOptions

_BY = (1, 2, 3)
"""Marginals are of so many columns."""


@shows_progress
def usefulness(
    release: object,
    original: object,
    *,
    columns: Sequence[str] | None = None,
    read: ReadOptions | None = None,
    memory: str | None = None,
    threads: int | None = None,
    temp: str | None = None,
    progress: Progress | None = None,
) -> Scores:
    """Say what a release is worth beside its original. It is for the owner of the original, and confidential.

    Parameters
    ----------
    release, original
        Tables, as for :func:`tclose.audit`.
    columns
        The columns that are looked at; those that both tables have if left out.
    read
        How both are read.
    memory, threads, temp, progress
        As for :func:`tclose.audit`.

    Returns
    -------
    Scores
        Marginals, correlations, propensity, unique exact matches, and biases of means, quartiles and slopes.

    Examples
    --------
    >>> import tclose
    >>> people = {"age": [21, 25, 34, 38], "sick": ["y", "n", "y", "n"]}
    >>> scores = tclose.usefulness(people, people)
    >>> scores.marginals[2], scores.matches.found, len(scores.warnings)
    (1000.0, 4, 0)
    """
    from tclose.engines.dispatch import working_session

    tell = progress or silent
    settings = {"memory": memory, "threads": threads, "temp": temp}
    with working_session(original, read=read, **settings) as session:
        ours, theirs = session.open(original), session.open(release)
        names = _in_both([each.name for each in ours.columns], [each.name for each in theirs.columns], columns)
        found = [session.distinct(table.keep(names), names, (), tell) for table in (ours, theirs)]
        label, name = ours.label, theirs.label
    tell("Scoring", None)
    pair = paired(names, *found)
    return Scores(
        name,
        label,
        int(pair.release.sum()),
        int(pair.original.sum()),
        tuple(names),
        {by: marginal_score(pair, by) for by in _BY if by <= len(names)},
        tuple(correlations(pair)),
        propensity(pair),
        matches(pair),
        tuple(biases(pair)),
        tuple(_notes(pair)),
    )


def _in_both(ours: Sequence[str], theirs: Sequence[str], asked: Sequence[str] | None) -> list[str]:
    """Return the columns that are looked at."""
    found = [name for name in ours if name in theirs] if asked is None else list(dict.fromkeys(asked))
    missing = [name for name in found if name not in ours or name not in theirs]
    if missing or not found:
        what = (
            f"The column {missing[0]!r} is not in both tables." if missing else "The tables have no column in common."
        )
        raise InputError(what, field="columns", column=missing[0] if missing else None)
    return found


def _notes(pair: Pair) -> Iterator[Note]:
    """Give what could not be computed with."""
    for name, left_out in zip(pair.names, pair.left_out, strict=True):
        if left_out:
            are = "is no number" if left_out == 1 else "are no numbers"
            some = counted(left_out, "cell")
            text = f"{name}: {some} of the release {are}, and left out of means, quartiles, slopes and correlations."
            yield Note("cells-no-numbers", text, Hint("Publish values: {}.", Ask("points", "class")), column=name)
