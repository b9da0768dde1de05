"""Scores by which others judge a release beside its original: marginals, correlations, propensity, matches, biases."""

from tclose.anonymization.scores.scores import Bias, Correlation, Matches, Scores

__all__ = ["Bias", "Correlation", "Matches", "Scores"]
