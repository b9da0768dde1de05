"""The words that readers of a report or a page may not know, each with its meaning."""

from __future__ import annotations

from collections.abc import Mapping

# What no privacy model promises.


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


GLOSSARY: Mapping[str, str] = {
    "class": "all rows that agree in every quasi-identifier; the literature's equivalence class",
    "closeness": "how near the distribution of a class is to the reference",
    "distance": "how far apart two values are: ordered, numeric, nominal or hierarchical",
    "driver": "the quasi-identifier without which t is lowest, and lower than with it",
    "earth mover's distance, EMD": "the least work that turns one distribution into another",
    "figure": "one number of a model, for the table or an attribute",
    "frontier": "what a release costs, over thresholds and methods",
    "hierarchy": "a tree over the values of an attribute",
    "identifier": "a column that names a person outright",
    "undecided": "a column that nobody has given a role yet; it is withheld",
    "remove": "a column that a release leaves out although it identifies nobody",
    "publish": "a column that is neither known nor secret, and is published as it is",
    "kept detail": "1 − `lm`: the share of detail of the quasi-identifiers that a release still shows",
    "level": "how far up its hierarchy a value is published; 0 is the value itself",
    "loss": "what a release no longer shows of the original",
    "model": "a way to turn classes into a figure: k-anonymity, t-closeness",
    "population": "a table of the people that the table was drawn from",
    "quasi-identifier": "a column that others may know of a person",
    "recipe": "how a release was made: which values became which cells",
    "reference": "the distribution that classes are compared with",
    "release": "a table that may be published: generalised until it meets its requirements",
    "requirement": "a threshold that a figure must meet",
    "sensitive": "to be protected",
    "suppress": "leave rows out of a release",
    "threshold": "the number in a requirement",
    "worst class": "the class that decides a figure",
}
"""The meaning of each word; ``docs/glossary.md`` has these and more."""
