"""Parquet, JSON, Arrow, workbooks, statistics packages' files and standard input."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import json
import os
import subprocess
import sys
import threading
import traceback
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from canaries import CANARY
from engines.loading import connection, date, kept, loaded, rows, types, write
from tclose.engines.duckdb.errors import translated
from tclose.errors import EmptyTableError, EngineNotInstalledError, SourceError

Connection = duckdb.DuckDBPyConnection
__all__ = ["connection"]


def parquet(path: Path, query: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


def refused(connection: Connection, table: object, message: str, **options: object) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        kept(connection, table, **options)
    assert CANARY not in "".join(traceback.format_exception(caught.value))


# Parquet


def test_a_parquet_file_is_a_view_with_its_number_of_rows(connection: Connection, tmp_path: Path) -> None:
    table = loaded(connection, parquet(tmp_path / "t.parquet", "SELECT range AS a, 'x' AS b FROM range(3)"))
    assert table.rows == 3
    assert types(table) == {"a": "BIGINT", "b": "VARCHAR"}
    assert rows(table.keep(["b", "a"])) == [("x", 0), ("x", 1), ("x", 2)]


def test_parquet_values_have_the_meaning_tclose_gives_them(connection: Connection, tmp_path: Path) -> None:
    query = (
        "SELECT 'NaN'::DOUBLE AS f, 'NaN'::FLOAT AS g, 'b'::ENUM('b', 'a') AS e, "
        "TIMESTAMPTZ '2020-01-01 12:00:00+02' AS t, 1.10::DECIMAL(4,2) AS d"
    )
    table = kept(connection, parquet(tmp_path / "t.parquet", query))
    assert rows(table) == [(None, None, "b", dt.datetime(2020, 1, 1, 10), Decimal("1.10"))]
    assert types(table)["t"] == "TIMESTAMP"


def test_parquet_names_in_any_case_and_with_any_character_work(connection: Connection, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    names = ["Age", "age", 'q"; DROP', "new\nline"]
    pq.write_table(pyarrow.table([[1], [2], [{"a": 1}], [4]], names=names), tmp_path / "t.parquet")
    table = loaded(connection, tmp_path / "t.parquet")
    assert [column.name for column in table.columns] == names
    assert rows(table.keep(["age", "Age", "new\nline"])) == [(2, 1, 4)]


def test_old_times_of_parquet_are_said_to_be_rounded(connection: Connection, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    frame = pyarrow.table({"t": pyarrow.array([1000], pyarrow.timestamp("ns")), "a": [1]})
    pq.write_table(frame, tmp_path / "old.parquet", use_deprecated_int96_timestamps=True)
    pq.write_table(frame, tmp_path / "new.parquet")
    (note,) = loaded(connection, tmp_path / "old.parquet").notes
    assert (note.code, note.column) == ("times-rounded", "t")
    assert loaded(connection, tmp_path / "new.parquet").notes == ()


def test_a_nested_column_is_refused_only_when_it_is_used(connection: Connection, tmp_path: Path) -> None:
    table = loaded(connection, parquet(tmp_path / "t.parquet", "SELECT 1 AS a, [1] AS l, {'x': 1} AS s"))
    assert rows(table.keep(["a"])) == [(1,)]
    for name in ("l", "s"):
        with pytest.raises(SourceError, match=f"column '{name}' .* nested"):
            table.keep([name])


def test_parquet_files_of_one_table_may_have_wider_types(connection: Connection, tmp_path: Path) -> None:
    parquet(tmp_path / "1.parquet", "SELECT 1::INTEGER AS a, 'x' AS b")
    parquet(tmp_path / "2.parquet", "SELECT 'y' AS b, 2.5::DOUBLE AS a")
    table = kept(connection, str(tmp_path / "*.parquet"))
    assert types(table) == {"a": "DOUBLE", "b": "VARCHAR"}
    assert rows(table) == [(1.0, "x"), (2.5, "y")]


def test_parquet_files_with_other_columns_are_refused(connection: Connection, tmp_path: Path) -> None:
    parquet(tmp_path / "1.parquet", "SELECT 1 AS a")
    parquet(tmp_path / "2.parquet", "SELECT 1 AS a, 2 AS extra")
    refused(connection, tmp_path, r"'extra' is in only one of .*1\.parquet' and .*2\.parquet'")


def test_parquet_folders_add_columns_and_codes_stay_text(connection: Connection, tmp_path: Path) -> None:
    parquet(tmp_path / "zip=007" / "year=2020" / "t.parquet", "SELECT 1 AS a")
    parquet(tmp_path / "zip=010" / "year=__HIVE_DEFAULT_PARTITION__" / "t.parquet", "SELECT 2 AS a")
    table = kept(connection, tmp_path)
    assert types(table) == {"a": "INTEGER", "zip": "VARCHAR", "year": "BIGINT"}
    assert rows(table, ["a", "zip", "year"]) == [(1, "007", 2020), (2, "010", None)]


def test_a_parquet_column_of_both_folder_and_file_is_refused(connection: Connection, tmp_path: Path) -> None:
    parquet(tmp_path / "a=1" / "t.parquet", "SELECT 2 AS A")
    refused(connection, tmp_path, "Both the folders and the files .* 'a'")


def test_an_empty_parquet_table_is_refused(connection: Connection, tmp_path: Path) -> None:
    with pytest.raises(EmptyTableError):
        loaded(connection, parquet(tmp_path / "t.parquet", "SELECT 1 AS a WHERE false"))


def test_a_damaged_parquet_file_is_refused(connection: Connection, tmp_path: Path) -> None:
    whole = parquet(tmp_path / "t.parquet", f"SELECT '{CANARY}' || range AS a FROM range(1000)").read_bytes()
    for content in (whole[:-30], whole[:100], CANARY.encode(), b"PAR1PAR1"):
        refused(connection, write(tmp_path / "bad.parquet", content), "not a whole Parquet file")


def test_damage_inside_a_parquet_file_is_found_by_the_scan_without_its_cells(
    connection: Connection, tmp_path: Path
) -> None:
    whole = parquet(tmp_path / "t.parquet", f"SELECT '{CANARY}' || range AS a FROM range(1000)").read_bytes()
    table = kept(connection, write(tmp_path / "bad.parquet", whole[:4] + b"\xff" * 200 + whole[204:]))
    with (
        pytest.raises(SourceError, match=r"cannot be read|not a whole Parquet") as caught,
        translated(table.label, connection=connection),
    ):
        connection.execute(f"SELECT count(DISTINCT c0) FROM {table.name}").fetchall()
    assert CANARY not in "".join(traceback.format_exception(caught.value))


# JSON


def test_json_arrays_and_lines_are_tables(connection: Connection, tmp_path: Path) -> None:
    records = [{"zip": "007", "n": 1, "d": "2020-01-01"}, {"zip": "x", "n": None}]
    expected = [("007", 1, date("2020-01-01")), ("x", None, None)]
    array = write(tmp_path / "t.json", json.dumps(records))
    lines = "\n".join(map(json.dumps, records))
    assert rows(kept(connection, array)) == expected
    for name, content in [
        ("t.jsonl", lines.encode()),
        ("t.ndjson.gz", gzip.compress(lines.encode())),
        ("lines.json", lines.encode()),
        ("bom.json", b"\xef\xbb\xbf" + json.dumps(records).encode()),
        ("utf16.json", json.dumps(records).encode("utf-16")),
    ]:
        assert rows(kept(connection, write(tmp_path / name, content))) == expected, name


def test_json_keys_that_differ_in_case_are_different_columns(connection: Connection, tmp_path: Path) -> None:
    table = kept(connection, write(tmp_path / "t.json", '[{"Age": 1, "age": "x", "b_1": 3}]'))
    assert [column.name for column in table.columns] == ["Age", "age", "b_1"]
    assert rows(table) == [(1, "x", 3)]


def test_json_keys_of_any_letters_are_told_apart(connection: Connection, tmp_path: Path) -> None:
    table = kept(
        connection, write(tmp_path / "t.json", '[{"Age": 1, "age": 2, "age_1": 3, "~/\\"": 4, ":5": 5, "": 6}]')
    )
    assert [column.name for column in table.columns] == ["Age", "age", "age_1", '~/"', ":5", ""]
    assert rows(table) == [(1, 2, 3, 4, 5, 6)]


def test_a_late_json_value_of_another_type_makes_the_column_unusable_not_the_table(
    connection: Connection, tmp_path: Path
) -> None:
    lines = '{"a": 1, "b": 1}\n' * 30_000 + f'{{"a": "{CANARY}", "b": 2}}\n'
    table = loaded(connection, write(tmp_path / "t.jsonl", lines))
    assert table.rows == 30_001
    assert len(rows(table.keep(["b"]))) == 30_001
    with pytest.raises(SourceError, match="different types"):
        table.keep(["a"])


def test_nested_json_is_refused_only_when_it_is_used(connection: Connection, tmp_path: Path) -> None:
    table = loaded(connection, write(tmp_path / "t.json", '[{"a": 1, "b": {"c": 2}, "d": [1]}]'))
    assert rows(table.keep(["a"])) == [(1,)]
    for name in ("b", "d"):
        with pytest.raises(SourceError, match="nested"):
            table.keep([name])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f'[1, 2, "{CANARY}"]', "not a table"),
        (f'[{{"a": "{CANARY}"}}, {{"a": ', "not valid JSON"),
        (f"not JSON {CANARY}", "not valid JSON"),
        (f'[{{"a": "{CANARY}", "a": "x"}}]', "a key is given twice"),
    ],
)
def test_broken_json_is_refused(connection: Connection, tmp_path: Path, content: str, message: str) -> None:
    refused(connection, write(tmp_path / "t.json", content), message)


@pytest.mark.parametrize("content", ["", "[]", " [ ]\n"[:3] + "]", "\n"])
def test_json_without_records_is_empty(connection: Connection, tmp_path: Path, content: str) -> None:
    with pytest.raises(EmptyTableError):
        kept(connection, write(tmp_path / "t.json", content))


# Arrow, workbooks, statistics


def test_arrow_and_feather_files_are_tables(connection: Connection, tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    feather = pytest.importorskip("pyarrow.feather")
    order = pyarrow.DictionaryArray.from_arrays(pyarrow.array([1, 0]), pyarrow.array(["low", "high"]), ordered=True)
    frame = pyarrow.table({"a": [1, 2], "o": order})
    feather.write_feather(frame, tmp_path / "t.feather")
    with (
        pyarrow.OSFile(str(tmp_path / "t.arrow"), "wb") as file,
        pyarrow.ipc.new_file(file, frame.schema) as to,
    ):
        to.write_table(frame)
    with (
        pyarrow.OSFile(str(tmp_path / "t.arrows"), "wb") as file,
        pyarrow.ipc.new_stream(file, frame.schema) as to,
    ):
        to.write_table(frame)
    for name in ("t.feather", "t.arrow", "t.arrows"):
        table = kept(connection, tmp_path / name)
        assert rows(table) == [(1, "high"), (2, "low")]
        assert table.columns[1].categories == ("low", "high")
    refused(connection, write(tmp_path / "bad.arrow", f"ARROW1{CANARY}"), "not a whole Arrow file")


def test_a_workbook_is_a_table_with_whole_numbers_and_dates(connection: Connection, tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    pytest.importorskip("python_calamine")
    book = openpyxl.Workbook()
    for row in [
        ["zip", "age", "born", "score", "mix", None],
        ["007", 34, dt.date(2020, 1, 1), 1.5, "x", 1],
        ["123", None, dt.date(2021, 1, 1), 2, 5, 2],
    ]:
        book.active.append(row)
    book.create_sheet("Second").append(["q"])
    book["Second"].append(["z"])
    book.save(tmp_path / "t.xlsx")
    table = kept(connection, tmp_path / "t.xlsx")
    assert rows(table) == [
        ("007", 34, date("2020-01-01"), 1.5, "x", 1),
        ("123", None, date("2021-01-01"), 2.0, "5", 2),
    ]
    assert [note for note in table.notes if note.code == "unnamed-columns" and "'column_6'" in note.text]
    assert [note for note in table.notes if (note.code, note.column) == ("mixed-values", "mix")]
    assert rows(kept(connection, tmp_path / "t.xlsx", sheet="Second")) == [("z",)]
    assert rows(kept(connection, tmp_path / "t.xlsx", sheet=2)) == [("z",)]
    refused(connection, tmp_path / "t.xlsx", "Did you mean 'Second'", sheet="second ")
    refused(connection, tmp_path / "t.xlsx", "It has 'Sheet', 'Second'", sheet=3)
    refused(connection, write(tmp_path / "bad.xlsx", f"PK\x03\x04{CANARY}"), "not a whole Excel")


def test_files_of_statistics_packages_keep_their_codes(connection: Connection, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pandas.DataFrame({"sex": [1.0, 2.0, None], "name": ["x", "y", "z"], "real": [1.5, 2.0, 3.0]})
    frame["name"] = frame["name"].astype(object)
    pyreadstat.write_sav(frame, str(tmp_path / "t.sav"), variable_value_labels={"sex": {1: "male", 2: "female"}})
    pyreadstat.write_dta(frame, str(tmp_path / "t.dta"))
    pyreadstat.write_xport(frame, str(tmp_path / "t.xpt"))
    for name in ("t.sav", "t.dta", "t.xpt"):
        table = kept(connection, tmp_path / name)
        assert types(table) == {"sex": "BIGINT", "name": "VARCHAR", "real": "DOUBLE"}
        assert rows(table) == [(1, "x", 1.5), (2, "y", 2.0), (None, "z", 3.0)]
    refused(connection, write(tmp_path / "bad.sav", f"$FL2{CANARY}"), "not a whole SPSS file")
    nameless = (tmp_path / "t.sav").read_bytes().replace(b"SEX     ", b"\xff" * 8, 1)
    refused(connection, write(tmp_path / "nameless.sav", nameless), "not a whole SPSS file")


def test_cells_that_are_missing_in_several_ways_are_one_with_a_note(connection: Connection, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pyreadstat = pytest.importorskip("pyreadstat")
    codes = pandas.DataFrame({"q": [1.0, 98.0, 99.0, 2.0, None], "one": [1.0, 9.0, 2.0, 9.0, 3.0]})
    texts = pandas.DataFrame({"q": ["a", "refused", "unknown", "b", ""]})
    letters = pandas.DataFrame({"q": [1, "a", "b", 2, 3]}, dtype=object)
    declared = {"q": [{"lo": 90, "hi": 99}], "one": [9]}
    pyreadstat.write_sav(codes, str(tmp_path / "codes.sav"), missing_ranges=declared)
    pyreadstat.write_sav(texts, str(tmp_path / "texts.sav"), missing_ranges={"q": ["refused", "unknown"]})
    pyreadstat.write_dta(letters, str(tmp_path / "letters.dta"), missing_user_values={"q": ["a", "b"]}, version=12)
    told = "cells of 'q' are missing in {} ways in the file"
    for name, column, note in (
        ("codes.sav", [1, 2, None, None, None], f"3 {told.format(3)}"),
        ("texts.sav", ["", "a", "b", None, None], f"2 {told.format(2)}"),
        ("letters.dta", [1, 2, 3, None, None], f"2 {told.format(2)}"),
    ):
        table = kept(connection, tmp_path / name)
        assert [row[0] for row in rows(table)] == column
        (noted,) = table.notes
        assert noted.text.startswith(note)


def test_floats_of_32_bits_of_stata_are_their_shortest_decimals(connection: Connection, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyreadstat")
    values = [0.1, 18.3, 16777216.0, None]
    frame = pandas.DataFrame({"real": pandas.array(values, dtype="Float32").astype("float32"), "wide": values})
    frame.to_stata(tmp_path / "t.dta", write_index=False)
    table = kept(connection, tmp_path / "t.dta")
    assert rows(table) == [(0.1, 0.1), (16777216.0, 16777216.0), (18.3, 18.3), (None, None)]


@pytest.mark.parametrize(
    ("name", "package"),
    [("t.arrow", "pyarrow"), ("t.xlsx", "python-calamine"), ("t.sav", "pyreadstat"), ("t.dta", "pyreadstat")],
)
def test_a_missing_package_is_named_with_its_extra(
    connection: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, package: str
) -> None:
    for module in ("pyarrow", "python_calamine", "pyreadstat"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(EngineNotInstalledError, match=rf"'{package}'.*extra 'files'"):
        loaded(connection, write(tmp_path / name, "x"))


# Streams and files that change


@pytest.mark.parametrize(
    "content",
    [b"a,b\n1,x\n", b'[{"a": 1, "b": "x"}]', gzip.compress(b"a;b\n1;x\n", mtime=0), "a,b\n1,x\n".encode("utf-16")],
)
def test_standard_input_is_known_by_its_content(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    table = kept(connection, "-")
    assert table.label == "standard input"
    assert rows(table) == [(1, "x")]


def test_standard_input_may_be_parquet(connection: Connection, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    content = parquet(tmp_path / "t.parquet", "SELECT 1 AS a").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert rows(kept(connection, "-")) == [(1,)]


def test_errors_on_standard_input_name_it(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(f"a,b\n{CANARY}\n".encode())))
    refused(connection, "-", "^standard input, line 2: 1 cell |^Standard input, line 2: 1 cell ")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(EmptyTableError, match="standard input is empty"):
        kept(connection, "-")


def test_a_named_pipe_is_read_once(connection: Connection, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(b"a,b\n1,x\n",))
    writer.start()
    assert rows(kept(connection, pipe)) == [(1, "x")]
    writer.join()


def test_a_file_that_vanishes_is_missed(connection: Connection, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "a\n" + "1\n" * 20_000)
    table = loaded(connection, path)
    path.unlink()
    with pytest.raises(SourceError, match=r"not there any more|cannot be read"):
        table.keep(["a"])


def test_loading_a_text_file_imports_no_frame_library(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "a,b\n1,x\n")
    code = (
        "import sys\n"
        "from tclose.engines.duckdb.connection import connect\n"
        "from tclose.engines.duckdb.load import load\n"
        "from tclose.data.sources import locate\n"
        f"load(connect(), locate({str(path)!r})).keep(['a'])\n"
        "sys.exit(', '.join({'pyarrow', 'pandas', 'polars'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stderr == ""


def test_parquet_files_whose_names_differ_in_case_must_agree_on_their_order(
    connection: Connection, tmp_path: Path
) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    pq.write_table(pyarrow.table([[1], ["x"]], names=["Age", "age"]), tmp_path / "1.parquet")
    pq.write_table(pyarrow.table([[2], ["y"]], names=["Age", "age"]), tmp_path / "2.parquet")
    assert rows(kept(connection, tmp_path)) == [(1, "x"), (2, "y")]
    pq.write_table(pyarrow.table([["z"], [3]], names=["age", "Age"]), tmp_path / "3.parquet")
    refused(connection, tmp_path, "do not have the same columns")


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_texts_of_statistics_files_are_missing_where_somebody_says_so(tmp_path, ending):
    import pandas as pd
    import pyreadstat

    import tclose

    path = tmp_path / f"t.{ending}"
    frame = pd.DataFrame({"q": ["a", "a", "", ""], "s": ["x", "NA", "y", "NA"]})
    (pyreadstat.write_sav if ending == "sav" else pyreadstat.write_dta)(frame, str(path))
    roles = tclose.Roles("q", {"s": tclose.Nominal(nulls="drop")})

    def left_out(**read):
        return tclose.audit(path, roles, read=tclose.ReadOptions(**read))["s"].left_out

    assert (left_out(), left_out(null=("", "NA")), left_out(null=("NA",))) == (0, 2, 2)
    keys = [row["q"] for row in tclose.audit(path, roles, read=tclose.ReadOptions(null=("", ""))).classes.rows()]
    assert None in keys
