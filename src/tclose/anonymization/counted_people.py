"""People counted once in a combination of quasi-identifiers, and once for each value that they have there.

Distinct rows that are counted by people do not add up: somebody may be in several. Counted like this, they add up in
every class that has all rows of a combination, and count people just as an audit does where nobody has several
combinations.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tclose.anonymization.algorithms.problem import Codes, HeldSets, numbered
from tclose.attacks.person_rows import Crowd
from tclose.engines.base import Engine, Progress, Table
from tclose.engines.distinct import DistinctRows
from tclose.errors import InternalError
from tclose.models.counts import Integers, ValueSets
from tclose.policy.roles import Roles

MOST_PAIRS = 5_000_000
"""Up to so many pairs of a person and a distinct row of theirs are brought together."""


@dataclass(frozen=True)
class CountedPeople:
    """How many people each distinct row brings to a class that has all rows of its combination."""

    heads: Integers
    """How many of them are counted with this row."""
    masses: Integers
    """Distinct rows × sensitive attributes: how many people are counted with this row for its value."""
    held: tuple[HeldSets | None, ...] | None
    """For each sensitive attribute of which somebody has several values the sets of these, as positions among those
    observed; None where somebody has several combinations."""


def counted_people(
    session: Engine,
    table: Table[Any],
    roles: Roles,
    attributes: Sequence[tuple[str, ...]],
    distinct: DistinctRows,
    progress: Progress,
) -> CountedPeople | None:
    """Return how many people distinct rows bring to their classes; None where that is not to be known.

    Where rows are counted, there is nothing to know; databases and clusters do not say whose rows are; and of many
    millions of pairs nothing is kept in memory.

    Parameters
    ----------
    session, table
        The table, with the column that tells people apart.
    roles, attributes
        Which column is what, and the columns of each sensitive attribute.
    distinct
        Its distinct rows, each with the number of its people.
    progress
        Told what is being done.
    """
    if roles.person is None or not session.hands_over_people or distinct.rows > MOST_PAIRS:
        return None
    told_apart = session.distinct(table.keep(roles.counted), [*roles.quasi, roles.person], attributes, progress)
    subjects = Crowd.of(told_apart)
    same = np.array_equal(subjects.distinct.codes, distinct.codes)
    if not same or not np.array_equal(subjects.distinct.sensitive_codes, distinct.sensitive_codes):
        raise InternalError("Two ways to count people differ.")
    return None if subjects.crowd is None else counted_once(distinct, subjects.crowd)


def counted_once(distinct: DistinctRows, crowd: Crowd) -> CountedPeople:
    """Return how many people each distinct row brings, everyone with the first row of theirs that says it."""
    combination = numbered(distinct.codes)[crowd.rows]
    number = len(distinct.counts)
    here = crowd.persons * (int(combination.max(initial=0)) + 1) + combination
    _, first, place = np.unique(here, return_index=True, return_inverse=True)
    masses = np.zeros(distinct.sensitive_codes.shape, dtype=np.int64)
    for at in range(len(distinct.sensitive)):
        values = distinct.sensitive_codes[crowd.rows, at].astype(np.int64)
        having = np.unique(place * (int(values.max(initial=0)) + 1) + values, return_index=True)[1]
        masses[:, at] = np.bincount(crowd.rows[having], minlength=number)
    heads = np.bincount(crowd.rows[first], minlength=number).astype(np.int64)
    if len(first) > crowd.number:
        return CountedPeople(heads, masses, None)
    whose, row_of = crowd.persons[first], np.empty(crowd.number, dtype=np.int64)
    row_of[whose] = crowd.rows[first]
    codes = distinct.sensitive_codes[crowd.rows]
    held = tuple(_held_sets(crowd.persons, codes[:, at], row_of, number) for at in range(codes.shape[1]))
    return CountedPeople(heads, masses, held)


def _held_sets(persons: Integers, codes: Codes, row_of: Integers, number: int) -> HeldSets | None:
    """Return which sets of values people have, by the row that counts them; None where nobody has several values."""
    span = int(codes.max(initial=0)) + 1
    whose, values = np.divmod(np.unique(persons * span + codes), span)
    if not (whose[1:] == whose[:-1]).any():
        return None
    ends = np.searchsorted(whose, np.arange(len(row_of) + 1))
    numbers: dict[bytes, int] = {}
    spelled, listed = values.astype(np.int32), []
    for begin, end in itertools.pairwise(ends.tolist()):
        listed.append(numbers.setdefault(spelled[begin:end].tobytes(), len(numbers)))
    sets = [np.frombuffer(each, dtype=np.int32) for each in numbers]
    offsets = np.concatenate([[0], np.cumsum([len(each) for each in sets])]).astype(np.int64)
    set_of = np.array(listed, dtype=np.int64)
    people = np.bincount(set_of, minlength=len(sets)).astype(np.int64)
    pairs, counts = np.unique(row_of * len(sets) + set_of, return_counts=True)
    rows, held = np.divmod(pairs, len(sets))
    starts = np.searchsorted(rows, np.arange(number + 1))
    return HeldSets(starts, held.astype(np.int32), counts, ValueSets(offsets, np.concatenate(sets), people))
