"""What a table says of the population it was drawn from: class sizes in, estimates out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tclose.auditing.measurement import Finding
from tclose.engines.base import Engine, Progress, RecodedTable, Table
from tclose.errors import InputError, InternalError
from tclose.models.counts import Part
from tclose.models.populations.estimators import Frequencies
from tclose.models.populations.findings import PopulationFinding, Weighted, population_finding
from tclose.models.populations.sampling import Sampling
from tclose.models.value_order import Observed
from tclose.policy.exact_numbers import fraction
from tclose.policy.roles import Roles

Opened = Table[Any] | RecodedTable[Any]


def surveyed(
    sampling: Sampling,
    findings: Iterable[Finding],
    people: int | None,
    session: Engine,
    table: Opened,
    roles: Roles,
    tell: Progress,
) -> PopulationFinding:
    """Return what the classes of a table say of the population it was drawn from.

    Parameters
    ----------
    sampling
        How it was drawn.
    findings
        What was found of the table, the sizes of its classes among it.
    people
        How many people the table has; None where rows are counted.
    session, table, roles
        The table as it was opened, whose rows may have weights.
    tell
        Told what is being done.
    """
    shares = next((each.tally.shares for each in findings if each.task.model.averaged), None)
    if not shares:
        raise InternalError("A population was asked about without the sizes of classes.")
    sample = Frequencies({size: rows // size for size, rows in sorted(shares.items())})
    drawn = sample.rows if people is None else people
    if sampling.weights is None:
        tell("Estimating the population", None)
        return population_finding(sample, sampling.people(drawn), drawn)
    weighted, whole = _weighted(session, table, roles, sampling.weights, people, tell)
    return population_finding(sample, max(whole, drawn), drawn, weighted)


def _weighted(
    session: Engine, table: Opened, roles: Roles, name: str, people: int | None, tell: Progress
) -> tuple[Weighted, int]:
    """Return what the weights of rows say of classes in the population, and how many people it has."""
    if name in roles.quasi:
        raise _wrong(f"The weights {name!r} cannot be a quasi-identifier; name it as one or the other.", name)
    if name == roles.person:
        raise _wrong(f"The weights {name!r} cannot be what tells people apart; name it as one or the other.", name)
    person = () if roles.person is None else (roles.person,)
    kept = table.keep([*roles.quasi, name, *person]).counting(roles.person)
    counted = session.count(kept, roles.quasi, [(name,)], tell)
    weights = _weights(counted.observed[0], name)
    numbers = [int(number) for number in counted.observed[0].counts]
    if people is not None and sum(numbers) != people:
        raise _wrong(f"The weights {name!r} must be the same in all rows of a person.", name)
    scale = lcm(*(weight.denominator for weight in weights))
    scaled = np.array([int(weight * scale) for weight in weights], dtype=object)
    ranks = np.arange(len(weights), dtype=np.int32)
    found = list(counted.map([ranks], lambda part: (part.sizes, _sums(part, scaled))))
    sizes = np.concatenate([own for own, _ in found])
    sums = [each for _, several in found for each in several]
    risks = [size / (each / scale) for size, each in zip(sizes.tolist(), sums, strict=True)]
    total = sum(weight * number for weight, number in zip(weights, numbers, strict=True))
    return Weighted(Fraction(min(sums), scale), float(np.sum(risks) / sizes.sum())), round(total)


def _wrong(message: str, name: str) -> InputError:
    return InputError(message, field="weight_column", column=name)


def _sums(part: Part, scaled: NDArray[Any]) -> Sequence[int]:
    """Return the sum of the weights of each class."""
    block = part.blocks[0]
    running = np.zeros(block.pairs + 1, dtype=object)
    np.cumsum(scaled[block.ranks] * block.counts.astype(object), out=running[1:])
    return np.diff(running[block.offsets]).tolist()  # type: ignore[no-any-return]


def _weights(observed: Observed, name: str) -> list[Fraction]:
    """Return the different weights, exactly; refuse what says of no number of people."""
    wrong = _wrong(
        f"The weights {name!r} must be numbers of at least 1, one for each row: how many people it stands for, itself "
        "included. Missing values and weights scaled to a mean of 1 are none.",
        name,
    )
    if observed.kind != "number":
        raise wrong
    try:
        found = [fraction(value, name) for value in observed.listed]  # type: ignore[arg-type]
    except (InputError, TypeError, ValueError):
        raise wrong from None
    if min(found) < 1:
        raise wrong
    return found
