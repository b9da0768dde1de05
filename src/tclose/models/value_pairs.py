"""The counts of the values that one class holds, beside the reference's."""

from __future__ import annotations

from collections.abc import Iterator

from tclose.counts import Block
from tclose.distances.people import held_by
from tclose.domains import Domain
from tclose.errors import InternalError


def value_pairs(domain: Domain | None, block: Block, position: int) -> tuple[list[tuple[int, int]], int]:
    """Return (class count, reference count) of each value a class holds, and the reference's total."""
    if domain is None:
        raise InternalError("A divergence was asked for without its domain.")
    ranks, counts = block.histogram(position)
    reference = domain.reference
    return [(count, int(reference.counts[rank])) for rank, count in zip(ranks, counts, strict=True)], reference.total


def prevalence_pairs(domain: Domain | None, block: Block, position: int) -> Iterator[tuple[int, int, int, int]]:
    """Give, for each value, the people of a class and of the reference who have it, and who have any value."""
    if domain is None or domain.prevalence is None:
        return
    held, people = held_by(block, position)
    for rank, share in enumerate(domain.prevalence.counts.tolist()):
        yield held.get(rank, 0), share, people, domain.prevalence.total
