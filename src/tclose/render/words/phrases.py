"""Numbers with their nouns, names in a row, and shares in per cent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from tclose.exact import decimal_text
from tclose.models.catalogue import Model, label
from tclose.render.words.cells import visible

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
    """
    if 0 < share < Fraction(1, 1000):
        return "under 0.1 %"
    if Fraction(999, 1000) < share < 1:
        return "over 99.9 %"
    return f"{decimal_text(100 * float(share), 1)} %"


def title_of(model: Model) -> str:
    """Return the title of a model with its parameters, as readers know it who require nothing themselves."""
    parameters = label(model).removeprefix(model.key)
    return f"{model.title} {parameters}".rstrip()
