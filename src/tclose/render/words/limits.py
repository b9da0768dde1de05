"""What no privacy model promises."""

from __future__ import annotations

_ROWS = "Rows are counted, not people."
NEVER_PROMISED = {
    "It is not differential privacy.": (
        "t-closeness and its kin speak of one table and what its classes look like. They give no bound that "
        "holds whatever else is known or published."
    ),
    "Only the named quasi-identifiers count.": (
        "Someone who knows another column of a person has smaller classes than were measured. "
    ),
    "Background knowledge is not modelled.": "Someone who can rule out some values may be certain of what is left.",
    "Several releases are not one.": "Two tables about the same people may each pass and together give them away.",
    "The way to a release can be read back.": (
        "Someone who knows that a table was generalised no more than needed can reason about why a row is as "
        "coarse as it is."
    ),
    "The thresholds and the reference are a choice.": (
        "No number is safe by itself, and the reference is taken as known to everyone. "
    ),
    _ROWS: "Five rows of one person make a class of five and protect nobody.",
    "A sample is not the population.": (
        "Class sizes say how well someone is hidden from those who know that the person is in the table. "
    ),
}
"""What no figure of a report promises, each as a heading with a sentence."""


def never_promised(*, people: bool) -> dict[str, str]:
    """Return what no figure promises, of people where they are counted."""
    return {term: sentence for term, sentence in NEVER_PROMISED.items() if not people or term != _ROWS}
