"""Text tables: what is read, of which type, and what is refused."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import traceback
from collections import Counter
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from canaries import CANARY
from engines.loading import connection, date, kept, loaded, rows, types, write
from tclose.engines.duckdb.session import DuckDBSession
from tclose.errors import ColumnNotFoundError, EmptyTableError, SourceError

Connection = duckdb.DuckDBPyConnection
__all__ = ["connection"]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_recognised(
    connection: Connection, tmp_path: Path, delimiter: str, end: str
) -> None:
    text = end.join(delimiter.join(cells) for cells in [["a", "b"], ["1", "x"], ["2", "y z"], []])
    assert rows(kept(connection, write(tmp_path / "t.csv", text))) == [(1, "x"), (2, "y z")]


def test_quotes_hold_delimiters_line_ends_and_quotes(connection: Connection, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", 'a,b\n"x, y","line\nend"\n"say ""hi""",z\n')
    assert rows(kept(connection, path)) == [('say "hi"', "z"), ("x, y", "line\nend")]


def test_any_name_just_works(connection: Connection, tmp_path: Path) -> None:
    names = ["na me", 'qu"ote', "new\nline", "😀'; DROP TABLE x; --", "Age", "age", "AGE", "c0", "select"]
    text = io.StringIO()
    csv.writer(text).writerows([names, range(len(names))])
    table = kept(connection, write(tmp_path / "t.csv", text.getvalue()))
    assert [column.name for column in table.columns] == names
    assert rows(table) == [tuple(range(len(names)))]


def test_the_separator_line_of_excel_is_no_row(connection: Connection, tmp_path: Path) -> None:
    assert rows(kept(connection, write(tmp_path / "t.csv", "sep=;\r\na;b\r\n1;x\r\n"))) == [(1, "x")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_encodings_are_recognised(connection: Connection, tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path / "t.csv", "näme,b\ncafé,1\nköln,2\n".encode(encoding))
    table = kept(connection, path)
    assert [column.name for column in table.columns] == ["näme", "b"]
    assert rows(table) == [("café", 1), ("köln", 2)]


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_compressed_files_are_unpacked(connection: Connection, tmp_path: Path, suffix: str, compress) -> None:  # type: ignore[no-untyped-def]
    path = write(tmp_path / f"t.csv{suffix}", compress(b"a,b\n1,x\n"))
    assert rows(kept(connection, path)) == [(1, "x")]


def test_zstandard_is_unpacked_with_its_line_ends_inside_cells(connection: Connection, tmp_path: Path) -> None:
    path = tmp_path / "t.csv.zst"
    query = "SELECT 'x' || chr(10) || chr(10) || 'y' AS a, 1 AS b"
    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT csv, COMPRESSION zstd)")
    assert rows(kept(connection, path)) == [("x\n\ny", 1)]


def test_numbers_are_exact(connection: Connection, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "whole,real,long,power\n1,0.10,12345678901234567890,1e+3\n-2,3,1,2.5\n")
    table = kept(connection, path)
    assert types(table) == {"whole": "BIGINT", "real": "DECIMAL(18,2)", "long": "HUGEINT", "power": "DOUBLE"}
    assert rows(table) == [(-2, Decimal(3), 1, 2.5), (1, Decimal("0.10"), 12345678901234567890, 1000.0)]


def test_long_numbers_that_differ_in_the_last_digit_stay_different(connection: Connection, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "id\n0.12345678901234567890123\n0.12345678901234567890124\n" + "9" * 14 + "\n")
    assert len(set(rows(kept(connection, path)))) == 3


def test_numbers_too_long_for_any_number_stay_text(connection: Connection, tmp_path: Path) -> None:
    assert types(kept(connection, write(tmp_path / "t.csv", "id\n" + "9" * 50 + "\n1\n"))) == {"id": "VARCHAR"}


