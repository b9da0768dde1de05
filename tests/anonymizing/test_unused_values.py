"""Values that no released row has are nowhere in a release: not among categories, dictionaries or meanings of codes.

They may be those of rows that were left out, or of people who were never in the table.
"""

from __future__ import annotations

import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import pytest

import tclose

UNUSED = ("left out", "elsewhere")
LISTED = ("flu", *UNUSED, "ache")
ROWS = 40
AGES = [20 + at % 4 for at in range(ROWS)]
CODES = [(0, 3)[at // 4 % 2] for at in range(ROWS)]


def frame(package):
    """Return people of four ages, and somebody whose illness nobody shares, with another illness that nobody has."""
    ages, codes = pa.array([*AGES, 70]), [*CODES, 1]
    if package == "pandas":
        illness = pd.Categorical.from_codes(codes, LISTED, ordered=True)
        return pd.DataFrame({"age": ages.to_pandas(), "illness": illness})
    if package == "polars":
        illness = pl.Series([LISTED[code] for code in codes], dtype=pl.Enum(LISTED))
        return pl.DataFrame({"age": ages.to_pylist(), "illness": illness})
    illness = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int8()), pa.array(LISTED), ordered=True)
    return pa.table({"age": ages, "illness": illness})


def released(table):
    found = tclose.anonymize(
        table, tclose.Roles(["age"], ["illness:nominal"]), require={"k": 5, "t": "0.3"}, suppress="0.1", method="merge"
    )
    assert found.suppressed == 1
    return found


@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_frames_list_the_categories_that_released_rows_have_in_their_order(package):
    found = released(frame(package))
    assert found.to_arrow().column("illness").chunk(0).dictionary.to_pylist() == ["flu", "ache"]
    assert sorted(found.to_pandas()["illness"].cat.categories) == ["ache", "flu"]
    told = found.to_polars()["illness"].dtype
    assert not isinstance(told, pl.Enum) or told.categories.to_list() == ["flu", "ache"]


@pytest.mark.parametrize("ending", ["arrow", "feather", "parquet"])
@pytest.mark.parametrize("package", ["pandas", "polars", "pyarrow"])
def test_files_hold_no_other_value(tmp_path, package, ending):
    path = released(frame(package)).write(tmp_path / f"out.{ending}").path
    assert not [value for value in UNUSED if value.encode() in path.read_bytes()]


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_files_of_statistics_packages_say_only_what_released_codes_mean(tmp_path, ending):
    write, read = {
        "sav": (pyreadstat.write_sav, pyreadstat.read_sav),
        "dta": (pyreadstat.write_dta, pyreadstat.read_dta),
    }[ending]
    table = pd.DataFrame({"age": [*AGES, 70], "illness": [*CODES, 1]})
    write(table, tmp_path / f"in.{ending}", variable_value_labels={"illness": dict(enumerate(LISTED))})
    path = released(tmp_path / f"in.{ending}").write(tmp_path / f"out.{ending}").path
    _, kept = read(path)
    assert kept.variable_value_labels == {"illness": {0: "flu", 3: "ache"}}
