"""How the numbers of an explanation read: fractions over one denominator, decimals where those grow long."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Context, Decimal
from fractions import Fraction

from tclose.models.catalogue import Model, label
from tclose.policy.exact_numbers import as_float, decimal_text
from tclose.reports.phrases.cells import visible

# Numbers with their nouns, names in a row, and shares in per cent.


CONFIDENTIAL = "Confidential: this shows single people"
"""What stands on every page of a document that shows classes of very few."""
_NAMED = 3
"""How many columns a verdict names."""
_LONGEST_NAME = 60


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: ``1 class``, ``1,200 rows``.

    Examples
    --------
    >>> counted(1, "class"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 class', '1,200 rows', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def units(number: int, unit: str) -> str:
    """Return a number of what is counted: ``12 people``, ``1 row``."""
    return counted(number, "row") if unit == "rows" else counted(number, "person", "people")


def everyone(rows: int, people: int | None) -> str:
    """Return how much was counted: ``31 rows``, or ``12 people (31 rows)``."""
    return counted(rows, "row") if people is None else f"{units(people, 'people')} ({counted(rows, 'row')})"


def classes(number: int) -> str:
    """Return a number of classes in words."""
    return counted(number, "class", "classes")


def joined(names: Iterable[str]) -> str:
    """Return names as a readable enumeration: ``zip, age and sex``."""
    shown_names = [visible(name) for name in names]
    if len(shown_names) < 2:
        return "".join(shown_names)
    return f"{', '.join(shown_names[:-1])} and {shown_names[-1]}"


def unprotected_sentence(names: Sequence[str]) -> str:
    """Return which columns are published as they stand, in words; empty where none is.

    Examples
    --------
    >>> unprotected_sentence(["notes", "ward"]), unprotected_sentence([f"c{at}" for at in range(3000)])
    ('Published without protection: notes and ward.', 'Published without protection: c0, c1, c2 and 2,997 more.')
    """
    return f"Published without protection: {some_of(names)}." if names else ""


def withheld_columns(names: Sequence[str]) -> str:
    """Return which columns a file has that its policy withholds, in words; empty where it has none.

    Examples
    --------
    >>> withheld_columns(["name"]), withheld_columns(["name", "visit"])
    ('a column that its policy withholds: name', 'columns that its policy withholds: name and visit')
    """
    what = "a column that its policy withholds" if len(names) == 1 else "columns that its policy withholds"
    return f"{what}: {some_of(names)}" if names else ""


def naming_sentence(names: Sequence[str]) -> str:
    """Return which columns of a table name people, in words; empty where none does.

    Examples
    --------
    >>> naming_sentence(["name"]), naming_sentence([])
    ('It names people: name.', '')
    """
    return f"It names people: {some_of(names)}." if names else ""


def some_of(names: Sequence[str]) -> str:
    """Return the first names and how many more there are."""
    most = _NAMED if len(names) > _NAMED + 1 else len(names)
    more = [f"{len(names) - most:,} more"] if most < len(names) else []
    return joined([*map(_short, names[:most]), *more])


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def percent(share: float | Fraction) -> str:
    """Return a share in per cent, never rounded to a false none or all.

    Examples
    --------
    >>> percent(0.628), percent(1.0), percent(Fraction(2999, 3000)), percent(0.00001), percent(0.0)
    ('62.8 %', '100 %', 'over 99.9 %', 'under 0.1 %', '0 %')
    >>> percent(Fraction(3, 306))
    '1 %'
    """
    if 0 < share < Fraction(1, 1000):
        return "under 0.1 %"
    if Fraction(999, 1000) < share < 1:
        return "over 99.9 %"
    number = 100 * float(share)
    return (f"{number:.1f}".removesuffix(".0") if math.isfinite(number) else decimal_text(number)) + " %"


def title_of(model: Model) -> str:
    """Return the title of a model with its parameters, as readers know it who require nothing themselves."""
    parameters = label(model).removeprefix(model.key)
    return f"{model.title} {parameters}".rstrip()


_LARGEST_DENOMINATOR = 999
_SMALL_DIGITS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def amounts(values: Sequence[Fraction]) -> list[str]:
    """Return a column of numbers over one denominator, as one adds them by hand, or all as decimals.

    Examples
    --------
    >>> amounts([Fraction(2, 9), Fraction(2, 3), Fraction(0), Fraction(-1, 9)])
    ['2/9', '6/9', '0', '−1/9']
    >>> amounts([Fraction(1, 3), Fraction(1, 30162)])
    ['0.3333', '3.315e-05']
    >>> amounts([Fraction(1, 20000), Fraction(1, 30162)])
    ['0.00005', '0.0000332']
    """
    below = math.lcm(*(value.denominator for value in values))
    if below > _LARGEST_DENOMINATOR:
        largest = max(abs(as_float(value)) for value in values)
        digits = 2 - math.floor(math.log10(largest)) if 0 < largest < 1 else 0
        return [decimal(value, max(4, digits)) for value in values]
    return [over(value, below) for value in values]


def amount(value: Fraction) -> str:
    """Return one number as :func:`amounts` would.

    Examples
    --------
    >>> amount(Fraction(6, 9)), amount(Fraction(1773787, 4996838))
    ('2/3', '0.355')
    """
    return amounts([value])[0]


def over(value: Fraction, below: int) -> str:
    """Return a number over a multiple of its denominator; a whole number as it is.

    Examples
    --------
    >>> over(Fraction(2, 3), 9), over(Fraction(1), 9)
    ('6/9', '1')
    """
    above = value.numerator * (below // value.denominator)
    text = str(value.numerator) if value.denominator == 1 else f"{above}/{below}"
    return text.replace("-", "−")


def decimal(value: Fraction, digits: int = 4) -> str:
    """Return a number as a decimal, rounded for reading.

    Examples
    --------
    >>> decimal(Fraction(1, 3)), decimal(Fraction(34 * 10**307))
    ('0.3333', '3.4e+308')
    """
    near = as_float(value)
    huge = math.isinf(near)
    text = _in_powers(value, digits) if huge else decimal_text(near, digits)
    return text.replace("-", "−").replace("e−", "e-")


def _in_powers(value: Fraction, digits: int) -> str:
    """Return a number that no float holds as a decimal times a power of ten."""
    rounded = Context(prec=digits).divide(Decimal(value.numerator), Decimal(value.denominator))
    return f"{rounded.normalize():e}"


def quantity(value: Fraction) -> str:
    """Return a length in the units of an attribute: as a decimal where that is exact.

    Examples
    --------
    >>> quantity(Fraction(173, 2)), quantity(Fraction(13)), quantity(Fraction(1, 3))
    ('86.5', '13', '1/3')
    """
    rounded = decimal(value)
    return rounded if "e" not in rounded and Fraction(rounded) == value else amount(value)


def equals(value: Fraction) -> str:
    """Return a result as fraction and decimal: ``3/8 = 0.375``, ``17/72 ≈ 0.2361``, ``≈ 0.355``.

    Examples
    --------
    >>> equals(Fraction(3, 8)), equals(Fraction(17, 72)), equals(Fraction(1)), equals(Fraction(1773787, 4996838))
    ('= 3/8 = 0.375', '= 17/72 ≈ 0.2361', '= 1', '≈ 0.355')
    """
    rounded = decimal(value)
    sign = "=" if "e" not in rounded and Fraction(rounded.replace("−", "-")) == value else "≈"
    text = amount(value)
    return f"= {text}" if value.denominator == 1 else f"= {text} {sign} {rounded}" if "/" in text else f"{sign} {text}"


def chance(share: Fraction) -> str:
    """Return a share as people speak of it.

    Examples
    --------
    >>> chance(Fraction(1, 9)), chance(Fraction(2, 3)), chance(Fraction(1)), chance(Fraction(0))
    ('1 in 9', '2 in 3', 'all', 'none')
    >>> chance(Fraction(421, 30162)), chance(Fraction(1571, 3016)), chance(Fraction(29999, 30000))
    ('about 1 in 72', 'about 52 in 100', 'more than 99 in 100')
    """
    if share in (0, 1):
        return "all" if share else "none"
    if share.denominator <= 20:
        return f"{share.numerator} in {share.denominator}"
    if share <= Fraction(1, 5):
        exact = share.numerator == 1
        return f"{'' if exact else 'about '}1 in {round(1 / share):,}"
    if share > Fraction(99, 100):
        return "more than 99 in 100"
    return f"about {round(share * 100)} in 100"


def numbered(letter: str, number: int | str) -> str:
    """Return a letter with its number below the line: ``B₁``.

    Examples
    --------
    >>> numbered("B", 12), numbered("A", "1–5")
    ('B₁₂', 'A₁–₅')
    """
    return letter + str(number).translate(_SMALL_DIGITS)