@pytest.mark.parametrize("code", ["007", "00", "1e400", "1E30", "1e+400", "0x1F", "1_000", "inf", "12a", "٣"])
def test_codes_stay_text(connection: Connection, tmp_path: Path, code: str) -> None:
    table = kept(connection, write(tmp_path / "t.csv", f"zip,n\n{code},1\n123,2\n"))
    assert types(table) == {"zip": "VARCHAR", "n": "BIGINT"}
    assert {row[0] for row in rows(table)} == {code, "123"}


def test_blanks_around_numbers_do_not_make_them_text(connection: Connection, tmp_path: Path) -> None:
    assert rows(kept(connection, write(tmp_path / "t.csv", "a,b\n 1,x \n2 ,y\n"))) == [(1, "x "), (2, "y")]


def test_nan_is_null_in_a_column_of_numbers(connection: Connection, tmp_path: Path) -> None:
    table = kept(connection, write(tmp_path / "t.csv", "a,b,c\n1,nan,NaN\nNaN,1.5,1e+3\n"))
    assert types(table) == {"a": "BIGINT", "b": "DECIMAL(18,1)", "c": "DOUBLE"}
    assert rows(table) == [(1, None, None), (None, Decimal("1.5"), 1000.0)]


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1", 1), ("1.5", Decimal("1.5")), ("2020-01-01", date("2020-01-01")), ("1" * 20, int("1" * 20))],
)
def test_the_word_nan_beside_text_does_not_stop_the_reading(
    connection: Connection, tmp_path: Path, cell: str, value: object
) -> None:
    table = kept(connection, write(tmp_path / "t.csv", f"a,b\n{cell},x\nNaN,y\n{cell},x\n"))
    assert Counter(rows(table)) == {(None, "y"): 1, (value, "x"): 2}


def test_decimal_commas_are_recognised_exactly_and_noted(connection: Connection, tmp_path: Path) -> None:
    table = kept(connection, write(tmp_path / "t.csv", "n;s\nA;3000,50\nB;1.234.567,5\nC;\nD;7\n"))
    assert types(table)["s"] == "DECIMAL(18,2)"
    assert {row[1] for row in rows(table)} == {Decimal("3000.50"), Decimal("1234567.5"), None, Decimal(7)}
    assert [note.text for note in table.notes] == ["Numbers with a decimal comma were recognised in 's'."]


def test_a_decimal_mark_can_be_forced(connection: Connection, tmp_path: Path) -> None:
    quoted = write(tmp_path / "quoted.csv", 'n,s\nA,"3,5"\nB,4\n')
    assert types(kept(connection, quoted))["s"] == "VARCHAR"
    assert rows(kept(connection, quoted, decimal=","), ["s"]) == [(Decimal("3.5"),), (Decimal("4.0"),)]
    thousands = write(tmp_path / "thousands.csv", "n;s\nA;1.234\nB;5.678\n")
    assert rows(kept(connection, thousands), ["s"]) == [(Decimal("1.234"),), (Decimal("5.678"),)]
    assert rows(kept(connection, thousands, decimal=","), ["s"]) == [(Decimal(1234),), (Decimal(5678),)]
    commas = write(tmp_path / "commas.csv", "n;s\nA;1,5\n")
    assert types(kept(connection, commas, decimal="."))["s"] == "VARCHAR"


def test_dates_and_times_are_recognised(connection: Connection, tmp_path: Path) -> None:
    path = write(
        tmp_path / "t.csv",
        "iso;german;british;american;time\n"
        "2020-02-29;31.12.2020;31/12/2020;12/31/2020;2020-01-01T10:00:00Z\n"
        "1900-01-01;1.2.2021;01/02/2020;01/02/2020;2020-01-01 10:00Z\n",
    )
    table = kept(connection, path)
    assert set(types(table).values()) == {"DATE", "TIMESTAMP"}
    assert rows(table, ["iso", "german", "british", "american"]) == [
        (date("1900-01-01"), date("2021-02-01"), date("2020-02-01"), date("2020-01-02")),
        (date("2020-02-29"), date("2020-12-31"), date("2020-12-31"), date("2020-12-31")),
    ]
    assert len(table.notes) == 3


