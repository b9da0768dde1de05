"""What may be said of roles, checked: names, one of some words, a list of values."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from tclose.errors import InputError, ThresholdError, listed
from tclose.exact import Number, fraction

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
