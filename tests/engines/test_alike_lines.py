"""Text files whose lines are read once and written once each: the same rows as read and written one by one."""

from __future__ import annotations

import csv
import random
from collections import Counter
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engines.loading import connection, loaded, write
from engines.recodings import functional, released, text
from tclose import Roles, anonymize
from tclose.engines.duckdb import csv as alike_lines
from tclose.engines.duckdb import csv as text_tables
from tclose.engines.duckdb import released as released_tables
from tclose.errors import SourceError

__all__ = ["connection"]

CELLS = ["", "a", "1", "2", "12", " b ", '"q"', '"a;b"', '"a""b"', '"two\nlines"', 'x"y', '"', "'", "#", "\\", "é"]


@pytest.fixture(autouse=True)
def always(monkeypatch):
    """Gather lines of small files too, however different they are, if every line is a row."""
    monkeypatch.setattr(text_tables, "_SAMPLE_ROWS", 2)
    monkeypatch.setattr(text_tables, "_MOST_DIFFERENT", 10**9)
    monkeypatch.setattr(alike_lines, "_MOST_LINES", 1)


@pytest.fixture
def by_lines(monkeypatch):
    """Note, each time lines were to be read once, whether they could be."""
    noted = []
    gathered = alike_lines.Lines.gathered

    def noting(lines, connection):
        found = gathered(lines, connection)
        noted.append(found is not None)
        return found

    monkeypatch.setattr(alike_lines.Lines, "gathered", noting)
    return noted


def counted(table):
    aliases = ", ".join(column.alias for column in table.columns)
    query = f"SELECT {aliases}, {table.row_tally} FROM {table.name} GROUP BY {aliases}"
    return Counter({row[:-1]: row[-1] for row in table.connection.execute(query).fetchall()})


def outcome(read):
    """Return the rows that are read, or why they are not."""
    try:
        return counted(read())
    except SourceError as problem:
        return str(problem)


@settings(deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rows=st.lists(st.lists(st.sampled_from(CELLS), min_size=2, max_size=3), min_size=4, max_size=12),
    blank=st.booleans(),
    ending=st.sampled_from(["\n", "\r\n"]),
    options=st.sampled_from([{}, {"null": ("1", "2", "12")}, {"null": ("1;", "2")}, {"quote": ""}, {"quote": "'"}]),
)
def test_lines_read_once_are_the_rows_one_by_one(tmp_path, connection, rows, blank, ending, options):
    lines = ["p;q", *(";".join(row) for row in rows), *([""] if blank else []), *(";".join(row) for row in rows)]
    path = write(tmp_path / "rows.csv", (ending.join(lines) + ending).encode())

    def opened():
        return loaded(connection, path, delimiter=";", header=True, **options)

    assert outcome(lambda: opened().gathered(["p", "q"])) == outcome(lambda: opened().keep(["p", "q"]))


@pytest.mark.parametrize(
    ("content", "whole"),
    [
        ("a,b\n" + "1,x\n" * 5 + "2,y\n", True),
        ("a,b\n" + '1,"x, y"\n' * 5 + '2,"z ""w"""\n', True),
        ("a,b\n" + '1,"x\ny"\n' * 5, False),
        ("a,b\n" + '1,x"y\n2,z"w\n' * 5, True),
        ("a,b\n" + '1"2,"x\ny"\n' * 5, False),
        ("a,b\n" + "1,x\x01y\n" * 5, False),
        ('"a\nc",b\n' + "1,x\n" * 5, None),
    ],
)
def test_lines_are_read_once_where_each_is_a_row(tmp_path, connection, by_lines, content, whole):
    table = loaded(connection, write(tmp_path / "rows.csv", content))
    names = [column.name for column in table.columns]
    with (tmp_path / "rows.csv").open(newline="") as file:
        expected = Counter(map(tuple, list(csv.reader(file))[1:]))
    found = counted(table.gathered(names))
    assert Counter({tuple(map(str, row)): times for row, times in found.items()}) == expected
    assert by_lines == ([] if whole is None else [whole])