def test_dates_that_can_be_read_in_two_ways_stay_text(connection: Connection, tmp_path: Path) -> None:
    assert types(kept(connection, write(tmp_path / "t.csv", "d\n01/02/2020\n03/04/2020\n"))) == {"d": "VARCHAR"}


def test_days_that_do_not_exist_stay_text(connection: Connection, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "d,e\n2021-02-30,30.02.2021\n2021-02-01,01.02.2021\n")
    assert set(types(kept(connection, path)).values()) == {"VARCHAR"}


@pytest.mark.parametrize(
    "hour", ["2020-01-01 24:00", "2020-01-01T24:00:00Z", "2020-01-01 23:59:60", "2020-01-01 23:60"]
)
def test_hours_that_no_clock_shows_stay_text(connection: Connection, tmp_path: Path, hour: str) -> None:
    zone = "Z" if "Z" in hour else ""
    path = write(tmp_path / "t.csv", f"d\n{hour}\n2020-01-02 00:00{zone}\n")
    assert types(kept(connection, path)) == {"d": "VARCHAR"}, "two spellings of one midnight would be one value"


@pytest.mark.parametrize(
    ("late", "kind"),
    [
        (CANARY, "VARCHAR"),
        ("007", "VARCHAR"),
        ("1.25", "DECIMAL(18,2)"),
        ("12345678901234567890", "HUGEINT"),
        ("1e+5", "DOUBLE"),
        ("2020-01-01", "VARCHAR"),
        ("+5", "BIGINT"),
        (" 5", "BIGINT"),
        ("nan", "BIGINT"),
    ],
)
def test_a_late_value_of_another_type_changes_the_type_and_loses_nothing(
    connection: Connection, tmp_path: Path, late: str, kind: str
) -> None:
    path = write(tmp_path / "t.csv", "a,b\n" + "1,x\n" * 12_000 + f"{late},y\n")
    table = loaded(connection, path)
    assert types(table) == {"a": "BIGINT", "b": "VARCHAR"}
    all_kept = table.keep(["a", "b"])
    assert types(all_kept)["a"] == kind
    assert all_kept.rows == 12_001
    assert [row[0] is not None for row in rows(all_kept) if row[1] == "y"] == [late != "nan"]


def test_a_type_does_not_depend_on_the_order_of_the_rows(connection: Connection, tmp_path: Path) -> None:
    lines = ["1,,01/02/2020"] * 12_000 + ["2.5,7,31/02/2020", "3,8,31/12/2020"]
    first = kept(connection, write(tmp_path / "a.csv", "\n".join(["a,b,c", *lines])))
    second = kept(connection, write(tmp_path / "b.csv", "\n".join(["a,b,c", *reversed(lines)])))
    assert types(first) == types(second) == {"a": "DECIMAL(18,1)", "b": "BIGINT", "c": "VARCHAR"}


def test_a_table_scanned_before_columns_are_kept_never_loses_a_late_value(
    connection: Connection, tmp_path: Path
) -> None:
    table = loaded(connection, write(tmp_path / "t.csv", "a,b\n" + "1,x\n" * 12_000 + f"{CANARY},y\n"))
    with pytest.raises(duckdb.Error, match="does not have the type"):
        connection.execute(f"SELECT sum(c0) FROM {table.name}").fetchall()


