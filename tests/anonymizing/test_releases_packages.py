"""Releases as workbooks and files of SPSS and Stata: the same cells come back, or nothing is written."""

from __future__ import annotations

import datetime as dt
import shutil
import zipfile
from unittest import mock

import openpyxl
import pandas as pd
import pyreadstat
import pytest

from tclose import Nominal, ReadOptions, Roles, anonymize, audit
from tclose.errors import InputError

ROLES = Roles(["age"], {"ill": Nominal()}, publish="all")
HOSTILE = ["=1+1", "@SUM(A1)", "+1", "-1", "007", "ä, \"b\"\n'c'", "#N/A", "1e5"]
PEOPLE = pd.DataFrame({
    "age": [20, 21, 30, 31] * 2, "ill": ["x", "y"] * 4, "text": HOSTILE, "whole": range(8),
    "real": [0.1, 1 / 3, 0.1 + 0.2, -2.5, 1e-300, 7.0, None, 1e15],
    "day": [dt.date(1930 + at, 2, 28) for at in range(8)],
    "moment": pd.to_datetime([f"2024-02-29 0{at}:30:59" for at in range(8)]), "truth": [True, False] * 4,
})  # fmt: skip
READERS = {
    ".xlsx": lambda path: pd.read_excel(
        path, engine="openpyxl", dtype={"text": str, "age": str}, keep_default_na=False, na_values={"real": ""}
    ),
    ".sav": lambda path: pyreadstat.read_sav(path)[0],
    ".dta": lambda path: pyreadstat.read_dta(path)[0],
}


@pytest.mark.parametrize("ending", READERS)
def test_other_readers_find_the_cells_of_the_release(tmp_path, ending):
    release = anonymize(PEOPLE, ROLES, require={"k": 2})
    written = release.write(tmp_path / f"release{ending}")
    assert written.audit.holds
    found = READERS[ending](written.path).sort_values("whole").reset_index(drop=True)
    held = release.to_pandas().sort_values("whole").reset_index(drop=True)
    assert [*found.columns] == [*held.columns]
    for name in ("age", "ill", "text", "whole", "truth"):
        assert found[name].tolist() == held[name].tolist(), name
    assert found["real"].dropna().tolist() == held["real"].dropna().tolist()
    assert found["real"].isna().sum() == 1
    assert pd.to_datetime(found["moment"]).tolist() == held["moment"].tolist()
    assert [pd.Timestamp(day).date() for day in found["day"]] == held["day"].tolist()
    assert audit(written.path, ROLES, require={"k": 2}).holds


def test_no_text_is_a_formula_in_a_workbook(tmp_path):
    anonymize(PEOPLE, ROLES, require={"k": 2}).write(tmp_path / "release.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "release.xlsx").active
    assert sorted(cell.value for cell in sheet["C"][1:]) == sorted(HOSTILE)
    assert {cell.data_type for row in sheet.iter_rows() for cell in row} <= {"s", "n", "b", "d"}
    with zipfile.ZipFile(tmp_path / "release.xlsx") as archive:
        assert b"<f>" not in archive.read("xl/worksheets/sheet1.xml")
        assert {part.compress_type for part in archive.infolist()} == {zipfile.ZIP_DEFLATED}


@pytest.mark.parametrize(
    ("ending", "cells"),
    [
        (".xlsx", [2**53 + 2, 1]), (".dta", [2**53 + 2, 1]), (".sav", ["a ", "b"]), (".xlsx", ["a\rb", "b"]),
        (".dta", ["x" * 3000, "y"]), (".xlsx", [dt.date(1850, 1, 1), dt.date(2000, 1, 1)]), (".sav", ["", None]),
        (".xlsx", [dt.datetime(2020, 1, 1, 0, 0, 0, 5), dt.datetime(2020, 1, 1)]), (".dta", [float("inf"), 1.0]),
    ],
)  # fmt: skip
def test_what_a_format_would_change_is_refused_and_nothing_is_left(tmp_path, ending, cells):
    frame = pd.DataFrame({"age": [20, 20], "ill": ["x", "y"], "cell": pd.Series(cells, dtype=object)})
    with pytest.raises(InputError, match=r"'cell'.*Parquet"):
        anonymize(frame, ROLES, require={"k": 2}).write(tmp_path / f"release{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("ending", "name"), [(".sav", "1st"), (".dta", "a b"), (".dta", "x" * 33), (".sav", "a b")])
def test_names_that_a_package_has_no_place_for_are_refused(tmp_path, ending, name):
    frame = pd.DataFrame({"age": [20, 20], "ill": ["x", "y"], name: [1, 2]})
    with pytest.raises(InputError, match="has no place for the name"):
        anonymize(frame, ROLES, require={"k": 2}).write(tmp_path / f"release{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("source", "ending"), [("sav", ".sav"), ("sav", ".dta"), ("dta", ".sav"), ("dta", ".dta")])
def test_what_codes_mean_goes_along(tmp_path, source, ending):
    meanings = {1: "never", 2: "often", 3: "always"}
    frame = pd.DataFrame({"age": [20.0, 20, 30, 30], "ill": [1.0, 2, 1, 2], "smokes": [1.0, 2, 3, None]})
    write = {"sav": pyreadstat.write_sav, "dta": pyreadstat.write_dta}[source]
    write(frame, str(tmp_path / f"people.{source}"), variable_value_labels={"smokes": meanings, "age": {20: "young"}})
    made = anonymize(tmp_path / f"people.{source}", ROLES, require={"k": 2})
    path = made.write(tmp_path / f"release{ending}").path
    _, about = (pyreadstat.read_sav if ending == ".sav" else pyreadstat.read_dta)(path)
    assert about.variable_value_labels == {"smokes": meanings}


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_blank_text_may_be_declared_missing(tmp_path, ending):
    path = str(tmp_path / f"people{ending}")
    frame = pd.DataFrame({"age": [1.0, 1, 1], "ill": ["x", "", ""]})
    (pyreadstat.write_sav if ending == ".sav" else pyreadstat.write_dta)(frame, path)
    roles = Roles("age", {"ill": Nominal(nulls="drop")})
    assert audit(path, roles).attributes["ill"].figures["l"].value == 2
    assert audit(path, roles, read=ReadOptions(null=("", ""))).attributes["ill"].figures["l"].value == 1


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_a_full_disk_is_not_blamed_on_the_table(tmp_path, monkeypatch, ending):
    """The writer of ``.sav`` says nothing of it and leaves an empty file, that of ``.dta`` speaks of data."""
    release = anonymize(PEOPLE, ROLES, require={"k": 2})
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: mock.Mock(free=4096))
    with pytest.raises(InputError, match="No space left on device"):
        release.write(tmp_path / f"release{ending}")
    assert list(tmp_path.iterdir()) == []