def test_of_several_files_lines_are_read_once(tmp_path, connection, by_lines):
    for name, rows in (("one.csv", "1,x\n2,y\n" * 3), ("two.csv", "1,x\n3,z\n" * 4)):
        write(tmp_path / "parts" / name, f"a,b\n{rows}")
    table = loaded(connection, tmp_path / "parts")
    assert counted(table.gathered(["a", "b"])) == {(1, "x"): 7, (2, "y"): 3, (3, "z"): 4}
    assert by_lines == [True]


def test_a_line_that_is_no_row_is_named_in_the_file_itself(tmp_path, connection):
    path = write(tmp_path / "rows.csv", "a,b\n" + "1,x\n" * 5 + "2\n" + "1,x\n" * 5)
    with pytest.raises(SourceError, match=r"rows\.csv', line 7"):
        loaded(connection, path).gathered(["a", "b"])


HOSTILE = ["", None, "a,b", 'a"b', '"', "a\nb", "a\r\nb", "\n", "1", "1,1", "é", " x ", "a\tb"]


@pytest.mark.parametrize("name", ["release.csv", "release.tsv"])
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(*[st.sampled_from(HOSTILE)] * 2, st.integers(1, 5000)), min_size=1, max_size=5))
def test_lines_written_once_and_repeated_are_the_rows_one_by_one(tmp_path, monkeypatch, name, rows):
    columns = {
        "p": [row[0] for row in rows for _ in range(row[2])],
        "q, r": [row[1] for row in rows for _ in range(row[2])],
    }
    release = released(columns, functional(columns, ["p"], ["q, r"], text))
    written = []
    for often in (0, 10**9):
        monkeypatch.setattr(released_tables, "_OFTEN", often)
        monkeypatch.setattr(released_tables, "check_values", lambda *_: None)
        monkeypatch.setattr(released_tables, "check_header", lambda *_: None)
        release.write_to(tmp_path / name)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]


def test_a_release_of_gathered_rows_has_them_all(tmp_path):
    """Published as they are or with numbers beside them, gathered or one by one, decimals as they were written."""
    chosen = random.Random(5)
    rows = [(chosen.randrange(20, 60), chosen.choice(["8", "0.25"]), chosen.choice("xyz")) for _ in range(400)]
    lines = "".join(f"{age},{dose},{letter}\n" for age, dose, letter in rows for _ in range(3))
    path = write(tmp_path / "rows.csv", "age,dose,letter\n" + lines)
    roles = Roles(quasi=["age"], sensitive=["dose:ordered"], publish=[])
    for more in ({}, {"numbers": {"age": "bounds"}}):
        release = anonymize(path, roles, require={"k": 100}, method="full-domain", **more)
        assert release.holds
        assert release.table.rows == 3 * len(rows)
        place = tmp_path / f"release{len(more)}.csv"
        release.write(place)
        with place.open(newline="") as file:
            doses = Counter(row["dose"] for row in csv.DictReader(file))
        assert doses == Counter(dose for _, dose, _ in rows for _ in range(3))
        assert {Decimal(dose) for dose in doses} == {Decimal(8), Decimal("0.25")}


@pytest.mark.parametrize("name", ["release.csv", "release.csv.gz", "release.tsv", "release.json", "release.jsonl"])
def test_a_release_whose_first_rows_are_alike_is_read_back_as_it_is(tmp_path, monkeypatch, name):
    """Rows are written in an order of their content, so that all the first ones may be whole numbers."""
    monkeypatch.setattr(text_tables, "_SAMPLE_ROWS", 10_000)
    columns = {"age": [30] * 50_000, "dose": [Decimal(8)] * 25_000 + [Decimal("0.25")] * 25_000}
    release = anonymize(columns, Roles(quasi=["age"], sensitive=["dose:ordered"]), require={"k": 50_000})
    assert release.write(tmp_path / name).audit.rows == 50_000


def test_a_file_that_changes_after_it_was_looked_at_is_looked_at_again(tmp_path, connection, monkeypatch):
    monkeypatch.setattr(text_tables, "_SAMPLE_ROWS", 10_000)
    path = write(tmp_path / "rows.csv", "a,b\n1,x\n2,y\n")
    table = loaded(connection, path)
    assert table.column("a").type == "BIGINT"
    write(path, "a,b\n1,x\nunknown,y\n")
    assert counted(table.keep(["a", "b"])) == {("1", "x"): 1, ("unknown", "y"): 1}
