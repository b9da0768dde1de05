"""Ordered text without a scale: by the alphabet where that is the order of what it says, else refused."""

from __future__ import annotations

from fractions import Fraction

import pyarrow as pa
import pytest

import tclose
from tclose.errors import DomainError

MISLEADING = {
    "days or months first": ("dates", ["01/02/2020", "02/01/2020", "03/03/2019"]),
    "days first and months first": ("dates", ["01/13/2020", "13/01/2020"]),
    "years of two digits": ("dates", ["01.02.20", "02.01.19"]),
    "days with hours": ("dates", ["1-2-2020 10:00", "2-1-2020 11:00"]),
    "clocks": ("numbers", ["9:30", "10:00"]),
    "bands that overlap": ("numbers", ["0-5", "4-9", "10-14"]),
    "grades": ("numbers", ["grade 9", "grade 10"]),
    "below zero": ("numbers", ["-5 °C", "-10 °C"]),
    "years beyond 9999": ("numbers", ["9999-12-31", "10000-01-01"]),
    "two zones": ("points in time", ["2020-11-01T01:30:00-05:00", "2020-11-01T02:00:00-04:00"]),
    "zones and none": ("points in time", ["2020-11-01T01:30:00Z", "2020-11-01T02:00:00"]),
}


@pytest.mark.parametrize("which", MISLEADING)
def test_text_that_the_alphabet_misleads_about_is_refused_without_a_cell(which):
    what, texts = MISLEADING[which]
    rows = {"q": ["a", *"b" * (len(texts) - 1)], "s": texts}
    with pytest.raises(DomainError, match=f"not that of the {what}") as refused:
        tclose.audit(rows, tclose.Roles("q", "s:ordered"))
    assert not any(text in str(refused.value) for text in texts)
    assert tclose.audit(rows, tclose.Roles("q", {"s": tclose.Ordered(texts)}))["s"].values == len(texts)
    assert tclose.audit(rows, tclose.Roles("q", {"s": tclose.Ordered("frequency")}))["s"].values == len(texts)
    assert tclose.audit(rows, tclose.Roles("q", "s:nominal"))["s"].values == len(texts)


BANDS = {
    "bands": ["0-4", "5-9", "10-14"],
    "open bands": ["<5", "5-9", "10+"],
    "shares": ["0-10%", "10-20", "20-30%"],
    "the end first": ["0-35", "35-55", "55<="],
    "words": ["under 18", "18 to 34", "35 or more"],
    "numbers among them": ["1", "2-9", "10+"],
}


@pytest.mark.parametrize("which", BANDS)
def test_bands_of_numbers_are_in_the_order_of_their_ends(which):
    """By hand: the lowest of three values is at (2/3 + 1/3) / 2 = 1/2, the one between at (1/3 + 1/3) / 2 = 1/3."""
    low, middle, high = BANDS[which]
    for first, distance in ((low, Fraction(1, 2)), (middle, Fraction(1, 3)), (high, Fraction(1, 2))):
        rows = {"q": ["a", "b", "b"], "s": [first, *({low, middle, high} - {first})]}
        found = tclose.audit(rows, tclose.Roles("q", "s:ordered"))["s"]
        assert found.t == distance
        assert "text-as-bands" in [note.code for note in found.notes]


RIGHT = {
    "words": ["high", "low", "medium"],
    "months": ["2019-12", "2020-01", "2020-02"],
    "weeks": ["2019-W52", "2020-W01", "2020-W10"],
    "padded bands": ["00-04", "05-09", "10-14"],
    "doses": ["0.25 mg", "0.5 mg", "1.0 mg"],
    "one zone": ["2020-11-01T01:30:00-05:00", "2020-11-01T02:00:00-05:00", "2020-11-01T02:30:00-05:00"],
}


@pytest.mark.parametrize("which", RIGHT)
def test_other_text_is_in_the_order_of_the_alphabet(which):
    """By hand: the lowest of three values is at (2/3 + 1/3) / 2 = 1/2."""
    rows = {"q": ["b", "a", "b"], "s": [RIGHT[which][2], RIGHT[which][0], RIGHT[which][1]]}
    assert tclose.audit(rows, tclose.Roles("q", "s:ordered"))["s"].t == Fraction(1, 2)


def test_years_of_which_python_has_none_are_not_in_the_order_of_letters():
    days = pa.array([3_000_000, 33_000_000], pa.date32())
    with pytest.raises(DomainError, match="beyond the years 1 to 9999"):
        tclose.audit(pa.table({"q": ["a", "b"], "s": days}), tclose.Roles("q", "s"))
