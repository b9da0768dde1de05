"""What is lost by putting rows together: discernibility, class sizes, squared distances to the class's mean.

Classes are taken as published: those with the same cells are one.
"""

from __future__ import annotations

import numpy as np

from tclose.anonymization.algorithms.losses.base import Loss
from tclose.anonymization.algorithms.partition import Partition, published
from tclose.anonymization.algorithms.problem import Floats, Problem, Quasi
from tclose.data.values import exact_number
from tclose.models.counts import Integers


def discernibility(problem: Problem, partition: Partition) -> float:
    """Return DM: how many rows each row looks like, summed; a row left out looks like all."""
    return _squares(published(partition).sizes()) + partition.suppressed() * problem.rows


def discernibility_before_suppression(_problem: Problem, partition: Partition) -> float:
    """Return DM*: the sum of the squared class sizes, with classes that were left out as a whole still among them."""
    left_out = 0.0 if partition.left_out_sizes is None else _squares(partition.left_out_sizes)
    return _squares(published(partition).sizes()) + left_out


def _squares(sizes: Integers) -> float:
    return float((sizes * sizes).sum())


def average_class_size(problem: Problem, partition: Partition) -> float:
    """Return the rows of the table for each class; the rows left out are one class."""
    classes = int(np.count_nonzero(published(partition).sizes())) + (partition.suppressed() > 0)
    return problem.rows / classes


def average_class_size_by_k(problem: Problem, partition: Partition) -> float:
    """Return LeFevre's C_AVG: the average class size as a multiple of the required k (1 if none is)."""
    return average_class_size(problem, partition) / problem.k


def lost_variance(problem: Problem, partition: Partition) -> float:
    """Return IL = 100·SSE/SST over the numeric quasi-identifiers, if each class's mean replaces its values.

    On z-scores every column has the same SST, so this is the mean over columns. A row left out is taken for
    the mean of the table. Columns hold numbers or dates to be numeric; missing values are ignored. NaN if
    no column is numeric.
    """
    seen = published(partition)
    lost = [
        _unexplained(numbers[problem.codes[seen.rows, at]], seen)
        for at, quasi in enumerate(problem.quasi)
        if (numbers := _numbers(quasi)) is not None
    ]
    return 100.0 * float(np.mean(lost)) if lost else float("nan")


def _numbers(quasi: Quasi) -> Floats | None:
    """Return the values as floats, NaN where missing; None if they are not all numbers or dates."""
    if any(isinstance(value, str | bool) for value in quasi.values):
        return None
    numbers = [value if isinstance(value, int | float) else exact_number(value) for value in quasi.values]
    absent = [value is None for value in quasi.values]
    if all(absent) or [number is None for number in numbers] != absent:
        return None
    return np.array([np.nan if number is None else float(number) for number in numbers])


def _unexplained(values: Floats, seen: Partition) -> float:
    """Return the share of the values' squared distances to their mean that is left inside the classes."""
    present = np.isfinite(values)
    values, counts, classes = values[present], seen.counts[present], seen.classes[present]
    largest = float(np.abs(values).max(initial=0.0))
    if largest == 0.0:
        return 0.0
    values = values / largest  # a share does not depend on the unit, and squares of large numbers overflow
    values = values - np.average(values, weights=counts)
    total = float((counts * values**2).sum())
    inside = float((counts * (values - _class_means(values, counts, classes, seen.number)) ** 2).sum())
    return inside / total if total > 0 else 0.0


def _class_means(values: Floats, counts: Integers, classes: Integers, number: int) -> Floats:
    """Return for each piece the mean of its class; 0, the mean of the table, where it is left out."""
    sums = np.bincount(classes + 1, weights=counts * values, minlength=number + 1)
    sizes = np.bincount(classes + 1, weights=counts, minlength=number + 1)
    means = sums / np.maximum(sizes, 1)
    means[0] = 0.0
    return np.asarray(means[classes + 1])


DISCERNIBILITY = Loss(
    key="dm",
    title="discernibility",
    meaning="How many rows each row looks like, summed over all rows; a row left out looks like all.",
    source="R. J. Bayardo, R. Agrawal: Data privacy through optimal k-anonymization, ICDE 2005",
    formula="Σ f² + s·N",
    left_out="looks like all N",
    of=discernibility,
    bounded=False,
    by_class=True,
    beside="exact",
)
DISCERNIBILITY_BEFORE = Loss(
    key="dm_star",
    title="discernibility before suppression",
    meaning="How many rows each row looks like, summed over all classes, those left out as a whole among them.",
    source=(
        "K. El Emam et al.: A globally optimal k-anonymity method for the de-identification of health data, JAMIA "
        "16(5), 2009"
    ),
    formula="Σ f², classes left out as a whole included",
    left_out="not counted",
    of=discernibility_before_suppression,
    bounded=False,
    by_class=True,
)
CLASS_SIZE = Loss(
    key="aecs",
    title="average class size",
    meaning="How many rows there are for each class; the rows left out are one class.",
    source="K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006",
    formula="N / number of classes",
    left_out="all together one class",
    of=average_class_size,
    bounded=False,
    by_class=True,
    reported=True,
    beside="exact",
)
CLASS_SIZE_BY_K = Loss(
    key="c_avg",
    title="normalised average class size",
    meaning="How many times larger than k a class is, on average.",
    source="K. LeFevre, D. J. DeWitt, R. Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006",
    formula="`aecs` / k, the size that is required of every class (1 if none is)",
    left_out="all together one class",
    of=average_class_size_by_k,
    bounded=False,
    by_class=True,
    beside="exact",
)
VARIANCE = Loss(
    key="sse",
    title="lost variance",
    meaning="The percentage of the numbers' variance that is lost if each class's mean replaces them.",
    source=(
        "J. Domingo-Ferrer, J. M. Mateo-Sanz: Practical data-oriented microaggregation for statistical disclosure "
        "control, IEEE TKDE 14(1), 2002"
    ),
    formula="mean over numeric columns of 100·SSE/SST, in percent",
    left_out="taken for the mean of the table",
    of=lost_variance,
    bounded=False,
)
