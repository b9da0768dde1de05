"""The counts of the values that one class holds, beside the reference's."""

from __future__ import annotations

from tclose.counts import Block
from tclose.domains import Domain
from tclose.errors import InternalError


def value_pairs(domain: Domain | None, block: Block, position: int) -> tuple[list[tuple[int, int]], int]:
    """Return (class count, reference count) of each value a class holds, and the reference's total."""
    if domain is None:
        raise InternalError("A divergence was asked for without its domain.")
    ranks, counts = block.histogram(position)
    reference = domain.reference
    return [(count, int(reference.counts[rank])) for rank, count in zip(ranks, counts, strict=True)], reference.total
