"""How far apart two values of a sensitive attribute are: the kinds of distance, each with what is declared of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

from tclose.data.text_encoding import visible
from tclose.errors import Ask, Hint, InputError, ThresholdError, counted, listed, meant
from tclose.policy.exact_numbers import Number, fraction

if TYPE_CHECKING:
    from pathlib import Path

    from tclose.data.hierarchies import Hierarchy


# What may be said of roles, checked: names, one of some words, a list of values.


_LARGEST_STEP = 10**15
_FINEST_STEP = 10**12


def names_of(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return the names of columns."""
    if not isinstance(names, str | Iterable):
        raise InputError(f"Columns are named by text or a list of texts, not by {type(names).__name__}.")
    return (names,) if isinstance(names, str) else tuple(str(name) for name in names)


def one_name(name: object, what: str) -> str | None:
    """Return the name of a column, or None where none is named."""
    if name is not None and not isinstance(name, str):
        problem = f"The {what} is named by the text of one column, not by {type(name).__name__}."
        raise InputError(problem, field=what)
    return name


def choose(what: str, value: object, choices: tuple[str | None, ...]) -> None:
    """Refuse what is none of the choices."""
    if value not in choices:
        raise InputError(f"{what} must be one of {listed(filter(None, choices))}, not {value!r}.", field=what)


def check_list(order: Iterable[object]) -> None:
    """Refuse an order without values, or with one twice."""
    values = list(order)
    if not values:
        raise InputError("An order given as a list needs at least one value.", field="order")
    if len(set(map(str, values))) != len(values):
        raise InputError("An order given as a list must name each value once.", field="order")


