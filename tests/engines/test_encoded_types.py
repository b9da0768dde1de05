"""Types that a dictionary, a run, a list or a struct of Arrow hides: refused by name, or read as they are alone."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import tclose
from tclose.data.values import as_text
from tclose.errors import DomainError, SourceError

pyarrow = pytest.importorskip("pyarrow")
feather = pytest.importorskip("pyarrow.feather")

ENCODED = {
    "dictionary": lambda values: pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1, 0, 1]), values),
    "runs": lambda values: pyarrow.RunEndEncodedArray.from_arrays([2, 4], values),
}
HELD = {
    "float16": pyarrow.array(np.array([0.1, 2], np.float16)),
    "decimal256": pyarrow.array([Decimal(10**60), Decimal(1)], pyarrow.decimal256(76, 0)),
    "decimal with negative scale": pyarrow.array([Decimal(100), Decimal(200)], pyarrow.decimal128(5, -2)),
    "finer than a microsecond": pyarrow.array([1, 2], pyarrow.duration("ns")),
}


@pytest.mark.parametrize("how", [*ENCODED, "plain", "list", "struct"])
@pytest.mark.parametrize("kind", HELD)
def test_what_a_type_hides_is_refused_by_name_and_spoils_nothing_else(tmp_path: Path, how: str, kind: str) -> None:
    """A nanosecond and two of them in a dictionary were one value; half precision in one spoiled the whole table."""
    values = HELD[kind]
    makers = {
        "plain": lambda values: pyarrow.concat_arrays([values, values]),
        "list": lambda values: pyarrow.ListArray.from_arrays([0, 1, 2, 3, 4], pyarrow.concat_arrays([values, values])),
        "struct": lambda values: pyarrow.StructArray.from_arrays([pyarrow.concat_arrays([values, values])], ["x"]),
    }
    table = pyarrow.table({"q": list("abab"), "s": (ENCODED | makers)[how](values), "o": list("xxyy")})
    feather.write_feather(table, tmp_path / "t.feather")
    words = "nested" if how in ("list", "struct") else kind
    for source in (table, tmp_path / "t.feather"):
        assert tclose.audit(source, tclose.Roles("q", "o")).k == 2
        with pytest.raises(SourceError, match=words):
            tclose.audit(source, tclose.Roles("q", {"s": tclose.Nominal()}))


@pytest.mark.parametrize("how", ENCODED)
def test_encoded_moments_are_shown_in_their_zone(tmp_path: Path, how: str) -> None:
    moments = pyarrow.array([1, 2000], pyarrow.timestamp("ns", "Asia/Kolkata"))
    table = pyarrow.table({"q": list("abab"), "s": ENCODED[how](moments)})
    feather.write_feather(table, tmp_path / "t.feather")
    for source in (table, tmp_path / "t.feather"):
        values = tclose.audit(source, tclose.Roles("q", "s")).evidence["s"].domain.values
        assert [as_text(value) for value in values] == [
            "1970-01-01T05:30:00.000000001+05:30",
            "1970-01-01T05:30:00.000002+05:30",
        ]


def test_dates_beyond_the_calendar_are_refused_as_such() -> None:
    """The year 10183 is no text among numbers."""
    days = pyarrow.array([3_000_000, 0, 1, 2], pyarrow.date32())
    table = pyarrow.table({"q": list("abab"), "s": days})
    with pytest.raises(DomainError, match="beyond the years 1 to 9999"):
        tclose.audit(table, tclose.Roles("q", "s"))
    assert tclose.audit(table, tclose.Roles("q", "s:nominal"))["s"].values == 4
