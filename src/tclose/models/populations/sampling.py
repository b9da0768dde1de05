"""How a table was drawn from its population, as a person says it: a size, a fraction, or a weight for each row."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tclose.errors import Ask, Hint, InputError, about
from tclose.policy.exact_numbers import Number, fraction, written

_LARGEST = 10**15


@dataclass(frozen=True)
class Sampling:
    """What is known of the population: how many people it has, the share that was drawn, or weights of rows."""

    size: int | None = None
    fraction: Fraction | None = None
    weights: str | None = None
    """The column with the number of people that each row stands for."""

    @staticmethod
    def of(size: object, share: Number | None, weights: object) -> Sampling | None:
        """Return what a person said, checked; None where nothing was."""
        if [size, share, weights].count(None) < 2:
            raise InputError(
                "It is said in several ways how the table was drawn.",
                field="population_size",
                hint=Hint(
                    "Keep one: {}, {} or {}.", Ask("population_size"), Ask("sampling_fraction"), Ask("weight_column")
                ),
            )
        if size is not None:
            if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size <= _LARGEST:
                raise InputError(
                    "The size of the population must be a whole number of people, at least 1.", field="population_size"
                )
            return Sampling(size=size)
        if share is not None:
            with about(field="sampling_fraction"):
                drawn = fraction(share, "the sampling fraction")
            if not 0 < drawn <= 1:
                raise InputError(
                    f"The sampling fraction must be more than 0 and at most 1, not {written(drawn)}.",
                    field="sampling_fraction",
                )
            return Sampling(fraction=drawn)
        if weights is not None and not isinstance(weights, str):
            raise InputError("The weights of rows are named by their column.", field="weight_column")
        return None if weights is None else Sampling(weights=weights)

    def people(self, rows: int) -> int:
        """Return how many people the population has of which a table of so many rows was drawn."""
        if self.size is not None and self.size < rows:
            raise InputError(
                f"The population has {self.size:,} people, but the table drawn from it has {rows:,}.",
                field="population_size",
                hint=Hint("Give the size of the whole population."),
            )
        if self.fraction is not None:
            return max(rows, min(_LARGEST, round(rows / self.fraction)))
        return rows if self.size is None else self.size
