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
    source = "Truta, Vinay 2006"
    usual = False
    example = "2"
