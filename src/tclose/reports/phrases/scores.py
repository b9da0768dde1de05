"""The sentences and phrases of the scores of a release."""

from __future__ import annotations

from tclose.anonymization.scores import Bias, Matches, Scores
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.numbers import counted, joined, percent

SCORES = "Scores"
BIASES = "Means, quartiles and slopes"
CORRELATIONS = "Correlations that changed most"
MEASURED = {"pearson": "Pearson's r", "cramer": "Cramér's V"}
PROPENSITY = "0 where a logistic model cannot tell the release from the original, 0.25 where it always can"
OVERLAP = "Overlap: how much of the two 95 % confidence intervals lies in both, as a share of each on average."
MEASURES = "Pearson's r is of two columns of numbers, Cramér's V, without the bias of many values, of any others."
_NAMED = 5


def title(scores: Scores) -> str:
    """Return what it is about, in words."""
    return f"{visible(scores.release)} beside {visible(scores.original)}."


def size_sentence(scores: Scores) -> str:
    """Return how many rows and columns were looked at, in words."""
    columns = counted(len(scores.columns), "column")
    return f"{counted(scores.rows, 'row')} beside {scores.original_rows:,} of the original, in {columns} of both."


def care_sentence(scores: Scores) -> str:
    """Return which means and slopes moved by more than a tenth, in words; empty where none did."""
    warned = scores.warnings
    if not warned:
        return ""
    named = joined([bias(each) for each in warned[:_NAMED]])
    more = f", and {len(warned) - _NAMED:,} more" if len(warned) > _NAMED else ""
    return f"By more than a tenth moved: {named}{more}."


def bias(each: Bias) -> str:
    """Return what a bias is of, in words."""
    on = "" if each.on is None else f" on {visible(each.on)}"
    return f"{each.what} of {visible(each.column)}{on}"


def marginals(by: int) -> str:
    """Return the name of a score of marginals."""
    return "single columns" if by == 1 else f"{by} columns together"


def matches(found: Matches) -> str:
    """Return what unique exact matches are, in words."""
    if not found.unique:
        return "no row stands once in the original"
    share = percent(found.found / found.unique)
    return f"{share} of {counted(found.unique, 'row')} that stand once in the original; by chance {found.chance:,.1f}"
