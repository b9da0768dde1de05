"""p-sensitive k-anonymity: different values of every confidential attribute in every class."""

from __future__ import annotations

from dataclasses import dataclass

from tclose.models.distinct_l import DistinctL


@dataclass(frozen=True)
class PSensitive(DistinctL):
    """The number of different values of each sensitive attribute in a class, at least p; k is asked beside it."""

    key = "p"
    title = "p-sensitive k-anonymity"
    meaning = "Every class holds at least p different values of every sensitive attribute."
    limit = "p values of which one has nearly all rows, or which mean the same"
    formula = "p = min over classes of the number of values with p > 0, for every sensitive attribute"
    remarks = "The same count as ℓ. The k of the pair is a requirement of its own: add `--k`."
    source = "Truta, Vinay 2006"
    paper = "T. M. Truta, B. Vinay: Privacy protection: p-sensitive k-anonymity property, ICDE Workshops 2006"
    usual = False
    example = "2"
