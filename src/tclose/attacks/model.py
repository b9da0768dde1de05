"""The modeller (deFinetti attack, Kifer 2009), who learns from the release which values go with which people."""

from __future__ import annotations

import numpy as np

from tclose.attacks.fitting import Fit, Weights, summed
from tclose.attacks.seen import Seen
from tclose.recoding.problem import Floats

_ROUNDS = 6
"""How often the model is learnt anew."""
_FITTED = 8
"""How often proportions are fitted in between."""
_DOUBT = 30.0
"""With every value of a column so many people are taken to have been seen who have the usual mixture of values."""


def posteriors(seen: Seen) -> Floats:
    """Return what a naive Bayes model of the release says, by expectation and maximisation, within every class."""
    fit = Fit.of(seen)
    found = fit.run(Weights(), _FITTED)
    for _ in range(_ROUNDS):
        found = fit.run(Weights(likely=_likely(seen, found)), _FITTED)
    return found


def _likely(seen: Seen, posteriors: Floats) -> Floats:
    """Return how likely each value is for each combination, column by column; the likeliest counts 1."""
    expected = posteriors * seen.people[:, np.newaxis]
    usual = np.maximum(expected.sum(axis=0), 1e-12) / max(float(expected.sum()), 1e-12)
    logs = np.zeros_like(posteriors)
    for at, quasi in enumerate(seen.problem.quasi):
        codes = seen.codes[:, at]
        found = np.stack([summed(codes, column, len(quasi.values)) for column in expected.T], axis=1)
        shares = (found + _DOUBT * usual) / (found.sum(axis=1, keepdims=True) + _DOUBT)
        logs += np.log(shares / usual)[codes]
    return np.asarray(np.exp(np.maximum(logs - logs.max(axis=1, keepdims=True), -40.0)))
