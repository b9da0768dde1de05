"""The scores of a release as a document."""

from __future__ import annotations

from tclose.anonymization.scores import Bias, Scores
from tclose.policy.exact_numbers import decimal_text
from tclose.reports.content.audits import notes
from tclose.reports.document import Cell, Document, Paragraph, Table, section, table
from tclose.reports.phrases import scores as words
from tclose.reports.phrases.cells import visible
from tclose.reports.phrases.numbers import percent
from tclose.reports.phrases.releases import CONFIDENTIAL

_MOST = 20
"""So many correlations are shown, those that changed most; JSON has all."""


def scores_document(scores: Scores) -> Document:
    """Return the scores of a release as a document, for the owner of its original."""
    known = any(each.original is not None for each in scores.correlations)
    return Document(
        kind="Usefulness of a release",
        title=words.title(scores),
        care=words.care_sentence(scores),
        lead=(words.size_sentence(scores),),
        sections=(
            *section(words.SCORES, _scores(scores)),
            *section(words.BIASES, _biases(scores), Paragraph(words.OVERLAP, "soft") if scores.biases else None),
            *section(words.CORRELATIONS, _correlations(scores), Paragraph(words.MEASURES, "soft") if known else None),
            *section("", notes(scores.notes)),
        ),
        name=f"Usefulness of {visible(scores.release)}",
        confidential=CONFIDENTIAL,
    )


def _scores(scores: Scores) -> Table:
    rows = [
        (words.marginals(by), Cell(decimal_text(score), "strong"), "of 1000") for by, score in scores.marginals.items()
    ]
    rows.append(("propensity", Cell(decimal_text(scores.propensity), "strong"), words.PROPENSITY))
    rows.append(("unique exact matches", Cell(f"{scores.matches.found:,}", "strong"), words.matches(scores.matches)))
    return table(("score", "value", "what it is"), rows, name=words.SCORES, untitled=True)


def _biases(scores: Scores) -> Table:
    rows = [
        (
            Cell(words.bias(each), "strong"),
            decimal_text(each.original),
            decimal_text(each.release),
            _moved(each),
            "" if each.overlap is None else percent(each.overlap),
        )
        for each in scores.biases
    ]
    return table(("figure", "original", "release", "moved", "overlap"), rows, name=words.BIASES)


def _moved(each: Bias) -> Cell:
    return Cell("" if each.moved is None else percent(each.moved), "bad" if each.warned else "")


def _correlations(scores: Scores) -> Table:
    known = [each for each in scores.correlations if each.original is not None and each.release is not None]
    known.sort(key=lambda each: -abs((each.release or 0.0) - (each.original or 0.0)))
    rows = [
        (
            f"{visible(each.first)} and {visible(each.second)}",
            words.MEASURED[each.measure],
            decimal_text(each.original or 0.0, 3),
            decimal_text(each.release or 0.0, 3),
        )
        for each in known[:_MOST]
    ]
    return table(("columns", "measure", "original", "release"), rows, name=words.CORRELATIONS)