def step_text(number: Number) -> str:
    """Return to multiples of what numbers are rounded, as a plain decimal without idle zeros; refuse what is no step.

    Examples
    --------
    >>> step_text("1e3"), step_text(0.5), step_text("2.50")
    ('1000', '0.5', '2.5')
    """
    step = fraction(number, "round")
    if not Fraction(1, _FINEST_STEP) <= step <= _LARGEST_STEP or _FINEST_STEP % step.denominator:
        problem = "round must be a decimal above 0 with at most 12 places, and at most 10^15: 1000, or 0.5."
        raise ThresholdError(problem, field="round")
    whole, rest = divmod(step.numerator * (_FINEST_STEP // step.denominator), _FINEST_STEP)
    return f"{whole}.{rest:012d}".rstrip("0").rstrip(".")


class Distance(ABC):
    """How far apart two values of a sensitive attribute are; each kind says everything that others ask about it.

    The sentences are filled in with ``steps`` and ``counted_steps``, what the definition divides by; ``length``, the
    same in the attribute's own units; ``moved``, the part of it that people move; ``share``, that part in per cent;
    ``people``, a chance.
    """

    word: ClassVar[str]
    """Its name in roles, policies and on the command line."""
    null_choices: ClassVar[tuple[str, ...]]
    """What a missing value may mean; the first is what it means unless something else is said."""
    in_units: ClassVar[bool] = False
    """Whether the gaps between values have lengths in units of their own."""
    definition: ClassVar[str]
    work: ClassVar[str]
    """How much a class would have to change to become like the table."""
    apart: ClassVar[str]
    """How far apart two values are, for somebody who looks at a picture."""
    flows: ClassVar[str]
    """What adds up to the distance besides the moves."""
    matching: ClassVar[str] = ""
    """How moves are chosen; empty where a rule can be chosen."""
    nulls: str
    round: Number | None = None
    """To multiples of what numbers are rounded before they are measured and published, as a decimal; None for none."""

    def __post_init__(self) -> None:
        choose("nulls", self.nulls, self.null_choices)
        if self.round is not None:
            object.__setattr__(self, "round", step_text(self.round))

    @property
    @abstractmethod
    def about(self) -> str:
        """The distance in words, without values of the table."""

    @property
    def declared(self) -> dict[str, Any]:
        """What was declared beside the word, under the names that policies have for it."""
        return {"nulls": self.nulls, **({} if self.round is None else {"round": self.round})}

    @property
    def rounding(self) -> str:
        """How numbers are rounded, as an end of a sentence; empty where they are not."""
        return "" if self.round is None else f", rounded to {self.round}"

    @property
    def has_direction(self) -> bool:
        """Whether values are higher or lower than others."""
        return False

    def without_values(self, stand_in: object) -> Distance:
        """Return the distance with something in the place of values that it lists."""
        del stand_in
        return self


@dataclass(frozen=True)
class Ordered(Distance):
    """Values on a scale; the distance of two values is the difference of their ranks.

    Parameters
    ----------
    order
        ``"value"`` (default), ``"frequency"`` (descending, ties by value: the tutorial's Merit Points
        example), or the values themselves in their order.
    nulls
        What a missing value means: ``"error"`` (default), ``"drop"``, ``"first"`` or ``"last"``.
    round
        Numbers are rounded to the nearest multiple of this decimal before they are measured, and a release has the
        rounded ones; what is just between two multiples goes away from zero.
    """

    order: str | tuple[object, ...] = "value"
    nulls: str = "error"
    round: Number | None = None
    word = "ordered"
    null_choices = ("error", "drop", "first", "last")
    definition = (
        "Sᵢ adds up p − q from the first value to value i: what must be carried over to the next value. "
        "The distance is the sum of all |Sᵢ|, divided by the m − 1 = {steps:,} steps."
    )
    work = (
        "the class would have to move its {whose} {moved} of the {counted_steps} from the first value to the last, on "
        "average"
    )
    apart = "one step is 1/{steps:,}, the whole way 1"
    flows = "the flows over the edges"

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.order, str):
            choose("order", self.order, ("value", "frequency"))
        else:
            object.__setattr__(self, "order", tuple(self.order))
            check_list(self.order)

    @property
    def about(self) -> str:
        """The distance in words, without values of the table."""
        if isinstance(self.order, str):
            return f"ordered by {self.order}{self.rounding}"
        return f"ordered as declared ({counted(len(self.order), 'value')}){self.rounding}"

    @property
    def declared(self) -> dict[str, Any]:
        """What was declared beside the word, under the names that policies have for it."""
        return {**super().declared, "order": self.order}

    @property
    def has_direction(self) -> bool:
        """Whether values are higher or lower than others: not where they stand by how frequent they are."""
        return self.order != "frequency"

    def without_values(self, stand_in: object) -> Ordered:
        """Return the distance with something in the place of values that it lists."""
        return self if isinstance(self.order, str) else replace(self, order=(stand_in,))


@dataclass(frozen=True)
class Numeric(Distance):
    """Numbers or dates; the distance of two values is their difference, divided by the range.

    Parameters
    ----------
    nulls
        What a missing value means: ``"error"`` (default) or ``"drop"``.
    round
        As for :class:`Ordered`.
    """

    nulls: str = "error"
    round: Number | None = None
    word = "numeric"
    null_choices = ("error", "drop")
    in_units = True
    definition = (
        "Sᵢ adds up p − q from the lowest value to value i: what must be carried over the gap to the next value. "
        "The distance is the sum of all |Sᵢ| · gap, divided by the range, {length}."
    )
    work = (
        "the class would have to move its {whose} {moved} of the {length} from the lowest value to the highest, on "
        "average"
    )
    apart = "the whole range of values is 1"
    flows = "the flows over the edges"
    has_direction = True

    @property
    def about(self) -> str:
        """The distance in words, without values of the table."""
        return f"numeric, by difference over range{self.rounding}"


@dataclass(frozen=True)
class Nominal(Distance):
    """Categories; any two different values are equally far apart (the variational distance).

    Parameters
    ----------
    nulls
        What a missing value means: ``"category"`` (default: a value of its own), ``"drop"`` or ``"error"``.
    """

    nulls: str = "category"
    word = "nominal"
    null_choices = ("category", "drop", "error")
    definition = "Any two values are equally far apart, so the distance is half the sum of all |p − q|."
    work = "{changed}"
    apart = "any two values are 1 apart"
    flows = "the differences of the shares"
    matching = "What can stay stays; any other match costs the same."
    about = "nominal, all values equally far apart"


@dataclass(frozen=True)
class Hierarchical(Distance):
    """Leaves of a tree; the distance of two values is the height of their lowest common ancestor.

    Parameters
    ----------
    tree
        A :class:`~tclose.data.hierarchies.Hierarchy`, the path of a hierarchy file, or a nested mapping.
    nulls
        What a missing value means: ``"error"`` (default) or ``"drop"``.
    """

    tree: Hierarchy | Path | str | Mapping[str, object] = field(hash=False)
    nulls: str = "error"
    word = "hierarchical"
    null_choices = ("error", "drop")
    definition = (
        "On each of the {steps:,} levels below the root, the distance is half the sum of all |p − q| between its "
        "groups; the distance of the class is their mean."
    )
    work = "the class would have to move its {whose} {share} of the way up the hierarchy, on average"
    apart = "two values are as far apart as they meet high in the tree: 1/{steps} for each level"
    flows = "the flows up the levels of the tree"
    matching = "What can stay stays; the rest moves within the smallest group that has room for it."

    @property
    def about(self) -> str:
        """The distance in words, without values of the table."""
        if not isinstance(self.tree, str | PurePath):
            return "hierarchical"
        return f"hierarchical, by {visible(PurePath(self.tree).name)}"

    @property
    def declared(self) -> dict[str, Any]:
        """What was declared beside the word, under the names that policies have for it."""
        return {**super().declared, "hierarchy": self.tree}


DISTANCES: dict[str, type[Distance]] = {kind.word: kind for kind in (Ordered, Numeric, Nominal, Hierarchical)}
"""The kinds of distance, by their words."""


def distance_named(word: str, **options: object) -> Distance:
    """Return the distance that a word such as ``"ordered"`` stands for."""
    if word not in DISTANCES:
        problem = f"{word!r} is not a distance; it is one of {listed(DISTANCES)}."
        raise InputError(problem, field="distance", hint=meant(word, DISTANCES))
    if word == "hierarchical" and "tree" not in options:
        raise InputError(
            "A hierarchical attribute needs its hierarchy.",
            field="hierarchies",
            hint=Hint("Give it: {}.", Ask("hierarchies")),
        )
    return DISTANCES[word](**options)


def split_name(text: str) -> tuple[str, str | None]:
    """Split ``"salary:ordered"`` into name and distance word; a colon inside a name is left alone."""
    name, colon, word = text.rpartition(":")
    if colon and name and word in DISTANCES:
        return name, word
    return text, None
