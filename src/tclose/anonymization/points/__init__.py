"""Points: a value in the place of each generalised cell, of the column's own type, so that one can compute with it.

A point is a function of what is published anyway, the cells and how often each stands there, and of the secret seed: it
says no more of a person than the cell does.
"""

from tclose.anonymization.points.cells import takes_for_codes
from tclose.anonymization.points.drawing import (
    Points,
    PointsAsked,
    drawn,
    pointed,
    pointed_rows,
    recoding_by_rows,
    rows_of_pieces,
)
from tclose.anonymization.points.keeping import points_data, points_of
from tclose.anonymization.points.raking import Counts, published_counts

__all__ = [
    "Counts", "Points", "PointsAsked", "drawn", "pointed", "pointed_rows", "points_data", "points_of",
    "published_counts", "recoding_by_rows", "rows_of_pieces", "takes_for_codes",
]  # fmt: skip
