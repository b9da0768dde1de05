"""The register holder, who knows the quasi-identifiers of everybody and how many people share each combination."""

from __future__ import annotations

from tclose.anonymization.algorithms.problem import Floats
from tclose.attacks.fitting import Fit, Weights
from tclose.attacks.release_view import ReleaseView


def posteriors(seen: ReleaseView) -> Floats:
    """Return what the numbers of people and the counts of classes say together, fitted to both."""
    return Fit.of(seen).run(Weights())
