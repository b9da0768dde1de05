"""The modeller (deFinetti attack, Kifer 2009), who learns from the release which values go with which people."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tclose.anonymization.algorithms.problem import Floats
from tclose.attacks.fitting import Fit, Weights, summed
from tclose.attacks.release_view import ReleaseView

_ROUNDS = 6
"""How often the model is learnt anew."""
_FITTED = 8
"""How often proportions are fitted in between."""
_DOUBT = 30.0
"""With every value of a column so many people are taken to have been seen who have the usual mixture of values."""


def posteriors(seen: ReleaseView) -> Floats:
    """Return what a naive Bayes model of the release says, by expectation and maximisation, within every class."""
    return learnt(seen, Weights(), _DOUBT)


def learnt(seen: ReleaseView, known: Weights, doubt: float) -> Floats:
    """Return what a model of the release says beside what is known.

    Parameters
    ----------
    seen
        The release.
    known
        What is known of who is where with which value.
    doubt
        With every value of a column so many people are taken to have been seen who have the usual mixture of values.
    """
    fit = Fit.of(seen)
    found = fit.run(known, _FITTED)
    for _ in range(_ROUNDS):
        likely = _likely(seen, found, doubt)
        found = fit.run(replace(known, likely=likely if known.likely is None else likely * known.likely), _FITTED)
    return found


def _likely(seen: ReleaseView, posteriors: Floats, doubt: float) -> Floats:
    """Return how likely each value is for each combination, column by column; the likeliest counts 1."""
    expected = posteriors * seen.people[:, np.newaxis]
    usual = np.maximum(expected.sum(axis=0), 1e-12) / max(float(expected.sum()), 1e-12)
    logs = np.zeros_like(posteriors)
    for at, quasi in enumerate(seen.problem.quasi):
        codes = seen.codes[:, at]
        found = np.stack([summed(codes, column, len(quasi.values)) for column in expected.T], axis=1)
        shares = (found + doubt * usual) / (found.sum(axis=1, keepdims=True) + doubt)
        logs += np.log(shares / usual)[codes]
    return np.asarray(np.exp(np.maximum(logs - logs.max(axis=1, keepdims=True), -40.0)))
