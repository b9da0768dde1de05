"""The catalogue of losses: what a release costs its readers; of each, less is better."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from tclose.recoding.losses.cells import (
    arx_loss,
    generalized_certainty_penalty,
    loss_metric,
    losses_by_column,
    lost_entropy,
    lost_entropy_share,
    lost_precision,
)
from tclose.recoding.losses.classes import (
    average_class_size,
    average_class_size_by_k,
    discernibility,
    discernibility_before_suppression,
    lost_variance,
)
from tclose.recoding.losses.marginals import marginal_distances, mean_marginal_distance
from tclose.recoding.losses.queries import query_error
from tclose.recoding.partition import Partition
from tclose.recoding.problem import Problem

__all__ = ["LOSSES", "Loss", "all_losses", "losses_by_column", "marginal_distances"]


@dataclass(frozen=True)
class Loss:
    """A measure of what a release has lost against the original; less is better."""

    key: str
    title: str
    meaning: str
    """One sentence that says what the number means."""
    source: str
    """Where it was defined."""
    of: Callable[[Problem, Partition], float]
    """Returns the loss of a release; NaN where there is nothing to measure."""
    monotone: bool = True
    """Whether it never falls when published classes are merged or generalised, the same rows being left out."""
    bounded: bool = True
    """Whether it goes from 0, nothing lost, to 1, everything lost."""
    by_class: bool = False
    """Whether it depends on nothing but the cells and sizes of classes."""

    def __call__(self, problem: Problem, partition: Partition) -> float:
        """Return the loss of a release."""
        return self.of(problem, partition)


LOSSES: dict[str, Loss] = {
    loss.key: loss
    for loss in (
        Loss(
            "lm",
            "loss metric",
            "The share of each column's values that a cell cannot be told from, on average.",
            "V. S. Iyengar: Transforming data to satisfy privacy constraints, KDD 2002",
            loss_metric,
            by_class=True,
        ),
        Loss(
            "gcp",
            "generalized certainty penalty",
            "The share of each column's domain that a cell covers, on average; a single value costs nothing.",
            "G. Ghinita, P. Karras, P. Kalnis, N. Mamoulis: Fast data anonymization with low information loss, "
            "VLDB 2007",
            generalized_certainty_penalty,
            by_class=True,
        ),
        Loss(
            "arx",
            "ARX's loss",
            "The loss metric of each column, the columns combined by a geometric mean.",
            "F. Prasser, F. Kohlmayer: Putting statistical disclosure control into practice: the ARX data "
            "anonymization tool, 2015",
            arx_loss,
            by_class=True,
        ),
        Loss(
            "precision",
            "lost precision",
            "How far up its hierarchy a cell is, on average: 1 − Prec.",
            "L. Sweeney: Achieving k-anonymity privacy protection using generalization and suppression, "
            "IJUFKS 10(5), 2002",
            lost_precision,
            by_class=True,
        ),
        Loss(
            "nue",
            "non-uniform entropy",
            "How many bits it takes to get the original values back from the cells.",
            "A. Gionis, T. Tassa: k-Anonymization with minimal loss of information, IEEE TKDE 21(2), 2009",
            lost_entropy,
            bounded=False,
        ),
        Loss(
            "nue_share",
            "non-uniform entropy, as a share",
            "How many bits the cells have lost, of those that the values had.",
            "A. Gionis, T. Tassa: k-Anonymization with minimal loss of information, IEEE TKDE 21(2), 2009",
            lost_entropy_share,
        ),
        Loss(
            "dm",
            "discernibility",
            "How many rows each row looks like, summed over all rows; a row left out looks like all.",
            "R. J. Bayardo, R. Agrawal: Data privacy through optimal k-anonymization, ICDE 2005",
            discernibility,
            bounded=False,
            by_class=True,
        ),
        Loss(
            "dm_star",
            "discernibility before suppression",
            "How many rows each row looks like, summed over all classes, those left out as a whole among them.",
            "K. El Emam et al.: A globally optimal k-anonymity method for the de-identification of health data, "
            "JAMIA 16(5), 2009",
            discernibility_before_suppression,
            bounded=False,
            by_class=True,
        ),
        Loss(
            "aecs",
            "average class size",
            "How many rows there are for each class; the rows left out are one class.",
            "K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006",
            average_class_size,
            bounded=False,
            by_class=True,
        ),
        Loss(
            "c_avg",
            "normalised average class size",
            "How many times larger than k a class is, on average.",
            "K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006",
            average_class_size_by_k,
            bounded=False,
            by_class=True,
        ),
        Loss(
            "sse",
            "lost variance",
            "The percentage of the numbers' variance that is lost if each class's mean replaces them.",
            "J. Domingo-Ferrer, J. M. Mateo-Sanz: Practical data-oriented microaggregation for statistical disclosure "
            "control, IEEE TKDE 14(1), 2002",
            lost_variance,
            bounded=False,
        ),
        Loss(
            "query",
            "query error",
            "How far off the count of a random query is, as a share of the count; the median of 1000 queries.",
            "J. Cao, P. Karras: Publishing microdata with a robust privacy guarantee, PVLDB 5(11), 2012",
            query_error,
            monotone=False,
            bounded=False,
        ),
        Loss(
            "marginals",
            "distance of marginals",
            "How far the distribution of a column, drawn from the release, is from the original's, on average.",
            "tclose",
            mean_marginal_distance,
            monotone=False,
        ),
    )
}


def all_losses(problem: Problem, partition: Partition) -> dict[str, float | None]:
    """Return every loss of a release by its key; None where there is nothing to measure."""
    found = {key: loss.of(problem, partition) for key, loss in LOSSES.items()}
    return {key: None if math.isnan(value) else value for key, value in found.items()}
