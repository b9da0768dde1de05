"""How a text table is written is found by looking at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tclose.data.sources import ReadOptions
from tclose.data.sources.csv_format import Dialect, dialect_of
from tclose.data.sources.text_files import Utf8File
from tclose.errors import EmptyTableError, SourceError


def dialect(folder: Path, text: str, **options: object) -> Dialect:
    path = folder / "t.csv"
    path.write_text(text, encoding="utf-8", newline="")
    return dialect_of(Utf8File(path, "'t.csv'"), ReadOptions(**options))  # type: ignore[arg-type]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_that_cuts_all_lines_alike(tmp_path: Path, delimiter: str) -> None:
    text = "\n".join(delimiter.join(cells) for cells in [["a", "b", "c"], ["1", "x", "2"], ["3", "y", "4"]])
    assert dialect(tmp_path, text).delimiter == delimiter


def test_commas_inside_cells_do_not_outvote_the_delimiter(tmp_path: Path) -> None:
    found = dialect(tmp_path, "name;salary\nDoe, Ann;3000,50\nRoe;1,5\n")
    assert (found.delimiter, found.names) == (";", ("name", "salary"))


def test_delimiters_inside_quotes_do_not_count(tmp_path: Path) -> None:
    assert dialect(tmp_path, '"a;b;c","d;e;f"\n"1;2;3","4;5;6"\n').names == ("a;b;c", "d;e;f")


def test_a_file_of_one_column_is_not_cut_by_commas_in_its_cells(tmp_path: Path) -> None:
    found = dialect(tmp_path, "name\nDoe, Ann\nRoe\n")
    assert found.names == ("name",)
    assert found.delimiter != ","


def test_a_broken_line_does_not_hide_the_delimiter(tmp_path: Path) -> None:
    assert dialect(tmp_path, "a,b,c\n1,2,3\n4,5\n6,7,8\n").delimiter == ","


def test_apostrophes_around_cells_are_quotes_and_others_are_not(tmp_path: Path) -> None:
    assert dialect(tmp_path, "a,b\n'x,y',1\n'z',2\n").quote == "'"
    assert dialect(tmp_path, "a,b\n'tis,1\nx,2\n").quote == '"'


def test_what_is_declared_wins(tmp_path: Path) -> None:
    found = dialect(tmp_path, "a,b\n1,2\n", delimiter=";", quote="'", header=False)
    assert (found.delimiter, found.quote, found.names) == (";", "'", ("column_1",))


@pytest.mark.parametrize("quote", [",", ";", "|"])
def test_a_sign_that_is_declared_a_quote_is_no_delimiter(tmp_path: Path, quote: str) -> None:
    found = dialect(tmp_path, f"a{quote}b\n1{quote}2\n", quote=quote)
    assert (found.quote, found.delimiter != quote) == (quote, True)


def test_the_separator_line_of_excel_is_obeyed_and_skipped(tmp_path: Path) -> None:
    found = dialect(tmp_path, "sep=|\r\na|b\r\n1|2\r\n")
    assert (found.delimiter, found.skipped, found.names) == ("|", 1, ("a", "b"))


def test_blank_lines_before_the_header_are_skipped(tmp_path: Path) -> None:
    found = dialect(tmp_path, "\n\r\n\na,b\n1,2\n")
    assert (found.skipped, found.names) == (3, ("a", "b"))


@pytest.mark.parametrize("text", ["1,2\n3,4\n", "2020-01-01,x\n2020-01-02,y\n", "x,1.5\ny,2\n"])
def test_a_first_line_like_the_others_is_no_header_and_that_is_noted(tmp_path: Path, text: str) -> None:
    found = dialect(tmp_path, text)
    assert not found.header
    assert found.names == ("column_1", "column_2")
    assert [note.code for note in found.notes] == ["no-header"]


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "a,b\nx,y\n", "name,2020\nx,y\n", "a,b"])
def test_a_first_line_of_names_is_a_header(tmp_path: Path, text: str) -> None:
    assert dialect(tmp_path, text).header


def test_columns_without_a_name_get_one_that_is_free(tmp_path: Path) -> None:
    found = dialect(tmp_path, ",b,column_1\n1,2,3\n")
    assert found.names == ("column_1_", "b", "column_1")
    assert "without a name, called 'column_1_'" in found.notes[0].text


def test_names_given_twice_are_refused_and_names_in_other_case_are_not(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"names columns 1 and 3 alike\. .*ReadOptions\(header=False\)"):
        dialect(tmp_path, "zip,age,zip\n1,2,3\n")
    assert dialect(tmp_path, "Zip,zip,ZIP\n1,2,3\n").names == ("Zip", "zip", "ZIP")


@pytest.mark.parametrize("text", ["\n", "\r\n\r\n", "  \n"])
def test_a_file_of_blank_lines_is_empty(tmp_path: Path, text: str) -> None:
    with pytest.raises(EmptyTableError, match="neither a header nor rows"):
        dialect(tmp_path, text)


def test_a_cell_longer_than_the_head_is_no_obstacle(tmp_path: Path) -> None:
    assert dialect(tmp_path, "a,b\n" + "x" * 300_000 + ",1\n").names == ("a", "b")
