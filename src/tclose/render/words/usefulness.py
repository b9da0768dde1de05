"""The sentences and phrases of what a release is still good for."""

from __future__ import annotations

from tclose.exact import decimal_text
from tclose.recoding.associations import Association
from tclose.recoding.usefulness import Prediction, Usefulness
from tclose.render.words.cells import visible
from tclose.render.words.phrases import counted, percent

TITLE = "What it is still good for"
NONE = "–"
ASSOCIATIONS = "How columns go together, before and after"
ASSOCIATIONS_READ = (
    "Cramér's V of two columns, corrected for many values: 0 where one says nothing of the other, 1 where it decides "
    "it. What is published counts evenly for the values that it may stand for."
)
PREDICTIONS = "What a simple model learns, of original and release"
PREDICTIONS_READ = (
    "A naive Bayes model is asked for the sensitive value of rows that it has not seen, one fifth of the table after "
    "the other: how often it is right."
)


def pair(each: Association) -> str:
    """Return two columns by name."""
    return f"{visible(each.first)} and {visible(each.second)}"


def strength(value: float | None) -> str:
    """Return how closely two columns go together, as it is read."""
    return NONE if value is None else decimal_text(value, 3)


def learnt(each: Prediction) -> str:
    """Return what a model learns of an attribute, in words that can be quoted."""
    return (
        f"A simple model that learnt from the release is right about {visible(each.attribute)} in "
        f"{percent(each.release)} of rows, from the original in {percent(each.original)}; whoever always says the most "
        f"frequent of {each.groups} in {percent(each.guess)}."
    )


def remarks(found: Usefulness) -> list[str]:
    """Return what else to know of the numbers."""
    told = []
    if any(each.before is None or each.after is None for each in found.associations):
        told.append(f"{NONE} stands where nearly every row has a value of its own, so that nothing can be said.")
    if found.columns_left_out:
        left = counted(found.columns_left_out, "quasi-identifier")
        told.append(f"{left} were not looked at in pairs." if found.columns_left_out > 1 else f"{left} was not.")
    return told
