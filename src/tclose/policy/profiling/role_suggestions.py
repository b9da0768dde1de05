"""Which role a column seems to have: by its field, its name, what its values look like, and its figures."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from tclose.engines.statistics import is_text, is_whole
from tclose.policy.profiling.column_words import (
    CODED,
    KNOWN_OF_PEOPLE,
    MAY_NAME_A_PERSON,
    NAMES_A_PERSON,
    PERHAPS_SECRET,
    SECRET,
    word_in,
)
from tclose.policy.profiling.value_shapes import Shape
from tclose.policy.roles import Distance, Nominal, Ordered

if TYPE_CHECKING:
    from tclose.engines.statistics import ColumnStatistics
    from tclose.policy.profiling.vocabularies import Known

Role = Literal["identifier", "person", "quasi-identifier", "sensitive", "remove", "undecided"]
Confidence = Literal["high", "medium", "low"]

NEARLY_UNIQUE = Fraction(19, 20)
"""A column with so many different values for its rows can name each person."""
OFTEN_UNIQUE = Fraction(1, 2)
"""A column called a number, a code or a name does so from here on, and any other is too telling to be published."""
MOSTLY = 0.5
"""A column is what so many of its values are: addresses of e-mail, sentences."""
FEW_NUMBERS = 9
"""Up to so many different whole numbers may be codes."""
_FEW_ROWS_EACH = 10
"""A column with fewer rows for each value may still name people; a yes and a no have more."""


class Proposal(NamedTuple):
    """The role that a column seems to have."""

    role: Role
    reason: str
    """Why, in a short sentence."""
    confidence: Confidence
    change: str
    """What would make it another one, in a short sentence."""


_NOT_OF_PEOPLE = "If it belongs to no person, decide on another role."
_NOT_KNOWN = "If nobody outside knows it of a person, it is sensitive or harmless."
_IS_KNOWN = "If others may know it of a person, it is a quasi-identifier."
_DECIDE = "Decide: it is withheld until then."


def suggested(column: ColumnStatistics, known: Known | None = None, shape: Shape | None = None) -> Proposal:
    """Return the role that a column seems to have, and why.

    Parameters
    ----------
    column
        What was counted.
    known
        What the vocabulary of the table's field says; it goes before the name.
    shape
        What the values look like; numbers that belong to one person each go before the name.
    """
    shape = shape or Shape()
    if column.problem is not None:
        return Proposal("remove", f"It cannot be read: {column.problem}", "high", "A type that can be read.")
    if column.distinct + (column.nulls > 0) <= 1:
        return Proposal("remove", "It is the same in every row.", "high", "A second value.")
    if known is not None:
        role = "identifier" if known.role == "person" else known.role
        reason = f"In tables of {known.field} it is: {known.meaning}."
        return Proposal(cast("Role", role), reason, "high", "If the table is of another field, check every role.")
    return _by_values(column, shape) or _by_name(column, shape) or _by_figures(column, shape)


def _by_values(column: ColumnStatistics, shape: Shape) -> Proposal | None:
    """Return the role of a column whose values alone say what it is."""
    if column.emails > MOSTLY:
        return Proposal("identifier", "Most of its values look like e-mail addresses.", "high", _NOT_OF_PEOPLE)
    if shape.of_people is not None and (is_text(column.type) or shape.checked):
        place = word_in(column.name, KNOWN_OF_PEOPLE) if shape.of_people == "names of people" else None
        if place is None:
            reason = f"Its values look like {shape.of_people}."
            return Proposal("identifier", reason, "high" if shape.checked else "medium", _NOT_OF_PEOPLE)
    if column.sentences > MOSTLY and Fraction(column.distinct, column.rows) >= OFTEN_UNIQUE:
        return _free_text()
    return None


def _free_text() -> Proposal:
    reason = "Its values are sentences, which may say anything about anyone."
    return Proposal("remove", reason, "high", "Values from a closed list, without names.")


def _by_name(column: ColumnStatistics, shape: Shape) -> Proposal | None:
    """Return the role of a column whose name says what it is."""
    if (word := word_in(column.name, NAMES_A_PERSON)) and not _is_flag(column, shape):
        return Proposal("identifier", f"Its name ({word}) says that it names a person.", "high", _NOT_OF_PEOPLE)
    if _is_date(column, shape):
        reason = "A date in a person's life is easily known to others."
        return Proposal("quasi-identifier", reason, "medium", "If it is no date in a person's life, remove it.")
    if word := word_in(column.name, SECRET):
        reason = f"Its name ({word}) is that of something people keep to themselves."
        return Proposal("sensitive", reason, "medium", _IS_KNOWN)
    if word := word_in(column.name, KNOWN_OF_PEOPLE):
        reason = f"Its name ({word}) is that of something others know of a person."
        return Proposal("quasi-identifier", reason, "medium", _NOT_KNOWN)
    if word := word_in(column.name, PERHAPS_SECRET):
        reason = f"Its name ({word}) is that of something that people may keep to themselves."
        return Proposal("sensitive", reason, "low", _IS_KNOWN)
    word = word_in(column.name, MAY_NAME_A_PERSON)
    if word and Fraction(column.distinct, column.rows) >= OFTEN_UNIQUE:
        reason = f"Its name ({word}) and its many different values point at single people."
        return Proposal("identifier", reason, "medium", _NOT_OF_PEOPLE)
    return None


def _is_date(column: ColumnStatistics, shape: Shape) -> bool:
    """Say whether the values of a column are dates, be it of months alone."""
    return column.type.startswith(("DATE", "TIME")) or shape.kind in ("dates", "months", "partial dates")


def _is_flag(column: ColumnStatistics, shape: Shape) -> bool:
    """Say whether a column only tells whether there is something, such as a telephone."""
    truths = shape.flags or column.type == "BOOLEAN" or (is_whole(column.type) and column.distinct <= 2)
    return truths and column.rows >= _FEW_ROWS_EACH * column.distinct


def _by_figures(column: ColumnStatistics, shape: Shape) -> Proposal:
    """Return the role of a column whose name says nothing; what it is, is not guessed."""
    uniqueness = Fraction(column.distinct, column.rows)
    if column.sentences > MOSTLY:
        return _free_text()
    several = column.rows > 1
    if shape.key and is_text(column.type) and uniqueness >= OFTEN_UNIQUE and several:
        reason = "Its values are keys of one form, and most rows have one of their own."
        return Proposal("identifier", reason, "medium", _NOT_OF_PEOPLE)
    if uniqueness >= NEARLY_UNIQUE and several and not _is_amount(column):
        return Proposal("identifier", "Nearly every row has a value of its own.", "medium", "If it is an amount.")
    if uniqueness >= OFTEN_UNIQUE and several:
        reason = "Its name is not known, and it tells most rows apart. Can others know it of a person?"
    elif shape.key:
        reason = "Its values are keys of one form. Are they those of people, or of things?"
    elif _few_in_a_row(column):
        reason = "Its name is not known, and its few whole numbers may be codes. What do they stand for?"
    elif shape.kind == "bands":
        reason = "Its values are bands of numbers. Can others know the number of a person, or is it secret?"
    else:
        reason = "Its name is not known. Can others know it of a person, is it secret, or is it harmless?"
    return Proposal("undecided", reason, "low", _DECIDE)


def _is_amount(column: ColumnStatistics) -> bool:
    """Say whether a column counts or measures; whole numbers do, unless they are numbering."""
    if column.type.startswith(("DOUBLE", "FLOAT", "DECIMAL")):
        return True
    return is_whole(column.type) and not column.numbering


def are_codes(column: ColumnStatistics, known: Known | None = None) -> bool:
    """Say whether whole numbers are codes by what their column is called: a race or a region is no number."""
    called = column.name if known is None else known.meaning
    return is_whole(column.type) and column.distinct <= FEW_NUMBERS and word_in(called, CODED) is not None


def _few_in_a_row(column: ColumnStatistics) -> bool:
    """Say whether a column has few whole numbers that follow each other, as codes do and amounts do not."""
    return is_whole(column.type) and column.numbering and column.distinct <= FEW_NUMBERS


def suggested_distance(column: ColumnStatistics, shape: Shape | None = None) -> tuple[Distance, str]:
    """Return how far apart the values of a sensitive column may be taken to be, and what to say of it."""
    ordered_text = shape is not None and shape.kind is not None  # in their order, bands and dates have sizes
    if (is_text(column.type) and not ordered_text) or column.type == "BOOLEAN":
        return Nominal(), ""
    if _few_in_a_row(column) and column.distinct > 2:
        return Nominal(), " Its few whole numbers may be codes, and are nominal: 'ordered' if they are a scale."
    if not column.nulls:
        return Ordered(), ""
    remark = f" {column.nulls:,} missing values are left out; 'first' or 'last' would place them."
    return Ordered(nulls="drop"), remark