def test_missing_values_are_those_named(connection: Connection, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", 'a,b\n1,x\nNA,""\n?,\n')
    assert types(kept(connection, path))["a"] == "VARCHAR"
    assert rows(kept(connection, path, null=("", "NA", "?"))) == [(1, "x"), (None, None), (None, None)]
    assert ("?", "") in rows(kept(connection, path, null=()))


def test_a_text_for_missing_values_may_have_the_marks_of_the_file(connection: Connection, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", 'a,b\n1,"not known, yet"\n"say ""no""",x\n"two\nlines",y\n2,z\n')
    missing = ("", "not known, yet", 'say "no"', "two\nlines")
    assert set(rows(kept(connection, path, null=missing))) == {(1, None), (None, "x"), (None, "y"), (2, "z")}


def test_blank_lines_are_no_rows_but_lines_of_delimiters_are(connection: Connection, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "\na,b\n1,2\n\n,\n3,4\n\n")
    assert rows(kept(connection, path)) == [(1, 2), (3, 4), (None, None)]


def test_a_blank_line_in_a_file_of_one_column_is_a_missing_value(connection: Connection, tmp_path: Path) -> None:
    assert rows(kept(connection, write(tmp_path / "t.csv", "a\nx\n\ny\n"))) == [("x",), ("y",), (None,)]


def test_a_file_without_a_header_names_its_columns_by_position(connection: Connection, tmp_path: Path) -> None:
    table = kept(connection, write(tmp_path / "t.csv", "1,x\n2,y\n"), header=False)
    assert [column.name for column in table.columns] == ["column_1", "column_2"]
    assert len(rows(table)) == 2


def test_a_wrong_delimiter_gives_one_column(connection: Connection, tmp_path: Path) -> None:
    assert types(kept(connection, write(tmp_path / "t.csv", "a,b\nx,y\n"), delimiter=";")) == {"a,b": "VARCHAR"}


def test_quotes_can_be_declared_to_be_none(connection: Connection, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", 'a,b\n"x,1\n5" pipe,2\n')
    assert rows(kept(connection, path, quote="")) == [('"x', 1), ('5" pipe', 2)]


def test_many_files_are_one_table(connection: Connection, tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a,b\n1,x\n")
    write(tmp_path / "2.csv", "a;b\n2,5;y\n".encode("utf-16"))
    table = kept(connection, tmp_path)
    assert table.rows == 2
    assert len(rows(table)) == 2


def test_folders_add_columns(connection: Connection, tmp_path: Path) -> None:
    write(tmp_path / "zip=007" / "t.csv", "a\n1\n")
    write(tmp_path / "zip=__HIVE_DEFAULT_PARTITION__" / "t.csv", "a\n2\n")
    assert rows(kept(connection, tmp_path)) == [(1, "007"), (2, None)]


def test_files_with_other_columns_are_refused(connection: Connection, tmp_path: Path) -> None:
    write(tmp_path / "1.csv", "a,b\n1,x\n")
    write(tmp_path / "2.csv", "a,c\n2,y\n")
    with pytest.raises(SourceError, match=r"'b', 'c' is in only one of .*1\.csv' and .*2\.csv'"):
        loaded(connection, tmp_path)


def test_only_the_columns_asked_for_are_kept(connection: Connection, tmp_path: Path) -> None:
    table = loaded(connection, write(tmp_path / "t.csv", "a,b,c\n1,x,2\n")).keep(["c", "a", "c"])
    assert [(column.name, column.alias) for column in table.columns] == [("c", "c2"), ("a", "c0")]
    assert table.rows == 1
    assert rows(table.keep(["a"])) == [(1,)]
    with pytest.raises(ColumnNotFoundError):
        table.keep(["b"])


def test_an_unknown_column_is_named_with_one_like_it(connection: Connection, tmp_path: Path) -> None:
    table = loaded(connection, write(tmp_path / "t.csv", "zipcode,b\n1,x\n"))
    with pytest.raises(ColumnNotFoundError, match="Did you mean 'zipcode'"):
        table.keep(["zipcod"])


def test_a_copy_outlives_its_file(connection: Connection, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "a\n1\n")
    table = kept(connection, path)
    path.unlink()
    assert rows(table) == [(1,)]


BROKEN = {
    "too few cells": (f"a,b,c\n1,2,3\n{CANARY},5\n", r"line 3: 2 cells where the first line has 3"),
    "too many cells": (f"a,b\n1,2\n{CANARY},5,6\n", r"line 3: 3 cells where the first line has 2"),
    "an open quote": (f'a,b\n1,"{CANARY}\n2,3\n', r"line 2: a quote is opened and not closed"),
    "text after a quote": (f'a,b\n1,"{CANARY}"x\n', r"line 2"),
    "a NUL byte": (f"a,b\n1,{CANARY}\0\n", r"line 2: a NUL byte"),
    "binary garbage": (bytes(range(256)) * 20 + CANARY.encode(), r"NUL byte"),
    "names given twice": (f"a,b,a\n{CANARY},2,3\n", r"names columns 1 and 3 alike"),
    "a line without end": (f"a,b\n{CANARY}" + "x" * 3_000_000 + ",1\n", r"line 2: longer than"),
    "a truncated gzip": (gzip.compress(f"a,b\n{CANARY},1\n".encode() * 999)[:-20], r"damaged or cut short"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file_is_refused_with_its_place_and_without_its_cells(
    connection: Connection, tmp_path: Path, case: str
) -> None:
    content, message = BROKEN[case]
    path = write(tmp_path / "t.csv", content)
    with pytest.raises(SourceError, match=message) as caught:
        kept(connection, path)
    assert CANARY not in "".join(traceback.format_exception(caught.value))
    assert "t.csv" in str(caught.value)
    assert connection.execute("SELECT 1").fetchall() == [(1,)]


def test_a_broken_line_far_down_is_refused_when_columns_are_kept(connection: Connection, tmp_path: Path) -> None:
    lines = ["1,x"] * 400_000
    lines[300_000] = f"{CANARY},y,z"
    table = loaded(connection, write(tmp_path / "t.csv", "\n".join(["a,b", *lines])))
    with pytest.raises(SourceError, match=r"line 300002: 3 cells where the first line has 2") as caught:
        table.keep(["a"])
    assert CANARY not in str(caught.value)


def test_a_broken_copy_is_named_as_the_person_knows_it(connection: Connection, tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv.gz", gzip.compress(f"a,b\n{CANARY}\n".encode()))
    with pytest.raises(SourceError, match=r"t\.csv\.gz', line 2: 1 cell where"):
        kept(connection, path)


@pytest.mark.parametrize("content", ["", "\n\n", "a,b", "a,b\n", "a,b\r\n\r\n"])
def test_a_file_without_rows_is_refused_as_empty(connection: Connection, tmp_path: Path, content: str) -> None:
    with pytest.raises(EmptyTableError):
        kept(connection, write(tmp_path / "t.csv", content))


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=6).map(lambda text: f"t{text}")


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    table=st.integers(1, 4).flatmap(lambda w: st.lists(st.tuples(*[CELLS] * w), min_size=1, max_size=8)),
    delimiter=st.sampled_from(",;\t|"),
    end=st.sampled_from(["\n", "\r\n"]),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_what_python_writes_is_read_cell_by_cell(
    connection: Connection,
    tmp_path: Path,
    table: list[tuple[str, ...]],
    delimiter: str,
    end: str,
    quoting: int,
) -> None:
    text = io.StringIO()
    names = [f"n{at}" for at in range(len(table[0]))]
    csv.writer(text, delimiter=delimiter, lineterminator=end, quoting=quoting).writerows([names, *table])  # type: ignore[arg-type]
    declared = None if len(names) > 1 else delimiter
    found = rows(kept(connection, write(tmp_path / "t.csv", text.getvalue()), delimiter=declared, header=True))
    assert Counter(found) == Counter(table)


def test_times_with_different_offsets_stay_text(tmp_path):
    """The engine would drop the offset and take different moments for the same."""
    path = tmp_path / "times.csv"
    path.write_text("at\n2020-01-01T01:30:00+01:00\n2020-01-01T01:30:00+02:00\n", encoding="utf-8")
    session = DuckDBSession()
    table = session.open(path).keep(["at"])
    assert [column.type for column in table.columns] == ["VARCHAR"]
    assert len(session.values(table, ("at",)).values) == 2


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("names", ["a,b", '"a\nb",b', '"a\rb",b', '"a\r\nb",b'])
def test_cells_that_differ_only_in_their_line_ends_are_different_values(
    connection: Connection, tmp_path: Path, names: str, end: str
) -> None:
    cells = ["x\ry", "x\ny", "x\r\ny"]
    path = write(tmp_path / "t.csv", end.join([names, *(f'{at},"{cell}"' for at, cell in enumerate(cells)), ""]))
    assert rows(kept(connection, path)) == sorted(enumerate(cells), key=repr)
