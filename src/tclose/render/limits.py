"""What privacy models do not promise: for every model what it does not stop, and what no model stops."""

from __future__ import annotations

LIMITS = {
    "k": "a class whose rows all have the same sensitive value",
    "l": "ℓ values of which one has nearly all rows, or which mean the same",
    "t": "a rare value that becomes many times as likely: 1 % to 11 % counts as 40 % to 50 %",
    "alpha": "values that mean the same; rare values that become common",
    "entropy_l": "values that mean the same",
    "recursive": "values that mean the same",
    "p": "p values of which one has nearly all rows, or which mean the same",
    "kl": "values that are near each other count as if they were far apart",
    "js": "values that are near each other count as if they were far apart",
    "smoothed_js": "it depends on a bandwidth that nobody knows how to choose",
    "nt": "what the large superset itself gives away",
    "beta": "a value that becomes much less likely",
    "enhanced_beta": "a value that becomes much less likely",
    "delta": "little; but nearly no useful table meets it",
    "delta_present": "values that a class does not hold are not looked at",
    "ke": "a wide range of which nearly all rows sit at one end",
    "prosecutor": "learning a sensitive value without finding the row",
    "marketer": "learning a sensitive value without finding the row",
    "journalist": "learning a sensitive value without finding the row",
    "k_map": "learning a sensitive value without finding the row",
    "presence_max": "learning a sensitive value of someone who is known to be in the table",
    "presence_min": "learning a sensitive value of someone who is known to be in the table",
}
"""By the key of a model."""

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
    "Rows are counted, not people.": "Five rows of one person make a class of five and protect nobody.",
    "A sample is not the population.": (
        "Class sizes say how well someone is hidden from those who know that the person is in the table. "
    ),
}
"""What no figure of a report promises, each as a heading with a sentence."""
